// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_base: a synthetic history, and how fast a base is found in it. See
 * tests/bench/base.
 *
 *   bench_base generate COMMITS SEED      a stream for git fast-import on standard output
 *   bench_base measure REPO LOOKUPS SEED  indexes refs/heads/main and looks up; JSON
 *   bench_base feed COMMITS FILE LOOKUPS SEED
 *                                         the same history without git: its changes go
 *                                         straight into the index FILE; then as above
 */
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/jx.h"
#include "base/proc.h"
#include "base/rng.h"
#include "patch/base_blobs.h"
#include "patch/blob_file.h"

#include <git2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_FOLDERS 40
#define N_FILES   50 /* of a folder */
#define N_WANTS   3  /* files of a look-up */
#define N_PEERS   3  /* runs of each peer */
#define LINE      "refs/heads/main"

static void path_of(uint64_t n, char *buf, size_t size)
{
	snprintf(buf, size, "d%02u/f%02u.c", (unsigned)(n / N_FILES),
		(unsigned)(n % N_FILES));
}

/* Few files change often, many seldom, as in real trees. */
static uint64_t pick_path(struct rng *r)
{
	double u = rng_unit(r);

	return (uint64_t)(u * u * u * N_FOLDERS * N_FILES);
}

/* --- generate --- */

static void put_file(uint64_t path, uint64_t commit)
{
	char name[32], text[64];

	path_of(path, name, sizeof(name));
	snprintf(text, sizeof(text), "%s of %llu\n", name, (unsigned long long)commit);
	printf("M 100644 inline %s\ndata %zu\n%s\n", name, strlen(text), text);
}

/* Every tenth commit is a merge of a side branch of one commit; every fiftieth takes
 * files back to what they were. */
static int generate(uint64_t n, uint64_t seed)
{
	struct rng r;

	rng_seed_named(&r, seed, "history");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t files = i ? 1 + rng_below(&r, 3) : 0;
		bool merge = i && i % 10 == 0;

		if (merge)
			printf("commit refs/heads/side\nmark :2\ncommitter c <c@x> %llu "
			       "+0000\ndata 0\nfrom :1\n",
				(unsigned long long)(1000000000 + i * 60));
		printf("commit " LINE "\nmark :1\ncommitter c <c@x> %llu +0000\n"
		       "data 8\n%07llu\n",
			(unsigned long long)(1000000000 + i * 60),
			(unsigned long long)i % 10000000);
		if (i)
			puts("from :1");
		if (merge)
			puts("merge :2");
		for (uint64_t p = 0; !i && p < N_FOLDERS * N_FILES; p++)
			put_file(p, 0);
		while (files--)
			put_file(pick_path(&r), i % 50 ? i : i / 2);
	}
	return ferror(stdout) || fflush(stdout);
}

/* --- measure --- */

struct measure {
	struct git_repository *repo;
	const char *dir, *index;
	size_t n;
	struct rng rng;
	struct blob_event *events; /* fed: all, sorted; else NULL */
	size_t n_events;
	struct blob_index *x;
	double *ms;
	char tip[REPO_HEX];
	char id[REPO_HEX]; /* of the last look-up's first file, whole */
	char paths[N_WANTS][32];
	struct err *e;
};

