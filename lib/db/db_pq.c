/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_pq.h"

#include "base/jx.h"
#include "base/sbuf.h"
#include <inttypes.h>

/* The server looks once a second whether the client of a running statement is there. */
#define CHECK_CLIENT "-c client_connection_check_interval=1000"
#define TIMEOUT      " -c statement_timeout=" NUMBER(DB_DEADLINE_MAX_MS)
#define NUMBER(n)    NUMBER_(n)
#define NUMBER_(n)   #n

void db_pq_clearp(PGresult **r)
{
	PQclear(*r);
	*r = NULL;
}

static void quiet(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

/* "options" of the dsn, which ours must not replace. Owner: caller. */
static char *dsn_options(const char *dsn)
{
	PQconninfoOption *opts = NULL, *o;
	char *ret = NULL;

	if (strchr(dsn, '=') || strstr(dsn, "://"))
		opts = PQconninfoParse(dsn, NULL);
	for (o = opts; o && o->keyword; o++)
		if (!strcmp(o->keyword, "options") && o->val)
			ret = base_strdup(o->val);
	PQconninfoFree(opts);
	return ret;
}

static PGconn *start(const char *dsn, bool block)
{
	CLEANUP(base_freep) char *theirs = dsn_options(dsn);
	CLEANUP(sbuf_release) struct sbuf opts = SBUF_INIT;
	char timeout[16];
	PGconn *pg;

	snprintf(timeout, sizeof(timeout), "%d", DB_CONNECT_TIMEOUT_S);
	sbuf_addf(&opts, "%s%s%s%s", CHECK_CLIENT, block ? "" : TIMEOUT,
		theirs ? " " : "", theirs ? theirs : "");
	{
		const char *const keys[] = {"dbname", "client_encoding",
			"connect_timeout", "fallback_application_name", "options", NULL};
		const char *const values[] = {
			dsn, "UTF8", timeout, "wakelist", opts.buf, NULL};

		pg = block ? PQconnectdbParams(keys, values, 1)
			   : PQconnectStartParams(keys, values, 1);
	}
	if (!pg)
		BUG("out of memory for a connection");
	PQsetNoticeProcessor(pg, quiet, NULL);
	return pg;
}

PGconn *db_pq_start(const char *dsn)
{
	return start(dsn, false);
}

PGconn *db_pq_open(const char *dsn)
{
	return start(dsn, true);
}

/* ---- parameters ---- */

static char *text_array(struct arena *a, const char *const *v, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	sbuf_addc(&s, '{');
	for (size_t i = 0; i < n; i++) {
		sbuf_adds(&s, i ? ",\"" : "\"");
		for (const char *p = v[i]; *p; p++) {
			if (*p == '"' || *p == '\\')
				sbuf_addc(&s, '\\');
			sbuf_addc(&s, *p);
		}
		sbuf_addc(&s, '"');
	}
	sbuf_addc(&s, '}');
	return arena_strndup(a, s.buf, s.len);
}

static char *i64_array(struct arena *a, const int64_t *v, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	sbuf_addc(&s, '{');
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&s, "%s%" PRId64, i ? "," : "", v[i]);
	sbuf_addc(&s, '}');
	return arena_strndup(a, s.buf, s.len);
}

static char *hex_bytes(struct arena *a, const unsigned char *p, size_t n)
{
	char *out = arena_alloc(a, 2 * n + 3);

	memcpy(out, "\\x", 3);
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 + 2 * i, 3, "%02x", p[i]);
	return out;
}

static char *encode(struct arena *a, const struct db_param *p)
{
	switch (p->kind) {
	case DB_PARAM_NULL:
		return NULL;
	case DB_PARAM_I64:
		return arena_printf(a, "%" PRId64, p->i64);
	case DB_PARAM_F64:
		return arena_printf(a, "%.17g", p->f64);
	case DB_PARAM_BOOL:
		return arena_strdup(a, p->i64 ? "t" : "f");
	case DB_PARAM_TEXT:
		return arena_strdup(a, p->p);
	case DB_PARAM_JSON: {
		CLEANUP(base_freep) char *text = jx_dump(p->p);

		return arena_strdup(a, text);
	}
	case DB_PARAM_BYTES:
		return hex_bytes(a, p->p, p->n);
	case DB_PARAM_TEXT_ARRAY:
		return text_array(a, p->p, p->n);
	case DB_PARAM_I64_ARRAY:
		return i64_array(a, p->p, p->n);
	}
	BUG("parameter of kind %d", p->kind);
}

