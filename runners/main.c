/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - wakelist-runner: the agent of a test machine, and tools that need no server.
 */
#include "base/base.h"
#include "runners/agent.h"
#include "runners/tools.h"

static const struct tool {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} tools[] = {
	{"agent", "agent --server URL ... takes jobs from a server", tool_agent},
	{"log", "log check FILE|-     a console log -> what went wrong, JSON", tool_log},
	{"build", "build --src DIR ...  one kernel, JSON", tool_build},
	{"boot", "boot --kernel F ...  one boot on a topology, JSON", tool_boot},
};

static int usage(FILE *to, int status)
{
	fputs("usage: wakelist-runner COMMAND ...\n\n", to);
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		fprintf(to, "  %s\n", tools[i].help);
	fputs("\n`wakelist-runner COMMAND --help` says more.\n", to);
	return status;
}

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")))
		return usage(stdout, 0);
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		puts("wakelist-runner " WL_VERSION);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--job"))
		return agent_job(argv[2]); /* by the agent only */
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(tools); i++)
		if (!strcmp(argv[1], tools[i].name))
			return tools[i].run(argc - 2, argv + 2);
	return usage(stderr, 2);
}
