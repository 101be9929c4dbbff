/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_row.h"

#include "base/jx.h"
#include <errno.h>

struct db_row db_result_row(const struct db_result *r, int n)
{
	if (n < 0 || n >= r->n_rows)
		BUG("%s: row %d of %d", r->query, n, r->n_rows);
	return (struct db_row){.r = r, .n = n};
}

static const struct db_cell *cell(struct db_row row, const char *col)
{
	const struct db_result *r = row.r;

	for (int i = 0; i < r->n_cols; i++)
		if (!strcmp(r->cols[i], col))
			return &r->cells[(size_t)row.n * (size_t)r->n_cols + (size_t)i];
	BUG("%s: no column %s", r->query, col);
}

bool db_row_is_null(struct db_row row, const char *col)
{
	return !cell(row, col)->text;
}

int64_t db_row_i64_or(struct db_row row, const char *col, int64_t dflt)
{
	const char *text = cell(row, col)->text;
	char *end;
	long long v;

	if (!text)
		return dflt;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		BUG("%s: column %s is no integer", row.r->query, col);
	return v;
}

int64_t db_row_i64(struct db_row row, const char *col)
{
	if (db_row_is_null(row, col))
		BUG("%s: column %s is null", row.r->query, col);
	return db_row_i64_or(row, col, 0);
}

double db_row_f64_or(struct db_row row, const char *col, double dflt)
{
	const char *text = cell(row, col)->text;
	char *end;
	double v;

	if (!text)
		return dflt;
	v = strtod(text, &end);
	if (end == text || *end)
		BUG("%s: column %s is no number", row.r->query, col);
	return v;
}

bool db_row_bool(struct db_row row, const char *col)
{
	const char *text = cell(row, col)->text;

	if (text && strcmp(text, "t") != 0 && strcmp(text, "f") != 0)
		BUG("%s: column %s is no bool", row.r->query, col);
	return text && text[0] == 't';
}

const char *db_row_text(struct db_row row, const char *col)
{
	return cell(row, col)->text;
}

size_t db_row_len(struct db_row row, const char *col)
{
	return cell(row, col)->len;
}

int db_row_json(struct db_row row, const char *col, json_t **ret_json, struct err *e)
{
	const struct db_cell *c = cell(row, col);
	json_error_t je;
	json_t *j;

	if (!c->text) {
		*ret_json = NULL;
		return 0;
	}
	j = json_loadb(c->text, c->len, JSON_DECODE_ANY, &je);
	if (!j)
		return err_set(
			e, ERR_INTERNAL, "%s: column %s: %s", row.r->query, col, je.text);
	*ret_json = j;
	return 0;
}

/* One element of an array's text form at *pp, which moves behind it. */
static char *array_element(struct arena *a, const char **pp, const char *end)
{
	const char *p = *pp;
	char *out = arena_alloc(a, (size_t)(end - p) + 1);
	size_t n = 0;
	bool quoted = *p == '"';

	if (quoted)
		p++;
	while (p < end && (quoted ? *p != '"' : *p != ',' && *p != '}')) {
		if (*p == '\\' && p + 1 < end)
			p++;
		out[n++] = *p++;
	}
	if (quoted && p < end)
		p++;
	out[n] = '\0';
	*pp = p;
	return !quoted && !strcmp(out, "NULL") ? NULL : out;
}

int db_row_text_array(struct db_row row, const char *col, struct arena *a,
	const char *const **ret_v, size_t *ret_n, struct err *e)
{
	const struct db_cell *c = cell(row, col);
	const char *p = c->text, *end = c->text ? c->text + c->len : NULL;
	const char **v = NULL;
	size_t n = 0, cap = 0;

	if (!p || !strcmp(p, "{}")) {
		*ret_v = NULL;
		*ret_n = 0;
		return 0;
	}
	if (c->len < 2 || *p != '{' || p[1] == '{' || end[-1] != '}')
		return err_set(e, ERR_INTERNAL, "%s: column %s is no array of one row",
			row.r->query, col);
	for (p++; p < end; p++) {
		char *one = array_element(a, &p, end);

		if (!one)
			return err_set(e, ERR_INTERNAL, "%s: column %s holds a NULL",
				row.r->query, col);
		*ARENA_PUSH(a, v, n, cap) = one;
		if (p < end && *p == '}')
			break;
	}
	*ret_v = v;
	*ret_n = n;
	return 0;
}

/* The longest prefix that fits decides. */
static const struct {
	const char *prefix;
	enum err_code code;
} sqlstates[] = {
	{"02", ERR_NOT_FOUND},      /* no data */
	{"08", ERR_UNAVAILABLE},    /* connection */
	{"0A", ERR_UNSUPPORTED},    /* feature */
	{"22", ERR_INVALID},        /* data: bad text form, out of range, encoding */
	{"23", ERR_CONFLICT},       /* constraint: unique, foreign key, check */
	{"23502", ERR_INTERNAL},    /* not null */
	{"25", ERR_INTERNAL},       /* transaction state */
	{"25006", ERR_UNAVAILABLE}, /* read-only */
	{"25P03", ERR_UNAVAILABLE}, /* idle in transaction too long */
	{"26", ERR_UNAVAILABLE},    /* a prepared statement is gone: another server */
	{"28", ERR_DENIED},         /* who are you */
	{"3D", ERR_UNAVAILABLE},    /* the database is not there */
	{"40", ERR_BUSY},           /* rolled back: deadlock, serialisation */
	{"42", ERR_INTERNAL},       /* our SQL */
	{"42501", ERR_DENIED},      /* privilege */
	{"53", ERR_UNAVAILABLE},    /* resources: disk full, too many connections */
	{"53400", ERR_BUSY},        /* a configured limit: the queue is full */
	{"54", ERR_TOO_BIG},        /* program limit */
	{"55", ERR_BUSY},           /* object not in the state: lock not available */
	{"57", ERR_UNAVAILABLE},    /* operator: shutdown, starting up */
	{"57014", ERR_TIMEOUT},     /* statement_timeout or cancelled */
	{"58", ERR_UNAVAILABLE},    /* system: I/O */
	{"P0001", ERR_CONFLICT},    /* RAISE without a code */
	{"P0002", ERR_NOT_FOUND},   /* no_data_found */
};

enum err_code db_sqlstate_code(const char *sqlstate)
{
	enum err_code code = ERR_INTERNAL;
	size_t best = 0;

	if (!sqlstate || !*sqlstate)
		return ERR_UNAVAILABLE;
	for (size_t i = 0; i < ARRAY_LEN(sqlstates); i++) {
		size_t len = strlen(sqlstates[i].prefix);

		if (len > best && !strncmp(sqlstate, sqlstates[i].prefix, len)) {
			best = len;
			code = sqlstates[i].code;
		}
	}
	return code;
}
