/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_mail EPOCH.git [N]: CPU time of reading and assembling an epoch, against git on
 * the same mails, in one run on one core.
 * bench_mail --stream N [AUTHORS]: memory of an archive of N made-up mails, never in
 * memory at once, by series_stream as `mail series` does it; --held N [AUTHORS] by one
 * series_assemble.
 *
 * CPU time is user and system, of this process and of the git that it waits for. Text on
 * standard error, JSON on standard output; it names the machine and the corpus.
 */
#include "base/base.h"

#include "base/clock.h"
#include "base/jx.h"
#include "base/proc.h"
#include "base/sha256.h"
#include "mail/assemble.h"
#include "mail/stream.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ROUNDS  3   /* the best of them counts, on either side */
#define SAMPLE  300 /* mails that go through a git mailinfo of their own */
#define OUT_CAP ((size_t)2 << 30)
#define AUTHORS 997
#define BATCH   8 /* mails of a made-up series, cover and a reply included */

struct text {
	const char *p;
	size_t len;
	int64_t received_at;
};

struct corpus {
	struct proc_result blobs;
	struct text *v;
	size_t n, n_bytes;
	struct sbuf requests; /* for cat-file --batch */
	const char *dir;      /* "--git-dir=..." */
	char sha256[SHA256_HEX];
};

struct kept {
	struct arena *facts, *scratch;
	const struct mail **mails;
	size_t n, cap;
};

static _Noreturn void die(const char *what, const struct err *e)
{
	fprintf(stderr, "bench_mail: %s: %s\n", what, e ? e->msg : "failed");
	exit(3);
}

static void git(
	const char *const *argv, const void *in, size_t len, struct proc_result *r)
{
	struct proc_spec spec = {
		.argv = argv, .in = in, .in_len = len, .out_cap_bytes = OUT_CAP};
	struct err e;

	if (proc_run(&spec, r, &e))
		die(argv[0], &e);
	if (r->out_cut)
		die("the epoch is too big for this program", NULL);
}

static int64_t max_rss_bytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (int64_t)u.ru_maxrss * 1024;
}

/* --- the corpus --- */

