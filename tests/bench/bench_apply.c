// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_apply: CPU time of applying real patches to a kernel tree, against git am, in one
 * run on one core. See tests/bench/apply, which makes the folders.
 *
 *   bench_apply EPOCH SCRATCH N WAKELIST
 *
 * SCRATCH holds four clones of one repository: am (a work tree), ours, program and dry
 * (bare). CPU time is user and system, of this process and of the children that it waits
 * for. Text on standard error, JSON on standard output.
 */
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/jx.h"
#include "base/proc.h"
#include "mail/mail.h"
#include "mail/mbox.h"
#include "patch/apply.h"

#include <sched.h>

#define OUT_CAP  ((size_t)2 << 30)
#define FILE_CAP ((size_t)64 << 10) /* of a file that a made-up patch changes */
#define ROUNDS   3                  /* of the series */
#define SPREAD   100                /* made-up patches, each of another folder */

enum way { WAY_AM, WAY_OURS, WAY_PROGRAM, WAY_DRY, N_WAYS };

static const char *const way_names[] = {
	[WAY_AM] = "git_am",
	[WAY_OURS] = "library",
	[WAY_PROGRAM] = "program",
	[WAY_DRY] = "dry_run",
};
static const char *const way_folders[] = {
	[WAY_AM] = "am",
	[WAY_OURS] = "ours.git",
	[WAY_PROGRAM] = "program.git",
	[WAY_DRY] = "dry.git",
};

/* One patch mail, or an mbox of a series. */
struct input {
	const char *p, *path, *patch_id;
	size_t len;
	bool sched; /* touches fair.c or core.c of kernel/sched */
};

struct answer {
	int64_t cpu_ns;
	char tree[REPO_HEX], commit[REPO_HEX]; /* the last; "" when it did not apply */
	bool clean;                            /* every patch exact or offset */
};

struct bench {
	struct arena *a;
	const char *scratch, *wakelist, *repo[N_WAYS];
	char base[REPO_HEX];
	struct sbuf commits[N_WAYS]; /* of the trees that were compared, one a line */
	size_t n_wrong;
};

static _Noreturn void die(const char *what, const struct err *e)
{
	fprintf(stderr, "bench_apply: %s: %s\n", what, e ? e->msg : "failed");
	exit(3);
}

static void run(
	const char *const *argv, const void *in, size_t len, struct proc_result *r)
{
	static const char *const env[] = {"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent",
		"GIT_COMMITTER_NAME=wakelist", "GIT_COMMITTER_EMAIL=wakelist@invalid",
		NULL};
	struct proc_spec spec = {.argv = argv,
		.env = env,
		.in = in,
		.in_len = len,
		.out_cap_bytes = OUT_CAP};
	struct err e;

	if (proc_run(&spec, r, &e))
		die(argv[0], &e);
	if (r->out_cut)
		die("the epoch is too big for this program", NULL);
}

/* First line of what must succeed; arena. */
static const char *ask(struct bench *b, const char *const *argv)
{
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	run(argv, NULL, 0, &r);
	if (r.exit_status)
		die(arena_printf(b->a, "%s %s: %s", argv[0], argv[3], r.err.buf), NULL);
	return arena_strndup(b->a, r.out.buf, strcspn(r.out.buf, "\n"));
}

/* --- the ways --- */

static void by_am(struct bench *b, const struct input *in, struct answer *ret)
{
	const char *am = b->repo[WAY_AM];
	/* git's own housekeeping after a commit is not what is compared */
	const char *apply[] = {"git", "-C", am, "-c", "gc.auto=0", "-c",
		"maintenance.auto=false", "am", "-q", in->path, NULL};
	const char *undo[] = {"git", "-C", am, "am", "--abort", NULL};
	const char *head[] = {"git", "-C", am, "rev-parse", "HEAD", NULL};
	const char *tree[] = {"git", "-C", am, "rev-parse", "HEAD^{tree}", NULL};
	const char *back[] = {"git", "-C", am, "reset", "-q", "--hard", b->base, NULL};
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	run(apply, NULL, 0, &r);
	ret->cpu_ns = r.cpu_ns;
	if (r.exit_status) {
		ask(b, undo);
		return;
	}
	snprintf(ret->commit, REPO_HEX, "%s", ask(b, head));
	snprintf(ret->tree, REPO_HEX, "%s", ask(b, tree));
	ask(b, back);
}

