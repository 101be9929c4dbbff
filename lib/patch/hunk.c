// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/hunk.h"

void image_init(struct image *img, struct arena *a, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len;

	*img = (struct image){.a = a, .cap = len / 24 + 16};
	img->lines = arena_alloc(a, img->cap * sizeof(*img->lines));
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t line = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);

		if (img->n == img->cap) {
			img->cap *= 2;
			img->lines =
				arena_realloc(a, img->lines, img->n * sizeof(*img->lines),
					img->cap * sizeof(*img->lines));
		}
		img->lines[img->n++] = (struct image_line){.p = p, .len = (uint32_t)line};
		p += line;
	}
}

char *image_text(const struct image *img, size_t *ret_len)
{
	size_t len = 0;
	char *buf, *to;

	for (size_t i = 0; i < img->n; i++)
		len += img->lines[i].len;
	buf = to = arena_alloc(img->a, len + 1);
	for (size_t i = 0; i < img->n; i++) {
		memcpy(to, img->lines[i].p, img->lines[i].len);
		to += img->lines[i].len;
	}
	*to = 0;
	*ret_len = len;
	return buf;
}

/* Old side of a hunk as image lines; arena. */
static struct image_line *old_side(
	const struct image *img, const struct diff_hunk *h, size_t *ret_n)
{
	struct image_line *out = arena_alloc(img->a, (h->n_lines + 1) * sizeof(*out));
	size_t n = 0;

	for (uint32_t i = 0; i < h->n_lines; i++) {
		const struct diff_line *l = &h->lines[i];

		if (l->origin != '+')
			out[n++] = (struct image_line){.p = l->p, .len = l->len};
	}
	*ret_n = n;
	return out;
}

static bool line_equal(const struct image_line *x, const struct image_line *y)
{
	return x->len == y->len && !memcmp(x->p, y->p, x->len);
}

/* The last line of a file that got its newline since the hunk was made; git takes it. */
static bool last_line_grown(const struct image_line *file, const struct image_line *old)
{
	return file->len == old->len + 1 && file->p[old->len] == '\n' &&
	       !memcmp(file->p, old->p, old->len);
}

struct search {
	struct image *img;
	const struct image_line *old;
	size_t n_old;
	bool at_top, at_end;
};

static bool matches(const struct search *s, size_t at)
{
	struct image *img = s->img;

	if (s->n_old + at > img->n || (s->at_end && s->n_old + at != img->n))
		return false;
	if (s->at_top && at)
		return false;
	for (size_t i = 0; i < s->n_old; i++) {
		const struct image_line *l = &img->lines[at + i];

		img->work++;
		if (l->written)
			return false;
		if (!line_equal(l, &s->old[i]) &&
			(s->at_end || at + i + 1 != img->n ||
				!last_line_grown(l, &s->old[i])))
			return false;
	}
	return true;
}

/* The walk of git's find_pos(); *skip is not taken. -1: nowhere. */
static int64_t walk(const struct search *s, size_t start, const size_t *skip)
{
	size_t back = start, fore = start, now = start;

	for (unsigned turn = 0;; turn++) {
		if (!(skip && now == *skip) && matches(s, now))
			return (int64_t)now;
		if (s->img->work > HUNK_WORK_MAX || (!back && fore == s->img->n))
			return -1;
		s->img->work++;
		if ((turn & 1 && !back) || (!(turn & 1) && fore == s->img->n))
			turn++;
		now = turn & 1 ? --back : ++fore;
	}
}

struct hunk_place hunk_find(
	struct image *img, const struct diff_hunk *h, bool want_second)
{
	struct search s = {
		.img = img, .at_top = h->old_start <= 1, .at_end = !h->trailing};
	struct hunk_place place = {.fit = HUNK_NO_MATCH};
	size_t start = h->new_start ? h->new_start - 1 : 0;
	int64_t at;

	s.old = old_side(img, h, &s.n_old);
	place.expected = start < img->n ? start : img->n;
	if (s.at_top)
		start = 0;
	else if (s.at_end)
		start = img->n >= s.n_old ? img->n - s.n_old : img->n;
	if (start > img->n)
		start = img->n;
	if (h->leading + h->trailing == 0 && img->n && s.n_old != img->n) {
		bool context = false;

		for (uint32_t i = 0; i < h->n_lines; i++)
			context |= h->lines[i].origin == ' ';
		if (!context) {
			place.fit = HUNK_NO_CONTEXT;
			return place;
		}
	}
	at = walk(&s, start, NULL);
	if (img->work > HUNK_WORK_MAX) {
		place.fit = HUNK_TOO_LONG;
		return place;
	}
	if (at < 0)
		return place;
	place.fit = HUNK_FITS;
	place.at = (size_t)at;
	place.offset = at - (int64_t)(h->new_start ? h->new_start - 1 : 0);
	if (want_second && place.offset && !s.at_top && !s.at_end) {
		at = walk(&s, start, &place.at);
		place.second = at >= 0;
		place.other = place.second ? (size_t)at : 0;
	}
	return place;
}

void hunk_put(
	struct image *img, const struct diff_hunk *h, const struct hunk_place *place)
{
	size_t n_old = h->n_lines - h->n_added, n_new = h->n_lines - h->n_removed;
	size_t n = img->n - n_old + n_new, tail = img->n - place->at - n_old;
	struct image_line *to;

