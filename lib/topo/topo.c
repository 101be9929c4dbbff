// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "topo/topo.h"

#define ID_MAX (1 << 20)

static const char *const level_names[TOPO_N_LEVELS] = {
	"core", "cluster", "llc", "die", "package", "node"};

const char *topo_level_name(enum topo_level level)
{
	return level_names[level];
}

int topo_cpu_id(const struct topo_cpu *cpu, enum topo_level level)
{
	switch (level) {
	case TOPO_CORE:
		return cpu->core;
	case TOPO_CLUSTER:
		return cpu->cluster;
	case TOPO_LLC:
		return cpu->llc;
	case TOPO_DIE:
		return cpu->die;
	case TOPO_PACKAGE:
		return cpu->package;
	case TOPO_NODE:
	case TOPO_N_LEVELS:
		break;
	}
	return cpu->node;
}

const struct topo_cpu *topo_cpu_find(const struct topo *t, int cpu)
{
	size_t lo = 0, hi = t->n_cpus;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->cpus[mid].id < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_cpus && t->cpus[lo].id == cpu ? &t->cpus[lo] : NULL;
}

void topo_all(const struct topo *t, struct cpuset *ret)
{
	cpuset_clear(ret);
	for (size_t i = 0; i < t->n_cpus; i++)
		cpuset_add(ret, t->cpus[i].id);
}

void topo_span(const struct topo *t, int cpu, enum topo_level level, struct cpuset *ret)
{
	const struct topo_cpu *self = topo_cpu_find(t, cpu);
	int id;

	cpuset_clear(ret);
	if (!self)
		return;
	id = topo_cpu_id(self, level);
	if (id == TOPO_NONE) {
		cpuset_add(ret, cpu);
		return;
	}
	for (size_t i = 0; i < t->n_cpus; i++)
		if (topo_cpu_id(&t->cpus[i], level) == id)
			cpuset_add(ret, t->cpus[i].id);
}

/* Different ids of a level, ascending, in ids[]; returns how many. */
static size_t level_ids(const struct topo *t, enum topo_level level, int *ids)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_cpus; i++) {
		int id = topo_cpu_id(&t->cpus[i], level);
		size_t at = 0;

		if (id == TOPO_NONE)
			continue;
		while (at < n && ids[at] < id)
			at++;
		if (at < n && ids[at] == id)
			continue;
		memmove(&ids[at + 1], &ids[at], (n - at) * sizeof(*ids));
		ids[at] = id;
		n++;
	}
	return n;
}

size_t topo_count(const struct topo *t, enum topo_level level)
{
	int ids[TOPO_CPUS_MAX + 1];

	return level_ids(t, level, ids);
}

int topo_distance(const struct topo *t, int node_a, int node_b)
{
	int ids[TOPO_CPUS_MAX + 1];
	size_t n = level_ids(t, TOPO_NODE, ids);
	size_t a = n, b = n;

	for (size_t i = 0; i < n; i++) {
		if (ids[i] == node_a)
			a = i;
		if (ids[i] == node_b)
			b = i;
	}
	if (a == n || b == n)
		return -1;
	return t->distances[a * t->n_nodes + b];
}

/* ---- validity ---- */

/* CPUs that share `inner` must share `outer`, where the machine has both. */
static int check_nested(
	const struct topo *t, enum topo_level inner, enum topo_level outer, struct err *e)
{
	for (size_t i = 0; i < t->n_cpus; i++) {
		const struct topo_cpu *c = &t->cpus[i];

		if (topo_cpu_id(c, inner) == TOPO_NONE)
			continue;
		/* the first CPU with the same id speaks for all: O(n) lookups, n <= 1024
		 */
		for (size_t k = 0; k < i; k++) {
			const struct topo_cpu *o = &t->cpus[k];

			if (topo_cpu_id(o, inner) != topo_cpu_id(c, inner))
				continue;
			if (topo_cpu_id(o, outer) != topo_cpu_id(c, outer))
				return err_set(e, ERR_INVALID,
					"CPUs %d and %d share %s %d but not the %s",
					o->id, c->id, level_names[inner],
					topo_cpu_id(c, inner), level_names[outer]);
			break;
		}
	}
	return 0;
}

