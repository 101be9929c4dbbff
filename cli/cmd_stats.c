// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stats.c - wakelist stats compare FILE|- | eval SET.json
 */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/stats_eval.h"
#include "cli/stats_input.h"
#include <math.h>

static const char usage[] =
	"usage: wakelist stats compare [--json | --format verdicts] [--exit-code] "
	"FILE|-\n"
	"       wakelist stats eval SET.json\n"
	"\n"
	"compare  samples of base and patched -> one mark a row: W worse, B better,\n"
	"         = no change > 1%, ? inconclusive. Input: wakelist-sim/1 JSON, or CSV\n"
	"         with the columns row,side,value[,table,direction,boot,block].\n"
	"         Exit status 1 when a row is worse only with --exit-code.\n"
	"eval     one recorded set of inputs -> our values under the keys of its "
	"`expect`\n";

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_VERDICTS };

struct judged {
	const struct stats_input_table *in;
	struct stats_row *rows;
};

static const char *verdict_word(enum stats_mark m)
{
	switch (m) {
	case STATS_WORSE:
		return "regression";
	case STATS_BETTER:
		return "improvement";
	case STATS_SAME:
		return "no-change";
	case STATS_INCONCLUSIVE:
	case STATS_BROKEN:
	case STATS_SHOWN:
	case STATS_N_MARKS:
		break;
	}
	return "inconclusive";
}

static void print_verdicts(const struct judged *t)
{
	for (size_t i = 0; i < t->in->n_rows; i++) {
		double q = t->rows[i].q;

		printf("%s %s %s %.6g\n", t->in->id, t->in->row_ids[i],
			verdict_word(t->rows[i].mark), isnan(q) ? 1 : q);
	}
}

static void print_number(int width, bool sign, double v)
{
	char text[40] = "-";

	if (isfinite(v))
		snprintf(text, sizeof(text), sign ? "%+.2f" : "%.2f",
			fabs(v) < 0.005 ? 0.0 : v);
	printf("%*s", width, text);
}

static void print_table(const struct judged *t, bool first)
{
	int width = 3;

	for (size_t i = 0; i < t->in->n_rows; i++)
		if ((int)strlen(t->in->row_ids[i]) > width)
			width = (int)strlen(t->in->row_ids[i]);
	width = width > 40 ? 40 : width;
	printf("%stable %s\n%-*s %12s %7s %9s %7s  %-19s %s\n", first ? "" : "\n",
		t->in->id, width, "row", "base", "std%", "compare%", "std%", "95% CI",
		"q       mark");
	for (size_t i = 0; i < t->in->n_rows; i++) {
		const struct stats_row *r = &t->rows[i];

		printf("%-*.*s %12.6g", width, width, t->in->row_ids[i], r->base);
		print_number(8, false, r->base_std_pct);
		print_number(10, true, r->effect_pct);
		print_number(8, false, r->patched_std_pct);
		fputs("  [", stdout);
		print_number(8, true, r->ci95_pct[0]);
		fputs(",", stdout);
		print_number(8, true, r->ci95_pct[1]);
		printf("] %-7.4f %c", isnan(r->q) ? 1 : r->q, stats_mark_char(r->mark));
		if (r->reason)
			printf("  %s", r->reason);
		else if (r->mark == STATS_INCONCLUSIVE && isfinite(r->loss_excluded_pct))
			printf("  loss > %.1f%% excluded", r->loss_excluded_pct);
		puts(r->spread_changed ? "  (spread between boots changed)" : "");
	}
}

static json_t *num(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *row_json(const char *id, const struct stats_row *r)
{
	const char mark[2] = {stats_mark_char(r->mark), 0};
	json_t *j = jx_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:o}", "id",
		id, "mark", mark, "verdict", verdict_word(r->mark), "status",
		stats_status_name(r->status), "reason", r->reason, "base", num(r->base),
		"patched", num(r->patched), "base_std_pct", num(r->base_std_pct),
		"patched_std_pct", num(r->patched_std_pct), "compare_pct",
		num(r->effect_pct));
	json_t *rest = jx_pack("{s:[o, o], s:[o, o], s:o, s:o, s:o, s:o, s:i, s:i, s:i, "
			       "s:b, s:b, s:i, s:i}",
		"ci95_pct", num(r->ci95_pct[0]), num(r->ci95_pct[1]), "ci90_pct",
		num(r->ci90_pct[0]), num(r->ci90_pct[1]), "p", num(r->p), "q", num(r->q),
		"same_limit_pct", num(r->same_limit_pct), "loss_excluded_pct",
		num(r->loss_excluded_pct), "n_pairs", (int)r->n_pairs, "n_base",
		(int)r->n_base, "n_patched", (int)r->n_patched, "moderated", r->moderated,
		"spread_changed", r->spread_changed, "n_outliers_base",
		r->n_outliers_base, "n_outliers_patched", r->n_outliers_patched);

	json_object_update(j, rest);
	json_decref(rest);
	return j;
}

