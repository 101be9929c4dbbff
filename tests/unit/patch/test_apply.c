// SPDX-License-Identifier: GPL-2.0-or-later
/* Patches onto small repositories: results, sentences, trees and commit ids. */
#include "base/base.h"

#include "mail/mail.h"
#include "tests/unit/patch/git.h"
#include <unistd.h>

#define TEN "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n"

static const char *make_base(struct arena *a, const char *dir)
{
	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	git_file(dir, "f", TEN);
	struct err e;
	char sub[600];

	snprintf(sub, sizeof(sub), "%s/d/e", dir);
	assert_ok(file_mkdir_p(sub, 0755, &e), &e);
	git_file(dir, "d/e/x", "only\n");
	git_file(dir, "d/y", "why\n");
	snprintf(sub, sizeof(sub), "%s/link", dir);
	assert_int_equal(symlink("d", sub), 0);
	return git_commit_all(a, dir);
}

static const char *file_at(
	struct arena *a, const char *dir, const char *tree, const char *path)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *name = arena_printf(a, "%s:%s", tree, path);

	git(dir, NULL, &out, "cat-file", "blob", name);
	return arena_strdup(a, out.buf);
}

/* One patch, one answer. */
struct answer {
	const char *name;
	const char *diff;
	enum apply_result result;
	enum patch_result patch;
	const char *says; /* part of the sentence, NULL: none */
};

