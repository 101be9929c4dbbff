/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

#include "mail/msgid.h"

#include <poll.h>

#define POLL_MS  300
#define AWAY_MAX 200 /* polls without an answer: a restart of the server is no end */

/* Until the submission has a series or a reason. */
static int wait_series(
	struct noun_call *call, const char *submission, const char **ret_series)
{
	struct show_progress progress = {0};
	int n_away = 0;

	for (;; poll(NULL, 0, POLL_MS)) {
		json_t *answer = NULL;
		const char *state;
		int rc = client_call(call->client, "GET",
			arena_printf(call->arena, "/submissions/%s", submission), NULL,
			&answer, &call->err);

		if (rc == ERR_UNAVAILABLE && ++n_away < AWAY_MAX) {
			show_progress(&progress, "waiting for the server", NULL);
			continue;
		}
		if (rc) {
			show_progress_end(&progress);
			return rc;
		}
		n_away = 0;
		state = show_text(call->arena, answer, "state");
		*ret_series = show_text(call->arena, answer, "series_id");
		if (strcmp(state, "failed") == 0)
			rc = err_set(&call->err, ERR_NOT_FOUND, "%s",
				show_text(call->arena, answer, "why"));
		json_decref(answer);
		if (rc || **ret_series) {
			show_progress_end(&progress);
			return rc;
		}
		show_progress(&progress, "fetching the thread", NULL);
	}
}

static int submit(struct noun_call *call)
{
	const char *msgid = NULL, *base_url = NULL, *submission, *series = NULL;
	const char *url = noun_value(call, "url");
	json_t *answer = NULL;
	int rc = msgid_parse(
		call->arena, call->operands[0], &msgid, &base_url, &call->err);

	if (rc == 0)
		rc = client_call(call->client, "POST", "/submissions",
			jx_pack("{s:i, s:s, s:s*, s:s*, s:s*, s:s*}", "v", 1,
				"message_id", msgid, "list", noun_value(call, "list"),
				"url", url ? url : base_url, "tree",
				noun_value(call, "tree"), "base",
				noun_value(call, "base")),
			&answer, &call->err);
	if (rc)
		return rc;
	submission = show_text(call->arena, answer, "id");
	if (!noun_value(call, "wait")) {
		if (call->json)
			return cli_print_json(answer);
		printf("submission %s: the thread of %s is being fetched.\n", submission,
			msgid);
		json_decref(answer);
		return CLI_OK;
	}
	json_decref(answer);
	rc = wait_series(call, submission, &series);
	if (rc)
		return rc;
	fprintf(stderr, "series %s: %s/series/%s\n", series, client_server(call->client),
		series);
	return series_watch(call, series);
}

static const struct noun_option options[] = {
	{"list", "NAME", "fetch it from this list's archive, default: every list", false},
	{"url", "URL", "fetch it from this public-inbox instead", false},
	{"tree", "NAME", "apply it to this tree", false},
	{"base", "REV", "only this base", false},
	{"wait", NULL, "follow it until it is answered", false},
	{NULL, NULL, NULL, false},
};

static const struct noun_verb verbs[] = {
	{"", "MESSAGE-ID|URL",
		"Take a series by the message-id of any of its mails, or by its lore URL",
		1, 1, options, submit},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_submit(int argc, char **argv)
{
	return noun_run("submit", "Take a series", verbs, argc, argv);
}