static bool is_clean(const struct apply_outcome *out)
{
	bool clean = out->result == APPLY_APPLIED;

	for (size_t i = 0; i < out->n_patches; i++)
		clean = clean && out->patches[i].result <= PATCH_OFFSET;
	return clean;
}

/* From the mails' bytes to commits in the repository, which is opened anew, as cmd_apply
 * does it. */
static void by_library(struct bench *b, const struct input *in, bool dry, bool no_3way,
	struct answer *ret)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patches[SPREAD];
	struct apply_request req = {.repo = b->repo[dry ? WAY_DRY : WAY_OURS],
		.base.explicit_rev = b->base,
		.patches = patches,
		.no_3way = no_3way,
		.dry_run = dry};
	struct apply_outcome *out;
	struct mbox_mail one;
	struct mbox_iter it;
	struct mail *m;
	struct err e;
	int64_t start = clock_cpu_ns();

	for (mbox_iter_init(&it, in->p, in->len); mbox_next(&it, &one);) {
		const struct mail_opts opts = {.mboxrd = one.mboxrd};

		if (req.n_patches == SPREAD)
			die("too many mails in a series", NULL);
		if (mail_parse(a, one.p, one.len, &opts, &m, &e) ||
			apply_patch_from_mail(m, a, &patches[req.n_patches++], &e))
			die("a patch mail", &e);
	}
	if (apply_run(&req, a, &out, &e))
		die("apply", &e);
	ret->cpu_ns = clock_cpu_ns() - start;
	ret->clean = is_clean(out);
	if (out->result != APPLY_APPLIED || !out->n_commits)
		return;
	snprintf(ret->tree, REPO_HEX, "%s", out->tree);
	snprintf(ret->commit, REPO_HEX, "%s", out->commits[out->n_commits - 1]);
}

static void by_program(struct bench *b, const struct input *in, struct answer *ret)
{
	const char *argv[] = {b->wakelist, "apply", "--repo", b->repo[WAY_PROGRAM],
		"--base", b->base, in->path, NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	const char *tree = NULL;
	json_t *j, *commits;
	struct err e;

	proc_result_init(&r);
	run(argv, NULL, 0, &r);
	ret->cpu_ns = r.cpu_ns;
	if (r.exit_status)
		return;
	if (jx_load(r.out.buf, r.out.len, &j, &e) ||
		jx_unpack(j, &e, "outcome", "{s:s, s:o}", "tree", &tree, "commits",
			&commits))
		die("answer of the program", &e);
	const char *last =
		json_string_value(json_array_get(commits, json_array_size(commits) - 1));
	snprintf(ret->tree, REPO_HEX, "%s", tree);
	snprintf(ret->commit, REPO_HEX, "%s", last ? last : "");
	json_decref(j);
}

/* False: git am does not take it. Answers that differ from git's are counted. */
static bool by_all(struct bench *b, const struct input *in, int64_t ret_ns[N_WAYS])
{
	struct answer v[N_WAYS] = {0};

	by_am(b, in, &v[WAY_AM]);
	if (!v[WAY_AM].commit[0])
		return false;
	by_library(b, in, false, false, &v[WAY_OURS]);
	by_program(b, in, &v[WAY_PROGRAM]);
	by_library(b, in, true, false, &v[WAY_DRY]);
	for (size_t i = 0; i < N_WAYS; i++) {
		ret_ns[i] = v[i].cpu_ns;
		if (strcmp(v[i].tree, v[WAY_AM].tree) != 0) {
			fprintf(stderr, "%s of %s: another tree than git am's\n",
				way_names[i], in->path);
			b->n_wrong++;
		}
		sbuf_addf(&b->commits[i], "%s\n", v[i].commit);
	}
	return true;
}

/* Every commit and all that it made can be read by git: loose objects whole, the rest by
 * its presence. */
static void check_commits(struct bench *b, enum way w)
{
	size_t n = 0, cap = 0;
	const char **argv = NULL;
	const char *const head[] = {
		"git", "-C", b->repo[w], "fsck", "--no-full", "--no-dangling"};
	CLEANUP(proc_result_release) struct proc_result r;

	for (size_t i = 0; i < ARRAY_LEN(head); i++)
		*ARENA_PUSH(b->a, argv, n, cap) = head[i];
	for (const char *p = b->commits[w].buf; *p; p += REPO_HEX)
		*ARENA_PUSH(b->a, argv, n, cap) = arena_strndup(b->a, p, REPO_HEX - 1);
	*ARENA_PUSH(b->a, argv, n, cap) = NULL;
	proc_result_init(&r);
	run(argv, NULL, 0, &r);
	if (r.exit_status) {
		fprintf(stderr, "git fsck of %s: %s%s\n", b->repo[w], r.out.buf,
			r.err.buf);
		b->n_wrong++;
	}
}

/* --- real patches --- */

static void take_mail(struct bench *b, const char *p, size_t len, struct input **v,
	size_t *n, size_t *cap)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct input in = {.p = p, .len = len};
	struct answer try = {0};
	struct mail *m;
	struct err e;

	if (mail_parse(a, p, len, &(struct mail_opts){0}, &m, &e) ||
		m->kind == MAIL_REPLY || m->rejected || !m->patch_id || mbox_is(p, len))
		return;
	for (size_t i = 0; i < *n; i++) {
		if (!strcmp((*v)[i].patch_id, m->patch_id))
			return; /* the same change again */
	}
	by_library(b, &in, true, true, &try);
	if (!try.clean || !try.commit[0])
		return;
	for (size_t i = 0; i < m->n_files; i++)
		in.sched = in.sched || !strcmp(m->files[i].path, "kernel/sched/fair.c") ||
			   !strcmp(m->files[i].path, "kernel/sched/core.c");
	in.patch_id = arena_strdup(b->a, m->patch_id);
	*ARENA_PUSH(b->a, *v, *n, *cap) = in;
}

