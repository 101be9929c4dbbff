/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build_main.c - `wakelist-runner build`: what the job kind does, by hand. */
#include "base/base.h"
#include "runners/tools.h"

#include "base/sha256.h"
#include "runners/kbuild.h"
#include <getopt.h>
#include <unistd.h>

static int usage(FILE *to, int status)
{
	fputs("usage: wakelist-runner build --src DIR --out DIR [--arch ARCH] [--config "
	      "NAME]\n"
	      "                             [--ccache DIR] [--jobs N] [--tag TEXT]\n\n"
	      "Builds the kernel in DIR, which is only read, in the sandbox and prints "
	      "JSON.\n"
	      "  --arch    x86_64 (default) or aarch64\n"
	      "  --config  ARCH (default), ARCH+net, ARCH+trace ...\n"
	      "  --tag     goes into `uname -v`\n"
	      "Exit status 1: the code does not build.\n",
		to);
	return status;
}

static void progress(void *arg, int done, int total)
{
	(void)arg;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%d%s%.0d steps ", done, total > done ? " of " : "",
			total > done ? total : 0);
}

static json_t *result_json(struct arena *a, const struct kbuild_spec *s,
	const struct kbuild_result *r, const char *sha)
{
	return jx_pack(
		"{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:I, s:s, s:s}", "v",
		1, "status", r->ok ? "ok" : "broken", "why", jx_str_or_null(r->why),
		"kernel", jx_str_or_null(r->kernel), "sha256", jx_str_or_null(sha),
		"release", jx_str_or_null(r->release), "errors",
		buildlog_issues_json(r->log->errors, r->log->n_errors), "warnings",
		buildlog_issues_json(r->log->warnings, r->log->n_warnings), "compiles",
		r->log->n_compiles, "steps", r->log->n_steps, "wall_ms",
		(json_int_t)r->wall_ms, "cc", r->cc, "sandbox",
		sandbox_text(a, s->sandbox));
}

int tool_build(int argc, char **argv)
{
	static const struct option options[] = {{"src", 1, NULL, 's'},
		{"out", 1, NULL, 'o'}, {"arch", 1, NULL, 'a'}, {"config", 1, NULL, 'c'},
		{"ccache", 1, NULL, 'C'}, {"jobs", 1, NULL, 'j'}, {"tag", 1, NULL, 't'},
		{"help", 0, NULL, 'h'}, {0}};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(base_freep) char *text = NULL, *src = NULL;
	struct kbuild_spec s = {.arch = "x86_64",
		.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
		.tag = "local",
		.limits = kbuild_limits_default,
		.progress = progress};
	const char *config = NULL, *out = NULL;
	struct sandbox box;
	struct kbuild_result r;
	json_auto_t *j = NULL;
	char sha[SHA256_HEX] = "";
	struct err e = {0};
	int c;

	optind = 0;
	while ((c = getopt_long(argc + 1, argv - 1, "", options, NULL)) != -1) {
		if (c == 's')
			src = realpath(optarg, NULL);
		else if (c == 'o')
			out = optarg;
		else if (c == 'a')
			s.arch = optarg;
		else if (c == 'c')
			config = optarg;
		else if (c == 'C')
			s.ccache_dir = optarg;
		else if (c == 'j')
			s.jobs = atoi(optarg);
		else if (c == 't')
			s.tag = optarg;
		else
			return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
	}
	if (!src || !out || out[0] != '/' || s.jobs < 1 || optind != argc + 1)
		return usage(stderr, 2);
	sandbox_probe(a, &box);
	s.src = src;
	s.out = out;
	s.sandbox = &box;
	s.log_path = arena_printf(a, "%s.log", out);
	if (kbuild_fragments(a, kbuild_config_dir(a), s.arch, config ? config : s.arch,
		    &s.fragments, &e) ||
		kbuild_run(a, &s, &r, &e) ||
		(r.ok && sha256_file_hex(r.kernel, sha, NULL, &e))) {
		fprintf(stderr, "wakelist-runner: %s\n", e.msg);
		return 3;
	}
	j = result_json(a, &s, &r, r.ok ? sha : NULL);
	text = jx_dump(j);
	puts(text);
	return r.ok ? 0 : 1;
}
