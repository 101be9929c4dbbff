// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preset.c - the table of machines that QEMU makes here, with the arguments that make
 * them. What each guest shows to its scheduler was measured; a new row is one entry.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "topo/topo.h"

#define QEMU(...) ((const char *const[]){__VA_ARGS__, NULL})
#define X86_CPU   "-M", "q35", "-cpu", "max"
/* EPYC models and plain max ignore dies for the cache, plain max shows no SMT siblings
 * either (no topoext); with an Intel vendor id both are there */
#define X86_DIES "-M", "q35", "-cpu", "max,vendor=GenuineIntel"
#define ARM_VIRT "-M", "virt,gic-version=3", "-cpu", "cortex-a72"

static const int two_nodes[] = {10, 20, 20, 10};

#define NODE_MEM(id, size) "-object", "memory-backend-ram,id=mem" id ",size=" size "M"
#define NODE(id, cpus)     "-numa", "node,nodeid=" id ",cpus=" cpus ",memdev=mem" id

const struct topo_preset topo_presets[] = {
	{
		.name = "guest-1l8",
		.summary = "8 cores under one last-level cache",
		.arch = "x86_64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 1,
		.clusters = 1,
		.cores = 8,
		.smt = 1,
		.qemu = QEMU(X86_CPU, "-smp", "8,sockets=1,cores=8,threads=1"),
	},
	{
		.name = "guest-2l4",
		.summary = "two last-level caches of 4 cores, one node",
		.arch = "x86_64",
		.sockets = 2,
		.nodes = 1,
		.llcs = 1,
		.clusters = 1,
		.cores = 4,
		.smt = 1,
		.qemu = QEMU(X86_CPU, "-smp", "8,sockets=2,cores=4,threads=1"),
	},
	{
		.name = "guest-smt16",
		.summary = "8 cores of 2 threads under one last-level cache",
		.arch = "x86_64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 1,
		.clusters = 1,
		.cores = 8,
		.smt = 2,
		.qemu = QEMU(X86_DIES, "-smp", "16,sockets=1,cores=8,threads=2"),
	},
	{
		.name = "zen-1s16-l2x8",
		.summary = "one package with two last-level caches of 8 cores",
		.arch = "x86_64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 2,
		.clusters = 1,
		.cores = 8,
		.smt = 1,
		.qemu = QEMU(X86_DIES, "-smp", "16,sockets=1,dies=2,cores=8,threads=1"),
	},
	{
		.name = "zen-2s16-l4x4",
		.summary = "two packages, each with two last-level caches of 4 cores",
		.arch = "x86_64",
		.sockets = 2,
		.nodes = 1,
		.llcs = 2,
		.clusters = 1,
		.cores = 4,
		.smt = 1,
		.qemu = QEMU(X86_DIES, "-smp", "16,sockets=2,dies=2,cores=4,threads=1"),
	},
	{
		.name = "guest-2n8",
		.summary = "two NUMA nodes of 4 cores",
		.arch = "x86_64",
		.sockets = 2,
		.nodes = 1,
		.llcs = 1,
		.clusters = 1,
		.cores = 4,
		.smt = 1,
		.distances = two_nodes,
		.mem_mb = 1024,
		.qemu = QEMU(X86_CPU, "-smp", "8,sockets=2,cores=4,threads=1",
			NODE_MEM("0", "512"), NODE_MEM("1", "512"), NODE("0", "0-3"),
			NODE("1", "4-7"), "-numa", "dist,src=0,dst=1,val=20"),
	},
	{
		.name = "clx-2s16-smt2",
		.summary = "two sockets of 4 cores with 2 threads",
		.arch = "x86_64",
		.sockets = 2,
		.nodes = 1,
		.llcs = 1,
		.clusters = 1,
		.cores = 4,
		.smt = 2,
		.qemu = QEMU(X86_DIES, "-smp", "16,sockets=2,cores=4,threads=2"),
	},
	{
		.name = "kunpeng920-1n16",
		.summary = "four clusters of 4 cores under one last-level cache",
		.arch = "aarch64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 1,
		.clusters = 4,
		.cores = 4,
		.smt = 1,
		.has_clusters = true,
		.needs_l3_dtb = true,
		.qemu = QEMU(
			ARM_VIRT, "-smp", "16,sockets=1,clusters=4,cores=4,threads=1"),
	},
	{
		.name = "kunpeng920-1n32",
		.summary = "eight clusters of 4 cores under one last-level cache",
		.arch = "aarch64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 1,
		.clusters = 8,
		.cores = 4,
		.smt = 1,
		.has_clusters = true,
		.needs_l3_dtb = true,
		.qemu = QEMU(
			ARM_VIRT, "-smp", "32,sockets=1,clusters=8,cores=4,threads=1"),
	},
	{
		.name = "arm64-l4x4",
		.summary = "four clusters of 4 cores, each its own last-level cache",
		.arch = "aarch64",
		.sockets = 1,
		.nodes = 1,
		.llcs = 4,
		.clusters = 1,
		.cores = 4,
		.smt = 1,
		.has_clusters = true,
		.qemu = QEMU(
			ARM_VIRT, "-smp", "16,sockets=1,clusters=4,cores=4,threads=1"),
	},
	{
		.name = "kunpeng920-2n16c4",
		.summary = "two NUMA nodes, each of two clusters of 4 cores",
		.arch = "aarch64",
		.sockets = 1,
		.nodes = 2,
		.llcs = 1,
		.clusters = 2,
		.cores = 4,
		.smt = 1,
		.has_clusters = true,
		.needs_l3_dtb = true,
		.distances = two_nodes,
		.mem_mb = 2048,
		.qemu = QEMU(ARM_VIRT, "-smp",
			"16,sockets=1,clusters=4,cores=4,threads=1",
			NODE_MEM("0", "1024"), NODE_MEM("1", "1024"), NODE("0", "0-7"),
			NODE("1", "8-15"), "-numa", "dist,src=0,dst=1,val=20"),
	},
	{.name = NULL},
};

