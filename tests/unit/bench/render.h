/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render.h - what a parser made of a text, as one line for a test to compare, and the
 * recorded outputs of ../shared.
 *
 * "throughput=29805.56 trans/s*; cpu_local=100 % | throughput=7 ?*": metrics in the order
 * of the parser, '*' behind the primary one, '?' for no unit, '^' before a rate (higher
 * is better), '#3' for 3 samples, " | " between runs; "" when there are none.
 */
#ifndef WL_TESTS_BENCH_RENDER_H
#define WL_TESTS_BENCH_RENDER_H

#include "base/base.h"

#include "base/file.h"
#include "base/sbuf.h"
#include "bench/bench.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

struct render_row {
	const char *what, *text, *want;
};

static inline int render_setup(void **state)
{
	*state = arena_new();
	return 0;
}

static inline int render_teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static inline struct bench_output *render_parse(
	struct arena *a, const char *name, const char *text, size_t len)
{
	struct bench_output *o;
	struct err e;

	if (bench_parse(a, name, text, len, &o, &e) != 0)
		fail_msg("%s", e.msg);
	assert_true((o->why != NULL) == (o->n_runs == 0));
	return o;
}

static inline const char *render(struct arena *a, const struct bench_output *o)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	sbuf_adds(&s, "");
	for (size_t i = 0; i < o->n_runs; i++) {
		sbuf_adds(&s, i ? " | " : "");
		for (size_t k = 0; k < o->runs[i].n_metrics; k++) {
			const struct bench_metric *m = &o->runs[i].metrics[k];

			sbuf_addf(&s, "%s%s%s=%.10g %s%s", k ? "; " : "",
				m->better == BENCH_HIGHER ? "^" : "", m->name, m->value,
				m->unit ? m->unit : "?", m->primary ? "*" : "");
			if (m->samples >= 0)
				sbuf_addf(&s, "#%lld", (long long)m->samples);
		}
	}
	return s.len ? arena_strndup(a, s.buf, s.len) : "";
}

static inline void render_rows(
	struct arena *a, const char *name, const struct render_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *got = render(
			a, render_parse(a, name, rows[i].text, strlen(rows[i].text)));

		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s:\n got '%s'\nwant '%s'", rows[i].what, got,
				rows[i].want);
	}
}

/* A text cut anywhere says nothing that the whole text does not say. */
static inline void render_prefixes(struct arena *a, const char *name, const char *text)
{
	struct bench_output *whole = render_parse(a, name, text, strlen(text));

	for (size_t len = 0; len < strlen(text); len++) {
		struct bench_output *o = render_parse(a, name, text, len);

		assert_true(o->n_runs <= whole->n_runs);
		for (size_t i = 0; i < o->n_runs; i++) {
			const struct bench_run *r = &o->runs[i], *w = &whole->runs[i];

			for (size_t k = 0; k < r->n_metrics; k++) {
				size_t m = 0;

				while (m < w->n_metrics &&
					strcmp(w->metrics[m].name, r->metrics[k].name))
					m++;
				if (m == w->n_metrics ||
					w->metrics[m].value != r->metrics[k].value)
					fail_msg("cut at %zu: %s=%.10g", len,
						r->metrics[k].name, r->metrics[k].value);
			}
		}
	}
}

/* Parameters as "name=value name=text". */
static inline const char *render_params(struct arena *a, const struct bench_run *r)
{
	const char *s = "";

	for (size_t i = 0; i < r->n_params; i++)
		s = r->params[i].text ? arena_printf(a, "%s%s%s=%s", s, i ? " " : "",
						r->params[i].name, r->params[i].text)
				      : arena_printf(a, "%s%s%s=%.10g", s, i ? " " : "",
						r->params[i].name, r->params[i].number);
	return s;
}

static inline const json_t *render_named(const json_t *metrics, const char *name)
{
	for (size_t i = 0; i < json_array_size(metrics); i++) {
		const json_t *m = json_array_get(metrics, i);

		if (strcmp(json_string_value(json_object_get(m, "name")), name) == 0)
			return m;
	}
	return NULL;
}

/* Fields of two objects: numbers by value, the rest exactly. */
static inline bool render_same(const json_t *want, const json_t *got)
{
	const char *key;
	json_t *w;

	json_object_foreach((json_t *)want, key, w)
	{
		const json_t *g = json_object_get(got, key);

		if (json_is_number(w) && json_is_number(g)
				? json_number_value(w) != json_number_value(g)
				: !g || !json_equal(w, g))
			return false;
	}
	return true;
}

static inline bool render_same_runs(const json_t *want, const json_t *got)
{
	if (json_array_size(want) != json_array_size(got))
		return false;
	for (size_t i = 0; i < json_array_size(want); i++) {
		const json_t *w = json_array_get(want, i), *g = json_array_get(got, i);
		const json_t *wm = json_object_get(w, "metrics"),
			     *gm = json_object_get(g, "metrics");

		if (!render_same(
			    json_object_get(w, "params"), json_object_get(g, "params")) ||
			!json_equal(json_object_get(w, "notes"),
				json_object_get(g, "notes")) ||
			json_array_size(wm) != json_array_size(gm))
			return false;
		for (size_t k = 0; k < json_array_size(wm); k++) {
			const json_t *m = json_array_get(wm, k);
			const char *name = json_string_value(json_object_get(m, "name"));

			if (!render_same(m, render_named(gm, name)))
				return false;
		}
	}
	return true;
}

/* Every recorded output of a benchmark, with its hand-checked reading. */
static inline void render_recorded(struct arena *a, const char *name)
{
	int n = 0;

	for (int i = 1; i < 100; i++) {
		CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
		json_auto_t *want = NULL, *got = NULL;
		const char *path = arena_printf(
			a, WL_SOURCE_DIR "/../shared/bench/%s/%02d.txt", name, i);
		struct bench_output *o;
		const json_t *output;
		struct err e;

		if (access(path, R_OK) != 0)
			break;
		n++;
		assert_int_equal(file_read(path, BENCH_TEXT_MAX, &text, &e), 0);
		path = arena_printf(
			a, WL_SOURCE_DIR "/../shared/bench/%s/%02d.json", name, i);
		assert_int_equal(jx_load_file(path, 1 << 20, &want, &e), 0);
		o = render_parse(a, name, text.buf ? text.buf : "", text.len);
		got = bench_output_json(o);
		output = json_object_get(want, "output");
		assert_int_equal(o->n_runs == 0,
			json_integer_value(json_object_get(want, "exit")) == 1);
		if (!render_same_runs(json_object_get(output, "runs"),
			    json_object_get(got, "runs")) ||
			!json_equal(json_object_get(output, "version"),
				json_object_get(got, "version")))
			fail_msg("%s: %s", path, jx_dump(got));
	}
	if (n == 0) {
		print_message("skipped: ../shared is absent\n");
		skip();
	}
}

#endif
