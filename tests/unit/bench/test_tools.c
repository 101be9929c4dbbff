// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_tools.c - cyclictest, sysbench, stress-ng, will-it-scale and perf stat on texts
 * with one odd thing each, and on the recorded outputs.
 */
#include "render.h"

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

struct row {
	const char *what, *text;
	const char *want; /* as print_runs(); "-" and a word of the reason: no run */
};

/* "*elapsed=0.5@3 user=0.1 | ...": runs, '*' the primary metric, '@' its samples. */
static const char *print_runs(struct arena *a, const struct bench_output *o)
{
	const char *s = "";

	for (size_t i = 0; i < o->n_runs; i++)
		for (size_t k = 0; k < o->runs[i].n_metrics; k++) {
			const struct bench_metric *m = &o->runs[i].metrics[k];

			s = arena_printf(a, "%s%s%s%s=%.10g", s,
				k   ? " "
				: i ? " | "
				    : "",
				m->primary ? "*" : "", m->name, m->value);
			if (m->samples >= 0)
				s = arena_printf(a, "%s@%lld", s, (long long)m->samples);
		}
	return s;
}

static void check(struct arena *a, const char *name, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		struct bench_output *o;
		const char *got;
		struct err e;

		if (bench_parse(a, name, r->text, strlen(r->text), &o, &e) != 0)
			fail_msg("%s: %s: %s", name, r->what, e.msg);
		got = print_runs(a, o);
		if (r->want[0] == '-' ? o->n_runs != 0 || !strstr(o->why, r->want + 1)
				      : strcmp(got, r->want) != 0)
			fail_msg("%s: %s: '%s' (%s)", name, r->what, got,
				o->why ? o->why : "");
	}
}

/* ---- cyclictest ---- */

#define T0                                                                               \
	"T: 0 ( 7001) P:80 I:1000 C:    900 Min:      3 Act:    9 Avg:    7 Max:      "  \
	"41"
#define T1                                                                               \
	"T: 1 ( 7002) P:80 I:1500 C:    600 Min:      4 Act:    8 Avg:    6 Max:      "  \
	"52"
#define BOTH                                                                             \
	"*max=52 thread0_min=3@900 thread0_avg=7@900 thread0_max=41@900 "                \
	"thread1_min=4@600 thread1_avg=6@600 thread1_max=52@600"
#define ONE "*max=41 thread0_min=3@900 thread0_avg=7@900 thread0_max=41@900"
#define HIST                                                                             \
	"# Histogram\n000000 000000\t000001\n000001 000005\t000006\n"                    \
	"# Total: 000000005 000000007\n# Min Latencies: 00001 00000\n"                   \
	"# Avg Latencies: 00001 00001\n"

