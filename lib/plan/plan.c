// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/rng.h"
#include "base/sbuf.h"
#include "base/sha256.h"
#include "plan/plan.h"
#include "plan/why.h"
#include "topo/topo.h"
#include <inttypes.h>

#define LOAD_ID_HEX 12

static const char *const side_names[] = {"base", "patched"};
static const char *const tier_names[] = {"model", "emulated", "metal"};
static const char *const action_names[] = {"build", "boot", "bench"};

static int name_find(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

const char *plan_side_name(enum plan_side s)
{
	return side_names[s];
}

const char *plan_tier_name(enum plan_tier t)
{
	return tier_names[t];
}

const char *plan_action_name(enum plan_action k)
{
	return action_names[k];
}

int plan_side_parse(const char *name, enum plan_side *ret)
{
	int i = name_find(side_names, ARRAY_LEN(side_names), name);

	if (i >= 0)
		*ret = (enum plan_side)i;
	return i < 0 ? -1 : 0;
}

int plan_tier_parse(const char *name, enum plan_tier *ret)
{
	int i = name_find(tier_names, ARRAY_LEN(tier_names), name);

	if (i >= 0)
		*ret = (enum plan_tier)i;
	return i < 0 ? -1 : 0;
}

int plan_action_parse(const char *name, enum plan_action *ret)
{
	int i = name_find(action_names, ARRAY_LEN(action_names), name);

	if (i >= 0)
		*ret = (enum plan_action)i;
	return i < 0 ? -1 : 0;
}

uint64_t plan_seed(
	const char *root_msgid, int series_version, char ret_hex[PLAN_SEED_HEX])
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	char hex[SHA256_HEX];

	sbuf_addf(&b, "%s v%d", root_msgid, series_version);
	sha256_hex(b.buf, b.len, hex);
	memcpy(ret_hex, hex, PLAN_SEED_HEX - 1);
	ret_hex[PLAN_SEED_HEX - 1] = 0;
	return strtoull(ret_hex, NULL, 16);
}

/* ---- input ---- */

static bool is_tree_id(const char *s)
{
	size_t n = s ? strspn(s, "0123456789abcdef") : 0;

	return (n == 40 || n == 64) && !s[n];
}

static bool is_word(const char *s)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-+";

	return s && *s && !s[strspn(s, chars)] && strlen(s) <= 100;
}

/* Words with single blanks between: it can be split into argv without a shell. */
static bool is_command(const char *s)
{
	if (!s || !*s || *s == ' ' || strlen(s) > 1000)
		return false;
	for (; *s; s++)
		if (*s < 0x20 || *s > 0x7e || strchr("\"'\\`$;&|<>()", *s) ||
			(*s == ' ' && (!s[1] || s[1] == ' ')))
			return false;
	return true;
}

static int check_benches(const struct plan_input *in, struct err *e)
{
	if (in->n_benches > PLAN_BENCHES_MAX)
		return err_set(e, ERR_TOO_BIG, "%zu loads; limit %d", in->n_benches,
			PLAN_BENCHES_MAX);
	for (size_t i = 0; i < in->n_benches; i++) {
		const struct plan_bench *b = &in->benches[i];

		if (!is_word(b->bench) || !is_word(b->case_) || !is_word(b->load))
			return err_set(e, ERR_INVALID,
				"load %zu: bench, case and load are words without blanks",
				i);
		if (!is_command(b->command))
			return err_set(e, ERR_INVALID,
				"load %zu: the command is words, one blank between", i);
		if (b->n_warmup < 0 || b->n_warmup > 100 || b->n_runs < 1 ||
			b->n_runs > 1000)
			return err_set(e, ERR_INVALID,
				"load %zu: 0..100 warm-up runs and 1..1000 runs are "
				"possible",
				i);
		for (size_t k = 0; k < i; k++)
			if (strcmp(b->bench, in->benches[k].bench) == 0 &&
				strcmp(b->case_, in->benches[k].case_) == 0 &&
				strcmp(b->load, in->benches[k].load) == 0)
				return err_set(e, ERR_INVALID, "%s %s %s is there twice",
					b->bench, b->case_, b->load);
	}
	return 0;
}

