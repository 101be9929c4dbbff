/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

static const char *reply_path(struct noun_call *call, const char *tail)
{
	return arena_printf(call->arena, "/replies/%s%s",
		client_escape(call->arena, call->operands[0]), tail);
}

static int reply_ls(struct noun_call *call)
{
	static const struct show_column columns[] = {{"id", "ID", SHOW_NUMBER, 0},
		{"state", "STATE", SHOW_STATE, 0}, {"subject", "SUBJECT", SHOW_TEXT, 64},
		{"to", "TO", SHOW_TEXT, 40}, {"created_at", "COMPOSED", SHOW_AGE, 0},
		{"sent_at", "SENT", SHOW_AGE, 0}, {NULL, NULL, SHOW_TEXT, 0}};
	const char *state = noun_value(call, "state");
	json_t *answer;
	int rc = noun_get(call,
		state ? arena_printf(call->arena, "/replies?state=%s",
				client_escape(call->arena, state))
		      : "/replies",
		&answer);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "replies"), columns, "No reply.");
	json_decref(answer);
	return CLI_OK;
}

static const json_t *body_of(const json_t *answer)
{
	const json_t *reply = json_object_get(answer, "reply");

	return reply ? reply : answer;
}

static int reply_show(struct noun_call *call)
{
	json_t *answer;
	const char *text;
	int rc = noun_get(call, reply_path(call, ""), &answer);

	if (rc || !answer)
		return rc;
	text = json_string_value(show_at(body_of(answer), "text"));
	if (*show_text(call->arena, body_of(answer), "why"))
		fprintf(stderr, "why: %s\n",
			show_text(call->arena, body_of(answer), "why"));
	fprintf(stderr, "state: %s\nsha256: %s\n\n",
		show_text(call->arena, body_of(answer), "state"),
		show_text(call->arena, body_of(answer), "sha256"));
	fputs(text ? text : "", stdout);
	json_decref(answer);
	return CLI_OK;
}

/* Approval names the bytes: those given by --sha256, else those that are there now. */
static int reply_approve(struct noun_call *call)
{
	const char *sha256 = noun_value(call, "sha256");
	json_t *answer = NULL;
	int rc = 0;

	if (!sha256) {
		rc = client_call(call->client, "GET", reply_path(call, ""), NULL, &answer,
			&call->err);
		if (rc)
			return rc;
		sha256 = show_text(call->arena, body_of(answer), "sha256");
		json_decref(answer);
	}
	rc = noun_send(call, "POST", reply_path(call, "/approve"),
		jx_pack("{s:i, s:s}", "v", 1, "sha256", sha256), &answer);
	if (rc || !answer)
		return rc;
	printf("reply %s is approved; \"wakelist reply show %s\" tells when it was "
	       "sent.\n",
		call->operands[0], call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static int reply_reject(struct noun_call *call)
{
	const char *why = noun_value(call, "why");
	json_t *answer;
	int rc = noun_send(call, "POST", reply_path(call, "/reject"),
		jx_pack("{s:i, s:s}", "v", 1, "why", why ? why : "a person rejected it"),
		&answer);

	if (rc || !answer)
		return rc;
	printf("reply %s will not be sent.\n", call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static int reply_resolve(struct noun_call *call)
{
	json_t *answer;
	int rc;

	if (strcmp(call->operands[1], "sent") != 0 &&
		strcmp(call->operands[1], "again") != 0)
		return cli_usage("reply resolve takes \"sent\" or \"again\", not \"%s\"",
			call->operands[1]);
	rc = noun_send(call, "POST", reply_path(call, "/resolve"),
		jx_pack("{s:i, s:s}", "v", 1, "outcome", call->operands[1]), &answer);
	if (rc || !answer)
		return rc;
	printf("reply %s: %s.\n", call->operands[0],
		strcmp(call->operands[1], "sent") == 0 ? "counted as sent"
						       : "will be sent again");
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_option ls_options[] = {
	{"state", "STATE", "held, approved, sent, unknown ...", false, 0},
	{NULL, NULL, NULL, false, 0}};
static const struct noun_option approve_options[] = {
	{"sha256", "HEX", "approve these bytes only", false, 0},
	{NULL, NULL, NULL, false, 0}};
static const struct noun_option reject_options[] = {
	{"why", "TEXT", "a reason, kept with it", false, 0},
	{NULL, NULL, NULL, false, 0}};

static const struct noun_verb verbs[] = {
	{"ls", "", "Replies, newest first", 0, 0, ls_options, reply_ls},
	{"show", "ID", "The whole mail, as it would go out", 1, 1, NULL, reply_show},
	{"approve", "ID", "Let it be sent", 1, 1, approve_options, reply_approve},
	{"reject", "ID", "Do not send it", 1, 1, reject_options, reply_reject},
	{"resolve", "ID sent|again", "Say what became of one whose sending was cut off",
		2, 2, NULL, reply_resolve},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_reply(int argc, char **argv)
{
	return noun_run("reply", "Mails that answer a series", verbs, argc, argv);
}
