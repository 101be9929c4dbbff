/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/job.h"

#include "base/jx.h"
#include "model/job_field.h"

const struct job_kind job_kinds[] = {
	{"tree", "worker", "imports a kernel tree or publishes a branch in it"},
	{"ingest", "worker", "reads mail from a list and assembles series"},
	{"apply", "worker", "applies a series to its base"},
	{"plan", "worker", "designs the experiment of a series"},
	{"analyse", "worker", "judges the numbers of a plan"},
	{"reply", "worker", "composes or sends the reply"},
	{"build", "runner", "builds a kernel"},
	{"boot", "runner", "boots a kernel on a topology and runs benchmarks in it"},
	{"null", "runner", "gives known numbers without hardware, for tests"},
};
const size_t job_n_kinds = ARRAY_LEN(job_kinds);

const struct job_kind *job_kind_find(const char *name)
{
	for (size_t i = 0; i < job_n_kinds; i++)
		if (!strcmp(job_kinds[i].name, name))
			return &job_kinds[i];
	return NULL;
}

static const char *const outcome_names[] = {
	[JOB_DONE] = "done",
	[JOB_FAILED] = "failed",
	[JOB_RETRY] = "retry",
	[JOB_PARK] = "park",
};

const char *job_outcome_name(enum job_outcome o)
{
	return outcome_names[o];
}

int job_outcome_parse(const char *name, enum job_outcome *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(outcome_names); i++) {
		if (!strcmp(outcome_names[i], name)) {
			*ret = (enum job_outcome)i;
			return 0;
		}
	}
	return err_set(e, ERR_INVALID,
		"outcome \"%.40s\": done, failed, retry or park is due", name);
}

enum job_outcome job_outcome_of(enum err_code code)
{
	switch (err_outcome(code)) {
	case ERR_OUTCOME_RETRY:
		return JOB_RETRY;
	case ERR_OUTCOME_PARK:
		return JOB_PARK;
	default:
		return JOB_FAILED;
	}
}

int job_progress_parse(
	struct arena *a, json_t *j, struct job_progress *ret, struct err *e)
{
	struct job_progress p = {.done = 0};
	json_int_t done, total;
	int status = jx_unpack(j, e, "progress", "{s:I, s:I, s:s, s:s !}", "done", &done,
		"total", &total, "unit", &p.unit, "text", &p.text);

	p.done = done;
	p.total = total;
	if (status == 0)
		status = job_field_range("progress", "done", done, 0, INT64_MAX, e);
	if (status == 0)
		status = job_field_range("progress", "total", total, 0, INT64_MAX, e);
	if (status == 0)
		status = job_field_text(a, "progress", "unit", &p.unit, JOB_NAME_MAX, e);
	if (status == 0)
		status = job_field_text(a, "progress", "text", &p.text, JOB_TEXT_MAX, e);
	if (status == 0)
		*ret = p;
	return status;
}

json_t *job_progress_pack(const struct job_progress *p)
{
	return jx_pack("{s:I, s:I, s:o, s:o}", "done", (json_int_t)p->done, "total",
		(json_int_t)p->total, "unit", job_field_str(p->unit), "text",
		job_field_str(p->text));
}
