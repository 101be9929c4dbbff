/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_logcheck.c - reports of the kernel in console logs; the logs are our own. */
#include "base/base.h"

#include "base/sbuf.h"
#include "runners/logcheck.h"
#include <setjmp.h>
#include <stdarg.h>
/* after the above */
#include <cmocka.h>

#define BANNER "[    0.000000] Linux version 6.1.192 (wakelist@wakelist) #1 SMP\n"
#define INIT   "[    1.444097] Run /init as init process\n"

static struct log_check *check(struct arena *a, const char *text)
{
	struct log_check *c = NULL;
	struct err e = {0};

	assert_int_equal(0, logcheck_parse(a, text, strlen(text), &c, &e));
	return c;
}

static void one(const char *text, enum log_kind kind, int64_t line, const char *function)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a, text);

	assert_int_equal(1, c->n_events);
	assert_string_equal(log_kind_name(kind), log_kind_name(c->events[0].kind));
	assert_int_equal(line, c->events[0].line);
	if (function) {
		assert_non_null(c->events[0].function);
		assert_string_equal(function, c->events[0].function);
	} else {
		assert_null(c->events[0].function);
	}
}

static void quiet_boot(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a, BANNER INIT "[    8.855322] reboot: Power down\n");

	(void)state;
	assert_true(c->boots);
	assert_int_equal(0, c->n_events);
	assert_false(check(a, BANNER)->boots);
	assert_false(check(a, "")->boots);
}

/* What the sample's series 0010 prints. */
#define BUG_LOG                                                                          \
	BANNER                                                                           \
	"[    0.512345] ------------[ cut here ]------------\n"                          \
	"[    0.512399] kernel BUG at kernel/sched/core.c:9693!\n"                       \
	"[    0.512500] invalid opcode: 0000 [#1] PREEMPT SMP\n"                         \
	"[    0.512600] CPU: 0 PID: 1 Comm: swapper/0 Not tainted 6.1.192 #1\n"          \
	"[    0.512700] RIP: 0010:sched_init_smp+0x9d/0xf3\n"                            \
	"[    0.512800] Code: 48 8b 05 00\n"                                             \
	"[    0.512900] Call Trace:\n"                                                   \
	"[    0.513000]  <TASK>\n"                                                       \
	"[    0.513100]  ? rest_init+0xb0/0xb0\n"                                        \
	"[    0.513200]  kernel_init_freeable+0x12a/0x2d0\n"                             \
	"[    0.513300]  kernel_init+0x15/0x120\n"                                       \
	"[    0.513400]  ret_from_fork+0x22/0x30\n"                                      \
	"[    0.513500]  </TASK>\n"                                                      \
	"[    0.513600] ---[ end trace 0000000000000000 ]---\n"                          \
	"[    0.513700] RIP: 0010:sched_init_smp+0x9d/0xf3\n"                            \
	"[    0.513800] Kernel panic - not syncing: Attempted to kill init! "            \
	"exitcode=0x0000000b\n"                                                          \
	"[    0.513900] Rebooting in 1 seconds..\n"

static void bug_and_panic(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a, BUG_LOG);

	(void)state;
	assert_false(c->boots);
	assert_int_equal(2, c->n_events);
	assert_int_equal(LOG_KIND_OOPS, c->events[0].kind);
	assert_int_equal(3, c->events[0].line);
	assert_string_equal("kernel BUG at kernel/sched/core.c:9693!", c->events[0].text);
	assert_string_equal("sched_init_smp", c->events[0].function);
	assert_int_equal(3, c->events[0].n_stack);
	assert_string_equal("kernel_init_freeable", c->events[0].stack[0]);
	assert_string_equal("ret_from_fork", c->events[0].stack[2]);
	assert_int_equal(LOG_KIND_PANIC, c->events[1].kind);
	assert_int_equal(17, c->events[1].line);
}

static void null_pointer(void **state)
{
	(void)state;
	one(BANNER INIT "[   12.1] BUG: kernel NULL pointer dereference, address: "
			"0000000000000008\r\n"
			"[   12.1] #PF: supervisor read access in kernel mode\r\n"
			"[   12.1] Oops: 0000 [#1] PREEMPT SMP NOPTI\r\n"
			"[   12.1] RIP: 0010:pick_next_entity+0x14/0x80\r\n"
			"[   12.1] Call Trace:\r\n"
			"[   12.1]  <TASK>\r\n"
			"[   12.1]  pick_next_task_fair+0x44/0x3b0\r\n"
			"[   12.1]  </TASK>\r\n"
			"[   12.1] ---[ end trace 0000000000000000 ]---\r\n",
		LOG_KIND_OOPS, 3, "pick_next_entity");
}

