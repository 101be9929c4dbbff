/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent_main.c - `wakelist-runner agent`: settings and start. */
#include "base/base.h"
#include "runners/tools.h"

#include "base/conf.h"
#include "base/log.h"
#include "runners/agent.h"
#include "runners/cache.h"
#include <limits.h>
#include <unistd.h>

#define ROW(n, t, f, d, lo, hi, h)                                                       \
	{                                                                                \
		.name = n, .type = t, .offset = offsetof(struct agent_conf, f),          \
		.dflt = d, .min = lo, .max = hi, .help = h                               \
	}

static const struct conf_entry entries[] = {
	ROW("server", CONF_STR, server, "http://127.0.0.1:8080", 0, 0,
		"where wakelistd listens"),
	ROW("token_file", CONF_STR, token_file, NULL, 0, 0,
		"file with a token of the role runner"),
	ROW("cache", CONF_STR, cache, "/var/cache/wakelist-runner", 0, 0,
		"folder for sources, build trees and jobs; may be lost"),
	ROW("name", CONF_STR, name, NULL, 0, 60,
		"of this machine; default: its host name"),
	ROW("kinds", CONF_STR, kinds, "build,boot", 0, 100, "kinds of jobs it takes"),
	ROW("jobs", CONF_INT, n_jobs, "1", 1, 64, "jobs at a time"),
	ROW("cache_limit", CONF_BYTES, cache_limit_bytes, "40G", 0, 0,
		"disk that build trees may take"),
};

static const struct conf_table table = {
	.program = "wakelist-runner",
	.usage = "wakelist-runner agent [OPTION]...",
	.summary = "Takes jobs from a server and runs them in sandboxes on this machine.",
	.entries = entries,
	.n_entries = ARRAY_LEN(entries),
};

/* The job's process is started elsewhere, so its paths must not be relative. */
static const char *absolute(struct arena *a, const char *path)
{
	char cwd[PATH_MAX];

	if (!path || path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return path;
	return arena_printf(a, "%s/%s", cwd, path);
}

int tool_agent(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct agent_conf c = {0};
	char host[64] = "runner";
	char **operands;
	bool done = false;
	struct err e = {0};
	int n;

	if (conf_load(&table, a, &c, argc + 1, argv - 1, &n, &operands, &done, &e)) {
		fprintf(stderr, "wakelist-runner: %s\n", e.msg);
		return 2;
	}
	if (done)
		return 0;
	if (n || !c.token_file) {
		fprintf(stderr, "wakelist-runner: %s\n",
			n ? "agent takes no operands" : "--token-file is needed");
		return 2;
	}
	gethostname(host, sizeof(host) - 1);
	c.name = c.name ? c.name : host;
	c.token_file = absolute(a, c.token_file);
	c.cache = absolute(a, c.cache);
	if (agent_run(&c, &e)) {
		log_error("agent_end", "code=%s err=%s", err_code_name(e.code),
			log_q(e.msg));
		return 3;
	}
	log_info("agent_end", "why=stopped");
	return 0;
}