/* The patches of an epoch that apply alone to the base. blobs keeps their bytes. */
static size_t read_epoch(
	struct bench *b, const char *epoch, struct proc_result *blobs, struct input **ret)
{
	const char *dir = arena_printf(b->a, "--git-dir=%s", epoch);
	const char *list[] = {"git", dir, "rev-list", "--reverse", "--all", NULL};
	const char *read[] = {"git", dir, "cat-file", "--batch", NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	CLEANUP(sbuf_release) struct sbuf names = SBUF_INIT;
	size_t n = 0, cap = 0;

	proc_result_init(&r);
	run(list, NULL, 0, &r);
	for (const char *p = r.out.buf; *p; p += REPO_HEX)
		sbuf_addf(&names, "%.40s:m\n", p);
	run(read, names.buf, names.len, blobs);
	for (const char *p = blobs->out.buf, *end = p + blobs->out.len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *blob = memmem(p, (size_t)(nl - p), " blob ", 6);
		size_t len = blob ? strtoul(blob + 6, NULL, 10) : 0;

		if (blob)
			take_mail(b, nl + 1, len, ret, &n, &cap);
		p = nl + 1 + (blob ? len + 1 : 0);
	}
	return n;
}

/* Evenly spaced, n of those that are (or are not) of the scheduler's two big files. */
static size_t choose(
	const struct input *all, size_t n_all, bool sched, size_t n, struct input *ret)
{
	size_t have = 0, seen = 0, taken = 0;

	for (size_t i = 0; i < n_all; i++)
		have += all[i].sched == sched;
	n = n < have ? n : have;
	for (size_t i = 0; i < n_all; i++) {
		if (all[i].sched == sched && seen++ == taken * have / (n ? n : 1) &&
			taken < n)
			ret[taken++] = all[i];
	}
	return taken;
}

static void save(struct bench *b, struct input *in, const char *name)
{
	struct err e;

	in->path = arena_printf(b->a, "%s/%s", b->scratch, name);
	if (file_write_atomic(in->path, in->p, in->len, 0644, &e))
		die(in->path, &e);
}

/* --- made-up patches --- */

/* A line more in the middle of the file. False: it is not of a kind for that. */
static bool make_patch(struct sbuf *s, const char *path, const char *text, size_t len,
	size_t number, int round)
{
	const char *start = text, *p;
	size_t n = 0, at = 1;

	for (p = text; (p = memchr(p, '\n', (size_t)(text + len - p))); p++)
		n++;
	if (n < 20 || memchr(text, 0, len) || memchr(text, '\r', len))
		return false;
	for (; at < n / 2 - 3; at++)
		start = strchr(start, '\n') + 1;
	sbuf_addf(s,
		"From %040x Mon Sep 17 00:00:00 2001\n"
		"From: A Writer <writer@example.org>\n"
		"Date: Tue, 1 Dec 2026 10:00:00 +0000\n"
		"Subject: [PATCH %zu/%d] %s: a line more\n\nOne line.\n---\n"
		"diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%zu,6 +%zu,7 @@\n",
		0, number, SPREAD, path, path, path, path, path, at, at);
	for (size_t i = 0; i < 6; i++, start = strchr(start, '\n') + 1) {
		if (i == 3)
			sbuf_addf(s, "+/* a line more, %d */\n",
				round); /* objects must be new */
		sbuf_addf(s, " %.*s\n", (int)strcspn(start, "\n"), start);
	}
	sbuf_adds(s, "-- \n2\n\n");
	return true;
}

/* One .c file of each of SPREAD folders, evenly spaced over the tree. */
static void make_series(struct bench *b, int round, struct sbuf *ret)
{
	const char *argv[] = {"git", "-C", b->repo[WAY_DRY], "ls-tree", "-r",
		"--name-only", b->base, NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct git_repository *repo;
	char **first = NULL;
	size_t n = 0, cap = 0, made = 0;
	struct err e;

	proc_result_init(&r);
	run(argv, NULL, 0, &r);
	for (char *p = r.out.buf, *nl; (nl = strchr(p, '\n')); p = nl + 1) {
		const char *slash = memrchr(p, '/', (size_t)(nl - p));

		*nl = 0;
		if (!slash || nl - p < 3 || strcmp(nl - 2, ".c") != 0 ||
			(n && !strncmp(first[n - 1], p, (size_t)(slash + 1 - p))))
			continue;
		*ARENA_PUSH(b->a, first, n, cap) = p;
	}
	if (repo_open(b->repo[WAY_DRY], &repo, &e))
		die("open", &e);
	for (size_t i = 0; i < n && made < SPREAD; i++) {
		if (i < made * n * 9 / 10 / SPREAD) /* the rest is for those left out */
			continue;
		sbuf_reset(&text);
		if (repo_read_file(repo, b->base, first[i], FILE_CAP, &text, NULL, &e) ==
			0)
			made += make_patch(
				ret, first[i], text.buf, text.len, made + 1, round);
	}
	repo_close(repo);
	if (made < SPREAD)
		die("the tree has too few folders with .c files", NULL);
}

/* --- figures --- */

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* {way: {"median_us","sum_us","median_ratio","sum_ratio","series_ratio"}}; v is way by
 * way, and gets sorted. series_us: what git am takes for a patch within a series, where
 * it reads its index once; series_ratio sets the sum against that. */
static json_t *figures(const char *title, int64_t *v[N_WAYS], size_t n, size_t n_patches,
	double series_us)
{
	double median[N_WAYS], sum[N_WAYS] = {0};
	json_t *j = json_object();

	fprintf(stderr, "%s\n", title);
	for (size_t w = 0; w < N_WAYS; w++) {
		double series_ratio;

		for (size_t i = 0; i < n; i++)
			sum[w] += (double)v[w][i] / 1e3;
		qsort(v[w], n, sizeof(*v[w]), by_size);
		median[w] = (double)v[w][n / 2] / 1e3;
		series_ratio = series_us * (double)n_patches / sum[w];
		fprintf(stderr,
			"  %-8s median %8.0f us (%.1fx)  sum %9.0f us (%.1fx, %.1fx of a "
			"series)\n",
			way_names[w], median[w], median[0] / median[w], sum[w],
			sum[0] / sum[w], series_ratio);
		json_object_set_new(j, way_names[w],
			jx_pack("{s:f, s:f, s:f, s:f, s:f}", "median_us", median[w],
				"sum_us", sum[w], "median_ratio", median[0] / median[w],
				"sum_ratio", sum[0] / sum[w], "series_ratio",
				series_ratio));
	}
	return j;
}

static size_t measure(struct bench *b, struct input *v, size_t n, int64_t *ns[N_WAYS])
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t one[N_WAYS];

		if (!by_all(b, &v[i], one))
			continue;
		for (size_t w = 0; w < N_WAYS; w++)
			ns[w][done] = one[w];
		done++;
	}
	return done;
}

