/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakelist-worker: the supervisor; with --job, one of its own children. */
#include "base/base.h"

#include "base/conf.h"
#include "base/log.h"
#include "workers/child.h"
#include "workers/supervise.h"

struct options {
	char *data, *db, *smtp;
	int64_t jobs, lease_ms, poll_ms;
};

static const struct conf_entry entries[] = {
	{"data", CONF_STR, offsetof(struct options, data), "./data", 0, 0,
		"folder of blobs, trees and scratch files"},
	{"db", CONF_STR, offsetof(struct options, db), NULL, 0, 0,
		"PostgreSQL, as libpq reads it: \"host=DIR dbname=wakelist\" or a URI"},
	{"jobs", CONF_INT, offsetof(struct options, jobs), "2", 1, SUPERVISE_JOBS_MAX,
		"children at once"},
	{"smtp", CONF_STR, offsetof(struct options, smtp), NULL, 0, 0,
		"mail server for approved replies: smtp://HOST:PORT or "
		"smtps://HOST:PORT"},
	{"lease", CONF_MS, offsetof(struct options, lease_ms), "60s", 1000, 600000,
		"how long a job is ours without a sign of life"},
	{"poll", CONF_MS, offsetof(struct options, poll_ms), "5s", 50, 60000,
		"longest time between two looks at the queue"},
};

static const struct conf_table table = {
	.program = "wakelist-worker",
	.usage = "wakelist-worker --data DIR --db DSN [OPTION]...",
	.summary = "Claims jobs from the database and runs each in a child of its own:\n"
		   "trees, mail, applying, planning, analysis and replies.",
	.entries = entries,
	.n_entries = ARRAY_LEN(entries),
};

int main(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct options o = {0};
	struct supervise_opts run;
	struct err e = {0};
	char **operands;
	int n_operands;
	bool done = false;

	if (argc == 2 && strcmp(argv[1], "--job") == 0)
		return child_main();
	if (conf_load(&table, a, &o, argc, argv, &n_operands, &operands, &done, &e) !=
		0) {
		fprintf(stderr, "wakelist-worker: %s\n", e.msg);
		return 2;
	}
	if (done)
		return 0;
	if (n_operands || !o.db || !o.db[0]) {
		fprintf(stderr, "wakelist-worker: %s; see --help\n",
			n_operands ? "too many arguments" : "--db is missing");
		return 2;
	}
	run = (struct supervise_opts){
		o.data, o.db, o.smtp, o.jobs, o.lease_ms, o.poll_ms};
	if (supervise_run(&run, &e) != 0) {
		log_error("worker_stop", "why=%s", log_q(e.msg));
		return 3;
	}
	return 0;
}