static double ms_since(int64_t from_ns)
{
	return (double)(clock_cpu_ns() - from_ns) / (double)NS_PER_MS;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* --- fed --- */

static void feed_one(struct measure *m, uint64_t path, uint64_t commit, uint64_t text)
{
	struct blob_event *ev = &m->events[m->n_events++];
	char name[32];
	struct rng r;
	uint64_t id[2];

	path_of(path, name, sizeof(name));
	rng_seed(&r, path << 32 | text);
	id[0] = rng_u64(&r);
	id[1] = rng_u64(&r);
	ev->hash = blob_path_hash(name, strlen(name));
	ev->change.commit = (uint32_t)commit;
	memcpy(ev->change.id, id, BLOB_ID_SHORT);
}

/* The changes that generate() makes, as an update would hand them over. */
static int feed(struct measure *m, uint64_t n, uint64_t seed)
{
	struct blob_next next = {.n_new = (uint32_t)n};
	uint8_t *ids = base_zalloc(n * BLOB_ID);
	struct rng r;
	int rc;

	rng_seed_named(&r, seed, "history");
	m->events = base_alloc((3 * n + N_FOLDERS * N_FILES) * sizeof(*m->events));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t files = i ? 1 + rng_below(&r, 3) : 0;

		memcpy(ids + i * BLOB_ID, &i, sizeof(i));
		for (uint64_t p = 0; !i && p < N_FOLDERS * N_FILES; p++)
			feed_one(m, p, 0, 0);
		while (files--)
			feed_one(m, pick_path(&r), i, i % 50 ? i : i / 2);
	}
	m->n_events = blob_events_sort(m->events, m->n_events);
	next.ids = ids;
	next.events = m->events;
	next.n_events = m->n_events;
	rc = blob_file_write(m->index, &next, m->e);
	free(ids);
	return rc;
}

/* The id that a path has at a commit. */
static void id_at(const struct measure *m, const char *path, uint32_t no, char *ret_hex)
{
	struct blob_event key = {
		.hash = blob_path_hash(path, strlen(path)), .change = {.commit = no}};
	size_t lo = 0, hi = m->n_events;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (blob_event_cmp(&m->events[mid], &key) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = 0; i < 6; i++)
		snprintf(ret_hex + 2 * i, 3, "%02x", m->events[lo - 1].change.id[i]);
}

static int fed_wants(
	struct measure *m, struct blob_want *v, char ids[N_WANTS][REPO_HEX], uint32_t no)
{
	for (size_t i = 0; i < N_WANTS; i++) {
		path_of(pick_path(&m->rng), m->paths[i], sizeof(m->paths[i]));
		id_at(m, m->paths[i], no, ids[i]);
		v[i] = (struct blob_want){m->paths[i], ids[i]};
	}
	return 0;
}

/* All hold there. */
static bool fed_is_right(const struct measure *m, const struct blob_want *v, uint32_t no)
{
	char hex[REPO_HEX];
	size_t same = 0;

	for (size_t i = 0; i < N_WANTS; i++) {
		id_at(m, v[i].path, no, hex);
		same += !strcmp(hex, v[i].id);
	}
	return same == N_WANTS;
}

/* --- look-ups --- */

/* Old ids of a few files as one commit of the line had them. */
static int make_wants(struct measure *m, struct blob_want *v, char ids[N_WANTS][REPO_HEX])
{
	uint32_t no = (uint32_t)rng_below(&m->rng, blob_index_n_commits(m->x));
	char hex[REPO_HEX];
	git_commit *c = NULL;
	git_tree *tree = NULL;
	int rc;

	if (m->events)
		return fed_wants(m, v, ids, no);
	rc = blob_index_commit(m->x, no, hex, m->e);

	if (!rc)
		rc = repo_commit_get(m->repo, hex, &c, m->e);
	if (!rc && git_commit_tree(&tree, c))
		rc = err_set(m->e, ERR_INTERNAL, "no tree");
	for (size_t i = 0; i < N_WANTS && !rc; i++) {
		git_tree_entry *te = NULL;

		path_of(pick_path(&m->rng), m->paths[i], sizeof(m->paths[i]));
		if (git_tree_entry_bypath(&te, tree, m->paths[i])) {
			rc = err_set(m->e, ERR_INTERNAL, "no %s", m->paths[i]);
			break;
		}
		git_oid_tostr(ids[i], REPO_HEX, git_tree_entry_id(te));
		git_tree_entry_free(te);
		if (!i)
			memcpy(m->id, ids[0], REPO_HEX);
		ids[i][12] = '\0';
		v[i] = (struct blob_want){m->paths[i], ids[i]};
	}
	git_tree_free(tree);
	git_commit_free(c);
	return rc;
}

