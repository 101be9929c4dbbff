// SPDX-License-Identifier: GPL-2.0-or-later
/* git.h - the git program as the oracle of these tests, and small repositories. */
#ifndef WL_TESTS_UNIT_PATCH_GIT_H
#define WL_TESTS_UNIT_PATCH_GIT_H

#include "base/base.h"

#include "base/proc.h"
#include "patch/apply.h"
#include "tests/unit/unit.h"

#define GIT_ARGS_MAX 24

/* Same people and times whatever the machine says. */
static const char *const git_env[] = {"HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
	"GIT_AUTHOR_NAME=Base Author", "GIT_AUTHOR_EMAIL=base@example.org",
	"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_NAME=Test Committer",
	"GIT_COMMITTER_EMAIL=committer@example.org",
	"GIT_COMMITTER_DATE=1700000000 +0000", "TZ=UTC", NULL};

/* Runs "git ARGS" in dir with in on stdin. Exit status; out (may be NULL) gets stdout
 * without the last newline. */
static inline int git_try(const char *dir, const char *in, struct sbuf *out,
	const char *const *env, const char *const *args)
{
	const char *argv[GIT_ARGS_MAX + 2] = {"git"};
	struct proc_result r;
	struct err e;
	int status;

	for (size_t i = 0; args[i]; i++) {
		assert_true(i < GIT_ARGS_MAX);
		argv[i + 1] = args[i];
	}
	struct proc_spec spec = {.argv = argv,
		.env = env ? env : git_env,
		.cwd = dir,
		.in = in,
		.in_len = in ? strlen(in) : 0,
		.deadline_ms = 60000,
		.out_cap_bytes = 16u << 20};

	proc_result_init(&r);
	assert_ok(proc_run(&spec, &r, &e), &e);
	status = r.exit_status;
	if (out) {
		sbuf_reset(out);
		sbuf_add(out, r.out.buf, r.out.len);
		if (out->len && out->buf[out->len - 1] == '\n')
			sbuf_setlen(out, out->len - 1);
	}
	if (status && getenv("WL_TEST_VERBOSE"))
		print_message("git %s: %s\n", args[0], r.err.buf);
	proc_result_release(&r);
	return status;
}

#define git_status(dir, in, out, ...)                                                    \
	git_try((dir), (in), (out), NULL, (const char *const[]){__VA_ARGS__, NULL})
#define git(dir, in, out, ...)                                                           \
	assert_int_equal(git_status((dir), (in), (out), __VA_ARGS__), 0)

static inline void git_file(const char *dir, const char *name, const char *text)
{
	char path[1024];
	struct err e;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_ok(file_write_atomic(path, text, strlen(text), 0644, &e), &e);
}

/* Commits all of dir; the id. */
static inline const char *git_commit_all(struct arena *a, const char *dir)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(dir, NULL, NULL, "add", "-A", "-f", ".");
	git(dir, NULL, NULL, "commit", "-q", "--allow-empty", "-m", "base");
	git(dir, NULL, &out, "rev-parse", "HEAD");
	return arena_strdup(a, out.buf);
}

/* A request of one patch without a mail around it. */
struct git_request {
	struct apply_patch patch;
	struct apply_request req;
};

static inline void git_request_init(
	struct git_request *r, const char *dir, const char *base, const char *diff)
{
	memset(r, 0, sizeof(*r));
	r->patch = (struct apply_patch){.message_id = "one@example.org",
		.author_name = "A U Thor",
		.author_email = "author@example.org",
		.time_s = 1700000100,
		.offset_min = 120,
		.message = "title\n\ntext\n",
		.patch = diff,
		.patch_len = strlen(diff)};
	r->req = (struct apply_request){.repo = dir,
		.base = {.explicit_rev = base},
		.patches = &r->patch,
		.n_patches = 1,
		.committer_name = "Test Committer",
		.committer_email = "committer@example.org"};
}

static inline struct apply_outcome *git_apply_ours(
	struct arena *a, const char *dir, const char *base, const char *diff)
{
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	git_request_init(&r, dir, base, diff);
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	return o;
}

#endif