static void cyclictest(void **state)
{
	static const struct row rows[] = {
		{"plain", "# /dev/cpu_dma_latency set to 0us\n" T0 "\n" T1 "\n", BOTH},
		{"wrapped",
			"> T: 0 ( 7001) P:80 I:1000 C:    900 Min:      3 Act:    9\n"
			"> Avg:    7 Max:      41\n> T: 1 ( 7002) P:80 I:1500 C:    600\n"
			"> Min:      4 Act:    8 Avg:    6 Max:\n> 52\n",
			BOTH},
		{"remark, SMI", T0 " SMI:       0\n" T1 "  <--- bad (+3%)\n", BOTH},
		{"live",
			"T: 0 (    0) P:80 I:1000 C:      0 Min:1000000 Act:    0 Avg:   "
			" 0 Max:       0\n"
			"\033[1AT: 0 ( 7001) P:80 I:1000 C:    5 Min:      5 Act:    9 "
			"Avg:  "
			"  7 Max:      11\n\033[1A" T0 "\n",
			ONE},
		{"live, escapes eaten", T0 "\n[1A" T0 "\n", ONE},
		{"live, cut in its last line", T0 "\n" T1 "\n\033[2A" T0 "\nT: 1 ( 70",
			BOTH},
		{"cut in a line", T0 "\nT: 1 ( 7002) P:80 I:15", "-cut"},
		{"cut in the last number",
			T0 "\n"
			   "T: 1 ( 7002) P:80 I:1500 C:    600 Min:      4 Act:    8 "
			   "Avg:    "
			   "6 Max:      5",
			"-cut"},
		{"no newline", T0 "\n" T1, BOTH},
		{"two runs, the first without a head",
			T0 "\n"
			   "T: 0 ( 7101) P:80 I:1000 C:    950 Min:      2 Act:    9 "
			   "Avg:    "
			   "5 "
			   "Max:      31\n",
			ONE " | *max=31 thread0_min=2@950 thread0_avg=5@950 "
			    "thread0_max=31@950"},
		{"one thread idle",
			T0 "\nT: 1 ( 7002) P:80 I:1500 C:      0 Min:1000000 Act:    0 "
			   "Avg:    "
			   "0 Max:       0\n",
			ONE},
		{"all idle",
			"T: 0 ( 7002) P:80 I:1500 C:      0 Min:1000000 Act:    0 Avg:   "
			" 0 Max:       0\n",
			"-measured"},
		{"histogram",
			HIST "# Max Latencies: 00001 00092\n"
			     "# Histogram Overflows: 00000 00003\n",
			"*max=92 thread0_min=1 thread0_avg=1 thread0_max=1 "
			"thread0_overflows=0 "
			"thread1_min=0 thread1_avg=1 thread1_max=92 thread1_overflows=3"},
		{"histogram of -H, wrapped",
			HIST "# Max Latencies: 00001\n00092 00092\n"
			     "# Histogram Overflows: 00000 00003\n00003\n",
			"*max=92 thread0_min=1 thread0_avg=1 thread0_max=1 "
			"thread0_overflows=0 "
			"thread1_min=0 thread1_avg=1 thread1_max=92 thread1_overflows=3"},
		{"histogram, cut", HIST, "-cut"},
		{"histogram, cut in Max", HIST "# Max Latencies: 00001", "-cut"},
		{"histogram, cut in a number", HIST "# Max Latencies: 00001 0009",
			"-cut"},
		{"live and histogram",
			T0 "\n# Histogram\n000001 000900\n"
			   "# Min Latencies: 00003\n# Avg Latencies: 00007\n"
			   "# Max Latencies: 00041\n",
			ONE},
		{"no permission", "Unable to change scheduling policy!\n", "-no thread"},
	};

	check(*state, "cyclictest", rows, ARRAY_LEN(rows));
}

/* ---- sysbench ---- */

#define SB "sysbench 1.0.20 (using system LuaJIT 2.1.0)\n\nNumber of threads: 2\n"
#define SB_TIMES                                                                         \
	"General statistics:\n    total time:              2.0001s\n"                    \
	"    total number of events:  400\n\n"
#define SB_LATENCY                                                                       \
	"Latency (ms):\n         min:       0.20\n         avg:       5.10\n"            \
	"         max:      21.30\n         95th percentile:   9.91\n"
#define SB_SUM "         sum:    2040.11\n"
#define SB_WANT                                                                          \
	"total_time=2.0001 total_events=400 latency_min=0.2 latency_avg=5.1 "            \
	"latency_max=21.3 latency_sum=2040.11 latency_p95=9.91"
#define EPS "CPU speed:\n    events per second:   199.99\n\n"

