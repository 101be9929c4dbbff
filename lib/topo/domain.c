// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * domain.c - the scheduling domains Linux 6.1 builds for a topology. Names and flags as
 * debugfs shows them. A level of one CPU is dropped; a level with its child's span is
 * dropped too, and its SD_PREFER_SIBLING goes down to the child. A cluster that spans its
 * whole LLC is no level of its own (cpu_clustergroup_mask() of arm64).
 */
#include "base/base.h"

#include "topo/topo.h"

#define RECLAIM_DISTANCE 30
#define LEVELS_MAX       (4 + TOPO_NODES_MAX)
#define BALANCE          (F_NEWIDLE | F_EXEC | F_FORK | F_WAKE_AFFINE)

enum {
	F_NEWIDLE = 1 << 0,
	F_EXEC = 1 << 1,
	F_FORK = 1 << 2,
	F_WAKE_AFFINE = 1 << 3,
	F_SHARE_CPUCAPACITY = 1 << 4,
	F_SHARE_PKG_RESOURCES = 1 << 5,
	F_SERIALIZE = 1 << 6,
	F_PREFER_SIBLING = 1 << 7,
	F_OVERLAP = 1 << 8,
	F_NUMA = 1 << 9,
};

/* In the order of include/linux/sched/sd_flags.h. */
static const char *const flag_names[] = {"SD_BALANCE_NEWIDLE", "SD_BALANCE_EXEC",
	"SD_BALANCE_FORK", "SD_WAKE_AFFINE", "SD_SHARE_CPUCAPACITY",
	"SD_SHARE_PKG_RESOURCES", "SD_SERIALIZE", "SD_PREFER_SIBLING", "SD_OVERLAP",
	"SD_NUMA"};

struct level {
	const char *name;
	unsigned flags;
	struct cpuset span;
};

struct build {
	struct level levels[LEVELS_MAX];
	size_t n;
};

static void add(
	struct build *b, const char *name, unsigned flags, const struct cpuset *span)
{
	if (cpuset_count(span) < 2)
		return;
	if (b->n && cpuset_equal(&b->levels[b->n - 1].span, span)) {
		b->levels[b->n - 1].flags |= flags & F_PREFER_SIBLING;
		return;
	}
	b->levels[b->n++] = (struct level){name, flags, *span};
}

static void add_numa(struct build *b, const struct topo *t, const struct topo_cpu *self)
{
	int last = topo_distance(t, self->node, self->node);

	for (;;) {
		struct cpuset span;
		int next = 0;
		unsigned flags = F_NEWIDLE | F_SERIALIZE | F_OVERLAP | F_NUMA;

		/* the next larger distance anywhere in the machine: Linux makes one
		 * level per distinct distance, for every node */
		for (size_t i = 0; i < t->n_nodes * t->n_nodes; i++)
			if (t->distances[i] > last && (!next || t->distances[i] < next))
				next = t->distances[i];
		if (!next)
			return;
		cpuset_clear(&span);
		for (size_t i = 0; i < t->n_cpus; i++)
			if (topo_distance(t, self->node, t->cpus[i].node) <= next)
				cpuset_add(&span, t->cpus[i].id);
		if (next <= RECLAIM_DISTANCE)
			flags |= F_EXEC | F_FORK | F_WAKE_AFFINE;
		add(b, "NUMA", flags, &span);
		last = next;
	}
}

struct topo_domains topo_domains(struct arena *a, const struct topo *t, int cpu)
{
	struct build b = {.n = 0};
	struct topo_domains d = {0};
	struct cpuset core, cluster, llc, node;
	const struct topo_cpu *self = topo_cpu_find(t, cpu);

	if (!self)
		return d;
	topo_span(t, cpu, TOPO_CORE, &core);
	topo_span(t, cpu, TOPO_CLUSTER, &cluster);
	topo_span(t, cpu, TOPO_LLC, &llc);
	if (self->node == TOPO_NONE)
		topo_all(t, &node);
	else
		topo_span(t, cpu, TOPO_NODE, &node);
	add(&b, "SMT",
		BALANCE | F_SHARE_CPUCAPACITY | F_SHARE_PKG_RESOURCES | F_PREFER_SIBLING,
		&core);
	if (!cpuset_subset(&llc, &cluster))
		add(&b, "CLS", BALANCE | F_SHARE_PKG_RESOURCES | F_PREFER_SIBLING,
			&cluster);
	add(&b, "MC", BALANCE | F_SHARE_PKG_RESOURCES | F_PREFER_SIBLING, &llc);
	add(&b, "DIE", BALANCE | F_PREFER_SIBLING, &node);
	if (self->node != TOPO_NONE && t->n_nodes > 1)
		add_numa(&b, t, self);

	d.n_levels = b.n;
	d.levels = ARENA_ARRAY(a, struct topo_domain, b.n + 1);
	for (size_t l = 0; l < b.n; l++) {
		const char **flags = ARENA_ARRAY(a, const char *, ARRAY_LEN(flag_names));

		for (size_t f = 0; f < ARRAY_LEN(flag_names); f++)
			if (b.levels[l].flags & (1u << f))
				flags[d.levels[l].n_flags++] = flag_names[f];
		d.levels[l].name = b.levels[l].name;
		d.levels[l].flags = flags;
		d.levels[l].span = b.levels[l].span;
	}
	return d;
}
