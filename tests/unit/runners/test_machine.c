/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_machine.c - what runs on the machine itself: sandbox, emulator, build driver. The
 * sandbox and QEMU tests skip where bubblewrap or QEMU are not to be had.
 */
#include "base/base.h"

#include "base/file.h"
#include "runners/accel.h"
#include "runners/agent.h"
#include "runners/boot.h"
#include "runners/kbuild.h"
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
/* after the above */
#include <cmocka.h>

struct box {
	struct arena *a;
	struct sandbox s;
	char dir[64];
};

static int setup(void **state)
{
	struct box *b = base_zalloc(sizeof(*b));

	b->a = arena_new();
	sandbox_probe(b->a, &b->s);
	snprintf(b->dir, sizeof(b->dir), "/tmp/wl-machine-XXXXXX");
	*state = b;
	return mkdtemp(b->dir) && !chmod(b->dir, 0755) ? 0 : -1;
}

static int teardown(void **state)
{
	struct box *b = *state;
	struct err e;
	int r = file_rm_rf(b->dir, &e);

	arena_free(b->a);
	free(b);
	return r;
}

static void sandboxed(struct box *b, const char *script, struct proc_result *pr)
{
	const char *own = arena_printf(b->a, "%s/own", b->dir);
	const char *const argv[] = {"sh", "-c", script, NULL};
	struct sandbox_spec spec = {
		.argv = argv, .cwd = own, .mounts = {{own, true}}, .n_procs_max = 4096};
	struct proc_spec ps;
	struct err e = {0};

	assert_int_equal(0, sandbox_own_dir(&b->s, own, &e));
	assert_int_equal(0, sandbox_command(b->a, &b->s, &spec, &ps, &e));
	ps.deadline_ms = 20000;
	ps.out_cap_bytes = 65536;
	proc_result_init(pr);
	assert_int_equal(0, proc_run(&ps, pr, &e));
}

static void sandbox_holds(void **state)
{
	struct box *b = *state;
	struct proc_result pr;

	if (!b->s.bwrap)
		skip();
	sandboxed(b,
		"test $(id -u) != 0 || echo root; touch /usr/x /etc/x 2>/dev/null && "
		"echo wrote; "
		"test -e /root && echo root-home; ls /sys/class/net 2>/dev/null; "
		"cat /proc/net/dev | grep -v lo: | grep : ; test -w /tmp || echo no-tmp; "
		"awk 'BEGIN{}' || echo no-awk; echo fine >out; cat out",
		&pr);
	assert_string_equal("fine\n", pr.out.buf);
	proc_result_release(&pr);
	/* it sees no process but its own */
	sandboxed(b, "ls /proc | grep -c '^[0-9]'", &pr);
	assert_true(atoi(pr.out.buf) < 10);
	proc_result_release(&pr);
}

static void sandbox_without_bwrap(void **state)
{
	struct box *b = *state;
	struct proc_result pr;

	b->s.bwrap = false;
	b->s.why = "a test";
	sandboxed(b, "id -u; pwd", &pr);
	assert_int_equal(0, pr.exit_status);
	assert_true(atoi(pr.out.buf) != 0);
	assert_non_null(strstr(pr.out.buf, "/own"));
	assert_non_null(strstr(sandbox_text(b->a, &b->s), "limits only"));
	proc_result_release(&pr);
}

/* The probe's guests run under TCG, so an answer "no" for KVM means KVM. */
static void tiny_guests(void **state)
{
	struct box *b = *state;
	static const char *const arches[] = {"x86_64", "aarch64"};
	const char *why = NULL;
	struct accel accel;
	int n = 0;

	for (size_t i = 0; i < ARRAY_LEN(arches); i++) {
		accel_probe(b->a, &b->s, arches[i], b->dir, &accel);
		assert_non_null(accel.why);
		if (!accel.qemu)
			continue;
		assert_true(
			accel_guest_speaks(b->a, &b->s, arches[i], "tcg", b->dir, &why));
		n++;
	}
	if (!n)
		skip();
}

