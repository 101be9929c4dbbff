// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/diff.h"
#include "patch/diff_name.h"

struct parser {
	struct arena *a;
	const char *p, *end;
	uint32_t line; /* 1-based number of the line at p */
	struct diff *d;
	size_t files_cap;
	struct err *e;
};

struct line {
	const char *p;
	size_t len; /* with the newline, if there is one */
	bool whole; /* ends with a newline */
};

static struct line line_at(const char *p, const char *end)
{
	const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return (struct line){p, nl ? (size_t)(nl - p) + 1 : (size_t)(end - p), nl};
}

static struct line line_now(const struct parser *ps)
{
	return line_at(ps->p, ps->end);
}

static void line_next(struct parser *ps, struct line l)
{
	ps->p += l.len;
	ps->line++;
}

static bool starts(struct line l, const char *text)
{
	size_t n = strlen(text);

	return l.len >= n && !memcmp(l.p, text, n);
}

/* What follows the first n bytes, without the newline. */
static struct diff_text rest(struct line l, size_t n)
{
	return (struct diff_text){l.p + n, l.p + l.len - (l.whole ? 1 : 0)};
}

static int corrupt(const struct parser *ps, uint32_t line, const char *why)
{
	return err_set(ps->e, ERR_INVALID, "line %u of the patch: %s", line, why);
}

/* Decimal at *p, at most 9 digits; false: none. */
static bool number(const char **p, const char *end, uint32_t *ret)
{
	uint32_t v = 0;
	int n = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (++n > 9)
			return false;
		v = v * 10 + (uint32_t)(**p - '0');
	}
	*ret = v;
	return n > 0;
}

static bool range(const char **p, const char *end, uint32_t *ret_start, uint32_t *ret_n)
{
	*ret_n = 1;
	if (!number(p, end, ret_start))
		return false;
	if (*p == end || **p != ',')
		return true;
	(*p)++;
	return number(p, end, ret_n);
}

/* "@@ -1,2 +3,4 @@ text" */
static bool hunk_header(struct line l, struct diff_hunk *h)
{
	const char *p = l.p + 4, *end = l.p + l.len - 1;

	if (!l.whole || !starts(l, "@@ -") || !range(&p, end, &h->old_start, &h->old_n))
		return false;
	if (end - p < 2 || memcmp(p, " +", 2) != 0)
		return false;
	p += 2;
	if (!range(&p, end, &h->new_start, &h->new_n))
		return false;
	if (end - p < 3 || memcmp(p, " @@", 3) != 0)
		return false;
	p += 3;
	if (p < end && *p == ' ')
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	h->header = l.p;
	h->header_len = (uint32_t)(end - l.p);
	h->func = p;
	h->func_len = (uint32_t)(end - p);
	return true;
}

static bool is_no_newline(struct line l)
{
	return l.len >= 12 && starts(l, "\\ ");
}

/* The last line of the given side, to lose its newline. 0, or damaged. */
static int cut_newline(
	struct parser *ps, struct diff_hunk *h, uint32_t old_left, uint32_t new_left)
{
	if (!h->n_lines)
		return corrupt(ps, ps->line, "\"\\ No newline\" follows no line");

	struct diff_line *last = &h->lines[h->n_lines - 1];
	bool ends_old = last->origin == '+' || !old_left;
	bool ends_new = last->origin == '-' || !new_left;

	if (!ends_old || !ends_new)
		return corrupt(
			ps, ps->line, "a line without newline is not the last one");
	if (last->len && last->p[last->len - 1] == '\n')
		last->len--;
	/* An empty line that lost its space too is nothing; one that has it is a line
	 * that no file has. */
	if (!last->len && last->origin == ' ' && last->p[-1] == '\n')
		h->n_lines--;
	return 0;
}

