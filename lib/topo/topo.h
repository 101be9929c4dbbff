/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topo.h - what a scheduler sees of a machine: per CPU its core, cluster, last-level
 * cache, die, package and NUMA node, and the distances between nodes.
 *
 * Ids are integers >= 0, unique in the machine within their kind; TOPO_NONE where the
 * machine has none (JSON null). CPUs stand in ascending order of id. A struct topo that a
 * function here returned is valid: topo_check() holds. All results live in the arena.
 *
 * JSON: {"v":1,"name","cpus":[{"id","core","cluster","llc","die","package","node"}],
 * "distances":[[..]],"domains":[[{"name","flags","span"}]]}. Read strictly; "domains" and
 * the keys of recorded guests ("ncpu", "llc_source", "sysfs", "caches", per CPU "smt")
 * are accepted and ignored, since they follow from the rest.
 */
#ifndef WL_TOPO_TOPO_H
#define WL_TOPO_TOPO_H

#include "base/jx.h"
#include "topo/cpuset.h"

#define TOPO_NONE      (-1)
#define TOPO_CPUS_MAX  CPUSET_MAX
#define TOPO_NODES_MAX 64
#define TOPO_JSON_MAX  (4 << 20) /* bytes of a topology file */

struct topo_cpu {
	int id;
	int core, cluster, llc, die, package, node; /* TOPO_NONE: the machine has none */
};

struct topo {
	const char *name;
	struct topo_cpu *cpus;
	size_t n_cpus;  /* 1..TOPO_CPUS_MAX */
	size_t n_nodes; /* 1..; without nodes 1 */
	int *distances; /* n_nodes x n_nodes, row-major, in ascending order of node id */
};

/* Which id a question is about. */
enum topo_level {
	TOPO_CORE,
	TOPO_CLUSTER,
	TOPO_LLC,
	TOPO_DIE,
	TOPO_PACKAGE,
	TOPO_NODE,
	TOPO_N_LEVELS
};
const char *topo_level_name(enum topo_level level); /* "core", ... */
int topo_cpu_id(const struct topo_cpu *cpu, enum topo_level level);

/* One scheduling domain of one CPU, as Linux would build it (see topo_domains). */
struct topo_domain {
	const char *name; /* SMT CLS MC DIE NUMA */
	const char *const *flags;
	size_t n_flags;
	struct cpuset span;
};
struct topo_domains {
	struct topo_domain *levels; /* low to high */
	size_t n_levels;
};

/* ERR_INVALID names the CPU and what is odd: empty, duplicate or unordered CPUs, a core
 * across LLCs, an LLC across packages, distances of a wrong shape or value, ... */
int topo_check(const struct topo *t, struct err *e) MUST_CHECK;
int topo_parse(struct arena *a, const char *buf, size_t len, struct topo **ret,
	struct err *e) MUST_CHECK;
int topo_from_json(
	struct arena *a, json_t *j, struct topo **ret, struct err *e) MUST_CHECK;
json_t *topo_to_json(const struct topo *t); /* with domains; owner: caller */

const struct topo_cpu *topo_cpu_find(const struct topo *t, int cpu); /* NULL if absent */
void topo_all(const struct topo *t, struct cpuset *ret);
/* CPUs that share the level with cpu; just cpu where the machine has no such level. */
void topo_span(const struct topo *t, int cpu, enum topo_level level, struct cpuset *ret);
size_t topo_count(const struct topo *t, enum topo_level level);  /* different ids */
int topo_distance(const struct topo *t, int node_a, int node_b); /* -1 if unknown */

/* Domains of one CPU by the rules of Linux 6.1: SMT, CLS, MC, DIE, one NUMA level per
 * distance; a level of one CPU or with its child's span is dropped. */
struct topo_domains topo_domains(struct arena *a, const struct topo *t, int cpu);

/* One line for people and mails, ASCII: "8 CPUs, two LLCs of 4". Arena. */
const char *topo_describe(struct arena *a, const struct topo *t);

/* ---- presets (preset.c): machines that boot in QEMU, and real ones ---- */

struct topo_preset {
	const char *name, *summary;
	const char *arch;                               /* "x86_64", "aarch64" */
	int sockets, nodes, llcs, clusters, cores, smt; /* each per the one before */
	bool far;          /* SMT sibling t of core c is c + t * cores, else adjacent */
	bool has_clusters; /* false: cluster ids are null */
	const int *distances; /* (sockets * nodes)^2, NULL: all local (10) */
	const char *const
		*qemu;     /* arguments that make it, NULL terminated; NULL: cannot */
	int mem_mb;        /* what -m must be (nodes name their memory); 0: any */
	bool needs_l3_dtb; /* arm64: boots right only with an L3 in the device tree */
};

/* The table, ended by a row without name. */
extern const struct topo_preset topo_presets[];
const struct topo_preset *topo_preset_find(const char *name); /* NULL if unknown */
struct topo *topo_preset_make(struct arena *a, const struct topo_preset *p);
/* A whole command that a person can copy to boot bzImage or Image with an initrd on it;
 * NULL where no emulator makes it. Arena. */
const char *topo_preset_command(struct arena *a, const struct topo_preset *p);

/* ---- this machine (host.c), by hwloc ---- */

/* Reads the running machine, or an exported file when xml_path is not NULL (tests).
 * ERR_INTERNAL, ERR_INVALID for what no topology can be. */
int topo_host(struct arena *a, const char *xml_path, struct topo **ret,
	struct err *e) MUST_CHECK;

#endif
