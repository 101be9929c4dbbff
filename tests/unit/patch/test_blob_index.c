// SPDX-License-Identifier: GPL-2.0-or-later
/* The blob index against a model of random histories with merges, renames and reverts:
 * built at once, bit by bit, after forced pushes, and from damaged files. */
#include "base/base.h"

#include "base/rng.h"
#include "patch/blob_file.h"
#include "tests/unit/patch/git.h"
#include <unistd.h>

#define N_PATHS   24
#define N_TEXTS   40
#define N_COMMITS 300

/* What a random history holds: for every commit of the line the text of every path. */
struct model {
	struct arena *a;
	const char *dir;
	struct rng rng;
	uint8_t state[N_COMMITS][N_PATHS]; /* text; 0: no such file */
	char commits[N_COMMITS][REPO_HEX];
	char texts[N_TEXTS + 1][REPO_HEX]; /* ids of the blobs */
	size_t n;                          /* commits of the line */
};

static const char *path_name(struct arena *a, size_t p)
{
	static const char *const folders[] = {"", "a/", "a/b/", "a-b/", "z/"};

	return arena_printf(a, "%sf%zu", folders[p % ARRAY_LEN(folders)], p);
}

static void set_path(
	struct model *m, struct sbuf *in, uint8_t *state, size_t p, unsigned t)
{
	if (t)
		sbuf_addf(in, "M 100644 :%u %s\n", t, path_name(m->a, p));
	else if (state[p])
		sbuf_addf(in, "D %s\n", path_name(m->a, p));
	state[p] = (uint8_t)t;
}

/* Edits, a rename, or a return to what an older commit had. */
static void change(struct model *m, struct sbuf *in, size_t i, uint8_t *state)
{
	size_t p = rng_below(&m->rng, N_PATHS), q = rng_below(&m->rng, N_PATHS);

	switch (rng_below(&m->rng, 4)) {
	case 0:
		if (p != q && state[p]) {
			unsigned text = state[p];

			set_path(m, in, state, p, 0);
			set_path(m, in, state, q, text);
		}
		break;
	case 1:
		if (i)
			set_path(m, in, state, p, m->state[rng_below(&m->rng, i)][p]);
		break;
	default:
		for (size_t k = rng_below(&m->rng, 4); k; k--)
			set_path(m, in, state, rng_below(&m->rng, N_PATHS),
				(unsigned)rng_below(&m->rng, N_TEXTS + 1));
	}
}

static void head_of(struct sbuf *in, const char *ref, size_t mark)
{
	sbuf_addf(in,
		"commit %s\nmark :%zu\ncommitter c <c@example.org> %zu +0000\ndata 0\n",
		ref, mark, 1700000000 + mark);
}

/* Commits [from, to) of the line; marks of theirs are 1000 + number + gap. */
static void grow(struct model *m, struct sbuf *in, size_t from, size_t to, size_t gap)
{
	for (size_t i = from; i < to; i++) {
		uint8_t *s = m->state[i];
		size_t parent = 1000 + i - 1 + (i > from ? gap : 0);
		bool merge = i && rng_below(&m->rng, 8) == 0;

		if (i)
			memcpy(s, m->state[i - 1], N_PATHS);
		if (merge) { /* a side branch whose changes the merge takes in part */
			head_of(in, "refs/heads/side", 5000 + i + gap);
			sbuf_addf(in, "from :%zu\n", parent);
			sbuf_addf(in, "M 100644 :%u only-there\n", 1u);
		}
		head_of(in, "refs/heads/master", 1000 + i + gap);
		if (i)
			sbuf_addf(in, "from :%zu\n", parent);
		if (merge)
			sbuf_addf(in, "merge :%zu\n", 5000 + i + gap);
		change(m, in, i, s);
	}
	m->n = to;
}

static void read_marks(struct model *m, size_t gap, size_t from)
{
	CLEANUP(sbuf_release) struct sbuf marks = SBUF_INIT;
	struct err e;
	char *at, *line;

	assert_ok(file_read(arena_printf(m->a, "%s/marks", m->dir), 1u << 20, &marks, &e),
		&e);
	for (at = marks.buf; (line = strsep(&at, "\n")) != NULL && *line == ':';) {
		size_t mark = strtoul(line + 1, &line, 10);

		if (mark <= N_TEXTS)
			snprintf(m->texts[mark], REPO_HEX, "%s", line + 1);
		else if (mark >= 1000 + from + gap && mark < 1000 + m->n + gap)
			snprintf(m->commits[mark - 1000 - gap], REPO_HEX, "%s", line + 1);
	}
}

static void import(struct model *m, struct sbuf *in)
{
	git(m->dir, in->buf, NULL, "fast-import", "--quiet", "--force",
		"--import-marks-if-exists=marks", "--export-marks=marks");
}

static void make_history(struct model *m, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;

	git(m->dir, NULL, NULL, "init", "-q", "--bare", "-b", "master", ".");
	for (unsigned t = 1; t <= N_TEXTS; t++)
		sbuf_addf(&in, "blob\nmark :%u\ndata 3\n%02u\n\n", t, t);
	grow(m, &in, 0, n, 0);
	import(m, &in);
	read_marks(m, 0, 0);
}

