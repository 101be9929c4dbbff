// SPDX-License-Identifier: GPL-2.0-or-later
/* Patches onto a base that moved: what is merged, where, and what is said; git am -3 is
 * the oracle of trees. Each case is a base, an author's change of it, and what the base
 * became. */
#include "base/base.h"

#include "tests/unit/patch/git.h"
#include <unistd.h>

#define TOP "a1\na2\na3\na4\na5\na6\na7\na8\na9\n"
#define END "z1\nz2\nz3\nz4\nz5\nz6\nz7\nz8\nz9\n"

struct file {
	const char *path, *text; /* text NULL: removed */
};

struct scene {
	const char *name;
	struct file base[4], author[4], moved[4];
	enum apply_result result;
	enum patch_result patch;
	bool git_takes;
	const char *says; /* part of the sentence, or of a note when it applies */
};

static const struct scene scenes[] = {
	{"context changed nearby", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", "a1\na2\na3\na4\na5\na6\nA7\na8\na9\nmid\n" END}}, APPLY_APPLIED,
		PATCH_3WAY, true, "merged with changes of the base: f"},
	{"the same lines", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", TOP "mud\n" END}}, APPLY_CONFLICT, PATCH_CONFLICT, false,
		"f: hunk 1 of 1 expects \"mid\" near line 10; the base has \"mud\""},
	{"there already, and more", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", "a1\na2\na3\na4\na5\na6\nA7\na8\na9\nMID\n" END}}, APPLY_ALREADY,
		PATCH_ALREADY, true, NULL},
	{"added on both sides alike", {{"f", TOP}, {"k", "k\n"}},
		{{"f", TOP "x\n"}, {"n", "new\n"}}, {{"n", "new\n"}}, APPLY_APPLIED,
		PATCH_3WAY, true, "three_way"},
	{"added on both sides", {{"f", TOP}}, {{"n", "new\n"}}, {{"n", "other\n"}},
		APPLY_CONFLICT, PATCH_CONFLICT, false, "n exists already at this base"},
	{"deleted here, changed there", {{"f", TOP}, {"g", END}}, {{"g", NULL}},
		{{"g", END "more\n"}}, APPLY_CONFLICT, PATCH_CONFLICT, false,
		"the patch deletes g, which the base changed since"},
	{"renamed by the patch, changed by the base", {{"f", TOP "mid\n" END}},
		{{"f", NULL}, {"h", TOP "MID\n" END}},
		{{"f", "a1\na2\na3\na4\na5\na6\nA7\na8\na9\nmid\n" END}}, APPLY_APPLIED,
		PATCH_3WAY, true, "merged with changes of the base: h"},
	{"renamed by the base", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", NULL}, {"d/f", TOP "mid\n" END "more\n"}}, APPLY_APPLIED,
		PATCH_3WAY, true, "f: renamed to d/f by "},
	{"renamed by the base in another way", {{"f", TOP END}},
		{{"f", NULL}, {"h", TOP "x\n" END}}, {{"f", NULL}, {"i", TOP END}},
		APPLY_CONFLICT, PATCH_CONFLICT, false,
		"the patch renames f, which was renamed to i by"},
	{"removed by the base", {{"f", TOP}, {"g", END}}, {{"f", TOP "x\n"}},
		{{"f", NULL}}, APPLY_CONFLICT, PATCH_CONFLICT, false,
		"f is gone: removed by"},
	/* git merges into k/f2, the more similar one */
	{"two that it may be", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", NULL}, {"k/f", TOP "mid\n" END "more\n"},
			{"k/f2", TOP "mid\n" END "m\n"}},
		APPLY_CONFLICT, PATCH_CONFLICT, true, "renamed? candidates: k/f, k/f2"},
	{"one of two is the same", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", NULL}, {"k/f", TOP "mid\n" END}, {"k/f2", TOP "mid\n" END "m\n"}},
		APPLY_APPLIED, PATCH_3WAY, true, "f: renamed to k/f by "},
	{"deleted by the patch, renamed by the base",
		{{"f", TOP "mid\n" END}, {"g", END}}, {{"f", NULL}, {"g", END "x\n"}},
		{{"f", NULL}, {"f.old", TOP "mid\n" END}, {"h", TOP "mid\n" END "m\n"}},
		APPLY_CONFLICT, PATCH_CONFLICT, false, "the patch deletes f, which was"},
	{"renamed by the patch to where the base has one like it",
		{{"f", TOP "mid\n" END}}, {{"f", NULL}, {"h", TOP "mid\n" END "x\n"}},
		{{"f", NULL}, {"f.old", TOP "mid\n" END}, {"h", TOP "mid\n" END "m\n"}},
		APPLY_CONFLICT, PATCH_CONFLICT, false, "the patch renames f, which was"},
	{"renamed by the patch, added alike by the base", {{"f", TOP "mid\n" END}},
		{{"f", NULL}, {"h", TOP "MID\n" END}}, {{"h", TOP "MID\n" END}},
		APPLY_APPLIED, PATCH_3WAY, true, "three_way"},
	{"renamed by the patch, added by the base", {{"f", TOP "mid\n" END}},
		{{"f", NULL}, {"h", TOP "MID\n" END}}, {{"h", "other\n"}}, APPLY_CONFLICT,
		PATCH_CONFLICT, false, "h exists already at this base"},
	{"a mode and lines", {{"f", TOP "mid\n" END}}, {{"f", TOP "MID\n" END}},
		{{"f", "0\n" TOP "mid\nnew\n" END}}, APPLY_CONFLICT, PATCH_CONFLICT,
		false, "expects \"z1\" near line 11; the base has \"new\""},
};

