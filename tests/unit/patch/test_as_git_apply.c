// SPDX-License-Identifier: GPL-2.0-or-later
/* Random edits, placed on files that have moved since: the same answer and the same bytes
 * as git apply. Lines come from a small vocabulary, so that hunks fit at several places;
 * some headers name wrong lines. Seeded: the same cases each time. */
#include "base/base.h"

#include "base/rng.h"
#include "base/sbuf.h"
#include "patch/diff.h"
#include "patch/hunk.h"
#include "tests/unit/patch/git.h"

#define CASES     80
#define LINES_MAX 90

struct text {
	unsigned char line[LINES_MAX]; /* number of a word */
	size_t n;
	bool no_newline;
};

static void random_text(struct rng *r, struct text *t)
{
	t->n = 5 + rng_below(r, 40);
	t->no_newline = !rng_below(r, 5);
	for (size_t i = 0; i < t->n; i++)
		t->line[i] = (unsigned char)rng_below(r, rng_below(r, 2) ? 6 : 60);
}

/* One line put in, taken out or changed. */
static void edit(struct rng *r, struct text *t)
{
	size_t at = rng_below(r, t->n + 1);
	unsigned char word = (unsigned char)rng_below(r, 80);

	switch (rng_below(r, 3)) {
	case 0:
		if (t->n == LINES_MAX)
			return;
		memmove(t->line + at + 1, t->line + at, t->n - at);
		t->line[at] = word;
		t->n++;
		break;
	case 1:
		if (at == t->n || t->n < 2)
			return;
		memmove(t->line + at, t->line + at + 1, t->n - at - 1);
		t->n--;
		break;
	default:
		if (at < t->n)
			t->line[at] = word;
	}
}

static void write_text(const struct text *t, struct sbuf *s)
{
	sbuf_reset(s);
	for (size_t i = 0; i < t->n; i++)
		sbuf_addf(s, "word %u\n", t->line[i]);
	if (t->no_newline && s->len)
		sbuf_setlen(s, s->len - 1);
}

/* The diff with our own header; now and then the new line number of a hunk is off. */
static void rewrite(struct rng *r, const char *diff, struct sbuf *s)
{
	const char *p = strstr(diff, "\n@@ ");

	sbuf_reset(s);
	if (!p)
		return;
	sbuf_adds(s, "--- a/f\n+++ b/f\n");
	for (p++; *p; p += strcspn(p, "\n") + 1) {
		unsigned os, on = 1, ns, nn = 1;
		int end = 0;

		bool full =
			sscanf(p, "@@ -%u,%u +%u,%u @@%n", &os, &on, &ns, &nn, &end) == 4;

		if (!full || !end || rng_below(r, 4)) {
			sbuf_add(s, p, strcspn(p, "\n"));
			sbuf_addc(s, '\n');
			if (!p[strcspn(p, "\n")])
				break;
			continue;
		}
		ns += (unsigned)rng_below(r, 12);
		sbuf_addf(s, "@@ -%u,%u +%u,%u @@\n", os, on, ns, nn);
	}
}

enum answer { REFUSED, APPLIED, STRICTER };

static enum answer ours(const char *diff, size_t diff_len, const struct sbuf *file,
	struct sbuf *out, bool *ret_moved)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct image img;
	struct diff *d;
	struct err e;
	char *text;
	size_t len;

	*ret_moved = false;
	assert_ok(diff_parse(diff, diff_len, a, &d, &e), &e);
	assert_int_equal(d->n_files, 1);
	image_init(&img, a, file->buf, file->len);
	for (uint32_t i = 0; i < d->files[0].n_hunks; i++) {
		struct hunk_place place = hunk_find(&img, &d->files[0].hunks[i], false);

		if (place.fit == HUNK_NO_CONTEXT)
			return STRICTER;
		if (place.fit != HUNK_FITS)
			return REFUSED;
		*ret_moved |= place.offset != 0;
		hunk_put(&img, &d->files[0].hunks[i], &place);
	}
	text = image_text(&img, &len);
	sbuf_reset(out);
	sbuf_add(out, text, len);
	return APPLIED;
}

/* A last context line without newline may match inside of a file in git, which joins it
 * with the next line. */
static bool git_is_looser(const char *diff)
{
	return strstr(diff, "\\ No newline") != NULL;
}

static void as_git_apply(void **state)
{
	const char *dir = *state;
	CLEANUP(sbuf_release)
	struct sbuf old = SBUF_INIT, new = SBUF_INIT, file = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf raw = SBUF_INIT, diff = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf have = SBUF_INIT, want = SBUF_INIT;
	int n_applied = 0, n_moved = 0, n_refused = 0;
	struct rng r;
	char path[600];
	struct err e;

	rng_seed_named(&r, 7, "as_git_apply");
	snprintf(path, sizeof(path), "%s/f", dir);
	for (int i = 0; i < CASES; i++) {
		struct text a, b, c;
		char context[16];
		bool moved, git_takes;
		enum answer answer;

		random_text(&r, &a);
		b = c = a;
		for (size_t k = 1 + rng_below(&r, 4); k; k--)
			edit(&r, &b);
		for (size_t k = rng_below(&r, 5); k; k--)
			edit(&r, &c);
		write_text(&a, &old);
		write_text(&b, &new);
		write_text(&c, &file);
		git_file(dir, "old", old.buf);
		git_file(dir, "new", new.buf);
		snprintf(context, sizeof(context), "-U%d", 1 + (int)rng_below(&r, 3));
		git_status(dir, NULL, &raw, "diff", "--no-index", context, "old", "new");
		rewrite(&r, raw.buf, &diff);
		if (!diff.len)
			continue;
		git_file(dir, "f", file.buf);
		git_takes = !git_status(dir, diff.buf, NULL, "apply", "-");
		answer = ours(diff.buf, diff.len, &file, &have, &moved);
		if (answer == STRICTER ||
			(git_takes && answer == REFUSED && git_is_looser(diff.buf)))
			continue;
		if (git_takes != (answer == APPLIED))
			fail_msg("case %d: git %d, we %d\n%s\non\n%s", i, git_takes,
				answer, diff.buf, file.buf);
		n_refused += answer == REFUSED;
		if (answer != APPLIED)
			continue;
		n_applied++;
		n_moved += moved;
		sbuf_reset(&want);
		assert_ok(file_read(path, 1 << 20, &want, &e), &e);
		if (want.len != have.len || memcmp(want.buf, have.buf, want.len) != 0)
			fail_msg("case %d: other bytes\n%s\non\n%s", i, diff.buf,
				file.buf);
	}
	/* the cases say something only if all kinds are among them */
	assert_true(n_applied >= 25);
	assert_true(n_moved >= 8);
	assert_true(n_refused >= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(as_git_apply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
