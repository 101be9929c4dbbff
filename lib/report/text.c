// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - the body of a reply: first what it comes to, then what was done, then the
 * evidence, then how to repeat it. Prose is wrapped at 72, nothing is wider than 75 but
 * addresses and lines to copy.
 */
#include "base/base.h"

#include "report/failure.h"
#include "report/table.h"
#include "report/words.h"
#include <math.h>

#define PROSE       72
#define KEY_WIDTH   10
#define COMMIT_SHOW 12

struct text {
	struct arena *a;
	struct sbuf *b;
	const struct report *r;
	const struct report_input *in;
};

static void para(struct text *t, const char *text)
{
	words_wrap(t->b, "", "", text, PROSE);
	sbuf_addc(t->b, '\n');
}

/* "key       text ..." with a hanging indent; further texts of the key have key "". */
static void field(struct text *t, const char *key, const char *text)
{
	const char *first = arena_printf(t->a, "%-*s", KEY_WIDTH, key);

	words_wrap(t->b, first, "          ", text, PROSE);
}

/* Log lines and compiler messages: marked as not ours, complete. */
static void evidence(struct text *t, const char *line)
{
	words_wrap(t->b, "  | ", "  |     ", line, REPORT_WIDTH);
}

static const char *clean(struct text *t, const char *s, size_t max)
{
	return words_clean(t->a, s, max);
}

static const char *base_name(struct text *t)
{
	const struct report_input *in = t->in;

	if (!in->base_tree && !in->base_commit)
		return "no base";
	return arena_printf(t->a, "%s%s%.*s", clean(t, in->base_tree, 60),
		in->base_tree && in->base_commit ? " " : "", COMMIT_SHOW,
		in->base_commit ? clean(t, in->base_commit, 64) : "");
}

static const struct report_kernel *kernel_of(struct text *t, enum report_side side)
{
	for (size_t i = 0; i < t->in->n_builds; i++)
		if (t->in->builds[i].side == side)
			return &t->in->builds[i];
	return NULL;
}

static bool has_tier(const struct report_input *in, enum report_tier tier)
{
	for (size_t i = 0; i < in->n_machines; i++)
		if (in->machines[i].tier == tier)
			return true;
	for (size_t i = 0; i < in->n_measures; i++)
		if (in->measures[i].tier == tier)
			return true;
	return false;
}

/* ---- the first paragraph ---- */

static const char *kind_words(const char *kind)
{
	static const char *const words[][2] = {
		{"panic", "panics"},
		{"oops", "oopses"},
		{"warn", "warns"},
		{"lockdep", "shows a lockdep report"},
		{"kasan", "shows a KASAN report"},
		{"kcsan", "shows a KCSAN report"},
		{"rcu_stall", "shows an RCU stall"},
		{"soft_lockup", "shows a soft lockup"},
		{"hung_task", "shows a hung task"},
		{"oom", "runs out of memory"},
		{"reboot", "reboots by itself"},
		{"hang", "does not finish a boot"},
		{"load", "does not finish a load"},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i][0], kind) == 0)
			return words[i][1];
	return "shows a problem";
}

static const char *in_function(struct text *t, const struct report_failure *f)
{
	return f->function ? arena_printf(t->a, " in %s()", f->function) : "";
}

static void lead_broken(struct text *t)
{
	const struct report_failure *f = &t->r->failures[0];
	int n_new = t->r->counts[STATS_BROKEN];

	para(t, arena_printf(t->a,
			"with this series the kernel %s%s in %d of %s; without it in "
			"none of %d.%s",
			kind_words(f->kind), in_function(t, f), f->n_patched,
			words_count(t->a, f->of_patched, "boot"), f->of_base,
			n_new > 1 ? arena_printf(t->a, " %s more below.",
					    words_count(t->a, n_new - 1, "new failure"))
				  : ""));
}

/* Topologies on which both sides have a result. */
static size_t count_compared(const struct report_input *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n_topologies; i++) {
		bool has[2] = {false, false};

		for (size_t k = 0; k < in->n_boots; k++)
			if (in->boots[k].outcome != REPORT_BOOT_NONE &&
				strcmp(in->boots[k].topology, in->topologies[i].name) ==
					0)
				has[in->boots[k].side] = true;
		n += has[0] && has[1];
	}
	return n;
}