static int hunk_line(struct parser *ps, struct diff_hunk *h, struct line l,
	uint32_t *old_left, uint32_t *new_left, uint32_t *cap)
{
	char c = *l.p == '\n' ? ' ' : *l.p;

	if (!l.whole)
		return corrupt(ps, ps->line, "the hunk is cut off");
	if (l.len > DIFF_LINE_MAX)
		return err_set(ps->e, ERR_TOO_BIG,
			"line %u of the patch is not text: it has %zu bytes", ps->line,
			l.len);
	if (memchr(l.p, 0, l.len))
		return err_set(ps->e, ERR_UNSUPPORTED, "line %u of the patch is not text",
			ps->line);
	if (is_no_newline(l))
		return cut_newline(ps, h, *old_left, *new_left);
	if (c != ' ' && c != '-' && c != '+')
		return corrupt(ps, ps->line,
			"the hunk ends before its counts are reached, or the mailer "
			"wrapped a line");
	if ((c != '+' && !*old_left) || (c != '-' && !*new_left))
		return corrupt(
			ps, ps->line, "the hunk has more lines than its header says");
	if (++ps->d->n_lines > DIFF_HUNK_LINES_MAX)
		return err_set(ps->e, ERR_TOO_BIG, "the patch has over %d hunk lines",
			DIFF_HUNK_LINES_MAX);

	struct diff_line *out = ARENA_PUSH(ps->a, h->lines, h->n_lines, *cap);
	bool blank = *l.p == '\n';

	*out = (struct diff_line){
		.p = l.p + !blank, .len = (uint32_t)(l.len - !blank), .origin = c};
	ps->d->n_blank_context += blank;
	*old_left -= c != '+';
	*new_left -= c != '-';
	if (c == ' ') {
		h->leading += !h->n_added && !h->n_removed;
		h->trailing++;
		return 0;
	}
	h->trailing = 0;
	if (c == '+') {
		h->n_added++;
		ps->d->n_added_bytes += out->len;
	} else {
		h->n_removed++;
	}
	return 0;
}

static int hunk_parse(struct parser *ps, struct diff_hunk *h)
{
	struct line l = line_now(ps);
	uint32_t cap = 0, old_left, new_left;
	int rc;

	h->patch_line = ps->line;
	if (!hunk_header(l, h))
		return corrupt(ps, ps->line, "the hunk's header is damaged");
	line_next(ps, l);
	old_left = h->old_n;
	new_left = h->new_n;
	while ((old_left || new_left) && ps->p < ps->end) {
		l = line_now(ps);
		rc = hunk_line(ps, h, l, &old_left, &new_left, &cap);
		if (rc)
			return rc;
		line_next(ps, l);
	}
	if (old_left || new_left)
		return corrupt(ps, ps->line, "the patch ends inside a hunk");
	if (!h->n_added && !h->n_removed)
		return corrupt(ps, h->patch_line, "the hunk changes nothing");
	l = line_now(ps);
	if (l.len > 12 && starts(l, "\\ ")) {
		rc = cut_newline(ps, h, 0, 0);
		if (rc)
			return rc;
		line_next(ps, l);
	}
	return 0;
}

static int hunks_parse(struct parser *ps, struct diff_file *f)
{
	uint32_t cap = 0, n_old = 0, n_new = 0;

	while (ps->end - ps->p > 4 && !memcmp(ps->p, "@@ -", 4)) {
		struct diff_hunk *h = ARENA_PUSH(ps->a, f->hunks, f->n_hunks, cap);
		int rc;

		if (++ps->d->n_hunks > DIFF_HUNKS_MAX)
			return err_set(ps->e, ERR_TOO_BIG, "the patch has over %d hunks",
				DIFF_HUNKS_MAX);
		rc = hunk_parse(ps, h);
		if (rc)
			return rc;
		f->n_added += h->n_added;
		f->n_removed += h->n_removed;
		n_old |= h->old_n;
		n_new |= h->new_n;
	}
	/* A diff that only adds may be a new file; one that has old lines is none. */
	if (f->is_new == DIFF_UNKNOWN && (n_old || f->n_hunks > 1))
		f->is_new = DIFF_NO;
	if (f->is_delete == DIFF_UNKNOWN && (n_new || f->n_hunks > 1))
		f->is_delete = DIFF_NO;
	if (f->is_new == DIFF_YES && n_old)
		return corrupt(ps, f->patch_line, "a new file has old lines");
	if (f->is_delete == DIFF_YES && n_new)
		return corrupt(ps, f->patch_line, "a deleted file has lines left");
	return 0;
}

/* --- binary --- */

