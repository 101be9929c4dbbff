/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/apply/apply.h"

#include "mail/mail.h"
#include "patch/apply.h"
#include "patch/diff.h"
#include "patch/pack.h"
#include "patch/repo.h"
#include "workers/apply/before.h"
#include "workers/apply/parts.h"
#include "workers/apply/trees.h"
#include "workers/tree/tree.h"

#define WORK_REPO "work.git"
#define PACK_FILE "patch.pack"
#define PARTS_MAX 1000

struct task {
	struct job_ctx *j;
	const char *series_id, *version, *title, *branch, *base, *previous;
	struct apply_trees trees;
	json_int_t time_s;
	json_t *parts, *before;
	/* read from the mails */
	struct apply_patch *patches; /* of the series itself */
	size_t n_patches;
	const char *base_commit, *prefix_tree;
	/* the tree of the base, else the default one */
	const struct apply_tree *tree;
};

static int task_parse(struct job_ctx *j, json_t *in, struct task *t, struct err *e)
{
	json_t *base, *previous, *trees;
	int status = jx_unpack(in, e, "apply",
		"{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:I, s:o, s:o !}", "series_id",
		&t->series_id, "version", &t->version, "title", &t->title, "trees",
		&trees, "branch", &t->branch, "base", &base, "previous", &previous,
		"time", &t->time_s, "parts", &t->parts, "before", &t->before);

	t->j = j;
	if (status != 0)
		return status;
	t->base = json_string_value(base); /* null: NULL */
	t->previous = json_string_value(previous);
	if (json_array_size(t->parts) > PARTS_MAX)
		return err_set(
			e, ERR_TOO_BIG, "a series of more than %d parts", PARTS_MAX);
	status = trees_parse(j, trees, &t->trees, e);
	t->tree = t->trees.v;
	return status;
}

/* What the cover or the first patch says about the base. */
static void read_hints(struct task *t, const struct mail *m)
{
	if (!t->base_commit)
		t->base_commit = m->base_commit;
	if (!t->prefix_tree)
		t->prefix_tree = m->prefix.tree;
}

static int read_part(
	struct task *t, json_t *in, const struct mail_opts *opts, struct err *e)
{
	struct part p;
	int status = part_read(t->j, in, opts, &p, e);

	if (status != 0)
		return status;
	read_hints(t, p.mail);
	if (strcmp(p.n, "0") == 0)
		return 0;
	if (p.mail->rejected)
		return err_set(e, ERR_INVALID, "patch %s: %s", p.n, p.mail->rejected);
	status = apply_patch_from_mail(p.mail, t->j->arena, &t->patches[t->n_patches], e);
	if (status != 0)
		return err_wrap(e, "patch %s", p.n);
	apply_patch_original(
		p.mail, p.copies, p.n_copies, t->j->arena, &t->patches[t->n_patches]);
	t->patches[t->n_patches++].n = p.n;
	return 0;
}

static int read_parts(struct task *t, struct err *e)
{
	struct mail_opts opts = {.branches = t->trees.words};
	json_t *part;
	size_t i;

	t->patches = ARENA_ARRAY(
		t->j->arena, struct apply_patch, json_array_size(t->parts) + 1);
	json_array_foreach(t->parts, i, part)
	{
		int status = read_part(t, part, &opts, e);

		if (status != 0)
			return status;
	}
	return 0;
}

/* Those of the prerequisites, then its own. */
static const struct apply_patch *all_patches(struct task *t, const struct before *b)
{
	struct apply_patch *v =
		ARENA_ARRAY(t->j->arena, struct apply_patch, b->n + t->n_patches + 1);

	if (b->n)
		memcpy(v, b->patches, b->n * sizeof(*v));
	if (t->n_patches)
		memcpy(v + b->n, t->patches, t->n_patches * sizeof(*v));
	return v;
}

static int run_apply(struct task *t, struct apply_outcome **ret, struct err *e)
{
	struct before before;
	int status = before_find(t->j, t->before, t->n_patches, &before, e);
	struct apply_request req = {
		.repo = WORK_REPO,
		.base = {.base_commit = t->base_commit,
			.prefix_tree = t->prefix_tree,
			.previous = t->previous,
			.tips = t->trees.tips,
			.n_tips = t->trees.n_tips,
			.time_s = t->time_s},
		.mend = true,
	};

	if (status != 0)
		return status;
	if (t->base)
		req.base.explicit_rev = trees_resolve(&t->trees, t->base, t->j->arena);
	req.patches = all_patches(t, &before);
	req.n_patches = before.n + t->n_patches;
	req.n_before = before.n;
	req.missing = before.missing;
	return apply_run(&req, t->j->arena, ret, e);
}

static size_t count_offsets(const struct apply_outcome *o)
{
	size_t n = 0;

	for (size_t p = o->n_before; p < o->n_patches; p++)
		for (size_t f = 0; f < o->patches[p].n_files; f++)
			for (size_t h = 0; h < o->patches[p].files[f].n_hunks; h++)
				n += o->patches[p].files[f].hunks[h].result ==
				     PATCH_OFFSET;
	return n;
}

