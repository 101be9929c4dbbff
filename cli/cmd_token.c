/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

static int token_create(struct noun_call *call)
{
	const char *role = noun_value(call, "role");
	json_t *answer;
	int rc = noun_send(call, "POST", "/tokens",
		jx_pack("{s:i, s:s, s:s}", "v", 1, "name", call->operands[0], "role",
			role ? role : "submitter"),
		&answer);

	if (rc || !answer)
		return rc;
	fprintf(stderr, "This is shown once:\n");
	printf("%s\n", show_text(call->arena, answer, "token"));
	json_decref(answer);
	return CLI_OK;
}

static int token_ls(struct noun_call *call)
{
	static const struct show_column columns[] = {{"name", "TOKEN", SHOW_TEXT, 0},
		{"role", "ROLE", SHOW_TEXT, 0}, {"created_at", "CREATED", SHOW_AGE, 0},
		{"used_at", "USED", SHOW_AGE, 0}, {"revoked_at", "REVOKED", SHOW_AGE, 0},
		{NULL, NULL, SHOW_TEXT, 0}};
	json_t *answer;
	int rc = noun_get(call, "/tokens", &answer);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "tokens"), columns, "No token.");
	json_decref(answer);
	return CLI_OK;
}

static int token_revoke(struct noun_call *call)
{
	json_t *answer;
	int rc = noun_send(call, "DELETE",
		arena_printf(call->arena, "/tokens/%s",
			client_escape(call->arena, call->operands[0])),
		NULL, &answer);

	if (rc || !answer)
		return rc;
	printf("token %s is revoked.\n", call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_option create_options[] = {
	{"role", "ROLE", "admin, submitter (default) or runner", false, 0},
	{NULL, NULL, NULL, false, 0}};

static const struct noun_verb token_verbs[] = {
	{"create", "NAME", "Make a token; it is shown once", 1, 1, create_options,
		token_create},
	{"ls", "", "Tokens and when they were used", 0, 0, NULL, token_ls},
	{"revoke", "NAME", "End a token", 1, 1, NULL, token_revoke},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_token(int argc, char **argv)
{
	return noun_run("token", "Rights to write", token_verbs, argc, argv);
}

/* One line a check; the first "no" makes the exit status 1. */
static void check(bool ok, int *status, const char *what, const char *detail)
{
	printf("%-4s %-22s %s\n", ok ? "ok" : "NO", what, detail);
	if (!ok)
		*status = CLI_NO;
}

static int doctor(struct noun_call *call)
{
	json_t *answer = NULL;
	int status = CLI_OK, rc;
	const json_t *queue;
	size_t i;
	json_t *row;
	long long parked = 0, online = 0, n = 0;

	rc = client_call(call->client, "GET", "/status", NULL, &answer, &call->err);
	if (rc == 0 && call->json)
		return cli_print_json(answer);
	check(rc == 0, &status, "server",
		rc ? call->err.msg : client_server(call->client));
	if (rc)
		return status;
	check(strcmp(show_text(call->arena, answer, "version"), WL_VERSION) == 0, &status,
		"version",
		arena_printf(call->arena, "server %s, this program %s",
			show_text(call->arena, answer, "version"), WL_VERSION));
	json_unpack((json_t *)show_at(answer, "machines"), "{s:I}", "online", &online);
	check(online > 0, &status, "machines",
		arena_printf(call->arena, "%lld online", online));
	queue = json_object_get(answer, "queue");
	json_array_foreach((json_t *)queue, i,
		row) if (strcmp(show_text(call->arena, row, "state"), "parked") == 0 &&
			 json_unpack(row, "{s:I}", "n", &n) == 0) parked += n;
	check(parked == 0, &status, "parked jobs",
		parked ? arena_printf(call->arena, "%lld wait for a person", parked)
		       : "none");
	json_decref(answer);
	rc = client_call(call->client, "GET", "/tokens", NULL, &answer, &call->err);
	check(rc == 0, &status, "token", rc ? call->err.msg : "admin");
	if (rc == 0)
		json_decref(answer);
	rc = client_call(call->client, "GET", "/trees", NULL, &answer, &call->err);
	if (rc == 0) {
		size_t trees = json_array_size(json_object_get(answer, "trees"));

		check(trees > 0, &status, "trees",
			arena_printf(call->arena, "%zu", trees));
		json_decref(answer);
	}
	return status;
}

static const struct noun_verb doctor_verbs[] = {
	{"", "",
		"Check that server, machines, queue, token and trees are as they should "
		"be",
		0, 0, NULL, doctor},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_doctor(int argc, char **argv)
{
	return noun_run("doctor", "Check the installation", doctor_verbs, argc, argv);
}
