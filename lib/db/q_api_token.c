/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api_token.h"

#include "sql_queries.h"

struct find {
	q_api_token_cb *cb;
	void *arg;
};

static void on_find(const struct db_result *r, const struct err *e, void *arg)
{
	struct find f = *(struct find *)arg;
	struct q_api_token t;
	struct db_row row;

	free(arg);
	if (e || r->n_rows == 0) {
		f.cb(NULL, e, f.arg);
		return;
	}
	row = db_result_row(r, 0);
	t.id = db_row_i64(row, "id");
	t.name = db_row_text(row, "name");
	t.role = db_row_text(row, "role");
	f.cb(&t, NULL, f.arg);
}

void q_api_token_find_send(struct db *db, const unsigned char *hash, size_t len,
	q_api_token_cb *cb, void *arg)
{
	struct find *f = base_alloc(sizeof(*f));

	*f = (struct find){.cb = cb, .arg = arg};
	db_send(db, &sql_api_token_find, DB_ARGS(db_bytes(hash, len)), Q_API_DEADLINE_MS,
		on_find, f);
}

void q_api_token_all_send(struct db *db, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_token_all, DB_NO_ARGS, Q_API_DEADLINE_MS, cb, arg);
}

void q_api_token_create_send(struct db *db, const char *name, const char *role,
	const unsigned char *hash, size_t len, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_token_create,
		DB_ARGS(db_text(name), db_text(role), db_bytes(hash, len)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_token_revoke_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_token_revoke, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

/* One query whose answer does not matter beyond success. */
static int run(struct db_sync *s, const struct sql_query *q,
	const struct db_param *params, size_t n_params, struct err *e)
{
	struct arena *a = arena_new();
	int status = db_sync_exec(s, q, params, n_params, a, NULL, e);

	arena_free(a);
	return status;
}

int q_api_token_create(struct db_sync *s, const char *name, const char *role,
	const unsigned char *hash, size_t len, struct err *e)
{
	return run(s, &sql_api_token_create,
		DB_ARGS(db_text(name), db_text(role), db_bytes(hash, len)), e);
}

int q_api_token_revoke(struct db_sync *s, const char *name, struct err *e)
{
	return run(s, &sql_api_token_revoke, DB_ARGS(db_text(name)), e);
}

int q_api_token_all(
	struct db_sync *s, struct arena *a, const char **ret_json, struct err *e)
{
	struct db_result *r;
	size_t len;
	int status = db_sync_exec(s, &sql_api_token_all, DB_NO_ARGS, a, &r, e);

	if (status == 0)
		*ret_json = q_api_body(r, &len);
	return status;
}

int q_api_setting_get(struct db_sync *s, const char *name, struct arena *a,
	const char **ret_value, struct err *e)
{
	struct db_result *r;
	int status =
		db_sync_exec(s, &sql_api_setting_get, DB_ARGS(db_text(name)), a, &r, e);

	if (status != 0)
		return status;
	if (r->n_rows == 0)
		return err_set(e, ERR_NOT_FOUND, "there is no setting %s", name);
	*ret_value = db_row_text(db_result_row(r, 0), "value");
	return 0;
}

int q_api_setting_set(
	struct db_sync *s, const char *name, const char *value, struct err *e)
{
	return run(s, &sql_api_setting_set, DB_ARGS(db_text(name), db_text(value)), e);
}

int q_api_setting_all(struct db_sync *s,
	void (*each)(const char *name, const char *value, const char *help),
	struct err *e)
{
	struct arena *a = arena_new();
	struct db_result *r;
	int status = db_sync_exec(s, &sql_api_setting_all, DB_NO_ARGS, a, &r, e);

	for (int i = 0; status == 0 && i < r->n_rows; i++) {
		struct db_row row = db_result_row(r, i);

		each(db_row_text(row, "name"), db_row_text(row, "value"),
			db_row_text(row, "help"));
	}
	arena_free(a);
	return status;
}