/* One look-up, checked in the repository. */
static int look_up(struct measure *m, double *ret_ms)
{
	struct blob_want v[N_WANTS];
	char ids[N_WANTS][REPO_HEX], hex[REPO_HEX];
	struct blob_match got;
	int64_t from_ns;
	int rc = make_wants(m, v, ids);

	if (rc)
		return rc;
	from_ns = clock_cpu_ns();
	rc = blob_index_find(m->x, v, N_WANTS, &got, m->e);
	if (!rc)
		rc = blob_index_commit(m->x, got.newest, hex, m->e);
	*ret_ms = ms_since(from_ns);
	if (!rc &&
		(got.n_same != N_WANTS || !(m->events ? fed_is_right(m, v, got.newest)
						      : base_blobs_count(m->repo, hex, v,
								N_WANTS) == N_WANTS)))
		rc = err_set(m->e, ERR_INTERNAL, "%s does not hold what was asked", hex);
	return rc;
}

/* Median CPU ms of a git command that answers (a part of) the same. */
static int peer(struct measure *m, const char *const *args, double *ret_ms)
{
	const char *argv[16] = {"git"};
	double ms[N_PEERS];

	for (size_t i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	for (size_t i = 0; i < N_PEERS; i++) {
		struct proc_spec spec = {.argv = argv,
			.cwd = m->dir,
			.deadline_ms = 3600000,
			.out_cap_bytes = 64u << 20};
		struct proc_result r;
		int rc;

		proc_result_init(&r);
		rc = proc_run(&spec, &r, m->e);
		if (!rc && (r.exit_status || !r.out.len))
			rc = err_set(m->e, ERR_INTERNAL, "git %s: no answer", args[0]);
		ms[i] = (double)r.cpu_ns / (double)NS_PER_MS;
		proc_result_release(&r);
		if (rc)
			return rc;
	}
	qsort(ms, N_PEERS, sizeof(*ms), by_size);
	*ret_ms = ms[N_PEERS / 2];
	return 0;
}

static int add_peers(struct measure *m, json_t *out, double median_ms)
{
	char find[64];
	const char *const object[] = {
		"log", "--first-parent", "-m", "-1", "--format=%H", find, LINE, NULL};
	const char *const paths[] = {"rev-list", "--first-parent", LINE, "--",
		m->paths[0], m->paths[1], m->paths[2], NULL};
	double a, b;
	int rc;

	snprintf(find, sizeof(find), "--find-object=%s", m->id);
	rc = peer(m, object, &a);
	if (!rc)
		rc = peer(m, paths, &b);
	if (rc)
		return rc;
	json_object_set_new(out, "peers",
		jx_pack("[{s:s, s:f, s:f}, {s:s, s:f, s:f}]", "command",
			"git log --first-parent -m --find-object (one file)", "cpu_ms", a,
			"ratio", a / median_ms, "command",
			"git rev-list --first-parent -- three files (ids not compared)",
			"cpu_ms", b, "ratio", b / median_ms));
	return 0;
}

/* Builds the index, and once more with nothing to do. */
static int build(struct measure *m, uint64_t n_fed, uint64_t seed, json_t *out)
{
	struct blob_update did;
	int64_t from_ns = clock_cpu_ns();
	struct rusage use;
	int rc;

	if (n_fed)
		rc = feed(m, n_fed, seed);
	else
		rc = blob_index_update(m->repo, m->index, m->tip, 0, &did, m->e);
	json_object_set_new(out, n_fed ? "feed_and_write_cpu_ms" : "build_cpu_ms",
		json_real(ms_since(from_ns)));
	from_ns = clock_cpu_ns();
	if (!rc && !n_fed) {
		rc = blob_index_update(m->repo, m->index, m->tip, 0, &did, m->e);
		json_object_set_new(
			out, "update_nothing_cpu_ms", json_real(ms_since(from_ns)));
	}
	getrusage(RUSAGE_SELF, &use);
	json_object_set_new(out, "build_max_rss_kib", json_integer(use.ru_maxrss));
	return rc;
}

static int look_up_all(struct measure *m, json_t *out)
{
	int64_t from_ns = clock_cpu_ns();
	size_t n_slow = 0;
	double first_ms;
	struct stat st;
	json_t *more;
	int rc = blob_index_open(m->index, &m->x, m->e);

	first_ms = ms_since(from_ns);
	for (size_t i = 0; i < m->n && !rc; i++) {
		rc = look_up(m, &m->ms[i]);
		n_slow += m->ms[i] > 10;
	}
	if (rc || stat(m->index, &st))
		return rc ? rc : err_set(m->e, ERR_INTERNAL, "no index");
	first_ms += m->ms[0];
	qsort(m->ms, m->n, sizeof(*m->ms), by_size);
	more = jx_pack("{s:I, s:I, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:I}", "commits",
		(json_int_t)blob_index_n_commits(m->x), "changes",
		(json_int_t)blob_index_n_changes(m->x), "index_bytes",
		(json_int_t)st.st_size, "lookups", (json_int_t)m->n, "files", N_WANTS,
		"first_with_open_cpu_ms", first_ms, "median_cpu_ms", m->ms[m->n / 2],
		"p99_cpu_ms", m->ms[m->n * 99 / 100], "max_cpu_ms", m->ms[m->n - 1],
		"over_10_ms", (json_int_t)n_slow);
	json_object_update(out, more);
	json_decref(more);
	return 0;
}

static void measure_end(struct measure *m)
{
	free(m->ms);
	free(m->events);
	blob_index_close(m->x);
	repo_close(m->repo);
}

static int measure(struct measure *m, uint64_t n_fed, uint64_t seed)
{
	json_t *out = jx_pack("{s:i, s:s, s:I}", "v", 1, "history",
		n_fed ? "fed without git" : "git", "seed", (json_int_t)seed);
	int rc = 0;

	unlink(m->index);
	rng_seed_named(&m->rng, seed, "lookups");
	m->ms = base_zalloc(m->n * sizeof(*m->ms));
	if (!n_fed)
		rc = repo_open(m->dir, &m->repo, m->e);
	if (!rc && !n_fed)
		rc = repo_resolve(m->repo, LINE, m->tip, m->e);
	if (!rc)
		rc = build(m, n_fed, seed, out);
	if (!rc)
		rc = look_up_all(m, out);
	if (!rc && !n_fed)
		rc = add_peers(m, out, m->ms[m->n / 2]);
	if (!rc) {
		json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		putchar('\n');
	} else {
		fprintf(stderr, "bench_base: %s\n", m->e->msg);
	}
	json_decref(out);
	measure_end(m);
	return rc ? 1 : 0;
}

static uint64_t number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	return *end ? 0 : n;
}

int main(int argc, char **argv)
{
	struct err e;
	struct measure m = {.e = &e};
	char index[512];

	if (argc == 4 && !strcmp(argv[1], "generate") && number(argv[2]))
		return generate(number(argv[2]), number(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "measure") && number(argv[3])) {
		snprintf(index, sizeof(index), "%s/bench.blobs", argv[2]);
		m.dir = argv[2];
		m.index = index;
		m.n = number(argv[3]);
		return measure(&m, 0, number(argv[4]));
	}
	if (argc == 6 && !strcmp(argv[1], "feed") && number(argv[2]) &&
		number(argv[2]) <= BLOB_COMMITS_MAX && number(argv[4])) {
		m.index = argv[3];
		m.n = number(argv[4]);
		return measure(&m, number(argv[2]), number(argv[5]));
	}
	fputs("usage: bench_base generate COMMITS SEED | measure REPO LOOKUPS SEED |\n"
	      "       feed COMMITS FILE LOOKUPS SEED\n",
		stderr);
	return 2;
}
