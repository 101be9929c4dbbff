// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "plan/why.h"
#include "topo/topo.h"

#define NAMES_SHOWN 3  /* of one aspect; the rest is counted */
#define NAME_BYTES  80 /* of a function or file in a sentence */

static const struct {
	const char *label;
	const char *clause; /* after "FUNCTION changed, and " */
} aspects[TOUCH_N_ASPECTS] = {
	[TOUCH_WAKE_PATH] = {"wake path", "every wakeup goes that way"},
	[TOUCH_WAKELIST_IPI] = {"wakelist", "wakeups reach other CPUs that way"},
	[TOUCH_IDLE_SCAN] = {"idle scan", "wakeups look for an idle CPU that way"},
	[TOUCH_CLUSTER] = {"clusters", "near CPUs are told from far ones that way"},
	[TOUCH_NEWIDLE] = {"newidle", "CPUs that fall idle pull tasks that way"},
	[TOUCH_LOAD_BALANCE] = {"load balance", "load moves between domains that way"},
	[TOUCH_TOPOLOGY] = {"topology", "domains are built that way in every boot"},
	[TOUCH_FEATURES] = {"features", "switches of the scheduler differ in every boot"},
	[TOUCH_FAIR_CLASS] = {"fair class", "fair tasks are queued and picked that way"},
	[TOUCH_PELT] = {"load tracking", "the load of every task is tracked that way"},
	[TOUCH_IDLE_STATES] = {"idle states", "idle CPUs wait that way"},
	[TOUCH_DOCS] = {"documentation", "nothing is compiled differently"},
};

/* ---- what is touched ---- */

static bool has(enum touch_built built, const char *arch)
{
	return built == TOUCH_BUILT_ALL || built == TOUCH_BUILT_SCHED ||
	       (built != TOUCH_BUILT_NONE && strcmp(touch_built_name(built), arch) == 0);
}

struct why *why_make(struct arena *a, const struct touch *t, const char *arch)
{
	struct why *w = ARENA_NEW(a, struct why);

	for (size_t i = 0; i < t->n_files; i++) {
		const struct touch_path *f = &t->files[i];
		bool sched = f->built == TOUCH_BUILT_SCHED;

		if (has(f->built, arch) && (!w->path || (sched && !w->sched))) {
			w->path = f->path;
			w->sched = sched;
		}
	}
	for (size_t i = 0; i < t->n_aspects; i++) {
		const struct touch_aspect *as = &t->aspects[i];
		bool here = false;

		for (size_t k = 0; k < as->n_why; k++)
			here = here || has(as->why[k].built, arch);
		if (here && as->id != TOUCH_DOCS)
			w->aspects[w->n_aspects++] = as;
	}
	w->sched = w->sched || w->n_aspects;
	return w;
}

/* One thing that a sentence names, and what became of it. */
struct named {
	const char *text;
	enum touch_change change;
};

static const char *printable(struct arena *a, const char *name, const char *behind)
{
	char *s = arena_printf(a, "%.*s%s", NAME_BYTES, name, behind);

	for (char *c = s; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			*c = '?';
	return s;
}

static const struct touch_symbol *find_symbol(
	const struct touch_line *l, const struct touch_symbol *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].name, l->function) == 0 &&
			strcmp(v[i].path, l->path) == 0)
			return &v[i];
	return NULL;
}

static struct named name_of(
	struct arena *a, const struct touch *t, const struct touch_line *l)
{
	const struct touch_symbol *s;

	if (!l->function)
		return (struct named){printable(a, l->path, ""), TOUCH_CHANGED};
	s = find_symbol(l, t->functions, t->n_functions);
	if (!s)
		s = find_symbol(l, t->types, t->n_types);
	return (struct named){
		printable(a, l->function, !s || s->kind == TOUCH_FUNCTION ? "()" : ""),
		s ? s->change : TOUCH_CHANGED};
}

/* Functions, macros, types; the file only where no line is in one. Each once. */
static size_t collect(struct arena *a, const struct touch *t,
	const struct touch_aspect *as, struct named *ret)
{
	bool any_function = false;
	size_t n = 0;

	for (size_t i = 0; i < as->n_why; i++)
		any_function = any_function || as->why[i].function;
	for (size_t i = 0; i < as->n_why; i++) {
		struct named x;
		size_t k = 0;

		if (any_function && !as->why[i].function)
			continue;
		x = name_of(a, t, &as->why[i]);
		while (k < n && strcmp(ret[k].text, x.text) != 0)
			k++;
		if (k == n)
			ret[n++] = x;
	}
	return n;
}

static size_t count_of(const struct named *v, size_t n, enum touch_change change)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += v[i].change == change;
	return found;
}

/* "a(), b() and c() changed", at most n_most of them. */
static size_t add_group(struct sbuf *b, const struct named *v, size_t n, size_t n_most,
	enum touch_change change)
{
	size_t of = count_of(v, n, change), k = 0;

