/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streaming.h - the two halves of a series_stream: stream.c reads mails, assembles groups
 * and writes the result; stream_join.c finds what belongs to which group. Private to
 * lib/mail.
 */
#ifndef WL_MAIL_STREAMING_H
#define WL_MAIL_STREAMING_H

#include "base/base.h"

#include "base/sbuf.h"
#include "base/sha256.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "mail/stream.h"

/* What a mail has to do with an id, in the order in which a bucket is read. */
enum stream_kind {
	KIND_OWN,    /* it is the mail's own id */
	KIND_ALT,    /* another id of its own */
	KIND_NAME,   /* a part answers or links it, or a reply with trailers answers it */
	KIND_PARENT, /* a numbered patch answers it: it may be a naked cover */
	KIND_MERGED, /* a merge notice links it */
};

/* What a mail has to do with a patch-id. */
enum stream_patch { PATCH_NOTICE, PATCH_PART };

enum stream_flag {
	FLAG_PART = 1 << 0,
	FLAG_MAYBE = 1 << 1, /* a cover if a patch answers it */
	FLAG_TRAILERS = 1 << 2,
	FLAG_DEAD = 1 << 3,    /* a copy of a mail that is here */
	FLAG_WITNESS = 1 << 4, /* one of its answers makes it a cover, and is known */
};

struct stream_row {
	uint64_t at;     /* in spool digests */
	uint64_t author; /* of a part: hash of the poster; the name of its group */
	uint32_t len;
	uint32_t flags;
};

enum stream_list {
	LIST_IDS,     /* hash of id: kind and mail */
	LIST_PATCHES, /* hash of patch-id: kind and mail */
	LIST_ANSWERS, /* reply with trailers: mail it answers */
	LIST_COVERS,  /* mail that may be a cover: group that must know */
	LIST_PROOFS,  /* such a mail: the answer that makes it one */
	LIST_MEMBERS, /* group: mail */
	LIST_SERIES,  /* time: place in spool texts */
	LIST_OTHERS,
	N_LISTS,
};

struct series_stream {
	struct stream_row *rows;
	size_t n, cap;
	struct spool digests, texts;
	struct sorter *lists[N_LISTS];
	unsigned int hash_shift;
	struct arena *scratch; /* one mail, or one series as text */
	struct sbuf image;
	struct series_stream_stats stats;
	bool tie_failed; /* reading an id to compare failed; tie_err says how */
	struct err tie_err;
};

uint64_t stream_hash(const struct series_stream *s, const char *text);
/* The digest of mail i, in a. */
int stream_load(const struct series_stream *s, struct arena *a, uint32_t i,
	const struct mail **ret, struct err *e) MUST_CHECK;
/* Ends a list that was read to its end. */
void stream_drop(struct series_stream *s, enum stream_list i);
/* From the lists that reading filled to LIST_MEMBERS. */
int stream_join(struct series_stream *s, struct err *e) MUST_CHECK;

#endif
