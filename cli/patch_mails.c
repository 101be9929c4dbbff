// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/patch_mails.h"
#include "mail/assemble.h"
#include "mail/mbox.h"

#define INPUT_MAX (256u << 20) /* bytes of one mbox */
#define MAILS_MAX 10000

static int add_mail(
	struct patch_mails *m, const char *p, size_t len, bool mboxrd, struct err *e)
{
	struct mail_opts opts = {.mboxrd = mboxrd};
	struct mail *one;
	int rc;

	if (m->n == MAILS_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d mails", MAILS_MAX);
	rc = mail_parse(m->a, p, len, &opts, &one, e);
	if (!rc)
		*ARENA_PUSH(m->a, m->v, m->n, m->cap) = one;
	return rc;
}

/* The same mail from nobody, where only its missing author forbids it. */
static const struct mail *with_author(struct patch_mails *m, const struct mail *one)
{
	struct mail *copy;

	if (!m->no_author || !one->rejected || strcmp(one->rejected, MAIL_NO_FROM) != 0)
		return one;
	copy = arena_memdup(m->a, one, sizeof(*one));
	copy->author = (struct mail_addr){"nobody", "nobody@localhost"};
	copy->rejected = NULL;
	m->n_no_author++;
	return copy;
}

static bool is_bare_diff(const char *text)
{
	static const char *const starts[] = {"diff ", "--- ", "Index: "};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* As the mail it would be in. */
static int add_bare(struct patch_mails *m, const char *p, size_t len, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;

	sbuf_adds(&text, "From: nobody <nobody@localhost>\n"
			 "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"
			 "Subject: [PATCH] a diff\n"
			 "Content-Type: text/plain; charset=UTF-8\n"
			 "Content-Transfer-Encoding: 8bit\n\n---\n");
	sbuf_add(&text, p, len);
	return add_mail(m, arena_strndup(m->a, text.buf, text.len), text.len, false, e);
}

int patch_mails_read(struct patch_mails *m, const char *path, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct mbox_iter it;
	struct mbox_mail one;
	char *copy;
	int rc = file_read(path, INPUT_MAX, &text, e);

	if (rc)
		return rc;
	copy = arena_strndup(m->a, text.buf, text.len);
	if (m->bare_diffs && is_bare_diff(copy))
		return add_bare(m, copy, text.len, e);
	if (!mbox_is(copy, text.len))
		return add_mail(m, copy, text.len, false, e);
	mbox_iter_init(&it, copy, text.len);
	while (!rc && mbox_next(&it, &one))
		rc = add_mail(m, one.p, one.len, one.mboxrd, e);
	return rc;
}

/* What was given by hand counts even if no subject says PATCH. */
static size_t without_series(struct patch_mails *m, const struct mail **out)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i]->n_hunks || m->v[i]->n_files)
			out[n++] = m->v[i];
	}
	if (!n && m->n)
		out[n++] = m->v[0];
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
static int choose_patches(struct patch_mails *m, const struct mail **out, size_t *ret_n,
	const char **ret_base_commit, struct err *e)
{
	const struct series *s;
	struct series_set set;
	size_t n;
	int rc = series_assemble(m->a, m->v, m->n, &set, e);

	if (rc)
		return rc;
	s = choose_series(&set, &n);
	if (!s && n)
		return usage_which(&set, n);
	if (!s) {
		*ret_n = without_series(m, out);
		return 0;
	}
	for (size_t i = 0; i < s->n_patches; i++)
		out[i] = s->patches[i].mail;
	*ret_n = s->n_patches;
	*ret_base_commit = s->base_commit;
	return 0;
}

int patch_mails_choose(struct patch_mails *m, const struct apply_patch **ret,
	size_t *ret_n, const char **ret_base_commit, struct err *e)
{
	const struct mail **v = ARENA_ARRAY(m->a, const struct mail *, m->n + 1);
	struct apply_patch *patches;
	const char *base_commit = NULL;
	size_t n = 0;
	int rc = choose_patches(m, v, &n, &base_commit, e);

	if (rc)
		return rc;
	patches = ARENA_ARRAY(m->a, struct apply_patch, n);
	for (size_t i = 0; i < n; i++) {
		rc = apply_patch_from_mail(with_author(m, v[i]), m->a, &patches[i], e);
		if (rc)
			return err_wrap(e, "%s", v[i]->message_id);
		if (!base_commit)
			base_commit = v[i]->base_commit;
	}
	*ret = patches;
	*ret_n = n;
	*ret_base_commit = base_commit;
	return 0;
}