/* Old ids of a few files as commit c had them, cut short, sometimes of another time. */
static size_t make_wants(
	struct model *m, struct blob_want *v, uint8_t *texts, size_t *paths)
{
	size_t n = 1 + rng_below(&m->rng, 6), c = rng_below(&m->rng, m->n);

	for (size_t i = 0; i < n; i++) {
		size_t p = rng_below(&m->rng, N_PATHS);
		size_t from = rng_below(&m->rng, 5) ? c : rng_below(&m->rng, m->n);
		const char *id;

		paths[i] = p;
		texts[i] = m->state[from][p];
		id = texts[i] ? m->texts[texts[i]]
			      : "0000000000000000000000000000000000000000";
		v[i].path = path_name(m->a, p);
		v[i].id = arena_strndup(m->a, id, 7 + rng_below(&m->rng, 34));
	}
	return n;
}

static size_t same_at(const struct model *m, size_t c, const uint8_t *texts,
	const size_t *paths, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += m->state[c][paths[i]] == texts[i];
	return same;
}

static void compare(struct model *m, const char *path, size_t rounds)
{
	CLEANUP(blob_index_closep) struct blob_index *x = NULL;
	struct err e;

	assert_ok(blob_index_open(path, &x, &e), &e);
	assert_int_equal(blob_index_n_commits(x), m->n);
	for (size_t i = 0; i < m->n; i++) {
		char hex[REPO_HEX];

		assert_ok(blob_index_commit(x, (uint32_t)i, hex, &e), &e);
		assert_string_equal(hex, m->commits[i]);
	}
	for (size_t r = 0; r < rounds; r++) {
		struct blob_want v[8];
		uint8_t texts[8];
		size_t paths[8], n = make_wants(m, v, texts, paths), best = 0;
		uint32_t newest = 0, oldest;
		struct blob_match got;

		for (size_t c = 0; c < m->n; c++) {
			size_t same = same_at(m, c, texts, paths, n);

			if (same && same >= best) {
				best = same;
				newest = (uint32_t)c;
			}
		}
		oldest = newest;
		while (best && oldest && same_at(m, oldest - 1, texts, paths, n) == best)
			oldest--;
		assert_ok(blob_index_find(x, v, n, &got, &e), &e);
		if (got.n_same != best || got.newest != newest || got.oldest != oldest)
			fail_msg("round %zu: %zu of %zu at %u..%u, not %zu at %u..%u", r,
				got.n_same, n, got.oldest, got.newest, best, oldest,
				newest);
	}
}

static struct git_repository *start(
	struct model *m, struct arena *a, const char *dir, uint64_t seed, size_t n)
{
	struct git_repository *r;
	struct err e;

	m->a = a;
	m->dir = dir;
	rng_seed(&m->rng, seed);
	make_history(m, n);
	assert_ok(repo_open(dir, &r, &e), &e);
	return r;
}

static void same_bytes(const char *one, const char *two)
{
	CLEANUP(sbuf_release) struct sbuf x = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf y = SBUF_INIT;
	struct err e;

	assert_ok(file_read(one, 64u << 20, &x, &e), &e);
	assert_ok(file_read(two, 64u << 20, &y, &e), &e);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.buf, y.buf, x.len);
}

static void at_once_and_bit_by_bit(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct model *m = base_zalloc(sizeof(*m));
	const char *once = arena_printf(a, "%s/once", (char *)*state);
	const char *bits = arena_printf(a, "%s/bits", (char *)*state);
	struct blob_update did;
	struct err e;

	r = start(m, a, *state, 1, N_COMMITS);
	assert_ok(blob_index_update(r, once, m->commits[m->n - 1], 0, &did, &e), &e);
	assert_int_equal(did.n_added, N_COMMITS);
	assert_int_equal(did.n_behind, 0);
	compare(m, once, 2000);
	for (size_t i = 0; i < m->n; i += 1 + rng_below(&m->rng, 40))
		assert_ok(blob_index_update(r, bits, m->commits[i], 0, &did, &e), &e);
	assert_ok(blob_index_update(r, bits, m->commits[m->n - 1], 0, &did, &e), &e);
	same_bytes(once, bits);
	assert_ok(blob_index_update(r, bits, m->commits[m->n - 1], 0, &did, &e), &e);
	assert_int_equal(did.n_added, 0);
	assert_int_equal(did.n_kept, N_COMMITS);
	free(m);
}

