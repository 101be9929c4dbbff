/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assemble.h - mails -> series: one version of a patch set each.
 *
 * A pure function of the set of mails: no clock, no order of arrival. The same set in any
 * order and with any mail given twice gives the same bytes. Only series_state() takes a
 * time. Incremental use: mail_keys() names what ties a mail to others; whoever stores
 * mails stores these keys, and recomputes the neighbourhood of a new mail from them.
 */
#ifndef WL_MAIL_ASSEMBLE_H
#define WL_MAIL_ASSEMBLE_H

#include "base/base.h"

#include "mail/mail.h"

#define SERIES_WAIT_S      INT64_C(1800) /* from the newest part: waiting -> incomplete */
#define SERIES_WAIT_LATE_S INT64_C(14400) /* the same for a list known to be late */
#define SERIES_WEAK_S      INT64_C(1200) /* unthreaded mails this near may belong together */
#define SERIES_WINDOW_S    INT64_C(86400)         /* author key, either way */
#define SERIES_LINK_S      (INT64_C(365) * 86400) /* how far back a version is looked for */
#define SERIES_MAX_MAILS   1000000u

struct series_patch {
	int64_t n;               /* in 1/PREFIX_UNIT; PREFIX_UNIT for a single patch */
	const struct mail *mail; /* borrowed from the input */
	const struct mail *replaces; /* NULL, or the mail this one was sent to replace */
	const struct mail **resent;  /* later copies of the same patch */
	size_t n_resent;
	bool inherited; /* partial reroll: taken over from the previous version */
};

struct series_trailer {
	int64_t n; /* patch it was given for; 0: cover, counts for all */
	const char *key, *value;
	const char *from_message_id; /* the reply */
	bool by_other;               /* address differs from the reply's sender */
};

struct series {
	const char *id; /* message-id of the cover, else of the patch with the lowest n */
	int64_t version; /* in 1/PREFIX_UNIT */
	bool version_explicit;
	const char *title;        /* of the cover, else of patch 1 */
	struct mail_addr author;  /* who posted it */
	const struct mail *cover; /* NULL for none */
	bool cover_named;         /* no cover here, but the patches name one parent id */
	int64_t total;            /* m in 1/PREFIX_UNIT; PREFIX_NONE: unknown */
	struct series_patch *patches; /* by n */
	size_t n_patches;
	int64_t *missing; /* n in 1/PREFIX_UNIT */
	size_t n_missing;
	bool complete;  /* every n of 1..m is here once, and nothing below */
	bool partial;   /* [PATCH v2 2/3] alone over v1 */
	bool ambiguous; /* two mails claim one place */
	bool corrupt;
	bool rfc, resend;
	bool opted_out;          /* asked for by a header, or all of it from robots */
	const char *opted_why;   /* sentence, NULL unless opted_out */
	const char *trouble;     /* sentence for ambiguous and corrupt; NULL */
	const char *change_id;   /* NULL for none */
	const char *base_commit; /* NULL for none */
	const char *tree;        /* from the prefix, NULL for none */
	const struct mail_prerequisite
		*prerequisites; /* borrowed from cover or patch 1 */
	size_t n_prerequisites;
	const struct mail_dependency *depends_on;
	size_t n_depends_on;
	struct series *previous;       /* older version in the same result, NULL */
	struct series *superseded_by;  /* newer version in the same result, NULL */
	const char *previous_how;      /* "change-id" "thread" "link" "title", NULL */
	const char *merged_commit;     /* a tip mail reported it, NULL */
	const char *merged_branch;     /* NULL */
	int64_t first_time, last_time; /* order_time of first and newest part */
	int64_t last_received;         /* received_at of the newest part, 0 unknown */
	struct series_trailer *trailers;
	size_t n_trailers;
	struct mail_note *notes;
	size_t n_notes;
};

struct series_other {
	const struct mail *mail;
	const char *why; /* why it is part of no series */
};

struct series_set {
	struct series **series; /* by (first_time, id) */
	size_t n_series;
	struct series_other *others; /* by (order_time, message_id) */
	size_t n_others;
};

/*
 * Assembles mails (borrowed; must outlive the result). Duplicates by message-id are
 * dropped: the copy without a list footer, then the smallest (patch, message) hash stays.
 * ERR_TOO_BIG above SERIES_MAX_MAILS.
 */
int series_assemble(struct arena *a, const struct mail *const *mails, size_t n_mails,
	struct series_set *ret, struct err *e) MUST_CHECK;

/* series_state_name(): the words of spec 4.7. */
enum series_state {
	SERIES_WAITING,
	SERIES_INCOMPLETE,
	SERIES_COMPLETE,
	SERIES_AMBIGUOUS,
	SERIES_CORRUPT,
	SERIES_SUPERSEDED,
	SERIES_MERGED,
	SERIES_WITHDRAWN,
	SERIES_NOT_OURS,
	SERIES_OPTED_OUT,
};

struct series_clock {
	int64_t now;      /* epoch seconds; 0: no clock, nothing times out */
	int64_t wait_s;   /* 0: SERIES_WAIT_S */
	const char *list; /* name for "did not arrive on LIST"; NULL: "the list" */
};

/* State of an assembled series; ret_why is the sentence people see (arena). withdrawn and
 * not_ours are decided elsewhere (ours.h). */
enum series_state series_state(struct arena *a, const struct series *s,
	const struct series_clock *clock, const char **ret_why);
/* When a waiting series turns incomplete: newest part + wait. */
int64_t series_deadline(const struct series *s, int64_t wait_s);
const char *series_state_name(enum series_state state);
int series_state_parse(
	const char *name, enum series_state *ret, struct err *e) MUST_CHECK;

/*
 * Keys of a mail: two mails that share one are neighbours. window_s: only within so many
 * seconds of order_time (0: always). link: reaches an older version only, so follow it
 * one step, not transitively. Texts: "id:MSGID" (own, alternative and all named ids),
 * "quilt:STAMP@HOST", "stem:STEM@HOST", "change:ID", "total:AUTHOR/M", and for links
 * "author:AUTHOR". At most 2 * MAIL_MAX_REFERENCES + 16 keys.
 */
struct mail_key {
	const char *text;
	int64_t window_s;
	bool link;
};
void mail_keys(
	struct arena *a, const struct mail *m, struct mail_key **ret_keys, size_t *ret_n);

/* Lower-case address of the poster: the author_key of spec 4.2. */
const char *series_author_key(struct arena *a, const struct mail *m);

#endif
