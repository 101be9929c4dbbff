/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.c - start, the wiring of the parts, and a graceful stop. */
#include "base/base.h"

#include "server/server.h"

#include "base/blob.h"
#include "base/clock.h"
#include "base/evloop.h"
#include "base/file.h"
#include "base/jx.h"
#include "base/log.h"
#include "db/db.h"
#include "db/db_migrate.h"
#include "db/q_api_event.h"
#include "server/auth.h"
#include "server/http.h"
#include "server/io.h"
#include "server/janitor.h"
#include "server/lease.h"
#include "server/spool.h"
#include "server/sse.h"
#include "server/static.h"
#include "server/watch.h"

#include "sql_queries.h"
#include <event2/event.h>
#include <poll.h>
#include <signal.h>

#define STOP_MS      5000
#define STOP_TICK_MS 20
#define DB_WAIT_S    60

static const char *const channels[] = {"wl_event", "wl_job_runner", "wl_token"};

/* ---- what the database says ---- */

static void on_schema(const struct db_result *r, const struct err *why, void *arg)
{
	struct server *srv = arg;
	struct err e = {0};

	if (db_schema_check(r, why, &e) == ERR_CONFLICT) {
		log_error("schema", "why=%s", log_q(e.msg));
		raise(SIGTERM);
	} else if (!why) {
		srv->db_up = true;
	}
}

static void on_notify(const char *channel, const char *payload, void *arg)
{
	struct server *srv = arg;
	int64_t id;
	struct err e = {0};

	if (srv->stop_ns)
		return;
	if (strcmp(channel, "wl_event") == 0) {
		if (jx_id_parse(payload, &id, &e) == 0)
			sse_notify(srv->sse, id);
	} else if (strcmp(channel, "wl_token") == 0) {
		auth_flush(srv->auth);
	} else {
		lease_wake(srv->lease);
	}
}

static void on_up(void *arg)
{
	struct server *srv = arg;

	if (srv->stop_ns)
		return;
	log_info("db_up", "channels=%zu", ARRAY_LEN(channels));
	/* somebody may have migrated it meanwhile */
	db_send(srv->db, &sql_migration_list, DB_NO_ARGS, Q_API_DEADLINE_MS, on_schema,
		srv);
	auth_flush(srv->auth);
	sse_up(srv->sse);
	lease_wake(srv->lease);
}

static void on_down(const char *why, void *arg)
{
	struct server *srv = arg;

	if (srv->db_up)
		log_warn("db_down", "why=%s", log_q(why));
	srv->db_up = false;
}

static const struct db_listen_ops listen_ops = {
	.on_notify = on_notify, .on_up = on_up, .on_down = on_down};

/* Before anything else: is this our schema? Waits while the database starts. */
static int check_schema(struct server *srv, struct err *e)
{
	for (int tries = 0;; tries++) {
		CLEANUP(db_sync_closep) struct db_sync *s = NULL;
		struct db_result *r = NULL;
		struct err why = {0};
		int status = db_sync_open(srv->conf.db, &s, &why);

		if (status == 0)
			status = db_sync_exec(
				s, &sql_migration_list, DB_NO_ARGS, srv->a, &r, &why);
		status = db_schema_check(
			status == 0 ? r : NULL, status == 0 ? NULL : &why, e);
		if (status != ERR_UNAVAILABLE || tries == DB_WAIT_S)
			return status;
		if (tries == 0)
			log_warn("db_wait", "why=%s", log_q(e->msg));
		poll(NULL, 0, 1000);
	}
}

/* ---- stop ---- */

static void on_stop_tick(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct server *srv = arg;
	int64_t ms = (clock_mono_ns() - srv->stop_ns) / NS_PER_MS;

	http_close_idle(srv->http);
	if (http_n_open(srv->http) == 0 && http_n_conns(srv->http) == 0) {
		log_info("stopped", "ms=%lld", (long long)ms);
		evloop_break(srv->loop);
	} else if (ms >= STOP_MS) {
		log_warn("stopped", "ms=%lld requests=%d connections=%d", (long long)ms,
			http_n_open(srv->http), http_n_conns(srv->http));
		evloop_break(srv->loop);
	}
}

static void on_stop(void *arg)
{
	static const struct timeval period = {0, STOP_TICK_MS * 1000};
	struct server *srv = arg;

	if (srv->stop_ns)
		return;
	srv->stop_ns = clock_mono_ns();
	log_info("stopping", "requests=%d connections=%d streams=%d",
		http_n_open(srv->http), http_n_conns(srv->http), sse_n_clients(srv->sse));
	janitor_stop(srv->janitor);
	if (srv->watch)
		watch_stop(srv->watch);
	sse_close_all(srv->sse);
	lease_stop(srv->lease);
	http_stop_accepting(srv->http);
	srv->stop_tick = event_new(srv->base, -1, EV_PERSIST, on_stop_tick, srv);
	event_add(srv->stop_tick, &period);
}

