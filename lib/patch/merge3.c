// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/merge3.h"
#include "patch/repo.h"
#include <git2.h>

#define TEXT_MAX     (1u << 30)
#define BINARY_PROBE 8000

static bool is_binary(const struct merge3_text *t)
{
	return t->len >= TEXT_MAX ||
	       memchr(t->p, 0, t->len < BINARY_PROBE ? t->len : BINARY_PROBE);
}

static git_merge_file_input input_of(const struct merge3_text *t)
{
	return (git_merge_file_input){
		.version = GIT_MERGE_FILE_INPUT_VERSION, .ptr = t->p, .size = t->len};
}

int merge3_texts(const struct merge3_text *base, const struct merge3_text *ours,
	const struct merge3_text *theirs, struct arena *a, enum merge3_fit *ret_fit,
	struct merge3_text *ret, struct err *e)
{
	git_merge_file_input o = input_of(base), x = input_of(ours), y = input_of(theirs);
	git_merge_file_options options;
	git_merge_file_result merged = {0};
	int rc;

	*ret_fit = MERGE3_BINARY;
	if (is_binary(base) || is_binary(ours) || is_binary(theirs))
		return 0;
	git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION);
	rc = git_merge_file(&merged, &o, &x, &y, &options);
	if (rc)
		return repo_err(e, rc, "cannot merge");
	*ret_fit = merged.automergeable ? MERGE3_CLEAN : MERGE3_CONFLICT;
	if (merged.automergeable) {
		ret->len = merged.len;
		ret->p = arena_strndup(a, merged.len ? merged.ptr : "", merged.len);
	}
	git_merge_file_result_free(&merged);
	return 0;
}

struct changes {
	struct arena *a;
	struct merge3_change *v;
	size_t n, cap;
};

/* An empty side is told by the line before it. */
static size_t first_line(int start, int n)
{
	return (size_t)(n ? start - 1 : start);
}

static int on_hunk(const git_diff_delta *delta, const git_diff_hunk *h, void *arg)
{
	struct changes *c = arg;

	(void)delta;
	*ARENA_PUSH(c->a, c->v, c->n, c->cap) =
		(struct merge3_change){.old_at = first_line(h->old_start, h->old_lines),
			.old_n = (size_t)h->old_lines,
			.new_at = first_line(h->new_start, h->new_lines),
			.new_n = (size_t)h->new_lines};
	return 0;
}

int merge3_changes(const struct merge3_text *from, const struct merge3_text *to,
	struct arena *a, struct merge3_change **ret, size_t *ret_n, struct err *e)
{
	struct changes c = {.a = a};
	git_diff_options options;
	int rc;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_FORCE_TEXT;
	options.context_lines = 0;
	rc = git_diff_buffers(from->p, from->len, NULL, to->p, to->len, NULL, &options,
		NULL, NULL, on_hunk, NULL, &c);
	if (rc)
		return repo_err(e, rc, "cannot compare");
	*ret = c.v;
	*ret_n = c.n;
	return 0;
}

const struct merge3_change *merge3_touching(
	const struct merge3_change *v, size_t n, size_t at, size_t end)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].old_at <= end && v[i].old_at + v[i].old_n >= at)
			return &v[i];
	}
	return NULL;
}

int64_t merge3_moved(const struct merge3_change *v, size_t n, size_t at)
{
	int64_t by = 0;

	for (size_t i = 0; i < n && v[i].old_at + v[i].old_n <= at; i++)
		by += (int64_t)v[i].new_n - (int64_t)v[i].old_n;
	return by;
}
