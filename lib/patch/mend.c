// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/diff.h"
#include "patch/mend.h"
#include "patch/mend_file.h"
#include "patch/mend_text.h"
#include "patch/refuse.h"

/* One reading of the text: whole lines, as they came or with the damage of all undone. */
struct reading {
	const struct mend_input *in;
	struct arena *a;
	struct mend *ret;
	struct mend_raw *raws;
	size_t n_raws, cap;
	struct sbuf out;
	const char *end; /* of the text */
	bool strict;     /* added lines were changed: all files need a proof */
	uint64_t work;
	size_t n_files, n_mended;
	size_t n_said;   /* files of a diffstat that stands before the text; 0: none */
	const char *why; /* why a file stays as it is; NULL: none does */
};

/* Of one file. */
struct part {
	size_t from, to; /* raw lines */
	const char *path;
	char old_id[DIFF_ID], new_id[DIFF_ID];
	bool has_ids, has_hunks;
};

static bool starts(const struct mend_raw *r, const char *text)
{
	size_t n = strlen(text);

	return r->len >= n && !memcmp(r->p, text, n);
}

static void split(struct reading *rd, const char *p, size_t len, uint32_t line)
{
	for (const char *end = p + len; p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);

		if (n > DIFF_LINE_MAX)
			n = DIFF_LINE_MAX;
		*ARENA_PUSH(rd->a, rd->raws, rd->n_raws, rd->cap) =
			(struct mend_raw){p, (uint32_t)n, line};
		if (!nl)
			break;
		p = nl + 1;
	}
}

static void note(struct mend *m, struct arena *a, const char *code, const char *detail)
{
	*ARENA_PUSH(a, m->notes, m->n_notes, m->notes_cap) =
		(struct mend_note){code, detail};
}

/* --- headers --- */

static bool number(const struct mend_raw *r, size_t *at, uint32_t *ret)
{
	size_t from = *at;
	uint32_t v = 0;

	for (; *at < r->len && r->p[*at] >= '0' && r->p[*at] <= '9' && *at < from + 9;
		(*at)++)
		v = v * 10 + (uint32_t)(r->p[*at] - '0');
	*ret = v;
	return *at > from;
}

static bool range(const struct mend_raw *r, size_t *at, uint32_t *start, uint32_t *n)
{
	*n = 1;
	if (!number(r, at, start))
		return false;
	if (*at == r->len || r->p[*at] != ',')
		return true;
	(*at)++;
	return number(r, at, n);
}

static bool hunk_header(const struct mend_raw *r, struct mend_hunk *h)
{
	size_t at = 4;

	*h = (struct mend_hunk){0};
	if (!starts(r, "@@ -") || !range(r, &at, &h->old_start, &h->old_n) ||
		r->len - at < 2 || memcmp(r->p + at, " +", 2) != 0)
		return false;
	at += 2;
	return range(r, &at, &h->new_start, &h->new_n) && r->len - at >= 3 &&
	       !memcmp(r->p + at, " @@", 3) && h->old_n + h->new_n;
}

static bool id_at(const char *p, const char *end, char ret[DIFF_ID], const char **ret_end)
{
	size_t n = 0;

	while (p + n < end && n < DIFF_ID &&
		((p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'f')))
		n++;
	if (n < MEND_ID_MIN || n >= DIFF_ID)
		return false;
	memcpy(ret, p, n);
	ret[n] = 0;
	*ret_end = p + n;
	return true;
}

static bool index_line(const struct mend_raw *r, struct part *part)
{
	const char *end = r->p + r->len, *p;

	return starts(r, "index ") && id_at(r->p + 6, end, part->old_id, &p) &&
	       end - p > 2 && !memcmp(p, "..", 2) && id_at(p + 2, end, part->new_id, &p);
}

static bool is_zeros(const char *hex)
{
	return strspn(hex, "0") == strlen(hex);
}

/* The lines before the first hunk; one that no header has was broken off the one before.
 */
static size_t read_head(struct reading *rd, struct part *part, struct sbuf *out)
{
	static const char *const keys[] = {"--- ", "+++ ", "old mode ", "new mode ",
		"deleted file mode ", "new file mode ", "copy ", "rename ", "similarity ",
		"dissimilarity ", "index ", "GIT binary patch", "Binary files "};
	struct mend_hunk dummy;
	size_t i = part->from;

	for (; i < part->to && !hunk_header(&rd->raws[i], &dummy); i++) {
		const struct mend_raw *r = &rd->raws[i];
		bool known = i == part->from;

		for (size_t k = 0; k < ARRAY_LEN(keys) && !known; k++)
			known = starts(r, keys[k]);
		part->has_ids |= index_line(r, part);
		if (starts(r, "+++ b/") || (!part->path && starts(r, "--- a/")))
			part->path = arena_strndup(rd->a, r->p + 6, r->len - 6);
		if (i > part->from)
			sbuf_addc(out, known ? '\n' : ' ');
		sbuf_add(out, r->p, r->len);
	}
	sbuf_addc(out, '\n');
	return i;
}