static void put(const char *dir, const struct file *v)
{
	char path[700];
	struct err e;

	for (size_t i = 0; i < 4 && v[i].path; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, v[i].path);
		if (!v[i].text) {
			assert_int_equal(unlink(path), 0);
			continue;
		}
		if (strchr(v[i].path, '/')) {
			*strrchr(path, '/') = 0;
			assert_ok(file_mkdir_p(path, 0755, &e), &e);
		}
		git_file(dir, v[i].path, v[i].text);
	}
}

static bool said(const struct apply_outcome *o, const char *says)
{
	const struct apply_patch_outcome *p = &o->patches[0];

	if (!says || (o->error && strstr(o->error, says)))
		return true;
	for (size_t i = 0; i < p->n_notes; i++) {
		if (strstr(p->notes[i].code, says) || strstr(p->notes[i].detail, says))
			return true;
	}
	return false;
}

/* *ret_diff as it is mailed; returns the commit of the base that moved. */
static const char *set_scene(struct arena *a, const char *dir, const struct scene *s,
	struct sbuf *ret_mail, struct sbuf *ret_diff)
{
	const char *base;

	git(dir, NULL, NULL, "checkout", "-q", "--orphan", "scene");
	git_status(dir, NULL, NULL, "rm", "-q", "-r", "-f", ".");
	put(dir, s->base);
	base = git_commit_all(a, dir);
	put(dir, s->author);
	git_commit_all(a, dir);
	git(dir, NULL, ret_mail, "format-patch", "-1", "--stdout", "-M");
	git(dir, NULL, ret_diff, "diff", "-M", "HEAD^", "HEAD");
	sbuf_addc(ret_mail, '\n');
	sbuf_addc(ret_diff, '\n');
	git(dir, NULL, NULL, "checkout", "-q", "-f", "--detach", base);
	git(dir, NULL, NULL, "branch", "-q", "-D", "scene");
	put(dir, s->moved);
	return git_commit_all(a, dir);
}

static void scenes_as_git(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf tree = SBUF_INIT;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		const struct scene *s = &scenes[i];
		const char *base = set_scene(a, dir, s, &mail, &diff);
		struct apply_outcome *o = git_apply_ours(a, dir, base, diff.buf);
		const struct apply_patch_outcome *p = &o->patches[0];

		if (o->result != s->result || p->result != s->patch || !said(o, s->says))
			fail_msg("%s: %s %s \"%s\" \"%s\"", s->name,
				apply_result_name(o->result),
				patch_result_name(p->result), o->error ? o->error : "",
				p->n_notes ? p->notes[p->n_notes - 1].detail : "");
		if (git_status(dir, mail.buf, NULL, "am", "-q", "-3", "-")) {
			assert_false(s->git_takes);
			git(dir, NULL, NULL, "am", "--abort");
			continue;
		}
		if (!s->git_takes)
			fail_msg("%s: git takes it", s->name);
		git(dir, NULL, &tree, "rev-parse", "HEAD^{tree}");
		if (o->tree && strcmp(o->tree, tree.buf) != 0)
			fail_msg("%s: another tree", s->name);
	}
}

/* A tree without history: the same contents go before the same name. */
static void no_history(void **state)
{
	static const struct scene s = {.base = {{"f", TOP "mid\n" END}},
		.author = {{"f", TOP "MID\n" END}},
		.moved = {{"f", NULL}, {"d/f", TOP "mad\n" END}, {"g", TOP "mid\n" END}}};
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf base = SBUF_INIT;
	struct apply_outcome *o;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	set_scene(a, dir, &s, &mail, &diff);
	git(dir, NULL, &base, "commit-tree", "-m", "alone", "HEAD^{tree}");
	o = git_apply_ours(a, dir, base.buf, diff.buf);
	if (o->result != APPLY_APPLIED)
		fail_msg("%s", o->error);
	assert_string_equal(o->patches[0].files[0].path, "g");
}

