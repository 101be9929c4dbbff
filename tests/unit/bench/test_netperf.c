// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

#define TO                                                                               \
	" from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET : demo\n"
#define RR "MIGRATED TCP REQUEST/RESPONSE TEST" TO
#define RR_HEAD                                                                          \
	"Local /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   "  \
	"Size     Size    Time     Rate         \nbytes  Bytes  bytes    bytes   secs. " \
	"   per sec   \n\n"
#define RR_ROW "16384  131072 1        1       2.00     29805.56   \n16384  131072\n"
#define RR_IS  "^throughput=29805.56 trans/s*"
#define RR_CPU_HEAD                                                                      \
	"Local /Remote\nSocket Size   Request Resp.  Elapsed Trans.   CPU    CPU    "    \
	"S.dem   S.dem\nSend   Recv   Size    Size   Time    Rate     local  remote "    \
	"local   remote\nbytes  bytes  bytes   bytes  secs.   per sec  % S    % S    "   \
	"us/Tr   us/Tr\n\n"
#define CPU_IS "; cpu_local=99.1 %; cpu_remote=98.2 %"
#define STREAM "MIGRATED TCP STREAM TEST" TO
#define STREAM_HEAD(unit)                                                                \
	"Recv   Send    Send                          \nSocket Socket  Message  "        \
	"Elapsed              \nSize   Size    Size     Time     Throughput  \nbytes  "  \
	"bytes   bytes    secs.    " unit "  \n\n"
#define STREAM_ROW "131072  16384  16384    3.00     5859.87   \n"
#define STREAM_IS  "^throughput=5859.87 Mbit/s*"
#define UDP        "MIGRATED UDP STREAM TEST" TO
#define UDP_HEAD                                                                         \
	"Socket  Message  Elapsed      Messages                \nSize    Size     Time " \
	"        Okay Errors   Throughput\nbytes   bytes    secs            #      #   " \
	"10^6bits/sec\n\n"
#define UDP_ROWS                                                                         \
	"212992    1024   2.00       144141      0     590.36\n212992           2.00   " \
	"     51306            210.13\n\n"
#define UDP_IS "^throughput_send=590.36 Mbit/s; ^throughput_recv=210.13 Mbit/s*"