static int blob_parse(struct parser *ps, struct diff_blob *b)
{
	struct line l = line_now(ps);
	size_t skip;

	if (starts(l, "literal ")) {
		b->kind = DIFF_BINARY_LITERAL;
		skip = 8;
	} else if (starts(l, "delta ")) {
		b->kind = DIFF_BINARY_DELTA;
		skip = 6;
	} else {
		return 0;
	}
	for (const char *p = l.p + skip; p < l.p + l.len && *p >= '0' && *p <= '9'; p++) {
		if (b->size_bytes > UINT32_MAX)
			return corrupt(
				ps, ps->line, "the size of a binary file is absurd");
		b->size_bytes = b->size_bytes * 10 + (uint64_t)(*p - '0');
	}
	line_next(ps, l);
	b->text = ps->p;
	for (;;) {
		l = line_now(ps);
		if (l.len == 1 && l.whole)
			break;
		if (!l.whole || l.len < 7 || (l.len - 2) % 5)
			return corrupt(ps, ps->line, "the binary data is damaged");
		line_next(ps, l);
	}
	b->text_len = (size_t)(ps->p - b->text);
	line_next(ps, l);
	return 0;
}

/* What stands where hunks would be when there are none. */
static int body_parse(struct parser *ps, struct diff_file *f)
{
	struct line l = line_now(ps);
	bool meta = f->is_rename || f->is_copy || f->is_new == DIFF_YES ||
		    f->is_delete > 0 ||
		    (f->old_mode && f->new_mode && f->old_mode != f->new_mode);

	if (l.len == 17 && starts(l, "GIT binary patch\n")) {
		int rc;

		line_next(ps, l);
		rc = blob_parse(ps, &f->forward);
		if (!rc && f->forward.kind == DIFF_TEXT)
			return corrupt(
				ps, ps->line, "the binary patch is of no known kind");
		if (!rc)
			rc = blob_parse(ps, &f->reverse);
		f->binary = f->forward.kind;
		return rc;
	}
	if (l.whole && l.len > 8 && !memcmp(l.p + l.len - 8, " differ\n", 8) &&
		(starts(l, "Binary files ") || starts(l, "Files "))) {
		f->binary = DIFF_BINARY_ABSENT;
		line_next(ps, l);
		return 0;
	}
	if (!meta)
		return corrupt(ps, f->patch_line, "a diff header without any change");
	return 0;
}

/* --- git headers --- */

enum header_key {
	KEY_HUNK,
	KEY_OLD_NAME,
	KEY_NEW_NAME,
	KEY_OLD_MODE,
	KEY_NEW_MODE,
	KEY_DELETED,
	KEY_NEW,
	KEY_COPY_FROM,
	KEY_COPY_TO,
	KEY_RENAME_FROM,
	KEY_RENAME_TO,
	KEY_SIMILARITY,
	KEY_INDEX,
	KEY_OTHER,
};

static const struct header_row {
	const char *text;
	enum header_key key;
} header_rows[] = {
	{"@@ -", KEY_HUNK},
	{"--- ", KEY_OLD_NAME},
	{"+++ ", KEY_NEW_NAME},
	{"old mode ", KEY_OLD_MODE},
	{"new mode ", KEY_NEW_MODE},
	{"deleted file mode ", KEY_DELETED},
	{"new file mode ", KEY_NEW},
	{"copy from ", KEY_COPY_FROM},
	{"copy to ", KEY_COPY_TO},
	{"rename old ", KEY_RENAME_FROM},
	{"rename new ", KEY_RENAME_TO},
	{"rename from ", KEY_RENAME_FROM},
	{"rename to ", KEY_RENAME_TO},
	{"similarity index ", KEY_SIMILARITY},
	{"dissimilarity index ", KEY_SIMILARITY},
	{"index ", KEY_INDEX},
	{"", KEY_OTHER},
};

static int mode_parse(struct parser *ps, const char *p, const char *end, unsigned *ret)
{
	unsigned v = 0;
	const char *start;

	while (p < end && *p == ' ')
		p++;
	start = p;
	for (; p < end && *p >= '0' && *p <= '7' && v < 01000000; p++)
		v = v * 8 + (unsigned)(*p - '0');
	if (p == start || (p < end && *p != ' ' && *p != '\r' && *p != '\t'))
		return corrupt(ps, ps->line, "a file mode is no octal number");
	*ret = v;
	return 0;
}

static bool id_copy(char out[DIFF_ID], const char *p, size_t len)
{
	if (!len || len >= DIFF_ID)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] | 32) : p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
		out[i] = c;
	}
	out[len] = 0;
	return true;
}

