/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

#include "mail/msgid.h"

#include <ctype.h>

static const struct show_column ls_columns[] = {
	{"id", "ID", SHOW_NUMBER, 0},
	{"state", "STATE", SHOW_STATE, 0},
	{"version", "V", SHOW_TEXT, 0},
	{"title", "TITLE", SHOW_TEXT, 56},
	{"author.name", "AUTHOR", SHOW_TEXT, 20},
	{"changed_at", "CHANGED", SHOW_AGE, 0},
	{"result", "WHAT CAME OF IT", SHOW_TEXT, 70},
	{NULL, NULL, SHOW_TEXT, 0},
};

static int series_ls(struct noun_call *call)
{
	static const char *const filters[] = {"state", "list", "before", "limit"};
	const char *path = "/series?", *next;
	json_t *answer;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(filters); i++)
		if (noun_value(call, filters[i]))
			path = arena_printf(call->arena, "%s%s=%s&", path, filters[i],
				client_escape(call->arena, noun_value(call, filters[i])));
	if (call->n_operands)
		path = arena_printf(call->arena, "%sq=%s&", path,
			client_escape(call->arena, call->operands[0]));
	rc = noun_get(call, arena_strndup(call->arena, path, strlen(path) - 1), &answer);
	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "series"), ls_columns, "No such series.");
	next = show_text(call->arena, answer, "next");
	if (*next)
		fprintf(stderr, "older ones: --before %s\n", next);
	json_decref(answer);
	return CLI_OK;
}

/* An operand is an id, or a message-id in any of its spellings. */
static int resolve(struct noun_call *call, const char *operand, const char **ret_id)
{
	const char *p = operand, *msgid = NULL;
	json_t *answer = NULL;
	int rc;

	while (isdigit((unsigned char)*p))
		p++;
	if (p != operand && !*p) {
		*ret_id = operand;
		return 0;
	}
	rc = msgid_parse(call->arena, operand, &msgid, NULL, &call->err);
	if (rc == 0)
		rc = client_call(call->client, "GET",
			arena_printf(
				call->arena, "/r/%s", client_escape(call->arena, msgid)),
			NULL, &answer, &call->err);
	if (rc)
		return rc;
	*ret_id = show_text(call->arena, answer, "series_id");
	json_decref(answer);
	return 0;
}

static void print_stages(struct arena *a, const json_t *stages)
{
	size_t i;
	json_t *stage;

	json_array_foreach((json_t *)stages, i, stage)
		printf("  %-9s %-8s %s\n", show_text(a, stage, "name"),
			show_text(a, stage, "state"), show_text(a, stage, "text"));
}

