// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host.c - the running machine by hwloc. The last-level cache is the largest data or
 * unified cache level that every CPU has, cut at the NUMA node, as Linux does. Ids are
 * hwloc's logical numbers: unique in the machine, whatever the firmware says.
 */
#include "base/base.h"

#include "topo/topo.h"
#include <hwloc.h>
#include <sys/utsname.h>

static void topology_clearp(hwloc_topology_t *t)
{
	if (*t)
		hwloc_topology_destroy(*t);
}

/* Logical number of the enclosing object of a type, TOPO_NONE without one. */
static int above(hwloc_topology_t h, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t o = hwloc_get_ancestor_obj_by_type(h, type, pu);

	return o ? (int)o->logical_index : TOPO_NONE;
}

static hwloc_obj_t largest_cache(hwloc_obj_t pu)
{
	hwloc_obj_t found = NULL;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type))
			found = o;
	return found;
}

static int node_of(hwloc_topology_t h, hwloc_obj_t pu)
{
	hwloc_obj_t n = NULL;

	while ((n = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, n)))
		if (hwloc_bitmap_isset(n->cpuset, pu->os_index))
			return (int)n->logical_index;
	return TOPO_NONE;
}

/* Group objects of kind "Cluster" (arm64 and hybrid x86). */
static int cluster_of(hwloc_obj_t pu)
{
	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (o->type == HWLOC_OBJ_GROUP && o->subtype &&
			strcmp(o->subtype, "Cluster") == 0)
			return (int)o->logical_index;
	return TOPO_NONE;
}

static void read_distances(hwloc_topology_t h, struct arena *a, struct topo *t)
{
	struct hwloc_distances_s *d = NULL;
	unsigned n = 1;
	int ids[TOPO_NODES_MAX];
	size_t n_ids = 0;

	/* nodes that have CPUs, in ascending order of logical number */
	for (int node = 0; node < TOPO_NODES_MAX && n_ids < TOPO_NODES_MAX; node++)
		for (size_t i = 0; i < t->n_cpus; i++)
			if (t->cpus[i].node == node) {
				ids[n_ids++] = node;
				break;
			}
	t->n_nodes = n_ids ? n_ids : 1;
	t->distances = ARENA_ARRAY(a, int, t->n_nodes * t->n_nodes);
	for (size_t i = 0; i < t->n_nodes; i++)
		for (size_t k = 0; k < t->n_nodes; k++)
			t->distances[i * t->n_nodes + k] = i == k ? 10 : 20;
	if (hwloc_distances_get_by_type(h, HWLOC_OBJ_NUMANODE, &n, &d,
		    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
		n < 1 || !d)
		return;
	for (unsigned i = 0; i < d->nbobjs; i++)
		for (unsigned k = 0; k < d->nbobjs; k++)
			for (size_t x = 0; x < n_ids; x++)
				for (size_t y = 0; y < n_ids; y++)
					if ((int)d->objs[i]->logical_index == ids[x] &&
						(int)d->objs[k]->logical_index == ids[y])
						t->distances[x * n_ids + y] =
							(int)d->values[i * d->nbobjs + k];
	hwloc_distances_release(h, d);
}

/* Same cache but another node is another LLC: number the pairs anew. */
static void cut_llcs(struct topo *t, const int *cache)
{
	int next = 0;

	for (size_t i = 0; i < t->n_cpus; i++) {
		t->cpus[i].llc = TOPO_NONE;
		if (cache[i] == TOPO_NONE)
			continue;
		for (size_t k = 0; k < i && t->cpus[i].llc == TOPO_NONE; k++)
			if (cache[k] == cache[i] && t->cpus[k].node == t->cpus[i].node)
				t->cpus[i].llc = t->cpus[k].llc;
		if (t->cpus[i].llc == TOPO_NONE)
			t->cpus[i].llc = next++;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct topo_cpu *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int read_cpus(hwloc_topology_t h, struct arena *a, struct topo *t, struct err *e)
{
	int n = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_PU);
	int *cache;
	bool all_cached = true;

	if (n < 1 || n > TOPO_CPUS_MAX)
		return err_set(e, ERR_INVALID, "hwloc reports %d CPUs; 1..%d are handled",
			n, TOPO_CPUS_MAX);
	t->n_cpus = (size_t)n;
	t->cpus = ARENA_ARRAY(a, struct topo_cpu, n);
	cache = ARENA_ARRAY(a, int, n);
	for (int i = 0; i < n; i++) {
		hwloc_obj_t pu = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, (unsigned)i);

		if (pu->os_index >= TOPO_CPUS_MAX)
			return err_set(e, ERR_INVALID,
				"CPU number %u; below %d are handled", pu->os_index,
				TOPO_CPUS_MAX);
		t->cpus[i] = (struct topo_cpu){
			.id = (int)pu->os_index,
			.core = above(h, pu, HWLOC_OBJ_CORE),
			.cluster = cluster_of(pu),
			.die = above(h, pu, HWLOC_OBJ_DIE),
			.package = above(h, pu, HWLOC_OBJ_PACKAGE),
			.node = node_of(h, pu),
		};
	}
	qsort(t->cpus, t->n_cpus, sizeof(*t->cpus), by_id);
	for (size_t i = 0; i < t->n_cpus; i++) {
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(h, (unsigned)t->cpus[i].id);
		hwloc_obj_t c = largest_cache(pu);

		/* levels of different depth get different numbers */
		cache[i] = c ? (int)(c->logical_index + (unsigned)(c->depth + 8) * 65536u)
			     : TOPO_NONE;
		all_cached = all_cached && c;
	}
	for (size_t i = 0; i < t->n_cpus && !all_cached; i++)
		cache[i] = TOPO_NONE;
	cut_llcs(t, cache);
	return 0;
}

int topo_host(struct arena *a, const char *xml_path, struct topo **ret, struct err *e)
{
	CLEANUP(topology_clearp) hwloc_topology_t h = NULL;
	struct topo *t = ARENA_NEW(a, struct topo);
	struct utsname u;
	int status;

	if (hwloc_topology_init(&h) != 0) {
		h = NULL;
		return err_set(e, ERR_INTERNAL, "hwloc does not start");
	}
	if (xml_path && hwloc_topology_set_xml(h, xml_path) != 0)
		return err_set(e, ERR_INVALID, "%s is no hwloc topology", xml_path);
	hwloc_topology_set_type_filter(h, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(h) != 0)
		return err_set(e, xml_path ? ERR_INVALID : ERR_INTERNAL,
			"hwloc cannot read the topology of %s",
			xml_path ? xml_path : "this machine");
	status = read_cpus(h, a, t, e);
	if (status != 0)
		return status;
	read_distances(h, a, t);
	if (xml_path)
		t->name = "imported";
	else
		t->name = uname(&u) == 0 ? arena_printf(a, "%.90s", u.nodename) : "host";
	status = topo_check(t, e);
	if (status != 0)
		return err_wrap(e, "this machine");
	*ret = t;
	return 0;
}
