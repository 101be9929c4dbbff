/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jx.h"
#include "model/job_field.h"

int job_boot_parse(struct arena *a, json_t *j, struct job_boot *ret, struct err *e)
{
	struct job_boot p = {.arch = NULL};
	json_int_t block, runs, timeout_s;
	json_t *benches, *kernel = NULL;
	int v;
	int status =
		jx_unpack(j, e, "boot", "{s:i, s:s, s:s, s:I, s:I, s:I, s:s, s:o, s?o !}",
			"v", &v, "arch", &p.arch, "topology", &p.topology, "block",
			&block, "runs", &runs, "timeout_s", &timeout_s, "config",
			&p.config, "benches", &benches, "kernel", &kernel);

	if (status == 0)
		status = job_field_version("boot", v, e);
	if (status == 0 && kernel && !json_is_null(kernel) && !json_is_string(kernel))
		status = err_set(e, ERR_INVALID, "boot: \"kernel\" is no string");
	if (status == 0)
		status = job_field_range("boot", "block", block, 0, INT32_MAX, e);
	if (status == 0)
		status = job_field_range("boot", "runs", runs, 0, 1000, e);
	if (status == 0)
		status = job_field_range("boot", "timeout_s", timeout_s, 1, 86400, e);
	if (status == 0)
		status = job_field_text(a, "boot", "arch", &p.arch, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(
			a, "boot", "topology", &p.topology, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(a, "boot", "config", &p.config, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_benches(
			a, "boot", benches, &p.benches, &p.n_benches, e);
	if (status != 0)
		return status;
	p.kernel = json_string_value(kernel);
	p.block = block;
	p.runs = runs;
	p.timeout_s = timeout_s;
	status = job_field_sha256(a, "boot", "kernel", &p.kernel, e);
	if (status == 0)
		*ret = p;
	return status;
}

json_t *job_boot_pack(const struct job_boot *p)
{
	return jx_pack("{s:i, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "v", 1, "arch",
		job_field_str(p->arch), "topology", job_field_str(p->topology), "block",
		(json_int_t)p->block, "runs", (json_int_t)p->runs, "timeout_s",
		(json_int_t)p->timeout_s, "config", job_field_str(p->config), "benches",
		job_field_benches_pack(p->benches, p->n_benches), "kernel",
		job_field_str(p->kernel));
}

/* ---- result ---- */

static int parse_event(struct arena *a, json_t *j, struct job_event *v, struct err *e)
{
	json_t *function, *stack;
	json_int_t line;
	int status = jx_unpack(j, e, "events", "{s:s, s:I, s:s, s:o, s:o !}", "kind",
		&v->kind, "line", &line, "text", &v->text, "function", &function, "stack",
		&stack);

	if (status == 0 && !json_is_null(function) && !json_is_string(function))
		status = err_set(e, ERR_INVALID, "events: \"function\" is no string");
	if (status != 0)
		return status;
	v->function = json_string_value(function);
	v->line = line;
	status = job_field_range("events", "line", line, 0, INT64_MAX, e);
	if (status == 0)
		status = job_field_text(a, "events", "kind", &v->kind, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(a, "events", "text", &v->text, JOB_TEXT_MAX, e);
	if (status == 0)
		status = job_field_text(
			a, "events", "function", &v->function, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_strings(a, "events", "stack", stack, JOB_STACK_MAX,
			&v->stack, &v->n_stack, e);
	return status;
}

static int parse_events(
	struct arena *a, json_t *j, struct job_boot_result *r, struct err *e)
{
	struct job_event *v;
	size_t n;
	int status = job_field_array("boot result", "events", j, JOB_NOTES_MAX, &n, e);

	if (status != 0)
		return status;
	v = ARENA_ARRAY(a, struct job_event, n + 1);
	for (size_t i = 0; status == 0 && i < n; i++)
		status = parse_event(a, json_array_get(j, i), &v[i], e);
	r->events = v;
	r->n_events = n;
	return status;
}

static int parse_sample(struct arena *a, json_t *j, struct job_sample *v, struct err *e)
{
	json_int_t n;
	int status = jx_unpack(j, e, "samples", "{s:s, s:s, s:s, s:I, s:F, s:s, s:s !}",
		"bench", &v->bench, "load", &v->load, "metric", &v->metric, "n", &n,
		"value", &v->value, "unit", &v->unit, "better", &v->better);

	if (status != 0)
		return status;
	v->n = n;
	if (strcmp(v->better, "lower") != 0 && strcmp(v->better, "higher") != 0)
		return err_set(
			e, ERR_INVALID, "samples: \"better\" is \"%.40s\"", v->better);
	v->better = v->better[0] == 'l' ? "lower" : "higher";
	status = job_field_range("samples", "n", n, 0, INT32_MAX, e);
	if (status == 0)
		status =
			job_field_text(a, "samples", "bench", &v->bench, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(a, "samples", "load", &v->load, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(
			a, "samples", "metric", &v->metric, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(a, "samples", "unit", &v->unit, JOB_NAME_MAX, e);
	return status;
}

static int parse_samples(
	struct arena *a, json_t *j, struct job_boot_result *r, struct err *e)
{
	struct job_sample *v;
	size_t n;
	int status = job_field_array("boot result", "samples", j, JOB_SAMPLES_MAX, &n, e);

	if (status != 0)
		return status;
	v = ARENA_ARRAY(a, struct job_sample, n + 1);
	for (size_t i = 0; status == 0 && i < n; i++)
		status = parse_sample(a, json_array_get(j, i), &v[i], e);
	r->samples = v;
	r->n_samples = n;
	return status;
}

static int check_texts(struct arena *a, struct job_boot_result *r, struct err *e)
{
	const struct {
		const char *key;
		const char **at;
	} texts[] = {
		{"release", &r->release},
		{"accel", &r->accel},
		{"accel_why", &r->accel_why},
		{"qemu", &r->qemu},
		{"sandbox", &r->sandbox},
	};
	int status = 0;

	for (size_t i = 0; status == 0 && i < ARRAY_LEN(texts); i++)
		status = job_field_text(
			a, "boot result", texts[i].key, texts[i].at, JOB_TEXT_MAX, e);
	if (status == 0)
		status = job_field_sha256(a, "boot result", "serial", &r->serial, e);
	if (status == 0)
		status = job_field_sha256(a, "boot result", "raw", &r->raw, e);
	return status;
}

int job_boot_result_parse(
	struct arena *a, json_t *j, struct job_boot_result *ret, struct err *e)
{
	struct job_boot_result r = {.status = JOB_STATUS_OK};
	json_t *argv, *serial, *raw, *events, *samples;
	const char *status_text;
	json_int_t wall_ms;
	int v, booted;
	int status = jx_unpack(j, e, "boot result",
		"{s:i, s:s, s:b, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:s "
		"!}",
		"v", &v, "status", &status_text, "booted", &booted, "release", &r.release,
		"accel", &r.accel, "accel_why", &r.accel_why, "qemu", &r.qemu, "argv",
		&argv, "serial", &serial, "raw", &raw, "events", &events, "samples",
		&samples, "wall_ms", &wall_ms, "sandbox", &r.sandbox);

	if (status == 0)
		status = job_field_version("boot result", v, e);
	if (status == 0)
		status = job_field_status("boot result", status_text, &r.status, e);
	if (status == 0 && ((!json_is_null(raw) && !json_is_string(raw)) ||
				   (!json_is_null(serial) && !json_is_string(serial))))
		status = err_set(e, ERR_INVALID,
			"boot result: \"serial\" and \"raw\" are strings or null");
	if (status == 0)
		status = job_field_range(
			"boot result", "wall_ms", wall_ms, 0, INT64_MAX, e);
	if (status != 0)
		return status;
	r.raw = json_string_value(raw);
	r.serial = json_string_value(serial);
	r.booted = booted;
	r.wall_ms = wall_ms;
	status = check_texts(a, &r, e);
	if (status == 0)
		status = job_field_strings(a, "boot result", "argv", argv, JOB_ARGV_MAX,
			&r.argv, &r.n_argv, e);
	if (status == 0)
		status = parse_events(a, events, &r, e);
	if (status == 0)
		status = parse_samples(a, samples, &r, e);
	if (status == 0)
		*ret = r;
	return status;
}

static json_t *pack_events(const struct job_boot_result *r)
{
	json_t *j = json_array();

	for (size_t i = 0; i < r->n_events; i++) {
		const struct job_event *v = &r->events[i];

		json_array_append_new(
			j, jx_pack("{s:o, s:I, s:o, s:o, s:o}", "kind",
				   job_field_str(v->kind), "line", (json_int_t)v->line,
				   "text", job_field_str(v->text), "function",
				   job_field_str(v->function), "stack",
				   job_field_strings_pack(v->stack, v->n_stack)));
	}
	return j;
}

static json_t *pack_samples(const struct job_boot_result *r)
{
	json_t *j = json_array();

	for (size_t i = 0; i < r->n_samples; i++) {
		const struct job_sample *v = &r->samples[i];

		json_array_append_new(j,
			jx_pack("{s:o, s:o, s:o, s:I, s:f, s:o, s:s}", "bench",
				job_field_str(v->bench), "load", job_field_str(v->load),
				"metric", job_field_str(v->metric), "n", (json_int_t)v->n,
				"value", v->value, "unit", job_field_str(v->unit),
				"better", v->better));
	}
	return j;
}

json_t *job_boot_result_pack(const struct job_boot_result *r)
{
	return jx_pack(
		"{s:i, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}",
		"v", 1, "status", job_status_name(r->status), "booted", (int)r->booted,
		"release", job_field_str(r->release), "accel", job_field_str(r->accel),
		"accel_why", job_field_str(r->accel_why), "qemu", job_field_str(r->qemu),
		"argv", job_field_strings_pack(r->argv, r->n_argv), "serial",
		job_field_str(r->serial), "raw", job_field_str(r->raw), "events",
		pack_events(r), "samples", pack_samples(r), "wall_ms",
		(json_int_t)r->wall_ms, "sandbox", job_field_str(r->sandbox));
}