const char **db_pq_encode(struct arena *a, const struct sql_query *q,
	const struct db_param *params, size_t n_params)
{
	const char **ret = ARENA_ARRAY(a, const char *, n_params + 1);

	if (n_params != (size_t)q->n_params)
		BUG("%s: %zu parameters, %d are due", q->name, n_params, q->n_params);
	for (size_t i = 0; i < n_params; i++)
		ret[i] = encode(a, &params[i]);
	return ret;
}

/* ---- answers ---- */

const char *db_pq_text(const PGconn *pg, char *buf, size_t size)
{
	size_t n;

	snprintf(buf, size, "%s", PQerrorMessage(pg));
	for (n = strlen(buf); n && (buf[n - 1] == '\n' || buf[n - 1] == ' '); n--)
		buf[n - 1] = '\0';
	for (char *p = buf; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return buf;
}

static int result_error(const struct sql_query *q, const PGresult *pr, struct err *e)
{
	const char *state = PQresultErrorField(pr, PG_DIAG_SQLSTATE);
	const char *text = PQresultErrorField(pr, PG_DIAG_MESSAGE_PRIMARY);
	const char *detail = PQresultErrorField(pr, PG_DIAG_MESSAGE_DETAIL);
	enum err_code code = db_sqlstate_code(state);

	if (!text) /* made by libpq itself */
		text = PQresultErrorMessage(pr);
	/* A person who reads it sees what the database said, not which query it was,
	 * except when it is our fault. */
	if (code == ERR_INTERNAL)
		err_set(e, code, "%s: %s", q ? q->name : "script", text);
	else if (detail && strncmp(state ? state : "", "23", 2) == 0)
		err_set(e, code, "%s: %s", text, detail);
	else
		err_set(e, code, "%s", text);
	if (e && state)
		snprintf(e->sqlstate, sizeof(e->sqlstate), "%s", state);
	return code;
}

static int check_rows(const struct sql_query *q, int n_rows, struct err *e)
{
	if (n_rows < q->rows_min)
		return err_set(e, ERR_NOT_FOUND, "%s: there is no such row", q->name);
	if (q->rows_max >= 0 && n_rows > q->rows_max)
		return err_set(e, ERR_INTERNAL, "%s: %d rows where %d may come", q->name,
			n_rows, q->rows_max);
	return 0;
}

int db_pq_result(const struct sql_query *q, const PGresult *pr, struct arena *a,
	struct db_result **ret, struct err *e)
{
	ExecStatusType how = PQresultStatus(pr);
	struct db_result *r;
	const char **cols;
	struct db_cell *cells;
	int status;

	if (how != PGRES_TUPLES_OK && how != PGRES_COMMAND_OK)
		return result_error(q, pr, e);
	status = q ? check_rows(q, PQntuples(pr), e) : 0;
	if (status != 0)
		return status;
	r = ARENA_NEW(a, struct db_result);
	r->query = q ? q->name : "script";
	r->n_rows = PQntuples(pr);
	r->n_cols = PQnfields(pr);
	r->cols = cols = ARENA_ARRAY(a, const char *, (size_t)r->n_cols + 1);
	r->cells = cells =
		ARENA_ARRAY(a, struct db_cell, (size_t)r->n_rows * (size_t)r->n_cols + 1);
	for (int i = 0; i < r->n_cols; i++)
		cols[i] = arena_strdup(a, PQfname(pr, i));
	for (int n = 0; n < r->n_rows; n++) {
		for (int i = 0; i < r->n_cols; i++, cells++) {
			if (PQgetisnull(pr, n, i))
				continue;
			cells->len = (size_t)PQgetlength(pr, n, i);
			cells->text = arena_strndup(a, PQgetvalue(pr, n, i), cells->len);
		}
	}
	if (how == PGRES_COMMAND_OK || strncmp(PQcmdStatus((PGresult *)pr), "SELECT", 6))
		r->n_changed = strtoll(PQcmdTuples((PGresult *)pr), NULL, 10);
	*ret = r;
	return 0;
}