static void qemu_arguments(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct accel accel = {.name = "tcg", .program = "qemu-system-x86_64"};
	struct boot_spec s = {.preset = topo_preset_find("guest-2l4"),
		.kernel = "/k",
		.initrd = "/i",
		.dir = "/d",
		.accel = &accel};
	CLEANUP(sbuf_release) struct sbuf line = SBUF_INIT;
	const char *const *argv;
	struct err e = {0};

	(void)state;
	assert_int_equal(0, boot_argv(a, &s, &argv, &e));
	for (; *argv; argv++)
		sbuf_addf(&line, "%s ", *argv);
	assert_non_null(strstr(line.buf, "-smp 8,sockets=2,cores=4,threads=1 "));
	assert_non_null(strstr(line.buf, "-accel tcg,thread=multi "));
	assert_non_null(strstr(line.buf, "-no-reboot "));
	assert_non_null(strstr(line.buf, "panic=-1 "));
	assert_non_null(strstr(line.buf, "-serial file:/d/serial.log "));
	assert_non_null(strstr(line.buf, "name=wakelist.results "));
	for (const struct topo_preset *p = topo_presets; p->name; p++) {
		s.preset = p;
		assert_int_equal(
			p->qemu ? 0 : ERR_UNSUPPORTED, boot_argv(a, &s, &argv, &e));
	}
}

static void config_names(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *dir = WL_SOURCE_DIR "/runners/kconfig";
	const char *const *v;
	struct err e = {0};

	(void)state;
	assert_int_equal(0, kbuild_fragments(a, dir, "x86_64", "x86_64", &v, &e));
	assert_non_null(strstr(v[0], "CONFIG_SCHED_DEBUG=y"));
	assert_null(v[1]);
	assert_int_equal(
		0, kbuild_fragments(a, dir, "x86_64", "x86_64+trace+net", &v, &e));
	assert_non_null(strstr(v[1], "CONFIG_FTRACE=y"));
	assert_non_null(strstr(v[2], "CONFIG_INET=y"));
	assert_int_equal(
		ERR_NOT_FOUND, kbuild_fragments(a, dir, "x86_64", "x86_64+none", &v, &e));
	assert_int_equal(
		ERR_INVALID, kbuild_fragments(a, dir, "x86_64", "trace", &v, &e));
	assert_int_equal(
		ERR_INVALID, kbuild_fragments(a, dir, "x86_64", "x86_64+../x", &v, &e));
	assert_int_equal(ERR_INVALID, kbuild_fragments(a, dir, "x86_64", "", &v, &e));
	assert_int_equal(
		ERR_UNSUPPORTED, kbuild_fragments(a, dir, "m68k", "m68k", &v, &e));
}

static void write_text(const char *path, const char *text, mode_t mode)
{
	struct err e = {0};

	assert_int_equal(0, file_write_atomic(path, text, strlen(text), mode, &e));
}

/* A "kernel" whose makefile is ours: what the driver does with any tree. */
static int build_with(struct box *b, const char *makefile, int64_t time_s,
	struct kbuild_result *ret, struct err *e)
{
	static const char *const fragments[] = {"CONFIG_X=y", NULL};
	const char *src = arena_printf(b->a, "%s/src", b->dir);
	struct kbuild_spec s = {.src = src,
		.out = arena_printf(b->a, "%s/out", b->dir),
		.arch = "x86_64",
		.fragments = fragments,
		.jobs = 2,
		.tag = "wl-test",
		.log_path = arena_printf(b->a, "%s/log", b->dir),
		.sandbox = &b->s,
		.limits = kbuild_limits_default};

	s.limits.time_s = time_s;
	s.limits.disk_min_bytes = 0;
	assert_int_equal(0, file_mkdir_p(src, 0755, e));
	write_text(arena_printf(b->a, "%s/Makefile", src), makefile, 0644);
	return kbuild_run(b->a, &s, ret, e);
}