/* "1234..5678 100644"; anything else is ignored, as git does */
static int index_parse(struct parser *ps, struct diff_text t, struct diff_file *f)
{
	const char *dots = memmem(t.p, (size_t)(t.end - t.p), "..", 2);
	char old[DIFF_ID], new[DIFF_ID];

	if (!dots)
		return 0;

	const char *p = dots + 2;
	const char *sp = memchr(p, ' ', (size_t)(t.end - p));

	if (!id_copy(old, t.p, (size_t)(dots - t.p)) ||
		!id_copy(new, p, (size_t)((sp ? sp : t.end) - p)))
		return 0;
	memcpy(f->old_id, old, sizeof(old));
	memcpy(f->new_id, new, sizeof(new));
	return sp ? mode_parse(ps, sp + 1, t.end, &f->old_mode) : 0;
}

/* A ---/+++ line of a git diff has to fit what is known already. */
static int name_verify(
	struct parser *ps, struct diff_text t, bool expect_null, const char **name)
{
	const char *other;

	if (!*name && !expect_null) {
		if (!diff_name_is_dev_null(t))
			*name = diff_name_git(t, 1, ps->a);
		return 0;
	}
	if (!*name)
		return diff_name_is_dev_null(t) ? 0
						: corrupt(ps, ps->line,
							  "the header names a file where "
							  "/dev/null belongs");
	if (expect_null)
		return corrupt(ps, ps->line, "the header names two files");
	other = diff_name_git(t, 1, ps->a);
	if (!other || strcmp(other, *name) != 0)
		return corrupt(ps, ps->line, "the header names two files");
	return 0;
}

static int header_line(struct parser *ps, enum header_key key, struct diff_text t,
	const char *dflt, struct diff_file *f)
{
	switch (key) {
	case KEY_OLD_NAME:
		return name_verify(ps, t, f->is_new == DIFF_YES, &f->old_path);
	case KEY_NEW_NAME:
		return name_verify(ps, t, f->is_delete == DIFF_YES, &f->new_path);
	case KEY_OLD_MODE:
		return mode_parse(ps, t.p, t.end, &f->old_mode);
	case KEY_NEW_MODE:
		return mode_parse(ps, t.p, t.end, &f->new_mode);
	case KEY_DELETED:
		f->is_delete = DIFF_YES;
		f->old_path = dflt;
		return mode_parse(ps, t.p, t.end, &f->old_mode);
	case KEY_NEW:
		f->is_new = DIFF_YES;
		f->new_path = dflt;
		return mode_parse(ps, t.p, t.end, &f->new_mode);
	case KEY_COPY_FROM:
		f->is_copy = true;
		f->old_path = diff_name_whole(t, 0, ps->a);
		return 0;
	case KEY_COPY_TO:
		f->is_copy = true;
		f->new_path = diff_name_whole(t, 0, ps->a);
		return 0;
	case KEY_RENAME_FROM:
		f->is_rename = true;
		f->old_path = diff_name_whole(t, 0, ps->a);
		return 0;
	case KEY_RENAME_TO:
		f->is_rename = true;
		f->new_path = diff_name_whole(t, 0, ps->a);
		return 0;
	case KEY_INDEX:
		return index_parse(ps, t, f);
	case KEY_SIMILARITY:
	case KEY_HUNK:
	case KEY_OTHER:
		break;
	}
	return 0;
}

/* At "diff --git"; *ret_found false: a line that only looks like one. */
static int git_header(struct parser *ps, struct diff_file *f, bool *ret_found)
{
	struct line l = line_now(ps);
	const char *dflt = diff_name_header(rest(l, 11), ps->a), *after_first;

	*f = (struct diff_file){.is_git = true, .patch_line = ps->line};
	line_next(ps, l);
	after_first = ps->p;
	for (; ps->p < ps->end; line_next(ps, l)) {
		const struct header_row *row = header_rows;
		int rc;

		l = line_now(ps);
		if (!l.whole)
			break;
		while (!starts(l, row->text))
			row++;
		if (row->key == KEY_HUNK || row->key == KEY_OTHER)
			break;
		rc = header_line(ps, row->key, rest(l, strlen(row->text)), dflt, f);
		if (rc)
			return rc;
		if (f->is_rename + f->is_copy + f->is_new + f->is_delete > 1)
			return corrupt(
				ps, ps->line, "the header says two things at once");
	}
	if (!f->old_path && !f->new_path) {
		if (!dflt)
			return corrupt(ps, f->patch_line, "the header names no file");
		f->old_path = f->new_path = dflt;
	}
	*ret_found = ps->p > after_first;
	if (!*ret_found && starts(line_now(ps), "GIT binary patch\n")) /* git drops it */
		return corrupt(ps, ps->line, "the binary patch has no index line");
	if (!*ret_found)
		return 0;
	if ((!f->new_path && f->is_delete != DIFF_YES) ||
		(!f->old_path && f->is_new != DIFF_YES))
		return corrupt(ps, f->patch_line, "the header lacks a file name");
	return 0;
}

