/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - settings of wakelistd and the one struct that everything hangs on. */
#ifndef WL_SERVER_SERVER_H
#define WL_SERVER_SERVER_H

#include "base/base.h"

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"

struct auth;
struct db;
struct db_listen;
struct event_base;
struct evloop;
struct http;
struct io;
struct janitor;
struct lease;
struct sse;
struct static_files;
struct watch;

struct server_conf {
	const char *data;   /* folder */
	const char *db;     /* DSN; NULL: the cluster in DATA/pg */
	const char *listen; /* ADDRESS:PORT */
	const char *web;    /* folder of the pages */
	const char *contact;
	const char *log_level;
	int64_t db_conns;
	int64_t max_conns;
	int64_t http_timeout_ms;
	int64_t max_streams;
	int64_t keep_events;
	bool watch; /* poll lists */
};

struct server {
	struct server_conf conf;
	struct arena *a; /* as long as the server */
	const char *blob_root, *joblog_root;
	struct evloop *loop;
	struct event_base *base; /* borrowed from loop */
	struct db *db;
	struct db_listen *listen;
	struct io *io;
	struct http *http;
	struct auth *auth;
	struct sse *sse;
	struct static_files *web;
	struct lease *lease;
	struct watch *watch;
	struct janitor *janitor;
	struct event *stop_tick;
	int64_t start_ns, stop_ns; /* stop_ns: 0 until asked to stop */
	bool db_up;
};

extern const struct conf_table server_conf_table;

/* serve.c: runs until SIGTERM. Returns the exit status. */
int server_serve(struct server_conf *conf, struct arena *a);
/* cmd.c: offline subcommands; argv are the operands after the name. */
int cmd_migrate(const struct server_conf *conf, struct arena *a, int argc, char **argv);
int cmd_token(const struct server_conf *conf, struct arena *a, int argc, char **argv);
int cmd_setting(const struct server_conf *conf, struct arena *a, int argc, char **argv);
/* docs/api.md, from the table of routes. */
void api_print_markdown(FILE *out);

#endif