	if (place->fit != HUNK_FITS || place->at + n_old > img->n)
		BUG("a hunk put where it does not fit");
	if (n > img->cap) {
		size_t cap = n + n / 8 + 16;

		img->lines = arena_realloc(
			img->a, img->lines, img->n * sizeof(*to), cap * sizeof(*to));
		img->cap = cap;
	}
	to = img->lines + place->at;
	if (n_old != n_new) {
		memmove(to + n_new, to + n_old, tail * sizeof(*to));
		img->work += tail / 4;
	}
	img->n = n;
	for (uint32_t i = 0; i < h->n_lines; i++) {
		const struct diff_line *l = &h->lines[i];

		if (l->origin != '-')
			*to++ = (struct image_line){
				.p = l->p, .len = l->len, .written = true};
	}
}

/* --- functions --- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "out:" alone on its line, or before a comment */
static bool is_label(const char *p, size_t len)
{
	size_t i = 0;

	while (i < len && (is_letter(p[i]) || (i && p[i] >= '0' && p[i] <= '9')))
		i++;
	if (!i || i == len || p[i++] != ':')
		return false;
	while (i < len && (p[i] == ' ' || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	return i == len ||
	       (i + 1 < len && p[i] == '/' && (p[i + 1] == '/' || p[i + 1] == '*'));
}

int64_t image_function(const struct image *img, size_t at)
{
	for (size_t i = at < img->n ? at : img->n; i-- > 0;) {
		const struct image_line *l = &img->lines[i];

		if (l->len && (is_letter(l->p[0]) || l->p[0] == '$') &&
			!is_label(l->p, l->len))
			return (int64_t)i;
	}
	return -1;
}

void image_line_text(
	const struct image *img, size_t i, const char **ret_p, size_t *ret_len)
{
	const struct image_line *l = &img->lines[i];
	size_t len = l->len < 80 ? l->len : 80;

	while (len && (l->p[len - 1] == ' ' ||
			      (l->p[len - 1] >= '\t' && l->p[len - 1] <= '\r')))
		len--;
	*ret_p = l->p;
	*ret_len = len;
}

bool hunk_function_is(const struct diff_hunk *h, const struct image *img, int64_t i)
{
	const char *p;
	size_t len;

	if (i < 0)
		return !h->func_len;
	image_line_text(img, (size_t)i, &p, &len);
	if (h->func_len < len)
		len = h->func_len;
	return len && !memcmp(p, h->func, len) && (len == h->func_len || len >= 40);
}

/* --- the region most like a hunk that fits nowhere --- */

struct anchor {
	uint32_t hash, at;
};

/* FNV-1a, folded. */
static uint32_t hash_bytes(const char *p, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037);

	while (len >= 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = (h ^ w) * UINT64_C(1099511628211);
		h ^= h >> 29;
		p += 8;
		len -= 8;
	}
	for (; len; len--)
		h = (h ^ (unsigned char)*p++) * UINT64_C(1099511628211);
	return (uint32_t)(h ^ h >> 32);
}

static int compare_anchors(const void *x, const void *y)
{
	const struct anchor *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* First anchor with the hash; *ret_n how many have it. */
static const struct anchor *anchors_of(
	const struct anchor *v, size_t n, uint32_t hash, size_t *ret_n)
{
	size_t lo = 0, hi = n, end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (end = lo; end < n && v[end].hash == hash; end++)
		;
	*ret_n = end - lo;
	return v + lo;
}

int64_t hunk_closest(struct image *img, const struct diff_hunk *h, size_t expected)
{
	const size_t common = 64; /* a line found more often says nothing */
	size_t n_old, best = 0, distance = 0, n_telling = 0;
	const struct image_line *old = old_side(img, h, &n_old);
	struct anchor *v = arena_alloc(img->a, (img->n + 1) * sizeof(*v));
	uint32_t *votes = ARENA_ARRAY(img->a, uint32_t, img->n + n_old + 1);

	for (size_t i = 0; i < img->n; i++)
		v[i] = (struct anchor){
			hash_bytes(img->lines[i].p, img->lines[i].len), (uint32_t)i};
	qsort(v, img->n, sizeof(*v), compare_anchors);
	for (size_t i = 0; i < n_old; i++) {
		size_t n;
		const struct anchor *hit =
			anchors_of(v, img->n, hash_bytes(old[i].p, old[i].len), &n);

		if (n > common || old[i].len <= 2)
			continue;
		n_telling++;
		/* votes[start + n_old] counts lines equal when the hunk starts there */
		for (size_t k = 0; k < n; k++)
			votes[hit[k].at + n_old - i]++;
	}
	for (size_t k = 0; k < img->n + n_old; k++) {
		size_t start = k > n_old ? k - n_old : 0;
		size_t far = start > expected ? start - expected : expected - start;

		if (votes[k] > best || (votes[k] == best && best && far < distance)) {
			best = votes[k];
			distance = far;
		}
	}
	/* one common line in a long hunk is chance, not likeness */
	if (best * 3 < n_telling || (n_telling > 2 && best < 2) || !best)
		return -1;
	for (size_t k = 0; k < img->n + n_old; k++) {
		size_t start = k > n_old ? k - n_old : 0;
		size_t far = start > expected ? start - expected : expected - start;

		if (votes[k] == best && far == distance)
			return (int64_t)start;
	}
	return -1;
}
