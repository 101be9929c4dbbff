/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/patch_id.h"
#include "mail/scan.h"

#include <ctype.h>

#define MAX_NAMES 16384 /* bytes of both names of a "diff --git" line */

struct scanner {
	struct arena *arena;
	const char *p, *end; /* rest of the input */
	size_t line_no;
	struct scan *out;
	size_t cap_files;
	struct mail_file *file; /* current, NULL between files */
	bool git;               /* current file began with "diff --git" */
	bool seen_minus;
	size_t n_lines;    /* hunk lines so far */
	size_t n_cr_lines; /* of them, ending in CR LF */
	/* Where a blank must be put back: offsets into the input. */
	size_t *blanks;
	size_t n_blanks, cap_blanks;
	const char *start;
};

/* Line with its newline; false at the end. */
static bool next_line(struct scanner *s, struct mail_bytes *ret)
{
	if (s->p >= s->end)
		return false;
	const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
	ret->p = s->p;
	ret->len = (size_t)((nl ? nl + 1 : s->end) - s->p);
	s->p += ret->len;
	s->line_no++;
	return true;
}

static bool begins(const struct mail_bytes *l, const char *prefix)
{
	size_t n = strlen(prefix);
	return l->len >= n && !memcmp(l->p, prefix, n);
}

static size_t text_len(const struct mail_bytes *l)
{
	size_t n = l->len;
	while (n && (l->p[n - 1] == '\n' || l->p[n - 1] == '\r'))
		n--;
	return n;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* A C-quoted name at p ('"' first). NULL when it is broken; *ret_used counts the quotes.
 */
static const char *unquote_name(
	struct arena *a, const char *p, size_t len, size_t *ret_used)
{
	static const char from[] = "abfnrtv\"\\";
	static const char to[] = "\a\b\f\n\r\t\v\"\\";
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;
	for (size_t i = 1; i < len; i++) {
		if (p[i] == '"') {
			out[n] = 0;
			*ret_used = i + 1;
			return out;
		}
		if (p[i] != '\\') {
			out[n++] = p[i];
			continue;
		}
		if (++i >= len)
			return NULL;
		const char *at = strchr(from, p[i]);
		if (p[i] && at) {
			out[n++] = to[at - from];
		} else if (i + 2 < len && p[i] >= '0' && p[i] <= '3' &&
			   is_octal(p[i + 1]) && is_octal(p[i + 2])) {
			out[n++] = (char)((p[i] - '0') << 6 | (p[i + 1] - '0') << 3 |
					  (p[i + 2] - '0'));
			i += 2;
		} else {
			return NULL;
		}
	}
	return NULL;
}

/* Drops the first path component ("a/"), if there is one. */
static const char *strip_one(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash && slash[1] ? slash + 1 : name;
}

/* The name behind "--- " or "+++ ": to a TAB or the end; NULL for /dev/null. */
static const char *header_name(struct scanner *s, const struct mail_bytes *l, size_t skip)
{
	const char *p = l->p + skip;
	size_t len = text_len(l) > skip ? text_len(l) - skip : 0;
	size_t used;
	const char *name;
	if (len && *p == '"' && (name = unquote_name(s->arena, p, len, &used)))
		return strip_one(name);
	const char *tab = memchr(p, '\t', len);
	if (tab)
		len = (size_t)(tab - p);
	name = arena_strndup(s->arena, p, len);
	return strcmp(name, "/dev/null") ? strip_one(name) : NULL;
}

/* The name behind "rename to " and the like: no prefix to strip. */
static const char *plain_name(struct scanner *s, const struct mail_bytes *l, size_t skip)
{
	const char *p = l->p + skip;
	size_t len = text_len(l) > skip ? text_len(l) - skip : 0;
	size_t used;
	const char *name;
	if (len && *p == '"' && (name = unquote_name(s->arena, p, len, &used)))
		return name;
	return arena_strndup(s->arena, p, len);
}

/* "diff --git a/X b/X": both names agree, so the middle can be found. NULL if not. */
static const char *git_line_name(struct scanner *s, const struct mail_bytes *l)
{
	const char *p = l->p + 11;
	size_t len = text_len(l) > 11 ? text_len(l) - 11 : 0;
	if (len > MAX_NAMES)
		return NULL;
	if (len && *p == '"') {
		size_t used;
		const char *name = unquote_name(s->arena, p, len, &used);
		return name ? strip_one(name) : NULL;
	}
	for (size_t i = 0; i < len; i++) {
		if (p[i] != ' ')
			continue;
		const char *one = memchr(p, '/', i);
		const char *two = memchr(p + i + 1, '/', len - i - 1);
		if (!one || !two)
			continue;
		size_t n1 = (size_t)(p + i - one), n2 = (size_t)(p + len - two);
		if (n1 == n2 && !memcmp(one, two, n1))
			return arena_strndup(s->arena, one + 1, n1 - 1);
	}
	return NULL;
}

static void new_file(struct scanner *s, const char *path, bool git)
{
	struct scan *out = s->out;
	s->file = NULL;
	s->git = git;
	s->seen_minus = false;
	if (out->n_files >= MAIL_MAX_FILES) {
		if (!out->refused)
			out->refused = "touches more than 2,000 files";
		return;
	}
	s->file = ARENA_PUSH(s->arena, out->files, out->n_files, s->cap_files);
	s->file->path = path;
	s->file->status = MAIL_FILE_MODIFIED;
}

static void set_status(struct mail_file *f, enum mail_status status)
{
	if (f->status == MAIL_FILE_MODIFIED || f->status == MAIL_FILE_MODE)
		f->status = status;
}

/* Extended header of a git diff; false when the line is none. */
static bool read_extended(struct scanner *s, const struct mail_bytes *l)
{
	struct mail_file *f = s->file;
	if (begins(l, "index ")) {
		s->out->git_header = true;
	} else if (begins(l, "old mode ") || begins(l, "new mode ")) {
		s->out->git_header = true;
		set_status(f, MAIL_FILE_MODE);
	} else if (begins(l, "new file mode ")) {
		s->out->git_header = true;
		set_status(f, MAIL_FILE_ADDED);
	} else if (begins(l, "deleted file mode ")) {
		s->out->git_header = true;
		set_status(f, MAIL_FILE_DELETED);
	} else if (begins(l, "rename from ")) {
		f->old_path = plain_name(s, l, 12);
	} else if (begins(l, "rename to ")) {
		f->path = plain_name(s, l, 10);
		set_status(f, MAIL_FILE_RENAMED);
	} else if (begins(l, "copy from ")) {
		f->old_path = plain_name(s, l, 10);
	} else if (begins(l, "copy to ")) {
		f->path = plain_name(s, l, 8);
		set_status(f, MAIL_FILE_COPIED);
	} else if (begins(l, "GIT binary patch") || begins(l, "Binary files ")) {
		f->binary = true;
	} else {
		return begins(l, "similarity index ") ||
		       begins(l, "dissimilarity index ");
	}
	return true;
}

/* "@@ -a[,b] +c[,d] @@" */
static bool hunk_counts(const struct mail_bytes *l, uint64_t *ret_old, uint64_t *ret_new)
{
	const char *p = l->p + 4, *end = l->p + l->len;
	uint64_t *const out[2] = {ret_old, ret_new};
	if (!begins(l, "@@ -"))
		return false;
	for (int i = 0; i < 2; i++) {
		uint64_t v[2] = {0, 1};
		for (int k = 0; k < 2; k++) {
			int n = 0;
			for (v[k] = 0; p < end && isdigit((unsigned char)*p) && n < 12;
				n++)
				v[k] = v[k] * 10 + (uint64_t)(*p++ - '0');
			if (!n)
				return false;
			if (p >= end || *p != ',')
				break;
			if (k == 0)
				p++;
		}
		if (p > l->p + 4 && i == 0 && (end - p < 2 || p[0] != ' ' || p[1] != '+'))
			return false;
		*out[i] = v[1];
		if (i == 0)
			p += 2;
	}
	return end - p >= 3 && !memcmp(p, " @@", 3);
}

static void corrupt(struct scanner *s, const char *what)
{
	if (!s->out->corrupt)
		s->out->corrupt = arena_printf(
			s->arena, "corrupt patch at line %zu: %s", s->line_no, what);
}

static void count_line(struct scanner *s, const struct mail_bytes *l)
{
	s->n_lines++;
	if (l->len >= 2 && l->p[l->len - 2] == '\r')
		s->n_cr_lines++;
	if (s->n_lines > MAIL_MAX_HUNK_LINES && !s->out->refused)
		s->out->refused = "holds more than 1,000,000 changed and context lines";
	if (l->len > MAIL_MAX_LINE && !s->out->refused)
		s->out->refused = arena_printf(s->arena,
			"line %zu of the patch is longer than 1 MiB", s->line_no);
}

/* Lines of one hunk. Stops before a line that cannot belong to it. */
static void read_hunk(struct scanner *s, uint64_t old, uint64_t new)
{
	struct mail_bytes l;
	while (old || new) {
		const char *here = s->p;
		if (!next_line(s, &l)) {
			corrupt(s, "the last hunk ends early");
			return;
		}
		char c = *l.p;
		if (c == '\n' || (c == '\r' && l.len == 2)) {
			*(size_t *)ARENA_PUSH(s->arena, s->blanks, s->n_blanks,
				s->cap_blanks) = (size_t)(l.p - s->start);
			c = ' ';
		}
		if ((c == ' ' && old && new) || (c == '-' && old) || (c == '+' && new)) {
			old -= c != '+';
			new -= c != '-';
			if (s->file) {
				s->file->n_removed += c == '-';
				s->file->n_added += c == '+';
			}
			count_line(s, &l);
			continue;
		}
		if (c == '\\')
			continue;
		if (strchr(" +-", c) || begins(&l, "@@ -") || begins(&l, "diff "))
			corrupt(s, "a hunk does not fit its counts");
		else
			corrupt(s, "the mailer wrapped a line, or it was edited");
		s->p = here;
		s->line_no--;
		return;
	}
	/* "\ No newline at end of file" belongs to the hunk. */
	while (s->p < s->end && *s->p == '\\')
		next_line(s, &l);
}

/* Is the text at p "+++ X\n@@ -" (a traditional header after "--- X")? */
static bool plus_and_hunk(const struct scanner *s)
{
	const char *p = s->p;
	if (s->end - p < 4 || memcmp(p, "+++ ", 4))
		return false;
	const char *nl = memchr(p, '\n', (size_t)(s->end - p));
	return nl && s->end - nl > 4 && !memcmp(nl + 1, "@@ -", 4);
}

static void read_minus(struct scanner *s, const struct mail_bytes *minus)
{
	struct mail_bytes plus = {.p = "", .len = 0};
	const char *old = header_name(s, minus, 4);
	next_line(s, &plus);
	const char *new = header_name(s, &plus, 4);
	if (!s->file || !s->git || s->seen_minus)
		new_file(s, new ? new : old ? old : "", false);
	s->seen_minus = true;
	struct mail_file *f = s->file;
	if (!f)
		return;
	if (!old && new)
		set_status(f, MAIL_FILE_ADDED);
	if (!new &&old)
		set_status(f, MAIL_FILE_DELETED);
	if (f->status != MAIL_FILE_RENAMED && f->status != MAIL_FILE_COPIED) {
		f->path = new ? new : old ? old : f->path;
		/* The shorter of the two where one is a backup ("f.c.orig"). */
		size_t n = old ? strlen(old) : 0;
		if (new &&old && !s->git && n < strlen(new) && !strncmp(old, new, n))
			f->path = old;
	}
}

static void finish_repair(struct scanner *s, const char *p, size_t len)
{
	struct scan *out = s->out;
	out->repaired = (struct mail_bytes){p, len};
	out->all_cr = s->n_lines && s->n_lines == s->n_cr_lines;
	if (!s->n_blanks)
		return;
	out->blank_repaired = true;
	char *text = arena_alloc(s->arena, len + s->n_blanks + 1);
	size_t at = 0, n = 0;
	for (size_t i = 0; i <= s->n_blanks; i++) {
		size_t to = i < s->n_blanks ? s->blanks[i] : len;
		memcpy(text + n, p + at, to - at);
		n += to - at;
		at = to;
		if (i < s->n_blanks)
			text[n++] = ' ';
	}
	text[n] = 0;
	out->repaired = (struct mail_bytes){text, n};
}

static void read_hunk_at(struct scanner *s, uint64_t old, uint64_t new, size_t offset)
{
	struct scan *out = s->out;
	if (out->first_hunk < 0)
		out->first_hunk = (int64_t)offset;
	if (s->file)
		s->file->n_hunks++;
	if (++out->n_hunks > MAIL_MAX_HUNKS && !out->refused)
		out->refused = "holds more than 20,000 hunks";
	read_hunk(s, old, new);
	if (s->end - s->p >= 3 && !memcmp(s->p, "-- ", 3) &&
		(s->end - s->p == 3 || s->p[3] == '\n' || s->p[3] == '\r')) {
		out->sig_absorbed = true;
		s->file = NULL;
	}
}

void scan_patch(struct arena *a, const char *p, size_t len, struct scan *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->first_hunk = -1;
	struct scanner s = {.arena = a, .p = p, .end = p + len, .start = p, .out = ret};
	struct mail_bytes l;
	while (!ret->refused && next_line(&s, &l)) {
		uint64_t old, new;
		if (begins(&l, "diff --git ")) {
			const char *name = git_line_name(&s, &l);
			new_file(&s, name ? name : "", true);
		} else if (begins(&l, "--- ") && plus_and_hunk(&s)) {
			read_minus(&s, &l);
		} else if (s.file && hunk_counts(&l, &old, &new)) {
			read_hunk_at(&s, old, new, (size_t)(l.p - p));
		} else if (s.file && s.git && !s.seen_minus) {
			read_extended(&s, &l);
		}
	}
	/* "diff --git" lines in prose name no file unless something followed. */
	size_t kept = 0;
	for (size_t i = 0; i < ret->n_files; i++) {
		struct mail_file *f = &ret->files[i];
		if (*f->path &&
			(f->n_hunks || f->binary || f->status != MAIL_FILE_MODIFIED))
			ret->files[kept++] = *f;
	}
	ret->n_files = kept;
	finish_repair(&s, p, len);
	if (ret->n_hunks && !ret->refused)
		ret->patch_id = patch_id(a, ret->repaired.p, ret->repaired.len);
}