/* What git format-patch --base and b4 write behind the diff. */
static bool is_trailer(const struct mend_raw *r)
{
	static const char *const keys[] = {
		"base-commit: ", "prerequisite-", "change-id: "};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (starts(r, keys[i]))
			return true;
	return false;
}

/* Where the last hunk's body ends: at the trailers or the signature of the mail, or with
 * the text. */
static size_t last_end(const struct reading *rd, size_t from, size_t to)
{
	size_t end = to, i;

	for (i = to; i > from && end == to; i--) {
		if (starts(&rd->raws[i - 1], "-- ") && rd->raws[i - 1].len == 3)
			end = i - 1;
	}
	for (i = end; i > from && is_trailer(&rd->raws[i - 1]); i--)
		;
	if (i == end)
		return end;
	while (i > from && !rd->raws[i - 1].len)
		i--;
	return i;
}

static struct mend_hunk *read_hunks(
	struct reading *rd, const struct part *part, size_t at, size_t *ret_n)
{
	struct mend_hunk *v = NULL, h;
	size_t cap = 0, n = 0;

	for (size_t i = at; i < part->to; i++) {
		if (!hunk_header(&rd->raws[i], &h))
			continue;
		if (n)
			v[n - 1].end = i;
		h.header = i;
		for (h.body = i + 1; h.body < part->to; h.body++) {
			const struct mend_raw *r = &rd->raws[h.body];

			if (!r->len || strchr(" +-\t\\@", *r->p))
				break;
		}
		*ARENA_PUSH(rd->a, v, n, cap) = h;
	}
	if (n)
		v[n - 1].end = last_end(rd, v[n - 1].body, part->to);
	*ret_n = n;
	return v;
}

/* --- one file --- */

static const char *show(struct reading *rd, const struct part *part)
{
	return part->path ? refuse_show_path(part->path, rd->a) : "a file";
}

/* As it came: does it hold together? */
static bool is_sound(struct reading *rd, const struct part *part)
{
	const char *from = rd->raws[part->from].p;
	const struct mend_raw *last = &rd->raws[part->to - 1];
	const char *to = last->p + last->len;
	struct diff *d;
	struct err e;

	return !diff_parse(from, (size_t)(to + (to < rd->end) - from), rd->a, &d, &e) &&
	       d->n_files == 1;
}

static void keep(struct reading *rd, const struct part *part)
{
	for (size_t i = part->from; i < part->to; i++) {
		sbuf_add(&rd->out, rd->raws[i].p, rd->raws[i].len);
		sbuf_addc(&rd->out, '\n');
	}
}

static void fail(struct reading *rd, const char *why)
{
	if (!rd->why)
		rd->why = why;
}

static void tell(struct reading *rd, const struct part *part, const struct mend_found *f)
{
	const char *path = show(rd, part);

	if (f->tail)
		note(rd->ret, rd->a, "tail_filled",
			arena_printf(rd->a,
				"%s: %u line%s of context at the end of the last hunk",
				path, f->tail, f->tail == 1 ? "" : "s"));
	if (f->wrapped)
		note(rd->ret, rd->a, "wrapped",
			arena_printf(rd->a,
				"%s: the mailer broke lines, first at line %u of the "
				"patch",
				path, f->wrapped));
	if (f->blanks)
		note(rd->ret, rd->a, "tabs",
			arena_printf(rd->a,
				"%s: white space was changed, first in line %u of the "
				"patch",
				path, f->blanks));
	rd->n_mended += f->tail || f->wrapped || f->blanks;
}

