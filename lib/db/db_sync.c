/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_pq.h"

#include "base/sbuf.h"

struct db_sync {
	PGconn *pg;
	bool *prepared; /* by sql_query.index */
};

int db_sync_open(const char *dsn, struct db_sync **ret, struct err *e)
{
	struct db_sync *s;
	char text[400];
	PGconn *pg = db_pq_open(dsn);

	if (PQstatus(pg) != CONNECTION_OK) {
		db_pq_text(pg, text, sizeof(text));
		PQfinish(pg);
		return err_set(e, ERR_UNAVAILABLE, "no database: %s", text);
	}
	s = base_zalloc(sizeof(*s));
	s->pg = pg;
	s->prepared = base_zalloc((size_t)sql_n_queries * sizeof(bool) + 1);
	*ret = s;
	return 0;
}

void db_sync_close(struct db_sync *s)
{
	if (!s)
		return;
	PQfinish(s->pg);
	free(s->prepared);
	free(s);
}

void db_sync_closep(struct db_sync **s)
{
	db_sync_close(*s);
	*s = NULL;
}

/* libpq gives NULL only when it has no memory or no connection. */
static int lost(struct db_sync *s, const char *what, struct err *e)
{
	char text[400];

	return err_set(e, ERR_UNAVAILABLE, "the connection was lost while %s ran: %s",
		what, db_pq_text(s->pg, text, sizeof(text)));
}

static int take(struct db_sync *s, const struct sql_query *q, const char *what,
	const PGresult *pr, struct arena *a, struct db_result **ret, struct err *e)
{
	struct db_result *r;
	int status;

	if (!pr || (PQstatus(s->pg) == CONNECTION_BAD &&
			   !PQresultErrorField(pr, PG_DIAG_SQLSTATE)))
		return lost(s, what, e);
	status = db_pq_result(q, pr, a, &r, e);
	if (status == 0 && ret)
		*ret = r;
	return status;
}

static int prepare(struct db_sync *s, const struct sql_query *q, struct err *e)
{
	CLEANUP(db_pq_clearp) PGresult *pr = NULL;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int status;

	if (s->prepared[q->index])
		return 0;
	pr = PQprepare(s->pg, q->name, q->text, 0, NULL);
	status = take(s, NULL, q->name, pr, a, NULL, e);
	if (status == 0)
		s->prepared[q->index] = true;
	return status;
}

int db_sync_exec(struct db_sync *s, const struct sql_query *q,
	const struct db_param *params, size_t n_params, struct arena *a,
	struct db_result **ret, struct err *e)
{
	CLEANUP(db_pq_clearp) PGresult *pr = NULL;
	const char **values = db_pq_encode(a, q, params, n_params);
	int status = q->index < 0 ? 0 : prepare(s, q, e);

	if (status != 0)
		return status;
	if (q->index < 0)
		pr = PQexecParams(
			s->pg, q->text, q->n_params, NULL, values, NULL, NULL, 0);
	else
		pr = PQexecPrepared(s->pg, q->name, q->n_params, values, NULL, NULL, 0);
	return take(s, q, q->name, pr, a, ret, e);
}

int db_sync_script(struct db_sync *s, const char *sql, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	return db_sync_text(s, sql, a, NULL, e);
}

int db_sync_text(struct db_sync *s, const char *sql, struct arena *a,
	struct db_result **ret, struct err *e)
{
	CLEANUP(db_pq_clearp) PGresult *pr = PQexec(s->pg, sql);

	return take(s, NULL, "a script", pr, a, ret, e);
}

int db_sync_begin(struct db_sync *s, struct err *e)
{
	return db_sync_script(s, "BEGIN", e);
}

int db_sync_commit(struct db_sync *s, struct err *e)
{
	CLEANUP(db_pq_clearp) PGresult *pr = PQexec(s->pg, "COMMIT");

	/* COMMIT of a failed transaction is no error for the database. */
	if (pr && PQresultStatus(pr) == PGRES_COMMAND_OK &&
		strcmp(PQcmdStatus(pr), "COMMIT") != 0)
		return err_set(e, ERR_CONFLICT, "the transaction had failed before");
	{
		CLEANUP(arena_freep) struct arena *a = arena_new();

		return take(s, NULL, "COMMIT", pr, a, NULL, e);
	}
}

void db_sync_rollback(struct db_sync *s)
{
	if (PQtransactionStatus(s->pg) != PQTRANS_IDLE)
		PQclear(PQexec(s->pg, "ROLLBACK"));
}

/* Type names by the server's own function, so that none is listed here; a domain counts
 * as the type under it. */
static int type_names(struct db_sync *s, const Oid *types, int n, struct arena *a,
	const char **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	for (int i = 0; i < n; i++) {
		CLEANUP(db_pq_clearp) PGresult *pr = NULL;
		const char *value = arena_printf(a, "%u", types[i]);
		struct db_result *r;
		int status;

		pr = PQexecParams(s->pg,
			"SELECT format_type(CASE typtype WHEN 'd' THEN typbasetype "
			"ELSE oid END, NULL) FROM pg_type WHERE oid = $1::oid",
			1, NULL, &value, NULL, NULL, 0);
		status = take(s, NULL, "format_type", pr, a, &r, e);
		if (status != 0)
			return status;
		sbuf_addf(&out, "%s%s", i ? ", " : "", r->cells[0].text);
	}
	*ret = arena_strndup(a, out.buf, out.len);
	return 0;
}

int db_sync_describe(struct db_sync *s, const struct sql_query *q, struct arena *a,
	const char **ret_params, const char **ret_result, struct err *e)
{
	CLEANUP(db_pq_clearp) PGresult *pr = NULL;
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	Oid *types;
	int status = prepare(s, q, e), n;
	const char *params;

	if (status != 0)
		return status;
	pr = PQdescribePrepared(s->pg, q->name);
	status = take(s, NULL, q->name, pr, a, NULL, e);
	if (status != 0)
		return status;
	n = PQnparams(pr);
	types = ARENA_ARRAY(a, Oid, (size_t)n + 1);
	for (int i = 0; i < n; i++)
		types[i] = PQparamtype(pr, i);
	status = type_names(s, types, n, a, &params, e);
	for (int i = 0; status == 0 && i < PQnfields(pr); i++) {
		Oid type = PQftype(pr, i);
		const char *name;

		status = type_names(s, &type, 1, a, &name, e);
		if (status == 0)
			sbuf_addf(&out, "%s%s %s", i ? ", " : "", PQfname(pr, i), name);
	}
	if (status != 0)
		return status;
	*ret_params = params;
	*ret_result = arena_strndup(a, out.buf, out.len);
	return 0;
}
