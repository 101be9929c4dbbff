/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_apply.c - wakelist apply --repo DIR [--base REV] FILE...: mails -> commits */
#include "base/base.h"

#include "cli/cli.h"
#include "cli/patch_mails.h"
#include "cli/show.h"
#include "patch/repo.h"
#include "patch/repo_broken.h"

#define INDEX_MS 30000 /* unless --index says otherwise */

struct apply_call {
	struct arena *a;
	struct apply_request req;
	struct base_tip tip;
	struct patch_mails mails;
	const char *repo;
	bool dry_run, tree_only;
};

static int apply_help(void)
{
	puts("usage: wakelist apply --repo DIR [OPTION]... FILE...\n"
	     "\n"
	     "Applies patch mails (single mails, mboxes, or - for standard input) to a "
	     "commit\n"
	     "of a git repository, in memory, all or nothing, and prints what came of it "
	     "as\n"
	     "JSON. The work tree, the index and, without --branch, all refs stay as "
	     "they\n"
	     "are. Series that the mails name as prerequisites and that are among them "
	     "go "
	     "first.\n"
	     "\n"
	     "  --repo DIR        repository, bare or not\n"
	     "  --base REV        only this base (default: base-commit: of the mails, "
	     "the "
	     "newest\n"
	     "                    commit with the files as the patches know them, HEAD "
	     "at "
	     "the\n"
	     "                    time of the mails, HEAD, the newest release "
	     "before "
	     "them)\n"
	     "  --tree NAME       use this branch instead of HEAD\n"
	     "  --branch NAME     make or move this branch to the last commit\n"
	     "  --3way, --no-3way merge what does not fit, as git am -3 does (the "
	     "default),\n"
	     "                    or not\n"
	     "  --mend            repair what mail programs did to a patch that does not "
	     "apply, where\n"
	     "                    the ids of its index lines prove the repair\n"
	     "  --tree-only       store the last tree only: no commits, nothing that led "
	     "to it\n"
	     "  --dry-run         store nothing, and move no branch\n"
	     "  --committer WHO   \"Name <address>\" of the committer\n"
	     "  --link PREFIX     add a trailer \"Link: PREFIX/MESSAGE-ID\"\n"
	     "  --index SECONDS   spend so long on the index of old file contents that "
	     "is "
	     "kept in\n"
	     "                    the repository's folder wakelist/ (30; 0: only use "
	     "it)\n"
	     "  --json            the default and only format\n"
	     "\n"
	     "Exit status: 0 applied or already there; 1 it does not apply, or is "
	     "refused;\n"
	     "2 called wrongly; 3 failed: a file or the repository cannot be read or "
	     "written,\n"
	     "or is damaged. JSON is printed for 0 and 1, a sentence on standard error "
	     "for 2 and 3.");
	return CLI_OK;
}

