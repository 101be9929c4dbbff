// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "cli/stats_input.h"
#include <limits.h>
#include <math.h>

#define ROWS_MAX    10000
#define TABLES_MAX  100000
#define COLUMNS_MAX 32

/* ---- JSON ---- */

static const char *id_text(struct arena *a, json_t *j)
{
	if (json_is_integer(j))
		return arena_printf(a, "%lld", (long long)json_integer_value(j));
	return json_is_string(j) ? arena_strdup(a, json_string_value(j)) : NULL;
}

static int numbers(struct arena *a, json_t *j, double **ret, size_t *ret_n, struct err *e)
{
	json_t *v;
	size_t i;

	if (!json_is_array(j))
		return err_set(e, ERR_INVALID, "values are no array");
	*ret_n = json_array_size(j);
	*ret = ARENA_ARRAY(a, double, *ret_n + 1);
	json_array_foreach(j, i, v)
	{
		/* null and the strings NaN, Infinity: kept, the row is refused later */
		(*ret)[i] = json_is_number(v) ? json_number_value(v) : (double)NAN;
		if (!json_is_number(v) && !json_is_null(v) && !json_is_string(v))
			return err_set(e, ERR_INVALID, "a value is no number");
	}
	return 0;
}

/* Boot or block numbers beside n values; absent: NULL. */
static int labels(struct arena *a, json_t *j, size_t n, int **ret, struct err *e)
{
	json_t *v;
	size_t i;

	*ret = NULL;
	if (!j)
		return 0;
	if (!json_is_array(j) || json_array_size(j) != n)
		return err_set(e, ERR_INVALID,
			"boots and blocks are arrays as long as the values");
	*ret = ARENA_ARRAY(a, int, n + 1);
	json_array_foreach(j, i, v)
	{
		if (!json_is_integer(v) || json_integer_value(v) < 0 ||
			json_integer_value(v) > INT_MAX)
			return err_set(e, ERR_INVALID, "a boot or block is no number");
		(*ret)[i] = (int)json_integer_value(v);
	}
	return 0;
}

/* Values grouped by boot number, in order of first appearance. */
static int group(struct arena *a, const double *x, const int *boot, const int *block,
	size_t n, const struct stats_boot **ret, size_t *ret_n, struct err *e)
{
	struct stats_boot *boots = ARENA_ARRAY(a, struct stats_boot, n + 1);
	bool *taken = ARENA_ARRAY(a, bool, n + 1);
	size_t n_boots = 0;

	for (size_t i = 0; i < n; i++) {
		double *runs;
		size_t n_runs = 0;

		if (taken[i])
			continue;
		runs = ARENA_ARRAY(a, double, boot ? n - i : 1);
		for (size_t k = i; k < n; k++) {
			if (k != i && (!boot || boot[k] != boot[i]))
				continue;
			if (block && block[k] != block[i])
				return err_set(e, ERR_INVALID,
					"boot %d stands in two blocks", boot[i]);
			taken[k] = true;
			runs[n_runs++] = x[k];
		}
		boots[n_boots++] =
			(struct stats_boot){block ? block[i] : -1, runs, n_runs};
	}
	*ret = boots;
	*ret_n = n_boots;
	return 0;
}

static int side_from_json(struct arena *a, json_t *x, json_t *boot, json_t *block,
	const struct stats_boot **ret, size_t *ret_n, struct err *e)
{
	int *boots = NULL, *blocks = NULL, status;
	double *values = NULL;
	size_t n = 0;

	status = numbers(a, x, &values, &n, e);
	if (status == 0)
		status = labels(a, boot, n, &boots, e);
	if (status == 0)
		status = labels(a, block, n, &blocks, e);
	return status == 0 ? group(a, values, boots, blocks, n, ret, ret_n, e) : status;
}

static int history_from_json(
	struct arena *a, json_t *j, struct stats_row_in *row, struct err *e)
{
	struct stats_boot *boots;
	json_t *boot;
	size_t i;

