/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mail.h - one mail as stored -> what git am would make of it, and what we read in it.
 *
 * Pure: no clock, no I/O, no database; same bytes and options, same answer. Everything
 * returned lives in the arena passed in; no pointer in struct mail is NULL unless its
 * comment says so. Text is UTF-8 unless it is called bytes. docs/mail.md is the prose.
 */
#ifndef WL_MAIL_MAIL_H
#define WL_MAIL_MAIL_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"
#include "mail/prefix.h"

#define MAIL_MAX_BYTES      (16u << 20)
#define MAIL_MAX_HEADER     (256u << 10)
#define MAIL_MAX_FIELDS     1000u
#define MAIL_MAX_FIELD      (64u << 10)
#define MAIL_MAX_LEAVES     100u
#define MAIL_MAX_NESTING    5u
#define MAIL_MAX_TEXT       (32u << 20)
#define MAIL_MAX_LINE       (1u << 20) /* of a patch */
#define MAIL_MAX_FILES      2000u
#define MAIL_MAX_HUNKS      20000u
#define MAIL_MAX_HUNK_LINES 1000000u
#define MAIL_MAX_REFERENCES 200u
#define MAIL_MAX_RECIPIENTS 500u
#define MAIL_MAX_SERIES     999 /* n/m: m above it makes a series corrupt */
#define MAIL_NO_FROM        "the mail has no usable From" /* a value of rejected */
#define MAIL_EARLIEST       INT64_C(662688000)            /* 1991-01-01, see order_time */

/* mail_kind_name(): "cover" "patch" "reply" "other". */
enum mail_kind { MAIL_OTHER, MAIL_COVER, MAIL_PATCH, MAIL_REPLY };

/* mail_status_name(): the words of mail parse. */
enum mail_status {
	MAIL_FILE_MODIFIED,
	MAIL_FILE_ADDED,
	MAIL_FILE_DELETED,
	MAIL_FILE_RENAMED,
	MAIL_FILE_COPIED,
	MAIL_FILE_MODE,
};

struct mail_bytes {
	const char *p; /* NUL terminated beyond len; may hold NUL inside */
	size_t len;
};

struct mail_addr {
	const char *name;  /* "" when there is none; author: the address then, as git */
	const char *email; /* without brackets */
};

struct mail_file {
	const char *path;     /* new path; of a deleted file its old one */
	const char *old_path; /* NULL unless renamed or copied */
	enum mail_status status;
	uint32_t n_added, n_removed; /* lines */
	uint32_t n_hunks;
	bool binary;
};

struct mail_trailer {
	const char *key; /* as written; "" for a "[name: note]" line */
	const char *value;
};

struct mail_prerequisite {
	const char *kind;    /* "patch-id" "change-id" "message-id" "base-commit" */
	const char *value;   /* message-id without brackets */
	const char *version; /* of change-id "x:v3": "v3"; else NULL */
};

struct mail_dependency {
	const char *message_id;
	const char *rel; /* "depends-on" "based-on" "supersedes" */
};

struct mail_note {
	const char *code;   /* "quoted_cr"; the list is in docs/mail.md */
	const char *detail; /* a few words, may be "" */
};

struct mail_opts {
	bool mboxrd;        /* source was an mboxrd: ">From " in the body loses one ">" */
	bool keep_cr;       /* do not strip the CR of CRLF line ends (git mailinfo without
			     * mailsplit); the service never sets it */
	bool keep_brackets; /* title keeps groups without PATCH (git am -b) */
	int64_t received_at; /* when the archive got it, epoch seconds; 0: unknown */
	/* NULL terminated lists, NULL for none. */
	const char *const *list_addresses; /* posting addresses; de-mangled when From */
	const char *const *list_domains;   /* domains that rewrite From */
	const char *const *own_addresses;  /* ours: such mail is a robot's */
	const char *const *branches;       /* tree and branch aliases a prefix may name */
};

struct mail {
	/* Identity and threading. Ids are bare, without brackets. */
	const char
		*message_id; /* "sha256-<hex>@wakelist.invalid" when the mail has none */
	const char **alt_ids;
	const char **in_reply_to;
	const char **references; /* oldest first, no duplicates */
	size_t n_alt_ids, n_in_reply_to, n_references;
	const char *parent; /* last In-Reply-To, else last reference; NULL for none */

	/* People. */
	struct mail_addr author; /* in-body From, else poster */
	struct mail_addr sender; /* From header as received */
	struct mail_addr poster; /* sender after DMARC de-mangling: who posted it */
	struct mail_addr *to, *cc;
	size_t n_to, n_cc;
	const char **list_ids; /* lower case */
	size_t n_list_ids;

