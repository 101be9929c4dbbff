/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_build.c - the build kind and the null kind, which stands in for build and boot. */
#include "base/jx.h"
#include "model/job_field.h"

#include <inttypes.h>

/* One rule per string field of an object. */
enum field_kind { FIELD_NAME, FIELD_SHA256, FIELD_OID };
struct field {
	const char *key;
	const char **at;
	enum field_kind kind;
};

static int check_fields(
	struct arena *a, const char *what, const struct field *f, size_t n, struct err *e)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < n; i++) {
		switch (f[i].kind) {
		case FIELD_NAME:
			status = job_field_text(
				a, what, f[i].key, f[i].at, JOB_NAME_MAX, e);
			break;
		case FIELD_SHA256:
			status = job_field_sha256(a, what, f[i].key, f[i].at, e);
			break;
		case FIELD_OID:
			status = job_field_oid(a, what, f[i].key, f[i].at, e);
			break;
		}
	}
	return status;
}

int job_build_parse(struct arena *a, json_t *j, struct job_build *ret, struct err *e)
{
	struct job_build p = {.arch = NULL};
	const struct field fields[] = {
		{"arch", &p.arch, FIELD_NAME},
		{"config", &p.config, FIELD_NAME},
		{"tree_name", &p.tree_name, FIELD_NAME},
		{"label", &p.label, FIELD_NAME},
		{"base_commit", &p.base_commit, FIELD_OID},
		{"base_tree", &p.base_tree, FIELD_OID},
		{"base_pack", &p.base_pack, FIELD_SHA256},
		{"commit", &p.commit, FIELD_OID},
		{"tree", &p.tree, FIELD_OID},
		{"patch_pack", &p.patch_pack, FIELD_SHA256},
		{"before_tree", &p.before_tree, FIELD_OID},
	};
	json_t *patch;
	int v;
	int status = jx_unpack(j, e, "build",
		"{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s?s !}", "v", &v,
		"arch", &p.arch, "config", &p.config, "tree_name", &p.tree_name, "label",
		&p.label, "base_commit", &p.base_commit, "base_tree", &p.base_tree,
		"base_pack", &p.base_pack, "commit", &p.commit, "tree", &p.tree,
		"patch_pack", &patch, "before_tree", &p.before_tree);

	if (status == 0)
		status = job_field_version("build", v, e);
	if (status == 0 && !json_is_null(patch) && !json_is_string(patch))
		status = err_set(e, ERR_INVALID, "build: \"patch_pack\" is no string");
	if (status != 0)
		return status;
	p.patch_pack = json_string_value(patch);
	status = check_fields(a, "build", fields, ARRAY_LEN(fields), e);
	if (status == 0)
		*ret = p;
	return status;
}

json_t *job_build_pack(const struct job_build *p)
{
	return jx_pack("{s:i, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:s*}",
		"v", 1, "arch", job_field_str(p->arch), "config",
		job_field_str(p->config), "tree_name", job_field_str(p->tree_name),
		"label", job_field_str(p->label), "base_commit", p->base_commit,
		"base_tree", p->base_tree, "base_pack", p->base_pack, "commit", p->commit,
		"tree", p->tree, "patch_pack", job_field_str(p->patch_pack),
		"before_tree", p->before_tree);
}

static int parse_notes(struct arena *a, const char *key, json_t *j,
	const struct job_note **ret_v, size_t *ret_n, struct err *e)
{
	struct job_note *v;
	size_t n;
	int status = job_field_array("build result", key, j, JOB_NOTES_MAX, &n, e);

	if (status != 0)
		return status;
	v = ARENA_ARRAY(a, struct job_note, n + 1);
	for (size_t i = 0; status == 0 && i < n; i++) {
		json_int_t line;

		status = jx_unpack(json_array_get(j, i), e, key, "{s:s, s:I, s:s !}",
			"path", &v[i].path, "line", &line, "text", &v[i].text);
		if (status == 0)
			status = job_field_range(key, "line", line, 0, INT32_MAX, e);
		if (status == 0)
			status = job_field_text(
				a, key, "path", &v[i].path, JOB_TEXT_MAX, e);
		if (status == 0)
			status = job_field_text(
				a, key, "text", &v[i].text, JOB_TEXT_MAX, e);
		if (status == 0)
			v[i].line = line;
	}
	if (status != 0)
		return status;
	*ret_v = v;
	*ret_n = n;
	return 0;
}

static json_t *pack_notes(const struct job_note *v, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			j, jx_pack("{s:o, s:I, s:o}", "path", job_field_str(v[i].path),
				   "line", (json_int_t)v[i].line, "text",
				   job_field_str(v[i].text)));
	return j;
}

int job_build_result_parse(
	struct arena *a, json_t *j, struct job_build_result *ret, struct err *e)
{
	struct job_build_result r = {.status = JOB_STATUS_OK};
	const struct field fields[] = {
		{"kernel", &r.kernel, FIELD_SHA256},
		{"release", &r.release, FIELD_NAME},
		{"cc", &r.cc, FIELD_NAME},
		{"sandbox", &r.sandbox, FIELD_NAME},
	};
	const char *status_text;
	json_t *errors, *warnings, *kernel;
	json_int_t compiles, wall_ms;
	int v;
	int status = jx_unpack(j, e, "build result",
		"{s:i, s:s, s:o, s:s, s:o, s:o, s:I, s:I, s:s, s:s !}", "v", &v, "status",
		&status_text, "kernel", &kernel, "release", &r.release, "errors", &errors,
		"warnings", &warnings, "compiles", &compiles, "wall_ms", &wall_ms, "cc",
		&r.cc, "sandbox", &r.sandbox);