static void list_commits(
	struct corpus *c, struct arena *a, int64_t **ret_times, size_t *ret_n)
{
	const char *argv[] = {
		"git", c->dir, "rev-list", "--reverse", "--timestamp", "--all", NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	size_t cap = 0;

	proc_result_init(&r);
	git(argv, NULL, 0, &r);
	for (const char *p = r.out.buf; *p; p += strcspn(p, "\n") + 1) {
		char *id;

		*ARENA_PUSH(a, *ret_times, *ret_n, cap) = strtoll(p, &id, 10);
		sbuf_addf(&c->requests, "%.*s:m\n", (int)strcspn(id + 1, "\n"), id + 1);
	}
}

static void cut_answers(struct corpus *c, struct arena *a, const int64_t *times)
{
	const char *p = c->blobs.out.buf, *end = p + c->blobs.out.len;
	size_t cap = 0;

	for (size_t i = 0; p < end; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *blob = memmem(p, (size_t)(nl - p), " blob ", 6);

		p = nl + 1;
		if (!blob)
			continue; /* a deletion */
		size_t len = strtoul(blob + 6, NULL, 10);
		*ARENA_PUSH(a, c->v, c->n, cap) = (struct text){p, len, times[i]};
		c->n_bytes += len;
		p += len + 1;
	}
}

/* Returns the CPU time of git cat-file --batch, the best of ROUNDS. */
static int64_t load(struct corpus *c, struct arena *a, const char *epoch)
{
	int64_t *times = NULL, best = INT64_MAX;
	size_t n = 0;

	c->dir = arena_printf(a, "--git-dir=%s", epoch);
	sbuf_init(&c->requests);
	proc_result_init(&c->blobs);
	list_commits(c, a, &times, &n);
	const char *argv[] = {"git", c->dir, "cat-file", "--batch", NULL};
	for (int i = 0; i < ROUNDS; i++) {
		git(argv, c->requests.buf, c->requests.len, &c->blobs);
		if (c->blobs.cpu_ns < best)
			best = c->blobs.cpu_ns;
	}
	cut_answers(c, a, times);
	if (!c->n)
		die("no mail in the epoch", NULL);
	sha256_hex(c->blobs.out.buf, c->blobs.out.len, c->sha256);
	return best;
}

/* --- ours --- */

static void keep(struct kept *k, const char *p, size_t len, int64_t received_at)
{
	struct mail_opts opts = {.received_at = received_at};
	struct mail *m;
	struct err e;

	if (mail_parse(k->scratch, p, len, &opts, &m, &e) == 0)
		*(const struct mail **)ARENA_PUSH(k->facts, k->mails, k->n, k->cap) =
			mail_digest(k->facts, m);
	arena_reset(k->scratch);
}

struct ours {
	int64_t parse_ns, assemble_ns;
	size_t n_series, facts_bytes;
};

static void read_all(const struct corpus *c, struct ours *ret)
{
	CLEANUP(arena_freep) struct arena *facts = arena_new();
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	struct kept k = {.facts = facts, .scratch = scratch};
	struct series_set set;
	struct err e;
	int64_t start = clock_cpu_ns(), middle;

	for (size_t i = 0; i < c->n; i++)
		keep(&k, c->v[i].p, c->v[i].len, c->v[i].received_at);
	middle = clock_cpu_ns();
	ret->facts_bytes = arena_used_bytes(facts);
	if (series_assemble(facts, k.mails, k.n, &set, &e))
		die("assembly", &e);
	ret->parse_ns = middle - start;
	ret->assemble_ns = clock_cpu_ns() - middle;
	ret->n_series = set.n_series;
}

static int count_bytes(void *arg, const char *text, size_t len, struct err *e)
{
	(void)text;
	(void)e;
	*(size_t *)arg += len;
	return 0;
}

static void add(struct series_stream *s, struct arena *scratch, const char *p, size_t len,
	int64_t received_at)
{
	struct mail_opts opts = {.received_at = received_at};
	struct mail *m;
	struct err e;

	if (mail_parse(scratch, p, len, &opts, &m, &e) == 0 &&
		series_stream_add(s, m, &e))
		die("stream", &e);
	arena_reset(scratch);
}

/* CPU time of the same, and the JSON, as mail series does it; the best of ROUNDS. */
static int64_t best_streamed(const struct corpus *c)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		CLEANUP(arena_freep) struct arena *scratch = arena_new();
		CLEANUP(series_stream_freep)
		struct series_stream *s = series_stream_new(NULL);
		int64_t start = clock_cpu_ns();
		size_t n = 0;
		struct err e;

		for (size_t k = 0; k < c->n; k++)
			add(s, scratch, c->v[k].p, c->v[k].len, c->v[k].received_at);
		if (series_stream_write(s, NULL, count_bytes, &n, &e))
			die("stream", &e);
		if (clock_cpu_ns() - start < best)
			best = clock_cpu_ns() - start;
	}
	return best;
}

static struct ours best_of_ours(const struct corpus *c)
{
	struct ours best = {.parse_ns = INT64_MAX / 2}, one;

	for (int i = 0; i < ROUNDS; i++) {
		read_all(c, &one);
		if (one.parse_ns + one.assemble_ns < best.parse_ns + best.assemble_ns)
			best = one;
	}
	return best;
}

/* --- git mailinfo, a process a mail --- */

static double mailinfo_ns_each(const struct corpus *c, size_t n)
{
	const char *argv[] = {"git", "mailinfo", "/dev/null", "/dev/null", NULL};
	int64_t sum = 0;

	n = n < c->n ? n : c->n;
	for (size_t i = 0; i < n; i++) {
		const struct text *t = &c->v[i * c->n / n];
		CLEANUP(proc_result_release) struct proc_result r;

		proc_result_init(&r);
		git(argv, t->p, t->len, &r);
		sum += r.cpu_ns;
	}
	return (double)sum / (double)n;
}

static json_t *machine(void)
{
	struct utsname u;

	uname(&u);
	return jx_pack("{s:s, s:s, s:i}", "kernel", u.release, "arch", u.machine, "cpus",
		(int)sysconf(_SC_NPROCESSORS_ONLN));
}