/* --- other headers --- */

/* git takes names without any slash as they are */
static int strip_of(struct diff_text first, struct diff_text second, struct arena *a)
{
	const char *x = diff_name_is_dev_null(first)
				? NULL
				: diff_name_traditional(first, NULL, 0, a);
	const char *y = diff_name_is_dev_null(second)
				? NULL
				: diff_name_traditional(second, NULL, 0, a);
	bool flat_x = x && !strchr(x, '/'), flat_y = y && !strchr(y, '/');

	return (flat_x || !x) && (flat_y || !y) && (x || y) ? 0 : 1;
}

static int traditional_header(struct parser *ps, struct diff_file *f)
{
	struct line l1 = line_now(ps);
	struct line l2 = line_at(ps->p + l1.len, ps->end);
	struct diff_text first = rest(l1, 4), second = rest(l2, 4);
	int strip = strip_of(first, second, ps->a);
	char *name;

	*f = (struct diff_file){.patch_line = ps->line,
		.is_new = DIFF_UNKNOWN,
		.is_delete = DIFF_UNKNOWN};
	if (diff_name_is_dev_null(first)) {
		f->is_new = DIFF_YES;
		f->is_delete = DIFF_NO;
		f->new_path = name = diff_name_traditional(second, NULL, strip, ps->a);
	} else if (diff_name_is_dev_null(second)) {
		f->is_new = DIFF_NO;
		f->is_delete = DIFF_YES;
		f->old_path = name = diff_name_traditional(first, NULL, strip, ps->a);
	} else {
		name = diff_name_traditional(first, NULL, strip, ps->a);
		name = diff_name_traditional(second, name, strip, ps->a);
		if (diff_name_has_epoch(first)) {
			f->is_new = DIFF_YES;
			f->is_delete = DIFF_NO;
			f->new_path = name;
		} else if (diff_name_has_epoch(second)) {
			f->is_new = DIFF_NO;
			f->is_delete = DIFF_YES;
			f->old_path = name;
		} else {
			f->old_path = f->new_path = name;
		}
	}
	if (!name)
		return corrupt(ps, ps->line, "the header names no file");
	line_next(ps, l1);
	line_next(ps, l2);
	return 0;
}

/* Moves to the next diff and reads its header; *ret_found false at the end. */
static int header_find(struct parser *ps, struct diff_file *f, bool *ret_found)
{
	*ret_found = false;
	while (ps->p < ps->end) {
		struct line l = line_now(ps), next, third;
		struct diff_hunk dummy = {0};
		int rc;

		if (l.len < 6) {
			line_next(ps, l);
			continue;
		}
		if (hunk_header(l, &dummy))
			return corrupt(ps, ps->line, "a hunk without a file header");
		if ((size_t)(ps->end - l.p) < l.len + 6)
			break; /* too little for a header, git says */
		if (starts(l, "diff --git ")) {
			rc = git_header(ps, f, ret_found);
			if (rc || *ret_found)
				return rc;
			continue;
		}
		next = line_at(l.p + l.len, ps->end);
		third = line_at(next.p + next.len, ps->end);
		if (starts(l, "--- ") && starts(next, "+++ ") && starts(third, "@@ -")) {
			rc = traditional_header(ps, f);
			*ret_found = !rc;
			return rc;
		}
		line_next(ps, l);
	}
	return 0;
}

/* Why text without a unified diff still looks like a patch, or NULL. */
static const char *other_format(const char *buf, size_t len)
{
	const char *end = buf + len;
	bool after_stars = false, after_diff = false;

	for (const char *p = buf; p < end;) {
		struct line l = line_at(p, end);

		if (starts(l, "***************"))
			return "not a unified diff (a context diff)";
		if (after_stars && starts(l, "--- "))
			return "not a unified diff (a context diff)";
		if (after_diff && l.len > 2) {
			const char *q = l.p, *eol = l.p + l.len - l.whole;
			uint32_t n;

			if (number(&q, eol, &n) &&
				(q == eol || *q != ',' || (q++, number(&q, eol, &n))) &&
				eol - q == 1 && strchr("acd", *q))
				return "not a unified diff (an ed script)";
		}
		after_stars = starts(l, "*** ");
		after_diff = starts(l, "diff ") || starts(l, "--- ") ||
			     starts(l, "+++ ") || starts(l, "---\n") ||
			     starts(l, "Index: ");
		p += l.len;
	}
	return NULL;
}

