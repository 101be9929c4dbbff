/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/result.h"

#include "base/jx.h"
#include "base/sha256.h"

#include <math.h>

#define TEXT_MAX 4000

struct check {
	struct arena *a;
	const char **blobs;
	size_t n, cap;
};

static int too_long(const char *what, const char *text, struct err *e)
{
	if (text && strlen(text) > TEXT_MAX)
		return err_set(
			e, ERR_INVALID, "%s is longer than %d bytes", what, TEXT_MAX);
	return 0;
}

/* A SHA-256, or null when that is allowed. */
static int take_blob(
	struct check *c, const char *what, const json_t *v, bool needed, struct err *e)
{
	const char *hex = json_string_value(v);

	if (!needed && (!v || json_is_null(v)))
		return 0;
	if (!hex || !sha256_is_hex(hex))
		return err_set(e, ERR_INVALID, "result: %s is no SHA-256", what);
	*ARENA_PUSH(c->a, c->blobs, c->n, c->cap) = arena_strdup(c->a, hex);
	return 0;
}

/* A text or null, kept as it is. */
static int nullable(const char *what, const json_t *v, struct err *e)
{
	if (!v || json_is_null(v))
		return 0;
	if (!json_is_string(v))
		return err_set(e, ERR_INVALID, "%s is no text", what);
	return too_long(what, json_string_value(v), e);
}

/* [{"path","line","text"}]; the path is null where the compiler names none */
static int check_lines(const char *what, json_t *array, struct err *e)
{
	json_t *item;
	size_t i;

	if (json_array_size(array) > RESULT_LINES_MAX)
		return err_set(
			e, ERR_INVALID, "result: over %d %s", RESULT_LINES_MAX, what);
	json_array_foreach(array, i, item)
	{
		const char *text;
		json_t *path;
		json_int_t line;
		int status = jx_unpack(item, e, what, "{s:o, s:I, s:s !}", "path", &path,
			"line", &line, "text", &text);

		if (status == 0)
			status = nullable("path", path, e);
		if (status == 0)
			status = too_long("text", text, e);
		if (status != 0)
			return status;
	}
	return 0;
}

static bool status_fits(const char *status)
{
	return strcmp(status, "ok") == 0 || strcmp(status, "broken") == 0;
}

static int check_build(
	struct check *c, bool real, const char *outcome, json_t *r, struct err *e)
{
	const char *status, *release = NULL, *cc = NULL, *sandbox = NULL;
	json_t *kernel = NULL, *errors = NULL, *warnings = NULL;
	json_int_t compiles = 0, wall_ms = 0;
	int rc = jx_unpack(r, e, "result",
		"{s?i, s:s, s?o, s?s, s?o, s?o, s?I, s?I, s?s, s?s !}", "v", &(int){1},
		"status", &status, "kernel", &kernel, "release", &release, "errors",
		&errors, "warnings", &warnings, "compiles", &compiles, "wall_ms",
		&wall_ms, "cc", &cc, "sandbox", &sandbox);
	bool ok;

	if (rc != 0)
		return rc;
	if (!status_fits(status))
		return err_set(e, ERR_INVALID, "result: status is ok or broken");
	ok = strcmp(status, "ok") == 0;
	if (ok != (strcmp(outcome, "done") == 0))
		return err_set(e, ERR_INVALID,
			"a kernel that does not compile is outcome failed, status "
			"broken; "
			"this says %s, %s",
			outcome, status);
	if ((errors && !json_is_array(errors)) || (warnings && !json_is_array(warnings)))
		return err_set(e, ERR_INVALID, "result: errors and warnings are arrays");
	rc = take_blob(c, "kernel", kernel, real && ok, e);
	if (rc == 0)
		rc = check_lines("errors", errors, e);
	if (rc == 0)
		rc = check_lines("warnings", warnings, e);
	if (rc == 0)
		rc = too_long("cc", cc, e);
	if (rc == 0)
		rc = too_long("release", release, e);
	return rc ? rc : too_long("sandbox", sandbox, e);
}