/* Without -3, and without the files that the index lines name. */
static void not_merged(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	const char *base, *index;
	struct apply_outcome *o;
	struct git_request r;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	base = set_scene(a, dir, &scenes[0], &mail, &diff);
	git_request_init(&r, dir, base, diff.buf);
	r.req.no_3way = true;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	index = strstr(diff.buf, "index ");
	diff.buf[index - diff.buf + 6] =
		diff.buf[index - diff.buf + 6] == '1' ? '2' : '1';
	o = git_apply_ours(a, dir, base, diff.buf);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_non_null(strstr(o->error, "hunk 1 of 1"));
}

/* The blob is there, but the hunk is not of it. */
static void edited(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	const char *base;
	struct apply_outcome *o;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	base = set_scene(a, dir, &scenes[0], &mail, &diff);
	memcpy(strstr(diff.buf, "-mid"), "-mad", 4);
	o = git_apply_ours(a, dir, base, diff.buf);
	assert_int_equal(o->result, APPLY_REJECTED);
	assert_non_null(strstr(o->error, "its own index lines name (f: hunk 1 of 1 "
					 "expects \"mad\""));
}

/* A mail program made blanks of tabs: damaged, not edited. */
static void blanks(void **state)
{
	static const struct scene s = {.base = {{"f", TOP "\tmid\n" END}},
		.author = {{"f", TOP "\tMID\n" END}},
		.moved = {{"f", "0\n" TOP "\tmid\n" END}}};
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	const char *base;
	struct apply_outcome *o;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	base = set_scene(a, dir, &s, &mail, &diff);
	memcpy(strstr(diff.buf, "-\tmid"), "- mid", 5);
	o = git_apply_ours(a, dir, base, diff.buf);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_non_null(strstr(o->error, "(white space differs)"));
}

/* The second patch names a file that the first made, which is in memory only. */
static void dry_series(void **state)
{
	static const struct file base[4] = {{"f", TOP "mid\n" END}, {"g", "g\n"}},
				 one[4] = {{"f", TOP "one\n" END}},
				 two[4] = {{"f", TOP "two\n" END}, {"g", "G\n"}},
				 moved[4] = {{"g", NULL}, {"h", "g\n"}};
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf first = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf second = SBUF_INIT;
	struct apply_request req = {
		.repo = dir, .keep = APPLY_KEEP_NOTHING, .n_patches = 2};
	struct apply_patch patches[2];
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	put(dir, base);
	git_commit_all(a, dir);
	git(dir, NULL, NULL, "checkout", "-q", "-b", "author");
	put(dir, one);
	git_commit_all(a, dir);
	git(dir, NULL, &first, "diff", "master");
	put(dir, two);
	git_commit_all(a, dir);
	git(dir, NULL, &second, "diff", "HEAD^");
	git(dir, NULL, NULL, "checkout", "-q", "master");
	git(dir, NULL, NULL, "branch", "-q", "-D", "author");
	git(dir, NULL, NULL, "reflog", "expire", "--expire=now", "--all");
	git(dir, NULL, NULL, "gc", "-q", "--prune=now");
	put(dir, moved);
	req.base.explicit_rev = git_commit_all(a, dir);
	sbuf_addc(&first, '\n');
	sbuf_addc(&second, '\n');
	git_request_init(&r, dir, "master", first.buf);
	patches[0] = r.patch;
	git_request_init(&r, dir, "master", second.buf);
	patches[1] = r.patch;
	req.patches = patches;
	assert_ok(apply_run(&req, a, &o, &e), &e);
	if (o->result != APPLY_APPLIED)
		fail_msg("%s", o->error);
	assert_int_equal(o->patches[1].result, PATCH_3WAY);
}

/* What a merged hunk says: where it went in the base. */
static void places(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT;
	static const struct scene s = {.base = {{"f", TOP "mid\n" END "in\n" TOP}},
		.author = {{"f", TOP "MID\nMORE\n" END "IN\n" TOP}},
		.moved = {{"f", "0\n0\na1\na2\na3\na4\na5\na6\na7\nA8\na9\nmid\n" END
				"in\n" TOP}}};
	const struct apply_hunk *h;
	struct apply_outcome *o;
	const char *base;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	base = set_scene(a, dir, &s, &mail, &diff);
	o = git_apply_ours(a, dir, base, diff.buf);
	if (o->result != APPLY_APPLIED)
		fail_msg("%s", o->error);
	assert_int_equal(o->patches[0].files[0].n_hunks, 2);
	h = o->patches[0].files[0].hunks;
	assert_int_equal(h[0].result, PATCH_3WAY);
	assert_int_equal(h[0].at, 9); /* the context begins at a7 */
	assert_int_equal(h[0].offset, 2);
	assert_int_equal(h[1].at, 20); /* z7, after two lines became three */
	assert_int_equal(h[1].offset, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(scenes_as_git),
		unit_folder_test(no_history),
		unit_folder_test(not_merged),
		unit_folder_test(edited),
		unit_folder_test(blanks),
		unit_folder_test(dry_series),
		unit_folder_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
