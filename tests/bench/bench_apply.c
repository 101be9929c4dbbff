// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_apply: CPU time of applying real patches to a kernel tree, against git am, in one
 * run on one core. See tests/bench/apply, which makes the folders.
 *
 *   bench_apply SCRATCH N ROUNDS WAKELIST EPOCH...
 *
 * SCRATCH holds two clones of one repository: am (a work tree) and clean.git. CPU time is
 * user and system, of this process and of the children that it waits for; of each input
 * the shortest of all rounds counts. In a round each way has a clone of its own, so that
 * every object is new. Text on standard error, JSON on standard output.
 */
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/jx.h"
#include "mail/mail.h"
#include "mail/mbox.h"
#include "tests/bench/bench_apply.h"

#include <glob.h>
#include <sched.h>

#define OUT_CAP ((size_t)2 << 30)

enum way {
	WAY_AM,
	WAY_LIBRARY,
	WAY_PROGRAM,
	WAY_TREE,
	WAY_TREE_PROGRAM,
	WAY_NOTHING,
	N_WAYS
};

static const struct {
	const char *name; /* in JSON, and of its clone */
	const char *words;
	enum apply_keep keep;
	const char *option; /* of the program; NULL: the library */
} ways[] = {
	[WAY_AM] = {"git_am", "git am", APPLY_KEEP_ALL, NULL},
	[WAY_LIBRARY] = {"library", "library", APPLY_KEEP_ALL, NULL},
	[WAY_PROGRAM] = {"program", "program", APPLY_KEEP_ALL, "--3way"},
	[WAY_TREE] = {"library_tree", "library, last tree only", APPLY_KEEP_TREE, NULL},
	[WAY_TREE_PROGRAM] = {"program_tree", "program, last tree only", APPLY_KEEP_TREE,
		"--tree-only"},
	[WAY_NOTHING] = {"library_nothing", "library, nothing stored", APPLY_KEEP_NOTHING,
		NULL},
};

static const struct {
	const char *name, *words;
} set_names[] = {
	[SET_ALONE] = {"alone", "each onto the base, a call each"},
	[SET_STACK] = {"stack", "one series, each on top of those before"},
	[SET_SPREAD] = {"spread", "one series, made-up, each of another folder"},
};

_Noreturn void bench_die(const char *what, const struct err *e)
{
	fprintf(stderr, "bench_apply: %s: %s\n", what, e ? e->msg : "failed");
	exit(3);
}

void bench_run(const char *const *argv, const void *in, size_t len, struct proc_result *r)
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
		bench_die(argv[0], &e);
	if (r->out_cut)
		bench_die("the epoch is too big for this program", NULL);
}

const char *bench_ask(struct bench *b, const char *const *argv)
{
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	bench_run(argv, NULL, 0, &r);
	if (r.exit_status)
		bench_die(arena_printf(b->a, "%s %s: %s", argv[0], argv[3], r.err.buf),
			NULL);
	return arena_strndup(b->a, r.out.buf, strcspn(r.out.buf, "\n"));
}

/* --- the ways --- */

/* git's own housekeeping after a commit is not what is compared. */
static void by_am(struct bench *b, const struct input *in, struct went *ret)
{
	const char *apply[] = {"git", "-C", b->am, "-c", "gc.auto=0", "-c",
		"maintenance.auto=false", "am", "-q", in->path, NULL};
	const char *head[] = {"git", "-C", b->am, "rev-parse", "HEAD", NULL};
	const char *tree[] = {"git", "-C", b->am, "rev-parse", "HEAD^{tree}", NULL};
	const char *back[] = {"git", "-C", b->am, "reset", "-q", "--hard", b->base, NULL};
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	bench_run(apply, NULL, 0, &r);
	if (r.exit_status)
		bench_die(arena_printf(b->a, "git am %s: %s", in->path, r.err.buf), NULL);
	ret->cpu_ns = r.cpu_ns;
	snprintf(ret->commit, REPO_HEX, "%s", bench_ask(b, head));
	snprintf(ret->tree, REPO_HEX, "%s", bench_ask(b, tree));
	bench_ask(b, back);
}