static void mend_part(struct reading *rd, struct part *part)
{
	CLEANUP(sbuf_release) struct sbuf head = SBUF_INIT;
	struct mend_file f = {.a = rd->a, .raws = rd->raws, .work = &rd->work};
	struct mend_found found = {0};
	size_t body = read_head(rd, part, &head);
	bool sound = is_sound(rd, part), aligned, here;

	rd->n_files++;
	f.hunks = read_hunks(rd, part, body, &f.n_hunks);
	f.new_id = part->new_id;
	f.old = "";
	here = part->has_ids &&
	       (is_zeros(part->old_id) ||
		       rd->in->blob(rd->in->arg, part->old_id, &f.old, &f.old_len));
	if (!f.n_hunks || !here) {
		if (sound)
			keep(rd, part);
		if (!sound || (f.n_hunks && (rd->in->other_blanks || rd->strict)))
			fail(rd, part->has_ids
					 ? arena_printf(rd->a,
						   "%s: the version that it is made for "
						   "(%.12s) is not in the repository, so "
						   "no repair can be proved",
						   show(rd, part), part->old_id)
					 : arena_printf(rd->a,
						   "%s: the patch does not say by an "
						   "index line which version it is made "
						   "for, so no repair can be proved",
						   show(rd, part)));
		return;
	}
	sbuf_add(&rd->out, head.buf, head.len);
	if (mend_file(&f, &rd->out, &found, &aligned)) {
		tell(rd, part, &found);
		return;
	}
	sbuf_setlen(&rd->out, rd->out.len - head.len);
	if (sound)
		keep(rd, part);
	if (!sound || rd->in->other_blanks || rd->in->suspect || rd->strict)
		fail(rd, aligned ? arena_printf(rd->a,
					   "%s: no repair makes the file that the index "
					   "line names (%.12s)",
					   show(rd, part), part->new_id)
				 : arena_printf(rd->a,
					   "%s: its lines are not those of the version "
					   "that it is made for (%.12s)",
					   show(rd, part), part->old_id));
}

/* --- all files --- */

static bool begins_file(const struct mend_raw *r)
{
	return starts(r, "diff --git ");
}

/* "3 files changed" of the diffstat before the diff; 0: it says nothing. */
static size_t stat_files(const struct reading *rd, size_t before)
{
	for (size_t i = 0; i < before; i++) {
		uint32_t n = mend_stat_line(rd->raws[i].p, rd->raws[i].len);

		if (n)
			return n;
	}
	return 0;
}

static void mend_parts(struct reading *rd)
{
	size_t from = 0, first, n_said;

	while (from < rd->n_raws && !begins_file(&rd->raws[from]))
		from++;
	first = from;
	while (from < rd->n_raws) {
		struct part part = {.from = from, .to = from + 1};

		while (part.to < rd->n_raws && !begins_file(&rd->raws[part.to]))
			part.to++;
		mend_part(rd, &part);
		from = part.to;
	}
	n_said = stat_files(rd, first);
	if (!n_said)
		n_said = rd->n_said;
	if (n_said > rd->n_files)
		fail(rd, arena_printf(rd->a,
				 "the diffstat names %zu files, the diff has %zu: the "
				 "rest is lost",
				 n_said, rd->n_files));
}

/* "hunk 3 of f.c has 3 of its 6 old lines", where the text ends before its last hunk
 * does; NULL: it does not, as far as can be seen. */
static const char *cut_hunk(const struct mend_text *t, struct arena *a)
{
	struct reading rd = {.a = a, .out = SBUF_INIT};
	struct part part = {.path = NULL};
	CLEANUP(sbuf_release) struct sbuf head = SBUF_INIT;
	const struct mend_hunk *h;
	struct mend_hunk *v;
	uint32_t n_old = 0, n_new = 0;
	size_t n;

	split(&rd, t->p, t->len, t->line);
	part.to = rd.n_raws;
	for (size_t i = 0; i < rd.n_raws; i++) {
		if (begins_file(&rd.raws[i]))
			part.from = i;
	}
	v = read_hunks(&rd, &part, read_head(&rd, &part, &head), &n);
	if (!n)
		return NULL;
	h = &v[n - 1];
	for (size_t i = h->body; i < h->end; i++) {
		const struct mend_raw *r = &rd.raws[i];

		n_old += !r->len || *r->p == ' ' || *r->p == '-';
		n_new += !r->len || *r->p == ' ' || *r->p == '+';
	}
	if (n_old >= h->old_n || h->new_n - n_new != h->old_n - n_old)
		return NULL;
	return arena_printf(a, "hunk %zu of %s has %u of its %u old lines", n,
		show(&rd, &part), n_old, h->old_n);
}

/* What is wrong, by the parser's own words; NULL: it parses. */
static const char *parse_damage(const struct mend_text *t, struct arena *a)
{
	const char *cut;
	struct diff *d;
	struct err e;

	if (!diff_parse(t->p, t->len, a, &d, &e))
		return NULL;
	cut = cut_hunk(t, a);
	return cut ? arena_printf(a, "%s (%s)", e.msg, cut) : arena_strdup(a, e.msg);
}

