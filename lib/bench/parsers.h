/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parsers.h - the parsers of this folder, one a file; bench.c lists them. */
#ifndef WL_BENCH_PARSERS_H
#define WL_BENCH_PARSERS_H

#include "bench/bench.h"

extern const struct bench_parser bench_cyclictest;
extern const struct bench_parser bench_hackbench;
extern const struct bench_parser bench_netperf;
extern const struct bench_parser bench_null;
extern const struct bench_parser bench_perf_sched_messaging;
extern const struct bench_parser bench_perf_sched_pipe;
extern const struct bench_parser bench_perf_stat;
extern const struct bench_parser bench_schbench;
extern const struct bench_parser bench_stress_ng;
extern const struct bench_parser bench_sysbench;
extern const struct bench_parser bench_tbench;
extern const struct bench_parser bench_unixbench;
extern const struct bench_parser bench_will_it_scale;

#endif
