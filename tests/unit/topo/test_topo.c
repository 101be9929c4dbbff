// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "topo/topo.h"
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static struct topo *preset(struct arena *a, const char *name)
{
	const struct topo_preset *p = topo_preset_find(name);

	assert_non_null(p);
	return topo_preset_make(a, p);
}

/* "MC 0-3|DIE 0-7" of one CPU */
static const char *domains(struct arena *a, const struct topo *t, int cpu)
{
	struct topo_domains d = topo_domains(a, t, cpu);
	const char *s = "";

	for (size_t i = 0; i < d.n_levels; i++)
		s = arena_printf(a, "%s%s%s %s", s, i ? "|" : "", d.levels[i].name,
			cpuset_format(a, &d.levels[i].span));
	return s;
}

static void guests_have_the_domains_measured(void **state)
{
	static const struct {
		const char *name, *says;
		int cpu;
		const char *domains;
	} rows[] = {
		{"guest-1l8", "8 CPUs, one LLC", 0, "MC 0-7"},
		{"guest-2l4", "8 CPUs, two LLCs of 4", 5, "MC 4-7|DIE 0-7"},
		{"guest-smt16", "16 CPUs, 2 threads a core, one LLC", 3,
			"SMT 2-3|MC 0-15"},
		{"zen-1s16-l2x8", "16 CPUs, two LLCs of 8", 0, "MC 0-7|DIE 0-15"},
		{"zen-2s16-l4x4", "16 CPUs, four LLCs of 4", 12, "MC 12-15|DIE 0-15"},
		{"guest-2n8", "8 CPUs, two LLCs of 4, two nodes of 4", 0,
			"MC 0-3|NUMA 0-7"},
		{"clx-2s16-smt2", "16 CPUs, 2 threads a core, two LLCs of 8", 9,
			"SMT 8-9|MC 8-15|DIE 0-15"},
		{"kunpeng920-1n16", "16 CPUs, four clusters of 4, one LLC", 4,
			"CLS 4-7|MC 0-15"},
		{"kunpeng920-1n32", "32 CPUs, eight clusters of 4, one LLC", 31,
			"CLS 28-31|MC 0-31"},
		{"arm64-l4x4", "16 CPUs, four LLCs of 4", 0, "MC 0-3|DIE 0-15"},
		{"kunpeng920-2n16c4",
			"16 CPUs, four clusters of 4, two LLCs of 8, two nodes of 8", 8,
			"CLS 8-11|MC 8-15|NUMA 0-15"},
	};
	struct arena *a = *state;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct topo *t = preset(a, rows[i].name);

		assert_string_equal(topo_describe(a, t), rows[i].says);
		assert_string_equal(domains(a, t, rows[i].cpu), rows[i].domains);
	}
	while (topo_presets[n].name)
		n++;
	assert_int_equal(n, ARRAY_LEN(rows));
}

static void qemu_arguments_fit_the_preset(void **state)
{
	struct arena *a = *state;

	for (const struct topo_preset *p = topo_presets; p->name; p++) {
		struct topo *t = topo_preset_make(a, p);
		bool has_smp = false;

		assert_non_null(p->qemu);
		for (size_t i = 0; p->qemu[i]; i++) {
			if (strcmp(p->qemu[i], "-smp") != 0)
				continue;
			has_smp = true;
			assert_int_equal(atoi(p->qemu[i + 1]), t->n_cpus);
			/* QEMU 7.2: no clusters on x86, no dies on arm64 */
			assert_null(strstr(p->qemu[i + 1],
				strcmp(p->arch, "x86_64") == 0 ? "clusters" : "dies"));
		}
		assert_true(has_smp);
		assert_true(!p->distances || p->mem_mb > 0);
	}
}

static void commands_can_be_copied(void **state)
{
	assert_string_equal(topo_preset_command(*state, topo_preset_find("guest-2l4")),
		"qemu-system-x86_64 -M q35 -cpu max -smp 8,sockets=2,cores=4,threads=1 "
		"-m 1024M "
		"-nographic -no-reboot -kernel bzImage -initrd initrd -append "
		"'console=ttyS0 "
		"panic=-1'");
}

static void json_round_trip(void **state)
{
	struct arena *a = *state;

	for (const struct topo_preset *p = topo_presets; p->name; p++) {
		struct topo *t = topo_preset_make(a, p), *back;
		json_auto_t *j = topo_to_json(t);
		json_auto_t *again = NULL;
		struct err e;

		assert_int_equal(topo_from_json(a, j, &back, &e), 0);
		assert_int_equal(back->n_cpus, t->n_cpus);
		assert_memory_equal(back->cpus, t->cpus, t->n_cpus * sizeof(*t->cpus));
		again = topo_to_json(back);
		assert_true(json_equal(j, again));
	}
}