static const struct answer answers[] = {
	{"exact", "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n",
		APPLY_APPLIED, PATCH_EXACT, NULL},
	{"offset", "--- a/f\n+++ b/f\n@@ -6,3 +6,3 @@\n l4\n-l5\n+L5\n l6\n",
		APPLY_APPLIED, PATCH_OFFSET, NULL},
	{"conflict", "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-five\n+L5\n l6\n",
		APPLY_CONFLICT, PATCH_CONFLICT,
		"f: hunk 1 of 1 expects \"five\" near line 5; the base has \"l5\" at 5"},
	{"an empty line without its end",
		"--- a/f\n+++ b/f\n@@ -9,3 +9,3 @@\n l9\n-l10\n+L10\n \n\\ No newline "
		"at end of file\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "hunk 1 of 1"},
	{"the same that lost its space",
		"--- a/f\n+++ b/f\n@@ -9,3 +9,3 @@\n l9\n-l10\n+L10\n\n\\ No newline "
		"at end of file\n",
		APPLY_APPLIED, PATCH_EXACT, NULL},
	{"already", "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-five\n+l5\n l6\n",
		APPLY_ALREADY, PATCH_ALREADY, NULL},
	{"some already",
		"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-two\n+l2\n l3\n"
		"@@ -5,3 +5,3 @@\n l5\n-l6\n+L6\n l7\n",
		APPLY_CONFLICT, PATCH_CONFLICT,
		"f: hunk 1 of 2 is already in the base (f:1)"},
	{"no such file", "--- a/g\n+++ b/g\n@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "g does not exist at this base"},
	{"add existing",
		"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n"
		"@@ -0,0 +1 @@\n+x\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "f exists already at this base"},
	{"add again",
		"diff --git a/d/y b/d/y\nnew file mode 100644\n--- /dev/null\n+++ b/d/y\n"
		"@@ -0,0 +1 @@\n+why\n",
		APPLY_ALREADY, PATCH_ALREADY, NULL},
	{"delete other",
		"diff --git a/d/y b/d/y\ndeleted file mode 100644\n--- a/d/y\n+++ "
		"/dev/null\n"
		"@@ -1 +0,0 @@\n-because\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "d/y: hunk 1 of 1 expects \"because\""},
	{"delete without lines",
		"diff --git a/d/y b/d/y\ndeleted file mode 100644\nindex 1..0\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "does not know all of its lines"},
	{"file below file",
		"diff --git a/f/x b/f/x\nnew file mode 100644\n--- /dev/null\n+++ b/f/x\n"
		"@@ -0,0 +1 @@\n+x\n",
		APPLY_REJECTED, PATCH_REJECTED, "f/x goes through f, which is a file"},
	{"file below link",
		"diff --git a/link/z b/link/z\nnew file mode 100644\n--- /dev/null\n"
		"+++ b/link/z\n@@ -0,0 +1 @@\n+x\n",
		APPLY_REJECTED, PATCH_REJECTED,
		"link/z goes through link, which is a link"},
	{"edit below link", "--- a/link/y\n+++ b/link/y\n@@ -1 +1 @@\n-why\n+x\n",
		APPLY_REJECTED, PATCH_REJECTED,
		"link/y goes through link, which is a link"},
	{"edit a link", "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-d\n+e\n", APPLY_REJECTED,
		PATCH_REJECTED, "link is a link"},
	{"file over folder",
		"diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n"
		"@@ -0,0 +1 @@\n+x\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "d is a folder at this base"},
	{"edit a folder", "--- a/d\n+++ b/d\n@@ -1 +1 @@\n-x\n+y\n", APPLY_CONFLICT,
		PATCH_CONFLICT, "d is a folder at this base"},
	{"rename onto file",
		"diff --git a/f b/d/y\nsimilarity index 100%\nrename from f\nrename to "
		"d/y\n",
		APPLY_CONFLICT, PATCH_CONFLICT, "d/y exists already"},
	{"rename of nothing",
		"diff --git a/n b/m\nsimilarity index 100%\nrename from n\nrename to m\n",
		APPLY_CONFLICT, PATCH_CONFLICT,
		"n, the source of the rename, does not exist"},
	{"made with -U0", "--- a/f\n+++ b/f\n@@ -5 +5 @@\n-l5\n+L5\n", APPLY_CONFLICT,
		PATCH_CONFLICT, "f: hunk 1 of 1 has no context (made with -U0)"},
	{"damaged", "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n", APPLY_CONFLICT,
		PATCH_CONFLICT, "line 6 of the patch: the patch ends inside a hunk"},
	{"no diff", "just words\n", APPLY_CONFLICT, PATCH_CONFLICT,
		"the mail holds no diff"},
	{"leaves", "--- a/../f\n+++ b/../f\n@@ -1 +1 @@\n-a\n+b\n", APPLY_REJECTED,
		PATCH_REJECTED, "../f leaves the tree"},
	{"context diff", "*** a/f\n--- b/f\n***************\n", APPLY_REJECTED,
		PATCH_REJECTED, "not a unified diff"},
	{"case",
		"--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+a\n"
		"--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n",
		APPLY_REJECTED, PATCH_REJECTED, "differ only in case"},
	{"case of what is there", "--- /dev/null\n+++ b/F\n@@ -0,0 +1 @@\n+a\n",
		APPLY_REJECTED, PATCH_REJECTED, "f and F differ only in case"},
	{"other case", "diff --git a/f b/F\nrename from f\nrename to F\n", APPLY_APPLIED,
		PATCH_EXACT, NULL},
};

static void answers_and_sentences(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf tree = SBUF_INIT;
	const char *base = make_base(a, dir);

	git(dir, NULL, &tree, "rev-parse", "HEAD^{tree}");
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		const struct answer *w = &answers[i];
		struct apply_outcome *o = git_apply_ours(a, dir, base, w->diff);
		const char *error = o->error ? o->error : "";

		if (o->result != w->result || o->patches[0].result != w->patch ||
			!w->says != !o->error || (w->says && !strstr(error, w->says)))
			fail_msg("%s: %s %s \"%s\"", w->name,
				apply_result_name(o->result),
				patch_result_name(o->patches[0].result), error);
		if (w->result == APPLY_ALREADY)
			assert_string_equal(o->tree, tree.buf);
		if (w->result == APPLY_CONFLICT || w->result == APPLY_REJECTED) {
			assert_null(o->tree);
			assert_int_equal(o->n_commits, 0);
			assert_int_equal(o->attempts[0].failed_patch, 1);
		}
	}
}

/* What the tree becomes, asked of git. */
struct became {
	const char *name, *diff;
};

static const struct became becames[] = {
	{"rename and edit",
		"diff --git a/f b/d/g\nsimilarity index 90%\nrename from f\n"
		"rename to d/g\n--- a/f\n+++ b/d/g\n@@ -4,3 +4,3 @@\n l4\n-l5\n"
		"+L5\n l6\n"},
	{"copy", "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n"},
	{"swap", "diff --git a/f b/d/y\nsimilarity index 100%\nrename from f\nrename to "
		 "d/y\n"
		 "diff --git a/d/y b/f\nsimilarity index 100%\nrename from d/y\nrename "
		 "to f\n"},
	{"mode", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"},
	{"mode and edit",
		"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
		"index 1234567..89abcde\n--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n"
		"-l5\n+L5\n l6\n"},
	{"last file of a folder", "diff --git a/d/e/x b/d/e/x\ndeleted file mode 100644\n"
				  "--- a/d/e/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-only\n"},
	{"folder becomes file",
		"diff --git a/d/e/x b/d/e/x\ndeleted file mode 100644\n--- a/d/e/x\n"
		"+++ /dev/null\n@@ -1 +0,0 @@\n-only\n"
		"diff --git a/d/e b/d/e\nnew file mode 100644\n--- /dev/null\n+++ b/d/e\n"
		"@@ -0,0 +1 @@\n+now a file\n"},
	{"file becomes folder",
		"diff --git a/d/y b/d/y\ndeleted file mode 100644\n--- a/d/y\n+++ "
		"/dev/null\n"
		"@@ -1 +0,0 @@\n-why\n"
		"diff --git a/d/y/z b/d/y/z\nnew file mode 100644\n--- /dev/null\n"
		"+++ b/d/y/z\n@@ -0,0 +1 @@\n+now below\n"},
	{"new folders",
		"diff --git a/n/o/p b/n/o/p\nnew file mode 100755\n--- /dev/null\n"
		"+++ b/n/o/p\n@@ -0,0 +1 @@\n+x\n"},
	{"empty new file", "diff --git a/empty b/empty\nnew file mode 100644\nindex "
			   "0000000..e69de29\n"},
	{"two diffs of one file",
		"--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n"
		"--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-L5\n+five\n l6\n"},
	{"becomes empty", "--- a/d/y\n+++ b/d/y\n@@ -1 +0,0 @@\n-why\n"},
	{"no newline", "--- a/d/y\n+++ b/d/y\n@@ -1 +1 @@\n-why\n+why\n"
		       "\\ No newline at end of file\n"},
	{"add only, file absent", "--- a/new\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"},
	{"names between f and f/", "--- /dev/null\n+++ b/d.c\n@@ -0,0 +1 @@\n+x\n"
				   "--- /dev/null\n+++ b/d-c\n@@ -0,0 +1 @@\n+x\n"
				   "--- /dev/null\n+++ b/d0/c\n@@ -0,0 +1 @@\n+x\n"},
};

static void trees_as_git(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf tree = SBUF_INIT;
	const char *base = make_base(a, dir);

	for (size_t i = 0; i < ARRAY_LEN(becames); i++) {
		struct apply_outcome *o = git_apply_ours(a, dir, base, becames[i].diff);

		git(dir, NULL, NULL, "read-tree", base);
		if (git_status(dir, becames[i].diff, NULL, "apply", "--cached", "-"))
			fail_msg("%s: git does not take it", becames[i].name);
		git(dir, NULL, &tree, "write-tree");
		if (o->result != APPLY_APPLIED)
			fail_msg("%s: %s", becames[i].name, o->error);
		if (strcmp(o->tree, tree.buf) != 0)
			fail_msg("%s: another tree", becames[i].name);
	}
	git(dir, NULL, NULL, "fsck", "--strict");
}

static void binary_both_ways(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf diff = SBUF_INIT, tree = SBUF_INIT;
	const char *base = make_base(a, dir), *next;
	char bytes[3000], path[600];
	struct apply_outcome *o;
	struct err e;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 251);
	snprintf(path, sizeof(path), "%s/b", dir);
	for (int round = 0; round < 3; round++) {
		bytes[1000 + round] = 'x';
		assert_ok(file_write_atomic(
				  path, bytes, sizeof(bytes) - (size_t)round, 0644, &e),
			&e);
		next = git_commit_all(a, dir);
		git(dir, NULL, &diff, "diff", "--binary", "--full-index", base, next);
		sbuf_adds(&diff, "\n\n");
		git(dir, NULL, &tree, "rev-parse", "HEAD^{tree}");
		o = git_apply_ours(a, dir, base, diff.buf);
		assert_int_equal(o->result, APPLY_APPLIED);
		assert_string_equal(o->tree, tree.buf);
		o = git_apply_ours(a, dir, next, diff.buf);
		assert_int_equal(o->result, APPLY_ALREADY);
		base = next;
	}
	diff.buf[strcspn(diff.buf, "\n")
			 ? (size_t)(strstr(diff.buf, "delta ") - diff.buf) + 12
			 : 0] ^= 1;
	o = git_apply_ours(a, dir, arena_printf(a, "%s^", base), diff.buf);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_non_null(strstr(o->error, "binary"));
}

static const char mail_1[] =
	"From: =?utf-8?q?J=C3=B6rg?= Doe. <joe@example.org>\n"
	"Date: Tue, 14 Nov 2023 23:15:00 +0530\nSubject: [PATCH v2 1/2] sched: first\n"
	"Message-ID: <m1@example.org>\n\nText of the first.  \n\n\n"
	"Signed-off-by: J. Doe <joe@example.org>\n---\n f | 2 +-\n\n"
	"--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n-- \n2.39\n";
static const char mail_2[] =
	"From: J. Doe <joe@example.org>\nDate: Tue, 14 Nov 2023 20:00:00 +0000\n"
	"Subject: [PATCH v2 2/2] sched: second\nMessage-ID: <m2@example.org>\n\n"
	"From: Other Author <other@example.org>\n\nText.\n---\n"
	"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -5,3 +5,4 @@\n L5\n l6\n+added\n l7\n";

static void read_mail(struct arena *a, const char *text, struct apply_patch *ret)
{
	struct mail_opts opts = {0};
	struct mail *m;
	struct err e;

	assert_ok(mail_parse(a, text, strlen(text), &opts, &m, &e), &e);
	assert_ok(apply_patch_from_mail(m, a, ret, &e), &e);
}

/* git am of the mails onto base with the committer dates we compute. */
static const char *am(struct arena *a, const char *dir, const char *base,
	const char *const *mails, const char *const *dates, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(dir, NULL, NULL, "checkout", "-q", "-f", "--detach", base);
	for (size_t i = 0; i < n; i++) {
		const char *env[ARRAY_LEN(git_env)];

		memcpy(env, git_env, sizeof(git_env));
		env[7] = dates[i];
		git_file(dir, ".git/mail", mails[i]);
		assert_int_equal(
			git_try(dir, NULL, NULL, env,
				(const char *const[]){"am", "-q", ".git/mail", NULL}),
			0);
	}
	git(dir, NULL, &out, "rev-parse", "HEAD");
	git(dir, NULL, NULL, "checkout", "-q", "master");
	return arena_strdup(a, out.buf);
}

static void commits_as_git_am(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *base = make_base(a, dir);
	struct apply_patch patches[2];
	struct apply_outcome *o;
	struct err e;

	read_mail(a, mail_1, &patches[0]);
	read_mail(a, mail_2, &patches[1]);
	assert_string_equal(patches[1].n, "2");
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = patches,
		.n_patches = 2,
		.committer_name = "Test Committer",
		.committer_email = "committer@example.org",
		.branch = "series/1-v2"};

	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(o->n_commits, 2);
	assert_string_equal(o->base_commit, base);
	assert_string_equal(o->base_how, "explicit");
	/* 1699983900 is before the base's 1700000000: the date is held back */
	const char *mails[] = {mail_1, mail_2};
	const char *dates[] = {"GIT_COMMITTER_DATE=1700000000 +0000",
		"GIT_COMMITTER_DATE=1700000000 +0000"};

	assert_string_equal(am(a, dir, base, mails, dates, 2), o->commits[1]);
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(dir, NULL, &out, "rev-parse", "series/1-v2");
	assert_string_equal(out.buf, o->commits[1]);
	assert_string_equal(file_at(a, dir, o->tree, "f"),
		"l1\nl2\nl3\nl4\nL5\nl6\nadded\nl7\nl8\nl9\nl10");
	/* the second again, alone, is there already */
	req.patches = patches + 1;
	req.n_patches = 1;
	req.base.explicit_rev = "series/1-v2";
	req.branch = NULL;
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_ALREADY);
	assert_int_equal(o->n_commits, 0);
}

static void all_or_nothing(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patches[2];
	struct apply_outcome *o;
	struct err e;

	make_base(a, dir);
	read_mail(a, mail_2, &patches[0]); /* wants what the first makes */
	read_mail(a, mail_1, &patches[1]);
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = patches,
		.n_patches = 2,
		.branch = "never"};

	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(o->patches[1].result, PATCH_SKIPPED);
	assert_non_null(strstr(o->error, "patch 2 of 2: f: hunk 1 of 1 expects \"L5\""));
	assert_int_not_equal(
		git_status(dir, NULL, NULL, "rev-parse", "-q", "--verify", "never"), 0);
	json_t *j = apply_outcome_json(o);

	assert_string_equal(json_string_value(json_object_get(j, "result")), "conflict");
	assert_true(json_is_null(json_object_get(j, "tree")));
	assert_int_equal(json_array_size(json_object_get(j, "patches")), 2);
	json_decref(j);
}

static void dry_run_and_link(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patch;
	struct apply_outcome *dry, *wet;
	struct err e;
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	make_base(a, dir);
	read_mail(a, mail_1, &patch);
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = &patch,
		.n_patches = 1,
		.link_prefix = "https://example.org/r",
		.keep = APPLY_KEEP_NOTHING};

	assert_ok(apply_run(&req, a, &dry, &e), &e);
	assert_int_equal(dry->result, APPLY_APPLIED);
	assert_int_not_equal(
		git_status(dir, NULL, NULL, "cat-file", "-e", dry->commits[0]), 0);
	req.keep = APPLY_KEEP_ALL;
	assert_ok(apply_run(&req, a, &wet, &e), &e);
	assert_string_equal(wet->commits[0], dry->commits[0]);
	git(dir, NULL, &out, "log", "-1", "--format=%B%an|%ae|%cn|%ce", wet->commits[0]);
	assert_string_equal(out.buf,
		"sched: first\n\nText of the first.\n\n"
		"Signed-off-by: J. Doe <joe@example.org>\n"
		"Link: https://example.org/r/m1@example.org\n"
		"J\303\266rg Doe|joe@example.org|wakelist|wakelist@invalid");
}