static const char *places(struct text *t)
{
	size_t n = count_compared(t->in), of = t->in->n_topologies;

	if (has_tier(t->in, REPORT_METAL))
		return words_count(t->a, (long)t->in->n_machines, "machine");
	if (of == 1)
		return "1 emulated topology";
	if (n == of)
		return arena_printf(t->a, "%zu emulated topologies", n);
	return arena_printf(t->a, "%zu of %zu emulated topologies", n, of);
}

static void lead_rows(struct text *t)
{
	static const enum stats_mark order[] = {
		STATS_WORSE, STATS_BETTER, STATS_SAME, STATS_INCONCLUSIVE};
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (!t->r->counts[order[i]] && order[i] == STATS_SAME)
			continue;
		sbuf_addf(&b, "%s%d %s%s", b.len ? ", " : "", t->r->counts[order[i]],
			stats_mark_word(order[i]), order[i] == STATS_SAME ? " > 1%" : "");
	}
	para(t, arena_printf(t->a, "base-vs-patched results on %s:", places(t)));
	sbuf_addf(t->b, "  %s\n\n", b.buf);
}

static bool has_gap(const struct report_input *in)
{
	for (size_t i = 0; i < in->n_boots; i++)
		if (in->boots[i].outcome == REPORT_BOOT_NONE)
			return true;
	return false;
}

static void lead_ok(struct text *t)
{
	if (t->in->n_boots == 0) {
		para(t, "this series applies and builds. It was not booted.");
		return;
	}
	para(t, arena_printf(t->a,
			"this series builds and boots on %s, with no panic or warning "
			"that base does not show.%s",
			places(t),
			has_gap(t->in) ? " Some planned boots have no result." : ""));
}

static void lead_unclear(struct text *t)
{
	const struct report_kernel *base = kernel_of(t, REPORT_BASE);
	const struct report_kernel *patched = kernel_of(t, REPORT_PATCHED);

	if (base && base->done && !base->ok)
		para(t, patched && patched->done && !patched->ok
				? "neither base nor this series builds here, so nothing "
				  "could be "
				  "compared. That is not held against the series."
				: "base does not build here, so nothing could be "
				  "compared. That "
				  "is not held against the series.");
	else if (t->in->n_boots == 0 && t->in->n_builds == 0)
		para(t, "this series applies. Nothing had to be built or run for it; the "
			"reason is below.");
	else
		para(t, "this series could not be tested to the end; what is missing, "
			"and why, is below.");
}

static void lead(struct text *t)
{
	const char *v = t->r->verdict;

	if (t->r->counts[STATS_BROKEN])
		lead_broken(t);
	else if (strcmp(v, "ok") == 0)
		lead_ok(t);
	else if (t->r->counts[STATS_WORSE] + t->r->counts[STATS_BETTER] +
			 t->r->counts[STATS_SAME] >
		 0)
		lead_rows(t);
	else
		lead_unclear(t);
}

/* ---- what was done ---- */

static const char *build_words(const struct report_kernel *k)
{
	return !k || !k->done ? "no result" : k->ok ? "ok" : "failed";
}

static void print_counts(struct text *t)
{
	int n[2], ok[2], shared = 0, planned[2] = {0, 0},
			 shown = t->r->counts[STATS_SHOWN];

	if (t->in->n_builds)
		field(t, "builds",
			arena_printf(t->a, "base %s, patched %s",
				build_words(kernel_of(t, REPORT_BASE)),
				build_words(kernel_of(t, REPORT_PATCHED))));
	for (size_t i = 0; i < t->in->n_boots; i++) {
		planned[t->in->boots[i].side]++;
		shared += t->in->boots[i].shared;
	}
	for (int side = 0; side < 2; side++)
		failure_count_boots(t->in, (enum report_side)side, &n[side], &ok[side]);
	if (t->in->n_boots)
		field(t, "boots",
			arena_printf(t->a, "base %d of %d ok, patched %d of %d ok%s",
				ok[REPORT_BASE], planned[REPORT_BASE], ok[REPORT_PATCHED],
				planned[REPORT_PATCHED],
				shared ? arena_printf(t->a,
						 "; %s of base shared with another "
						 "series",
						 words_count(t->a, shared, "boot"))
				       : ""));
	if (shown)
		field(t, "rows", arena_printf(t->a, "%d shown, not judged ('.')", shown));
}