/* ", 1 of 3 patches merged three-way", or "". */
static const char *of_patches(
	struct arena *a, size_t n, const struct apply_outcome *o, const char *words)
{
	size_t n_own = o->n_patches - o->n_before;

	if (!n)
		return "";
	return arena_printf(
		a, ", %zu of %zu patch%s %s", n, n_own, n_own == 1 ? "" : "es", words);
}

static size_t count_patches(const struct apply_outcome *o, enum patch_result result)
{
	size_t n = 0;

	for (size_t p = o->n_before; p < o->n_patches; p++)
		n += o->patches[p].result == result;
	return n;
}

/* What is not as the mail says it: ", 2 hunks at an offset, 1 of 3 patches merged
 * three-way", or "". report_input (sql) finds it again by these words. */
static const char *liberties(struct arena *a, const struct apply_outcome *o)
{
	static const struct {
		enum patch_result result;
		const char *words;
	} rows[] = {
		{PATCH_3WAY, "merged three-way"}, {PATCH_ALREADY, "in the base already"}};
	size_t n = count_offsets(o), n_mended = 0, n_copied = 0;
	const char *text =
		n ? arena_printf(a, ", %zu hunk%s at an offset", n, n == 1 ? "" : "s")
		  : "";

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		text = arena_printf(a, "%s%s", text,
			of_patches(
				a, count_patches(o, rows[i].result), o, rows[i].words));
	for (size_t i = o->n_before; i < o->n_patches; i++) {
		n_mended += o->patches[i].mended;
		n_copied += o->patches[i].copied;
	}
	return arena_printf(a, "%s%s%s", text,
		of_patches(a, n_mended, o, "repaired, since its mail is damaged"),
		of_patches(a, n_copied, o, "read from a sound copy of its mail"));
}

/* Version of a base in a git tree, "" where its Makefile says none. */
static const char *base_label(struct task *t, const struct apply_outcome *o)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	CLEANUP(sbuf_release) struct sbuf makefile = SBUF_INIT;
	const char *label = "";
	struct err ignored;

	if (t->tree->git && o->base_commit && repo_open(WORK_REPO, &r, &ignored) == 0 &&
		repo_read_file(r, o->base_commit, "Makefile", TREE_MAKEFILE_MAX,
			&makefile, NULL, &ignored) == 0 &&
		tree_label(t->j->arena, makefile.buf, makefile.len, &label, &ignored) !=
			0)
		label = "";
	return label;
}

/* The commit that the series itself stands on: with its prerequisites, where some were
 * applied; else NULL. */
static const char *before_commit(const struct apply_outcome *o)
{
	const char *last = o->n_before ? o->patches[o->n_before - 1].commit : "";

	return *last && strcmp(last, o->base_commit) != 0 ? last : NULL;
}

static const char *before_words(struct arena *a, const struct apply_outcome *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_before; i++)
		n += o->patches[i].result != PATCH_ALREADY;
	if (!before_commit(o))
		return "";
	return arena_printf(
		a, " and %zu patch%s of its prerequisites", n, n == 1 ? "" : "es");
}

/* "linux (6.1.192)"; of a history also which commit. */
static const char *base_words(
	struct task *t, const struct apply_outcome *o, const char *label)
{
	struct arena *a = t->j->arena;

	if (!t->tree->git)
		return arena_printf(a, "%s (%s%s)", t->tree->name, t->tree->label,
			before_words(a, o));
	return arena_printf(a, "%s (%s%s%.12s%s)",
		o->base_tree ? o->base_tree : t->tree->name, label, *label ? ", " : "",
		o->base_commit, before_words(a, o));
}

/* By which commit the first patch is there already; NULL: not known. */
static const char *since_words(const struct apply_outcome *o)
{
	const struct apply_patch_outcome *p = &o->patches[0];

	for (size_t i = 0; i < p->n_notes; i++)
		if (strcmp(p->notes[i].code, "in_base_since") == 0)
			return p->notes[i].detail;
	return NULL;
}

static const char *sentence(
	struct task *t, const struct apply_outcome *o, const char *label)
{
	struct arena *a = t->j->arena;

	if (o->result == APPLY_ALREADY) {
		const char *since = since_words(o);

		return arena_printf(a, "is already in %s%s%s", base_words(t, o, label),
			since ? ": " : "", since ? since : "");
	}
	if (o->result != APPLY_APPLIED)
		return o->error ? o->error : "does not apply";
	return arena_printf(
		a, "applies to %s%s", base_words(t, o, label), liberties(a, o));
}

/* The mails say which files they are made for. */
static bool names_files(const struct task *t)
{
	struct arena *a = t->j->arena;
	const struct diff **diffs = ARENA_ARRAY(a, const struct diff *, t->n_patches + 1);
	struct blob_want *wants;
	size_t n = 0;

	for (size_t i = 0; i < t->n_patches; i++) {
		struct err ignored;
		struct diff *d;

		if (diff_parse(t->patches[i].patch, t->patches[i].patch_len, a, &d,
			    &ignored) == 0)
			diffs[n++] = d;
	}
	return base_old_blobs(diffs, n, a, &wants) > 0;
}