static void open_scratch(struct bench *b)
{
	for (size_t w = 0; w < N_WAYS; w++) {
		b->repo[w] = arena_printf(b->a, "%s/%s", b->scratch, way_folders[w]);
		sbuf_init(&b->commits[w]);
	}
	const char *head[] = {"git", "-C", b->repo[WAY_AM], "rev-parse", "HEAD", NULL};

	snprintf(b->base, REPO_HEX, "%s", ask(b, head));
}

int main(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct sbuf series[ROUNDS];
	struct proc_result blobs;
	struct input *all = NULL, *v, spread[ROUNDS] = {0};
	int64_t *ns[N_WAYS], *spread_ns[N_WAYS];
	cpu_set_t core;
	int cpu = sched_getcpu();

	if (argc != 5) {
		fprintf(stderr, "usage: bench_apply EPOCH SCRATCH N WAKELIST\n");
		return 2;
	}
	CPU_ZERO(&core);
	CPU_SET(cpu < 0 ? 0 : cpu, &core);
	(void)sched_setaffinity(0, sizeof(core), &core);
	struct bench b = {.a = a, .scratch = argv[2], .wakelist = argv[4]};
	size_t want = strtoul(argv[3], NULL, 10), fits, n, n_sched, done;

	proc_result_init(&blobs);
	open_scratch(&b);
	fits = read_epoch(&b, argv[1], &blobs, &all);
	v = ARENA_ARRAY(a, struct input, want + 1);
	n_sched = choose(all, fits, true, want * 6 / 10, v);
	n = n_sched + choose(all, fits, false, want - n_sched, v + n_sched);
	for (size_t i = 0; i < n; i++)
		save(&b, &v[i], arena_printf(a, "%zu.eml", i));
	for (size_t w = 0; w < N_WAYS; w++) {
		ns[w] = ARENA_ARRAY(a, int64_t, want + 1);
		spread_ns[w] = ARENA_ARRAY(a, int64_t, ROUNDS);
	}
	done = measure(&b, v, n, ns);
	for (int i = 0; i < ROUNDS; i++) {
		sbuf_init(&series[i]);
		make_series(&b, i, &series[i]);
		spread[i].p = series[i].buf;
		spread[i].len = series[i].len;
		save(&b, &spread[i], arena_printf(a, "spread%d.mbox", i));
	}
	if (!done || measure(&b, spread, ROUNDS, spread_ns) != ROUNDS)
		die("git am took nothing", NULL);
	for (enum way w = 0; w < WAY_DRY; w++)
		check_commits(&b, w);

	fprintf(stderr,
		"%zu patches of the epoch apply alone; %zu taken, %zu of them touch "
		"fair.c or "
		"core.c; git am took %zu\n",
		fits, n, n_sched, done);
	double series_us = 0;

	for (size_t i = 0; i < ROUNDS; i++)
		series_us += (double)spread_ns[WAY_AM][i] / 1e3 / SPREAD / ROUNDS;
	json_t *real = figures("one patch at a time", ns, done, done, series_us);
	json_t *wide = figures("a series of 100 patches, 100 folders", spread_ns, ROUNDS,
		(size_t)ROUNDS * SPREAD, series_us);
	fprintf(stderr,
		"no mode keeps only the last tree: no figure; dry_run keeps nothing\n"
		"%zu answers other than git's or that git cannot read\n",
		b.n_wrong);
	json_t *j = jx_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:n}", "bench",
		"apply", "fits", (json_int_t)fits, "taken", (json_int_t)n, "fair_or_core",
		(json_int_t)n_sched, "measured", (json_int_t)done, "wrong",
		(json_int_t)b.n_wrong, "single", real, "spread", wide, "last_tree_only");
	CLEANUP(base_freep) char *text = jx_dump(j);

	json_decref(j);
	proc_result_release(&blobs);
	for (size_t i = 0; i < ROUNDS; i++)
		sbuf_release(&series[i]);
	for (size_t w = 0; w < N_WAYS; w++)
		sbuf_release(&b.commits[w]);
	return puts(text) < 0 ? 3 : b.n_wrong ? 1 : 0;
}
