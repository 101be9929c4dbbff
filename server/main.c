/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - options and subcommands of wakelistd. */
#include "base/base.h"

#include "server/server.h"

#include "base/log.h"
#include <sodium.h>

#define ENTRY(field) offsetof(struct server_conf, field)

static const struct conf_entry entries[] = {
	{"data", CONF_STR, ENTRY(data), "./data", 0, 0,
		"folder of everything that is no table: blobs, trees, logs"},
	{"db", CONF_STR, ENTRY(db), NULL, 0, 0,
		"libpq connection string; default: the cluster in DATA/pg by its socket"},
	{"listen", CONF_STR, ENTRY(listen), "127.0.0.1:8080", 0, 200,
		"ADDRESS:PORT; port 0 lets the kernel choose"},
	{"web", CONF_STR, ENTRY(web), "web", 0, 0, "folder of the pages"},
	{"contact", CONF_STR, ENTRY(contact), "mailto:postmaster@localhost", 0, 200,
		"address or URL in the User-Agent that archives see"},
	{"log_level", CONF_STR, ENTRY(log_level), "info", 0, 10,
		"error, warn, info or debug"},
	{"db_conns", CONF_INT, ENTRY(db_conns), "8", 1, 100, "database connections"},
	{"http_timeout", CONF_MS, ENTRY(http_timeout_ms), "60s", 1000, 3600000,
		"a peer that neither reads nor writes for so long is dropped"},
	{"max_conns", CONF_INT, ENTRY(max_conns), "512", 8, 10000,
		"open HTTP connections; more wait in the kernel"},
	{"max_streams", CONF_INT, ENTRY(max_streams), "200", 1, 5000, "event streams"},
	{"keep_events", CONF_INT, ENTRY(keep_events), "100000", 1000, 100000000,
		"events kept for clients that resume"},
	{"watch", CONF_BOOL, ENTRY(watch), "yes", 0, 0, "poll lists over HTTP"},
};

const struct conf_table server_conf_table = {
	.program = "wakelistd",
	.usage = "wakelistd [OPTION]... [COMMAND]",
	.summary = "Serves the API and the pages of wakelist, watches lists, and hands "
		   "jobs to "
		   "machines.\n\n"
		   "  migrate                     bring the database to this program's "
		   "schema\n"
		   "  token create NAME ROLE      make a token (admin, submitter, "
		   "runner); it "
		   "is shown once\n"
		   "  token ls | revoke NAME\n"
		   "  setting get [NAME] | set NAME VALUE\n"
		   "  --print-api-markdown        the table of routes\n"
		   "  --print-config-markdown     the table of options",
	.entries = entries,
	.n_entries = ARRAY_LEN(entries),
};

static const struct {
	const char *name;
	int (*run)(
		const struct server_conf *conf, struct arena *a, int argc, char **argv);
} commands[] = {
	{"migrate", cmd_migrate},
	{"token", cmd_token},
	{"setting", cmd_setting},
};

/* The embedded cluster, by the role that the command needs. */
static void default_dsn(struct server_conf *conf, struct arena *a, bool owner)
{
	char data[PATH_MAX]; /* libpq takes a folder only when it begins with "/" */

	if (!conf->db)
		conf->db = arena_printf(a, "host=%s/pg/sock dbname=wakelist user=%s",
			realpath(conf->data, data) ? data : conf->data,
			owner ? "wakelist_owner" : "wakelist_server");
}

static int run(struct arena *a, int argc, char **argv)
{
	struct server_conf conf = {0};
	struct err e = {0};
	enum log_level level;
	char **operands;
	int n_operands;
	bool done;

	if (conf_load(&server_conf_table, a, &conf, argc, argv, &n_operands, &operands,
		    &done, &e) != 0) {
		fprintf(stderr, "wakelistd: %s\n", e.msg);
		return 2;
	}
	if (done)
		return 0;
	if (log_parse_level(conf.log_level, &level) != 0) {
		fprintf(stderr, "wakelistd: log_level is error, warn, info or debug\n");
		return 2;
	}
	log_set_level(level);
	default_dsn(&conf, a, n_operands > 0);
	if (n_operands == 0)
		return server_serve(&conf, a);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, operands[0]) == 0)
			return commands[i].run(&conf, a, n_operands - 1, operands + 1);
	}
	fprintf(stderr, "wakelistd: unknown command \"%s\"; --help lists them\n",
		operands[0]);
	return 2;
}

int main(int argc, char **argv)
{
	struct arena *a;
	int status;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--print-api-markdown") == 0) {
			api_print_markdown(stdout);
			return 0;
		}
		if (strcmp(argv[i], "--print-config-markdown") == 0) {
			conf_print_markdown(&server_conf_table, stdout);
			return 0;
		}
	}
	if (sodium_init() < 0) {
		fprintf(stderr, "wakelistd: libsodium does not start\n");
		return 3;
	}
	a = arena_new();
	status = run(a, argc, argv);
	arena_free(a);
	return status;
}
