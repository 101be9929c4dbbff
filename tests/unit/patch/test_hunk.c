// SPDX-License-Identifier: GPL-2.0-or-later
/* Where hunks go: the trials of git apply that the rules were taken from. */
#include "base/base.h"

#include "base/sbuf.h"
#include "patch/explain.h"
#include "patch/hunk.h"
#include "tests/unit/unit.h"

/* "-a +b  c" as a hunk: one character each of origin and text, blanks between. */
struct trial {
	const char *image;  /* a line for each character */
	const char *header; /* "@@ -5,3 +5,3 @@" */
	const char *lines;  /* pairs of origin and text: " a-b+B c" */
	enum hunk_fit fit;
	int64_t at; /* 1-based */
	bool second;
};

static const struct trial trials[] = {
	{"abcdef", "@@ -2,3 +2,3 @@", " b-c+C d", HUNK_FITS, 2, false},
	{"xxabcdef", "@@ -2,3 +2,3 @@", " b-c+C d", HUNK_FITS, 4, false},
	{"bcdef", "@@ -4,3 +4,3 @@", " b-c+C d", HUNK_FITS, 1, false},
	/* same distance: forward wins; else the nearer */
	{"..bcd.....bcd..", "@@ -7,3 +7,3 @@", " b-c+C d", HUNK_FITS, 11, true},
	{"..bcd.....bcd..", "@@ -6,3 +6,3 @@", " b-c+C d", HUNK_FITS, 3, true},
	/* exactly there: a second match elsewhere does not matter */
	{"..bcd.....bcd..", "@@ -3,3 +3,3 @@", " b-c+C d", HUNK_FITS, 3, false},
	/* the new line number counts, not the old one */
	{"..bcd.....bcd..", "@@ -3,3 +11,3 @@", " b-c+C d", HUNK_FITS, 11, false},
	/* line 1 means the top, and nothing else */
	{"abc...", "@@ -1,3 +1,3 @@", " a-b+B c", HUNK_FITS, 1, false},
	{".abc..", "@@ -1,3 +1,3 @@", " a-b+B c", HUNK_NO_MATCH, 0, false},
	{".abc..", "@@ -1,3 +5,3 @@", " a-b+B c", HUNK_NO_MATCH, 0, false},
	{"..abc.", "@@ -20,3 +20,3 @@", "+N a-b c", HUNK_FITS, 3, false},
	/* no trailing context means the end */
	{"..abc", "@@ -3,3 +3,2 @@", " a b-c", HUNK_FITS, 3, false},
	{"..abc.", "@@ -3,3 +3,2 @@", " a b-c", HUNK_NO_MATCH, 0, false},
	{"abc.abc", "@@ -1,3 +1,2 @@", " a b-c", HUNK_NO_MATCH, 0, false},
	/* -U0: only where it is the whole file */
	{"abc", "@@ -2 +2 @@", "-b+B", HUNK_NO_CONTEXT, 0, false},
	{"abc", "@@ -3 +3 @@", "-c+B", HUNK_NO_CONTEXT, 0, false},
	{"abc", "@@ -1,0 +2 @@", "+B", HUNK_NO_CONTEXT, 0, false},
	{"a", "@@ -1 +1 @@", "-a+B", HUNK_FITS, 1, false},
	{"", "@@ -0,0 +1,2 @@", "+a+b", HUNK_FITS, 1, false},
	{"a", "@@ -0,0 +1,2 @@", "+a+b", HUNK_NO_CONTEXT, 0, false},
	/* white space and length are bytes like others */
	{"ab", "@@ -1,3 +1,3 @@", " a-b+B c", HUNK_NO_MATCH, 0, false},
	{"", "@@ -5,3 +5,3 @@", " a-b+B c", HUNK_NO_MATCH, 0, false},
};

static void add_pairs(struct sbuf *s, const char *pairs)
{
	for (; *pairs; pairs += 2)
		sbuf_addf(s, "%c%c\n", pairs[0], pairs[1]);
}

static struct diff_file *file_of(struct arena *a, const char *text, size_t len)
{
	struct diff *d;
	struct err e;

	assert_ok(diff_parse(text, len, a, &d, &e), &e);
	return &d->files[0];
}

static void image_of(struct image *img, struct arena *a, const char *chars)
{
	char *buf = arena_alloc(a, strlen(chars) * 2 + 1);
	size_t n = 0;

	for (; *chars; chars++) {
		buf[n++] = *chars;
		buf[n++] = '\n';
	}
	image_init(img, a, buf, n);
}

