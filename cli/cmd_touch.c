// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_touch.c - wakelist touch --repo DIR --base REV FILE...: functions, aspects and why
 */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/patch_mails.h"
#include "patch/repo_broken.h"
#include "plan/spans.h"
#include "plan/touch_load.h"

struct touch_call {
	struct arena *a;
	const char *repo, *base, *table_file;
	struct patch_mails mails;
	struct apply_request req;
	char base_hex[REPO_HEX];
	struct apply_outcome *out;
	struct touch_file *files;
	size_t n_files;
	const char *why_no_spans;
};

static int touch_help(void)
{
	puts("usage: wakelist touch --repo DIR [--base REV] [OPTION]... FILE...\n"
	     "\n"
	     "Says what a series touches: functions, kernel configs, features of the "
	     "scheduler,\n"
	     "and aspects (wake path, idle scan, topology ...) with the lines that are "
	     "the\n"
	     "reason, as JSON. FILEs are patch mails, mboxes, diffs, or - for standard "
	     "input.\n"
	     "The series is applied in memory; nothing is written. One that does not "
	     "apply is\n"
	     "judged by its text alone.\n"
	     "\n"
	     "  --repo DIR       repository, bare or not\n"
	     "  --base REV       commit that the series is for (default HEAD)\n"
	     "  --aspects FILE   another table of files, functions and words to "
	     "aspects\n"
	     "  --json           the default and only format\n"
	     "\n"
	     "Exit status: 0 applied or already there; 1 it does not apply, is "
	     "refused, or\n"
	     "the base is unknown; 2 called wrongly; 3 failed.");
	return CLI_OK;
}

static int take_option(void *arg, const char *name, const char *value)
{
	struct touch_call *c = arg;

	if (!strcmp(name, "--repo"))
		c->repo = value;
	else if (!strcmp(name, "--base"))
		c->base = value;
	else if (!strcmp(name, "--aspects"))
		c->table_file = value;
	else
		return -1;
	return 0;
}

/* 0, or CLI_USAGE after the message. */
static int take_arguments(
	struct touch_call *c, int argc, char **argv, char **files, size_t *ret_n_files)
{
	const struct cli_arguments args = {
		.command = "touch", .a = c->a, .arg = c, .option = take_option};
	int rc = cli_take_arguments(&args, argc, argv, files, ret_n_files);

	if (rc)
		return rc;
	if (!c->repo)
		return cli_usage("touch needs --repo DIR");
	if (!*ret_n_files)
		return cli_usage("touch needs at least one mail or diff");
	return 0;
}

static int load_table(struct touch_call *c, struct touch_table **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	int rc;

	if (!c->table_file)
		return touch_table_parse(
			touch_table_text, strlen(touch_table_text), c->a, ret, e);
	rc = file_read(c->table_file, TOUCH_TABLE_MAX_BYTES, &text, e);
	if (rc)
		return rc;
	rc = touch_table_parse(text.buf, text.len, c->a, ret, e);
	return rc ? err_wrap(e, "%s", c->table_file) : 0;
}

/* By the patches' own text: it is on no tree, or in it already. */
static int load_patches(struct touch_call *c, struct err *e)
{
	size_t cap = 0;

	for (size_t i = 0; i < c->req.n_patches; i++) {
		const struct apply_patch *p = &c->req.patches[i];
		struct diff *d;
		int rc = diff_parse(p->patch, p->patch_len, c->a, &d, e);

		/* why it is refused is in the outcome */
		if (rc == ERR_INVALID || rc == ERR_UNSUPPORTED || rc == ERR_TOO_BIG)
			continue;
		if (rc)
			return rc;
		touch_load_diff(c->a, d, &c->files, &c->n_files, &cap);
	}
	return 0;
}

/* The base is unknown, for whatever reason e names: no, as in apply, unless a pack that
 * cannot be read may hold it. */
static int without_base(struct touch_call *c, struct git_repository *r, struct err *e)
{
	if (e->code != ERR_NOT_FOUND && e->code != ERR_INVALID)
		return e->code;
	if (e->code == ERR_NOT_FOUND && repo_broken_packs(r, c->a, e))
		return e->code;
	c->base_hex[0] = '\0';
	c->out = apply_no_base(&c->req, c->a,
		arena_printf(c->a, "no base: %s",
			base_unknown(c->base, "asked for", e, c->a)));
	return load_patches(c, e);
}

/* In memory; the repository stays open only here. */
static int apply_and_load(struct touch_call *c, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct apply_outcome *o;
	int rc = repo_open(c->repo, &r, e);

	if (rc)
		return rc;
	if (repo_resolve(r, c->base, c->base_hex, e))
		return without_base(c, r, e);
	rc = apply_series(r, c->base_hex, &c->req, c->a, &c->out, e);
	if (rc)
		return rc;
	o = c->out;
	if (o->result != APPLY_APPLIED || !o->n_commits)
		return load_patches(c, e);
	rc = touch_load(r, c->base_hex, o->commits[o->n_commits - 1], c->a, &c->files,
		&c->n_files, e);
	if (!rc)
		spans_scan(c->a, c->files, c->n_files, &c->why_no_spans);
	return rc;
}

static json_t *answer(const struct touch_call *c, const struct touch *t)
{
	json_t *j = touch_to_json(t);
	const struct apply_outcome *o = c->out;

	json_object_set_new(j, "result", json_string(apply_result_name(o->result)));
	json_object_set_new(
		j, "error", o->error ? jx_text(o->error, strlen(o->error)) : json_null());
	json_object_set_new(
		j, "base", c->base_hex[0] ? json_string(c->base_hex) : json_null());
	json_object_set_new(j, "tree", jx_str_or_null(o->tree));
	if (c->mails.n_no_author)
		json_array_append_new(json_object_get(j, "notes"),
			jx_pack("{s:s, s:s}", "code", "no_author", "detail",
				"a mail has no usable From: git am would refuse it"));
	if (c->why_no_spans)
		json_array_append_new(json_object_get(j, "notes"),
			jx_pack("{s:s, s:o}", "code", "ctags", "detail",
				jx_text(c->why_no_spans, strlen(c->why_no_spans))));
	return j;
}

int cmd_touch(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct touch_call c = {.a = a,
		.base = "HEAD",
		.mails = {.a = a, .bare_diffs = true, .no_author = true}};
	char **files = ARENA_ARRAY(a, char *, (size_t)argc + 1);
	struct touch_table *table;
	struct touch_input in;
	struct patch_choice chosen;
	size_t n_files = 0;
	struct err e;
	int rc;

	if (cli_asks_help(argc, argv))
		return touch_help();
	rc = take_arguments(&c, argc, argv, files, &n_files);
	if (rc)
		return rc;
	if (load_table(&c, &table, &e))
		return cli_fail(&e);
	for (size_t i = 0; i < n_files && !rc; i++)
		rc = patch_mails_read(&c.mails, files[i], &e);
	if (!rc)
		rc = patch_mails_choose(&c.mails, &chosen, &e);
	if (rc > 0)
		return rc;
	if (rc)
		return cli_fail(&e);
	/* what it builds on is not what it touches */
	c.req.patches = chosen.patches + chosen.n_before;
	c.req.n_patches = chosen.n_patches - chosen.n_before;
	if (apply_and_load(&c, &e))
		return cli_fail(&e);
	in = (struct touch_input){c.files, c.n_files, table};
	rc = cli_print_json(answer(&c, touch_make(a, &in)));
	if (rc != CLI_OK)
		return rc;
	return c.out->result == APPLY_APPLIED || c.out->result == APPLY_ALREADY ? CLI_OK
										: CLI_NO;
}
