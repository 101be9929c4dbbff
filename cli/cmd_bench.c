// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_bench.c - wakelist bench ls | parse NAME FILE|-
 */
#include "base/base.h"

#include "base/file.h"
#include "bench/bench.h"
#include "cli/cli.h"

static const char usage[] = "usage: wakelist bench ls [--json]\n"
			    "       wakelist bench parse NAME FILE|-\n"
			    "\n"
			    "ls      the benchmarks whose output can be read\n"
			    "parse   what a benchmark printed -> its metrics as JSON; "
			    "exit status 1 where the\n"
			    "        text holds no complete result, and why\n";

static int bench_ls(int argc, char **argv)
{
	json_t *all;

	if (argc == 1 && strcmp(argv[0], "--json") != 0)
		return cli_usage("bench ls: unknown option '%s'", argv[0]);
	if (argc > 1)
		return cli_usage("bench ls takes no operands");
	if (argc == 0) {
		for (size_t i = 0; bench_parsers[i]; i++)
			printf("%-22s %s\n", bench_parsers[i]->name,
				bench_parsers[i]->summary);
		return fflush(stdout) == 0 ? CLI_OK : CLI_FAILED;
	}
	all = json_array();
	for (size_t i = 0; bench_parsers[i]; i++)
		json_array_append_new(
			all, jx_pack("{s:s, s:s, s:i}", "name", bench_parsers[i]->name,
				     "summary", bench_parsers[i]->summary, "version",
				     bench_parsers[i]->version));
	return cli_print_json(jx_pack("{s:i, s:o}", "v", 1, "benches", all));
}

static int bench_parse_file(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct bench_output *out;
	char *given[2];
	struct err e;
	int status = cli_take_files("bench parse", "NAME and FILE (or -)", argc, argv,
		given, ARRAY_LEN(given));

	if (status)
		return status;
	if (!bench_parser_find(given[0])) {
		const char *names[64];
		size_t n = 0;

		for (; bench_parsers[n] && n + 1 < ARRAY_LEN(names); n++)
			names[n] = bench_parsers[n]->name;
		names[n] = NULL;
		return cli_unknown("benchmark", given[0], names);
	}
	if (file_read(given[1], BENCH_TEXT_MAX, &text, &e) != 0)
		return cli_fail_read(&e);
	if (bench_parse(a, given[0], text.buf, text.len, &out, &e) != 0)
		return cli_fail(&e);
	status = cli_print_json(bench_output_json(out));
	if (status != CLI_OK || out->n_runs)
		return status;
	fprintf(stderr, "wakelist: %s: %s\n", given[1], out->why);
	return CLI_NO;
}

int cmd_bench(int argc, char **argv)
{
	static const char *const verbs[] = {"ls", "parse", NULL};

	if (argc > 1 && cli_is_help(argv[1])) {
		fputs(usage, stdout);
		return CLI_OK;
	}
	if (argc < 2)
		return cli_usage("bench: which of ls, parse?");
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
			fputs(usage, stdout);
			return CLI_OK;
		}
	if (strcmp(argv[1], "ls") == 0)
		return bench_ls(argc - 2, argv + 2);
	if (strcmp(argv[1], "parse") == 0)
		return bench_parse_file(argc - 1, argv + 1);
	return cli_unknown("bench command", argv[1], verbs);
}
