/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

static int get_plan(struct noun_call *call, json_t **ret, const json_t **ret_plan)
{
	int rc = noun_get(call,
		arena_printf(call->arena, "/series/%s",
			client_escape(call->arena, call->operands[0])),
		ret);

	if (rc || !*ret)
		return rc;
	*ret_plan = json_object_get(*ret, "plan");
	if (!json_is_object(*ret_plan)) {
		printf("Series %s has no plan: it is %s.\n", call->operands[0],
			show_text(call->arena, *ret, "series.state"));
		json_decref(*ret);
		*ret = NULL;
		return CLI_NO;
	}
	return 0;
}

static int run_ls(struct noun_call *call)
{
	static const struct show_column columns[] = {{"id", "RUN", SHOW_NUMBER, 0},
		{"position", "POS", SHOW_NUMBER, 0},
		{"topology", "TOPOLOGY", SHOW_TEXT, 0},
		{"block", "BLOCK", SHOW_NUMBER, 0}, {"side", "SIDE", SHOW_TEXT, 0},
		{"state", "STATE", SHOW_STATE, 0}, {"machine", "MACHINE", SHOW_TEXT, 0},
		{"why", "WHY", SHOW_TEXT, 70}, {NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	const json_t *plan;
	int rc = get_plan(call, &answer, &plan);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(plan, "runs"), columns, "No boot is planned.");
	json_decref(answer);
	return CLI_OK;
}

static int run_show(struct noun_call *call)
{
	static const struct show_column facts[] = {{"state", "state", SHOW_STATE, 0},
		{"why", "why", SHOW_TEXT, 0}, {"topology", "topology", SHOW_TEXT, 0},
		{"block", "block", SHOW_TEXT, 0}, {"machine", "machine", SHOW_TEXT, 0},
		{"build.commit", "kernel", SHOW_ID12, 0},
		{"qemu", "emulator", SHOW_TEXT, 0},
		{"accel", "accelerator", SHOW_TEXT, 0},
		{"sandbox", "sandbox", SHOW_TEXT, 0},
		{"wall_ms", "wall ms", SHOW_TEXT, 0},
		{"serial", "serial log", SHOW_TEXT, 0},
		{"raw", "raw results", SHOW_TEXT, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	static const struct show_column samples[] = {{"bench", "BENCH", SHOW_TEXT, 0},
		{"load", "LOAD", SHOW_TEXT, 0}, {"metric", "METRIC", SHOW_TEXT, 0},
		{"n", "N", SHOW_NUMBER, 0}, {"value", "VALUE", SHOW_NUMBER, 0},
		{"unit", "UNIT", SHOW_TEXT, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	static const struct show_column found[] = {{"kind", "KIND", SHOW_TEXT, 0},
		{"line", "LINE", SHOW_NUMBER, 0}, {"text", "TEXT", SHOW_TEXT, 100},
		{"function", "FUNCTION", SHOW_TEXT, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	const char *state;
	bool open;
	json_t *answer;
	int rc = noun_get(call,
		arena_printf(call->arena, "/runs/%s",
			client_escape(call->arena, call->operands[0])),
		&answer);

	if (rc || !answer)
		return rc;
	show_facts(json_object_get(answer, "run"), facts);
	state = show_text(call->arena, answer, "run.state");
	open = strcmp(state, "queued") == 0 || strcmp(state, "running") == 0;
	show_table(json_object_get(answer, "samples"), samples,
		open ? "No numbers yet." : "No numbers.");
	show_table(json_object_get(answer, "events"), found,
		open                       ? "No log yet."
		: strcmp(state, "ok") == 0 ? "No panic, no warning, no stall."
					   : "Nothing that the log check knows.");
	json_decref(answer);
	return CLI_OK;
}

static int run_log(struct noun_call *call)
{
	json_t *answer = NULL;
	char *text = NULL;
	const char *serial;
	int rc = client_call(call->client, "GET",
		arena_printf(call->arena, "/runs/%s",
			client_escape(call->arena, call->operands[0])),
		NULL, &answer, &call->err);

	if (rc)
		return rc;
	serial = show_text(call->arena, answer, "run.serial");
	rc = client_text(call->client,
		*serial ? arena_printf(call->arena, "/blobs/%s", serial)
			: arena_printf(call->arena, "/jobs/%s/log?offset=0",
				  show_text(call->arena, answer, "run.job_id")),
		&text, &call->err);
	json_decref(answer);
	if (rc)
		return rc;
	fputs(text, stdout);
	free(text);
	return CLI_OK;
}

static const struct noun_verb run_verbs[] = {
	{"ls", "SERIES", "Boots that are planned for a series, in their order", 1, 1,
		NULL, run_ls},
	{"show", "RUN", "One boot: where, what came out, what its log says", 1, 1, NULL,
		run_show},
	{"log", "RUN", "Its serial log, as it came", 1, 1, NULL, run_log},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_run(int argc, char **argv)
{
	return noun_run("run", "Boots of kernels", run_verbs, argc, argv);
}

static int plan_show(struct noun_call *call)
{
	static const struct show_column facts[] = {{"seed", "seed", SHOW_TEXT, 0},
		{"blocks", "blocks", SHOW_TEXT, 0}, {"profile", "profile", SHOW_TEXT, 0},
		{NULL, NULL, SHOW_TEXT, 0}};
	static const struct show_column cells[] = {{"tier", "TIER", SHOW_TEXT, 0},
		{"topology", "TOPOLOGY", SHOW_TEXT, 0}, {"bench", "BENCH", SHOW_TEXT, 0},
		{"load", "LOAD", SHOW_TEXT, 0}, {"why", "WHY", SHOW_TEXT, 0},
		{NULL, NULL, SHOW_TEXT, 0}};
	static const struct show_column builds[] = {{"side", "SIDE", SHOW_TEXT, 0},
		{"state", "STATE", SHOW_STATE, 0}, {"commit", "COMMIT", SHOW_ID12, 0},
		{"compiles", "COMPILES", SHOW_NUMBER, 0},
		{"wall_ms", "MS", SHOW_NUMBER, 0}, {"why", "WHY", SHOW_TEXT, 80},
		{NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	const json_t *plan;
	int rc = get_plan(call, &answer, &plan);

	if (rc || !answer)
		return rc;
	show_facts(plan, facts);
	show_table(json_object_get(plan, "cells"), cells, "No cell.");
	show_table(json_object_get(plan, "builds"), builds, "No build.");
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_verb plan_verbs[] = {
	{"show", "SERIES", "What runs for a series, and why", 1, 1, NULL, plan_show},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_plan(int argc, char **argv)
{
	return noun_run("plan", "Experiments", plan_verbs, argc, argv);
}

static int machine_ls(struct noun_call *call)
{
	static const struct show_column columns[] = {{"name", "MACHINE", SHOW_TEXT, 0},
		{"state", "STATE", SHOW_STATE, 0}, {"arch", "ARCH", SHOW_TEXT, 0},
		{"cpus", "CPUS", SHOW_NUMBER, 0}, {"seen_at", "HEARD OF", SHOW_AGE, 0},
		{"caps", "CAN", SHOW_TEXT, 90}, {NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	int rc = noun_get(call, "/machines", &answer);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "machines"), columns,
		"No machine has registered; start \"wakelist-runner agent\" on one.");
	json_decref(answer);
	return CLI_OK;
}

static int machine_show(struct noun_call *call)
{
	static const struct show_column facts[] = {{"name", "name", SHOW_TEXT, 0},
		{"state", "state", SHOW_STATE, 0}, {"why", "why", SHOW_TEXT, 0},
		{"arch", "architecture", SHOW_TEXT, 0}, {"cpus", "CPUs", SHOW_TEXT, 0},
		{"caps", "can", SHOW_TEXT, 0}, {"seen_at", "heard of", SHOW_AGE, 0},
		{NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	const json_t *machine;
	int rc = noun_get(call,
		arena_printf(call->arena, "/machines/%s",
			client_escape(call->arena, call->operands[0])),
		&answer);

	if (rc || !answer)
		return rc;
	machine = json_object_get(answer, "machine");
	show_facts(machine ? machine : answer, facts);
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_verb machine_verbs[] = {
	{"ls", "", "Machines that run jobs", 0, 0, NULL, machine_ls},
	{"show", "NAME", "One machine", 1, 1, NULL, machine_show},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_machine(int argc, char **argv)
{
	return noun_run("machine", "Machines that run jobs", machine_verbs, argc, argv);
}
