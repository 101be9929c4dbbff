// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_apply_pick.c - real patches that git am takes, and made-up ones. */
#include "base/base.h"

#include "base/file.h"
#include "mail/mail.h"
#include "mail/mbox.h"
#include "tests/bench/bench_apply.h"

#define FILE_CAP ((size_t)64 << 10) /* of a file that a made-up patch changes */
#define FROM     "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"

/* A mail that applies alone. */
struct pick {
	const char *p, *patch_id;
	size_t len;
	bool sched;
};

struct picks {
	struct pick *v;
	size_t n, cap;
};

/* --- what applies alone --- */

static bool is_sched(const struct mail *m)
{
	bool sched = false;

	for (size_t i = 0; i < m->n_files; i++)
		sched |= !strcmp(m->files[i].path, "kernel/sched/fair.c") ||
			 !strcmp(m->files[i].path, "kernel/sched/core.c");
	return sched;
}

static void take_mail(struct bench *b, struct picks *all, const char *p, size_t len)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct input in = {.p = p, .len = len};
	struct went went;
	struct mail *m;
	struct err e;

	if (mail_parse(a, p, len, &(struct mail_opts){0}, &m, &e) ||
		m->kind == MAIL_REPLY || m->rejected || !m->patch_id || mbox_is(p, len))
		return;
	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->v[i].patch_id, m->patch_id))
			return; /* the same change again */
	}
	bench_library(b->clean, b->base, APPLY_KEEP_NOTHING, true, &in, &went);
	if (!went.clean || !went.commit[0])
		return;
	*ARENA_PUSH(b->a, all->v, all->n, all->cap) =
		(struct pick){p, arena_strdup(b->a, m->patch_id), len, is_sched(m)};
}

/* blobs keeps the mails' bytes. */
static void read_epoch(
	struct bench *b, const char *epoch, struct proc_result *blobs, struct picks *all)
{
	const char *dir = arena_printf(b->a, "--git-dir=%s", epoch);
	const char *list[] = {"git", dir, "rev-list", "--reverse", "--all", NULL};
	const char *read[] = {"git", dir, "cat-file", "--batch", NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	CLEANUP(sbuf_release) struct sbuf names = SBUF_INIT;

	proc_result_init(&r);
	bench_run(list, NULL, 0, &r);
	for (const char *p = r.out.buf; *p; p += REPO_HEX)
		sbuf_addf(&names, "%.40s:m\n", p);
	bench_run(read, names.buf, names.len, blobs);
	for (const char *p = blobs->out.buf, *end = p + blobs->out.len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *blob = memmem(p, (size_t)(nl - p), " blob ", 6);
		size_t len = blob ? strtoul(blob + 6, NULL, 10) : 0;

		if (blob)
			take_mail(b, all, nl + 1, len);
		p = nl + 1 + (blob ? len + 1 : 0);
	}
}

/* --- files --- */

static void save(struct bench *b, enum set_id id, const char *p, size_t len,
	size_t n_patches, size_t n_sched)
{
	struct set *set = &b->sets[id];
	struct input *in = &set->v[set->n];
	struct err e;

	*in = (struct input){
		.path = arena_printf(b->a, "%s/%d-%zu.mbox", b->scratch, (int)id, set->n),
		.p = arena_strndup(b->a, p, len),
		.len = len,
		.n_patches = n_patches,
		.n_sched = n_sched};
	if (file_write_atomic(in->path, p, len, 0644, &e))
		bench_die(in->path, &e);
	set->n++;
	set->n_patches += n_patches;
	set->n_sched += n_sched;
}

/* Evenly spaced, n of those that are (or are not) of the scheduler's two big files. */
static void save_alone(struct bench *b, const struct picks *all, bool sched, size_t n)
{
	size_t have = 0, seen = 0, taken = 0;

	for (size_t i = 0; i < all->n; i++)
		have += all->v[i].sched == sched;
	n = n < have ? n : have;
	for (size_t i = 0; i < all->n; i++) {
		const struct pick *one = &all->v[i];

		if (one->sched != sched || seen++ != taken * have / n || taken == n)
			continue;
		save(b, SET_ALONE, one->p, one->len, 1, sched);
		taken++;
	}
}

/* The commits as a series that was mailed. */
static void save_commits(
	struct bench *b, const char *repo, const char *tip, size_t n, size_t n_sched)
{
	const char *argv[] = {"git", "--git-dir", repo, "format-patch", "--stdout",
		"--thread", "--from=A Sender <sender@example.org>",
		arena_printf(b->a, "%s..%s", b->base, tip), NULL};
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	bench_run(argv, NULL, 0, &r);
	if (r.exit_status)
		bench_die(r.err.buf, NULL);
	save(b, SET_STACK, r.out.buf, r.out.len, n, n_sched);
}

/* One after the other, each on top of those before it, as far as they fit there. */
static void save_stack(struct bench *b, const struct picks *all)
{
	const char *repo = arena_printf(b->a, "%s/stack.git", b->scratch);
	const char *clone[] = {
		"git", "clone", "-q", "--bare", "--shared", b->clean, repo, NULL};
	size_t left[2] = {b->want - b->want * 6 / 10, b->want * 6 / 10};
	size_t n = 0, n_sched = 0;
	char tip[REPO_HEX];

	bench_ask(b, clone);
	snprintf(tip, sizeof(tip), "%s", b->base);
	for (size_t i = 0; i < all->n; i++) {
		const struct pick *one = &all->v[i];
		struct input in = {.p = one->p, .len = one->len};
		struct went went;

		if (!left[one->sched])
			continue;
		bench_library(repo, tip, APPLY_KEEP_ALL, true, &in, &went);
		if (!went.clean || !went.commit[0])
			continue;
		snprintf(tip, sizeof(tip), "%s", went.commit);
		left[one->sched]--;
		n++;
		n_sched += one->sched;
	}
	if (n)
		save_commits(b, repo, tip, n, n_sched);
}

/* --- made-up patches --- */

/* A line more in the middle of the file. False: it is not of a kind for that. */
static bool make_patch(
	struct sbuf *s, const char *path, const char *text, size_t len, size_t number)
{
	const char *start = text, *p;
	size_t n = 0, at = 1;