static void print_series(struct noun_call *call, const json_t *answer)
{
	static const struct show_column facts[] = {{"title", "title", SHOW_TEXT, 0},
		{"version", "version", SHOW_TEXT, 0},
		{"author.name", "author", SHOW_TEXT, 0}, {"list", "list", SHOW_TEXT, 0},
		{"root_message_id", "message-id", SHOW_TEXT, 0},
		{"state", "state", SHOW_STATE, 0}, {"result", "result", SHOW_TEXT, 0},
		{"why", "why", SHOW_TEXT, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	static const struct show_column verdicts[] = {{"mark", "MARK", SHOW_TEXT, 0},
		{"tier", "TIER", SHOW_TEXT, 0}, {"topology", "TOPOLOGY", SHOW_TEXT, 0},
		{"bench", "BENCH", SHOW_TEXT, 0}, {"load", "LOAD", SHOW_TEXT, 0},
		{"why", "WHY", SHOW_TEXT, 80}, {NULL, NULL, SHOW_TEXT, 0}};
	const json_t *application = json_object_get(answer, "application");
	const json_t *reply = json_object_get(answer, "reply");

	show_facts(json_object_get(answer, "series"), facts);
	if (json_is_object(application))
		printf("base        %.12s %s\n",
			show_text(call->arena, application, "base_commit"),
			show_text(call->arena, application, "base_how"));
	if (json_is_string(json_object_get(application, "before_commit")))
		printf("with        %.12s (what it builds on)\n",
			show_text(call->arena, application, "before_commit"));
	print_stages(call->arena, json_object_get(answer, "stages"));
	if (json_array_size(json_object_get(answer, "verdicts")))
		show_table(json_object_get(answer, "verdicts"), verdicts, "");
	if (json_is_object(reply))
		printf("reply %s: %s  (wakelist reply show %s)\n",
			show_text(call->arena, reply, "id"),
			show_text(call->arena, reply, "state"),
			show_text(call->arena, reply, "id"));
}

static int series_show(struct noun_call *call)
{
	const char *id = NULL;
	json_t *answer;
	int rc = resolve(call, call->operands[0], &id);

	if (rc == 0)
		rc = noun_get(call, arena_printf(call->arena, "/series/%s", id), &answer);
	if (rc || !answer)
		return rc;
	print_series(call, answer);
	json_decref(answer);
	return CLI_OK;
}

struct watch {
	struct noun_call *call;
	const char *id;
	struct show_progress progress;
	char said[8][160]; /* last text of each stage that was printed */
	int status;
	json_t *last;
};

/* Prints each stage's text once it is done or failed; what is under way is the progress
 * line. */
static void say_stages(struct watch *w, struct arena *a, const json_t *answer)
{
	const json_t *stages = json_object_get(answer, "stages");

	for (size_t i = 0; i < json_array_size(stages) && i < ARRAY_LEN(w->said); i++) {
		const json_t *stage = json_array_get(stages, i);
		const char *state = show_text(a, stage, "state");
		const char *text = show_text(a, stage, "text");

		if (strcmp(state, "waiting") == 0 || strcmp(state, "active") == 0 ||
			strncmp(w->said[i], text, sizeof(w->said[i]) - 1) == 0)
			continue;
		snprintf(w->said[i], sizeof(w->said[i]), "%s", text);
		show_progress_end(&w->progress);
		fprintf(stderr, "%-9s %s%s\n", show_text(a, stage, "name"),
			strcmp(state, "failed") == 0 ? "NO: " : "", text);
	}
}

static int on_event(void *arg)
{
	struct watch *w = arg;
	struct arena *a = arena_new();
	json_t *answer = NULL;
	const json_t *series;
	bool final;

	w->status = client_call(w->call->client, "GET",
		arena_printf(a, "/series/%s", w->id), NULL, &answer, &w->call->err);
	if (w->status) {
		arena_free(a);
		return w->status !=
		       ERR_UNAVAILABLE; /* a restart of the server is no end */
	}
	series = json_object_get(answer, "series");
	final = json_is_true(json_object_get(series, "final"));
	say_stages(w, a, answer);
	if (!final)
		show_progress(&w->progress, show_text(a, series, "state"),
			json_object_get(series, "progress"));
	json_decref(w->last);
	w->last = answer;
	arena_free(a);
	return final;
}

int series_watch(struct noun_call *call, const char *id)
{
	struct watch w = {.call = call, .id = id};
	const char *state;
	int rc;

	client_follow(call->client, id, on_event, &w);
	show_progress_end(&w.progress);
	rc = w.status;
	if (rc == 0 && w.last) {
		const json_t *series = json_object_get(w.last, "series");

		state = show_text(call->arena, series, "state");
		if (call->json)
			rc = cli_print_json(json_incref(w.last));
		else
			print_series(call, w.last);
		if (rc == 0 && (strcmp(state, "failed") == 0))
			rc = CLI_FAILED;
		else if (rc == 0 &&
			 strcmp(show_text(call->arena, w.last, "application.result"),
				 "applied") != 0)
			rc = CLI_NO;
	}
	json_decref(w.last);
	return rc;
}

static int series_watch_verb(struct noun_call *call)
{
	const char *id = NULL;
	int rc = resolve(call, call->operands[0], &id);

	return rc ? rc : series_watch(call, id);
}

static int series_retry(struct noun_call *call)
{
	const char *id = NULL;
	json_t *answer;
	int rc = resolve(call, call->operands[0], &id);

	if (rc == 0)
		rc = noun_send(call, "POST",
			arena_printf(call->arena, "/series/%s/retry", id),
			jx_pack("{s:i}", "v", 1), &answer);
	if (rc || !answer)
		return rc;
	printf("series %s is tried again.\n", id);
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_option ls_options[] = {
	{"state", "STATE", "only this state", false, 0},
	{"list", "NAME", "only this list", false, 0},
	{"before", "CURSOR", "older than", false, 0},
	{"limit", "N", "at most N, default 30", false, 0},
	{NULL, NULL, NULL, false, 0},
};

static const struct noun_verb verbs[] = {
	{"ls", "[TEXT]",
		"Series, newest first; TEXT searches title, author and message-id", 0, 1,
		ls_options, series_ls},
	{"show", "ID|MESSAGE-ID", "One series version and what it came to", 1, 1, NULL,
		series_show},
	{"watch", "ID|MESSAGE-ID", "Follow its stages until it is answered", 1, 1, NULL,
		series_watch_verb},
	{"retry", "ID|MESSAGE-ID", "Try a failed series again", 1, 1, NULL, series_retry},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_series(int argc, char **argv)
{
	return noun_run(
		"series", "Patch series and what they came to", verbs, argc, argv);
}