static void sysbench(void **state)
{
	static const struct row rows[] = {
		{"plain", SB EPS SB_TIMES SB_LATENCY SB_SUM,
			"*events_per_second=199.99 " SB_WANT},
		{"no rate", SB SB_TIMES SB_LATENCY SB_SUM,
			"total_time=2.0001 total_events=400 latency_min=0.2 "
			"*latency_avg=5.1 latency_max=21.3 latency_sum=2040.11 "
			"latency_p95=9.91"},
		{"no newline", SB EPS SB_TIMES SB_LATENCY "         sum:    2040.11",
			"*events_per_second=199.99 " SB_WANT},
		{"cut in the sum", SB EPS SB_TIMES SB_LATENCY "         sum:    2040.1",
			"-cut"},
		{"cut before it", SB EPS SB_TIMES SB_LATENCY, "-cut"},
		{"cut, then whole", SB EPS SB_TIMES SB EPS SB_TIMES SB_LATENCY SB_SUM,
			"*events_per_second=199.99 " SB_WANT},
		{"twice without banners",
			EPS SB_TIMES SB_LATENCY SB_SUM EPS SB_TIMES SB_LATENCY SB_SUM,
			"*events_per_second=199.99 " SB_WANT
			" | *events_per_second=199.99 " SB_WANT},
		{"checkpoint",
			SB "[ 1s ] Checkpoint report:\n" SB_TIMES SB_LATENCY SB_SUM EPS
				SB_TIMES SB_LATENCY SB_SUM,
			"*events_per_second=199.99 " SB_WANT},
		{"1.1",
			SB "Throughput:\n    events/s (eps):   199.9900\n"
			   "    time elapsed:     2.0001s\n"
			   "    total number of events:   400\n" SB_LATENCY SB_SUM,
			"*events_per_second=199.99 " SB_WANT},
		{"0.4",
			"sysbench 0.4.12:  multi-threaded system evaluation benchmark\n"
			"Test execution summary:\n    total time:      25.6813s\n"
			"    total number of events:   10000\n"
			"    total time taken by event execution: 25.6797\n"
			"    per-request statistics:\n         min:      2.55ms\n"
			"         avg:      2.57ms\n         max:      4.00ms\n"
			"         approx.  95 percentile:   2.58ms\n",
			"total_time=25.6813 total_events=10000 latency_min=2.55 "
			"*latency_avg=2.57 latency_max=4 latency_p95=2.58"},
		{"no events",
			SB "events per second: 0.00\ntotal time: 2.0s\n"
			   "total number of events: 0\nmin: 0.00\navg: nan\nmax: 0.00\n"
			   "sum: 0.00\n",
			"-no events"},
		{"rate nan", SB "events per second: -nan\n" SB_TIMES SB_LATENCY SB_SUM,
			"-no events"},
		{"forced",
			SB "FATAL: The --max-time limit has expired, forcing "
			   "shutdown...\n" EPS SB_TIMES SB_LATENCY SB_SUM,
			"-forced"},
		{"wrapped values, quoted",
			"> CPU speed:\n> events per second:\n> 199.99\n> total time:\n> "
			"2.0001s\n" SB_TIMES SB_LATENCY SB_SUM,
			"total_time=2.0001 total_events=400 latency_min=0.2 "
			"*latency_avg=5.1 latency_max=21.3 latency_sum=2040.11 "
			"latency_p95=9.91"},
		{"decimal comma",
			"total time: 2,0001s\ntotal number of events: 400\nmin: 0,20\n"
			"avg: 5,10\nmax: 21,30\nsum: 2040,11\n",
			"total_time=2.0001 total_events=400 latency_min=0.2 "
			"*latency_avg=5.1 latency_max=21.3 latency_sum=2040.11"},
		{"killed", SB "Threads started!\n", "-no statistics"},
	};

	check(*state, "sysbench", rows, ARRAY_LEN(rows));
}

/* ---- stress-ng ---- */

#define M "stress-ng: metrc: [77] "
#define I "stress-ng: info:  [77] "
#define HEAD                                                                             \
	M "stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo " \
	  "ops/s\n" M "                         (secs)    (secs)    (secs)   (real "     \
	  "time) (usr+sys time)\n"
#define VM M "vm-rw   544      2.00      0.36      0.01       272.04        1454.20\n"
#define VM_WANT                                                                          \
	"vm-rw_bogo_ops=544 *vm-rw_bogo_ops_per_sec=272.04 "                             \
	"vm-rw_bogo_ops_per_sec_cpu=1454.2"