static json_t *table_json(const struct judged *t)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < t->in->n_rows; i++)
		json_array_append_new(rows, row_json(t->in->row_ids[i], &t->rows[i]));
	return jx_pack("{s:s, s:o}", "id", t->in->id, "rows", rows);
}

static int compare_print(
	struct arena *a, const struct stats_input *in, enum format format, bool exit_code)
{
	json_t *tables = format == FORMAT_JSON ? json_array() : NULL;
	int n_worse = 0, status = CLI_OK;

	for (size_t i = 0; i < in->n_tables; i++) {
		struct judged t = {&in->tables[i], NULL};

		t.rows = ARENA_ARRAY(a, struct stats_row, t.in->n_rows + 1);
		stats_compare(a, t.in->rows, t.in->n_rows, t.rows);
		for (size_t k = 0; k < t.in->n_rows; k++)
			n_worse += t.rows[k].mark == STATS_WORSE;
		if (format == FORMAT_JSON)
			json_array_append_new(tables, table_json(&t));
		else if (format == FORMAT_VERDICTS)
			print_verdicts(&t);
		else
			print_table(&t, i == 0);
	}
	if (format == FORMAT_JSON)
		status = cli_print_json(jx_pack("{s:i, s:o}", "v", 1, "tables", tables));
	else if (fflush(stdout) != 0)
		status = CLI_FAILED;
	return status == CLI_OK && exit_code && n_worse ? CLI_NO : status;
}

static int cmd_compare(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	enum format format = FORMAT_TABLE;
	const char *path = NULL;
	struct stats_input in;
	bool exit_code = false;
	struct err e;

	for (int i = 0; i < argc; i++) {
		const char *name = strcmp(argv[i], "--format") == 0 ? argv[++i] : NULL;

		if (i < argc && strncmp(argv[i], "--format=", 9) == 0)
			name = argv[i] + 9;
		if (i >= argc)
			return cli_usage("--format wants table, json or verdicts");
		if (name && strcmp(name, "verdicts") == 0)
			format = FORMAT_VERDICTS;
		else if ((name && strcmp(name, "json") == 0) ||
			 strcmp(argv[i], "--json") == 0)
			format = FORMAT_JSON;
		else if (name && strcmp(name, "table") == 0)
			format = FORMAT_TABLE;
		else if (name)
			return cli_usage("--format wants table, json or verdicts");
		else if (strcmp(argv[i], "--exit-code") == 0)
			exit_code = true;
		else if (argv[i][0] == '-' && argv[i][1])
			return cli_usage("stats compare: unknown option '%s'", argv[i]);
		else if (path)
			return cli_usage("stats compare takes one file");
		else
			path = argv[i];
	}
	if (!path)
		return cli_usage("stats compare wants a file, or - for standard input");
	if (file_read(path, STATS_INPUT_MAX, &text, &e) != 0) {
		cli_fail(&e);
		return CLI_FAILED;
	}
	if (stats_input_parse(a, text.buf, text.len, &in, &e) != 0) {
		err_wrap(&e, "%s", path);
		return cli_fail(&e);
	}
	return compare_print(a, &in, format, exit_code);
}

static int cmd_eval(int argc, char **argv)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	json_auto_t *set = NULL;
	json_t *out = NULL;
	struct err e;

	if (argc != 1)
		return cli_usage("stats eval wants one file");
	if (file_read(argv[0], 16 << 20, &text, &e) != 0) {
		cli_fail(&e);
		return CLI_FAILED;
	}
	if (stats_eval_load(text.buf, text.len, &set, &e) != 0 ||
		stats_eval(set, &out, &e) != 0) {
		err_wrap(&e, "%s", argv[0]);
		return cli_fail(&e);
	}
	return cli_print_json(out);
}

int cmd_stats(int argc, char **argv)
{
	static const char *const verbs[] = {"compare", "eval", NULL};

	if (argc < 2)
		return cli_usage("stats: which of compare, eval?");
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0 ||
			(i == 1 && cli_is_help(argv[i]))) {
			fputs(usage, stdout);
			return CLI_OK;
		}
	if (strcmp(argv[1], "compare") == 0)
		return cmd_compare(argc - 2, argv + 2);
	if (strcmp(argv[1], "eval") == 0)
		return cmd_eval(argc - 2, argv + 2);
	return cli_unknown("stats command", argv[1], verbs);
}