/* One reading. True: it is repaired; the notes are those of ret then. */
static bool try_reading(const struct mend_input *in, const struct mend_text *t,
	bool whole, bool strict, struct arena *a, struct mend *ret, const char **ret_why)
{
	struct reading rd = {.in = in,
		.a = a,
		.ret = ret,
		.out = SBUF_INIT,
		.end = t->p + t->len,
		.strict = strict,
		.n_said = t->n_files};
	size_t n_notes = ret->n_notes;
	bool good;

	split(&rd, t->p, t->len, t->line);
	mend_parts(&rd);
	good = rd.n_files && !rd.why && (rd.n_mended || whole);
	if (good && parse_damage(&(struct mend_text){rd.out.buf, rd.out.len, 1, 0}, a)) {
		good = false;
		rd.why = "its headers are damaged too";
	}
	if (good) {
		ret->patch = arena_strndup(a, rd.out.buf, rd.out.len);
		ret->len = rd.out.len;
	} else {
		ret->n_notes = n_notes;
	}
	*ret_why = rd.why;
	sbuf_release(&rd.out);
	return good;
}

static void unproved(
	struct mend *ret, struct arena *a, const char *damage, const char *why)
{
	ret->end = MEND_UNPROVED;
	ret->why = why ? arena_printf(a, "%s; %s", damage, why) : damage;
}

/* A diff that stands in its place, or did behind marks of a quote. */
static void mend_lines(const struct mend_input *in, struct mend_text *t, bool quoted,
	bool more, struct arena *a, struct mend *ret)
{
	uint32_t qp = mend_qp_line(t->p, t->len);
	const char *damage = parse_damage(t, a), *why = NULL, *why_qp = NULL;
	struct mend_text decoded;
	bool good = false;

	if (quoted)
		damage = arena_printf(a,
			"line %u of the text: the diff is quoted with \">\"%s%s", t->line,
			damage ? ", and " : "", damage ? damage : "");
	else if (qp && !damage)
		damage = arena_printf(
			a, "line %u of the patch: quoted-printable was not decoded", qp);
	else if (in->other_blanks && !damage)
		damage = "white space of the patch was changed on its way";
	else if (in->suspect && !damage)
		damage = "its mailer damaged what it sent";
	if (!damage)
		return;
	if (quoted && (in->never || !in->unquote)) {
		unproved(ret, a, damage,
			in->never ? in->never
				  : "a quoted diff is only taken where it is asked for");
		return;
	}
	if (more) {
		unproved(ret, a, damage, "the quote leaves out parts of it");
		return;
	}
	if (quoted)
		note(ret, a, "unquoted",
			arena_printf(a, "the diff was quoted from line %u of the text on",
				t->line));
	good = try_reading(in, t, quoted && !qp, quoted, a, ret, &why);
	if (!good && qp) {
		mend_qp_decode(t->p, t->len, a, &decoded);
		decoded.line = t->line;
		decoded.n_files = t->n_files;
		note(ret, a, "qp_left",
			arena_printf(
				a, "quoted-printable from line %u of the patch on", qp));
		good = try_reading(in, &decoded, true, true, a, ret, &why_qp);
		if (why_qp)
			why = why_qp;
	}
	if (in->suspect && !good && !why) {
		*ret = (struct mend){.end = MEND_NONE};
		return;
	}
	unproved(ret, a, damage, good ? NULL : why);
	if (good)
		ret->end = MEND_MENDED;
}

void mend_patch(const struct mend_input *in, struct arena *a, struct mend *ret)
{
	struct mend_text t = {in->text, in->len, 1, 0}, found;
	const char *p = in->text, *end = p + in->len;
	bool more;

	*ret = (struct mend){.end = MEND_NONE};
	if (in->len > DIFF_PATCH_MAX)
		return;
	if (mend_folded(p, (size_t)(end - p), &found)) {
		unproved(ret, a,
			arena_printf(a,
				"line %u of the text: line ends became blanks, so that "
				"the diff is one line and not appliable as received",
				found.line),
			NULL);
		ret->folded = found.p;
		ret->folded_len = found.len;
	} else if (starts(&(struct mend_raw){p, (uint32_t)in->len, 1}, "diff --git ") ||
		   memmem(p, in->len, "\ndiff --git ", 12)) {
		mend_lines(in, &t, false, false, a, ret);
	} else if (mend_unquote(p, in->len, a, &found, &more)) {
		mend_lines(in, &found, true, more, a, ret);
	} else {
		const char *damage = parse_damage(&t, a);

		if (damage && (memmem(p, in->len, "\n+++ ", 5)))
			unproved(ret, a, damage,
				"the patch does not say by an index line which version "
				"it "
				"is made for, so no repair can be proved");
	}
}