#define PRODUCTS                                                                         \
	"\t@mkdir -p $(O)/arch/x86/boot $(O)/include/config\n"                           \
	"\t@echo 6.1.0-test >$(O)/include/config/kernel.release\n"

static void build_works(void **state)
{
	struct box *b = *state;
	struct kbuild_result k = {0};
	struct err e = {0};

	if (access("/usr/bin/gcc", X_OK) && access("/usr/bin/x86_64-linux-gnu-gcc", X_OK))
		skip();
	assert_int_equal(0,
		build_with(b,
			"allnoconfig:\n\t@cp $(KCONFIG_ALLCONFIG) $(O)/.config\n"
			"bzImage:\n\t@echo '  CC      a.o'\n" PRODUCTS
			"\t@echo $(KBUILD_BUILD_VERSION) >$(O)/arch/x86/boot/bzImage\n",
			100, &k, &e));
	assert_true(k.ok);
	assert_string_equal("6.1.0-test", k.release);
	assert_int_equal(1, k.log->n_compiles);
	assert_int_equal(0, access(k.kernel, R_OK));
}

static void build_fails(void **state)
{
	struct box *b = *state;
	struct kbuild_result k = {0};
	struct err e = {0};

	if (access("/usr/bin/gcc", X_OK) && access("/usr/bin/x86_64-linux-gnu-gcc", X_OK))
		skip();
	assert_int_equal(0, build_with(b,
				    "allnoconfig:\n\t@touch $(O)/.config\n"
				    "bzImage:\n\t@echo 'kernel/a.c:3:1: error: nonsense' "
				    ">&2; exit 1\n",
				    100, &k, &e));
	assert_false(k.ok);
	assert_string_equal("kernel/a.c:3: nonsense", k.why);
}

/* A patched makefile that leaves a link to a file of ours as its kernel. */
static void build_leads_out(void **state)
{
	struct box *b = *state;
	struct kbuild_result k = {0};
	struct err e = {0};

	if (access("/usr/bin/gcc", X_OK) && access("/usr/bin/x86_64-linux-gnu-gcc", X_OK))
		skip();
	assert_int_equal(
		ERR_DENIED, build_with(b,
				    "allnoconfig:\n\t@touch $(O)/.config\n"
				    "bzImage:\n" PRODUCTS
				    "\t@ln -sf /etc/passwd $(O)/arch/x86/boot/bzImage\n",
				    100, &k, &e));
}

static void build_takes_too_long(void **state)
{
	struct box *b = *state;
	struct kbuild_result k = {0};
	struct err e = {0};

	if (access("/usr/bin/gcc", X_OK) && access("/usr/bin/x86_64-linux-gnu-gcc", X_OK))
		skip();
	assert_int_equal(ERR_TIMEOUT, build_with(b,
					      "allnoconfig:\n\t@touch $(O)/.config\n"
					      "bzImage:\n\t@while :; do :; done\n",
					      1, &k, &e));
}

static void backoff(void **state)
{
	(void)state;
	assert_int_equal(500, agent_backoff_ms(0, 0));
	assert_int_equal(1000, agent_backoff_ms(1, 0));
	assert_int_equal(30000, agent_backoff_ms(9, 0));
	assert_int_equal(30000, agent_backoff_ms(1000000, 0));
	for (uint64_t seed = 1; seed != 0; seed *= 3) {
		int64_t ms = agent_backoff_ms(2, seed);

		assert_true(ms >= 2000 && ms < 2500);
		if (seed > UINT64_MAX / 3)
			break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sandbox_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(sandbox_without_bwrap, setup, teardown),
		cmocka_unit_test_setup_teardown(tiny_guests, setup, teardown),
		cmocka_unit_test(qemu_arguments),
		cmocka_unit_test(config_names),
		cmocka_unit_test_setup_teardown(build_works, setup, teardown),
		cmocka_unit_test_setup_teardown(build_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(build_leads_out, setup, teardown),
		cmocka_unit_test_setup_teardown(build_takes_too_long, setup, teardown),
		cmocka_unit_test(backoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