	/* Time. */
	const char *date;   /* text of the Date used, "" when absent */
	int64_t time;       /* epoch seconds; of the commit */
	int32_t offset;     /* minutes east */
	int64_t order_time; /* for windows and display: time, or received_at if it lies */
	int64_t received_at; /* as given, 0 unknown */

	/* Subject. */
	const char *subject;     /* decoded, white space runs to one space */
	const char *title;       /* what git commits; may be "" */
	const char *match_title; /* lower case, reply words off; for comparing only */
	struct prefix prefix;
	struct prefix
		posted; /* of the Subject header; prefix is of the subject used, which
			 * an in-body Subject replaces. Assembly goes by posted. */

	/* What it is. */
	enum mail_kind kind;
	bool maybe_cover; /* no diff, no count, but looks like a cover: assembly decides
			   */
	bool inline_diff; /* a reply that holds a diff */
	bool robot;
	const char *robot_why; /* NULL unless robot */
	const char *rejected;  /* sentence when the mail cannot be used, else NULL */
	/* Where its header lost its line ends (lost.h), with MAIL_NO_FROM: the id and
	 * subject that it shows, and the text from that line on. Where its parts cannot
	 * be told (parts_lost), or its first line, a field of the text, holds a diff:
	 * lost is its body. Else NULL. */
	const char *lost_id, *lost_subject;
	struct mail_bytes lost;
	bool opted_out; /* X-Patchwork-Hint: ignore */

	/* The two files of git mailinfo, exactly its bytes. */
	struct mail_bytes msg, patch;
	char message_sha256[SHA256_HEX];
	char patch_sha256[SHA256_HEX];
	/* patch after the repairs that need no tree (blank_context); what the diff parser
	 * reads. Same bytes as patch when nothing was repaired. CR stays, see all_cr. */
	struct mail_bytes repaired;
	bool all_cr; /* every hunk line ends in CR LF: the applier strips one CR where the
		      * file in the tree has none */
	const char *corrupt; /* "corrupt patch at line 12: ...", NULL when sound */
	struct mail_bytes raw_patch; /* format=flowed only: lines unstuffed but not
				      * joined; p NULL otherwise */

	/* The diff. */
	const char *patch_id; /* 40 hex, NULL without hunks */
	struct mail_file *files;
	size_t n_files;
	uint32_t n_hunks;

	/* What the text says. */
	struct mail_trailer *trailers;
	size_t n_trailers;
	const char *base_commit; /* 40 hex or NULL */
	const char *change_id;   /* or NULL */
	const char **prerequisite_patch_ids;
	size_t n_prerequisite_patch_ids;
	struct mail_prerequisite *prerequisites;
	size_t n_prerequisites;
	struct mail_dependency *depends_on;
	size_t n_depends_on;
	const char **links; /* ids linked after a line with "Changes" or "v1": older
			       versions */
	size_t n_links;
	struct mail_trailer *followups; /* reply only: trailers at column 0, unquoted */
	size_t n_followups;
	const char *merged_commit; /* "[tip: BRANCH]" mails: Commit-ID, else NULL */
	const char *merged_branch; /* "sched/core", else NULL */
	const char **merged_ids;   /* ids in Link: lines of such a mail */
	size_t n_merged_ids;

	struct mail_note *notes; /* every repair, in the order made */
	size_t n_notes;
};

/*
 * Reads one mail. Wrong mails are not errors: they end in notes, or in m->rejected and
 * kind other. ERR_INVALID only when buf holds no byte but white space. len over
 * MAIL_MAX_BYTES gives kind other with note too_big: only the header was read.
 */
int mail_parse(struct arena *a, const char *buf, size_t len, const struct mail_opts *opts,
	struct mail **ret_mail, struct err *e) MUST_CHECK;

/* Copy of all facts without msg, patch, repaired, raw_patch and lost (they become empty),
 * for holding many mails. */
struct mail *mail_compact(struct arena *a, const struct mail *m);
/* The same without what series_assemble() and series_json() never read: recipients, list
 * ids, files, subject and date as text, details of notes; trailers of patches only. About
 * half the memory. */
struct mail *mail_digest(struct arena *a, const struct mail *m);

/* git's stripspace of title, blank line, msg: what git am commits. invalid UTF-8 is
 * replaced by U+FFFD. */
struct mail_bytes mail_commit_message(struct arena *a, const struct mail *m);

const char *mail_kind_name(enum mail_kind kind);
const char *mail_status_name(enum mail_status status);
bool mail_has_note(const struct mail *m, const char *code);

#endif
