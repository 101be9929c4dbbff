/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repo.h - git repositories: the only place that opens them, with no configuration of
 * any user or machine read and ownership not judged, so that a child under its own user
 * id works. Revisions in, 40 hex digits out; callers need not include git2.h.
 *
 * Codes of libgit2 become ours in repo_err() and nowhere else.
 */
#ifndef WL_PATCH_REPO_H
#define WL_PATCH_REPO_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

#define REPO_HEX 41 /* 40 hex digits and the NUL */

struct git_commit;
struct git_oid;
struct git_repository;

/* Fills e from libgit2's last error with the text put before it; returns our code:
 * not found, ambiguous and exists -> NOT_FOUND, INVALID, CONFLICT; locked -> BUSY;
 * else INTERNAL. git_code must be negative. */
int repo_err(struct err *e, int git_code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* path: a bare repository or a work tree (not searched upwards). NOT_FOUND when there is
 * no repository; DENIED when it may not be read; UNSUPPORTED when it is of a format that
 * libgit2 does not know (ids of SHA-256, reftables). Owner: caller, repo_close(). */
int repo_open(const char *path, struct git_repository **ret, struct err *e) MUST_CHECK;
/* Opens, or makes a bare repository (folders above are made too) and opens it. */
int repo_create(const char *path, struct git_repository **ret, struct err *e) MUST_CHECK;
void repo_close(struct git_repository *r);
void repo_closep(struct git_repository **r); /* for CLEANUP */

/* Any revision that names a commit (branch, tag, id, abbreviation); 40 digits are an id
 * and never a branch. NOT_FOUND, INVALID when ambiguous or no commit; INTERNAL when a
 * branch or tag names what is not there, or cannot be read. */
int repo_resolve(struct git_repository *r, const char *rev, char ret_hex[REPO_HEX],
	struct err *e) MUST_CHECK;
/* Owner: caller, git_commit_free(). NOT_FOUND. */
int repo_commit_get(struct git_repository *r, const char *commit_hex,
	struct git_commit **ret, struct err *e) MUST_CHECK;
int repo_commit_tree(struct git_repository *r, const char *commit_hex,
	char ret_hex[REPO_HEX], struct err *e) MUST_CHECK;
/* First line of the message, and the committer's time; arena. Either may be NULL. */
int repo_commit_title(struct git_repository *r, const char *commit_hex, struct arena *a,
	char **ret_title, int64_t *ret_time_s, struct err *e) MUST_CHECK;
/* Up to max commits, rev's first, along first parents. Arena. */
int repo_first_parents(struct git_repository *r, const char *rev, size_t max,
	struct arena *a, char ***ret_hexes, size_t *ret_n, struct err *e) MUST_CHECK;
/* Contents of one file of a commit. NOT_FOUND; TOO_BIG over cap_bytes; a folder or
 * submodule is INVALID. ret_mode may be NULL. */
int repo_read_file(struct git_repository *r, const char *commit_hex, const char *path,
	size_t cap_bytes, struct sbuf *ret, unsigned *ret_mode, struct err *e) MUST_CHECK;
/* What may come after refs/heads/; an id may not. */
bool repo_is_branch_name(const char *name);
/* Makes refs/heads/NAME point at the commit, or moves it. INVALID: no branch name. */
int repo_set_branch(struct git_repository *r, const char *name, const char *commit_hex,
	struct err *e) MUST_CHECK;
/* Commit of refs/heads/NAME. NOT_FOUND. */
int repo_branch(struct git_repository *r, const char *name, char ret_hex[REPO_HEX],
	struct err *e) MUST_CHECK;
/* The folder that all work trees of the repository share, ends with '/'. Borrowed. */
const char *repo_folder(struct git_repository *r);
/* The object is here (any type). False also for text that is no id. */
bool repo_has(struct git_repository *r, const char *hex);

#endif