static bool is_clean(const struct apply_outcome *out)
{
	bool clean = out->result == APPLY_APPLIED;

	for (size_t i = 0; i < out->n_patches; i++)
		clean = clean && out->patches[i].result <= PATCH_OFFSET;
	return clean;
}

void bench_library(const char *repo, const char *base, enum apply_keep keep, bool no_3way,
	const struct input *in, struct went *ret)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patches[SPREAD];
	struct apply_request req = {.repo = repo,
		.base.explicit_rev = base,
		.patches = patches,
		.no_3way = no_3way,
		.keep = keep};
	struct apply_outcome *out;
	struct mbox_mail one;
	struct mbox_iter it;
	struct mail *m;
	struct err e;
	int64_t start = clock_cpu_ns();

	*ret = (struct went){0};
	for (mbox_iter_init(&it, in->p, in->len); mbox_next(&it, &one);) {
		const struct mail_opts opts = {.mboxrd = one.mboxrd};

		if (req.n_patches == SPREAD)
			bench_die("too many mails in a series", NULL);
		if (mail_parse(a, one.p, one.len, &opts, &m, &e) ||
			apply_patch_from_mail(m, a, &patches[req.n_patches++], &e))
			bench_die("a patch mail", &e);
	}
	if (apply_run(&req, a, &out, &e))
		bench_die("apply", &e);
	ret->cpu_ns = clock_cpu_ns() - start;
	ret->clean = is_clean(out);
	if (out->result != APPLY_APPLIED || !out->n_commits)
		return;
	snprintf(ret->tree, REPO_HEX, "%s", out->tree);
	snprintf(ret->commit, REPO_HEX, "%s", out->commits[out->n_commits - 1]);
}