static void print_design(struct text *t)
{
	const struct report_design *d = t->in->design;

	if (!d)
		return;
	field(t, "design",
		arena_printf(t->a,
			"%s of (1 boot base, 1 boot patched)%s, order drawn at random in "
			"each block, seed %s%s",
			words_count(t->a, d->k_blocks, "block"),
			t->in->n_topologies > 1 ? " on each topology" : "",
			clean(t, d->seed, 40),
			d->n_runs ? arena_printf(t->a,
					    "; %s of each row per boot after %d "
					    "warm-up; 0 runs dropped",
					    words_count(t->a, d->n_runs, "run"),
					    d->n_warmup)
				  : ""));
}

static void print_kernel(struct text *t)
{
	const char *parts[3];
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	size_t n = 0;

	if (t->in->arch)
		parts[n++] = clean(t, t->in->arch, 40);
	if (t->in->config)
		parts[n++] = clean(t, t->in->config, 200);
	if (t->in->compiler)
		parts[n++] = clean(t, t->in->compiler, 100);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "", parts[i]);
	if (n)
		field(t, "kernel", b.buf);
}

static void print_base(struct text *t)
{
	const struct report_input *in = t->in;

	if (in->base_tree || in->base_commit)
		field(t, "base",
			arena_printf(t->a, "%s%s", base_name(t),
				in->base_how ? arena_printf(t->a, " (%s)",
						       clean(t, in->base_how, 300))
					     : ""));
	if (t->r->kind != REPORT_DOES_NOT_APPLY)
		field(t, "patched",
			arena_printf(t->a, "base + %s%s",
				in->n_patches == 1
					? "1 patch"
					: arena_printf(t->a, "%d patches", in->n_patches),
				in->applied ? arena_printf(t->a, "; %s",
						      clean(t, in->applied, 300))
					    : ""));
}

static void print_facts(struct text *t)
{
	const struct report_input *in = t->in;

	print_base(t);
	for (size_t i = 0; i < in->n_machines; i++)
		field(t, i ? "" : "machine",
			arena_printf(t->a, "%s (%s): %s",
				clean(t, in->machines[i].name, 60),
				report_tier_name(in->machines[i].tier),
				clean(t, in->machines[i].text, 300)));
	for (size_t i = 0; i < in->n_topologies; i++)
		field(t, i ? "" : "topology",
			arena_printf(t->a, "%s: %s", clean(t, in->topologies[i].name, 60),
				clean(t, in->topologies[i].text, 200)));
	print_kernel(t);
	print_design(t);
	print_counts(t);
	sbuf_addc(t->b, '\n');
}

/* ---- the evidence ---- */

/* Rows of a table: "boot  TOPOLOGY  what it shows !". */
static void print_broken_rows(struct text *t, const struct report_failure *f)
{
	const char *what = arena_printf(t->a, "%s%s", f->kind, in_function(t, f));

	for (size_t i = 0; i < f->n_topologies; i++) {
		const char *row = arena_printf(t->a, "%-15s %-11s %s", "boot",
			clean(t, f->topologies[i], 40), what);

		sbuf_addf(t->b, "%s !\n", clean(t, row, REPORT_WIDTH - 2));
	}
}

static void print_failure(struct text *t, const struct report_failure *f)
{
	const char *counts = arena_printf(t->a,
		"%d of %s with the series, %d of %d without", f->n_patched,
		words_count(t->a, f->of_patched, "boot"), f->n_base, f->of_base);

	if (f->is_new)
		print_broken_rows(t, f);
	else
		words_wrap(t->b, "", "    ",
			arena_printf(t->a, "%s%s on %s", f->kind, in_function(t, f),
				clean(t, words_list(t->a, f->topologies, f->n_topologies),
					400)),
			PROSE);
	sbuf_addf(t->b, "  %s\n", counts);
	for (size_t i = 0; i < f->n_lines; i++)
		evidence(t, f->lines[i]);
	if (f->log_url)
		sbuf_addf(t->b, "  log: %s\n", clean(t, f->log_url, 900));
	sbuf_addc(t->b, '\n');
}

static void print_failures(struct text *t)
{
	size_t n_new = (size_t)t->r->counts[STATS_BROKEN];

	for (size_t i = 0; i < t->r->n_failures; i++) {
		if (i == 0 && n_new)
			sbuf_adds(t->b, "Broken (no base boot shows it):\n\n");
		if (i == n_new)
			para(t, "Seen, and not held against the series (base shows it "
				"too, it did not repeat, or there is no base boot to "
				"compare with):");
		print_failure(t, &t->r->failures[i]);
	}
}