static int check_input(const struct plan_input *in, struct err *e)
{
	if (!is_tree_id(in->base_tree) || !is_tree_id(in->patched_tree))
		return err_set(e, ERR_INVALID, "base or patched is no git tree id");
	if (!is_word(in->config_id))
		return err_set(e, ERR_INVALID, "the config id is no word");
	if (!is_word(in->arch))
		return err_set(e, ERR_INVALID, "the architecture is no word");
	if (in->k_blocks < 1 || in->k_blocks > PLAN_BLOCKS_MAX)
		return err_set(e, ERR_INVALID, "%d blocks; 1..%d are possible",
			in->k_blocks, PLAN_BLOCKS_MAX);
	if (!in->touch->n_files && strcmp(in->base_tree, in->patched_tree) != 0)
		return err_set(e, ERR_INVALID, "the series touches no file");
	if (in->n_topologies > PLAN_TOPOS_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d topologies", PLAN_TOPOS_MAX);
	for (size_t i = 0; i < in->n_topologies; i++) {
		if (!topo_preset_find(in->topologies[i]))
			return err_set(e, ERR_INVALID, "no topology is called '%.60s'",
				in->topologies[i]);
		for (size_t k = 0; k < i; k++)
			if (strcmp(in->topologies[i], in->topologies[k]) == 0)
				return err_set(e, ERR_INVALID,
					"topology %s is there twice", in->topologies[i]);
	}
	return check_benches(in, e);
}

/* ---- cells ---- */

struct make {
	struct arena *a;
	const struct plan_input *in;
	uint64_t seed;
	struct plan *p;
	size_t cap_notes, cap_cells, cap_runs;
	const struct why *why;
	const char **topologies;
	size_t n_topologies;
};

static void note(struct make *m, const char *text)
{
	*ARENA_PUSH(m->a, m->p->notes, m->p->n_notes, m->cap_notes) = text;
}

static void name_aspects(struct make *m)
{
	const struct touch *t = m->in->touch;

	m->p->aspects = ARENA_ARRAY(m->a, const char *, t->n_aspects + 1);
	for (size_t i = 0; i < t->n_aspects; i++)
		m->p->aspects[m->p->n_aspects++] = touch_aspect_name(t->aspects[i].id);
}

/* What the sentences cannot know as well as they should. */
static void note_guesses(struct make *m)
{
	const struct touch *t = m->in->touch;
	const char *why = m->in->spans_why;
	size_t n = 0;

	for (size_t i = 0; i < t->n_notes; i++)
		n += strcmp(t->notes[i].code, "no_spans") == 0;
	if (n)
		note(m, arena_printf(m->a,
				"functions of %zu file%s are read from the hunks%s%.200s",
				n, n == 1 ? "" : "s", why ? ": " : "", why ? why : ""));
}

static void add_cell(struct make *m, enum plan_action action, enum plan_tier tier,
	const char *topology, int bench, const char *why)
{
	struct plan_cell *c = ARENA_PUSH(m->a, m->p->cells, m->p->n_cells, m->cap_cells);

	*c = (struct plan_cell){
		(int)m->p->n_cells - 1, action, tier, topology, bench, why};
}

/* ---- schedule ---- */

static const char *load_id(struct make *m)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	char hex[SHA256_HEX];

	for (size_t i = 0; i < m->in->n_benches; i++) {
		const struct plan_bench *x = &m->in->benches[i];

		sbuf_addf(&b, "%s\t%s\t%s\t%s\t%d\t%d\n", x->bench, x->case_, x->load,
			x->command, x->n_warmup, x->n_runs);
	}
	sha256_hex(b.buf, b.len, hex);
	return arena_strndup(m->a, hex, LOAD_ID_HEX);
}

static void add_build(struct make *m, enum plan_side side)
{
	const char *tree = side == PLAN_BASE ? m->in->base_tree : m->in->patched_tree;
	struct plan_build *b = &m->p->builds[m->p->n_builds++];

	b->side = side;
	b->tree = arena_strdup(m->a, tree);
	b->key = arena_printf(m->a, "build:%s:%s:%s", tree, m->p->arch, m->p->config_id);
}

static void add_run(
	struct make *m, const char *topology, int block, enum plan_side side, int order)
{
	struct plan_run *r = ARENA_PUSH(m->a, m->p->runs, m->p->n_runs, m->cap_runs);
	const struct plan_build *b = &m->p->builds[side];

	*r = (struct plan_run){
		.seq = (int)m->p->n_runs - 1,
		.topology = topology,
		.block = block,
		.side = side,
		.order = order,
		.key = arena_printf(m->a, "boot:%s:%s:%s:%d:%s", b->tree, m->p->config_id,
			topology, block, m->p->load_id),
		.build_key = b->key,
	};
}

/* A stream of its own per block and topology: adding a topology tosses no other coin. */
static enum plan_side first_side(struct make *m, const char *topology, int block)
{
	struct rng r;

	rng_seed_named(&r, m->seed, arena_printf(m->a, "order:%s:%d", topology, block));
	return rng_below(&r, 2) ? PLAN_PATCHED : PLAN_BASE;
}

