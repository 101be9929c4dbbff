// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/hunk.h"
#include "patch/mend.h"
#include "patch/mend_file.h"
#include <glib.h>

#define STEP_BYTES  64 /* what a step of the search, or a line made, counts for */
#define JOIN_MAX    8  /* lines of the mail that are one line of the file */
#define JOINS_ADDED 4  /* of an added line, where nothing tells */
#define LAYOUTS_MAX 64 /* ways to lay the hunks that are tried */

/* How white space of added lines was before. The first that proves it counts. */
enum style {
	STYLE_SAME,
	STYLE_EIGHT,  /* each tab became 8 blanks */
	STYLE_MARGIN, /* blanks up to the next stop of 8, the mark of the diff counted */
	STYLE_STOPS,  /* the same, the mark not counted */
	STYLE_ONE,    /* each tab at the start became a blank */
	STYLE_FOUR,   /* 4 blanks */
	STYLES,
};
static const char *const joints[] = {" ", "", "\t"};

/* A line of the result being laid: options are tried from the first. */
struct frame {
	size_t hunk, raw; /* where it begins */
	size_t old;       /* index of the next line of the blob */
	uint32_t old_left, new_left;
	size_t option;
	size_t n_raw; /* lines of the mail that it takes; 0: filled in */
	char origin;  /* 0: none yet */
	bool no_newline;
};

struct layer {
	const struct mend_file *f;
	struct image img;
	struct frame *v;
	size_t n, cap;
	size_t n_layouts;
	bool aligned;
	unsigned style_score[STYLES];
	uint8_t *choice; /* of each frame: style * 3 + joint */
	struct mend_found found;
};