/* --- bases --- */

static void base_candidates(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *first = make_base(a, dir), *second;
	struct apply_patch patch;
	struct apply_outcome *o;
	struct err e;
	struct base_tip tip = {.tree = "main", .rev = "master"};

	git_file(dir, "f", "l1\nl2\nl3\nl4\nfive\nl6\nl7\nl8\nl9\nl10\n");
	second = git_commit_all(a, dir);
	read_mail(a, mail_1, &patch);
	struct apply_request req = {.repo = dir,
		.base = {.tips = &tip, .n_tips = 1},
		.patches = &patch,
		.n_patches = 1};

	/* no ids in the diff: only the tip, where it conflicts */
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(o->n_attempts, 1);
	assert_string_equal(o->attempts[0].how, "list");
	assert_string_equal(o->attempts[0].commit, second);
	/* a trailer that names an unknown commit is an attempt, then the rest */
	req.base.base_commit = "0123456789012345678901234567890123456789";
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->n_attempts, 2);
	assert_string_equal(o->attempts[0].how, "base-commit");
	assert_string_equal(o->attempts[0].result, "unknown");
	req.base.base_commit = first;
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_how, "base-commit");
	assert_string_equal(o->base_commit, first);
	/* the old blob finds the commit before the tip */
	CLEANUP(sbuf_release) struct sbuf id = SBUF_INIT;

	git(dir, NULL, &id, "rev-parse", "master^:f");
	req.base.base_commit = NULL;
	patch.patch = arena_printf(a,
		"diff --git a/f b/f\nindex %.10s..1234567 100644\n--- a/f\n+++ b/f\n"
		"@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n",
		id.buf);
	patch.patch_len = strlen(patch.patch);
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_string_equal(o->base_how, "blobs");
	assert_string_equal(o->base_commit, first);
	assert_string_equal(o->base_tree, "main");
	/* nothing to try */
	req.base.n_tips = 0;
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_NO_BASE);
	assert_non_null(strstr(o->error, "no tree is configured"));
	/* an explicit base is final */
	req.base.n_tips = 1;
	req.base.explicit_rev = "nonsense";
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_NO_BASE);
	assert_non_null(strstr(o->error, "unknown commit nonsense"));
	req.repo = "/nonexistent/repository";
	assert_err(
		apply_run(&req, a, &o, &e), ERR_NOT_FOUND, &e, "cannot open repository");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(answers_and_sentences),
		unit_folder_test(trees_as_git),
		unit_folder_test(binary_both_ways),
		unit_folder_test(commits_as_git_am),
		unit_folder_test(all_or_nothing),
		unit_folder_test(dry_run_and_link),
		unit_folder_test(base_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