	of = of < n_most ? of : n_most;
	for (size_t i = 0; i < n && k < of; i++)
		if (v[i].change == change) {
			sbuf_addf(b, "%s%s",
				!k            ? ""
				: k + 1 == of ? " and "
					      : ", ",
				v[i].text);
			k++;
		}
	if (of)
		sbuf_addf(b, " %s", touch_change_name(change));
	return of;
}

/* "a() and b() changed, c() added, 4 more" */
static void add_names(struct sbuf *b, const struct named *v, size_t n)
{
	size_t shown = 0;

	for (int change = TOUCH_CHANGED; change <= TOUCH_RENAMED; change++) {
		size_t before = b->len, n_added;

		if (shown)
			sbuf_adds(b, ", ");
		n_added = add_group(
			b, v, n, NAMES_SHOWN - shown, (enum touch_change)change);
		if (!n_added)
			sbuf_setlen(b, before);
		shown += n_added;
	}
	if (shown < n)
		sbuf_addf(b, ", %zu more", n - shown);
}

static void add_aspect(struct arena *a, struct sbuf *b, const struct touch *t,
	const struct touch_aspect *as)
{
	struct named names[TOUCH_LINES_MAX];

	sbuf_addf(b, "%s: ", aspects[as->id].label);
	add_names(b, names, collect(a, t, as, names));
}

/* Nothing that the table knows an aspect of. */
static const char *just_a_file(struct arena *a, const struct why *w)
{
	return arena_printf(a, "%s is touched, %s", printable(a, w->path, ""),
		w->sched ? "a part of the scheduler" : "nothing of the scheduler");
}

const char *why_touched(struct arena *a, const struct touch *t, const struct why *w)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;

	if (!w->n_aspects)
		return just_a_file(a, w);
	for (size_t i = 0; i < w->n_aspects; i++) {
		if (i)
			sbuf_adds(&b, "; ");
		add_aspect(a, &b, t, w->aspects[i]);
	}
	return arena_strdup(a, b.buf);
}

/* ---- what shows it ---- */

/* What is special of a topology, and the aspects that it shows best. */
static const char *shape(struct arena *a, const struct topo *t, unsigned *ret_shows)
{
	size_t n_llcs = topo_count(t, TOPO_LLC), n_nodes = topo_count(t, TOPO_NODE);
	size_t n_cores = topo_count(t, TOPO_CORE),
	       n_clusters = topo_count(t, TOPO_CLUSTER);

	*ret_shows = TOUCH_BIT(TOUCH_LOAD_BALANCE) | TOUCH_BIT(TOUCH_TOPOLOGY);
	if (n_nodes > 1)
		return arena_printf(
			a, "%zu nodes let balancing cross a NUMA boundary", n_nodes);
	*ret_shows = TOUCH_BIT(TOUCH_CLUSTER);
	if (n_clusters > n_llcs)
		return arena_printf(a,
			"%zu clusters under %s let a wakeup stay near or go far in one "
			"cache",
			n_clusters, n_llcs == 1 ? "one LLC" : "their LLCs");
	*ret_shows = TOUCH_BIT(TOUCH_IDLE_SCAN);
	if (n_cores < t->n_cpus)
		return "SMT siblings make an idle core differ from an idle CPU";
	if (n_llcs < 2)
		return arena_printf(a,
			"under one LLC every wakeup may choose among all %zu CPUs",
			t->n_cpus);
	*ret_shows = TOUCH_BIT(TOUCH_WAKE_PATH) | TOUCH_BIT(TOUCH_WAKELIST_IPI);
	if (n_llcs == 2)
		return "two LLCs let wakeups cross a cache boundary";
	return arena_printf(a, "%zu LLCs let wakeups cross cache boundaries", n_llcs);
}

static const struct touch_aspect *best_shown(const struct why *w, unsigned shows)
{
	for (size_t i = 0; i < w->n_aspects; i++)
		if (TOUCH_BIT(w->aspects[i]->id) & shows)
			return w->aspects[i];
	return w->aspects[0];
}

const char *why_topology(
	struct arena *a, const struct touch *t, const struct why *w, const char *preset)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	const struct touch_aspect *as;
	unsigned shows;
	const char *what =
		shape(a, topo_preset_make(a, topo_preset_find(preset)), &shows);

	if (!w->n_aspects)
		return arena_printf(a, "%s; %s", just_a_file(a, w), what);
	as = best_shown(w, shows);
	add_aspect(a, &b, t, as);
	return arena_printf(a, "%s, and %s; %s", b.buf, aspects[as->id].clause, what);
}

const char *why_bench(struct arena *a, const struct plan_bench *b, enum plan_tier tier)
{
	const char *what = strcmp(b->bench, "hackbench") == 0
				   ? "each of its messages wakes a task"
				   : "it loads the scheduler in every boot";

	return arena_printf(a, "%s %s %s: %s; %s", b->bench, b->case_, b->load, what,
		tier == PLAN_EMULATED ? "its times in a guest are shown, not judged"
				      : "its times are judged");
}
