// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/patch_mails.h"
#include "cli/show.h"
#include "mail/choose.h"
#include "mail/depends.h"
#include "mail/mbox.h"
#include "mail/sent.h"

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
	rc = sent_parse(m->a, &m->sent, p, len, &opts, &one, NULL, e);
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
	int rc = file_read(path, INPUT_MAX, &text, e);

	if (rc)
		return rc == ERR_TOO_BIG ? rc : cli_failed(e);
	rc = patch_mails_add(m, text.buf, text.len, e);
	return rc ? err_wrap(e, "%s", strcmp(path, "-") ? path : "standard input") : 0;
}

int patch_mails_add(struct patch_mails *m, const char *text, size_t len, struct err *e)
{
	const char *copy = arena_strndup(m->a, text, len);
	struct mbox_iter it;
	struct mbox_mail one;
	int rc = 0;

	if (m->bare_diffs && is_bare_diff(copy))
		return add_bare(m, copy, len, e);
	if (!mbox_is(copy, len))
		return add_mail(m, copy, len, false, e);
	mbox_iter_init(&it, copy, len);
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

/* Older versions, and what goes first, are no news. */
static bool is_part_of(const struct series *s, const struct mail *m)
{
	for (const struct series *v = s; v; v = v->previous) {
		for (size_t i = 0; i < v->n_patches; i++) {
			if (v->patches[i].mail == m)
				return true;
		}
	}
	return false;
}

/* Whoever gives two series by mistake is told of the one that is not applied. */
static void say_left_out(struct patch_mails *m, const struct series_set *set,
	const struct series *chosen, const struct series_depends *before)
{
	for (size_t i = 0; i < set->n_series; i++) {
		const struct series *s = set->series[i];
		const struct mail *first = s->n_patches ? s->patches[0].mail : NULL;
		bool known = !first || is_part_of(chosen, first);

		for (size_t k = 0; k < before->n_series && !known; k++)
			known = is_part_of(before->series[k], first);
		if (!known)
			fprintf(stderr, "wakelist: left out: %s\n",
				show_clean(m->a, series_line(m->a, s)));
	}
}

/* --- circles --- */

/* What s builds on, near or far; the last is named by s itself. */
static bool builds_on(const struct series_depends *d, const struct series *s)
{
	for (size_t i = 0; i < d->n_series; i++)
		if (d->series[i] == s)
			return true;
	return false;
}

/* What s builds on and what builds on s; NULL: nothing. */
static const struct series *next_in_circle(
	struct patch_mails *m, const struct series_set *set, const struct series *s)
{
	struct series_depends d, back;

	series_depends(m->a, set, s, &d);
	for (size_t i = d.n_series; i-- > 0;) {
		series_depends(m->a, set, d.series[i], &back);
		if (builds_on(&back, s))
			return d.series[i];
	}
	return NULL;
}

/* The circle that s is a part of, in words; NULL: it is in none. */
static const char *circle_words(
	struct patch_mails *m, const struct series_set *set, const struct series *s)
{
	const struct series *next = next_in_circle(m, set, s);
	const char *words;

	if (!next)
		return NULL;
	words = arena_printf(m->a, "<%s> builds on <%s>", s->id, next->id);
	/* what s is not a part of may begin on the way */
	for (int i = 0; next != s && i <= SERIES_DEPENDS_DEPTH; i++) {
		next = next_in_circle(m, set, next);
		words = arena_printf(m->a, "%s, which builds on <%s>", words, next->id);
	}
	return words;
}

/* INVALID when what may be meant builds on each other in a circle, else 0. */
static int check_circle(struct patch_mails *m, const struct series_set *set,
	const struct series_choice *choice, struct err *e)
{
	for (size_t i = 0; i < choice->n_among; i++) {
		const char *words = choice->among[i]->n_prerequisites
					    ? circle_words(m, set, choice->among[i])
					    : NULL;

		if (words)
			return err_set(e, ERR_INVALID,
				"the mails hold series that build on each other in a "
				"circle: %s",
				words);
	}
	return 0;
}

/* --- */

/* Each is one patch without a number: likely those of one series. */
static bool lack_numbers(const struct series_choice *choice)
{
	for (size_t i = 0; i < choice->n_among; i++) {
		const struct series *s = choice->among[i];

		if (s->n_patches != 1 || s->patches[0].mail->prefix.n != PREFIX_NONE)
			return false;
	}
	return true;
}

/* The one series among the mails; *ret NULL with 0: there is none. */
static int choose_series(struct patch_mails *m, struct series_set *ret_set,
	const struct series **ret, struct err *e)
{
	struct series_choice choice;
	int rc = series_assemble(m->a, m->v, m->n, ret_set, e);

	if (rc)
		return rc;
	series_choose(m->a, ret_set, &choice);
	*ret = choice.series;
	if (choice.series || !choice.n_among)
		return 0;
	rc = check_circle(m, ret_set, &choice, e);
	if (rc)
		return rc;
	cli_usage("the mails hold %zu series; give one of them:", choice.n_among);
	for (size_t i = 0; i < choice.n_among; i++)
		fprintf(stderr, "  %s\n",
			show_clean(m->a, series_line(m->a, choice.among[i])));
	if (lack_numbers(&choice))
		fputs("  (the patches of one series have numbers: git format-patch -n "
		      "writes them)\n",
			stderr);
	return CLI_USAGE;
}

/* A part of a series that cannot be used, or lost its diff: said before all
 * else, never left out. */
static bool is_lost_part(const struct mail *m)
{
	if (m->rejected)
		return m->n_hunks;
	return m->kind == MAIL_OTHER && m->prefix.patch && m->prefix.n > 0;
}

int patch_mails_check(struct patch_mails *m, struct err *e)
{
	const struct series *s;
	struct series_set set;
	int rc = choose_series(m, &set, &s, e);

	if (rc || s)
		return rc;
	return err_set(e, ERR_INVALID, "%s", series_none(m->a, m->v, m->n));
}

/* All mails to apply, in order. 0, CLI_USAGE after the message, or negative. */
static int choose_mails(struct patch_mails *m, const struct mail **out, size_t *ret_n,
	struct patch_choice *ret, struct err *e)
{
	struct series_depends d;
	const struct series *s;
	struct series_set set;
	int rc = choose_series(m, &set, &s, e);

	if (rc)
		return rc;
	if (!s) {
		*ret_n = without_series(m, out);
		return 0;
	}
	series_depends(m->a, &set, s, &d);
	say_left_out(m, &set, s, &d);
	for (size_t i = 0; i < d.n_patches; i++)
		out[i] = d.patches[i];
	*ret_n = d.n_patches;
	for (size_t i = 0; !s->complete && i < m->n; i++) {
		if (is_lost_part(m->v[i]))
			out[(*ret_n)++] = m->v[i];
	}
	for (size_t i = 0; i < s->n_patches; i++)
		out[(*ret_n)++] = s->patches[i].mail;
	ret->n_before = d.n_patches;
	ret->missing = d.missing;
	ret->base_commit = s->base_commit;
	ret->tree = s->tree;
	return 0;
}

int patch_mails_choose(struct patch_mails *m, struct patch_choice *ret, struct err *e)
{
	/* a mail may be a prerequisite and, inherited, a part of the series */
	const struct mail **v = ARENA_ARRAY(m->a, const struct mail *, 2 * m->n + 1);
	struct apply_patch *patches;
	size_t n = 0;
	int rc;

	*ret = (struct patch_choice){.n_before = 0};
	if (!m->n)
		return err_set(e, ERR_INVALID, "no mail in there");
	rc = choose_mails(m, v, &n, ret, e);
	if (rc)
		return rc;
	if (n > APPLY_PATCHES_MAX)
		return err_set(
			e, ERR_TOO_BIG, "%zu patches; limit %d", n, APPLY_PATCHES_MAX);
	patches = ARENA_ARRAY(m->a, struct apply_patch, n);
	for (size_t i = 0; i < n; i++) {
		rc = apply_patch_from_mail(with_author(m, v[i]), m->a, &patches[i], e);
		if (rc)
			return err_wrap(e, "%s", v[i]->message_id);
		apply_patch_original(v[i], m->v, m->n, m->a, &patches[i]);
		if (i < ret->n_before)
			continue;
		if (!ret->base_commit)
			ret->base_commit = v[i]->base_commit;
		if (v[i]->order_time > ret->time_s)
			ret->time_s = v[i]->order_time;
	}
	ret->patches = patches;
	ret->n_patches = n;
	return 0;
}