static bool spend(struct layer *y, uint64_t n)
{
	*y->f->work += n + 1;
	return *y->f->work <= MEND_WORK_MAX;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool all_blank(const char *p, size_t n)
{
	while (n && is_blank(p[n - 1]))
		n--;
	return !n;
}

static size_t text_len(const struct image_line *l)
{
	return l->len && l->p[l->len - 1] == '\n' ? l->len - 1 : l->len;
}

/* Lines of the mail from raw on that are, but for white space, the line of the blob; the
 * first without its mark. 0: they are not; *ret_cut: all that is left of them is its
 * beginning. */
static size_t match_old(struct layer *y, size_t raw, size_t end, size_t skip,
	const struct image_line *l, bool *ret_cut)
{
	const char *q = l->p, *q_end = l->p + text_len(l);
	const struct mend_raw *first = &y->f->raws[raw];

	*ret_cut = false;
	if (all_blank(first->p + skip, first->len - skip) && !all_blank(q, text_len(l))) {
		size_t k = raw;

		while (k < end && all_blank(y->f->raws[k].p, y->f->raws[k].len))
			k++;
		*ret_cut = k == end;
		return 0;
	}
	for (size_t k = raw; k < end && k < raw + JOIN_MAX; k++) {
		const struct mend_raw *r = &y->f->raws[k];
		const char *p = r->p + (k == raw ? skip : 0), *p_end = r->p + r->len;

		if (!spend(y, r->len))
			return 0;
		for (;;) {
			while (p < p_end && is_blank(*p))
				p++;
			while (q < q_end && is_blank(*q))
				q++;
			if (p == p_end)
				break;
			if (q == q_end || *p++ != *q++)
				return 0;
		}
		if (q == q_end)
			return k - raw + 1;
		*ret_cut = k + 1 == end;
	}
	return 0;
}

/* Lines of the mail that the body of the hunk has from raw on. */
static size_t body_end(const struct layer *y, const struct frame *t)
{
	return y->f->hunks[t->hunk].end;
}

static bool is_no_newline(const struct mend_raw *r)
{
	return r->len > 10 && !memcmp(r->p, "\\ ", 2);
}

/* Only context can follow, and nothing of it is there. */
static bool may_fill(const struct layer *y, const struct frame *t)
{
	return t->old_left == t->new_left && t->old < y->img.n &&
	       t->hunk + 1 == y->f->n_hunks;
}

/* Takes the option that the frame is at; false: it has no such. */
static bool take_option(struct layer *y, struct frame *t)
{
	size_t end = body_end(y, t), option = t->option++;
	const struct image_line *l = t->old < y->img.n ? &y->img.lines[t->old] : NULL;
	const struct mend_raw *r = &y->f->raws[t->raw];
	bool bare, cut;

	if (t->raw >= end) {
		t->origin = ' ';
		t->n_raw = 0;
		return !option && may_fill(y, t);
	}
	if (r->len && *r->p == '+') {
		if (option >= JOINS_ADDED || t->raw + option >= end || !t->new_left)
			return false;
		t->origin = '+';
		t->n_raw = option + 1;
		return true;
	}
	bare = !r->len || *r->p == '\t';
	if (option || !l || !t->old_left || !(bare || *r->p == ' ' || *r->p == '-'))
		return false;
	t->origin = !bare && *r->p == '-' ? '-' : ' ';
	if (t->origin == ' ' && !t->new_left)
		return false;
	t->n_raw = match_old(y, t->raw, end, bare ? 0 : 1, l, &cut);
	return t->n_raw || (cut && t->origin == ' ' && may_fill(y, t));
}

/* First frame of a hunk, after the lines of the mail up to raw. False: there is no place
 * for it in the blob, or lines of the hunk before are left. */
static bool start_hunk(struct layer *y, size_t hunk, size_t raw, size_t old)
{
	const struct mend_hunk *h = &y->f->hunks[hunk];
	size_t at = h->old_n ? h->old_start - 1 : h->old_start;

	if (hunk) {
		for (; raw < y->f->hunks[hunk - 1].end; raw++) {
			if (!all_blank(y->f->raws[raw].p, y->f->raws[raw].len))
				return false;
		}
	}
	if ((h->old_n && !h->old_start) || at < old || at > y->img.n ||
		h->old_n > y->img.n - at)
		return false;
	*ARENA_PUSH(y->f->a, y->v, y->n, y->cap) = (struct frame){.hunk = hunk,
		.raw = h->body,
		.old = at,
		.old_left = h->old_n,
		.new_left = h->new_n};
	return true;
}

/* --- the proof --- */

static void add_run(
	struct sbuf *out, size_t col, size_t n, enum style style, bool leading)
{
	size_t tabs = 0, left = n;

	if (style == STYLE_EIGHT)
		tabs = n / 8, left = n % 8;
	else if (style == STYLE_FOUR)
		tabs = n / 4, left = n % 4;
	else if (style == STYLE_ONE && leading)
		tabs = n, left = 0;
	else if ((style == STYLE_STOPS || style == STYLE_MARGIN) && (leading || n > 1) &&
		 (col + n) / 8 > col / 8)
		tabs = (col + n) / 8 - col / 8, left = (col + n) % 8;
	for (; tabs; tabs--)
		sbuf_addc(out, '\t');
	for (; left; left--)
		sbuf_addc(out, ' ');
}

static void add_styled(struct sbuf *out, const char *p, size_t n, enum style style)
{
	size_t col = style == STYLE_MARGIN ? 1 : 0;
	bool leading = true;

	if (style == STYLE_SAME) {
		sbuf_add(out, p, n);
		return;
	}
	for (size_t i = 0, k; i < n; i += k) {
		for (k = 0; i + k < n && p[i + k] == ' '; k++)
			;
		if (k) {
			add_run(out, col, k, style, leading);
			col += k;
			continue;
		}
		k = 1;
		sbuf_addc(out, p[i]);
		col = p[i] == '\t' ? (col / 8 + 1) * 8 : col + 1;
		leading = leading && p[i] == '\t';
	}
}

/* The text of an added line. */
static void add_added(
	struct layer *y, const struct frame *t, unsigned choice, struct sbuf *out)
{
	CLEANUP(sbuf_release) struct sbuf whole = SBUF_INIT;

	for (size_t k = 0; k < t->n_raw; k++) {
		const struct mend_raw *r = &y->f->raws[t->raw + k];
		size_t skip = k ? 0 : 1;

		if (k)
			sbuf_adds(&whole, joints[choice % ARRAY_LEN(joints)]);
		sbuf_add(&whole, r->p + skip, r->len - skip);
	}
	add_styled(out, whole.buf, whole.len, choice / ARRAY_LEN(joints));
	if (!t->no_newline)
		sbuf_addc(out, '\n');
}

static void add_old(struct layer *y, size_t from, size_t to, struct sbuf *out)
{
	const struct image_line *v = y->img.lines; /* one behind the other */

	if (to > from)
		sbuf_add(out, v[from].p,
			(size_t)(v[to - 1].p + v[to - 1].len - v[from].p));
}

/* What the diff makes of the blob. */
static void make_new(struct layer *y, struct sbuf *out)
{
	size_t old = 0;

	for (size_t i = 0; i < y->n; i++) {
		const struct frame *t = &y->v[i];

		add_old(y, old, t->old, out);
		old = t->old;
		if (t->origin == '+')
			add_added(y, t, y->choice[i], out);
		else if (t->origin == '-')
			old++;
	}
	add_old(y, old, y->img.n, out);
}

static bool is_zeros(const char *hex)
{
	return strspn(hex, "0") == strlen(hex);
}

static bool proved(struct layer *y)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	const char *id = y->f->new_id;
	char head[32];
	GChecksum *sum;
	bool same;

	make_new(y, &text);
	if (!spend(y, text.len + y->n * STEP_BYTES))
		return false;
	if (is_zeros(id))
		return !text.len;
	sum = g_checksum_new(G_CHECKSUM_SHA1);
	snprintf(head, sizeof(head), "blob %zu", text.len);
	g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head) + 1);
	g_checksum_update(sum, (const guchar *)text.buf, (gssize)text.len);
	same = !strncmp(g_checksum_get_string(sum), id, strlen(id));
	g_checksum_free(sum);
	return same;
}

