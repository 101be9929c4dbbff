/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply.h - a series of patch mails onto a commit, in memory, all or nothing, as git am
 * would: same trees, and with the same committer the same commit ids.
 *
 * Objects are made in memory and stored when a base took the series (objects.h).
 *
 * An answer that is "no" (conflict, rejected, no_base) is an outcome, not an error;
 * errors are an unreadable repository and the like. No ref, index or work tree is
 * touched unless a branch is asked for.
 */
#ifndef WL_PATCH_APPLY_H
#define WL_PATCH_APPLY_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/base_pick.h"
#include "patch/explain.h"
#include "patch/repo.h"
#include <jansson.h>

#define APPLY_PATCHES_MAX 999 /* of a request, those of other series included */

/* Of the whole series. Names: applied already conflict rejected no_base. */
enum apply_result {
	APPLY_APPLIED,
	APPLY_ALREADY,
	APPLY_CONFLICT,
	APPLY_REJECTED,
	APPLY_NO_BASE,
};

/* Of one patch, and of one hunk; the later, the worse. Names: exact offset 3way already
 * conflict rejected skipped (an earlier patch or file stopped the series before this
 * one). */
enum patch_result {
	PATCH_EXACT,
	PATCH_OFFSET,
	PATCH_3WAY, /* merged, as git am -3 does */
	PATCH_ALREADY,
	PATCH_CONFLICT,
	PATCH_REJECTED,
	PATCH_SKIPPED,
};

const char *apply_result_name(enum apply_result r);
const char *patch_result_name(enum patch_result r);

#define APPLY_READINGS 3 /* apply_patch_from_mail() fills at most two */

/* One patch as it was mailed (lib/mail reads it; apply_patch_from_mail() fills this). */
struct apply_patch {
	const char *n;          /* "2", "0.5"; NULL: its place in the series */
	const char *message_id; /* without brackets, or NULL */
	const char *author_name, *author_email;
	int64_t time_s;      /* author date, since 1970 */
	int offset_min;      /* its zone, minutes east */
	const char *message; /* commit message, stripspaced, ends with a newline */
	const char *patch;   /* bytes after the message, as git mailinfo gives them */
	size_t patch_len;
	/* Other readings of the same mail, tried in order when patch does not apply. */
	struct apply_reading {
		const char *p; /* NULL: none */
		size_t len;
		const char *note;   /* code of the note when this one applies */
		const char *detail; /* of that note; NULL: of no interest */
		bool copy;          /* of another mail, apply_patch_original() */
	} other[APPLY_READINGS];
	/* Text of a mail that holds no diff in its place: one may be quoted in it, or
	 * have lost its line ends. NULL: the patch is where it belongs. */
	const char *buried;
	size_t buried_len;
	bool partless; /* buried is the body of a mail whose parts cannot be told */
	const char *original; /* id to look up when the mail is damaged, or NULL */
	const char *answers;  /* id of the mail that it answers, or NULL */
	const char *part;     /* "3 of 3", where no series knows that; or NULL */
	bool doubtful;        /* not in the charset that the mail names */
};

/* What of the objects that a series makes reaches the disk, when a base takes it. Of a
 * try that fails nothing does. */
enum apply_keep {
	APPLY_KEEP_ALL,
	APPLY_KEEP_TREE,    /* the last tree: no commits, nothing that only led to it */
	APPLY_KEEP_NOTHING, /* nor an index of old file contents */
};

struct apply_request {
	const char *repo;      /* path */
	struct base_want base; /* diffs and index are filled in by apply_run() */
	const struct apply_patch *patches;
	size_t n_patches;
	/* The first so many patches are those of other series that this one builds on.
	 * They are applied first; where that fails, the rest is tried without them. */
	size_t n_before;
	const char *const *missing; /* what it builds on and is not here, as words; NULL
				     * ends; may be NULL */
	int64_t index_ms; /* keep the indexes of old file contents in the repository's
			   * folder, and spend so long on one; 0: use them only */
	const char *committer_name,
		*committer_email; /* NULL: wakelist <wakelist@invalid> */
	const char *link_prefix;  /* NULL: no Link: trailer */
	const char *branch;       /* NULL: no ref is moved; only with APPLY_KEEP_ALL */
	bool no_3way;             /* as git am, without -3 */
	bool mend;            /* take proved repairs of what does not apply (mend.h) */
	bool unquote;         /* of a diff that is quoted in the mail too */
	const char *mend_how; /* how the caller's user asks for a repair, for the answer
			       * that names one ("--mend does it"), or NULL */
	enum apply_keep keep;
};

struct apply_note {
	const char *code;   /* "ambiguous_place" */
	const char *detail; /* words */
};

