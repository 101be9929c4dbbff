// SPDX-License-Identifier: GPL-2.0-or-later
/* Bases: far from a tip by the index, the order of candidates, and prerequisites. */
#include "base/base.h"

#include "mail/depends.h"
#include "patch/base_tag.h"
#include "tests/unit/patch/git.h"
#include <unistd.h>

#define N_FAR                                                                            \
	5200 /* commits over the one that fits: more than are compared one by one        \
	      */

/* Line n of a file of ten. */
static const char *ten(struct arena *a, int n, const char *line)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	for (int i = 1; i <= 10; i++) {
		if (i == n)
			sbuf_addf(&s, "%s\n", line);
		else
			sbuf_addf(&s, "l%d\n", i);
	}
	return arena_strdup(a, s.buf);
}

static void commit_to(struct sbuf *in, size_t i, const char *path, const char *text)
{
	sbuf_addf(in,
		"commit refs/heads/master\nmark :%zu\n"
		"committer c <c@example.org> %zu +0000\ndata 0\nM 100644 inline %s\n"
		"data %zu\n%s\n",
		i + 1, 1600000000 + 100 * i, path, strlen(text), text);
}

/* f and g as the patches know them in commits 1 to 3; then f changes for good. */
static void make_history(struct arena *a, const char *dir, size_t n_all)
{
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	size_t n = 0;

	git(dir, NULL, NULL, "init", "-q", "--bare", "-b", "master", ".");
	commit_to(&in, n++, "g", ten(a, 0, ""));
	commit_to(&in, n++, "f", ten(a, 0, ""));
	commit_to(&in, n++, "other", "1\n");
	commit_to(&in, n++, "other", "2\n");
	commit_to(&in, n++, "f", ten(a, 5, "changed for good"));
	for (; n < n_all; n++)
		commit_to(&in, n, "other", arena_printf(a, "%zu\n", n));
	git(dir, in.buf, NULL, "fast-import", "--quiet");
}

static const char *rev(struct arena *a, const char *dir, const char *name)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(dir, NULL, &out, "rev-parse", name);
	return arena_strdup(a, out.buf);
}

static const char *edit(struct arena *a, const char *path, const char *old_id,
	const char *from, const char *to)
{
	return arena_printf(a,
		"diff --git a/%s b/%s\nindex %.12s..1234567 100644\n--- a/%s\n+++ b/%s\n"
		"@@ -4,3 +4,3 @@\n l4\n-%s\n+%s\n l6\n",
		path, path, old_id, path, path, from, to);
}

static void far_from_the_tip(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *f, *fits, *folder = arena_printf(a, "%s/wakelist", dir);
	struct base_tip tip = {.tree = "main", .rev = "HEAD"};
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	make_history(a, dir, N_FAR);
	fits = rev(a, dir, "master~5196");
	f = rev(a, dir, arena_printf(a, "%s:f", fits));
	git_request_init(&r, dir, NULL, edit(a, "f", f, "l5", "L5"));
	r.req.base.tips = &tip;
	r.req.base.n_tips = 1;
	/* without an index it is too far away */
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(access(folder, F_OK), -1);
	/* a dry run keeps none */
	r.req.index_ms = 600000;
	r.req.keep = APPLY_KEEP_NOTHING;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(access(folder, F_OK), -1);
	r.req.keep = APPLY_KEEP_ALL;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_how, "blobs");
	assert_string_equal(o->base_commit, fits);
	assert_int_equal(o->n_attempts, 1);
	/* what is there is used without writing, also when it is a little old */
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;

	sbuf_addf(&in, "commit refs/heads/master\ncommitter c <c@example.org> 1700000000 "
		       "+0000\ndata 0\nfrom refs/heads/master^0\nM 100644 inline other\n"
		       "data 4\nnew\n");
	git(dir, in.buf, NULL, "fast-import", "--quiet");
	r.req.index_ms = 0;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_string_equal(o->base_commit, fits);
	/* of two files one is nowhere as the patch knows it: half is enough, and last */
	r.patch.patch = arena_printf(
		a, "%s%s", r.patch.patch, edit(a, "g", "0123456789ab", "l5", "G5"));
	r.patch.patch_len = strlen(r.patch.patch);
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_how, "partial-blobs");
	assert_string_equal(o->base_commit, fits);
	assert_string_equal(o->base_why, "1 of 2 files are as the patch knows them");
	assert_string_equal(o->attempts[0].how, "list");
	assert_int_equal(o->n_attempts, 2);
}