static int check_sample(json_t *s, struct err *e)
{
	const char *bench, *load, *metric, *better;
	json_t *unit;
	json_int_t n;
	double value;
	int rc = jx_unpack(s, e, "sample", "{s:s, s:s, s:s, s:I, s:F, s:o, s:s !}",
		"bench", &bench, "load", &load, "metric", &metric, "n", &n, "value",
		&value, "unit", &unit, "better", &better);

	if (rc != 0)
		return rc;
	rc = nullable("unit", unit, e);
	if (rc != 0)
		return rc;
	if (strlen(bench) > 100 || strlen(load) > 200 || strlen(metric) > 100)
		return err_set(e, ERR_INVALID, "sample: a name is too long");
	if (n < 0 || n > 100000 || !isfinite(value))
		return err_set(e, ERR_INVALID, "sample: n or value is out of range");
	if (strcmp(better, "lower") != 0 && strcmp(better, "higher") != 0)
		return err_set(e, ERR_INVALID, "sample: better is lower or higher");
	return 0;
}

/* Events are the log check's own JSON: kind, line and text are ours, the rest is kept. */
static int check_events(json_t *events, struct err *e)
{
	json_t *item;
	size_t i;

	if (json_array_size(events) > RESULT_EVENTS_MAX)
		return err_set(
			e, ERR_INVALID, "result: over %d events", RESULT_EVENTS_MAX);
	json_array_foreach(events, i, item)
	{
		const char *kind, *text;
		json_int_t line;
		int rc = jx_unpack(item, e, "event", "{s:s, s:I, s:s}", "kind", &kind,
			"line", &line, "text", &text);

		if (rc == 0)
			rc = too_long("event", text, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int check_boot(struct check *c, bool real, json_t *r, struct err *e)
{
	const char *status, *release = NULL, *accel = NULL, *accel_why = NULL;
	const char *qemu = NULL, *sandbox = NULL;
	json_t *argv = NULL, *serial = NULL, *raw = NULL, *events = NULL, *samples = NULL;
	json_t *item;
	json_int_t wall_ms = 0;
	int booted = 0;
	size_t i;
	int rc = jx_unpack(r, e, "result",
		"{s?i, s:s, s?b, s?s, s?s, s?s, s?s, s?o, s?o, s?o, s?o, s?o, s?I, s?s "
		"!}",
		"v", &(int){1}, "status", &status, "booted", &booted, "release", &release,
		"accel", &accel, "accel_why", &accel_why, "qemu", &qemu, "argv", &argv,
		"serial", &serial, "raw", &raw, "events", &events, "samples", &samples,
		"wall_ms", &wall_ms, "sandbox", &sandbox);

	if (rc != 0)
		return rc;
	if (!status_fits(status))
		return err_set(e, ERR_INVALID, "result: status is ok or broken");
	if ((argv && !json_is_array(argv)) || (events && !json_is_array(events)) ||
		(samples && !json_is_array(samples)))
		return err_set(
			e, ERR_INVALID, "result: argv, events and samples are arrays");
	if (json_array_size(argv) > 512 || json_array_size(samples) > RESULT_SAMPLES_MAX)
		return err_set(e, ERR_INVALID, "result: argv or samples are too many");
	rc = take_blob(c, "serial", serial, real, e);
	if (rc == 0)
		rc = take_blob(c, "raw", raw, false, e);
	if (rc == 0)
		rc = check_events(events, e);
	if (rc != 0)
		return rc;
	json_array_foreach(samples, i, item)
	{
		rc = check_sample(item, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* null is as good as absent, as in requests. */
static void drop_nulls(json_t *object)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(object, next, key, value)
	{
		if (json_is_null(value))
			json_object_del(object, key);
	}
}

int result_check(struct arena *a, const char *kind, const char *role, const char *outcome,
	json_t *result, const char *const **ret_blobs, size_t *ret_n, struct err *e)
{
	struct check c = {.a = a};
	bool final = strcmp(outcome, "done") == 0 || strcmp(outcome, "failed") == 0;
	bool build = strcmp(kind, "build") == 0 || (role && strcmp(role, "build") == 0);
	bool real = strcmp(kind, "null") != 0;
	int rc = 0;

	if (!final && strcmp(outcome, "retry") != 0 && strcmp(outcome, "park") != 0)
		return err_set(e, ERR_INVALID, "outcome is done, failed, retry or park");
	if (!final && result)
		return err_set(e, ERR_INVALID, "outcome %s has no result", outcome);
	if (final && !result)
		return err_set(e, ERR_INVALID, "outcome %s needs a result", outcome);
	if (result && !json_is_object(result))
		return err_set(e, ERR_INVALID, "result is no object");
	if (result) {
		drop_nulls(result);
		rc = build ? check_build(&c, real, outcome, result, e)
			   : check_boot(&c, real, result, e);
	}
	if (rc != 0)
		return rc;
	*ret_blobs = c.blobs;
	*ret_n = c.n;
	return 0;
}