int diff_parse(
	const char *buf, size_t len, struct arena *a, struct diff **ret, struct err *e)
{
	struct diff *d = ARENA_NEW(a, struct diff);
	struct parser ps = {
		.a = a, .p = buf, .end = buf + len, .line = 1, .d = d, .e = e};
	const char *other;

	if (len > DIFF_PATCH_MAX)
		return err_set(e, ERR_TOO_BIG, "the patch has over %u MiB",
			DIFF_PATCH_MAX >> 20);
	for (;;) {
		struct diff_file f;
		bool found;
		int rc = header_find(&ps, &f, &found);

		if (!rc && found)
			rc = hunks_parse(&ps, &f);
		if (!rc && found && !f.n_hunks)
			rc = body_parse(&ps, &f);
		if (rc)
			return rc;
		if (!found)
			break;
		/* without the words git renames all the same, even over another file,
		 * if something else is asked for */
		if (f.is_git && f.old_path && f.new_path && !f.is_copy &&
			strcmp(f.old_path, f.new_path) != 0) {
			f.is_unsaid = !f.is_rename;
			f.is_rename = true;
		}
		if (d->n_files == DIFF_FILES_MAX)
			return err_set(e, ERR_TOO_BIG, "the patch touches over %d files",
				DIFF_FILES_MAX);
		*ARENA_PUSH(a, d->files, d->n_files, ps.files_cap) = f;
	}
	other = d->n_files ? NULL : other_format(buf, len);
	if (other)
		return err_set(e, ERR_UNSUPPORTED, "%s", other);
	*ret = d;
	return 0;
}

const char *diff_file_path(const struct diff_file *f)
{
	return f->new_path ? f->new_path : f->old_path;
}

const char *diff_file_status(const struct diff_file *f)
{
	if (f->is_new == DIFF_YES)
		return "added";
	if (f->is_delete == DIFF_YES)
		return "deleted";
	if (f->is_rename)
		return "renamed";
	if (f->is_copy)
		return "copied";
	return !f->n_hunks && f->binary == DIFF_TEXT ? "mode" : "modified";
}

static struct diff_hunk hunk_reverse(const struct diff_hunk *h, struct arena *a)
{
	struct diff_hunk r = *h;

	r.old_start = h->new_start;
	r.old_n = h->new_n;
	r.new_start = h->old_start;
	r.new_n = h->old_n;
	r.n_added = h->n_removed;
	r.n_removed = h->n_added;
	r.lines = arena_memdup(a, h->lines, h->n_lines * sizeof(*h->lines));
	for (uint32_t i = 0; i < r.n_lines; i++) {
		if (r.lines[i].origin != ' ')
			r.lines[i].origin = r.lines[i].origin == '+' ? '-' : '+';
	}
	return r;
}

struct diff *diff_reverse(const struct diff *d, struct arena *a)
{
	struct diff *r = arena_memdup(a, d, sizeof(*d));

	r->files = ARENA_ARRAY(a, struct diff_file, d->n_files);
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[d->n_files - 1 - i];
		struct diff_file *to = &r->files[i];

		*to = *f;
		to->old_path = f->new_path;
		to->new_path = f->old_path;
		to->is_new = f->is_delete;
		to->is_delete = f->is_new;
		to->old_mode = f->new_mode;
		to->new_mode = f->old_mode;
		memcpy(to->old_id, f->new_id, DIFF_ID);
		memcpy(to->new_id, f->old_id, DIFF_ID);
		to->forward = f->reverse;
		to->reverse = f->forward;
		to->n_added = f->n_removed;
		to->n_removed = f->n_added;
		to->hunks = ARENA_ARRAY(a, struct diff_hunk, f->n_hunks);
		for (uint32_t j = 0; j < f->n_hunks; j++)
			to->hunks[j] = hunk_reverse(&f->hunks[j], a);
	}
	return r;
}