/* No ids: the branch as it was when the mail was written goes before the branch as it is.
 */
static void at_the_time_of_the_mail(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct base_tip tip = {.tree = "main", .rev = "master"};
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	make_history(a, dir, 100);
	git_request_init(&r, dir, NULL,
		"--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-changed for good\n+x\n l6\n");
	r.req.base.tips = &tip;
	r.req.base.n_tips = 1;
	r.req.base.time_s = 1600000000 + 100 * 90 + 50;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_commit, rev(a, dir, "master~9"));
	assert_string_equal(
		o->base_why, "default tree of the list, at the time of the mail");
	/* older than all: the tip */
	r.req.base.time_s = 1;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_string_equal(o->base_commit, rev(a, dir, "master"));
}

static void names_of_releases(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} all[] = {{"v6.12", true}, {"v6.12-rc3", true}, {"v6.12.31", true},
		{"v2.6.39.4", true}, {"v2.6.39-rc1", true}, {"v6", false},
		{"6.12", false}, {"v6.12-rc", false}, {"v6.12-rt3", false},
		{"v6.12-rc3-1", false}, {"v6.12.", false}, {"v6..1", false},
		{"vendor-1.2", false}, {"v", false}, {"v1.2.3.4.5", false},
		{"v12345678.1", false}, {"", false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (base_tag_is_release(all[i].name) != all[i].is)
			fail_msg("%s", all[i].name);
	}
}

/* The newest release before the mail that the branch holds; after all that is known of
 * the branch, before what has most of the files. */
static void by_tag(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	struct base_tip tip = {.tree = "main", .rev = "master"};
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	make_history(a, dir, 100);
	git(dir, NULL, NULL, "tag", "v1.0-rc1", "master~98");
	git(dir, NULL, NULL, "-c", "user.name=T", "-c", "user.email=t@x", "tag", "-a",
		"-m", "1.0", "v1.0", "master~96");
	git(dir, NULL, NULL, "tag", "not-v1.1", "master~40");
	/* of another branch, and newer */
	sbuf_addf(&in, "commit refs/heads/other\ncommitter c <c@example.org> 1600005000 "
		       "+0000\ndata 0\nfrom refs/heads/master~90\n");
	git(dir, in.buf, NULL, "fast-import", "--quiet");
	git(dir, NULL, NULL, "tag", "v9.9", "other");
	git_request_init(
		&r, dir, NULL, "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n+x\n l6\n");
	r.req.no_3way = true;
	r.req.base.tips = &tip;
	r.req.base.n_tips = 1;
	r.req.base.time_s = 1600000000 + 100 * 90 + 50;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_how, "tag");
	assert_string_equal(o->base_why, "v1.0, the newest release before the mail");
	assert_string_equal(o->base_commit, rev(a, dir, "master~96"));
	assert_int_equal(o->n_attempts, 3);
	assert_string_equal(o->attempts[1].how, "list");
	/* the mail is older than a release after it */
	git(dir, NULL, NULL, "tag", "v1.1", "master~50");
	r.req.base.time_s = 1600000000 + 100 * 45;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_string_equal(o->base_commit, rev(a, dir, "master~96"));
	r.req.base.time_s = 1600000000 + 100 * 55;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_string_equal(o->attempts[2].commit, rev(a, dir, "master~50"));
	/* one commit that never moves has no releases */
	tip.fixed = true;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->n_attempts, 1);
}