static void by_program(struct bench *b, const char *repo, const char *option,
	const struct input *in, struct went *ret)
{
	const char *argv[] = {b->wakelist, "apply", "--repo", repo, "--base", b->base,
		option, in->path, NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	const char *tree = NULL;
	json_t *j, *commits;
	struct err e;

	proc_result_init(&r);
	bench_run(argv, NULL, 0, &r);
	ret->cpu_ns = r.cpu_ns;
	if (r.exit_status) {
		fprintf(stderr, "%s\n", r.err.buf);
		return;
	}
	if (jx_load(r.out.buf, r.out.len, &j, &e) ||
		jx_unpack(j, &e, "outcome", "{s:s, s:o}", "tree", &tree, "commits",
			&commits))
		bench_die("answer of the program", &e);
	const char *last =
		json_string_value(json_array_get(commits, json_array_size(commits) - 1));
	snprintf(ret->tree, REPO_HEX, "%s", tree);
	snprintf(ret->commit, REPO_HEX, "%s", last ? last : "");
	json_decref(j);
}

/* --- a round --- */

static const char *clone_of(struct bench *b, enum way w)
{
	return arena_printf(b->a, "%s/%s.git", b->scratch, ways[w].name);
}

static void make_clone(struct bench *b, enum way w)
{
	const char *path = clone_of(b, w);
	const char *clone[] = {
		"git", "clone", "-q", "--bare", "--shared", b->clean, path, NULL};
	struct err e;

	if (file_rm_rf(path, &e))
		bench_die(path, &e);
	bench_ask(b, clone);
}

/* git am's objects of the round before. */
static void forget_am(struct bench *b)
{
	glob_t found;
	struct err e;

	if (glob(arena_printf(b->a, "%s/.git/objects/[0-9a-f][0-9a-f]", b->am), 0, NULL,
		    &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (file_rm_rf(found.gl_pathv[i], &e))
			bench_die(found.gl_pathv[i], &e);
	}
	globfree(&found);
}

static void wrong(struct bench *b, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	b->n_wrong++;
}

/* Each way once; the shortest so far stays in best. last gets what each way made. */
static void by_all(struct bench *b, const struct input *in, int64_t best[N_WAYS],
	struct sbuf made[N_WAYS])
{
	char tree[REPO_HEX] = "";

	for (enum way w = 0; w < N_WAYS; w++) {
		struct went went = {0};

		if (w == WAY_AM)
			by_am(b, in, &went);
		else if (ways[w].option)
			by_program(b, clone_of(b, w), ways[w].option, in, &went);
		else
			bench_library(
				clone_of(b, w), b->base, ways[w].keep, false, in, &went);
		if (w == WAY_AM)
			memcpy(tree, went.tree, sizeof(tree));
		else if (strcmp(went.tree, tree) != 0)
			wrong(b, in->path,
				arena_printf(b->a, "%s: another tree than git am's",
					ways[w].words));
		if (!best[w] || went.cpu_ns < best[w])
			best[w] = went.cpu_ns;
		if (went.tree[0] && ways[w].keep != APPLY_KEEP_NOTHING)
			sbuf_addf(&made[w], "%s\n",
				ways[w].keep == APPLY_KEEP_ALL ? went.commit : went.tree);
	}
}

static void must_be_fine(struct bench *b, const char *const *argv)
{
	CLEANUP(proc_result_release) struct proc_result r;

	proc_result_init(&r);
	bench_run(argv, NULL, 0, &r);
	if (r.exit_status)
		wrong(b, argv[2], arena_printf(b->a, "%s%s", r.out.buf, r.err.buf));
}

/* git can read all that was made, whole, and what is in it, of the base by its presence.
 */
static void check_made(struct bench *b, enum way w, const struct sbuf *made)
{
	const char *repo = clone_of(b, w);
	const char *const loose[] = {"git", "-C", repo, "fsck", "--no-full",
		"--no-dangling", "--strict", NULL};
	const char *const reach[] = {
		"git", "-C", repo, "fsck", "--connectivity-only", "--no-dangling"};
	const char **argv = NULL;
	size_t n = 0, cap = 0;
	glob_t packs;

	must_be_fine(b, loose);
	for (size_t i = 0; i < ARRAY_LEN(reach); i++)
		*ARENA_PUSH(b->a, argv, n, cap) = reach[i];
	for (const char *p = made->buf; *p; p += REPO_HEX)
		*ARENA_PUSH(b->a, argv, n, cap) = arena_strndup(b->a, p, REPO_HEX - 1);
	*ARENA_PUSH(b->a, argv, n, cap) = NULL;
	must_be_fine(b, argv);
	if (glob(arena_printf(b->a, "%s/objects/pack/*.idx", repo), 0, NULL, &packs))
		return;
	for (size_t i = 0; i < packs.gl_pathc; i++) {
		const char *const verify[] = {
			"git", "verify-pack", packs.gl_pathv[i], NULL};

		must_be_fine(b, verify);
	}
	globfree(&packs);
}

static void one_round(struct bench *b, struct set *set, int64_t (*best)[N_WAYS])
{
	struct sbuf made[N_WAYS];

	for (enum way w = 0; w < N_WAYS; w++) {
		sbuf_init(&made[w]);
		if (w != WAY_AM)
			make_clone(b, w);
	}
	forget_am(b);
	for (size_t i = 0; i < set->n; i++)
		by_all(b, &set->v[i], best[i], made);
	for (enum way w = WAY_AM + 1; w < N_WAYS; w++) {
		if (ways[w].keep != APPLY_KEEP_NOTHING)
			check_made(b, w, &made[w]);
		sbuf_release(&made[w]);
	}
	sbuf_release(&made[WAY_AM]);
}

/* --- figures --- */

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_us(struct bench *b, int64_t (*best)[N_WAYS], size_t n, enum way w)
{
	int64_t *v = ARENA_ARRAY(b->a, int64_t, n);

	for (size_t i = 0; i < n; i++)
		v[i] = best[i][w];
	qsort(v, n, sizeof(*v), by_size);
	return (double)v[n / 2] / 1e3;
}

static double sum_us(int64_t (*best)[N_WAYS], size_t n, enum way w)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)best[i][w] / 1e3;
	return sum;
}

