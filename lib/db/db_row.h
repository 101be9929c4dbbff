/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db_row.h - parameters of a query and rows of its answer.
 *
 * A result is plain memory in an arena; no libpq type leaves lib/db. Columns are read
 * by name; a name or a type that the query does not have is our fault and aborts (a
 * test compares every query with the database). Texts are borrowed from the result.
 */
#ifndef WL_DB_DB_ROW_H
#define WL_DB_DB_ROW_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

enum db_param_kind {
	DB_PARAM_NULL,
	DB_PARAM_I64,
	DB_PARAM_F64,
	DB_PARAM_BOOL,
	DB_PARAM_TEXT,
	DB_PARAM_JSON,
	DB_PARAM_BYTES,
	DB_PARAM_TEXT_ARRAY,
	DB_PARAM_I64_ARRAY,
};

/* One parameter. Pointers are borrowed until the call that takes it returns. */
struct db_param {
	enum db_param_kind kind;
	int64_t i64;
	double f64;
	const void *p;
	size_t n; /* elements of an array, bytes of DB_PARAM_BYTES */
};

static inline struct db_param db_null(void)
{
	return (struct db_param){.kind = DB_PARAM_NULL};
}
static inline struct db_param db_i64(int64_t v)
{
	return (struct db_param){.kind = DB_PARAM_I64, .i64 = v};
}
/* 0 or less becomes NULL: an id that is not there. */
static inline struct db_param db_id_or_null(int64_t id)
{
	return id > 0 ? db_i64(id) : db_null();
}
static inline struct db_param db_f64(double v)
{
	return (struct db_param){.kind = DB_PARAM_F64, .f64 = v};
}
static inline struct db_param db_bool(bool v)
{
	return (struct db_param){.kind = DB_PARAM_BOOL, .i64 = v};
}
/* Any type by its text form: text, timestamptz, interval. NULL is NULL. UTF-8. */
static inline struct db_param db_text(const char *s)
{
	return (struct db_param){.kind = s ? DB_PARAM_TEXT : DB_PARAM_NULL, .p = s};
}
/* For json and jsonb. NULL is SQL NULL. */
static inline struct db_param db_json(const json_t *j)
{
	return (struct db_param){.kind = j ? DB_PARAM_JSON : DB_PARAM_NULL, .p = j};
}
static inline struct db_param db_bytes(const void *p, size_t len)
{
	return (struct db_param){.kind = DB_PARAM_BYTES, .p = p, .n = len};
}
/* text[]; n = 0 is the empty array. */
static inline struct db_param db_text_array(const char *const *v, size_t n)
{
	return (struct db_param){.kind = DB_PARAM_TEXT_ARRAY, .p = v, .n = n};
}
static inline struct db_param db_i64_array(const int64_t *v, size_t n)
{
	return (struct db_param){.kind = DB_PARAM_I64_ARRAY, .p = v, .n = n};
}

/* DB_ARGS(db_i64(id), db_text(why)) or DB_NO_ARGS, where params and n_params are due. */
#define DB_ARGS(...)                                                                     \
	((const struct db_param[]){__VA_ARGS__}),                                        \
		ARRAY_LEN(((const struct db_param[]){__VA_ARGS__}))
#define DB_NO_ARGS NULL, 0

struct db_cell {
	const char *text; /* NUL terminated; NULL is SQL NULL */
	size_t len;
};

struct db_result {
	int n_rows, n_cols;
	const char *const *cols;     /* names */
	const struct db_cell *cells; /* row by row */
	const char *query;           /* its name, for messages */
	int64_t n_changed;           /* rows of INSERT, UPDATE, DELETE; else 0 */
};

/* One row; cheap, by value. */
struct db_row {
	const struct db_result *r;
	int n;
};

struct db_row db_result_row(const struct db_result *r, int n); /* aborts out of range */
bool db_row_is_null(struct db_row row, const char *col);
int64_t db_row_i64(struct db_row row, const char *col); /* aborts on NULL */
int64_t db_row_i64_or(struct db_row row, const char *col, int64_t dflt);
double db_row_f64_or(struct db_row row, const char *col, double dflt);
bool db_row_bool(struct db_row row, const char *col);        /* NULL is false */
const char *db_row_text(struct db_row row, const char *col); /* NULL is NULL */
size_t db_row_len(struct db_row row, const char *col);       /* bytes of the text */
/* Parses a json or jsonb column. SQL NULL gives *ret_json NULL. Owner: caller. */
int db_row_json(
	struct db_row row, const char *col, json_t **ret_json, struct err *e) MUST_CHECK;
/* Elements of a text[] column, in the arena. SQL NULL gives none. */
int db_row_text_array(struct db_row row, const char *col, struct arena *a,
	const char *const **ret_v, size_t *ret_n, struct err *e) MUST_CHECK;

/* THE table SQLSTATE -> code. NULL or "" (the connection broke) is ERR_UNAVAILABLE. */
enum err_code db_sqlstate_code(const char *sqlstate);

#endif