static int check_cpus(const struct topo *t, struct err *e)
{
	if (t->n_cpus == 0)
		return err_set(e, ERR_INVALID, "the machine has no CPU");
	if (t->n_cpus > TOPO_CPUS_MAX)
		return err_set(
			e, ERR_TOO_BIG, "%zu CPUs; limit %d", t->n_cpus, TOPO_CPUS_MAX);
	for (size_t i = 0; i < t->n_cpus; i++) {
		const struct topo_cpu *c = &t->cpus[i];

		if (c->id < 0 || c->id >= TOPO_CPUS_MAX)
			return err_set(e, ERR_INVALID, "CPU number %d is not in 0..%d",
				c->id, TOPO_CPUS_MAX - 1);
		if (i && c->id == t->cpus[i - 1].id)
			return err_set(e, ERR_INVALID, "CPU %d is there twice", c->id);
		if (i && c->id < t->cpus[i - 1].id)
			return err_set(e, ERR_INVALID,
				"CPU %d stands after CPU %d: ascending order is wanted",
				c->id, t->cpus[i - 1].id);
		for (int l = 0; l < TOPO_N_LEVELS; l++) {
			int id = topo_cpu_id(c, l), first = topo_cpu_id(&t->cpus[0], l);

			if (id != TOPO_NONE && (id < 0 || id > ID_MAX))
				return err_set(e, ERR_INVALID,
					"CPU %d: %s %d is not in 0..%d", c->id,
					level_names[l], id, ID_MAX);
			/* hybrid parts have clusters on some of their CPUs only */
			if (l != TOPO_CLUSTER &&
				(id == TOPO_NONE) != (first == TOPO_NONE))
				return err_set(e, ERR_INVALID,
					"CPU %d: %s is null, but not for every CPU",
					id == TOPO_NONE ? c->id : t->cpus[0].id,
					level_names[l]);
		}
	}
	return 0;
}

static int check_distances(const struct topo *t, struct err *e)
{
	int ids[TOPO_CPUS_MAX + 1];
	size_t n = level_ids(t, TOPO_NODE, ids);

	if (n == 0)
		n = 1;
	if (n > TOPO_NODES_MAX)
		return err_set(e, ERR_TOO_BIG, "%zu nodes; limit %d", n, TOPO_NODES_MAX);
	if (t->n_nodes != n)
		return err_set(e, ERR_INVALID,
			"distances are %zu x %zu, but CPUs stand in %zu node%s",
			t->n_nodes, t->n_nodes, n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			int d = t->distances[i * n + k], self = t->distances[i * n + i];

			if (d < 1 || d > 254)
				return err_set(e, ERR_INVALID,
					"distance %d between nodes %zu and %zu is not in "
					"1..254",
					d, i, k);
			if (d != t->distances[k * n + i])
				return err_set(e, ERR_INVALID,
					"distance from node %zu to %zu is %d, back it is "
					"%d",
					i, k, d, t->distances[k * n + i]);
			if (k != i && d <= self)
				return err_set(e, ERR_INVALID,
					"node %zu is as near to node %zu as to itself "
					"(%d)",
					i, k, d);
		}
	}
	return 0;
}

int topo_check(const struct topo *t, struct err *e)
{
	static const enum topo_level nested[][2] = {
		{TOPO_CORE, TOPO_CLUSTER},
		{TOPO_CORE, TOPO_LLC},
		{TOPO_CORE, TOPO_DIE},
		{TOPO_CORE, TOPO_PACKAGE},
		{TOPO_CORE, TOPO_NODE},
		{TOPO_CLUSTER, TOPO_LLC},
		{TOPO_CLUSTER, TOPO_PACKAGE},
		{TOPO_CLUSTER, TOPO_NODE},
		{TOPO_LLC, TOPO_PACKAGE},
		{TOPO_LLC, TOPO_NODE},
		{TOPO_DIE, TOPO_PACKAGE},
	};
	int status = check_cpus(t, e);

	for (size_t i = 0; i < ARRAY_LEN(nested) && status == 0; i++)
		status = check_nested(t, nested[i][0], nested[i][1], e);
	return status == 0 ? check_distances(t, e) : status;
}

/* ---- JSON ---- */

static int id_from_json(json_t *j, int *ret, struct err *e, const char *what)
{
	json_int_t v;

	if (json_is_null(j)) {
		*ret = TOPO_NONE;
		return 0;
	}
	if (!json_is_integer(j))
		return err_set(e, ERR_INVALID, "%s is neither an integer nor null", what);
	v = json_integer_value(j);
	if (v < 0 || v > ID_MAX)
		return err_set(e, ERR_INVALID, "%s is not in 0..%d", what, ID_MAX);
	*ret = (int)v;
	return 0;
}