static void places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(trials); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
		const struct trial *t = &trials[i];
		struct image img;
		struct hunk_place place;

		sbuf_addf(&s, "--- a/x\n+++ b/x\n%s\n", t->header);
		add_pairs(&s, t->lines);
		image_of(&img, a, t->image);
		place = hunk_find(&img, &file_of(a, s.buf, s.len)->hunks[0], true);
		if (place.fit != t->fit || place.second != t->second ||
			(place.fit == HUNK_FITS && (int64_t)place.at + 1 != t->at))
			fail_msg("trial %zu: fit %d at %zu second %d", i, place.fit,
				place.at + 1, place.second);
	}
}

/* Lines that an earlier hunk wrote take no part: the second hunk lands far away. */
static void written_lines(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] = "--- a/x\n+++ b/x\n"
				   "@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n"
				   "@@ -4,3 +4,3 @@\n c\n-d\n+D\n e\n";
	struct diff_file *f = file_of(a, text, sizeof(text) - 1);
	struct image img;
	struct hunk_place place;
	char *out;
	size_t len;

	(void)state;
	image_of(&img, a, ".abcde....cde.");
	place = hunk_find(&img, &f->hunks[0], true);
	assert_int_equal(place.fit, HUNK_FITS);
	hunk_put(&img, &f->hunks[0], &place);
	place = hunk_find(&img, &f->hunks[1], true);
	assert_int_equal(place.fit, HUNK_FITS);
	assert_int_equal(place.at + 1, 11);
	assert_int_equal(place.offset, 7);
	hunk_put(&img, &f->hunks[1], &place);
	out = image_text(&img, &len);
	assert_int_equal(len, 28);
	assert_string_equal(out, ".\na\nB\nc\nd\ne\n.\n.\n.\n.\nc\nD\ne\n.\n");
}

static void last_line_without_newline(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n"
				   "\\ No newline at end of file\n";
	struct diff_file *f = file_of(a, text, sizeof(text) - 1);
	struct image img;

	(void)state;
	image_init(&img, a, "a\nb", 3);
	assert_int_equal(hunk_find(&img, &f->hunks[0], true).fit, HUNK_FITS);
	image_init(&img, a, "a\nb\n", 4);
	assert_int_equal(hunk_find(&img, &f->hunks[0], true).fit, HUNK_FITS);
	image_init(&img, a, "a\nb\nc\n", 6); /* git would make "bc" of it */
	assert_int_equal(hunk_find(&img, &f->hunks[0], true).fit, HUNK_NO_MATCH);
}

static void functions(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char c[] = "static int one(void)\n{\nout:\n\treturn 1;\n}\n"
				"static int two(void)\n{\n\treturn 2;\n}\n";
	static const char text[] =
		"--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ static int one(void)\n"
		" a\n-b\n+B\n c\n";
	struct diff_file *f = file_of(a, text, sizeof(text) - 1);
	struct image img;

	(void)state;
	image_init(&img, a, c, sizeof(c) - 1);
	assert_int_equal(image_function(&img, 0), -1);
	assert_int_equal(image_function(&img, 1), 0);
	assert_int_equal(image_function(&img, 4), 0); /* a label is none */
	assert_int_equal(
		image_function(&img, 5), 0); /* the line before the hunk counts */
	assert_int_equal(image_function(&img, 6), 5);
	assert_true(hunk_function_is(&f->hunks[0], &img, 0));
	assert_false(hunk_function_is(&f->hunks[0], &img, 5));
	assert_false(hunk_function_is(&f->hunks[0], &img, -1));
}

struct why_case {
	const char *image;
	const char *header, *lines;
	const char *says;
};

static const struct why_case why_cases[] = {
	{"..Axyz..", "@@ -2,4 +2,4 @@", " A w-y+Y z",
		"hunk 1 of 1 expects \"w\" near line 3; the base has \"x\" at 4"},
	{"....", "@@ -2,3 +2,3 @@", " A-b+B c",
		"hunk 1 of 1 expects \"A\" near line 2; the base has nothing like it"},
	{".Abc.", "@@ -1,3 +1,3 @@", " A-b+B c", "is for the top of the file"},
	{"Abc..", "@@ -3,3 +3,2 @@", " A b-c",
		"is for the end of the file, but the base has 2 more lines after line 3"},
	{"..Ab", "@@ -3,3 +3,3 @@", " A-b+B c",
		"hunk 1 of 1 expects \"c\" near line 5; the base ends at line 4"},
	{"abc", "@@ -2 +2 @@", "-b+B", "made with -U0"},
	{"abc", "@@ -0,0 +1 @@", "+b", "made with -U0"},
};

/* Texts of one letter say too little for the search: each becomes a word. */
static void add_words(struct sbuf *s, const char *chars, bool pairs)
{
	for (; *chars; chars++) {
		if (pairs)
			sbuf_addc(s, *chars++);
		sbuf_addf(s, "%c%c%c\n", *chars, *chars, *chars);
	}
}