	if (!j)
		return 0;
	if (!json_is_array(j))
		return err_set(e, ERR_INVALID, "history is no array");
	boots = ARENA_ARRAY(a, struct stats_boot, json_array_size(j) + 1);
	json_array_foreach(j, i, boot)
	{
		double *x = NULL;
		size_t n = 0;
		int status = numbers(a, boot, &x, &n, e);

		if (status != 0)
			return status;
		boots[i] = (struct stats_boot){-1, x, n};
	}
	row->history = boots;
	row->n_history = json_array_size(j);
	return 0;
}

static int row_from_json(struct arena *a, json_t *j, const char **ret_id,
	struct stats_row_in *row, struct err *e)
{
	json_t *id, *x, *y, *x_boot = NULL, *x_block = NULL, *y_boot = NULL,
			    *y_block = NULL;
	json_t *history = NULL;
	const char *direction = "lower";
	int status = jx_unpack(j, e, "row",
		"{s:o, s?s, s:o, s?o, s?o, s:o, s?o, s?o, s?o !}", "id", &id, "direction",
		&direction, "a", &x, "a_boot", &x_boot, "a_block", &x_block, "b", &y,
		"b_boot", &y_boot, "b_block", &y_block, "history", &history);

	if (status != 0)
		return status;
	*ret_id = id_text(a, id);
	if (!*ret_id)
		return err_set(e, ERR_INVALID, "the id of a row is a number or a string");
	if (strcmp(direction, "lower") != 0 && strcmp(direction, "higher") != 0)
		return err_set(e, ERR_INVALID, "direction is lower or higher");
	row->higher_is_better = direction[0] == 'h';
	row->judged = true;
	status = side_from_json(a, x, x_boot, x_block, &row->base, &row->n_base, e);
	if (status == 0)
		status = side_from_json(
			a, y, y_boot, y_block, &row->patched, &row->n_patched, e);
	return status == 0 ? history_from_json(a, history, row, e) : status;
}

static int table_from_json(
	struct arena *a, json_t *j, struct stats_input_table *t, struct err *e)
{
	json_t *id, *rows, *row;
	size_t i;
	int status = jx_unpack(j, e, "table", "{s:o, s:o !}", "id", &id, "rows", &rows);

	if (status != 0)
		return status;
	t->id = id_text(a, id);
	if (!t->id || !json_is_array(rows))
		return err_set(e, ERR_INVALID, "a table has an id and an array of rows");
	if (json_array_size(rows) > ROWS_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d rows", ROWS_MAX);
	t->n_rows = json_array_size(rows);
	t->rows = ARENA_ARRAY(a, struct stats_row_in, t->n_rows + 1);
	t->row_ids = ARENA_ARRAY(a, const char *, t->n_rows + 1);
	json_array_foreach(rows, i, row)
	{
		status = row_from_json(a, row, &t->row_ids[i], &t->rows[i], e);
		if (status != 0)
			return err_wrap(e, "rows[%zu]", i);
	}
	return 0;
}

static int parse_json(struct arena *a, const char *buf, size_t len,
	struct stats_input *ret, struct err *e)
{
	json_auto_t *j = NULL;
	json_t *tables, *table;
	const char *format;
	size_t i;
	int status = jx_load(buf, len, &j, e);