/* Of a history: no commit was tried that the mails name, or whose files are as they know
 * them; that it fits nowhere else says little, and the next fetch may bring its base. */
static bool lacks_base(const struct task *t, const struct apply_outcome *o)
{
	static const char *const real[] = {
		"explicit", "base-commit", "previous", "blobs"};

	if (!trees_have_history(&t->trees) || t->base ||
		(o->result != APPLY_CONFLICT && o->result != APPLY_NO_BASE))
		return false;
	for (size_t i = 0; i < o->n_attempts; i++)
		for (size_t k = 0; k < ARRAY_LEN(real); k++)
			if (strcmp(o->attempts[i].how, real[k]) == 0 &&
				strcmp(o->attempts[i].result, "unknown") != 0)
				return false;
	return t->base_commit || names_files(t);
}

static json_t *answer(struct task *t, const char *result, const char *why, json_t *detail)
{
	const struct apply_tree *named = trees_named(&t->trees, t->prefix_tree);

	return jx_pack(
		"{s:s, s:o, s:s, s:o, s:n, s:n, s:s, s:s, s:n, s:n, s:n, s:n, s:n, s:n, "
		"s:o, s:[]}",
		"tree_name", t->tree->name, "named",
		jx_str_or_null(named ? named->name : NULL), "result", result, "why",
		jx_text(why, strlen(why)), "base_commit", "base_tree", "base_how", "",
		"base_label", "", "before_commit", "before_tree", "patched_commit",
		"patched_tree", "branch", "pack", "detail", detail, "files");
}

/* What was applied: the patched side, and its pack. */
static int add_patched(struct task *t, const struct apply_outcome *o, const char *label,
	json_t *out, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	const char *tip, *before = before_commit(o);
	char base_tree[REPO_HEX], before_tree[REPO_HEX];
	int64_t n_objects;
	int status = repo_open(WORK_REPO, &r, e);

	if (status == 0)
		status = repo_commit_tree(r, o->base_commit, base_tree, e);
	if (status == 0 && before)
		status = repo_commit_tree(r, before, before_tree, e);
	if (status != 0)
		return status;
	if (before) {
		json_object_set_new(out, "before_commit", json_string(before));
		json_object_set_new(out, "before_tree", json_string(before_tree));
	}
	json_object_set_new(out, "base_commit", json_string(o->base_commit));
	json_object_set_new(out, "base_tree", json_string(base_tree));
	json_object_set_new(out, "base_label", json_string(label));
	json_object_set_new(out, "base_how",
		jx_text(o->base_why ? o->base_why : "",
			o->base_why ? strlen(o->base_why) : 0));
	if (o->result != APPLY_APPLIED || o->n_commits == 0)
		return 0;
	tip = o->commits[o->n_commits - 1];
	status = pack_thin(r, o->base_commit, tip, PACK_FILE, &n_objects, e);
	if (status != 0)
		return status;
	json_object_set_new(out, "patched_commit", json_string(tip));
	json_object_set_new(out, "patched_tree", json_string(o->tree));
	json_object_set_new(out, "branch", json_string(t->branch));
	json_object_set_new(out, "pack", json_string(PACK_FILE));
	json_object_set_new(out, "files", jx_pack("[s]", PACK_FILE));
	return 0;
}

int apply_job_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct apply_outcome *o = NULL;
	const char *label;
	struct task t = {0};
	int status = task_parse(j, in, &t, e);

	if (status != 0)
		return status;
	status = read_parts(&t, e);
	if (status == ERR_INVALID) { /* the answer is no, and this is why */
		*ret = answer(&t, "rejected", e->msg,
			apply_outcome_json(apply_refusal(j->arena, e->msg)));
		return 0;
	}
	if (status == 0)
		status = trees_borrow(&t.trees, WORK_REPO, &r, e);
	if (status == 0)
		status = run_apply(&t, &o, e);
	if (status != 0)
		return status;
	t.tree = trees_of(&t.trees, o->base_tree, o->base_commit);
	label = base_label(&t, o);
	if (lacks_base(&t, o))
		*ret = answer(&t, apply_result_name(APPLY_NO_BASE),
			arena_printf(j->arena,
				"no commit of %s is as this was made for: %s",
				t.tree->name, sentence(&t, o, label)),
			apply_outcome_json(o));
	else
		*ret = answer(&t, apply_result_name(o->result), sentence(&t, o, label),
			apply_outcome_json(o));
	if (o->base_commit && (o->result == APPLY_APPLIED || o->result == APPLY_ALREADY))
		status = add_patched(&t, o, label, *ret, e);
	if (status != 0) {
		json_decref(*ret);
		*ret = NULL;
	}
	return status;
}