static void stress_ng(void **state)
{
	static const struct row rows[] = {
		{"plain", HEAD VM I "successful run completed in 2.04s\n", VM_WANT},
		{"info level, remark",
			I "stressor bogo ops real time\n" I
			  "vm-rw 544 2.00 0.36 0.01 272.04 1454.20 18.71 6248 <--- (1)\n",
			VM_WANT},
		{"no prefix",
			"stressor       bogo ops real time  usr time\n   (secs)\n"
			"vm-rw   544      2.00      0.36      0.01       "
			"272.04\n1454.20\n"
			"Thanks 5 all\n",
			VM_WANT},
		{"scientific",
			HEAD M "vm-rw 544 2.000e+00 3.600e-01 1.000e-02 2.72040e+02 "
			       "1.45420e+03\n",
			VM_WANT},
		{"wrapped",
			"> " HEAD "> " M "vm-rw   544      2.00      0.36\n> 0.01       "
			"272.04        1454.20        18.71          6248\n",
			VM_WANT},
		{"misc",
			HEAD VM M "miscellaneous metrics:\n" M
				  "vm-rw   12.50 MB per sec read/write Rate (64 bit) "
				  "(harmonic mean of 1 instance)  <--- (2)\n" M
				  "vm-rw  31.00 nanosecs per call (geometric mean of 2 "
				  "instances)\n" M
				  "vm-rw  0.00 calls per sec (total of 2 instances)\n",
			VM_WANT " vm-rw_mb_per_sec_read_write_rate_64_bit=12.5 "
				"vm-rw_nanosecs_per_call=31"},
		{"misc, wrapped",
			HEAD VM M "miscellaneous metrics:\n" M
				  "vm-rw  31.00 nanosecs per\ncall (geometric mean of\n2 "
				  "instances)\n",
			VM_WANT " vm-rw_nanosecs_per_call=31"},
		{"misc, cut",
			HEAD VM M "miscellaneous metrics:\n" M "vm-rw  31.00 nanosecs pe",
			"-cut"},
		{"row cut", HEAD VM M "pipe  100   2.00      0.3", "-cut"},
		{"prefix cut", HEAD VM "stress-ng: met", "-cut"},
		{"closing line cut", HEAD VM I "successful run comp", VM_WANT},
		{"rate 0 of the second", HEAD VM M "pipe 7 2.00 0.00 0.00 3.50 0.00\n",
			VM_WANT " pipe_bogo_ops=7 pipe_bogo_ops_per_sec=3.5"},
		{"rate 0 of the first", HEAD M "pipe 0 2.00 0.00 0.00 0.00 0.00\n" VM,
			"-nothing"},
		{"corrupted before",
			I "dispatching hogs: 1 vm-rw\nstress-ng: fail:  [77] "
			  "metrics-check: "
			  "stressor metrics corrupted, data is compromised\n" HEAD VM,
			"-corrupted"},
		{"corrupted behind",
			HEAD VM "stress-ng: fail:  [77] vm-rw instance 0 corrupted "
				"bogo-ops counter, 1 vs 0\n",
			"-corrupted"},
		{"trusted", HEAD VM I "metrics untrustworthy: 0\n", VM_WANT},
		{"not trusted", HEAD VM I "metrics untrustworthy: 1: vm-rw (1)\n",
			"-corrupted"},
		{"corrupted, then a good run",
			HEAD VM "stress-ng: fail: [77] metrics corrupted\n" I
				"setting to a 2 second run per stressor\n" HEAD VM,
			VM_WANT},
		{"two runs", HEAD VM HEAD VM, VM_WANT " | " VM_WANT},
		{"no metrics", I "successful run completed in 2.02s\n", "-no metrics"},
	};

	check(*state, "stress-ng", rows, ARRAY_LEN(rows));
}

/* ---- will-it-scale ---- */

#define CSV                                                                              \
	"tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n"

static void will_it_scale(void **state)
{
	static const struct row rows[] = {
		{"table", CSV "1,100,95.1,90,95.0,100\n4,380,1.0,200,9.2,400\n",
			"processes_1=100 threads_1=90 *processes_4=380 threads_4=200"},
		{"processes alone, remark", CSV "52,279,0.03,0,0.00,0 (-8.6%)\n",
			"*processes_52=279"},
		{"threads alone", CSV "256,0,0.00,256,0.17,0\n", "*threads_256=256"},
		{"not run at the largest", CSV "1,100,0,90,0,100\n2,-1,0,80,0,0\n",
			"*processes_1=100 threads_1=90 threads_2=80"},
		{"two tables, one without a header",
			CSV "1,100,0,90,0,100\n\nAfter:\n0,0,100,0,100,0\n"
			    "1,110,0,95,0,110\n",
			"*processes_1=100 threads_1=90 | *processes_1=110 threads_1=95"},
		{"cut behind its numbers", CSV "1,100,0,90,0,100\n2,190,0,80,0.",
			"processes_1=100 threads_1=90 *processes_2=190 threads_2=80"},
		{"cut in a number", CSV "1,100,0,90,0,100\n2,190,0,8", "-cut"},
		{"nothing run", CSV, "-no table"},
		{"all zero", CSV "1,0,0.00,0,0.00,0\n", "-nothing"},
		{"raw",
			"testcase:x\nwarmup\nmin:1 max:2 total:3\nmeasurement\n"
			"average:260193\ntestcase:y\naverage:3\n",
			"*average=260193 | *average=3"},
		{"raw, killed", "testcase:x\nwarmup\nmin:1 max:2 total:3\n", "-no table"},
		{"raw, cut in the average",
			"measurement\nmin:1 max:2 total:300\naverage:30", "-cut"},
		{"raw, no newline", "measurement\nmin:1 max:2 total:300\naverage:300",
			"*average=300"},
		{"raw, zero", "testcase:x\naverage:0\n", "-nothing"},
	};

	check(*state, "will-it-scale", rows, ARRAY_LEN(rows));
}