static const char *q_text(struct arena *a, double q)
{
	return q < 0.001 ? "q=<.001" : arena_printf(a, "q=%.3f", q);
}

static void print_judged(struct text *t, enum stats_mark mark, const char *title)
{
	bool first = true;

	for (size_t i = 0; i < t->r->n_sections; i++) {
		const struct report_section *s = &t->r->sections[i];

		for (size_t k = 0; k < s->n_rows; k++) {
			const struct report_row *row = &s->rows[k];
			const struct stats_row *x = &row->stats;
			const char *loss;

			if (x->mark != mark)
				continue;
			if (first)
				sbuf_addf(t->b, "%s:\n", title);
			first = false;
			loss = x->loss_excluded_pct > 0
				       ? arena_printf(t->a, "loss > %.1f%% excluded",
						 x->loss_excluded_pct)
				       : "any loss excluded";
			words_wrap(t->b, "  ", "      ",
				mark == STATS_INCONCLUSIVE
					? arena_printf(t->a, "%s %s %s  %s%s%s", s->bench,
						  row->case_, row->load ? row->load : "",
						  loss, x->reason ? "; " : "",
						  x->reason ? x->reason : "")
					: arena_printf(t->a,
						  "%s %s %s  %s%% [%s, %s]  %s", s->bench,
						  row->case_, row->load ? row->load : "",
						  table_pct(t->a, x->effect_pct),
						  table_pct(t->a, x->ci95_pct[0]),
						  table_pct(t->a, x->ci95_pct[1]),
						  q_text(t->a, x->q)),
				REPORT_WIDTH);
		}
	}
	if (!first)
		sbuf_addc(t->b, '\n');
}

static void print_legend(struct text *t)
{
	bool judged = has_tier(t->in, REPORT_METAL);

	if (t->r->n_sections == 0)
		return;
	para(t, arena_printf(t->a,
			"compare%% > 0 is better on every row (times: base/patched - 1). "
			"std%% is between boots, not between runs of one boot.%s%s",
			t->r->counts[STATS_SHOWN] ? " '.' shown, not judged: times of "
						    "emulated machines are no "
						    "evidence of speed."
						  : "",
			judged ? " B better, W worse: false discovery rate 5% over all "
				 "judged "
				 "rows (Benjamini-Hochberg), so a CI that misses 0 can "
				 "still be "
				 "'?'. = the 90% CI lies within +-1%. ? neither."
			       : ""));
}

static void print_missing(struct text *t)
{
	if (t->r->n_missing == 0 && t->r->n_notes == 0)
		return;
	if (t->r->n_missing) {
		sbuf_adds(t->b, "No result:\n");
		for (size_t i = 0; i < t->r->n_missing; i++)
			words_wrap(t->b, "  ", "    ",
				arena_printf(t->a, "%s: %s", t->r->missing[i].what,
					t->r->missing[i].why),
				PROSE);
		sbuf_addc(t->b, '\n');
	}
	for (size_t i = 0; i < t->r->n_notes; i++)
		words_wrap(
			t->b, "Note: ", "      ", clean(t, t->r->notes[i], 400), PROSE);
	if (t->r->n_notes)
		sbuf_addc(t->b, '\n');
}

/* ---- how to repeat it ---- */

static void print_loads(struct text *t)
{
	const char *last = NULL;

	for (size_t i = 0; i < t->in->n_measures; i++) {
		const char *c = t->in->measures[i].command;
		bool told = false;

		for (size_t k = 0; k < i && c && !told; k++)
			told = t->in->measures[k].command &&
			       strcmp(t->in->measures[k].command, c) == 0;
		if (!c || told)
			continue;
		if (!last)
			sbuf_adds(t->b, "and in the guest:\n");
		last = c;
		sbuf_addf(t->b, "  %s\n", clean(t, c, 900));
	}
}