static void arm64_oops(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a,
		"[    5.0][   T12] Unable to handle kernel paging request at virtual "
		"address 10\n"
		"[    5.0][   T12] Mem abort info:\n"
		"[    5.0][   T12] Internal error: Oops: 0000000096000004 [#1] SMP\n"
		"[    5.0][   T12] pc : select_task_rq_fair+0x1f4/0x1000\n"
		"[    5.0][   T12] lr : try_to_wake_up+0x10/0x20\n"
		"[    5.0][   T12] Call trace:\n"
		"[    5.0][   T12]  select_task_rq_fair+0x1f4/0x1000\n"
		"[    5.0][   T12]  try_to_wake_up+0x10/0x20\n"
		"[    5.0][   T12] Code: aa0003f3\n");

	(void)state;
	assert_int_equal(1, c->n_events);
	assert_string_equal("select_task_rq_fair", c->events[0].function);
	assert_int_equal(2, c->events[0].n_stack);
}

static void warn(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a,
		"<4>[   3.1] ------------[ cut here ]------------\n"
		"<4>[   3.1] rq->clock_update_flags < RQCF_ACT_SKIP\n"
		"<4>[   3.1] WARNING: CPU: 1 PID: 7 at kernel/sched/sched.h:1500 "
		"update_curr+0x1a3/0x210\n"
		"<4>[   3.1] RIP: 0010:update_curr+0x1a3/0x210\n"
		"<4>[   3.1] Call Trace:\n"
		"<4>[   3.1]  enqueue_task_fair+0x5b/0x4f0\n"
		"<4>[   3.1] irq event stamp: 12\n"
		"<4>[   3.1] ---[ end trace 0000000000000000 ]---\n"
		"<4>[   4.1] WARNING: CPU: 1 PID: 7 at kernel/sched/fair.c:10 "
		"pick+0x1/0x2\n");

	(void)state;
	assert_int_equal(2, c->n_events);
	assert_int_equal(LOG_KIND_WARN, c->events[0].kind);
	assert_string_equal("update_curr", c->events[0].function);
	assert_string_equal("enqueue_task_fair", c->events[0].stack[0]);
	assert_string_equal("pick", c->events[1].function);
}

static void lockdep(void **state)
{
	(void)state;
	one("Dec  1 23:30:17 host kernel: [   9.9] WARNING: possible circular locking "
	    "dependency detected\n"
	    "Dec  1 23:30:17 host kernel: [   9.9] 6.1.192 #1 Not tainted\n"
	    "Dec  1 23:30:17 host kernel: [   9.9] stack backtrace:\n"
	    "Dec  1 23:30:17 host kernel: [   9.9] Call Trace:\n"
	    "Dec  1 23:30:17 host kernel: [   9.9]  dump_stack_lvl+0x45/0x59\n"
	    "Dec  1 23:30:17 host kernel: [   9.9]  check_noncircular+0xd9/0xf0\n"
	    "Dec  1 23:30:17 host kernel: [   9.9]  __lock_acquire+0x11/0x20\n"
	    "Dec  1 23:30:17 host kernel: [   9.9]  _raw_spin_rq_lock_nested+0x11/0x20\n",
		LOG_KIND_LOCKDEP, 1, "_raw_spin_rq_lock_nested");
	one("[ 1.0] WARNING: suspicious RCU usage\n", LOG_KIND_LOCKDEP, 1, NULL);
	one("[ 1.0] [ BUG: Invalid wait context ]\n", LOG_KIND_LOCKDEP, 1, NULL);
}

static void stalls(void **state)
{
	(void)state;
	one("[  60.0] rcu: INFO: rcu_sched self-detected stall on CPU\n"
	    "[  60.0] rcu: \t2-....: (5250 ticks this GP) idle=1\n"
	    "[  60.0] RIP: 0010:try_to_wake_up+0x12/0x20\n",
		LOG_KIND_RCU_STALL, 1, "try_to_wake_up");
	one("[  60.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! "
	    "[kworker/1:0:15]\n"
	    "[  60.0] RIP: 0010:queued_spin_lock_slowpath+0x12/0x20\n",
		LOG_KIND_SOFT_LOCKUP, 1, "queued_spin_lock_slowpath");
	one("[ 240.0] INFO: task hackbench:99 blocked for more than 120 seconds.\n"
	    "[ 240.0]       Not tainted 6.1.192 #1\n"
	    "[ 240.0] Call Trace:\n"
	    "[ 240.0]  <TASK>\n"
	    "[ 240.0]  __schedule+0x2d1/0x830\n"
	    "[ 240.0]  schedule+0x5a/0xd0\n"
	    "[ 240.0]  pipe_read+0x3a/0x4b0\n"
	    "[ 240.0]  </TASK>\n",
		LOG_KIND_HUNG_TASK, 1, "pipe_read");
}

