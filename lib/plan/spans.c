// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/proc.h"
#include "plan/ctags.h"
#include "plan/spans.h"

#define DEATHS_MAX 3 /* of the scanner, before the rest is left alone */
#define CPU_S      20

/* One run over texts [at, n); how many were answered. */
static size_t run(struct arena *a, struct touch_side **sides, size_t n,
	struct ctags_answer *answers, const char **ret_why)
{
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	struct proc_spec spec = {.argv = ctags_argv,
		.clear_env = true,
		.deadline_ms = CTAGS_RUN_MS,
		.out_cap_bytes = CTAGS_OUT_MAX_BYTES,
		.mem_limit_bytes = CTAGS_MEM_BYTES,
		.cpu_limit_s = CPU_S,
		.file_limit_bytes = 1,
		.no_new_privs = true,
		.die_with_parent = true};
	struct proc_result r;
	char text[80];
	size_t done;
	struct err e;

	for (size_t i = 0; i < n; i++)
		ctags_ask(&in, sides[i]->text, sides[i]->len);
	spec.in = in.buf;
	spec.in_len = in.len;
	proc_result_init(&r);
	if (proc_run(&spec, &r, &e)) {
		*ret_why = arena_printf(a, "ctags: %s", e.msg);
		proc_result_release(&r);
		return 0;
	}
	done = ctags_parse(a, r.out.buf, r.out.len, n, answers);
	if (done < n)
		*ret_why = arena_printf(a, "ctags: %s %.*s",
			proc_result_text(&r, text, sizeof(text)),
			(int)strcspn(r.err.buf, "\n"), r.err.buf);
	proc_result_release(&r);
	return done;
}

void spans_scan(
	struct arena *a, struct touch_file *files, size_t n_files, const char **ret_why)
{
	struct touch_side **sides = ARENA_ARRAY(a, struct touch_side *, 2 * n_files + 1);
	struct ctags_answer *answers =
		ARENA_ARRAY(a, struct ctags_answer, 2 * n_files + 1);
	size_t n = 0;

	*ret_why = NULL;
	for (size_t i = 0; i < n_files; i++) {
		if (!ctags_reads(diff_file_path(files[i].diff)))
			continue;
		if (files[i].base.text)
			sides[n++] = &files[i].base;
		if (files[i].patched.text)
			sides[n++] = &files[i].patched;
	}
	for (size_t at = 0, deaths = 0; at < n && deaths < DEATHS_MAX;) {
		size_t done = run(a, &sides[at], n - at, &answers[at], ret_why);

		for (size_t i = at; i < at + done; i++) {
			sides[i]->spans = answers[i].spans;
			sides[i]->n_spans = answers[i].n;
			sides[i]->has_spans = answers[i].ok;
		}
		at += done;
		if (at == n)
			break;
		/* nothing at all: it is not there, or has no sandbox; else the text
		 * that it died of is passed over */
		if (!done && !at)
			break;
		deaths++;
		at++;
	}
}