static void rows_of_classic_tests(void **state)
{
	static const struct render_row rows[] = {
		{"transactions", RR RR_HEAD RR_ROW, RR_IS},
		{"stream", STREAM STREAM_HEAD("10^6bits/sec") STREAM_ROW, STREAM_IS},
		{"datagrams", UDP UDP_HEAD UDP_ROWS, UDP_IS},
		{"older datagrams", "UDP UNIDIRECTIONAL SEND TEST" TO UDP_HEAD UDP_ROWS,
			UDP_IS},
		{"connections",
			"MIGRATED TCP Connect/Request/Response TEST" TO RR_HEAD RR_ROW,
			RR_IS},
		{"old banner",
			"TCP STREAM TEST to host\n" STREAM_HEAD("10^6bits/sec")
				STREAM_ROW,
			STREAM_IS},
		{"KBytes", STREAM STREAM_HEAD("KBytes/sec") STREAM_ROW,
			"^throughput=5859.87 KB/s*"},
		{"MBytes", STREAM STREAM_HEAD("MBytes/sec") STREAM_ROW,
			"^throughput=5859.87 MB/s*"},
		{"10^9", STREAM STREAM_HEAD("10^9bits/sec") STREAM_ROW,
			"^throughput=5859.87 Gbit/s*"},
		{"10^3", STREAM STREAM_HEAD("10^3bits/sec") STREAM_ROW,
			"^throughput=5859.87 kbit/s*"},
		{"transactions as bits",
			RR
			"Local /Remote\nSocket Size   Request  Resp.   Elapsed  \nSend   "
			"Recv   Size     Size    Time     Throughput \nbytes  Bytes  "
			"bytes    bytes   secs.    10^6bits/sec   \n\n" RR_ROW,
			"^throughput=29805.56 Mbit/s*"},
		{"wrapped banner, header and row",
			"> MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 "
			"AF_INET\n"
			"> to 127.0.0.1 () port 0 AF_INET : demo\n> Recv   Send    "
			"Send\n> "
			"Socket Socket  Message  Elapsed\n> Size   Size    Size     Time "
			"    "
			"Throughput\n> bytes  bytes   bytes    secs.\n> "
			"10^6bits/sec\n>\n> "
			"131072  16384  16384    3.00\n> 5859.87\n",
			STREAM_IS},
		{"remark", RR "16384  131072 1 1 2.00 29805.56 (+3%) <---\n", RR_IS},
		{"brand", RR "16384  131072 1 1 2.00 29805.56 patched\n", RR_IS},
		{"coloured, CRLF", RR "16384  131072 1 1 2.00 \033[1m29805.56\033[0m\r\n",
			RR_IS},
		{"decimal comma", RR "16384  131072 1 1 2,00 29805,56\n", RR_IS},
		{"interim results",
			STREAM
			"Interim result: 5867.96 10^6bits/s over 1.000 seconds ending "
			"at\n1796160930.725\nInterim result:   99.00 10^6bits/s over\n"
			"1.000 seconds ending at "
			"1796160931.725\n" STREAM_HEAD("10^6bits/sec") STREAM_ROW,
			STREAM_IS},
		{"interim results only",
			STREAM
			"Interim result: 5867.96 10^6bits/s over 1.000 seconds ending "
			"at 1796160930.725\n",
			""},
		{"-v 2 of a stream",
			STREAM STREAM_HEAD("10^6bits/sec") STREAM_ROW
			"\nAlignment      Offset         Bytes    Bytes       Sends   "
			"Bytes  "
			"  Recvs\nLocal  Remote  Local  Remote  Xfered   Per             "
			"    "
			"Per\nSend   Recv    Send   Recv             Send (avg)          "
			"Recv "
			"(avg)\n    8       8      0       0 1.648e+09  16384.27    "
			"100560   "
			"16389.11 100530\n\nMaximum\nSegment\nSize (bytes)\n 32741\n",
			STREAM_IS},
		{"-v 2 of transactions",
			RR RR_HEAD RR_ROW
			"Alignment      Offset         RoundTrip  Trans    "
			"Throughput\nLocal  "
			"Remote  Local  Remote  Latency    Rate     10^6bits/s\nSend   "
			"Recv    "
			"Send   Recv    usec/Tran  per sec  Outbound   Inbound\n    8    "
			"  0   "
			"    0      0   33.551   29805.563 0.238    0.238\n" RR_ROW,
			RR_IS " | " RR_IS},
		{"three tests",
			RR RR_HEAD RR_ROW UDP UDP_HEAD UDP_ROWS STREAM STREAM_HEAD(
				"10^6bits/sec") STREAM_ROW,
			RR_IS " | " UDP_IS " | " STREAM_IS},
		{"rows under one header",
			STREAM STREAM_HEAD("10^6bits/sec") STREAM_ROW STREAM_ROW,
			STREAM_IS " | " STREAM_IS},
		{"no receiver",
			UDP UDP_HEAD "212992    1024   2.00       144141      0     "
				     "590.36\n",
			""},
		{"receiver's number cut",
			UDP UDP_HEAD
			"212992    1024   2.00       144141      0     590.36\n"
			"212992           2.00        51306            210.1",
			""},
		{"nothing received",
			UDP UDP_HEAD
			"212992    1024   2.00       144141      0     590.36\n"
			"212992           2.00            0              0.00\n",
			""},
		{"rate 0", RR RR_HEAD "16384  131072 1        1       2.00        0.00\n",
			""},
		{"nan", RR RR_HEAD "16384  131072 1        1       2.00        nan\n",
			""},
		{"cut number",
			STREAM STREAM_HEAD("10^6bits/sec") "131072  16384  16384    "
							   "3.00     5859.8",
			""},
		{"cut at the point", STREAM "131072  16384  16384    3.00     5859.", ""},
		{"no newline",
			STREAM STREAM_HEAD("10^6bits/sec") "131072  16384  16384    "
							   "3.00     5859.87",
			STREAM_IS},
		{"killed", STREAM, ""},
		{"no server",
			"establish control: are you sure there is a netserver "
			"listening on 127.0.0.1 at port 1?\n",
			""},
		{"empty", "", ""},
	};

	render_rows(*state, "netperf", rows, ARRAY_LEN(rows));
}

