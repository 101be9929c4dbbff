/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_main.c - `wakelist-runner log check FILE|-`. */
#include "base/base.h"
#include "runners/tools.h"

#include "base/file.h"
#include "runners/logcheck.h"

static int usage(FILE *to, int status)
{
	fputs("usage: wakelist-runner log check FILE|-\n\n"
	      "Reads a console log and prints what the kernel reported, as JSON: "
	      "panics,\n"
	      "oopses, warnings, lockdep, stalls, lockups, hung tasks, KASAN, KCSAN, "
	      "OOM\n"
	      "kills and restarts. Exit status 0 whatever was found.\n",
		to);
	return status;
}

int tool_log(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	CLEANUP(base_freep) char *text = NULL;
	json_auto_t *j = NULL;
	struct log_check *c;
	struct err e = {0};

	if (argc > 0 && (!strcmp(argv[0], "--help") || !strcmp(argv[argc - 1], "--help")))
		return usage(stdout, 0);
	if (argc != 2 || strcmp(argv[0], "check") || (argv[1][0] == '-' && argv[1][1]))
		return usage(stderr, 2);
	if (file_read(argv[1], LOGCHECK_TEXT_MAX, &buf, &e) ||
		logcheck_parse(a, buf.buf, buf.len, &c, &e)) {
		fprintf(stderr, "wakelist-runner: %s\n", e.msg);
		return 3;
	}
	j = logcheck_to_json(c);
	text = jx_dump(j);
	puts(text);
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