/* The branch is reset to an older commit and grows another way. */
static void forced_push(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct model *m = base_zalloc(sizeof(*m));
	const char *path = arena_printf(a, "%s/index", (char *)*state);
	const char *anew = arena_printf(a, "%s/anew", (char *)*state);
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	struct blob_update did;
	struct err e;

	r = start(m, a, *state, 2, 200);
	assert_ok(blob_index_update(r, path, m->commits[199], 0, &did, &e), &e);
	grow(m, &in, 120, 180, 20000);
	import(m, &in);
	read_marks(m, 20000, 120);
	assert_ok(blob_index_update(r, path, m->commits[179], 0, &did, &e), &e);
	assert_int_equal(did.n_kept, 120);
	assert_int_equal(did.n_added, 60);
	compare(m, path, 500);
	assert_ok(blob_index_update(r, anew, m->commits[179], 0, &did, &e), &e);
	same_bytes(path, anew);
	/* back to an older commit, nothing new */
	m->n = 50;
	assert_ok(blob_index_update(r, path, m->commits[49], 0, &did, &e), &e);
	assert_int_equal(did.n_kept, 50);
	compare(m, path, 200);
	free(m);
}

/* Time runs out after every commit: the next call goes on. */
static void in_small_steps(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct model *m = base_zalloc(sizeof(*m));
	const char *path = arena_printf(a, "%s/index", (char *)*state);
	struct blob_update did = {.n_behind = 1};
	struct err e;
	size_t calls = 0, n = 0;

	r = start(m, a, *state, 3, 20);
	for (; did.n_behind; calls++) {
		assert_ok(blob_index_update(r, path, m->commits[19], -1, &did, &e), &e);
		n += did.n_added;
		assert_int_equal(n + did.n_behind, 20);
	}
	assert_int_equal(calls, 20);
	compare(m, path, 200);
	free(m);
}

static size_t find_all(struct model *m, const char *path, struct err *e)
{
	CLEANUP(blob_index_closep) struct blob_index *x = NULL;
	size_t bad = 0;

	if (blob_index_open(path, &x, e))
		return 1;
	for (size_t p = 0; p < N_PATHS; p++) {
		struct blob_want want = {path_name(m->a, p), m->texts[1]};
		struct blob_match got;

		bad += blob_index_find(x, &want, 1, &got, e) != 0;
	}
	return bad;
}

/* A new file each time: an open map never changes. */
static void put_file(const char *path, const void *p, size_t len)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Any changed byte, and any shorter file, is seen when that part is read. */
static void damaged(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	CLEANUP(sbuf_release) struct sbuf good = SBUF_INIT;
	struct model *m = base_zalloc(sizeof(*m));
	const char *path = arena_printf(a, "%s/index", (char *)*state);
	const char *bad = arena_printf(a, "%s/bad", (char *)*state);
	struct blob_index *none = NULL;
	struct blob_update did;
	struct err e;

	r = start(m, a, *state, 4, 60);
	assert_err(blob_index_open(path, &none, &e), ERR_NOT_FOUND, &e, "index");
	assert_ok(blob_index_update(r, path, m->commits[59], 0, &did, &e), &e);
	assert_ok(file_read(path, 1u << 20, &good, &e), &e);
	for (size_t i = 0; i < 300; i++) {
		size_t at = rng_below(&m->rng, good.len);
		bool in_head = at >= 64 && at < 4096; /* zeros that nobody reads */

		good.buf[at] ^= 1;
		put_file(bad, good.buf, good.len);
		good.buf[at] ^= 1;
		if (!in_head && !find_all(m, bad, &e))
			fail_msg("byte %zu changed and nobody noticed", at);
		put_file(bad, good.buf, at);
		assert_int_not_equal(find_all(m, bad, &e), 0);
	}
	/* an update starts anew, at once or after the call that found the damage */
	good.buf[4096 + 30] ^= 1;
	put_file(bad, good.buf, good.len);
	if (blob_index_update(r, bad, m->commits[59], 0, &did, &e))
		assert_ok(blob_index_update(r, bad, m->commits[59], 0, &did, &e), &e);
	same_bytes(path, bad);
	free(m);
}

/* Right checksums, wrong numbers. */
static void wrong_numbers(void **state)
{
	static const uint32_t commits[][2] = {{5, 3}, {3, 3}, {7, 20}, {20, 21}};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *path = arena_printf(a, "%s/index", (char *)*state);
	uint8_t ids[10 * BLOB_ID] = {0};
	struct blob_want want = {"f", "0101010"};
	struct blob_match got;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(commits); i++) {
		CLEANUP(blob_index_closep) struct blob_index *x = NULL;
		struct blob_event events[2];
		struct blob_next next = {
			.ids = ids, .n_new = 10, .events = events, .n_events = 2};

		for (size_t k = 0; k < 2; k++) {
			events[k].hash = blob_path_hash("f", 1);
			events[k].change.commit = commits[i][k];
			memset(events[k].change.id, 1, BLOB_ID_SHORT);
		}
		assert_ok(blob_file_write(path, &next, &e), &e);
		assert_ok(blob_index_open(path, &x, &e), &e);
		assert_err(blob_index_find(x, &want, 1, &got, &e), ERR_INVALID, &e,
			"out of order");
		want.id = "xyz";
		assert_err(blob_index_find(x, &want, 1, &got, &e), ERR_INVALID, &e,
			"no id of a blob");
		want.id = "0101010";
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(at_once_and_bit_by_bit),
		unit_folder_test(forced_push),
		unit_folder_test(in_small_steps),
		unit_folder_test(damaged),
		unit_folder_test(wrong_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
