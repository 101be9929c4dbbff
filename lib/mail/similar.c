/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/similar.h"

#define MAX_TITLE 256

static int by_number(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return p < q ? -1 : p > q;
}

/* Sorted set of trigrams; returns how many. */
static size_t trigrams(const char *s, uint32_t *out)
{
	size_t len = strnlen(s, MAX_TITLE), n = 0;
	for (size_t i = 0; i + 3 <= len; i++)
		out[n++] = (uint32_t)(unsigned char)s[i] << 16 |
			   (uint32_t)(unsigned char)s[i + 1] << 8 |
			   (unsigned char)s[i + 2];
	qsort(out, n, sizeof(*out), by_number);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || out[i] != out[i - 1])
			out[kept++] = out[i];
	}
	return kept;
}

double similar_titles(const char *a, const char *b)
{
	uint32_t x[MAX_TITLE], y[MAX_TITLE];
	size_t n = trigrams(a, x), m = trigrams(b, y);
	if (!n || !m)
		return 0.0;
	size_t both = 0;
	for (size_t i = 0, k = 0; i < n && k < m;) {
		if (x[i] == y[k]) {
			both++;
			i++;
			k++;
		} else if (x[i] < y[k]) {
			i++;
		} else {
			k++;
		}
	}
	return 2.0 * (double)both / (double)(n + m);
}

double similar_patches(const struct series *a, const struct series *b)
{
	size_t both = 0;
	for (size_t i = 0; i < a->n_patches; i++) {
		for (size_t k = 0; k < b->n_patches; k++) {
			if (strcmp(a->patches[i].mail->match_title,
				    b->patches[k].mail->match_title))
				continue;
			both++;
			break;
		}
	}
	size_t all = a->n_patches + b->n_patches - both;
	return all ? (double)both / (double)all : 0.0;
}
