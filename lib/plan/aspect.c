// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/aspect.h"
#include <fnmatch.h>

#define FAIR "kernel/sched/fair.c"
#define CORE "kernel/sched/core.c"

static const struct aspect_rule rules[] = {
	{FAIR, "select_idle_*", "idle_scan",
		"the search for an idle CPU runs in the wakeup of every fair task"},
	{FAIR, "update_idle_cpu_scan", "idle_scan",
		"it bounds the search for an idle CPU in wakeups"},
	{FAIR, "select_task_rq_fair", "wake_path",
		"it picks the CPU in the wakeup of every fair task"},
	{FAIR, "wake_*", "wake_path",
		"it picks between the waker's and the previous CPU in wakeups"},
	{FAIR, "*cluster*", "cluster", "it looks at clusters of CPUs in wakeups"},
	{FAIR, "*newidle*", "newidle", "a CPU that falls idle pulls tasks through it"},
	{FAIR, "load_balance*", "load_balance", "load is balanced between domains by it"},
	{FAIR, "find_busiest_*", "load_balance",
		"load is balanced between domains by it"},
	{FAIR, "update_sd_*", "load_balance", "load is balanced between domains by it"},
	{FAIR, "*nohz*", "load_balance", "idle CPUs are balanced by it"},
	{FAIR, NULL, "fair_class",
		"the fair class and its wake path are compiled into every boot"},
	{CORE, "*ttwu_queue*", "wakelist_ipi",
		"it decides which wakeups go through the wakelist and an IPI"},
	{CORE, "sched_ttwu_pending", "wakelist_ipi",
		"wakeups that went through the wakelist end in it"},
	{CORE, NULL, "wake_path",
		"every wakeup and every switch of tasks goes through it"},
	{"kernel/sched/features.h", NULL, "features",
		"switches of the scheduler change in every boot"},
	{"kernel/sched/topology.c", NULL, "topology",
		"the domains of every machine are built by it"},
	{"include/linux/sched/topology.h", NULL, "topology",
		"the domains of every machine are described by it"},
	{"include/linux/sched/sd_flags.h", NULL, "topology",
		"the flags of every domain are defined in it"},
	{"include/linux/topology.h", NULL, "topology",
		"CPUs are assigned to nodes and packages by it"},
	{"drivers/base/arch_topology.c", NULL, "topology",
		"CPUs are assigned to clusters and packages by it"},
	{"kernel/sched/pelt.c", NULL, "pelt", "the load of every task is tracked by it"},
	{"kernel/sched/pelt.h", NULL, "pelt", "the load of every task is tracked by it"},
	{"kernel/sched/idle.c", NULL, "idle_states", "every idle CPU runs in it"},
	{"drivers/cpuidle/", NULL, "idle_states", "idle CPUs choose their state by it"},
	{"kernel/sched/", NULL, "wake_path", "it is compiled into the scheduler"},
	{"include/linux/sched.h", NULL, "wake_path",
		"every file of the scheduler includes it"},
	{"include/linux/sched/", NULL, "wake_path", "the scheduler includes it"},
	{"Documentation/scheduler/", NULL, "docs", "it is documentation"},
};

static bool path_matches(const char *rule, const char *path)
{
	size_t n = strlen(rule);

	return rule[n - 1] == '/' ? strncmp(path, rule, n) == 0 : strcmp(path, rule) == 0;
}

const struct aspect_rule *aspect_find(const char *path, const char *function)
{
	const struct aspect_rule *best = NULL;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct aspect_rule *r = &rules[i];

		if (!path_matches(r->path, path))
			continue;
		if (r->function && (!function || fnmatch(r->function, function, 0) != 0))
			continue;
		if (!best || (r->function && !best->function) ||
			(!r->function == !best->function &&
				strlen(r->path) > strlen(best->path)))
			best = r;
	}
	return best;
}

bool aspect_is_compiled(const char *path)
{
	static const char *const folders[] = {
		"Documentation/", "tools/", "samples/", "LICENSES/"};
	static const char *const ends[] = {".rst", ".md", ".txt"};
	static const char *const names[] = {"MAINTAINERS", "CREDITS", "COPYING", "README",
		".mailmap", ".gitignore", ".clang-format", ".get_maintainer.ignore"};
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (len > strlen(ends[i]) &&
			strcmp(path + len - strlen(ends[i]), ends[i]) == 0)
			return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(path, names[i]) == 0)
			return false;
	return true;
}

const char *aspect_arch(const char *path)
{
	if (strncmp(path, "arch/", 5) != 0 || !strchr(path + 5, '/'))
		return NULL;
	if (strncmp(path + 5, "x86/", 4) == 0)
		return "x86_64";
	if (strncmp(path + 5, "arm64/", 6) == 0)
		return "aarch64";
	return "other";
}