	if (status == 0)
		status = job_field_version("build result", v, e);
	if (status == 0)
		status = job_field_status("build result", status_text, &r.status, e);
	if (status == 0 && !json_is_null(kernel) &&
		(!json_is_string(kernel) || r.status == JOB_STATUS_BROKEN))
		status = err_set(e, ERR_INVALID,
			"build result: \"kernel\" and \"status\" do not agree");
	if (status == 0)
		status = job_field_range(
			"build result", "compiles", compiles, 0, INT32_MAX, e);
	if (status == 0)
		status = job_field_range(
			"build result", "wall_ms", wall_ms, 0, INT64_MAX, e);
	if (status != 0)
		return status;
	r.kernel = json_string_value(kernel);
	r.compiles = compiles;
	r.wall_ms = wall_ms;
	status = check_fields(a, "build result", fields, ARRAY_LEN(fields), e);
	if (status == 0)
		status = parse_notes(a, "errors", errors, &r.errors, &r.n_errors, e);
	if (status == 0)
		status = parse_notes(
			a, "warnings", warnings, &r.warnings, &r.n_warnings, e);
	if (status == 0)
		*ret = r;
	return status;
}

json_t *job_build_result_pack(const struct job_build_result *r)
{
	return jx_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "v", 1,
		"status", job_status_name(r->status), "kernel", job_field_str(r->kernel),
		"release", job_field_str(r->release), "errors",
		pack_notes(r->errors, r->n_errors), "warnings",
		pack_notes(r->warnings, r->n_warnings), "compiles",
		(json_int_t)r->compiles, "wall_ms", (json_int_t)r->wall_ms, "cc",
		job_field_str(r->cc), "sandbox", job_field_str(r->sandbox));
}

/* ---- null ---- */

static int parse_choice(const char *key, const char *text, const char *no,
	const char *yes, bool *ret, struct err *e)
{
	if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
		return err_set(e, ERR_INVALID, "null: \"%s\" is \"%.40s\"", key, text);
	*ret = !strcmp(text, yes);
	return 0;
}

static int parse_seed(const char *text, uint64_t *ret, struct err *e)
{
	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return err_set(e, ERR_INVALID, "null: \"seed\" is not 16 hex digits");
	*ret = strtoull(text, NULL, 16);
	return 0;
}

static int parse_fail(json_t *j, const char **ret, struct err *e)
{
	static const char *const ways[] = {"build", "panic"};

	*ret = NULL;
	if (json_is_null(j))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (json_is_string(j) && !strcmp(json_string_value(j), ways[i]))
			*ret = ways[i];
	return *ret ? 0
		    : err_set(e, ERR_INVALID,
			      "null: \"fail\" is not null, \"build\" or \"panic\"");
}

int job_null_parse(struct arena *a, json_t *j, struct job_null *ret, struct err *e)
{
	struct job_null p = {.is_build = false};
	const char *role, *side, *seed;
	json_t *benches, *fail;
	json_int_t block, runs;
	int v;
	int status = jx_unpack(j, e, "null",
		"{s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:F, s:F, s:F, s:F, s:o !}",
		"v", &v, "role", &role, "side", &side, "seed", &seed, "topology",
		&p.topology, "block", &block, "runs", &runs, "benches", &benches, "mean",
		&p.mean, "boot_sd_pct", &p.boot_sd_pct, "run_sd_pct", &p.run_sd_pct,
		"effect_pct", &p.effect_pct, "fail", &fail);

	if (status == 0)
		status = job_field_version("null", v, e);
	if (status == 0)
		status = parse_choice("role", role, "boot", "build", &p.is_build, e);
	if (status == 0)
		status = parse_choice("side", side, "base", "patched", &p.is_patched, e);
	if (status == 0)
		status = parse_seed(seed, &p.seed, e);
	if (status == 0)
		status = job_field_range("null", "block", block, 0, INT32_MAX, e);
	if (status == 0)
		status = job_field_range("null", "runs", runs, 0, 1000, e);
	if (status == 0)
		status = parse_fail(fail, &p.fail, e);
	if (status == 0)
		status = job_field_text(
			a, "null", "topology", &p.topology, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_benches(
			a, "null", benches, &p.benches, &p.n_benches, e);
	if (status != 0)
		return status;
	p.block = block;
	p.runs = runs;
	*ret = p;
	return 0;
}

json_t *job_null_pack(const struct job_null *p)
{
	char seed[17];

	snprintf(seed, sizeof(seed), "%016" PRIx64, p->seed);
	return jx_pack(
		"{s:i, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:f, s:f, s:f, s:f, s:o}", "v",
		1, "role", p->is_build ? "build" : "boot", "side",
		p->is_patched ? "patched" : "base", "seed", seed, "topology",
		job_field_str(p->topology), "block", (json_int_t)p->block, "runs",
		(json_int_t)p->runs, "benches",
		job_field_benches_pack(p->benches, p->n_benches), "mean", p->mean,
		"boot_sd_pct", p->boot_sd_pct, "run_sd_pct", p->run_sd_pct, "effect_pct",
		p->effect_pct, "fail", job_field_str(p->fail));
}
