/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/conf.h"
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

#include <limits.h>

/* A path is meant on this machine: the server gets it absolute. URLs stay as they are. */
static const char *absolute(struct arena *a, const char *url)
{
	char path[PATH_MAX];

	return strstr(url, "://") || !realpath(url, path) ? url : arena_strdup(a, path);
}

static json_t *number_or_null(const char *text, struct err *e, int *rc)
{
	int64_t ms = 0;

	if (!text || *rc)
		return NULL;
	*rc = conf_parse_value(CONF_MS, text, &ms, e);
	return *rc ? NULL : json_integer(ms);
}

static int list_subscribe(struct noun_call *call)
{
	int rc = 0;
	json_t *answer,
		*poll_ms = number_or_null(noun_value(call, "poll"), &call->err, &rc);
	json_t *deadline_ms =
		number_or_null(noun_value(call, "deadline"), &call->err, &rc);

	if (rc)
		return rc;
	rc = noun_send(call, "POST", "/lists",
		jx_pack("{s:i, s:s, s:s, s:o*, s:s*, s:s*, s:s*, s:o*, s:o*}", "v", 1,
			"name", call->operands[0], "url",
			absolute(call->arena, call->operands[1]), "match",
			noun_values(call, "match"), "tree", noun_value(call, "tree"),
			"reply", noun_value(call, "reply"), "address",
			noun_value(call, "address"), "poll_ms", poll_ms, "deadline_ms",
			deadline_ms),
		&answer);
	if (rc || !answer)
		return rc;
	printf("%s is watched; \"wakelist series ls --list %s\" shows what comes.\n",
		call->operands[0], call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static const struct show_column ls_columns[] = {
	{"name", "LIST", SHOW_TEXT, 0},
	{"state", "STATE", SHOW_STATE, 0},
	{"mails", "MAILS", SHOW_NUMBER, 0},
	{"series", "SERIES", SHOW_NUMBER, 0},
	{"reply", "REPLIES", SHOW_TEXT, 0},
	{"polled_at", "ASKED", SHOW_AGE, 0},
	{"url", "ARCHIVE", SHOW_TEXT, 48},
	{"why", "TROUBLE", SHOW_TEXT, 60},
	{NULL, NULL, SHOW_TEXT, 0},
};

static int list_ls(struct noun_call *call)
{
	json_t *answer;
	int rc = noun_get(call, "/lists", &answer);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "lists"), ls_columns,
		"No list is watched; \"wakelist list subscribe NAME URL\" adds one.");
	json_decref(answer);
	return CLI_OK;
}

static int list_show(struct noun_call *call)
{
	static const struct show_column facts[] = {{"name", "name", SHOW_TEXT, 0},
		{"url", "archive", SHOW_TEXT, 0}, {"state", "state", SHOW_STATE, 0},
		{"why", "trouble", SHOW_TEXT, 0},
		{"match", "watched paths", SHOW_TEXT, 0}, {"tree", "tree", SHOW_TEXT, 0},
		{"reply", "replies", SHOW_TEXT, 0}, {"mails", "mails", SHOW_TEXT, 0},
		{"series", "series", SHOW_TEXT, 0}, {"polled_at", "asked", SHOW_AGE, 0},
		{"next_poll_at", "asked again", SHOW_AGE, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	const json_t *list;
	int rc = noun_get(call,
		arena_printf(call->arena, "/lists/%s",
			client_escape(call->arena, call->operands[0])),
		&answer);

	if (rc || !answer)
		return rc;
	list = json_object_get(answer, "list");
	show_facts(list ? list : answer, facts);
	json_decref(answer);
	return CLI_OK;
}

static int list_act(
	struct noun_call *call, const char *method, const char *tail, const char *said)
{
	json_t *answer;
	int rc = noun_send(call, method,
		arena_printf(call->arena, "/lists/%s%s",
			client_escape(call->arena, call->operands[0]), tail),
		*tail ? jx_pack("{s:i}", "v", 1) : NULL, &answer);

	if (rc || !answer)
		return rc;
	printf("%s %s.\n", call->operands[0], said);
	json_decref(answer);
	return CLI_OK;
}

static int list_rm(struct noun_call *call)
{
	return list_act(
		call, "DELETE", "", "is not watched any more; its mails and series stay");
}

static int list_poll(struct noun_call *call)
{
	return list_act(call, "POST", "/poll", "is asked now");
}

static const struct noun_option subscribe_options[] = {
	{"match", "PATHSPEC", "watched path, default kernel/sched/ include/linux/sched/",
		true, 0},
	{"tree", "NAME", "tree that its series are applied to", false, 0},
	{"reply", "POLICY", "hold (default), author or list", false, 0},
	{"address", "ADDRESS", "posting address of the list", false, 0},
	{"poll", "TIME", "how often the archive is asked, default 60s", false, 0},
	{"deadline", "TIME", "a reply is composed at the latest after it, default 24h",
		false, 0},
	{NULL, NULL, NULL, false, 0},
};

static const struct noun_verb verbs[] = {
	{"subscribe", "NAME URL",
		"Watch a public-inbox by HTTP, or an epoch repository by path", 2, 2,
		subscribe_options, list_subscribe},
	{"ls", "", "Lists that are watched", 0, 0, NULL, list_ls},
	{"show", "NAME", "One list", 1, 1, NULL, list_show},
	{"poll", "NAME", "Ask the archive now", 1, 1, NULL, list_poll},
	{"rm", "NAME", "Stop watching", 1, 1, NULL, list_rm},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_list(int argc, char **argv)
{
	return noun_run("list", "Mailing lists that are watched", verbs, argc, argv);
}
