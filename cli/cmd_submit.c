/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/patch_mails.h"
#include "cli/show.h"

#include "base/file.h"
#include "base/sbuf.h"
#include "mail/mbox.h"
#include "mail/msgid.h"

#include <poll.h>
#include <sys/stat.h>

#define POLL_MS  300
#define AWAY_MAX 200 /* polls without an answer: a restart of the server is no end */

/* What the server said last. */
struct submission {
	const char *id, *series, *why;
};

/* Until the submission has a series or a reason. */
static int wait_series(struct noun_call *call, struct submission *s)
{
	struct show_progress progress = {0};
	int n_away = 0;

	for (;; poll(NULL, 0, POLL_MS)) {
		json_t *answer = NULL;
		const char *state;
		int rc = client_call(call->client, "GET",
			arena_printf(call->arena, "/submissions/%s", s->id), NULL,
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
		s->series = show_text(call->arena, answer, "series_id");
		s->why = show_text(call->arena, answer, "why");
		if (strcmp(state, "failed") == 0)
			rc = err_set(&call->err, ERR_NOT_FOUND, "%s", s->why);
		json_decref(answer);
		if (rc || *s->series) {
			show_progress_end(&progress);
			return rc;
		}
		show_progress(&progress, "fetching the mails", NULL);
	}
}

static bool is_mbox(const char *operand)
{
	struct stat st;

	return strcmp(operand, "-") == 0 ||
	       (stat(operand, &st) == 0 && !S_ISDIR(st.st_mode));
}

/* *ret 0: none was given. */
static int take_version(struct noun_call *call, long *ret)
{
	const char *text = noun_value(call, "version");
	char *end;

	*ret = 0;
	if (!text)
		return 0;
	*ret = strtol(text, &end, 10);
	if (*end || end == text || *ret < 1 || *ret > 999)
		return cli_usage("--version takes a number from 1 to 999, not %s", text);
	return 0;
}

static int post_msgid(struct noun_call *call, long version, json_t **ret)
{
	const char *msgid = NULL, *base_url = NULL, *url = noun_value(call, "url");
	const char *operand = call->operands[0];
	int rc = msgid_parse(call->arena, operand, &msgid, &base_url, &call->err);

	if (rc && !strchr(operand, '@'))
		return err_set(&call->err, rc,
			"\"%.200s\" is no message-id, and there is no such file",
			operand);
	if (rc)
		return rc;
	return client_call(call->client, "POST", "/submissions",
		jx_pack("{s:i, s:s, s:s*, s:s*, s:s*, s:s*, s:o*}", "v", 1, "message_id",
			msgid, "list", noun_value(call, "list"), "url",
			url ? url : base_url, "tree", noun_value(call, "tree"), "base",
			noun_value(call, "base"), "version",
			version ? json_integer(version) : NULL),
		ret, &call->err);
}

static void add_query(struct noun_call *call, struct sbuf *path, const char *name)
{
	const char *value = noun_value(call, name);

	if (value)
		sbuf_addf(path, "%c%s=%s", strchr(path->buf, '?') ? '&' : '?', name,
			client_escape(call->arena, value));
}

/* What the server would refuse only after it was sent and read is refused here. */
static int post_mbox(struct noun_call *call, json_t **ret)
{
	CLEANUP(sbuf_release) struct sbuf mbox = SBUF_INIT, path = SBUF_INIT;
	struct patch_mails mails = {.a = call->arena};
	int rc;

	if (noun_value(call, "list") || noun_value(call, "url"))
		return cli_usage("--list and --url are for a message-id; an mbox is "
				 "taken as it is");
	if (file_read(call->operands[0], MBOX_SUBMIT_MAX, &mbox, &call->err))
		return cli_fail_read(&call->err);
	rc = patch_mails_add(&mails, mbox.buf, mbox.len, &call->err);
	if (rc == 0)
		rc = patch_mails_check(&mails, &call->err);
	if (rc)
		return rc;
	sbuf_adds(&path, "/submissions/mbox");
	add_query(call, &path, "tree");
	add_query(call, &path, "base");
	add_query(call, &path, "version");
	return client_upload(call->client, path.buf, "application/mbox", mbox.buf,
		mbox.len, ret, &call->err);
}

static int submit(struct noun_call *call)
{
	struct submission s = {0};
	json_t *answer = NULL;
	long version;
	int rc = take_version(call, &version);

	if (rc == 0)
		rc = is_mbox(call->operands[0]) ? post_mbox(call, &answer)
						: post_msgid(call, version, &answer);
	if (rc)
		return rc;
	s.id = show_text(call->arena, answer, "id");
	if (!noun_value(call, "wait")) {
		if (call->json)
			return cli_print_json(answer);
		printf("submission %s: its mails are being fetched.\n", s.id);
		json_decref(answer);
		return CLI_OK;
	}
	json_decref(answer);
	rc = wait_series(call, &s);
	if (rc)
		return rc;
	fprintf(stderr, "series %s: %s/series/%s\n%s%s", s.series,
		client_server(call->client), s.series, s.why, *s.why ? "\n" : "");
	return series_watch(call, s.series);
}

static const struct noun_option options[] = {
	{"version", "N", "this version of the series, default: the newest", false, 'v'},
	{"list", "NAME", "fetch it from this list's archive, default: every list", false,
		0},
	{"url", "URL", "fetch it from this public-inbox instead", false, 0},
	{"tree", "NAME", "apply it to this tree", false, 0},
	{"base", "REV", "only this base", false, 0},
	{"wait", NULL, "follow it until it is answered", false, 0},
	{NULL, NULL, NULL, false, 0},
};

static const struct noun_verb verbs[] = {
	{"", "MESSAGE-ID|URL|MBOX|-",
		"Take a series: by the message-id or URL of any mail of its thread, or "
		"from its mails\nin a file or on standard input",
		1, 1, options, submit},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_submit(int argc, char **argv)
{
	return noun_run("submit", "Take a series", verbs, argc, argv);
}