static int cpu_from_json(json_t *j, struct topo_cpu *c, struct err *e)
{
	json_t *ids[TOPO_N_LEVELS], *id, *smt = NULL;
	int *to[TOPO_N_LEVELS] = {
		&c->core, &c->cluster, &c->llc, &c->die, &c->package, &c->node};
	int status = jx_unpack(j, e, "cpu", "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s?o !}",
		"id", &id, "core", &ids[0], "cluster", &ids[1], "llc", &ids[2], "die",
		&ids[3], "package", &ids[4], "node", &ids[5], "smt", &smt);

	if (status == 0)
		status = id_from_json(id, &c->id, e, "id of a CPU");
	if (status == 0 && c->id == TOPO_NONE)
		status = err_set(e, ERR_INVALID, "id of a CPU is null");
	for (int l = 0; l < TOPO_N_LEVELS && status == 0; l++)
		status = id_from_json(ids[l], to[l], e, level_names[l]);
	return status;
}

static int distances_from_json(struct arena *a, json_t *j, struct topo *t, struct err *e)
{
	size_t n = json_array_size(j);

	if (n < 1 || n > TOPO_NODES_MAX)
		return err_set(e, ERR_INVALID, "distances: %zu rows, want 1..%d", n,
			TOPO_NODES_MAX);
	t->n_nodes = n;
	t->distances = ARENA_ARRAY(a, int, n *n);
	for (size_t i = 0; i < n; i++) {
		json_t *row = json_array_get(j, i);

		if (!json_is_array(row) || json_array_size(row) != n)
			return err_set(e, ERR_INVALID,
				"distances: row %zu has not %zu numbers", i, n);
		for (size_t k = 0; k < n; k++)
			if (id_from_json(json_array_get(row, k), &t->distances[i * n + k],
				    e, "a distance") != 0)
				return e ? (int)e->code : ERR_INVALID;
	}
	return 0;
}

int topo_from_json(struct arena *a, json_t *j, struct topo **ret, struct err *e)
{
	struct topo *t = ARENA_NEW(a, struct topo);
	json_t *cpus, *distances, *ignored[5];
	const char *name;
	json_int_t v;
	int status = jx_unpack(j, e, "topology",
		"{s:I, s:s, s:o, s:o, s?o, s?o, s?o, s?o, s?o !}", "v", &v, "name", &name,
		"cpus", &cpus, "distances", &distances, "domains", &ignored[0], "ncpu",
		&ignored[1], "llc_source", &ignored[2], "sysfs", &ignored[3], "caches",
		&ignored[4]);

	if (status != 0)
		return status;
	if (v != 1)
		return err_set(e, ERR_UNSUPPORTED,
			"topology: version %lld, this program reads 1", (long long)v);
	if (!json_is_array(cpus) || !json_is_array(distances))
		return err_set(e, ERR_INVALID, "topology: cpus and distances are arrays");
	if (json_array_size(cpus) > TOPO_CPUS_MAX)
		return err_set(e, ERR_TOO_BIG, "topology: %zu CPUs; limit %d",
			json_array_size(cpus), TOPO_CPUS_MAX);
	if (strlen(name) > 100)
		return err_set(e, ERR_INVALID, "topology: the name is over 100 bytes");
	t->name = arena_strdup(a, name);
	t->n_cpus = json_array_size(cpus);
	t->cpus = ARENA_ARRAY(a, struct topo_cpu, t->n_cpus + 1);
	for (size_t i = 0; i < t->n_cpus; i++) {
		status = cpu_from_json(json_array_get(cpus, i), &t->cpus[i], e);
		if (status != 0)
			return err_wrap(e, "topology: cpus[%zu]", i);
	}
	status = distances_from_json(a, distances, t, e);
	if (status == 0)
		status = topo_check(t, e);
	if (status != 0)
		return err_wrap(e, "topology %.40s", name);
	*ret = t;
	return 0;
}

int topo_parse(
	struct arena *a, const char *buf, size_t len, struct topo **ret, struct err *e)
{
	json_auto_t *j = NULL;
	int status;

