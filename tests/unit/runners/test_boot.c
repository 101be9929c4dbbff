/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_boot.c - how a boot is judged by how QEMU ended; a script stands for QEMU. */
#include "tests/unit/unit.h"

#include "runners/boot.h"
#include <sys/stat.h>
#include <unistd.h>

/* One boot with a QEMU that does what script says in the folder of the boot. */
static struct boot_result boot(
	struct arena *a, const char *dir, const char *script, int timeout_s)
{
	static struct sandbox box;
	const char *qemu = arena_printf(a, "%s/qemu", dir);
	const char *image = arena_printf(a, "%s/image", dir);
	const char *text = arena_printf(a, "#!/bin/sh\n%s\n", script);
	struct accel accel = {.name = "tcg", .qemu = "0", .program = qemu};
	struct boot_spec s = {
		.preset = topo_preset_find("guest-1l8"),
		.kernel = image,
		.initrd = image,
		.dir = arena_printf(a, "%s/vm", dir),
		.sandbox = &box,
		.accel = &accel,
		.timeout_s = timeout_s,
		.n_runs = 1,
	};
	struct boot_result res = {0};
	struct err e;

	box.root = geteuid() == 0;
	assert_int_equal(0, chmod(dir, 0755));
	assert_ok(file_write_atomic(image, "", 0, 0644, &e), &e);
	assert_ok(file_write_atomic(qemu, text, strlen(text), 0755, &e), &e);
	assert_int_equal(0, chmod(qemu, 0755));
	assert_ok(boot_run(a, &s, &res, &e), &e);
	return res;
}

static void judged(void **state)
{
	static const struct {
		const char *script;
		int timeout_s;
		enum boot_outcome want;
		const char *why; /* "" : none */
	} cases[] = {
		{"printf 'wl begin 0 1\\n\\nwl end 0 \\n\\n' >results.raw", 30, BOOT_OK,
			""},
		{"echo '[ 0.1] Kernel panic - not syncing: no' >serial.log", 30,
			BOOT_PANICKED, "Kernel panic"},
		{"echo '[ 0.1] Kernel panic - not syncing: no' >serial.log; kill -9 $$",
			30, BOOT_PANICKED, "Kernel panic"},
		{"echo '[ 0.0] Linux version 6.1' >serial.log", 30, BOOT_NO_RESULTS,
			"the guest wrote no results"},
		{"echo '[ 0.0] Linux version 6.1' >serial.log; kill -9 $$", 30,
			BOOT_NO_EMULATOR, "QEMU was killed by signal 9"},
		{"printf 'wl begin 0 1\\n\\n' >results.raw; kill -15 $$", 30,
			BOOT_NO_EMULATOR, "QEMU was killed by signal 15"},
		{"echo 'no such machine'; exit 1", 30, BOOT_NO_EMULATOR,
			"QEMU ended with status 1: no such machine"},
		{"printf '[ 0.1] int3: 0000 [#1] SMP\n[ 0.1] Kernel panic - not syncing: "
		 "no\n' >serial.log",
			30, BOOT_NO_EMULATOR, "QEMU ran a breakpoint"},
		{"printf '[ 0.1] invalid opcode: 0000 [#1] SMP\n[ 0.1] Kernel panic - "
		 "not "
		 "syncing: no\n' >serial.log",
			30, BOOT_PANICKED, "Kernel panic"},
		{"kill -XFSZ $$", 30, BOOT_NO_RESULTS, "the guest wrote over 32 MiB"},
		{"exec sleep 60", 1, BOOT_TIMED_OUT, "no end after 1 s"},
		/* killed on its way down: the results are whole */
		{"printf 'wl begin 0 1\\n\\nwl end 0 \\n\\n' >results.raw; kill -9 $$",
			30, BOOT_OK, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct boot_result res =
			boot(a, *state, cases[i].script, cases[i].timeout_s);
		const char *why = res.why ? res.why : "";

		if (res.outcome != cases[i].want || !strstr(why, cases[i].why) ||
			(!cases[i].why[0] && why[0]))
			fail_msg("%s: %s, \"%s\"", cases[i].script,
				boot_outcome_name(res.outcome), why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {unit_folder_test(judged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