static void cpu_use(void **state)
{
	static const struct render_row rows[] = {
		{"transactions",
			RR RR_CPU_HEAD "16384  131072 1       1      2.00    "
				       "29805.56  99.10  98.20  108.776  107.5"
				       "00 \n16384  131072\n",
			RR_IS CPU_IS "; service_demand_local=108.776 us/Tr; "
				     "service_demand_remote=107.5 us/Tr"},
		{"wrapped",
			"> " RR RR_CPU_HEAD
			"> 16384  131072 1       1      2.00    29805.56  99.10  98.20\n"
			"> 108.776  107.500\n",
			RR_IS CPU_IS "; service_demand_local=108.776 us/Tr; "
				     "service_demand_remote=107.5 us/Tr"},
		{"stream",
			STREAM
			"Recv   Send    Send                          Utilization   "
			"    Service Demand\nSocket Socket  Message  Elapsed          "
			"    Send     Recv     Send    Recv\nSize   Size    Size     "
			"Time     Throughput  local    remote   local   remote\nbytes "
			" bytes   bytes    secs.    10^6bits/s  % S      % S      "
			"us/KB   us/KB\n\n131072  16384  16384    3.00       5859.87   "
			"99.10    98.20    2.767   2.742  \n",
			STREAM_IS CPU_IS "; service_demand_local=2.767 us/KB; "
					 "service_demand_remote=2.742 us/KB"},
		{"datagrams",
			UDP
			"Socket  Message  Elapsed      Messages                   CPU    "
			" "
			" Service\nSize    Size     Time         Okay Errors   "
			"Throughput "
			"  Util     Demand\nbytes   bytes    secs            #      #   "
			"10^6bits/sec % SS     us/KB\n\n212992    1024   2.00       "
			"144141 "
			"     0      590.4     99.10    2.767 \n212992           2.00    "
			"  "
			"  51306             210.1     98.20    2.742 \n\n",
			"^throughput_send=590.4 Mbit/s; ^throughput_recv=210.1 Mbit/s*"
			"; cpu_local=99.1 %; service_demand_local=2.767 us/KB; "
			"cpu_remote=98.2 %; service_demand_remote=2.742 us/KB"},
		{"one side not measured",
			RR RR_CPU_HEAD "16384  131072 1       1      2.00    29805.56  "
				       "99.10  -1.00  108.776 "
				       " -1.000 \n",
			RR_IS "; cpu_local=99.1 %; service_demand_local=108.776 us/Tr"},
		{"cut", RR RR_CPU_HEAD "16384  131072 1 1 2.00 29805.56  99.10  98.2",
			RR_IS "; cpu_local=99.1 %"},
	};

	render_rows(*state, "netperf", rows, ARRAY_LEN(rows));
}

static void without_banner(void **state)
{
	static const struct render_row rows[] = {
		{"transactions", RR_ROW RR_ROW, RR_IS " | " RR_IS},
		{"stream", STREAM_ROW, "^throughput=5859.87 ?*"},
		{"datagrams", UDP_ROWS,
			"^throughput_send=590.36 ?; ^throughput_recv=210.13 "
			"?*"},
		{"a number alone", "  29805.56 \n", "^throughput=29805.56 ?*"},
		{"a number alone behind a banner", RR "29805.56\n", RR_IS},
		{"service demand alone", "108.776 S \n", ""},
		{"a number alone behind rows", RR_ROW "version\n3.10\n", RR_IS},
		{"numbers alone", "7.50\n8.50\n",
			"^throughput=7.5 ?* | ^throughput=8.5 ?*"},
		{"a cut number alone", "29805.5", ""},
		{"header lines alone", STREAM_HEAD("10^6bits/sec") STREAM_ROW, STREAM_IS},
		{"other numbers", "1\n2.5\n3 4\n5.00 6\n", ""},
	};

	render_rows(*state, "netperf", rows, ARRAY_LEN(rows));
}