struct apply_hunk {
	const char *header; /* "@@ -1,2 +3,4 @@ fn" */
	int64_t at;         /* 1-based line where it went; 0: nowhere */
	int64_t offset;     /* at - expected */
	enum patch_result result;
	const char *function;       /* enclosing function where it went, or NULL */
	const char *error;          /* one sentence, NULL when it applies */
	const char *closest;        /* "-wanted\n+found\n", at most 12 lines, or NULL */
	enum explain_blanks blanks; /* only white space keeps it from fitting */
};

struct apply_file {
	const char *path;     /* new name; old one for a deletion */
	const char *old_path; /* other than path for renames and copies, else the same */
	const char *status;   /* added deleted modified renamed copied mode */
	struct apply_hunk *hunks;
	size_t n_hunks;
	const char *error; /* NULL when it applies */
};

struct apply_patch_outcome {
	const char *n;
	const char *message_id;
	enum patch_result result;
	const char *error; /* one sentence naming file, hunk and reason; NULL when fine */
	bool edited; /* rejected since it does not fit even the files that it names */
	bool blanks; /* nor these, for white space */
	bool mended; /* the diff was repaired */
	bool copied; /* the diff is that of another copy of the mail */
	char commit[REPO_HEX]; /* "" unless it applied; already: the commit before */
	struct apply_file *files;
	size_t n_files;
	struct apply_note *notes;
	size_t n_notes;
};

struct apply_attempt {
	const char *commit; /* 40 hex, or what was named when it is unknown */
	const char *how;    /* base_how_name(), or "prerequisites" */
	const char *result; /* apply_result_name(), or "unknown" */
	const char *why;
	const char *tree; /* configured tree's name, or NULL */
	int failed_patch; /* 1-based without the prerequisites, 0: none of them */
};

struct apply_outcome {
	enum apply_result result;
	const char *error;       /* the sentence for people; NULL when it applied */
	const char *base_commit; /* of the attempt shown; NULL for no_base */
	const char *base_how;
	const char *base_why;  /* "base-commit: of the mail" */
	const char *base_tree; /* configured tree's name, or NULL */
	const char *tree;      /* 40 hex of the result; NULL unless applied or already */
	char (*commits)[REPO_HEX];
	size_t n_commits; /* already-patches add none */
	struct apply_patch_outcome *patches;
	size_t n_patches;
	size_t n_before; /* the first so many are prerequisites */
	struct apply_attempt *attempts;
	size_t n_attempts;
};

struct mail; /* lib/mail */
/* Fills a patch from a parsed mail; strings are borrowed from the mail or arena.
 * INVALID: the mail has no usable author. One that holds no diff in its place either is
 * taken all the same: it cannot be committed, but the answer says what it is. */
int apply_patch_from_mail(const struct mail *m, struct arena *a, struct apply_patch *ret,
	struct err *e) MUST_CHECK;
/*
 * The same, of a patch that was filled from damaged: where that diff does not hold
 * together, the first sound one of v that is the same patch is read instead when it does
 * not apply: another copy of the mail, as a second archive may have it, or what was sent
 * again (author, title, version and number). Borrows that mail's bytes.
 */
void apply_patch_original(const struct mail *damaged, const struct mail *const *v,
	size_t n, struct arena *a, struct apply_patch *patch);

/* The text can be a committer's name or address, or a part of a trailer, as it is: UTF-8,
 * with no control character, none of "<>", and more than blanks and punctuation. */
bool apply_text_ok(const char *text);

/* Rejected before any base was tried: why in one sentence, no patches. Arena. */
struct apply_outcome *apply_refusal(struct arena *a, const char *why);

/* There is no base, and why in one sentence; every patch is skipped. Arena. */
struct apply_outcome *apply_no_base(
	const struct apply_request *req, struct arena *a, const char *why);

/* The whole stage: opens the repository, picks bases, tries them in order until one
 * takes the series, makes commits and the branch. INTERNAL names what of a damaged
 * repository cannot be read, UNAVAILABLE what a partial clone lacks; the errors of
 * branch.h. Arena. */
int apply_run(const struct apply_request *req, struct arena *a,
	struct apply_outcome **ret, struct err *e) MUST_CHECK;
/* The same in a repository that is open, whatever req->repo; once a repository. */
int apply_in(struct git_repository *r, const struct apply_request *req, struct arena *a,
	struct apply_outcome **ret, struct err *e) MUST_CHECK;

/* One base, one try. What is made can be read from r until it is closed, and is never
 * stored; once a repository. Sets all but base_how, base_why, base_tree and attempts of
 * the outcome. */
int apply_series(struct git_repository *r, const char *base_hex,
	const struct apply_request *req, struct arena *a, struct apply_outcome **ret,
	struct err *e) MUST_CHECK;

/* {"v":1,"result",...}: docs/applying.md. Owner: caller. */
json_t *apply_outcome_json(const struct apply_outcome *o);

#endif