static void sentences(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(why_cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT, file = SBUF_INIT;
		CLEANUP(sbuf_release) struct sbuf says = SBUF_INIT;
		const struct why_case *c = &why_cases[i];
		struct explain_hunk why;
		struct hunk_place place;
		struct diff_hunk *h;
		struct image img;

		sbuf_addf(&s, "--- a/x\n+++ b/x\n%s\n", c->header);
		add_words(&s, c->lines, true);
		add_words(&file, c->image, false);
		for (const char *p = c->says; *p; p++) {
			sbuf_addc(&says, *p);
			if (p > c->says && p[-1] == '"' && p[1] == '"')
				sbuf_addf(&says, "%c%c", *p, *p);
		}
		image_init(&img, a, file.buf, file.len);
		h = &file_of(a, s.buf, s.len)->hunks[0];
		place = hunk_find(&img, h, true);
		assert_int_not_equal(place.fit, HUNK_FITS);
		explain_hunk(&img, h, 1, 1, &place, a, &why);
		if (!strstr(why.error, says.buf))
			fail_msg("case %zu: %s", i, why.error);
	}
}

/* The sentence for a hunk of LINE between lines that fit, where the base has BASE. */
static const char *says_of(
	struct arena *a, const char *line, const char *base, enum explain_blanks *ret)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT, file = SBUF_INIT;
	struct explain_hunk why;
	struct hunk_place place;
	struct diff_hunk *h;
	struct image img;

	sbuf_addf(&s,
		"--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n alpha\n-%s\n+new\n"
		" beta\n gamma\n delta\n",
		line);
	sbuf_addf(&file, "alpha\n%s\nbeta\ngamma\ndelta\n", base);
	image_init(&img, a, arena_strndup(a, file.buf, file.len), file.len);
	h = &file_of(a, arena_strndup(a, s.buf, s.len), s.len)->hunks[0];
	place = hunk_find(&img, h, true);
	assert_int_not_equal(place.fit, HUNK_FITS);
	explain_hunk(&img, h, 1, 1, &place, a, &why);
	*ret = why.blanks;
	return why.error;
}

#define WIDE "0123456789012345678901234567890123456789012345678901234567890123456789"

static void lines_alike(void **state)
{
	static const struct {
		const char *line, *base, *says;
		enum explain_blanks blanks;
	} cases[] = {
		{WIDE "one,", WIDE "one)",
			"expects \"...7890123456789one,\" near line 2; the base has "
			"\"...7890123456789one)\" at 2",
			BLANKS_NO},
		{WIDE, WIDE "more",
			"expects \"...4567890123456789\" near line 2; the base has "
			"\"...4567890123456789more\" at 2",
			BLANKS_NO},
		/* not from within a character */
		{WIDE "\303\244234567890123456", WIDE "\303\24423456789012345!",
			"expects \"...\303\244234567890123456\" near line 2; the base "
			"has "
			"\"...\303\24423456789012345!\" at 2",
			BLANKS_NO},
		{"x\001", "x\002",
			"expects \"x \" near line 2; the base has \"x \" at 2 (bytes "
			"differ "
			"that are not text)",
			BLANKS_NO},
		{"\t" WIDE, "        " WIDE, "at 2 (white space differs)", BLANKS_DIFFER},
		{"x", "x\r",
			"expects \"x\" near line 2; the base has \"x\" at 2 (with CR LF",
			BLANKS_CR},
		{"x y", "x  y\r", "at 2 (white space differs)", BLANKS_DIFFER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		enum explain_blanks blanks;
		const char *says = says_of(a, cases[i].line, cases[i].base, &blanks);
		size_t len = strlen(cases[i].says);

		if (!strstr(says, cases[i].says) || blanks != cases[i].blanks)
			fail_msg("case %zu: %d %s", i, blanks, says);
		/* a sentence that ends with the line has no reason behind it */
		if (!strcmp(cases[i].says + len - 4, "at 2"))
			assert_string_equal(says + strlen(says) - 4, "at 2");
	}
}

static void sentence_text(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	assert_string_equal(explain_text("\t\tif (x)\n", 9, a), "if (x)");
	assert_string_equal(explain_text("a\tb\001\377c", 6, a), "a b ?c");
	assert_string_equal(explain_text("\303\244", 2, a), "\303\244");
	char longer[200];

	memset(longer, 'x', sizeof(longer));
	assert_int_equal(strlen(explain_text(longer, sizeof(longer), a)), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(written_lines),
		cmocka_unit_test(last_line_without_newline),
		cmocka_unit_test(functions),
		cmocka_unit_test(sentences),
		cmocka_unit_test(lines_alike),
		cmocka_unit_test(sentence_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
