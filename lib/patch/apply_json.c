// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/jx.h"
#include "patch/apply.h"

static json_t *text_or_null(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

/* A plain number where it is one, else text ("0.5"). */
static json_t *number_json(const char *n)
{
	size_t len = strlen(n);

	if (len && len < 9 && strspn(n, "0123456789") == len)
		return json_integer(atoi(n));
	return jx_text(n, len);
}

static json_t *hunk_json(const struct apply_hunk *h)
{
	return jx_pack("{s:o, s:I, s:I, s:s, s:o, s:o, s:o}", "header",
		text_or_null(h->header), "at", (json_int_t)h->at, "offset",
		(json_int_t)h->offset, "result", patch_result_name(h->result), "function",
		text_or_null(h->function), "error", text_or_null(h->error), "closest",
		text_or_null(h->closest));
}

static json_t *file_json(const struct apply_file *f)
{
	json_t *hunks = json_array();

	for (size_t i = 0; i < f->n_hunks; i++)
		json_array_append_new(hunks, hunk_json(&f->hunks[i]));
	return jx_pack("{s:o, s:o, s:s, s:o, s:o}", "path", text_or_null(f->path),
		"old_path", text_or_null(f->old_path), "status", f->status, "hunks",
		hunks, "error", text_or_null(f->error));
}

static json_t *patch_json(const struct apply_patch_outcome *p)
{
	json_t *files = json_array(), *notes = json_array();

	for (size_t i = 0; i < p->n_files; i++)
		json_array_append_new(files, file_json(&p->files[i]));
	for (size_t i = 0; i < p->n_notes; i++)
		json_array_append_new(
			notes, jx_pack("{s:s, s:o}", "code", p->notes[i].code, "detail",
				       text_or_null(p->notes[i].detail)));
	return jx_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "n", number_json(p->n),
		"message_id", text_or_null(p->message_id), "result",
		patch_result_name(p->result), "error", text_or_null(p->error), "commit",
		p->commit[0] ? json_string(p->commit) : json_null(), "files", files,
		"notes", notes);
}

static json_t *attempt_json(const struct apply_attempt *t)
{
	return jx_pack("{s:o, s:o, s:s, s:s, s:o, s:o}", "commit",
		text_or_null(t->commit), "tree", text_or_null(t->tree), "how", t->how,
		"result", t->result, "why", text_or_null(t->why), "failed_patch",
		t->failed_patch ? json_integer(t->failed_patch) : json_null());
}

static json_t *base_json(const struct apply_outcome *o)
{
	if (!o->base_commit)
		return json_null();
	return jx_pack("{s:s, s:o, s:o, s:o}", "commit", o->base_commit, "how",
		text_or_null(o->base_how), "why", text_or_null(o->base_why), "tree",
		text_or_null(o->base_tree));
}

json_t *apply_outcome_json(const struct apply_outcome *o)
{
	json_t *commits = json_array(), *before = json_array();
	json_t *patches = json_array(), *attempts = json_array();

	for (size_t i = 0; i < o->n_commits; i++)
		json_array_append_new(commits, json_string(o->commits[i]));
	for (size_t i = 0; i < o->n_patches; i++)
		json_array_append_new(
			i < o->n_before ? before : patches, patch_json(&o->patches[i]));
	for (size_t i = 0; i < o->n_attempts; i++)
		json_array_append_new(attempts, attempt_json(&o->attempts[i]));
	return jx_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "v", 1, "result",
		apply_result_name(o->result), "error", text_or_null(o->error), "base",
		base_json(o), "tree", text_or_null(o->tree), "commits", commits,
		"prerequisites", before, "patches", patches, "attempts", attempts);
}