static void omni(void **state)
{
	static const struct render_row rows[] = {
		{"keywords",
			RR "THROUGHPUT=7.50\nTHROUGHPUT_UNITS=Trans/s\nP99_LATENCY=21\n"
			   "MEAN_LATENCY=6.25\nTRANSACTION_RATE=7.500\nLOCAL_CPU_UTIL=9."
			   "00\n",
			"^throughput=7.5 trans/s*; ^transaction_rate=7.5 trans/s; "
			"latency_p99=21 us; latency_mean=6.25 us"},
		{"quoted-printable",
			"> THROUGHPUT=3D7.50\n> THROUGHPUT_UNITS=3D10^6bits/s\n",
			"^throughput=7.5 Mbit/s*"},
		{"unit from the banner", RR "THROUGHPUT=7.50\n",
			"^throughput=7.5 trans/s*"},
		{"no unit", STREAM "THROUGHPUT=7.50\n", "^throughput=7.5 ?*"},
		{"twice",
			"THROUGHPUT=7.50\nMIN_LATENCY=1\nTHROUGHPUT=8.50\nMIN_LATENCY="
			"2\n",
			"^throughput=7.5 ?*; latency_min=1 us | ^throughput=8.5 ?*; "
			"latency_min=2 us"},
		{"interim",
			"NETPERF_INTERIM_RESULT[0]=5.00\nNETPERF_UNITS[0]=10^6bits/s\n"
			"THROUGHPUT=7.50\n",
			"^throughput=7.5 ?*"},
		{"cut integer", "THROUGHPUT=7.50\nMAX_LATENCY=12", "^throughput=7.5 ?*"},
		{"cut throughput", "MAX_LATENCY=127\nTHROUGHPUT=7.5", ""},
		{"throughput 0", "THROUGHPUT=0.00\nMAX_LATENCY=12\n", ""},
		{"throughput nan", "THROUGHPUT=nan\nMAX_LATENCY=12\n", ""},
		{"not measured", "THROUGHPUT=7.50\nMIN_LATENCY=-1\n",
			"^throughput=7.5 ?*"},
		{"only latencies", "P50_LATENCY=24\n", "latency_p50=24 us"},
		{"CSV",
			RR "Throughput,Throughput Units,Mean Latency Microseconds,50th "
			   "Percentile Latency Microseconds\n7.50,Trans/s,6.25,24\n",
			"^throughput=7.5 trans/s*; latency_p50=24 us; latency_mean=6.25 "
			"us"},
		{"CSV, wrapped",
			RR "Throughput,Throughput Units,Mean Latency Microseconds,50th\n"
			   "Percentile Latency Microseconds\n7.50,Trans/s,\n6.25,24\n",
			"^throughput=7.5 trans/s*; latency_p50=24 us; latency_mean=6.25 "
			"us"},
		{"CSV with a command line",
			"Command Line,Throughput,Throughput Units\n\"netperf -t omni -- "
			"-o "
			"a,b\",7.50,10^6bits/s\n",
			"^throughput=7.5 Mbit/s*"},
		{"CSV of keywords", "THROUGHPUT,THROUGHPUT_UNITS\n7.50,Trans/s\n",
			"^throughput=7.5 trans/s*"},
		{"CSV, rows under one header",
			"Throughput,Throughput Units\n7.50,Trans/s\n8.50,Trans/s\n",
			"^throughput=7.5 trans/s* | ^throughput=8.5 trans/s*"},
		{"CSV, interim results",
			" 5.00,10^6bits/s,1.000,1796160930.725\nThroughput,Throughput "
			"Units,Elapsed Time (sec),Transaction Rate "
			"Tran/s\n7.50,10^6bits/s,"
			"3.00,9.000\n 6.00,10^6bits/s,1.000,1796160999.725\n",
			"^throughput=7.5 Mbit/s*; ^transaction_rate=9 trans/s"},
		{"CSV, cut header", "Throughput,Throughput Units,Mean Lat", ""},
		{"CSV, cut row",
			"Throughput,Throughput Units,Mean Latency Microseconds\n7.50,"
			"Trans/s",
			""},
		{"CSV, cut value", "Throughput,P99_LATENCY\n7.50,21",
			"^throughput=7.5 ?*"},
		{"CSV without a header, below its command",
			"+ netperf -P 0 -t TCP_RR -H ::1 -- -r 1,1 -o "
			"P50_LATENCY,p99_latency,MEAN_LATENCY,THROUGHPUT\n24,31,25.10,"
			"7.50\n25,32,26.10,8.50\n",
			"^throughput=7.5 ?*; latency_p50=24 us; latency_p99=31 us; "
			"latency_mean=25.1 us | ^throughput=8.5 ?*; latency_p50=25 us; "
			"latency_p99=32 us; latency_mean=26.1 us"},
		{"a command, then a banner",
			"$ netperf -t TCP_RR -- -o THROUGHPUT,MIN_LATENCY\n" RR
			"7.50,21\n",
			"^throughput=7.5 trans/s*; latency_min=21 us"},
		{"another command asks for no CSV",
			"$ netperf -- -o THROUGHPUT,MIN_LATENCY\n$ netperf -- -k "
			"THROUGHPUT\n7.50,21\n",
			""},
		{"CSV without a header", "7.50,Trans/s,21\n", ""},
		{"columns of a file", "$ netperf -- -o ./list\n7.50,21\n", ""},
		{"its own table, in full",
			"OMNI Send TEST" TO
			"Local       Remote      Local  Elapsed Throughput Throughput  \n"
			"Send Socket Recv Socket Send   Time               Units       \n"
			"Size        Size        Size   (sec)                          \n"
			"Final       Final                                             \n"
			"2626560     6291456     16384  10.00   22000.55   10^6bits/s  "
			"\n",
			"^throughput=22000.55 Mbit/s*"},
		{"its own table, two units",
			"OMNI Send|Recv TEST" TO
			"Throughput Throughput \n           Units      \n\n29805.56   "
			"Trans/s    \n",
			"^throughput=29805.56 trans/s*"},
		{"columns that were asked for are no classic row",
			RR "Local   Remote  Mean         50th         Throughput \n"
			   "Send    Recv    Latency      Percentile              \n"
			   "16384   131072  1            1            2.00    31.50\n",
			""},
		{"a classic table behind them",
			RR "Mean         50th \nLatency      Percentile \n"
			   "33.30        32   \n" RR RR_HEAD RR_ROW,
			RR_IS},
		{"its own table",
			"OMNI Send TEST" TO
			"Local       Local  Throughput Throughput\nSend "
			"Socket Size              Units\n2576128     16384  25911.45   "
			"10^6bits/s  \n",
			"^throughput=25911.45 Mbit/s*"},
	};

	render_rows(*state, "netperf", rows, ARRAY_LEN(rows));
}

