/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/job_field.h"

#include "base/jx.h"
#include "base/sha256.h"
#include <inttypes.h>

int job_field_version(const char *what, int v, struct err *e)
{
	if (v != 1)
		return err_set(e, ERR_INVALID, "%s: \"v\" is %d, 1 is due", what, v);
	return 0;
}

int job_field_range(const char *what, const char *key, int64_t v, int64_t min,
	int64_t max, struct err *e)
{
	if (v < min || v > max)
		return err_set(e, ERR_INVALID, "%s: \"%s\" is %" PRId64, what, key, v);
	return 0;
}

int job_field_text(struct arena *a, const char *what, const char *key, const char **s,
	size_t max, struct err *e)
{
	if (!*s)
		return 0;
	if (strlen(*s) > max)
		return err_set(e, ERR_TOO_BIG, "%s: \"%s\" has %zu bytes, %zu may be",
			what, key, strlen(*s), max);
	*s = arena_strdup(a, *s);
	return 0;
}

int job_field_sha256(
	struct arena *a, const char *what, const char *key, const char **s, struct err *e)
{
	if (*s && !sha256_is_hex(*s))
		return err_set(e, ERR_INVALID, "%s: \"%s\" is no SHA-256", what, key);
	*s = arena_strdup(a, *s);
	return 0;
}

int job_field_oid(
	struct arena *a, const char *what, const char *key, const char **s, struct err *e)
{
	if (*s && (strlen(*s) != 40 || strspn(*s, "0123456789abcdef") != 40))
		return err_set(e, ERR_INVALID, "%s: \"%s\" is no object id", what, key);
	*s = arena_strdup(a, *s);
	return 0;
}

const char *job_status_name(enum job_status s)
{
	return s == JOB_STATUS_OK ? "ok" : "broken";
}

int job_field_status(
	const char *what, const char *text, enum job_status *ret, struct err *e)
{
	if (!strcmp(text, "ok"))
		*ret = JOB_STATUS_OK;
	else if (!strcmp(text, "broken"))
		*ret = JOB_STATUS_BROKEN;
	else
		return err_set(e, ERR_INVALID, "%s: \"status\" is \"%.40s\"", what, text);
	return 0;
}

int job_field_array(const char *what, const char *key, const json_t *j, size_t max,
	size_t *ret_n, struct err *e)
{
	if (!json_is_array(j))
		return err_set(e, ERR_INVALID, "%s: \"%s\" is no array", what, key);
	if (json_array_size(j) > max)
		return err_set(e, ERR_TOO_BIG, "%s: \"%s\" has %zu elements, %zu may be",
			what, key, json_array_size(j), max);
	*ret_n = json_array_size(j);
	return 0;
}

int job_field_strings(struct arena *a, const char *what, const char *key, json_t *j,
	size_t max, const char *const **ret_v, size_t *ret_n, struct err *e)
{
	const char **v;
	size_t n;
	int status = job_field_array(what, key, j, max, &n, e);

	if (status != 0)
		return status;
	v = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = json_string_value(json_array_get(j, i));
		if (!v[i])
			return err_set(e, ERR_INVALID, "%s: \"%s\"[%zu] is no string",
				what, key, i);
		status = job_field_text(a, what, key, &v[i], JOB_TEXT_MAX, e);
		if (status != 0)
			return status;
	}
	*ret_v = v;
	*ret_n = n;
	return 0;
}

int job_field_benches(struct arena *a, const char *what, json_t *j,
	const struct job_bench **ret_v, size_t *ret_n, struct err *e)
{
	struct job_bench *v;
	size_t n;
	int status = job_field_array(what, "benches", j, JOB_BENCHES_MAX, &n, e);

	if (status != 0)
		return status;
	v = ARENA_ARRAY(a, struct job_bench, n + 1);
	for (size_t i = 0; status == 0 && i < n; i++) {
		json_t *argv;

		status = jx_unpack(json_array_get(j, i), e, what, "{s:s, s:s, s:o !}",
			"bench", &v[i].bench, "load", &v[i].load, "argv", &argv);
		if (status == 0)
			status = job_field_text(
				a, what, "bench", &v[i].bench, JOB_NAME_MAX, e);
		if (status == 0)
			status = job_field_text(
				a, what, "load", &v[i].load, JOB_NAME_MAX, e);
		if (status == 0)
			status = job_field_strings(a, what, "argv", argv, JOB_ARGV_MAX,
				&v[i].argv, &v[i].n_argv, e);
	}
	if (status != 0)
		return status;
	*ret_v = v;
	*ret_n = n;
	return 0;
}

json_t *job_field_str(const char *s)
{
	return jx_str_or_null(s);
}

json_t *job_field_strings_pack(const char *const *v, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(j, job_field_str(v[i]));
	return j;
}

json_t *job_field_benches_pack(const struct job_bench *v, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			j, jx_pack("{s:o, s:o, s:o}", "bench", job_field_str(v[i].bench),
				   "load", job_field_str(v[i].load), "argv",
				   job_field_strings_pack(v[i].argv, v[i].n_argv)));
	return j;
}
