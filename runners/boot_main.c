/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot_main.c - `wakelist-runner boot`: what the job kind does, by hand. */
#include "base/base.h"
#include "runners/tools.h"

#include "base/file.h"
#include "runners/boot.h"
#include "runners/initramfs.h"
#include <getopt.h>
#include <unistd.h>

static int usage(FILE *to, int status)
{
	fputs("usage: wakelist-runner boot --kernel FILE --topo NAME --dir DIR [--runs "
	      "N]\n"
	      "                            [--timeout SECONDS] [-- COMMAND...]\n\n"
	      "Boots the kernel in QEMU on a topology preset, runs COMMAND (default\n"
	      "\"hackbench -p -g 1 -l 200\") N times inside and prints JSON. DIR gets\n"
	      "serial.log, results.raw and the initramfs.\n"
	      "Exit status 1: it panicked, hung or gave no results.\n",
		to);
	return status;
}

static json_t *argv_json(const char *const *argv)
{
	json_t *j = json_array();

	for (; *argv; argv++)
		json_array_append_new(j, json_string(*argv));
	return j;
}

static json_t *result_json(
	struct arena *a, const struct boot_spec *s, const struct boot_result *r)
{
	json_t *runs = json_array();
	json_t *log = logcheck_to_json(r->log);

	for (size_t i = 0; i < r->results->n_runs; i++) {
		const struct guest_run *g = &r->results->runs[i];

		json_array_append_new(runs,
			jx_pack("{s:b, s:i, s:i, s:o}", "warmup", g->warmup, "n", g->n,
				"status", g->status, "out", jx_text(g->out, g->out_len)));
	}
	return jx_pack(
		"{s:i, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:I, s:s}", "v",
		1, "outcome", boot_outcome_name(r->outcome), "why",
		jx_str_or_null(r->why), "booted", r->booted, "release",
		r->results->release
			? jx_text(r->results->release, strlen(r->results->release))
			: json_null(),
		"topology",
		r->results->topology
			? jx_text(r->results->topology, strlen(r->results->topology))
			: json_null(),
		"runs", runs, "log", log, "argv", argv_json(r->argv), "accel",
		s->accel->name, "accel_why", s->accel->why, "wall_ms",
		(json_int_t)r->wall_ms, "sandbox", sandbox_text(a, s->sandbox));
}

int tool_boot(int argc, char **argv)
{
	static const struct option options[] = {{"kernel", 1, NULL, 'k'},
		{"topo", 1, NULL, 't'}, {"dir", 1, NULL, 'd'}, {"runs", 1, NULL, 'r'},
		{"timeout", 1, NULL, 'T'}, {"help", 0, NULL, 'h'}, {0}};
	static const char *const command[] = {
		"hackbench", "-p", "-g", "1", "-l", "200", NULL};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf initrd = SBUF_INIT;
	CLEANUP(base_freep) char *text = NULL, *kernel = NULL;
	struct initramfs_load load = {.argv = command, .n_runs = 3};
	struct boot_spec s = {.timeout_s = 300};
	const char *topo = "guest-2l4";
	struct boot_result r;
	struct sandbox box;
	struct accel accel;
	json_auto_t *j = NULL;
	struct err e = {0};
	int c;

	optind = 0;
	while ((c = getopt_long(argc + 1, argv - 1, "", options, NULL)) != -1) {
		if (c == 'k')
			kernel = realpath(optarg, NULL);
		else if (c == 't')
			topo = optarg;
		else if (c == 'd')
			s.dir = optarg;
		else if (c == 'r')
			load.n_runs = atoi(optarg);
		else if (c == 'T')
			s.timeout_s = atoi(optarg);
		else
			return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
	}
	if (optind < argc + 1)
		load.argv = (const char *const *)&argv[optind - 1];
	s.preset = topo_preset_find(topo);
	if (!kernel || !s.dir || s.dir[0] != '/' || !s.preset)
		return usage(stderr, 2);
	load.timeout_s = s.timeout_s > 0 ? s.timeout_s : 1;
	const struct initramfs_spec spec = {
		.arch = s.preset->arch, .root = "", .loads = &load, .n_loads = 1};

	sandbox_probe(a, &box);
	s.sandbox = &box;
	s.kernel = kernel;
	s.initrd = arena_printf(a, "%s/initramfs.cpio", s.dir);
	s.n_runs = load.n_runs;
	if (sandbox_own_dir(&box, s.dir, &e) == 0)
		accel_probe(a, &box, s.preset->arch, s.dir, &accel);
	s.accel = &accel;
	if (e.code || initramfs_build(&spec, &initrd, &e) ||
		file_write_atomic(s.initrd, initrd.buf, initrd.len, 0644, &e) ||
		boot_run(a, &s, &r, &e)) {
		fprintf(stderr, "wakelist-runner: %s\n", e.msg);
		return 3;
	}
	j = result_json(a, &s, &r);
	text = jx_dump(j);
	puts(text);
	return r.outcome == BOOT_OK ? 0 : 1;
}