static void schedule(struct make *m)
{
	uint32_t *order = ARENA_ARRAY(m->a, uint32_t, m->n_topologies + 1);

	for (int block = 0; block < m->in->k_blocks; block++) {
		struct rng r;

		for (size_t i = 0; i < m->n_topologies; i++)
			order[i] = (uint32_t)i;
		rng_seed_named(&r, m->seed, arena_printf(m->a, "topologies:%d", block));
		rng_shuffle_u32(&r, order, m->n_topologies);
		for (size_t i = 0; i < m->n_topologies; i++) {
			const char *topology = m->topologies[order[i]];
			enum plan_side first = first_side(m, topology, block);

			add_run(m, topology, block, first, 0);
			add_run(m, topology, block,
				first == PLAN_BASE ? PLAN_PATCHED : PLAN_BASE, 1);
		}
	}
}

static void pick_topologies(struct make *m)
{
	m->topologies = ARENA_ARRAY(m->a, const char *, m->in->n_topologies + 1);
	for (size_t i = 0; i < m->in->n_topologies; i++) {
		const struct topo_preset *p = topo_preset_find(m->in->topologies[i]);

		if (strcmp(p->arch, m->in->arch) != 0)
			note(m, arena_printf(m->a,
					"%s is left out: it is %s, the kernel is built "
					"for %s",
					p->name, p->arch, m->in->arch));
		else if (!m->why->sched && m->n_topologies == 1)
			note(m, arena_printf(m->a,
					"%s is left out: nothing of the scheduler is "
					"touched, "
					"one topology is enough",
					p->name));
		else
			m->topologies[m->n_topologies++] = p->name;
	}
	if (m->n_topologies == 0)
		note(m, arena_printf(m->a, "no boots: no runner offers a topology for %s",
				m->in->arch));
}

static void add_cells(struct make *m)
{
	const struct touch *t = m->in->touch;

	add_cell(m, PLAN_BUILD, m->in->tier, NULL, -1,
		arena_printf(m->a, "%s; base and patched are built alike",
			why_touched(m->a, t, m->why)));
	for (size_t i = 0; i < m->n_topologies; i++) {
		const char *name = m->topologies[i];

		add_cell(m, PLAN_BOOT, m->in->tier, name, -1,
			why_topology(m->a, t, m->why, name));
		for (size_t k = 0; k < m->in->n_benches; k++)
			add_cell(m, PLAN_BENCH, m->in->tier, name, (int)k,
				why_bench(m->a, &m->in->benches[k], m->in->tier));
	}
}

/* Why nothing is to be run; NULL when something is. */
static const char *nothing_to_run(struct make *m)
{
	const struct touch *t = m->in->touch;

	if (strcmp(m->in->base_tree, m->in->patched_tree) == 0)
		return "nothing to run: the patched tree equals the base";
	if (m->why->path)
		return t->aspect_bits == TOUCH_BIT(TOUCH_DOCS)
			       ? "nothing to run: only comments and documentation differ"
			       : NULL;
	for (size_t i = 0; i < t->n_files; i++)
		if (t->files[i].built != TOUCH_BUILT_NONE)
			return arena_printf(m->a,
				"nothing to run: only other architectures than %s are "
				"touched",
				m->in->arch);
	return "nothing to run: no touched file is compiled into a kernel";
}

static void copy_benches(struct make *m)
{
	struct plan *p = m->p;

	p->n_benches = m->in->n_benches;
	p->benches = ARENA_ARRAY(m->a, struct plan_bench, p->n_benches + 1);
	for (size_t i = 0; i < p->n_benches; i++) {
		p->benches[i] = m->in->benches[i];
		p->benches[i].bench = arena_strdup(m->a, m->in->benches[i].bench);
		p->benches[i].case_ = arena_strdup(m->a, m->in->benches[i].case_);
		p->benches[i].load = arena_strdup(m->a, m->in->benches[i].load);
		p->benches[i].command = arena_strdup(m->a, m->in->benches[i].command);
	}
}

int plan_make(struct arena *a, const struct plan_input *in, uint64_t seed,
	struct plan **ret, struct err *e)
{
	struct make m = {.a = a, .in = in, .seed = seed, .p = ARENA_NEW(a, struct plan)};
	struct plan *p = m.p;
	const char *nothing;
	int status = check_input(in, e);

	if (status != 0)
		return err_wrap(e, "plan");
	snprintf(p->seed, sizeof(p->seed), "%016" PRIx64, seed);
	p->k_blocks = in->k_blocks;
	p->arch = arena_strdup(a, in->arch);
	p->config_id = arena_strdup(a, in->config_id);
	p->load_id = load_id(&m);
	copy_benches(&m);
	name_aspects(&m);
	m.why = why_make(a, in->touch, in->arch);
	nothing = nothing_to_run(&m);
	if (nothing) {
		note(&m, nothing);
		*ret = p;
		return 0;
	}
	pick_topologies(&m);
	note_guesses(&m);
	p->builds = ARENA_ARRAY(a, struct plan_build, 2);
	add_build(&m, PLAN_BASE);
	add_build(&m, PLAN_PATCHED);
	add_cells(&m);
	schedule(&m);
	*ret = p;
	return 0;
}