	if (status == 0 && json_object_get(j, "looks"))
		return err_set(e, ERR_UNSUPPORTED,
			"the input asks for sequential looks, which this method has not");
	if (status == 0)
		status = jx_unpack(j, e, "input", "{s:s, s:o !}", "format", &format,
			"tables", &tables);
	if (status != 0)
		return status;
	if (strcmp(format, "wakelist-sim/1") != 0 || !json_is_array(tables))
		return err_set(e, ERR_INVALID, "the format is not wakelist-sim/1");
	if (json_array_size(tables) > TABLES_MAX)
		return err_set(e, ERR_TOO_BIG, "over %d tables", TABLES_MAX);
	ret->n_tables = json_array_size(tables);
	ret->tables = ARENA_ARRAY(a, struct stats_input_table, ret->n_tables + 1);
	json_array_foreach(tables, i, table)
	{
		status = table_from_json(a, table, &ret->tables[i], e);
		if (status != 0)
			return err_wrap(e, "tables[%zu]", i);
	}
	return 0;
}

/* ---- CSV ---- */

enum {
	COL_ROW,
	COL_SIDE,
	COL_VALUE,
	COL_TABLE,
	COL_DIRECTION,
	COL_BOOT,
	COL_BLOCK,
	N_COLS
};

static const char *const col_names[N_COLS] = {
	"row", "side", "value", "table", "direction", "boot", "block"};

struct csv_value {
	double x;
	int boot, block;
};

struct csv_side {
	struct csv_value *v;
	size_t n, cap;
};

struct csv_row {
	const char *table, *row;
	bool higher;
	struct csv_side sides[2];
};

struct csv {
	struct arena *a;
	int at[N_COLS]; /* column of a name, -1 */
	struct csv_row *rows;
	size_t n_rows, cap;
	size_t line;
	struct err *e;
};

/* Splits in place; returns the number of cells, or -1. */
static int split(char *line, char *cells[COLUMNS_MAX])
{
	int n = 0;

	for (;;) {
		char *comma = strchr(line, ',');

		if (n == COLUMNS_MAX)
			return -1;
		while (*line == ' ' || *line == '\t')
			line++;
		cells[n++] = line;
		if (comma)
			*comma = 0;
		for (size_t k = strlen(line);
			k && (line[k - 1] == ' ' || line[k - 1] == '\t');)
			line[--k] = 0;
		if (!comma)
			return n;
		line = comma + 1;
	}
}

static int csv_head(struct csv *c, char **cells, int n)
{
	for (int k = 0; k < N_COLS; k++)
		c->at[k] = -1;
	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < N_COLS && strcmp(col_names[k], cells[i]) != 0)
			k++;
		if (k == N_COLS || c->at[k] >= 0)
			return err_set(c->e, ERR_INVALID, "line 1: column '%.40s' is %s",
				cells[i], k == N_COLS ? "unknown" : "there twice");
		c->at[k] = i;
	}
	for (int k = 0; k <= COL_VALUE; k++)
		if (c->at[k] < 0)
			return err_set(c->e, ERR_INVALID,
				"line 1: there is no column '%s'", col_names[k]);
	return 0;
}

static struct csv_row *csv_row(struct csv *c, const char *table, const char *row)
{
	struct csv_row *r;

	/* values of a row mostly stand together: look from the end */
	for (size_t i = c->n_rows; i-- > 0;)
		if (strcmp(c->rows[i].row, row) == 0 &&
			strcmp(c->rows[i].table, table) == 0)
			return &c->rows[i];
	if (c->n_rows >= ROWS_MAX)
		return NULL;
	r = ARENA_PUSH(c->a, c->rows, c->n_rows, c->cap);
	r->table = arena_strdup(c->a, table);
	r->row = arena_strdup(c->a, row);
	return r;
}

static int csv_int(struct csv *c, char **cells, int col, int dflt, int *ret)
{
	const char *s = c->at[col] < 0 ? "" : cells[c->at[col]];

	*ret = dflt;
	if (!*s)
		return 0;
	if (strspn(s, "0123456789") != strlen(s) || strlen(s) > 9)
		return err_set(c->e, ERR_INVALID, "line %zu: %s '%.40s' is no number",
			c->line, col_names[col], s);
	*ret = atoi(s);
	return 0;
}

static int csv_line(struct csv *c, char **cells)
{
	const char *side = cells[c->at[COL_SIDE]], *value = cells[c->at[COL_VALUE]];
	const char *direction =
		c->at[COL_DIRECTION] < 0 ? "lower" : cells[c->at[COL_DIRECTION]];
	struct csv_value v, *to;
	struct csv_side *s;
	struct csv_row *r;
	char *end;

	if (strcmp(side, "base") != 0 && strcmp(side, "patched") != 0)
		return err_set(c->e, ERR_INVALID,
			"line %zu: side is base or patched, not '%.40s'", c->line, side);
	if (strcmp(direction, "lower") != 0 && strcmp(direction, "higher") != 0)
		return err_set(c->e, ERR_INVALID,
			"line %zu: direction is lower or higher", c->line);
	v.x = strtod(value, &end);
	if (end == value || *end)
		return err_set(c->e, ERR_INVALID, "line %zu: '%.40s' is no number",
			c->line, value);
	r = csv_row(c, c->at[COL_TABLE] < 0 ? "0" : cells[c->at[COL_TABLE]],
		cells[c->at[COL_ROW]]);
	if (!r)
		return err_set(c->e, ERR_TOO_BIG, "over %d rows", ROWS_MAX);
	r->higher = direction[0] == 'h';
	s = &r->sides[side[0] == 'p'];
	if (csv_int(c, cells, COL_BOOT, (int)s->n, &v.boot) != 0 ||
		csv_int(c, cells, COL_BLOCK, -1, &v.block) != 0)
		return (int)c->e->code;
	to = ARENA_PUSH(c->a, s->v, s->n, s->cap);
	*to = v;
	return 0;
}