const struct topo_preset *topo_preset_find(const char *name)
{
	for (const struct topo_preset *p = topo_presets; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

struct topo *topo_preset_make(struct arena *a, const struct topo_preset *p)
{
	struct topo *t = ARENA_NEW(a, struct topo);
	/* guests with packages but one node per package only where distances say so */
	bool by_package = p->distances && p->nodes == 1 && p->sockets > 1;
	int n_nodes = p->distances ? p->sockets * p->nodes : 1;
	int n_cores = p->sockets * p->nodes * p->llcs * p->clusters * p->cores;
	struct err e;

	t->name = p->name;
	t->n_cpus = (size_t)(n_cores * p->smt);
	t->cpus = ARENA_ARRAY(a, struct topo_cpu, t->n_cpus);
	t->n_nodes = (size_t)n_nodes;
	t->distances = ARENA_ARRAY(a, int, n_nodes *n_nodes);
	for (int i = 0; i < n_nodes * n_nodes; i++)
		t->distances[i] = p->distances ? p->distances[i] : 10;
	for (int core = 0; core < n_cores; core++) {
		int cluster = core / p->cores;
		int llc = cluster / p->clusters;
		int node = llc / p->llcs;
		int package = node / p->nodes;

		for (int s = 0; s < p->smt; s++) {
			int id = p->far ? core + s * n_cores : core * p->smt + s;

			t->cpus[id] = (struct topo_cpu){
				.id = id,
				.core = core,
				.cluster = p->has_clusters ? cluster : TOPO_NONE,
				.llc = llc,
				.die = p->llcs > 1 && !p->has_clusters ? llc : package,
				.package = package,
				.node = by_package || p->distances ? node : 0,
			};
		}
	}
	if (topo_check(t, &e) != 0)
		BUG("preset %s: %s", p->name, e.msg);
	return t;
}

const char *topo_preset_command(struct arena *a, const struct topo_preset *p)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	bool x86 = strcmp(p->arch, "x86_64") == 0;

	if (!p->qemu)
		return NULL;
	sbuf_addf(&b, "qemu-system-%s", p->arch);
	for (size_t i = 0; p->qemu[i]; i++)
		sbuf_addf(&b, " %s", p->qemu[i]);
	sbuf_addf(&b,
		" -m %dM -nographic -no-reboot -kernel %s -initrd initrd -append "
		"'console=%s panic=-1'",
		p->mem_mb ? p->mem_mb : 1024, x86 ? "bzImage" : "Image",
		x86 ? "ttyS0" : "ttyAMA0");
	return arena_strndup(a, b.buf, b.len);
}