static void print_repeat(struct text *t)
{
	const struct report_input *in = t->in;
	size_t from = t->b->len;

	for (size_t i = 0; i < in->n_repeat; i++)
		sbuf_addf(t->b, "  %s\n", clean(t, in->repeat[i], 900));
	if (t->r->kind == REPORT_RESULT) {
		for (size_t i = 0; i < in->n_topologies; i++)
			if (in->topologies[i].command && in->n_boots)
				sbuf_addf(t->b, "  %s\n",
					clean(t, in->topologies[i].command, 900));
		print_loads(t);
	}
	if (t->b->len > from) {
		CLEANUP(sbuf_release) struct sbuf lines = SBUF_INIT;

		sbuf_adds(&lines, t->b->buf + from);
		sbuf_setlen(t->b, from);
		sbuf_addf(t->b, "To repeat it:\n%s\n", lines.buf);
	}
	if (in->config_url)
		sbuf_addf(t->b, "config: %s\n", clean(t, in->config_url, 900));
	if (in->url)
		sbuf_addf(t->b, "raw output and logs: %s\n", clean(t, in->url, 900));
}

static void print_footer(struct text *t)
{
	if (t->in->contact)
		words_wrap(t->b, "", "",
			arena_printf(t->a, "Is this wrong? Please tell %s.",
				clean(t, t->in->contact, 200)),
			PROSE);
	sbuf_addf(t->b, "-- \nwakelist (method v1%s)\n",
		t->in->can_opt_out ? "; stop these mails: reply 'wakelist stop'" : "");
}

/* ---- the other two kinds ---- */

