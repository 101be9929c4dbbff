/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/apply/before.h"

#include "mail/depends.h"
#include "workers/apply/parts.h"

#define SERIES_MAX 400 /* as many as SQL gives, and some */

/* "2", "2.1" as assembly counts versions; -1: no number. */
static int64_t read_version(const char *text)
{
	char *end;
	long whole = strtol(text, &end, 10), minor = 0;

	if (end != text && *end == '.')
		minor = strtol(end + 1, &end, 10);
	if (*end || end == text || whole < 0 || whole > INT32_MAX || minor < 0 ||
		minor >= PREFIX_UNIT)
		return -1;
	return whole * PREFIX_UNIT + minor;
}

static int read_prerequisites(
	struct arena *a, json_t *in, struct series *ret, struct err *e)
{
	struct mail_prerequisite *v =
		ARENA_ARRAY(a, struct mail_prerequisite, json_array_size(in) + 1);
	json_t *one;
	size_t i;

	json_array_foreach(in, i, one)
	{
		json_t *version;
		int status = jx_unpack(one, e, "prerequisite", "{s:s, s:s, s:o !}",
			"kind", &v[i].kind, "value", &v[i].value, "version", &version);

		if (status != 0)
			return status;
		v[i].version = json_string_value(version); /* null: NULL */
	}
	ret->prerequisites = v;
	ret->n_prerequisites = json_array_size(in);
	return 0;
}

static int read_series(struct job_ctx *j, json_t *in, struct series *ret, struct err *e)
{
	struct mail_opts opts = {.own_addresses = NULL};
	json_t *change_id, *prerequisites, *parts, *one;
	const char *version;
	int complete;
	size_t i;
	int status = jx_unpack(in, e, "series", "{s:s, s:s, s:o, s:b, s:o, s:o !}",
		"root", &ret->id, "version", &version, "change_id", &change_id,
		"complete", &complete, "prerequisites", &prerequisites, "parts", &parts);

	if (status != 0)
		return status;
	ret->version = read_version(version);
	ret->change_id = json_string_value(change_id);
	ret->complete = complete;
	ret->patches =
		ARENA_ARRAY(j->arena, struct series_patch, json_array_size(parts) + 1);
	json_array_foreach(parts, i, one)
	{
		struct part p;

		status = part_read(j, one, &opts, &p, e);
		if (status != 0)
			return status;
		if (strcmp(p.n, "0") == 0)
			ret->cover = p.mail;
		else
			ret->patches[ret->n_patches++] = (struct series_patch){
				.mail = p.mail, .inherited = p.inherited};
	}
	return read_prerequisites(j->arena, prerequisites, ret, e);
}

static int read_set(struct job_ctx *j, json_t *in, struct series_set *ret, struct err *e)
{
	size_t n = json_array_size(in), i;
	json_t *one;

	if (n > SERIES_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d series to build on", SERIES_MAX);
	ret->series = ARENA_ARRAY(j->arena, struct series *, n + 1);
	json_array_foreach(in, i, one)
	{
		int status;

		ret->series[i] = ARENA_NEW(j->arena, struct series);
		status = read_series(j, one, ret->series[i], e);
		if (status != 0)
			return status;
		ret->n_series++;
	}
	return 0;
}

int before_find(
	struct job_ctx *j, json_t *in, size_t n_own, struct before *ret, struct err *e)
{
	struct arena *a = j->arena;
	struct series_set set = {.series = NULL};
	struct series_depends d;
	struct apply_patch *patches;
	const char **missing;
	size_t n_missing;
	int status = read_set(j, in, &set, e);

	*ret = (struct before){.patches = NULL};
	if (status != 0 || set.n_series == 0)
		return status;
	series_depends(a, &set, set.series[0], &d);
	patches = ARENA_ARRAY(a, struct apply_patch, d.n_patches + 1);
	missing = ARENA_ARRAY(a, const char *, d.n_missing + d.n_patches + 2);
	for (n_missing = 0; n_missing < d.n_missing; n_missing++)
		missing[n_missing] = d.missing[n_missing];
	for (size_t i = 0; i < d.n_patches; i++) {
		struct err why;

		if (apply_patch_from_mail(d.patches[i], a, &patches[ret->n], &why) == 0)
			ret->n++;
		else
			missing[n_missing++] =
				arena_printf(a, "message-id %.200s cannot be used: %s",
					d.patches[i]->message_id, why.msg);
	}
	if (ret->n + n_own > APPLY_PATCHES_MAX) {
		missing[n_missing++] = arena_printf(
			a, "patches are %zu: too many to be applied first", ret->n);
		ret->n = 0;
	}
	ret->patches = patches;
	ret->missing = missing;
	return 0;
}
