// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/blob_file.h"

#define EDGES_MAX (64u << 20)

/* The start of an id: whole bytes, then maybe half a one. */
struct id_start {
	uint8_t bytes[BLOB_ID_SHORT];
	uint8_t n; /* digits, at most 2 * BLOB_ID_SHORT */
	bool none; /* the file must not exist */
};

/* Commits where a want begins (odd) or ends (even) to hold: number * 2 + begins. */
struct edges {
	uint64_t *v;
	size_t n, cap;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static int id_parse(const char *text, struct id_start *ret, struct err *e)
{
	size_t len = strlen(text);

	*ret = (struct id_start){.none = strspn(text, "0") == len};
	if (!len || len > 2 * BLOB_ID)
		return err_set(e, ERR_INVALID, "no id of a blob: %.50s", text);
	for (size_t i = 0; i < len; i++) {
		int d = digit(text[i]);

		if (d < 0)
			return err_set(e, ERR_INVALID, "no id of a blob: %.50s", text);
		if (i < 2 * BLOB_ID_SHORT) {
			ret->bytes[i / 2] |= (uint8_t)(i % 2 ? d : d << 4);
			ret->n++;
		}
	}
	return 0;
}

static bool id_is(const struct id_start *want, const uint8_t *id)
{
	static const uint8_t zeros[BLOB_ID_SHORT];
	size_t whole = want->n / 2;

	if (want->none)
		return !memcmp(id, zeros, sizeof(zeros));
	return !memcmp(id, want->bytes, whole) &&
	       (!(want->n % 2) || id[whole] >> 4 == want->bytes[whole] >> 4);
}

static int add_interval(struct edges *x, uint64_t from, uint64_t to, struct err *e)
{
	if (from >= to)
		return 0;
	if (x->n + 2 > EDGES_MAX)
		return err_set(e, ERR_TOO_BIG, "too many commits hold these files");
	if (x->n + 2 > x->cap) {
		x->cap = x->cap ? x->cap * 2 : 64;
		x->v = base_realloc(x->v, x->cap * sizeof(*x->v));
	}
	x->v[x->n++] = from * 2 + 1;
	x->v[x->n++] = to * 2;
	return 0;
}

/* The intervals of one want. */
static int add_want(struct blob_index *x, const struct blob_want *want,
	struct edges *edges, struct err *e)
{
	uint32_t end = blob_index_n_commits(x);
	const struct blob_change *v = NULL;
	const struct blob_path *p;
	struct id_start id;
	int rc = id_parse(want->id, &id, e);

	if (!rc)
		rc = blob_file_path_find(
			x, blob_path_hash(want->path, strlen(want->path)), &p, e);
	if (rc)
		return rc;
	if (p && p->n) {
		v = blob_file_changes(x, p, e);
		if (!v)
			return ERR_INVALID;
	}
	if (id.none)
		rc = add_interval(edges, 0, v ? v[0].commit : end, e);
	for (uint32_t i = 0; v && i < p->n && !rc; i++) {
		uint32_t to = i + 1 < p->n ? v[i + 1].commit : end;

		if (to > end || v[i].commit >= to)
			rc = err_set(e, ERR_INVALID,
				"the blob index is damaged: changes out of order");
		else if (id_is(&id, v[i].id))
			rc = add_interval(edges, v[i].commit, to, e);
	}
	return rc;
}

static int edge_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sweeps from the oldest commit on; the last best run wins. */
static void sweep(struct edges *x, struct blob_match *ret)
{
	size_t open = 0;

	qsort(x->v, x->n, sizeof(*x->v), edge_cmp);
	for (size_t i = 0; i < x->n;) {
		uint64_t at = x->v[i] / 2;

		for (; i < x->n && x->v[i] / 2 == at; i++) {
			if (x->v[i] % 2)
				open++;
			else
				open--;
		}
		if (!open || open < ret->n_same)
			continue;
		if (open > ret->n_same || ret->newest + 1 != at)
			ret->oldest = (uint32_t)at;
		ret->n_same = open;
		ret->newest = (uint32_t)(x->v[i] / 2) - 1;
	}
}

int blob_index_find(struct blob_index *x, const struct blob_want *wants, size_t n,
	struct blob_match *ret, struct err *e)
{
	struct edges edges = {0};
	int rc = 0;

	if (!n || n > BLOB_WANTS_MAX)
		return err_set(e, ERR_INVALID, "%zu files asked for; 1 to %u", n,
			BLOB_WANTS_MAX);
	*ret = (struct blob_match){0};
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_want(x, &wants[i], &edges, e);
	if (!rc && edges.n)
		sweep(&edges, ret);
	free(edges.v);
	return rc;
}

void blob_index_name(const char *ref, char ret_name[BLOB_INDEX_NAME])
{
	snprintf(ret_name, BLOB_INDEX_NAME, "%016llx.blobs",
		(unsigned long long)blob_path_hash(ref, strlen(ref)));
}

int blob_index_commit(
	struct blob_index *x, uint32_t no, char ret_hex[REPO_HEX], struct err *e)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *id = blob_file_commits(x, no, 1, e);

	if (!id)
		return ERR_INVALID;
	for (size_t i = 0; i < BLOB_ID; i++) {
		ret_hex[2 * i] = digits[id[i] >> 4];
		ret_hex[2 * i + 1] = digits[id[i] & 15];
	}
	ret_hex[2 * BLOB_ID] = '\0';
	return 0;
}
