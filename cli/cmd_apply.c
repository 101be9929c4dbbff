/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_apply.c - wakelist apply --repo DIR [--base REV] FILE...: mails -> commits */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "mail/assemble.h"
#include "mail/mbox.h"
#include "patch/apply.h"

#define INPUT_MAX (256u << 20) /* bytes of one mbox */
#define MAILS_MAX 10000

struct apply_call {
	struct arena *a;
	struct apply_request req;
	struct base_tip tip;
	const struct mail **mails; /* all that were read, in order */
	size_t n_mails, cap;
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
	     "they are.\n"
	     "\n"
	     "  --repo DIR        repository, bare or not\n"
	     "  --base REV        only this base (default: base-commit: of the mails, a "
	     "commit\n"
	     "                    near HEAD with the same files, HEAD)\n"
	     "  --tree NAME       use this branch instead of HEAD\n"
	     "  --branch NAME     make or move this branch to the last commit\n"
	     "  --dry-run         write nothing\n"
	     "  --committer WHO   \"Name <address>\" of the committer\n"
	     "  --link PREFIX     add a trailer \"Link: PREFIX/MESSAGE-ID\"\n"
	     "  --json            the default and only format\n"
	     "\n"
	     "Exit status: 0 applied or already there; 1 it does not apply, or is "
	     "refused;\n"
	     "2 called wrongly; 3 failed.");
	return CLI_OK;
}

