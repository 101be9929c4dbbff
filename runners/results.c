/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.c - see results.h. */
#include "runners/results.h"
#include "base/base.h"

#define HEAD_MAX  256
#define WORDS_MAX 8

struct record {
	char head[HEAD_MAX];
	const char *word[WORDS_MAX];
	int n_words;
	const char *p;
	size_t len;
};

static int number(const char *s, int max)
{
	int v = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || v > max)
			return -1;
		v = v * 10 + (*s - '0');
	}
	return v <= max ? v : -1;
}

/* Takes one record off the front. NULL, or what is wrong. */
static const char *record_take(const char **p, const char *end, struct record *r)
{
	const char *nl = memchr(*p, '\n', (size_t)(end - *p));
	size_t n = nl ? (size_t)(nl - *p) : 0;
	char *save, *w;
	int size;

	if (!nl || n >= HEAD_MAX)
		return "a record's first line is cut or too long";
	memcpy(r->head, *p, n);
	r->head[n] = '\0';
	if (strlen(r->head) != n)
		return "a record's first line holds a NUL";
	r->n_words = 0;
	for (w = strtok_r(r->head, " ", &save); w && r->n_words < WORDS_MAX;
		w = strtok_r(NULL, " ", &save))
		r->word[r->n_words++] = w;
	if (r->n_words < 3 || strcmp(r->word[0], "wl"))
		return "a record does not begin with wl";
	size = number(r->word[2], (int)RESULTS_RECORD_MAX);
	if (size < 0)
		return "a record's size is odd";
	if (end - nl - 1 < size + 1)
		return "the last record is cut";
	r->p = nl + 1;
	r->len = (size_t)size;
	if (r->p[size] != '\n')
		return "a record does not end where it says";
	*p = r->p + size + 1;
	return NULL;
}

static const char *fact(struct arena *a, const struct record *r)
{
	size_t n = r->len;

	while (n && (r->p[n - 1] == '\n' || r->p[n - 1] == '\0'))
		n--;
	return arena_strndup(a, r->p, n);
}

static const char *run_take(
	struct arena *a, struct guest_results *g, const struct record *r, size_t *cap)
{
	struct guest_run *run;
	int bench, n, status;
	bool warmup;

	if (r->n_words != 7)
		return "a run has odd words";
	bench = number(r->word[3], 1000);
	n = number(r->word[5], 1000000);
	status = number(r->word[6], 255);
	warmup = !strcmp(r->word[4], "warmup");
	if (bench < 0 || n < 0 || status < 0 || (!warmup && strcmp(r->word[4], "run")))
		return "a run has odd words";
	if (g->n_runs == RESULTS_RUNS_MAX)
		return "more runs than the limit";
	run = ARENA_PUSH(a, g->runs, g->n_runs, *cap);
	*run = (struct guest_run){
		bench, warmup, n, status, arena_strndup(a, r->p, r->len), r->len};
	return NULL;
}

static const char *record_use(
	struct arena *a, struct guest_results *g, const struct record *r, size_t *cap)
{
	const char *type = r->word[1];

	if (!strcmp(type, "begin")) {
		if (r->n_words < 4 || strcmp(r->word[3], "1"))
			return "the guest speaks another version";
		g->begun = true;
		return NULL;
	}
	if (!g->begun)
		return "records before the first";
	if (!strcmp(type, "fact") && r->n_words == 4) {
		if (!strcmp(r->word[3], "release"))
			g->release = fact(a, r);
		else if (!strcmp(r->word[3], "version"))
			g->version = fact(a, r);
		else if (!strcmp(r->word[3], "topology"))
			g->topology = fact(a, r);
		return NULL;
	}
	if (!strcmp(type, "run"))
		return run_take(a, g, r, cap);
	if (!strcmp(type, "end")) {
		g->ended = true;
		return NULL;
	}
	return "a record of unknown type";
}

int results_parse(struct arena *a, const char *buf, size_t len,
	struct guest_results **ret, struct err *e)
{
	struct guest_results *g = ARENA_NEW(a, struct guest_results);
	const char *p = buf, *end = buf + len;
	size_t cap = 0;

	if (len > RESULTS_TEXT_MAX)
		return err_set(
			e, ERR_TOO_BIG, "the guest wrote %zu bytes of results", len);
	while (!g->why && !g->ended && p < end) {
		struct record r;

		g->why = record_take(&p, end, &r);
		if (!g->why)
			g->why = record_use(a, g, &r, &cap);
	}
	if (!g->why && !g->ended)
		g->why = g->begun ? "the guest ended before its last run"
				  : "the guest wrote no results";
	*ret = g;
	return 0;
}