static void sanitizers(void **state)
{
	(void)state;
	one("[ 1.0] BUG: KASAN: slab-out-of-bounds in select_idle_cpu+0x12/0x300\n",
		LOG_KIND_KASAN, 1, "select_idle_cpu");
	one("[ 1.0] BUG: KCSAN: data-race in select_idle_cpu / update_idle_core\n",
		LOG_KIND_KCSAN, 1, "select_idle_cpu");
	one("[ 1.0] BUG: sleeping function called from invalid context at kernel/a.c:1\n",
		LOG_KIND_WARN, 1, NULL);
}

static void oom_once(void **state)
{
	(void)state;
	one("[ 9.0] hackbench invoked oom-killer: gfp_mask=0x1, order=0\n"
	    "[ 9.0] Call Trace:\n"
	    "[ 9.0]  dump_stack_lvl+0x45/0x59\n"
	    "[ 9.0]  __alloc_pages+0x3/0x4\n"
	    "[ 9.0] Mem-Info:\n"
	    "[ 9.1] Out of memory: Killed process 77 (hackbench) total-vm:1kB\n",
		LOG_KIND_OOM, 1, "__alloc_pages");
}

static void restart(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c =
		check(a, BANNER INIT "[ 5.0] reboot: Restarting system\n" BANNER INIT);

	(void)state;
	assert_int_equal(1, c->n_events);
	assert_int_equal(LOG_KIND_REBOOT, c->events[0].kind);
	c = check(a, BANNER INIT BANNER);
	assert_int_equal(1, c->n_events);
	assert_int_equal(3, c->events[0].line);
	assert_true(c->boots);
}

static void no_init(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct log_check *c = check(a, BANNER INIT
		"[ 1.5] Kernel panic - not syncing: No working init found.\n");

	(void)state;
	assert_false(c->boots);
	c = check(a, BANNER INIT "[ 9.5] Kernel panic - not syncing: Fatal exception\n");
	assert_true(c->boots); /* it got there first */
	assert_int_equal(1, c->n_events);
}

static void odd_bytes(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] =
		"\0\0[ 1.0] x\n\033[1;31m[ 2.0] BUG: \xff\xfe\n[[[\n[ 3.0]";
	struct log_check *c = NULL;
	CLEANUP(base_freep) char *dump = NULL;
	json_auto_t *j = NULL;
	struct err e = {0};

	(void)state;
	assert_int_equal(0, logcheck_parse(a, text, sizeof(text) - 1, &c, &e));
	assert_int_equal(1, c->n_events);
	assert_int_equal(2, c->events[0].line);
	j = logcheck_to_json(c);
	dump = jx_dump(j);
	assert_non_null(strstr(dump, "\"kind\":\"oops\""));
	assert_int_equal(ERR_TOO_BIG,
		logcheck_parse(a, text, (size_t)LOGCHECK_TEXT_MAX + 1, &c, &e));
}

static void many_events(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct log_check *c;

	(void)state;
	for (int i = 0; i < LOGCHECK_EVENTS_MAX + 5; i++)
		sbuf_addf(&s,
			"[ 1.0] WARNING: CPU: 0 PID: 1 at a.c:%d f+0x1/0x2\n"
			"[ 1.0] ---[ end trace 0 ]---\n",
			i);
	c = check(a, s.buf);
	assert_true(c->cut);
	assert_int_equal(LOGCHECK_EVENTS_MAX, c->n_events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_boot),
		cmocka_unit_test(bug_and_panic),
		cmocka_unit_test(null_pointer),
		cmocka_unit_test(arm64_oops),
		cmocka_unit_test(warn),
		cmocka_unit_test(lockdep),
		cmocka_unit_test(stalls),
		cmocka_unit_test(sanitizers),
		cmocka_unit_test(oom_once),
		cmocka_unit_test(restart),
		cmocka_unit_test(no_init),
		cmocka_unit_test(odd_bytes),
		cmocka_unit_test(many_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