/* Which styles give the blob's own lines from those of the mail. */
static void learn(struct layer *y)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;

	memset(y->style_score, 0, sizeof(y->style_score));
	memset(&y->found, 0, sizeof(y->found));
	for (size_t i = 0; i < y->n; i++) {
		const struct frame *t = &y->v[i];
		const struct mend_raw *r = &y->f->raws[t->raw];
		const struct image_line *l = &y->img.lines[t->old];
		size_t skip;

		if (!t->n_raw) {
			y->found.tail++;
			continue;
		}
		if (t->n_raw > 1 && !y->found.wrapped)
			y->found.wrapped = r[1].line;
		if (t->origin == '+' || t->n_raw > 1)
			continue;
		skip = r->len && *r->p == t->origin;
		if (!r->len && !text_len(l))
			continue;
		if (r->len - skip == text_len(l) &&
			!memcmp(r->p + skip, l->p, text_len(l)))
			continue;
		if (!y->found.blanks)
			y->found.blanks = r->line;
		for (unsigned s = 0; s < STYLES; s++) {
			sbuf_reset(&text);
			add_styled(&text, r->p + skip, r->len - skip, s);
			y->style_score[s] += text.len == text_len(l) &&
					     !memcmp(text.buf, l->p, text.len);
		}
	}
}

static void choose_all(struct layer *y, unsigned choice)
{
	memset(y->choice, (int)choice, y->n);
}

/* One line of those added is not as the others. */
static bool one_differs(struct layer *y)
{
	for (size_t i = 0; i < y->n; i++) {
		uint8_t was = y->choice[i];

		if (y->v[i].origin != '+')
			continue;
		for (unsigned c = 0; c < STYLES * ARRAY_LEN(joints); c++) {
			if (c == was || (c % ARRAY_LEN(joints) && y->v[i].n_raw < 2))
				continue;
			y->choice[i] = (uint8_t)c;
			if (proved(y))
				return true;
			if (*y->f->work > MEND_WORK_MAX)
				return false;
		}
		y->choice[i] = was;
	}
	return false;
}