static int print(json_t *j)
{
	CLEANUP(base_freep) char *text = jx_dump(j);

	json_decref(j);
	return puts(text) < 0 ? 3 : 0;
}

static int bench_epoch(const char *epoch, size_t sample)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct corpus c = {0};
	double raw = (double)load(&c, a, epoch);
	struct ours o = best_of_ours(&c);
	double ours = (double)(o.parse_ns + o.assemble_ns), n = (double)c.n;
	double streamed = (double)best_streamed(&c);
	double each = mailinfo_ns_each(&c, sample);
	double alone = raw / ours, whole = raw / (raw + ours), times = each * n / ours;
	json_t *j;

	fprintf(stderr,
		"%s: %zu mails, %.1f MB, sha256 %.16s\n"
		"git cat-file --batch        %8.1f us a mail\n"
		"parse, hashes, facts kept   %8.1f us a mail\n"
		"assemble, %6zu series     %8.1f us a mail\n"
		"all of it streamed, JSON    %8.1f us a mail, %.2f of cat-file's rate\n"
		"git mailinfo, one process   %8.1f us a mail\n"
		"parse and assemble: %.2f of cat-file's rate (goal 0.40, floor 0.25); "
		"reading by it included %.2f\n"
		"against git mailinfo: %.0f times (floor 20)\n"
		"facts kept: %zu bytes a mail\n",
		epoch, c.n, (double)c.n_bytes / 1e6, c.sha256, raw / n / 1e3,
		(double)o.parse_ns / n / 1e3, o.n_series, (double)o.assemble_ns / n / 1e3,
		streamed / n / 1e3, raw / streamed, each / 1e3, alone, whole, times,
		o.facts_bytes / c.n);
	j = jx_pack("{s:s, s:o, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
		    "s:I, s:f}",
		"bench", "mail", "machine", machine(), "corpus_sha256", c.sha256, "mails",
		(json_int_t)c.n, "bytes", (json_int_t)c.n_bytes, "series",
		(json_int_t)o.n_series, "cat_file_ns", raw / n, "parse_ns",
		(double)o.parse_ns / n, "assemble_ns", (double)o.assemble_ns / n,
		"mailinfo_ns", each, "rate_of_cat_file", alone,
		"rate_of_cat_file_with_reading", whole, "times_mailinfo", times,
		"facts_bytes", (json_int_t)(o.facts_bytes / c.n), "streamed_ns",
		streamed / n);
	proc_result_release(&c.blobs);
	sbuf_release(&c.requests);
	int rc = print(j);
	return rc ? rc : raw / streamed >= 0.25 && times >= 20 ? 0 : 1;
}

/* --- an archive of any size --- */

/* Mail i of so many authors, who take turns: series of BATCH mails, an hour apart. */
static void make_mail(struct sbuf *s, size_t i, size_t authors)
{
	size_t series = i / BATCH, part = i % BATCH, total = BATCH - 2;
	int64_t at = INT64_C(1000000000) + (int64_t)series * 3600 + (int64_t)part * 20;
	char when[32];

	sbuf_reset(s);
	sbuf_addf(s,
		"From: Writer %zu <w%zu@example.org>\nDate: %s\nMessage-ID: "
		"<%zu.%zu.demo@example.org>\n",
		series % authors, series % authors,
		clock_format_utc(at, when, sizeof(when)), series, part);
	if (part)
		sbuf_addf(s, "In-Reply-To: <%zu.0.demo@example.org>\n", series);
	if (part <= total)
		sbuf_addf(s, "Subject: [PATCH %zu/%zu] demo: step %zu of %zu\n\n", part,
			total, part, series);
	else
		sbuf_addf(s, "Subject: Re: [PATCH 0/%zu] demo: step 0 of %zu\n\n", total,
			series);
	sbuf_adds(s, "A few words that say why.\n\nSigned-off-by: Writer "
		     "<w@example.org>\n");
	if (part && part <= total)
		sbuf_addf(s,
			"---\n demo.c | 1 +\n 1 file changed, 1 insertion(+)\n\n"
			"diff --git a/demo.c b/demo.c\nindex 1111111..2222222 100644\n"
			"--- a/demo.c\n+++ b/demo.c\n@@ -1,2 +1,3 @@\n a\n+%zu\n b\n",
			i);
}