/* "Name <address>" -> the two parts of the request */
static bool take_committer(struct apply_call *c, const char *who)
{
	const char *open = strchr(who, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t len;

	if (!open || !close || close[1] || close == open + 1 || open == who)
		return false;
	len = (size_t)(open - who);
	while (len && who[len - 1] == ' ')
		len--;
	c->req.committer_name = arena_strndup(c->a, who, len);
	c->req.committer_email =
		arena_strndup(c->a, open + 1, (size_t)(close - open - 1));
	return len > 0;
}

static bool take_option(struct apply_call *c, const char *name, const char *value)
{
	if (!strcmp(name, "--repo"))
		c->req.repo = value;
	else if (!strcmp(name, "--base"))
		c->req.base.explicit_rev = value;
	else if (!strcmp(name, "--tree"))
		c->tip.tree = c->tip.rev = value;
	else if (!strcmp(name, "--branch"))
		c->req.branch = value;
	else if (!strcmp(name, "--link"))
		c->req.link_prefix = value;
	else
		return false;
	return true;
}

/* Options in any place; what is left are files. 0, or CLI_USAGE after the message. */
static int take_arguments(
	struct apply_call *c, int argc, char **argv, char **files, size_t *ret_n_files)
{
	bool options = true;

	for (int i = 1; i < argc; i++) {
		char *eq = strchr(argv[i], '='), *value = NULL;
		const char *name = argv[i];

		if (!options || strncmp(argv[i], "--", 2) != 0) {
			files[(*ret_n_files)++] = argv[i];
			continue;
		}
		if (!argv[i][2]) {
			options = false;
			continue;
		}
		if (!strcmp(name, "--dry-run")) {
			c->req.dry_run = true;
			continue;
		}
		if (!strcmp(name, "--json"))
			continue;
		if (eq)
			name = arena_strndup(c->a, argv[i], (size_t)(eq - argv[i]));
		value = eq ? eq + 1 : i + 1 < argc ? argv[++i] : NULL;
		if (!value || !*value)
			return cli_usage("apply %s needs a value", name);
		if (!strcmp(name, "--committer")) {
			if (!take_committer(c, value))
				return cli_usage(
					"--committer takes \"Name <address>\", not %s",
					value);
		} else if (!take_option(c, name, value)) {
			return cli_usage(
				"apply has no option %s (wakelist apply --help)", name);
		}
	}
	if (!c->req.repo)
		return cli_usage("apply needs --repo DIR");
	if (!*ret_n_files)
		return cli_usage("apply needs at least one mail");
	return 0;
}

static int add_mail(
	struct apply_call *c, const char *p, size_t len, bool mboxrd, struct err *e)
{
	struct mail_opts opts = {.mboxrd = mboxrd};
	struct mail *m;
	int rc;

	if (c->n_mails == MAILS_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d mails", MAILS_MAX);
	rc = mail_parse(c->a, p, len, &opts, &m, e);
	if (!rc)
		*ARENA_PUSH(c->a, c->mails, c->n_mails, c->cap) = m;
	return rc;
}

static int read_mails(struct apply_call *c, const char *path, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct mbox_iter it;
	struct mbox_mail one;
	char *copy;
	int rc = file_read(path, INPUT_MAX, &text, e);

	if (rc)
		return rc;
	copy = arena_strndup(c->a, text.buf, text.len);
	if (!mbox_is(copy, text.len))
		return add_mail(c, copy, text.len, false, e);
	mbox_iter_init(&it, copy, text.len);
	while (!rc && mbox_next(&it, &one))
		rc = add_mail(c, one.p, one.len, one.mboxrd, e);
	return rc;
}

/* What was given by hand counts even if no subject says PATCH. */
static size_t without_series(struct apply_call *c, const struct mail **out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_mails; i++) {
		if (c->mails[i]->n_hunks || c->mails[i]->n_files)
			out[n++] = c->mails[i];
	}
	if (!n && c->n_mails)
		out[n++] = c->mails[0];
	return n;
}

/* The one to apply: complete ones go before others, newer versions before older. NULL
 * with *ret_n 0: there is none, or above 1: it is not clear which. */
static const struct series *choose_series(const struct series_set *set, size_t *ret_n)
{
	const struct series *found = NULL;

	for (int complete = 1; complete >= 0; complete--) {
		*ret_n = 0;
		for (size_t i = 0; i < set->n_series; i++) {
			const struct series *s = set->series[i];

			if (!s->n_patches || s->superseded_by || s->complete != complete)
				continue;
			found = s;
			++*ret_n;
		}
		if (*ret_n)
			break;
	}
	return *ret_n == 1 ? found : NULL;
}

static int usage_which(const struct series_set *set, size_t n)
{
	cli_usage("the mails hold %zu series; give one of them:", n);
	for (size_t i = 0; i < set->n_series; i++) {
		const struct series *s = set->series[i];

		if (s->n_patches && !s->superseded_by)
			fprintf(stderr, "  <%s> %zu patch%s%s: %s\n", s->id, s->n_patches,
				s->n_patches == 1 ? "" : "es",
				s->complete ? "" : ", incomplete", s->title);
	}
	return CLI_USAGE;
}

/* The patches in order. 0, CLI_USAGE after the message, or negative. */
static int choose_patches(
	struct apply_call *c, const struct mail **out, size_t *ret_n, struct err *e)
{
	const struct series *s;
	struct series_set set;
	size_t n;
	int rc = series_assemble(c->a, c->mails, c->n_mails, &set, e);

	if (rc)
		return rc;
	s = choose_series(&set, &n);
	if (!s && n)
		return usage_which(&set, n);
	if (!s) {
		*ret_n = without_series(c, out);
		return 0;
	}
	for (size_t i = 0; i < s->n_patches; i++)
		out[i] = s->patches[i].mail;
	*ret_n = s->n_patches;
	if (!c->req.base.base_commit)
		c->req.base.base_commit = s->base_commit;
	return 0;
}

static int fill_request(struct apply_call *c, struct err *e)
{
	const struct mail **v = ARENA_ARRAY(c->a, const struct mail *, c->n_mails + 1);
	struct apply_patch *patches;
	size_t n;
	int rc = choose_patches(c, v, &n, e);

	if (rc)
		return rc;
	patches = ARENA_ARRAY(c->a, struct apply_patch, n);
	for (size_t i = 0; i < n; i++) {
		rc = apply_patch_from_mail(v[i], c->a, &patches[i], e);
		if (rc)
			return err_wrap(e, "%s", v[i]->message_id);
		if (v[i]->base_commit && !c->req.base.base_commit)
			c->req.base.base_commit = v[i]->base_commit;
	}
	c->req.patches = patches;
	c->req.n_patches = n;
	c->req.base.tips = &c->tip;
	c->req.base.n_tips = 1;
	return 0;
}

int cmd_apply(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_call c = {.a = a, .tip = {.rev = "HEAD"}};
	char **files = ARENA_ARRAY(a, char *, (size_t)argc + 1);
	struct apply_outcome *out;
	size_t n_files = 0;
	struct err e;
	int rc;

	if (argc == 2 && cli_is_help(argv[1]))
		return apply_help();
	rc = take_arguments(&c, argc, argv, files, &n_files);
	if (rc)
		return rc;
	for (size_t i = 0; i < n_files; i++) {
		if (read_mails(&c, files[i], &e))
			return cli_fail(&e);
	}
	rc = fill_request(&c, &e);
	if (rc > 0)
		return rc;
	if (rc || apply_run(&c.req, a, &out, &e))
		return cli_fail(&e);
	rc = cli_print_json(apply_outcome_json(out));
	if (rc != CLI_OK)
		return rc;
	return out->result == APPLY_APPLIED || out->result == APPLY_ALREADY ? CLI_OK
									    : CLI_NO;
}