static bool prove_layout(struct layer *y)
{
	bool done[STYLES] = {false};
	unsigned best = STYLES;
	bool joined = false;

	y->aligned = true;
	learn(y);
	y->choice = arena_zalloc(y->f->a, y->n + 1);
	for (size_t i = 0; i < y->n; i++)
		joined |= y->v[i].origin == '+' && y->v[i].n_raw > 1;
	for (unsigned n = 0; n < STYLES; n++) {
		unsigned s = STYLES;

		for (unsigned k = 0; k < STYLES; k++) {
			if (!done[k] &&
				(s == STYLES || y->style_score[k] > y->style_score[s]))
				s = k;
		}
		done[s] = true;
		best = best == STYLES ? s : best;
		for (unsigned k = 0; k < (joined ? ARRAY_LEN(joints) : 1); k++) {
			choose_all(y, s * (unsigned)ARRAY_LEN(joints) + k);
			if (proved(y))
				return true;
		}
	}
	choose_all(y, best * (unsigned)ARRAY_LEN(joints));
	return one_differs(y);
}

/* --- the search --- */

/* The line behind the frame's own: the next one, or the first of the next hunk. False:
 * this way leads nowhere. *ret_done: all hunks are laid. */
static bool go_on(struct layer *y, bool *ret_done)
{
	struct frame *t = &y->v[y->n - 1], next = *t;

	next.option = 0;
	next.origin = 0;
	next.raw = t->n_raw ? t->raw + t->n_raw : body_end(y, t);
	next.old += t->origin != '+';
	next.old_left -= t->origin != '+';
	next.new_left -= t->origin != '-';
	t->no_newline = false;
	if (next.raw < body_end(y, t) && is_no_newline(&y->f->raws[next.raw])) {
		t->no_newline = true;
		next.raw++;
	}
	*ret_done = false;
	if (next.old_left || next.new_left) {
		*ARENA_PUSH(y->f->a, y->v, y->n, y->cap) = next;
		return true;
	}
	if (t->hunk + 1 < y->f->n_hunks)
		return start_hunk(y, t->hunk + 1, next.raw, next.old);
	*ret_done = true;
	return true;
}

static bool search(struct layer *y)
{
	if (!start_hunk(y, 0, 0, 0))
		return false;
	while (y->n && spend(y, STEP_BYTES)) {
		struct frame *t = &y->v[y->n - 1];
		bool done;

		if (!take_option(y, t)) {
			y->n--;
			continue;
		}
		if (!go_on(y, &done) || !done)
			continue;
		if (prove_layout(y))
			return true;
		if (++y->n_layouts == LAYOUTS_MAX)
			return false;
	}
	return false;
}

/* --- what is written --- */

static void write_line(char origin, const char *p, size_t len, struct sbuf *out)
{
	sbuf_addc(out, origin);
	sbuf_add(out, p, len);
	if (!len || p[len - 1] != '\n')
		sbuf_adds(out, "\n\\ No newline at end of file\n");
}

static void write_header(struct layer *y, size_t hunk, struct sbuf *out)
{
	const struct mend_hunk *h = &y->f->hunks[hunk];

	for (size_t k = h->header; k < h->body; k++) {
		if (k > h->header)
			sbuf_addc(out, ' ');
		sbuf_add(out, y->f->raws[k].p, y->f->raws[k].len);
	}
	sbuf_addc(out, '\n');
}

static void write_hunks(struct layer *y, struct sbuf *out)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;

	for (size_t i = 0; i < y->n; i++) {
		const struct frame *t = &y->v[i];

		if (!i || t->hunk != y->v[i - 1].hunk)
			write_header(y, t->hunk, out);
		if (t->origin != '+') {
			write_line(t->origin, y->img.lines[t->old].p,
				y->img.lines[t->old].len, out);
			continue;
		}
		sbuf_reset(&text);
		add_added(y, t, y->choice[i], &text);
		write_line('+', text.buf, text.len, out);
		if (y->choice[i] / ARRAY_LEN(joints) != STYLE_SAME && !y->found.blanks)
			y->found.blanks = y->f->raws[t->raw].line;
	}
}

bool mend_file(const struct mend_file *f, struct sbuf *out, struct mend_found *ret,
	bool *ret_aligned)
{
	struct layer y = {.f = f};
	bool good;

	image_init(&y.img, f->a, f->old, f->old_len);
	good = f->n_hunks && search(&y);
	*ret_aligned = y.aligned;
	if (!good)
		return false;
	write_hunks(&y, out);
	*ret = y.found;
	return true;
}