static int64_t made_at(size_t i)
{
	return INT64_C(1000000000) + (int64_t)(i / BATCH) * 3600;
}

static int bench_stream(size_t n, size_t authors)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	CLEANUP(series_stream_freep) struct series_stream *s = series_stream_new(NULL);
	struct series_stream_stats stats;
	int64_t read, peak, start = clock_cpu_ns();
	size_t bytes = 0;
	struct err e;

	for (size_t i = 0; i < n; i++) {
		make_mail(&text, i, authors);
		add(s, scratch, text.buf, text.len, made_at(i));
	}
	read = max_rss_bytes();
	if (series_stream_write(s, NULL, count_bytes, &bytes, &e))
		die("stream", &e);
	double cpu_s = (double)(clock_cpu_ns() - start) / 1e9;
	peak = max_rss_bytes();
	series_stream_stats(s, &stats);
	fprintf(stderr,
		"%zu made-up mails in %.1f s CPU: %.0f MB when read, %.0f MB at most; "
		"%zu groups, the largest of %zu mails and %.1f MB; %.0f MB in "
		"temporary files; %.0f MB of JSON\n",
		n, cpu_s, (double)read / 1e6, (double)peak / 1e6, stats.groups,
		stats.largest_mails, (double)stats.largest_bytes / 1e6,
		(double)stats.spooled_bytes / 1e6, (double)bytes / 1e6);
	return print(jx_pack("{s:s, s:o, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I}",
		"bench", "mail_stream", "machine", machine(), "mails", (json_int_t)n,
		"cpu_s", cpu_s, "read_rss_bytes", (json_int_t)read, "peak_rss_bytes",
		(json_int_t)peak, "groups", (json_int_t)stats.groups, "largest_mails",
		(json_int_t)stats.largest_mails, "largest_bytes",
		(json_int_t)stats.largest_bytes, "spooled_bytes",
		(json_int_t)stats.spooled_bytes));
}

static int bench_held(size_t n, size_t authors)
{
	CLEANUP(arena_freep) struct arena *facts = arena_new();
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct kept k = {.facts = facts, .scratch = scratch};
	struct series_set set;
	struct err e;
	int64_t before = max_rss_bytes(), read, start = clock_cpu_ns();

	for (size_t i = 0; i < n; i++) {
		make_mail(&text, i, authors);
		keep(&k, text.buf, text.len, made_at(i));
	}
	read = max_rss_bytes();
	if (series_assemble(facts, k.mails, k.n, &set, &e))
		die("assembly", &e);
	double s = (double)(clock_cpu_ns() - start) / 1e9;
	int64_t peak = max_rss_bytes();
	fprintf(stderr,
		"%zu made-up mails, %zu series in %.1f s CPU: %.0f MB when read, %.0f MB "
		"when assembled, %.0f bytes a mail\n",
		n, set.n_series, s, (double)read / 1e6, (double)peak / 1e6,
		(double)(peak - before) / (double)n);
	return print(jx_pack("{s:s, s:o, s:I, s:I, s:f, s:I, s:I}", "bench", "mail_held",
		"machine", machine(), "mails", (json_int_t)n, "series",
		(json_int_t)set.n_series, "cpu_s", s, "read_rss_bytes", (json_int_t)read,
		"peak_rss_bytes", (json_int_t)peak));
}

int main(int argc, char **argv)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
	bool stream = argc > 2 && !strcmp(argv[1], "--stream");
	size_t authors = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	authors = authors ? authors : AUTHORS;
	if (stream && argc <= 4)
		return bench_stream(strtoul(argv[2], NULL, 10), authors);
	if (argc > 2 && argc <= 4 && !strcmp(argv[1], "--held"))
		return bench_held(strtoul(argv[2], NULL, 10), authors);
	if (argc == 2 || argc == 3)
		return bench_epoch(
			argv[1], argc == 3 ? strtoul(argv[2], NULL, 10) : SAMPLE);
	fprintf(stderr, "usage: bench_mail EPOCH.git [SAMPLE] | bench_mail "
			"--stream|--held N [AUTHORS]\n");
	return 2;
}