static int csv_side(struct csv *c, const struct csv_side *s,
	const struct stats_boot **ret, size_t *ret_n)
{
	double *x = ARENA_ARRAY(c->a, double, s->n + 1);
	int *boot = ARENA_ARRAY(c->a, int, s->n + 1),
	    *block = ARENA_ARRAY(c->a, int, s->n + 1);

	for (size_t i = 0; i < s->n; i++) {
		x[i] = s->v[i].x;
		boot[i] = s->v[i].boot;
		block[i] = s->v[i].block;
	}
	return group(c->a, x, boot, block, s->n, ret, ret_n, c->e);
}

static int csv_tables(struct csv *c, struct stats_input *ret)
{
	ret->tables = ARENA_ARRAY(c->a, struct stats_input_table, c->n_rows + 1);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct csv_row *r = &c->rows[i];
		struct stats_input_table *t = NULL;
		struct stats_row_in *row;

		for (size_t k = 0; k < ret->n_tables && !t; k++)
			if (strcmp(ret->tables[k].id, r->table) == 0)
				t = &ret->tables[k];
		if (!t) {
			t = &ret->tables[ret->n_tables++];
			t->id = r->table;
			t->rows = ARENA_ARRAY(c->a, struct stats_row_in, c->n_rows - i);
			t->row_ids = ARENA_ARRAY(c->a, const char *, c->n_rows - i);
		}
		t->row_ids[t->n_rows] = r->row;
		row = &t->rows[t->n_rows++];
		row->higher_is_better = r->higher;
		row->judged = true;
		if (csv_side(c, &r->sides[0], &row->base, &row->n_base) != 0 ||
			csv_side(c, &r->sides[1], &row->patched, &row->n_patched) != 0)
			return err_wrap(c->e, "row %.60s", r->row);
	}
	return 0;
}

static int parse_csv(struct arena *a, const char *buf, size_t len,
	struct stats_input *ret, struct err *e)
{
	char *p = arena_strndup(a, buf, len), *cells[COLUMNS_MAX];
	struct csv c = {.a = a, .e = e};
	int n_head = 0, status = 0;

	while (p && *p && status == 0) {
		char *nl = strchr(p, '\n');
		int n;

		if (nl)
			*nl = 0;
		p[strcspn(p, "\r")] = 0;
		c.line++;
		if (*p && *p != '#') {
			n = split(p, cells);
			if (n_head && n != n_head)
				return err_set(e, ERR_INVALID, "line %zu: not %d cells",
					c.line, n_head);
			if (n < 0)
				return err_set(e, ERR_INVALID, "line %zu: over %d cells",
					c.line, COLUMNS_MAX);
			status = n_head ? csv_line(&c, cells) : csv_head(&c, cells, n);
			n_head = n;
		}
		p = nl ? nl + 1 : NULL;
	}
	if (status == 0 && !n_head)
		return err_set(e, ERR_INVALID, "the input is empty");
	return status == 0 ? csv_tables(&c, ret) : status;
}

int stats_input_parse(struct arena *a, const char *buf, size_t len,
	struct stats_input *ret, struct err *e)
{
	const char *p = buf;
	struct err own;

	*ret = (struct stats_input){0};
	while (p < buf + len && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	if (p < buf + len && *p == '{')
		return parse_json(a, buf, len, ret, e ? e : &own);
	return parse_csv(a, buf, len, ret, e ? e : &own);
}