/* The base of an attempt in words; what is no name of ours stays as it is. */
static const char *attempt_how(struct text *t, const char *how)
{
	static const struct {
		const char *name, *words;
	} all[] = {
		{"explicit", "the base that was asked for"},
		{"base-commit", "base-commit of the mail"},
		{"previous", "base of the previous version"},
		{"blobs", "has the files as the patch knows them"},
		{"prefix", "named in the subject"},
		{"list", "the list's tree"},
		{"tag", "newest release before the mail"},
		{"partial-blobs", "has most files as the patch knows them"},
		{"prerequisites", "what the series builds on"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (strcmp(how, all[i].name) == 0)
			return all[i].words;
	return clean(t, how, 200);
}

/* Why an attempt failed, unless it is the failure that was told just before. */
static const char *attempt_why(struct text *t, const char *why)
{
	const struct report_conflict *c = t->in->conflict;
	size_t len = strlen(why), tail = c && c->reason ? strlen(c->reason) : 0;

	if (tail && len >= tail && strcmp(why + len - tail, c->reason) == 0)
		return "stops as above";
	return clean(t, why, 300);
}

/* "hunk 1 of 2 expects": the line above says which hunk. */
static const char *conflict_reason(struct text *t, const struct report_conflict *c)
{
	const char *hunk = arena_printf(t->a, "hunk %d of %d ", c->hunk, c->n_hunks);
	size_t len = strlen(hunk);

	return clean(t, strncmp(c->reason, hunk, len) ? c->reason : c->reason + len, 400);
}

/* What was tried may be a name, or the id of a mail: its reason says it in full. */
static bool is_commit(const char *s)
{
	return s && *s && strspn(s, "0123456789abcdef") == strlen(s);
}

static void print_attempts(struct text *t)
{
	if (t->in->n_attempts == 0)
		return;
	sbuf_adds(t->b, "Bases tried:\n");
	for (size_t i = 0; i < t->in->n_attempts; i++) {
		const struct report_attempt *x = &t->in->attempts[i];

		words_wrap(t->b, "  ", "    ",
			arena_printf(t->a, "%s%s%.*s (%s)%s%s", clean(t, x->tree, 60),
				is_commit(x->commit) ? " " : "", COMMIT_SHOW,
				is_commit(x->commit) ? x->commit : "",
				attempt_how(t, x->how), x->why ? ": " : "",
				x->why ? attempt_why(t, x->why) : ""),
			PROSE);
	}
	sbuf_addc(t->b, '\n');
}

static void not_apply(struct text *t)
{
	const struct report_conflict *c = t->in->conflict;
	const char *patch = c->patch_n == 0    ? "a patch that it builds on"
			    : c->n_patches > 1 ? arena_printf(t->a, "patch %d/%d",
							 c->patch_n, c->n_patches)
					       : "the patch";
	const char *place = c->file ? clean(t, c->file, 120) : "";

	if (c->hunk > 0)
		place = arena_printf(
			t->a, "%s, hunk %d of %d", place, c->hunk, c->n_hunks);
	para(t, arena_printf(t->a,
			"this series does not apply to any base that wakelist knows. It "
			"stops at %s, \"%s\":",
			patch, clean(t, c->title, 200)));
	if (*place)
		words_wrap(t->b, "  ", "  ", place, PROSE);
	if (c->header)
		sbuf_addf(t->b, "  %s\n", clean(t, c->header, REPORT_WIDTH - 2));
	if (c->reason)
		words_wrap(t->b, "  ", "  ", conflict_reason(t, c), PROSE);
	sbuf_addc(t->b, '\n');
	if (c->n_closest) {
		sbuf_adds(t->b, "The closest place in that file (- wanted, + found):\n");
		for (size_t i = 0; i < c->n_closest && i < 12; i++)
			sbuf_addf(t->b, "> %s\n",
				clean(t, c->closest[i], REPORT_WIDTH - 2));
		sbuf_addc(t->b, '\n');
	}
	print_attempts(t);
	para(t, "If it is meant for another base, a \"base-commit:\" line in the next "
		"version (git format-patch --base=auto) names it for everyone. Or have "
		"it tried on a base you name:");
	sbuf_addf(t->b, "  wakelist submit %s --base REV\n\n",
		clean(t, t->in->message_id, 900));
	print_repeat(t);
}

/* Nothing to build, then. */
static void in_base(struct text *t)
{
	const char *since = t->in->applied ? clean(t, t->in->applied, 300) : NULL;

	para(t, arena_printf(t->a,
			"this series is already in %s, every patch of it%s%s. Nothing "
			"was "
			"built.",
			base_name(t), since ? ": " : "", since ? since : ""));
	print_attempts(t);
	para(t, "If something of it is meant to be new, please look at what the base "
		"has. Or have it tried on a base you name:");
	sbuf_addf(t->b, "  wakelist submit %s --base REV\n\n",
		clean(t, t->in->message_id, 900));
	print_repeat(t);
}

static void not_build(struct text *t)
{
	const struct report_kernel *k = kernel_of(t, REPORT_PATCHED);
	size_t n = k ? k->n_errors : 0;

	para(t, arena_printf(t->a,
			"this series applies to %s and does not build there. Base alone "
			"builds with the same config and compiler.",
			base_name(t)));
	for (size_t i = 0; i < n && i < 8; i++)
		evidence(t, clean(t, k->errors[i], 600));
	if (k && k->n_errors_total > (int)n)
		sbuf_addf(t->b, "  (the first %zu of %d errors)\n", n, k->n_errors_total);
	if (n)
		sbuf_addc(t->b, '\n');
	print_base(t);
	print_kernel(t);
	sbuf_addc(t->b, '\n');
	print_missing(t);
	print_repeat(t);
}

/* Why base does not build: shown, since nothing else can be. */
static void print_base_errors(struct text *t)
{
	const struct report_kernel *k = kernel_of(t, REPORT_BASE);

	if (!k || !k->done || k->ok)
		return;
	for (size_t i = 0; i < k->n_errors && i < 3; i++)
		evidence(t, clean(t, k->errors[i], 600));
	if (k->n_errors)
		sbuf_addc(t->b, '\n');
}

static void result(struct text *t)
{
	lead(t);
	print_base_errors(t);
	print_facts(t);
	print_failures(t);
	print_judged(t, STATS_WORSE, "Worse");
	print_judged(t, STATS_BETTER, "Better");
	print_judged(t, STATS_INCONCLUSIVE,
		"Inconclusive (too noisy to say better, worse or within 1%)");
	for (size_t i = 0; i < t->r->n_sections; i++)
		table_print(t->a, t->b, &t->r->sections[i]);
	print_legend(t);
	print_missing(t);
	print_repeat(t);
}

const char *report_text(struct arena *a, const struct report *r)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	struct text t = {a, &b, r, r->in};

	sbuf_adds(&b, "Hi,\n\n");
	switch (r->kind) {
	case REPORT_RESULT:
		result(&t);
		break;
	case REPORT_DOES_NOT_APPLY:
		not_apply(&t);
		break;
	case REPORT_IN_BASE:
		in_base(&t);
		break;
	case REPORT_DOES_NOT_BUILD:
		not_build(&t);
		break;
	}
	print_footer(&t);
	return arena_strndup(a, b.buf, b.len);
}