static void columns_nobody_told(void **state)
{
	static const char text[] = "24,31,25.10,7.50\n";
	struct bench_output *o = render_parse(*state, "netperf", text, strlen(text));

	assert_non_null(strstr(o->why, "CSV without a header"));
	o = render_parse(*state, "netperf", "3, 4 and 5\n", 11);
	assert_string_equal(o->why, "no result row");
}

static void params(void **state)
{
	static const char text[] =
		RR RR_ROW STREAM STREAM_ROW UDP UDP_ROWS "16384  131072 1 1 2.01 9.00\n";
	struct bench_output *o = render_parse(*state, "netperf", text, strlen(text));
	json_auto_t *j = bench_output_json(o);
	const json_t *elapsed = json_object_get(
		json_object_get(json_array_get(json_object_get(j, "runs"), 3), "params"),
		"elapsed");

	assert_string_equal(render_params(*state, &o->runs[0]),
		"test=TCP REQUEST/RESPONSE send_socket=16384 recv_socket=131072 "
		"request=1 "
		"response=1 elapsed=2");
	assert_string_equal(render_params(*state, &o->runs[1]),
		"test=TCP STREAM recv_socket=131072 send_socket=16384 message=16384 "
		"elapsed=3");
	assert_string_equal(render_params(*state, &o->runs[2]),
		"test=UDP STREAM socket=212992 message=1024 elapsed=2");
	assert_true(json_real_value(elapsed) == 2.01);
}

static void cut(void **state)
{
	render_prefixes(*state, "netperf",
		RR RR_CPU_HEAD "16384  131072 1 1 2.00 29805.56  99.10  98.20  108.776  "
			       "107.500\n16384 131072\n" UDP UDP_HEAD UDP_ROWS
			       "THROUGHPUT=7.50\nP99_LATENCY=21\n" STREAM STREAM_HEAD(
				       "10^6bits/sec") STREAM_ROW);
}

static void recorded(void **state)
{
	render_recorded(*state, "netperf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			rows_of_classic_tests, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(cpu_use, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(
			without_banner, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(omni, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(
			columns_nobody_told, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(params, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(cut, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(recorded, render_setup, render_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
