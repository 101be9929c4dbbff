/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "base/sha256.h"
#include "db/q_api_runner.h"
#include "server/joblogs.h"
#include "server/lease.h"
#include "server/result.h"
#include "server/server.h"

#define CAPS_MAX 256

void api_runner_register(struct http_ctx *ctx)
{
	const char *name, *arch, *session;
	const char *const *caps;
	size_t n_caps;
	json_t *jcaps, *topology, *tools = NULL;
	int test_only = 0;

	if (!HTTP_UNPACK(ctx, "s:s, s:s, s:o, s:o, s?o, s:s, s?b !}", "name", &name,
		    "arch", &arch, "caps", &jcaps, "topology", &topology, "tools", &tools,
		    "session", &session, "test_only", &test_only))
		return;
	if (!api_check_name(ctx, "name", name) || !api_check_len(ctx, "arch", arch, 40) ||
		!api_check_len(ctx, "session", session, 100) ||
		!api_texts(ctx, "caps", jcaps, CAPS_MAX, &caps, &n_caps))
		return;
	if (!json_is_object(topology) || (tools && !json_is_object(tools))) {
		http_refuse(ctx, 400, ERR_INVALID, "topology and tools are objects");
		return;
	}
	if (!*session) {
		http_refuse(ctx, 400, ERR_INVALID, "session is empty");
		return;
	}
	q_api_runner_register_send(ctx->srv->db, ctx->who.token_id, name, arch, caps,
		n_caps, topology, tools, session, test_only, api_on_body, ctx);
}

void api_runner_lease(struct http_ctx *ctx)
{
	struct lease_ask ask = {.max = 1};
	const char *machine;
	json_t *kinds;
	json_int_t max = 1, wait_ms = 0;
	struct err e = {0};

	if (!HTTP_UNPACK(ctx, "s:s, s:s, s:o, s?I, s?I !}", "machine_id", &machine,
		    "session", &ask.session, "kinds", &kinds, "max", &max, "wait_ms",
		    &wait_ms))
		return;
	if (jx_id_parse(machine, &ask.machine_id, &e) != 0) {
		http_reply_err(ctx, &e);
		return;
	}
	if (!api_texts(ctx, "kinds", kinds, 16, &ask.kinds, &ask.n_kinds))
		return;
	if (max < 1 || max > LEASE_JOBS_MAX || wait_ms < 0 ||
		wait_ms > LEASE_WAIT_MAX_MS) {
		http_refuse(ctx, 400, ERR_INVALID, "max is 1 to %d, wait_ms at most %d",
			LEASE_JOBS_MAX, LEASE_WAIT_MAX_MS);
		return;
	}
	ask.max = (int)max;
	ask.wait_ms = wait_ms;
	lease_wait(ctx->srv->lease, ctx, &ask);
}

/* 409: the lease is lost or was cancelled. */
static void answer_held(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;

	if (e)
		http_reply_err(ctx, e);
	else if (db_row_bool(db_result_row(r, 0), "holds"))
		http_reply_pack(ctx, 200, jx_pack("{s:i}", "v", 1));
	else
		http_refuse(ctx, 409, ERR_CONFLICT,
			"this lease is over: it ran out, was given to another, or the "
			"job was "
			"cancelled");
}

/* {"done","total","unit","text"}, nothing else; NULL stays NULL. */
static bool check_progress(struct http_ctx *ctx, json_t *progress)
{
	double done = 0, total = 0;
	const char *unit = "", *text = "";
	struct err e = {0};

	if (!progress)
		return true;
	if (jx_unpack(progress, &e, "progress", "{s?F, s?F, s?s, s?s !}", "done", &done,
		    "total", &total, "unit", &unit, "text", &text) != 0) {
		http_reply_err(ctx, &e);
		return false;
	}
	return api_check_len(ctx, "unit", unit, 40) &&
	       api_check_len(ctx, "text", text, 500);
}

void api_runner_renew(struct http_ctx *ctx)
{
	json_t *progress = NULL;
	json_int_t fence;
	int64_t id;

	if (http_param_id(ctx, "id", &id) &&
		HTTP_UNPACK(ctx, "s:I, s?o !}", "fence", &fence, "progress", &progress) &&
		check_progress(ctx, progress))
		q_api_runner_renew_send(ctx->srv->db, ctx->who.token_id, id, fence,
			progress, answer_held, ctx);
}

