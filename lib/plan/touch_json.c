// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/touch.h"

/* Bytes of a patch may be no UTF-8. */
static json_t *text(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

static json_t *files_json(const struct touch *t)
{
	json_t *out = json_array();

	for (size_t i = 0; i < t->n_files; i++)
		json_array_append_new(
			out, jx_pack("{s:o, s:s}", "path", text(t->files[i].path),
				     "built", touch_built_name(t->files[i].built)));
	return out;
}

static json_t *aspect_json(const struct touch_aspect *as)
{
	json_t *why = json_array();

	for (size_t i = 0; i < as->n_why; i++) {
		const struct touch_line *l = &as->why[i];

		json_array_append_new(why,
			jx_pack("{s:o, s:o, s:o, s:s, s:I}", "path", text(l->path),
				"line", l->line ? json_integer(l->line) : json_null(),
				"function", text(l->function), "side",
				l->in_base ? "base" : "patched", "lines",
				(json_int_t)l->n_lines));
	}
	return jx_pack("{s:s, s:o, s:I}", "id", touch_aspect_name(as->id), "why", why,
		"more", (json_int_t)as->n_more);
}

static json_t *symbols_json(const struct touch_symbol *v, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			out, jx_pack("{s:o, s:o, s:s, s:s, s:o, s:I, s:I}", "path",
				     text(v[i].path), "name", text(v[i].name), "kind",
				     touch_kind_name(v[i].kind), "change",
				     touch_change_name(v[i].change), "other",
				     text(v[i].other), "added", (json_int_t)v[i].n_added,
				     "removed", (json_int_t)v[i].n_removed));
	return out;
}

static json_t *names_json(const char *const *v, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, text(v[i]));
	return out;
}

json_t *touch_to_json(const struct touch *t)
{
	json_t *aspects = json_array(), *notes = json_array();

	for (size_t i = 0; i < t->n_aspects; i++)
		json_array_append_new(aspects, aspect_json(&t->aspects[i]));
	for (size_t i = 0; i < t->n_notes; i++)
		json_array_append_new(
			notes, jx_pack("{s:s, s:o}", "code", t->notes[i].code, "detail",
				       text(t->notes[i].detail)));
	return jx_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "v", 1, "files",
		files_json(t), "aspects", aspects, "functions",
		symbols_json(t->functions, t->n_functions), "types",
		symbols_json(t->types, t->n_types), "configs",
		names_json(t->configs, t->n_configs), "features",
		names_json(t->features, t->n_features), "notes", notes);
}