	if (len > TOPO_JSON_MAX)
		return err_set(e, ERR_TOO_BIG, "topology of %zu bytes; limit %d", len,
			TOPO_JSON_MAX);
	status = jx_load(buf, len, &j, e);
	return status == 0 ? topo_from_json(a, j, ret, e) : status;
}

static json_t *id_to_json(int id)
{
	return id == TOPO_NONE ? json_null() : json_integer(id);
}

static json_t *domains_to_json(struct arena *a, const struct topo *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->n_cpus; i++) {
		struct topo_domains d = topo_domains(a, t, t->cpus[i].id);
		json_t *cpu = json_array();

		for (size_t l = 0; l < d.n_levels; l++) {
			json_t *flags = json_array(), *span = json_array();

			for (size_t f = 0; f < d.levels[l].n_flags; f++)
				json_array_append_new(
					flags, json_string(d.levels[l].flags[f]));
			CPUSET_EACH(c, &d.levels[l].span)
			json_array_append_new(span, json_integer(c));
			json_array_append_new(
				cpu, jx_pack("{s:s, s:o, s:o}", "name", d.levels[l].name,
					     "flags", flags, "span", span));
		}
		json_array_append_new(all, cpu);
	}
	return all;
}

json_t *topo_to_json(const struct topo *t)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_t *cpus = json_array(), *distances = json_array();

	for (size_t i = 0; i < t->n_cpus; i++) {
		const struct topo_cpu *c = &t->cpus[i];

		json_array_append_new(cpus,
			jx_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "id", c->id,
				"core", id_to_json(c->core), "cluster",
				id_to_json(c->cluster), "llc", id_to_json(c->llc), "die",
				id_to_json(c->die), "package", id_to_json(c->package),
				"node", id_to_json(c->node)));
	}
	for (size_t i = 0; i < t->n_nodes; i++) {
		json_t *row = json_array();

		for (size_t k = 0; k < t->n_nodes; k++)
			json_array_append_new(
				row, json_integer(t->distances[i * t->n_nodes + k]));
		json_array_append_new(distances, row);
	}
	return jx_pack("{s:i, s:o, s:o, s:o, s:o}", "v", 1, "name",
		jx_text(t->name, strlen(t->name)), "cpus", cpus, "distances", distances,
		"domains", domains_to_json(a, t));
}

/* ---- one line for people ---- */

static void describe_level(
	const struct topo *t, enum topo_level level, const char *word, struct sbuf *b)
{
	static const char *const words[] = {"no", "one", "two", "three", "four", "five",
		"six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
	size_t n = topo_count(t, level), size = 0, n_cpus = 0;
	bool even = true;

	for (size_t i = 0; i < t->n_cpus; i++) {
		struct cpuset span;

		if (topo_cpu_id(&t->cpus[i], level) == TOPO_NONE)
			continue;
		n_cpus++;
		topo_span(t, t->cpus[i].id, level, &span);
		if (size && size != (size_t)cpuset_count(&span))
			even = false;
		size = (size_t)cpuset_count(&span);
	}
	if (n == 0)
		return;
	if (n < ARRAY_LEN(words))
		sbuf_addf(b, ", %s %s%s", words[n], word, n == 1 ? "" : "s");
	else
		sbuf_addf(b, ", %zu %ss", n, word);
	if (n == 1 && n_cpus == t->n_cpus)
		return;
	if (even)
		sbuf_addf(b, " of %zu", size);
	else
		sbuf_adds(b, " of different sizes");
}

const char *topo_describe(struct arena *a, const struct topo *t)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	size_t n_cores = topo_count(t, TOPO_CORE), n_llcs = topo_count(t, TOPO_LLC);
	size_t n_clusters = topo_count(t, TOPO_CLUSTER);

	sbuf_addf(&b, "%zu CPU%s", t->n_cpus, t->n_cpus == 1 ? "" : "s");
	if (n_cores && n_cores < t->n_cpus && t->n_cpus % n_cores == 0)
		sbuf_addf(&b, ", %zu threads a core", t->n_cpus / n_cores);
	if (n_clusters && n_clusters != n_llcs && n_clusters != n_cores)
		describe_level(t, TOPO_CLUSTER, "cluster", &b);
	describe_level(t, TOPO_LLC, "LLC", &b);
	if (topo_count(t, TOPO_NODE) > 1)
		describe_level(t, TOPO_NODE, "node", &b);
	return arena_strndup(a, b.buf, b.len);
}
