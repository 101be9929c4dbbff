/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"
#include "cli/nouns.h"
#include "cli/show.h"

#include <limits.h>
#include <poll.h>

static const struct show_column columns[] = {
	{"name", "TREE", SHOW_TEXT, 0},
	{"state", "STATE", SHOW_STATE, 0},
	{"label", "VERSION", SHOW_TEXT, 0},
	{"commit", "COMMIT", SHOW_ID12, 0},
	{"files", "FILES", SHOW_NUMBER, 0},
	{"ready_at", "READY", SHOW_AGE, 0},
	{"fetched_at", "FETCHED", SHOW_AGE, 0},
	{"source", "SOURCE", SHOW_TEXT, 48},
	{"why", "WHY", SHOW_TEXT, 60},
	{NULL, NULL, SHOW_TEXT, 0},
};

static const struct show_column branch_columns[] = {
	{"name", "BRANCH", SHOW_TEXT, 0},
	{"label", "VERSION", SHOW_TEXT, 0},
	{"commit", "COMMIT", SHOW_ID12, 0},
	{"moved_at", "MOVED", SHOW_AGE, 0},
	{"behind", "NOT INDEXED", SHOW_NUMBER, 0},
	{NULL, NULL, SHOW_TEXT, 0},
};

static int get_tree(struct noun_call *call, const char *name, json_t **ret)
{
	const char *path =
		arena_printf(call->arena, "/trees/%s", client_escape(call->arena, name));

	return client_call(call->client, "GET", path, NULL, ret, &call->err);
}

/* Until the import is final; progress on stderr. */
static int wait_ready(struct noun_call *call, const char *name)
{
	struct show_progress progress = {0};

	for (;;) {
		json_t *answer = NULL;
		const json_t *tree;
		const char *state;
		int rc = get_tree(call, name, &answer);

		if (rc)
			return rc;
		tree = json_object_get(answer, "tree");
		tree = tree ? tree : answer;
		state = show_text(call->arena, tree, "state");
		if (strcmp(state, "importing") != 0) {
			bool ready = strcmp(state, "ready") == 0;

			show_progress_end(&progress);
			if (call->json) {
				rc = cli_print_json(answer);
				return rc ? rc : ready ? CLI_OK : CLI_NO;
			}
			if (ready)
				printf("%s is ready: %s, commit %.12s, %s files.\n", name,
					show_text(call->arena, tree, "label"),
					show_text(call->arena, tree, "commit"),
					show_text(call->arena, tree, "files"));
			else
				fprintf(stderr, "wakelist: %s cannot be imported: %s\n",
					name, show_text(call->arena, tree, "why"));
			json_decref(answer);
			return ready ? CLI_OK : CLI_NO;
		}
		show_progress(&progress, name, json_object_get(tree, "progress"));
		json_decref(answer);
		poll(NULL, 0, 500);
	}
}

/* The body of a tree on this machine's disk: a folder or a tarball. */
static int local_body(struct noun_call *call, json_t **ret)
{
	const char *dir = noun_value(call, "dir");
	const char *source = dir ? dir : noun_value(call, "tarball");
	char path[PATH_MAX];

	if (!realpath(source, path))
		return err_set(&call->err, ERR_NOT_FOUND, "%s: %m", source);
	if (!jx_is_utf8(path, strlen(path)))
		return err_set(
			&call->err, ERR_INVALID, "%s: its path is not UTF-8", source);
	*ret = jx_pack("{s:i, s:s, s:s, s:s, s:s*}", "v", 1, "name", call->operands[0],
		"kind", dir ? "dir" : "tarball", "source", path, "branch",
		noun_value(call, "branch"));
	return 0;
}

/* The body of a git tree. */
static int git_body(struct noun_call *call, json_t **ret)
{
	const char *url = noun_value(call, "git"), *every = noun_value(call, "every");
	char path[PATH_MAX], *end = NULL;
	long long seconds = every ? strtoll(every, &end, 10) : 0;
	json_t *branches = noun_values(call, "branch");

	if (every && (end == every || *end || seconds < 1 || seconds > 2592000)) {
		json_decref(branches);
		return cli_usage("--every takes 1 to 2592000 seconds, not %s", every);
	}
	/* a repository that is here is known by its whole path */
	if (!strstr(url, "://") && realpath(url, path))
		url = path;
	*ret = jx_pack("{s:i, s:s, s:s, s:s, s:o*}", "v", 1, "name", call->operands[0],
		"kind", "git", "source", url, "branches", branches);
	if (every)
		json_object_set_new(
			*ret, "fetch_ms", json_integer((json_int_t)seconds * 1000));
	return 0;
}