static void odd_machines_are_named(void **state)
{
#define CPU(id, core, llc, pkg, node)                                                    \
	"{\"id\":" #id ",\"core\":" #core ",\"cluster\":null,\"llc\":" #llc              \
	",\"die\":null,\"package\":" #pkg ",\"node\":" #node "}"
#define TOPO(cpus, dist)                                                                 \
	"{\"v\":1,\"name\":\"x\",\"cpus\":[" cpus "],\"distances\":" dist "}"
	static const struct {
		const char *json, *says;
	} rows[] = {
		{"{", "JSON"},
		{TOPO("", "[[10]]"), "no CPU"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(0, 1, 0, 0, 0), "[[10]]"), "twice"},
		{TOPO(CPU(1, 0, 0, 0, 0) "," CPU(0, 1, 0, 0, 0), "[[10]]"), "ascending"},
		{TOPO(CPU(1024, 0, 0, 0, 0), "[[10]]"), "not in 0..1023"},
		{TOPO(CPU(-1, 0, 0, 0, 0), "[[10]]"), "not in 0.."},
		{TOPO(CPU(null, 0, 0, 0, 0), "[[10]]"), "is null"},
		{TOPO(CPU("a", 0, 0, 0, 0), "[[10]]"), "integer"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 0, 1, 0, 0), "[[10]]"),
			"CPUs 0 and 1 share core 0 but not the llc"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 1, 0, 1, 0), "[[10]]"),
			"share llc 0 but not the package"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 1, null, 0, 0), "[[10]]"),
			"not for every CPU"},
		{TOPO(CPU(0, 0, 0, 0, 0), "[[10,20],[20,10]]"), "distances are 2 x 2"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 1, 1, 1, 1), "[[10,20],[21,10]]"),
			"back it is"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 1, 1, 1, 1), "[[10,10],[10,10]]"),
			"as near"},
		{TOPO(CPU(0, 0, 0, 0, 0) "," CPU(1, 1, 1, 1, 1), "[[10],[20,10]]"),
			"numbers"},
		{TOPO(CPU(0, 0, 0, 0, 0), "[[0]]"), "not in 1..254"},
		{TOPO(CPU(0, 0, 0, 0, 0), "[]"), "0 rows"},
		{"{\"v\":2,\"name\":\"x\",\"cpus\":[],\"distances\":[[10]]}",
			"version 2"},
		{"{\"v\":1,\"name\":\"x\",\"cpus\":[],\"distances\":[[10]],\"x\":1}",
			"x"},
		{"{\"v\":1,\"cpus\":[],\"distances\":[[10]]}", "name"},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct topo *t;
		struct err e;

		if (topo_parse(a, rows[i].json, strlen(rows[i].json), &t, &e) == 0)
			fail_msg("row %zu was accepted: %s", i, rows[i].json);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("row %zu: \"%s\" lacks \"%s\"", i, e.msg, rows[i].says);
	}
}

static void host_reads_this_machine(void **state)
{
	struct arena *a = *state;
	struct topo *t;
	struct err e;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (topo_host(a, NULL, &t, &e) != 0)
		fail_msg("%s", e.msg);
	assert_int_equal(topo_check(t, &e), 0);
	assert_true((long)t->n_cpus >= 1 && (n < 1 || (long)t->n_cpus <= n));
	assert_int_equal(topo_host(a, "/nonexistent.xml", &t, &e), ERR_INVALID);
}

/* Domains that real guests showed in debugfs, against ours. */
static void recorded_guests(void **state)
{
	static const char *const files[][2] = {
		{"x86_64-llc8-base-mix", "guest-1l8"},
		{"x86_64-llc2x4-base-mix", "guest-2l4"},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const char *path = arena_printf(
			a, WL_SOURCE_DIR "/../shared/traces/%s/topo.json", files[i][0]);
		json_auto_t *j = NULL, *ours = NULL;
		json_t *theirs, *domain, *cpu;
		struct topo *t;
		struct err e;
		size_t c, d;

		if (access(path, R_OK) != 0) {
			print_message("skipped: ../shared is absent\n");
			skip();
		}
		assert_int_equal(jx_load_file(path, TOPO_JSON_MAX, &j, &e), 0);
		if (topo_from_json(a, j, &t, &e) != 0)
			fail_msg("%s: %s", path, e.msg);
		theirs = json_object_get(j, "domains");
		json_array_foreach(theirs, c, cpu) json_array_foreach(cpu, d, domain)
			json_object_del(domain, "level");
		ours = topo_to_json(t);
		assert_true(json_equal(json_object_get(ours, "domains"), theirs));
		ours = (json_decref(ours), topo_to_json(preset(a, files[i][1])));
		assert_true(json_equal(json_object_get(ours, "domains"), theirs));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			guests_have_the_domains_measured, setup, teardown),
		cmocka_unit_test_setup_teardown(
			qemu_arguments_fit_the_preset, setup, teardown),
		cmocka_unit_test_setup_teardown(commands_can_be_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(json_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_machines_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(host_reads_this_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(recorded_guests, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