/* --- prerequisites --- */

static const struct mail *mail_of(struct arena *a, const char *id, const char *subject,
	const char *more, const char *diff)
{
	struct mail_opts opts = {.mboxrd = false};
	const char *text = arena_printf(a,
		"From: A U Thor <author@example.org>\nTo: list@example.org\n"
		"Date: Tue, 14 Nov 2023 22:%02d:00 +0000\nMessage-ID: <%s>\n"
		"Subject: %s\n\nText.\n\nSigned-off-by: A U Thor <author@example.org>\n%s"
		"---\n%s",
		(int)strlen(subject), id, subject, more, diff);
	struct mail *m;
	struct err e;

	assert_ok(mail_parse(a, text, strlen(text), &opts, &m, &e), &e);
	return m;
}

static const struct series *series_of(const struct series_set *set, const char *id)
{
	for (size_t i = 0; i < set->n_series; i++) {
		if (!strcmp(set->series[i]->id, id))
			return set->series[i];
	}
	fail_msg("no series %s", id);
	return NULL;
}

static struct series_depends depends_on(
	struct arena *a, const struct mail **v, size_t n, const char *id)
{
	struct series_depends d;
	struct series_set set;
	struct err e;

	assert_ok(series_assemble(a, v, n, &set, &e), &e);
	series_depends(a, &set, series_of(&set, id), &d);
	return d;
}

static const char *one_line(struct arena *a, const char *from, const char *to)
{
	return arena_printf(a,
		"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-%s\n+%s\n "
		"l6\n",
		from, to);
}

/* A prerequisite that names v1 means v1, whatever came later (row 12). */
static void a_version_stays(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct mail *v[] = {
		mail_of(a, "v1@x", "[PATCH] sched: first", "change-id: some-change\n",
			one_line(a, "l5", "one")),
		mail_of(a, "v2@x", "[PATCH v2] sched: first",
			"change-id: some-change\nIn-Reply-To: <v1@x>\n",
			one_line(a, "l5", "two")),
		mail_of(a, "v3@x", "[PATCH v3] sched: first", "change-id: some-change\n",
			one_line(a, "l5", "three")),
		mail_of(a, "m1@x", "[PATCH] sched: on the first version",
			"prerequisite-message-id: <v1@x>\n", one_line(a, "one", "top")),
		mail_of(a, "m2@x", "[PATCH] sched: on the second version",
			"prerequisite-change-id: some-change:v2\n",
			one_line(a, "two", "top")),
		mail_of(a, "m3@x", "[PATCH] sched: on the newest version",
			"prerequisite-change-id: some-change\n",
			one_line(a, "three", "top")),
		mail_of(a, "m4@x", "[PATCH] sched: on a single patch of it", "", ""),
		mail_of(a, "m5@x", "[PATCH] sched: on nothing known",
			"prerequisite-message-id: <v9@x>\n", one_line(a, "three", "top")),
	};
	static const struct {
		const char *id, *needs;
	} all[] = {
		{"m1@x", "v1@x"}, {"m2@x", "v2@x"}, {"m3@x", "v3@x"}, {"m4@x", "v2@x"}};

	(void)state;
	v[6] = mail_of(a, "m4@x", "[PATCH] sched: on a single patch of it",
		arena_printf(a, "prerequisite-patch-id: %s\n", v[1]->patch_id),
		one_line(a, "two", "top"));
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct series_depends d = depends_on(a, v, ARRAY_LEN(v), all[i].id);

		if (d.n_missing || d.n_patches != 1)
			fail_msg("%s: %zu patches; %s", all[i].id, d.n_patches,
				d.n_missing ? d.missing[0] : "none missing");
		assert_string_equal(d.patches[0]->message_id, all[i].needs);
	}
	struct series_depends d = depends_on(a, v, ARRAY_LEN(v), "m5@x");

	assert_int_equal(d.n_patches, 0);
	assert_int_equal(d.n_missing, 1);
	assert_string_equal(d.missing[0], "message-id v9@x is not here");
}

