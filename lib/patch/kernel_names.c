// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/kernel_names.h"

static const struct kernel_name paths[] = {
	{"kernel/sched.c", "kernel/sched/core.c", "v3.3"},
	{"kernel/sched_autogroup.c", "kernel/sched/auto_group.c", "v3.3"},
	{"kernel/sched_autogroup.h", "kernel/sched/auto_group.h", "v3.3"},
	{"kernel/sched_clock.c", "kernel/sched/clock.c", "v3.3"},
	{"kernel/sched_cpupri.c", "kernel/sched/cpupri.c", "v3.3"},
	{"kernel/sched_cpupri.h", "kernel/sched/cpupri.h", "v3.3"},
	{"kernel/sched_debug.c", "kernel/sched/debug.c", "v3.3"},
	{"kernel/sched_fair.c", "kernel/sched/fair.c", "v3.3"},
	{"kernel/sched_features.h", "kernel/sched/features.h", "v3.3"},
	{"kernel/sched_idletask.c", "kernel/sched/idle_task.c", "v3.3"},
	{"kernel/sched_rt.c", "kernel/sched/rt.c", "v3.3"},
	{"kernel/sched_stats.h", "kernel/sched/stats.h", "v3.3"},
	{"kernel/sched_stoptask.c", "kernel/sched/stop_task.c", "v3.3"},
	{"kernel/cpu/idle.c", "kernel/sched/idle.c", "v3.15"},
	{"kernel/sched/auto_group.c", "kernel/sched/autogroup.c", "v4.11"},
	{"kernel/sched/auto_group.h", "kernel/sched/autogroup.h", "v4.11"},
	{"kernel/sched/idle_task.c", "kernel/sched/idle.c", "v4.17"},
};

static const struct kernel_name functions[] = {
	{"idle_balance", "newidle_balance", "v5.4"},
	{"newidle_balance", "sched_balance_newidle", "v6.10"},
	{"load_balance", "sched_balance_rq", "v6.10"},
	{"rebalance_domains", "sched_balance_domains", "v6.10"},
	{"run_rebalance_domains", "sched_balance_softirq", "v6.10"},
	{"trigger_load_balance", "sched_balance_trigger", "v6.10"},
	{"find_busiest_group", "sched_balance_find_src_group", "v6.10"},
	{"find_busiest_queue", "sched_balance_find_src_rq", "v6.10"},
	{"find_idlest_group", "sched_balance_find_dst_group", "v6.10"},
	{"find_idlest_group_cpu", "sched_balance_find_dst_group_cpu", "v6.10"},
	{"find_idlest_cpu", "sched_balance_find_dst_cpu", "v6.10"},
	{"update_blocked_averages", "sched_balance_update_blocked_averages", "v6.10"},
	{"scheduler_tick", "sched_tick", "v6.10"},
};

static const struct kernel_name *next(
	const struct kernel_name *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(v[i].was, name))
			return &v[i];
	}
	return NULL;
}

const struct kernel_name *kernel_path_next(const char *path)
{
	return next(paths, ARRAY_LEN(paths), path);
}

const struct kernel_name *kernel_function_next(const char *name)
{
	return next(functions, ARRAY_LEN(functions), name);
}