/* {"patches","fair_or_core",WAY:{"patch_us","median_us","ratio"}} */
static json_t *figures(struct bench *b, enum set_id id, int64_t (*best)[N_WAYS])
{
	const struct set *set = &b->sets[id];
	double am = sum_us(best, set->n, WAY_AM);
	json_t *j = jx_pack("{s:I, s:I}", "patches", (json_int_t)set->n_patches,
		"fair_or_core", (json_int_t)set->n_sched);

	fprintf(stderr, "%s: %s: %zu patches, %zu of fair.c or core.c\n",
		set_names[id].name, set_names[id].words, set->n_patches, set->n_sched);
	for (enum way w = 0; w < N_WAYS; w++) {
		double sum = sum_us(best, set->n, w), n = (double)set->n_patches;
		double median = median_us(b, best, set->n, w);

		fprintf(stderr, "  %-24s %9.2f ms a patch %8.1fx", ways[w].words,
			sum / n / 1e3, am / sum);
		if (id == SET_ALONE)
			fprintf(stderr, "   median %9.2f ms", median / 1e3);
		fputc('\n', stderr);
		json_object_set_new(j, ways[w].name,
			jx_pack("{s:f, s:f, s:f}", "patch_us", sum / n, "median_us",
				median, "ratio", am / sum));
	}
	return j;
}

static void on_one_core(void)
{
	cpu_set_t core;
	int cpu = sched_getcpu();

	CPU_ZERO(&core);
	CPU_SET(cpu < 0 ? 0 : cpu, &core);
	(void)sched_setaffinity(0, sizeof(core), &core);
}

int main(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int64_t(*best[N_SETS])[N_WAYS];
	struct bench b = {.a = a};
	unsigned long rounds;
	json_t *j;

	if (argc < 6) {
		fprintf(stderr,
			"usage: bench_apply SCRATCH N ROUNDS WAKELIST EPOCH...\n");
		return 2;
	}
	on_one_core();
	b.scratch = argv[1];
	b.want = strtoul(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	b.wakelist = argv[4];
	b.n_epochs = (size_t)argc - 5;
	b.am = arena_printf(a, "%s/am", b.scratch);
	b.clean = arena_printf(a, "%s/clean.git", b.scratch);
	if (!b.want || b.want > SPREAD || !rounds)
		bench_die("N is 1 to 100, ROUNDS 1 or more", NULL);
	const char *head[] = {"git", "-C", b.am, "rev-parse", "HEAD", NULL};

	snprintf(b.base, REPO_HEX, "%s", bench_ask(&b, head));
	bench_pick(&b, argv + 5);
	for (enum set_id id = 0; id < N_SETS; id++)
		best[id] = arena_zalloc(a, (b.sets[id].n + 1) * sizeof(*best[id]));
	for (unsigned long r = 0; r < rounds; r++) {
		for (enum set_id id = 0; id < N_SETS; id++)
			one_round(&b, &b.sets[id], best[id]);
	}
	j = jx_pack("{s:s, s:I, s:I, s:I}", "bench", "apply", "fits", (json_int_t)b.fits,
		"rounds", (json_int_t)rounds, "wrong", (json_int_t)b.n_wrong);
	fprintf(stderr,
		"%zu patches of the epochs apply alone; CPU time, shortest of %lu "
		"rounds\n",
		b.fits, rounds);
	for (enum set_id id = 0; id < N_SETS; id++) {
		if (b.sets[id].n)
			json_object_set_new(
				j, set_names[id].name, figures(&b, id, best[id]));
	}
	fprintf(stderr, "%zu answers other than git's or that git cannot read\n",
		b.n_wrong);
	CLEANUP(base_freep) char *text = jx_dump(j);

	json_decref(j);
	for (size_t i = 0; i < b.n_epochs; i++)
		proc_result_release(&b.epochs[i]);
	return puts(text) < 0 ? 3 : b.n_wrong ? 1 : 0;
}