/* ---- perf stat ---- */

#define PS      " Performance counter stats for 'prog -l 5':\n\n"
#define CLOCK   "            519.95 msec task-clock    #    0.963 CPUs utilized\n"
#define CS      "             3,508      context-switches   #    6.747 K/sec\n"
#define ELAPSED "\n       0.539664188 seconds time elapsed\n"
#define TIMES   "\n       0.100729000 seconds user\n       0.457614000 seconds sys\n"
#define PS_WANT                                                                          \
	"task-clock=519.95 context-switches=3508 *elapsed=0.539664188 user=0.100729 "    \
	"sys=0.457614"

static void perf_stat_text(void **state)
{
	static const struct row rows[] = {
		{"plain", PS CLOCK CS ELAPSED TIMES, PS_WANT},
		{"no header", "prog says 5 things\n" CLOCK CS ELAPSED TIMES, PS_WANT},
		{"tail of another before", ELAPSED TIMES PS CLOCK CS ELAPSED TIMES,
			PS_WANT},
		{"tail of another behind", PS CLOCK CS ELAPSED ELAPSED TIMES,
			"task-clock=519.95 context-switches=3508 *elapsed=0.539664188"},
		{"two, the first cut", PS CLOCK CS PS CLOCK CS ELAPSED TIMES, PS_WANT},
		{"cut", PS CLOCK CS "       0.5396", "-cut"},
		{"cut words", PS CLOCK CS "       0.539664188 seconds ti", "-cut"},
		{"repeated, wrapped header",
			" Performance counter stats for 'prog -l 5' (3\nruns):\n\n"
			"  3,508      context-switches  # 12.1 K/sec  ( +- 18.41% )\n"
			"\n   0.4786 +- 0.0355 seconds time elapsed  ( +-  7.43% )\n",
			"context-switches=3508 *elapsed=0.4786@3"},
		{"wrapped rows",
			PS "519.95 msec\ntask-clock    #\n0.963 CPUs utilized\n3,508\n"
			   "context-switches   #    6.747 K/sec\n"
			   "0.539664188 seconds time\nelapsed\n" TIMES,
			PS_WANT},
		{"not counted, no unit, others' units",
			PS "  <not counted>  cycles:u  (0.00%)\n   1.50 Joules "
			   "power/energy-pkg/\n  0      faults\n" ELAPSED,
			"power/energy-pkg/=1.5 faults=0 *elapsed=0.539664188"},
		{"German",
			PS
			"  1.519,95 msec task-clock  # 0,9 CPUs utilized\n"
			"   1.003.508      cycles\n  0,539664188 seconds time elapsed\n",
			"task-clock=1519.95 cycles=1003508 *elapsed=0.539664188"},
		{"narrow no-break space, apostrophe, quoted-printable",
			PS
			"  182,97 msec task-clock\n  1\342\200\257584      cycles\n"
			"  2\342\200\231584      faults\n  3=E2=80=AF584      branches\n"
			"  0,3 seconds time elapsed\n",
			"task-clock=182.97 cycles=1584 faults=2584 branches=3584 "
			"*elapsed=0.3"},
		{"older",
			PS "  519.950000 task-clock-msecs   #  0.9 CPUs\n"
			   "  12 CPU-migrations (scaled from 50%)\n"
			   "  0.539664188  seconds time elapsed   ( +-   7.4% )\n",
			"task-clock=519.95 CPU-migrations=12 *elapsed=0.539664188"},
		{"event twice", PS CS CS ELAPSED,
			"context-switches=3508 *elapsed=0.539664188"},
		{"killed", "prog: Terminated\n" PS CS ELAPSED, "-interrupted"},
		{"another was killed", "other: Terminated\n" PS CS ELAPSED,
			"context-switches=3508 *elapsed=0.539664188"},
		{"intervals",
			"#           time             counts unit events\n"
			"     1.001050123      3,508      context-switches\n",
			"-no counters"},
		{"usage", "event syntax error: 'x'\n", "-no counters"},
	};

	check(*state, "perf-stat", rows, ARRAY_LEN(rows));
}