static void circles_and_depth(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct mail *v[9];
	struct series_depends d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = mail_of(a, arena_printf(a, "c%zu@x", i),
			arena_printf(
				a, "[PATCH] part %.*s of it", (int)i + 1, "abcdefghi"),
			arena_printf(a, "prerequisite-message-id: <c%zu@x>\n",
				i + 1 < ARRAY_LEN(v) ? i + 1 : i - 1),
			one_line(a, arena_printf(a, "%zu", i), "x"));
	d = depends_on(a, v, ARRAY_LEN(v), "c8@x");
	assert_int_equal(d.n_missing, 1);
	assert_string_equal(
		d.missing[0], "message-id c8@x leads back to where it is asked for");
	assert_int_equal(d.n_patches, 1);
	d = depends_on(a, v, ARRAY_LEN(v), "c0@x");
	assert_int_equal(d.n_missing, 1);
	assert_string_equal(d.missing[0], "message-id c6@x is too many series away");
	assert_int_equal(d.n_patches, 5);
	assert_string_equal(d.patches[0]->message_id, "c5@x");
	assert_string_equal(d.patches[4]->message_id, "c1@x");
}

/* Applied first; where the base has them in another form, the rest alone. */
static void prerequisites_first(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *missing[] = {"message-id gone@x is not here", NULL};
	struct base_tip tip = {.tree = "main", .rev = "master"};
	struct apply_patch patches[2];
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	git_file(dir, "f", ten(a, 0, ""));
	git_commit_all(a, dir);
	git_request_init(&r, dir, NULL, one_line(a, "l5", "one"));
	patches[0] = patches[1] = r.patch;
	patches[1].message_id = "two@example.org";
	patches[1].patch = one_line(a, "one", "two");
	patches[1].patch_len = strlen(patches[1].patch);
	r.req.base = (struct base_want){.tips = &tip, .n_tips = 1};
	r.req.patches = patches;
	r.req.n_patches = 2;
	r.req.n_before = 1;
	r.req.missing = missing;
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(o->n_before, 1);
	assert_int_equal(o->n_commits, 2);
	assert_int_equal(o->n_attempts, 2);
	assert_string_equal(o->attempts[0].how, "prerequisites");
	assert_string_equal(
		o->attempts[0].why, "prerequisite message-id gone@x is not here");
	assert_string_equal(o->base_why,
		"default tree of the list; 1 patch of its prerequisites first");
	/* the base has them */
	git_file(dir, "f", ten(a, 5, "one"));
	git_commit_all(a, dir);
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(o->n_before, 1);
	assert_int_equal(o->n_commits, 1);
	assert_string_equal(
		o->base_why, "default tree of the list; it has its prerequisites");
	/* it has something like them */
	patches[0].patch = one_line(a, "l5", "uno");
	patches[0].patch_len = strlen(patches[0].patch);
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(o->n_before, 0);
	assert_int_equal(o->n_attempts, 3);
	assert_string_equal(o->attempts[1].result, "conflict");
	assert_int_equal(o->attempts[1].failed_patch, 0);
	assert_non_null(strstr(o->attempts[1].why, "prerequisite one@example.org: f"));
	/* neither way: the sentence is of the try that got farther */
	git_file(dir, "f", ten(a, 5, "other"));
	git_commit_all(a, dir);
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(o->n_attempts, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(far_from_the_tip),
		unit_folder_test(at_the_time_of_the_mail),
		cmocka_unit_test(names_of_releases),
		unit_folder_test(by_tag),
		cmocka_unit_test(a_version_stays),
		cmocka_unit_test(circles_and_depth),
		unit_folder_test(prerequisites_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