/* "Name <address>" -> the two parts of the request */
static bool take_committer(struct apply_call *c, const char *who)
{
	const char *open = strchr(who, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t len;

	if (!open || !close || close[1])
		return false;
	len = (size_t)(open - who);
	while (len && who[len - 1] == ' ')
		len--;
	c->req.committer_name = arena_strndup(c->a, who, len);
	c->req.committer_email =
		arena_strndup(c->a, open + 1, (size_t)(close - open - 1));
	return apply_text_ok(c->req.committer_name) &&
	       apply_text_ok(c->req.committer_email);
}

static int take_seconds(struct apply_call *c, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (*end || end == value || n < 0 || n > 86400)
		return cli_usage("--index takes 0 to 86400 seconds, not %s", value);
	c->req.index_ms = n * 1000;
	return 0;
}

static bool take_flag(void *arg, const char *name)
{
	struct apply_call *c = arg;

	if (!strcmp(name, "--dry-run"))
		c->dry_run = true;
	else if (!strcmp(name, "--tree-only"))
		c->tree_only = true;
	else if (!strcmp(name, "--mend"))
		c->req.mend = c->req.unquote = true;
	else if (!strcmp(name, "--3way") || !strcmp(name, "--no-3way"))
		c->req.no_3way = name[2] == 'n';
	else
		return false;
	return true;
}

static int take_option(void *arg, const char *name, const char *value)
{
	struct apply_call *c = arg;

	if (!strcmp(name, "--committer"))
		return take_committer(c, value)
			       ? 0
			       : cli_usage(
					 "--committer takes \"Name <address>\" in UTF-8, "
					 "not %s",
					 show_clean(c->a, value));
	if (!strcmp(name, "--index"))
		return take_seconds(c, value);
	if (!strcmp(name, "--link") && !apply_text_ok(value))
		return cli_usage("--link takes the start of a URL, not %s",
			show_clean(c->a, value));
	if (!strcmp(name, "--branch") && !repo_is_branch_name(value))
		return cli_usage(
			"--branch: %s is no branch name", show_clean(c->a, value));
	if (!strcmp(name, "--repo"))
		c->repo = value;
	else if (!strcmp(name, "--base"))
		c->req.base.explicit_rev = value;
	else if (!strcmp(name, "--tree"))
		c->tip.tree = c->tip.rev = c->tip.words = value;
	else if (!strcmp(name, "--branch"))
		c->req.branch = value;
	else if (!strcmp(name, "--link"))
		c->req.link_prefix = value;
	else
		return -1;
	return 0;
}

/* 0, or CLI_USAGE after the message. */
static int take_arguments(
	struct apply_call *c, int argc, char **argv, char **files, size_t *ret_n_files)
{
	const struct cli_arguments args = {.command = "apply",
		.a = c->a,
		.arg = c,
		.flag = take_flag,
		.option = take_option};
	int rc = cli_take_arguments(&args, argc, argv, files, ret_n_files);

	if (rc)
		return rc;
	if (!c->repo)
		return cli_usage("apply needs --repo DIR");
	if (!*ret_n_files)
		return cli_usage("apply needs at least one mail");
	if (c->req.branch && c->tree_only)
		return cli_usage("--branch needs commits, and --tree-only stores none");
	c->req.keep = c->dry_run     ? APPLY_KEEP_NOTHING
		      : c->tree_only ? APPLY_KEEP_TREE
				     : APPLY_KEEP_ALL;
	return 0;
}

static int fill_request(struct apply_call *c, struct err *e)
{
	struct patch_choice chosen;
	int rc = patch_mails_choose(&c->mails, &chosen, e);

	if (rc)
		return rc;
	c->req.patches = chosen.patches;
	c->req.n_patches = chosen.n_patches;
	c->req.n_before = chosen.n_before;
	c->req.missing = chosen.missing;
	c->req.base.base_commit = chosen.base_commit;
	c->req.base.prefix_tree = chosen.tree;
	c->req.base.time_s = chosen.time_s;
	c->req.base.tips = &c->tip;
	c->req.base.n_tips = 1;
	return 0;
}

/* 0, CLI_FAILED or CLI_USAGE after the message, or negative: the mails are refused. */
static int read_mails(struct apply_call *c, char **files, size_t n_files, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n_files && !rc; i++)
		rc = patch_mails_read(&c->mails, files[i], e);
	return rc ? rc : fill_request(c, e);
}

/* A branch that was named is there. 0, CLI_USAGE or CLI_FAILED after the message. */
static int check_tree(struct apply_call *c, struct git_repository *repo)
{
	char hex[REPO_HEX];
	struct err e;
	int rc = c->tip.tree ? repo_resolve(repo, c->tip.rev, hex, &e) : 0;

	if (rc == ERR_NOT_FOUND && repo_broken_packs(repo, c->a, &e))
		return cli_failed(&e);
	if (rc == ERR_NOT_FOUND || rc == ERR_INVALID)
		return cli_usage("--tree: %s in %s", show_clean(c->a, e.msg), c->repo);
	return rc ? cli_failed(&e) : 0;
}

static int answer(const struct apply_outcome *out)
{
	int rc = cli_print_json(apply_outcome_json(out));

	if (rc != CLI_OK)
		return rc;
	return out->result == APPLY_APPLIED || out->result == APPLY_ALREADY ? CLI_OK
									    : CLI_NO;
}

int cmd_apply(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	struct apply_call c = {.a = a,
		.tip = {.rev = "HEAD", .words = "HEAD"},
		.mails = {.a = a},
		.req = {.index_ms = INDEX_MS, .mend_how = "--mend does it"}};
	char **files = ARENA_ARRAY(a, char *, (size_t)argc + 1);
	struct apply_outcome *out;
	size_t n_files = 0;
	struct err e;
	int rc;

	if (cli_asks_help(argc, argv))
		return apply_help();
	rc = take_arguments(&c, argc, argv, files, &n_files);
	if (rc)
		return rc;
	if (repo_open(c.repo, &repo, &e))
		return cli_failed(&e);
	rc = check_tree(&c, repo);
	if (rc)
		return rc;
	rc = read_mails(&c, files, n_files, &e);
	if (rc > 0)
		return rc;
	if (rc == ERR_INVALID || rc == ERR_TOO_BIG)
		return answer(apply_refusal(a, e.msg));
	if (rc || apply_in(repo, &c.req, a, &out, &e))
		return cli_failed(&e);
	return answer(out);
}