#define X1     "2150,,context-switches,462533925,100.00,4.648,K/sec\n"
#define X2     "462.53,msec,task-clock,462533925,100.00,0.703,CPUs utilized\n"
#define X_WANT "*context-switches=2150 task-clock=462.53"

static void perf_stat_table(void **state)
{
	static const struct row rows[] = {
		{"csv", "prog: 1,2,3\n" X1 X2, X_WANT},
		{"two runs", X1 X2 X1 X2, X_WANT " | " X_WANT},
		{"cut behind the event", X1 "462.53,msec,task-clock,46", X_WANT},
		{"cut in the event", X1 "462.53,msec,task-c", "-cut"},
		{"cut in the first event", "2150,,context-swi", "-cut"},
		{"cut behind it", "2150,,context-switches,", "*context-switches=2150"},
		{"cut in the value", X1 "462.5", "-cut"},
		{"semicolon and comma",
			"2150;;context-switches;462533925;100,00;4,648;K/sec\n"
			"462,53;msec;task-clock;462533925;100,00;0,7;CPUs utilized\n",
			X_WANT},
		{"comma twice over",
			"2150,,context-switches,462533925,100,00,4,648,K/sec\n"
			"462,53,msec,task-clock,462533925,100,00,0,703,CPUs utilized\n",
			X_WANT},
		{"tabs",
			"2150\t\tcontext-switches\t462533925\t100.00\t4.648\tK/sec\n"
			"462.53\tmsec\ttask-clock\t462533925\t100.00\t0.703\tCPUs\n",
			X_WANT},
		{"variance, not supported, terms",
			"<not supported>,,cycles,0,100.00,,\n"
			"7,,cpu/event=0x3c,umask=0x1/,18.41%,313740,100.00,,\n",
			"*cpu/event=0x3c,umask=0x1/=7"},
		{"nothing counted", "<not counted>,,cycles,0,0.00,,\n", "-nothing"},
		{"intervals", "1.001050123,2150,,context-switches,100,100.00,,\n",
			"-interval"},
		{"old", "2150,context-switches\n462.53,task-clock\n", X_WANT},
		{"json",
			"{\"counter-value\" : \"2150.000000\", \"unit\" : \"\", "
			"\"event\" "
			": \"context-switches\", \"event-runtime\" : 46,\n "
			"\"pcnt-running\" "
			": 100.00}\n{\"counter-value\" : \"462.530000\", \"unit\" : "
			"\"msec\", \"event\" : \"task-clock\", \"event-runtime\" : 46}\n",
			X_WANT},
		{"json, cut",
			"{\"counter-value\" : \"2150.000000\", \"unit\" : \"\", "
			"\"event\" "
			": \"context-switches\"}\n{\"counter-value\" : \"462.5",
			"-cut"},
		{"json, intervals",
			"{\"interval\" : 1.0, \"counter-value\" : \"2\", \"event\" : "
			"\"cycles\"}\n",
			"-interval"},
	};

	check(*state, "perf-stat", rows, ARRAY_LEN(rows));
}

/* ---- recorded outputs ---- */

static void recorded(void **state)
{
	static const char *const names[] = {
		"cyclictest", "sysbench", "stress-ng", "will-it-scale", "perf-stat"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		render_recorded(*state, names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cyclictest, setup, teardown),
		cmocka_unit_test_setup_teardown(sysbench, setup, teardown),
		cmocka_unit_test_setup_teardown(stress_ng, setup, teardown),
		cmocka_unit_test_setup_teardown(will_it_scale, setup, teardown),
		cmocka_unit_test_setup_teardown(perf_stat_text, setup, teardown),
		cmocka_unit_test_setup_teardown(perf_stat_table, setup, teardown),
		cmocka_unit_test_setup_teardown(recorded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
