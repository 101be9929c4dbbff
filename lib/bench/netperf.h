/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netperf.h - the parts of the netperf parser: classic rows (netperf.c) and what the omni
 * test prints as keywords or CSV (netperf_omni.c). Internal to lib/bench. */
#ifndef WL_BENCH_NETPERF_H
#define WL_BENCH_NETPERF_H

#include "bench/reading.h"

#define OMNI_KEYS    11 /* rows of the table in netperf_omni.c */
#define OMNI_COLUMNS 256

struct netperf {
	struct reading r;
	/* what the banner or the header lines said, for the rows behind them */
	const char *test;          /* "TCP STREAM"; NULL: no banner */
	bool is_rr;                /* requests and responses */
	const char *unit, *demand; /* NULL: not said */
	bool own_table;            /* of the omni test: columns that were asked for */
	bool tabular;      /* rows, keywords or a header since the banner: no -v 0 */
	bool waits;        /* a banner without a result yet */
	bool unsure;       /* "Desired confidence was not achieved" */
	double udp_row[8]; /* the sender's row */
	size_t udp_n;      /* its numbers; 0: none is waiting */
	bool udp_cpu;      /* it tells CPU use */
	const char *key_texts[OMNI_KEYS]; /* values of keywords; NULL: not yet */
	bool any_key;                     /* one of them is there */
	int columns[OMNI_COLUMNS]; /* of the last CSV header: index of key, or -1 */
	size_t n_columns;          /* 0: not known */
	bool asked;                /* ... since a command line asks for them */
	bool bare_csv;             /* for the reason: rows whose columns nobody told */
};

#define NETPERF_ZERO "the throughput is 0 or no number"

/* The run is whole: it has what its banner waited for. */
void netperf_keep(struct netperf *s);
/* The normalised name of a throughput's unit, NULL when it is none. */
const char *netperf_unit(struct arena *a, const char *p, size_t len);

/* A "KEYWORD=value" line. False: it is none. */
bool omni_keyword(struct netperf *s, const char *line);
/* At line i a CSV header with its values, or values under an earlier header. */
bool omni_csv(struct netperf *s, size_t i);
/* A command line that is shown above its output ("netperf ... -- -o KEYWORD,...") tells
 * the columns of the CSV below it, which has no header where -P 0 is asked too. False:
 * the line is none. */
bool omni_command(struct netperf *s, const char *line);
/* Ends the run of the keywords seen so far. */
void omni_end(struct netperf *s);

#endif