void api_runner_release(struct http_ctx *ctx)
{
	json_int_t fence;
	int64_t id;

	if (http_param_id(ctx, "id", &id) && HTTP_UNPACK(ctx, "s:I !}", "fence", &fence))
		q_api_runner_give_back_send(
			ctx->srv->db, ctx->who.token_id, id, fence, answer_held, ctx);
}

/* ---- logs ---- */

struct log_piece {
	int64_t id, fence, offset;
};

static void on_holds(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const struct log_piece *p = ctx->priv;

	if (e || !db_row_bool(db_result_row(r, 0), "holds"))
		answer_held(r, e, arg);
	else
		joblog_append(ctx, p->id, p->fence, p->offset);
}

void api_runner_log(struct http_ctx *ctx)
{
	static const char *const keys[] = {"fence", "offset"};
	struct log_piece *p = ARENA_NEW(ctx->a, struct log_piece);

	ctx->priv = p;
	if (!http_param_id(ctx, "id", &p->id) ||
		!http_query_only(ctx, keys, ARRAY_LEN(keys)) ||
		!http_query_i64(ctx, "fence", 0, 1, INT64_MAX / 2, &p->fence) ||
		!http_query_i64(ctx, "offset", 0, 0, INT64_MAX / 2, &p->offset))
		return;
	if (!http_query(ctx, "fence") || !http_query(ctx, "offset")) {
		http_refuse(ctx, 400, ERR_INVALID, "?fence and offset are due");
		return;
	}
	q_api_runner_holds_send(
		ctx->srv->db, ctx->who.token_id, p->id, p->fence, on_holds, ctx);
}

/* ---- the end of a job ---- */

struct finish {
	int64_t id, fence;
	const char *outcome, *why, *log;
	json_t *result;
};

static void on_job(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const struct finish *f = ctx->priv;
	const char *const *blobs = NULL;
	const char **all, *role = NULL;
	json_auto_t *payload = NULL;
	struct err why = {0};
	size_t n = 0;
	int rc;

	if (e) {
		http_reply_err(ctx, e);
		return;
	}
	if (r->n_rows == 0) {
		http_refuse(ctx, 404, ERR_NOT_FOUND, "there is no job %lld",
			(long long)f->id);
		return;
	}
	rc = db_row_json(db_result_row(r, 0), "payload", &payload, &why);
	if (rc == 0) {
		role = json_string_value(json_object_get(payload, "role"));
		rc = result_check(ctx->a, db_row_text(db_result_row(r, 0), "kind"), role,
			f->outcome, f->result, &blobs, &n, &why);
	}
	if (rc != 0) {
		http_reply_err(ctx, &why);
		return;
	}
	all = ARENA_ARRAY(ctx->a, const char *, n + 1);
	if (n)
		memcpy(all, blobs, n * sizeof(*all));
	if (f->log)
		all[n++] = f->log;
	q_api_runner_finish_send(ctx->srv->db, ctx->who.token_id, f->id, f->fence,
		f->outcome, f->why, f->result, f->log, all, n, answer_held, ctx);
}

void api_runner_finish(struct http_ctx *ctx)
{
	struct finish *f = ARENA_NEW(ctx->a, struct finish);
	json_int_t fence;

	f->why = "";
	ctx->priv = f;
	if (!http_param_id(ctx, "id", &f->id) ||
		!HTTP_UNPACK(ctx, "s:I, s:s, s?s, s?o, s?s !}", "fence", &fence,
			"outcome", &f->outcome, "why", &f->why, "result", &f->result,
			"log", &f->log) ||
		!api_check_len(ctx, "why", f->why, 4000))
		return;
	f->fence = fence;
	if (f->log && !sha256_is_hex(f->log)) {
		http_refuse(ctx, 400, ERR_INVALID, "log is no SHA-256");
		return;
	}
	q_api_runner_job_send(ctx->srv->db, f->id, on_job, ctx);
}