static int tree_add(struct noun_call *call)
{
	const char *git = noun_value(call, "git");
	json_t *answer, *body;
	int rc;

	if (!!noun_value(call, "dir") + !!noun_value(call, "tarball") + !!git != 1)
		return cli_usage("tree add needs one of --git, --dir and --tarball");
	if (!git && noun_value(call, "every"))
		return cli_usage("--every is for --git");
	rc = git ? git_body(call, &body) : local_body(call, &body);
	if (rc)
		return rc;
	if (noun_value(call, "wait")) {
		rc = client_call(
			call->client, "POST", "/trees", body, &answer, &call->err);
		if (rc)
			return rc;
		json_decref(answer);
		return wait_ready(call, call->operands[0]);
	}
	rc = noun_send(call, "POST", "/trees", body, &answer);
	if (rc || !answer)
		return rc;
	json_decref(answer);
	printf("%s is being %s; \"wakelist tree ls\" tells when it is ready.\n",
		call->operands[0], git ? "fetched" : "imported");
	return CLI_OK;
}

static int tree_ls(struct noun_call *call)
{
	json_t *answer;
	int rc = noun_get(call, "/trees", &answer);

	if (rc || !answer)
		return rc;
	show_table(json_object_get(answer, "trees"), columns,
		"No tree; \"wakelist tree add NAME --git URL\" adds one.");
	json_decref(answer);
	return CLI_OK;
}

static int tree_show(struct noun_call *call)
{
	json_t *answer;
	const json_t *tree;
	int rc = noun_get(call,
		arena_printf(call->arena, "/trees/%s",
			client_escape(call->arena, call->operands[0])),
		&answer);

	if (rc || !answer)
		return rc;
	tree = json_object_get(answer, "tree");
	tree = tree ? tree : answer;
	show_facts(tree, columns);
	if (json_array_size(json_object_get(tree, "branches"))) {
		putchar('\n');
		show_table(json_object_get(tree, "branches"), branch_columns, "");
	}
	json_decref(answer);
	return CLI_OK;
}

static int tree_fetch(struct noun_call *call)
{
	json_t *answer;
	int rc = noun_send(call, "POST",
		arena_printf(call->arena, "/trees/%s/fetch",
			client_escape(call->arena, call->operands[0])),
		NULL, &answer);

	if (rc || !answer)
		return rc;
	printf("%s is being fetched; \"wakelist tree show %s\" tells what came.\n",
		call->operands[0], call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static int tree_rm(struct noun_call *call)
{
	json_t *answer;
	int rc = noun_send(call, "DELETE",
		arena_printf(call->arena, "/trees/%s",
			client_escape(call->arena, call->operands[0])),
		NULL, &answer);

	if (rc || !answer)
		return rc;
	printf("%s is removed.\n", call->operands[0]);
	json_decref(answer);
	return CLI_OK;
}

static const struct noun_option add_options[] = {
	{"dir", "DIR", "a folder with the sources", false, 0},
	{"tarball", "FILE", "a tarball of the sources, packed as tar can be", false, 0},
	{"git", "URL", "a git repository, fetched again and again", false, 0},
	{"branch", "NAME",
		"of git: fetch this one, may be repeated, default that of HEAD; else its "
		"name here, default main",
		true, 0},
	{"every", "SECONDS", "of git: how often it is fetched, default 3600", false, 0},
	{"wait", NULL, "return when it is there", false, 0},
	{NULL, NULL, NULL, false, 0},
};

static const struct noun_verb verbs[] = {
	{"add", "NAME", "Add kernel sources: git, or one version", 1, 1, add_options,
		tree_add},
	{"ls", "", "Trees that series are applied to", 0, 0, NULL, tree_ls},
	{"show", "NAME", "One tree", 1, 1, NULL, tree_show},
	{"fetch", "NAME", "Fetch a git tree now", 1, 1, NULL, tree_fetch},
	{"rm", "NAME", "Remove a tree that nothing uses", 1, 1, NULL, tree_rm},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

int cmd_tree(int argc, char **argv)
{
	return noun_run(
		"tree", "Kernel sources that series are applied to", verbs, argc, argv);
}