	for (p = text; (p = memchr(p, '\n', (size_t)(text + len - p))); p++)
		n++;
	if (n < 20 || memchr(text, 0, len) || memchr(text, '\r', len))
		return false;
	for (; at < n / 2 - 3; at++)
		start = strchr(start, '\n') + 1;
	sbuf_addf(s,
		FROM "From: A Writer <writer@example.org>\n"
		     "Date: Tue, 1 Dec 2026 10:00:00 +0000\n"
		     "Subject: [PATCH %zu/%d] %s: a line more\n\nOne line.\n---\n"
		     "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%zu,6 +%zu,7 @@\n",
		number, SPREAD, path, path, path, path, path, at, at);
	for (size_t i = 0; i < 6; i++, start = strchr(start, '\n') + 1) {
		if (i == 3)
			sbuf_adds(s, "+/* a line more */\n");
		sbuf_addf(s, " %.*s\n", (int)strcspn(start, "\n"), start);
	}
	sbuf_adds(s, "-- \n2\n\n");
	return true;
}

/* The first .c file of each folder; the list's bytes are changed and borrowed. */
static char **first_files(struct bench *b, char *list, size_t *ret_n)
{
	char **v = NULL;
	size_t n = 0, cap = 0;

	for (char *p = list, *nl; (nl = strchr(p, '\n')); p = nl + 1) {
		const char *slash = memrchr(p, '/', (size_t)(nl - p));

		*nl = 0;
		if (!slash || nl - p < 3 || strcmp(nl - 2, ".c") != 0 ||
			(n && !strncmp(v[n - 1], p, (size_t)(slash + 1 - p))))
			continue;
		*ARENA_PUSH(b->a, v, n, cap) = p;
	}
	*ret_n = n;
	return v;
}

/* One .c file of each of SPREAD folders, evenly spaced over the tree. */
static void save_spread(struct bench *b)
{
	const char *argv[] = {"git", "--git-dir", b->clean, "ls-tree", "-r",
		"--name-only", b->base, NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT, mbox = SBUF_INIT;
	struct git_repository *repo;
	size_t n, made = 0;
	struct err e;
	char **first;

	proc_result_init(&r);
	bench_run(argv, NULL, 0, &r);
	first = first_files(b, r.out.buf, &n);
	if (repo_open(b->clean, &repo, &e))
		bench_die("open", &e);
	for (size_t i = 0; i < n && made < SPREAD; i++) {
		if (i < made * n * 9 / 10 / SPREAD) /* the rest is for those left out */
			continue;
		sbuf_reset(&text);
		if (!repo_read_file(repo, b->base, first[i], FILE_CAP, &text, NULL, &e))
			made += make_patch(&mbox, first[i], text.buf, text.len, made + 1);
	}
	repo_close(repo);
	if (made < SPREAD)
		bench_die("the tree has too few folders with .c files", NULL);
	save(b, SET_SPREAD, mbox.buf, mbox.len, made, 0);
}

void bench_pick(struct bench *b, char **epochs)
{
	struct picks all = {0};
	struct set *alone = &b->sets[SET_ALONE];

	b->epochs = ARENA_ARRAY(b->a, struct proc_result, b->n_epochs);
	for (size_t i = 0; i < b->n_epochs; i++) {
		proc_result_init(&b->epochs[i]);
		read_epoch(b, epochs[i], &b->epochs[i], &all);
	}
	b->fits = all.n;
	alone->v = ARENA_ARRAY(b->a, struct input, b->want);
	b->sets[SET_STACK].v = ARENA_NEW(b->a, struct input);
	b->sets[SET_SPREAD].v = ARENA_NEW(b->a, struct input);
	save_alone(b, &all, true, b->want * 6 / 10);
	save_alone(b, &all, false, b->want - alone->n);
	save_stack(b, &all);
	save_spread(b);
}