/* ---- SIGHUP ---- */

struct reload {
	struct server *srv;
	struct static_files *files;
	struct err err;
};

static void work_reload(void *arg)
{
	struct reload *r = arg;

	if (static_load(r->srv->conf.web, &r->files, &r->err) != 0)
		r->files = NULL;
}

static void done_reload(void *arg)
{
	struct reload *r = arg;

	if (r->files) {
		static_free(r->srv->web);
		r->srv->web = r->files;
		log_info("pages_reloaded", "folder=%s", log_q(r->srv->conf.web));
	} else {
		log_warn("pages_kept", "why=%s", log_q(r->err.msg));
	}
	free(r);
}

static void on_hup(void *arg)
{
	struct reload *r = base_zalloc(sizeof(*r));

	r->srv = arg;
	io_submit(r->srv->io, work_reload, done_reload, r);
}

/* ---- start ---- */

static int prepare_data(struct server *srv, int *ret_lock, struct err *e)
{
	const char *data = srv->conf.data;
	int status = file_mkdir_p(arena_printf(srv->a, "%s/run", data), 0755, e);

	srv->blob_root = arena_printf(srv->a, "%s/blobs", data);
	srv->joblog_root = arena_printf(srv->a, "%s/joblogs", data);
	if (status == 0)
		status = file_lock(
			arena_printf(srv->a, "%s/run/wakelistd.lock", data), ret_lock, e);
	if (status == ERR_BUSY)
		return err_wrap(e, "data folder %s is in use", data);
	if (status == 0)
		status = file_mkdir_p(srv->joblog_root, 0755, e);
	return status ? status : spool_prepare(srv->blob_root, e);
}

static int start(struct server *srv, int *ret_lock, struct err *e)
{
	int status = prepare_data(srv, ret_lock, e);

	if (status == 0)
		status = static_load(srv->conf.web, &srv->web, e);
	if (status == 0)
		status = check_schema(srv, e);
	if (status != 0)
		return status;
	srv->loop = evloop_new();
	srv->base = evloop_base(srv->loop);
	srv->io = io_new(srv->base);
	status = http_new(srv, srv->conf.listen, &srv->http, e);
	if (status != 0)
		return status;
	srv->db = db_new(srv->base, srv->conf.db, (int)srv->conf.db_conns);
	srv->auth = auth_new(srv->db);
	srv->sse = sse_new(srv);
	srv->lease = lease_new(srv);
	srv->janitor = janitor_new(srv);
	if (srv->conf.watch)
		srv->watch = watch_new(srv);
	srv->listen = db_listen_new(
		srv->base, srv->conf.db, channels, ARRAY_LEN(channels), &listen_ops, srv);
	evloop_on_stop(srv->loop, on_stop, srv);
	evloop_on_hup(srv->loop, on_hup, srv);
	return 0;
}

/* Every open request is answered before the HTTP server goes: disk first, since what it
 * finishes may ask the database; then the database, which cancels what is left. */
static void release(struct server *srv)
{
	db_listen_free(srv->listen);
	if (srv->io)
		io_drain(srv->io);
	if (srv->db)
		db_free(srv->db);
	http_free(srv->http);
	io_free(srv->io);
	janitor_free(srv->janitor);
	watch_free(srv->watch);
	lease_free(srv->lease);
	sse_free(srv->sse);
	auth_free(srv->auth);
	static_free(srv->web);
	if (srv->stop_tick)
		event_free(srv->stop_tick);
	if (srv->loop)
		evloop_free(srv->loop);
}

int server_serve(struct server_conf *conf, struct arena *a)
{
	struct server srv = {.conf = *conf, .a = a, .start_ns = clock_mono_ns()};
	CLEANUP(base_closep) int lock = -1;
	struct err e = {0};
	int status = start(&srv, &lock, &e);

	signal(SIGPIPE, SIG_IGN);
	if (status == 0) {
		log_info("listening", "at=%s port=%d data=%s version=%s", conf->listen,
			http_port(srv.http), log_q(conf->data), WL_VERSION);
		status = evloop_run(srv.loop, &e);
	}
	if (status == 0 && !srv.stop_ns)
		on_stop(&srv); /* a second signal broke the loop */
	release(&srv);
	if (status == 0)
		return 0;
	fprintf(stderr, "wakelistd: %s\n", e.msg);
	return 3;
}
