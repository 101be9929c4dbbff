/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/child.h"

#include "base/clock.h"
#include "base/log.h"
#include "workers/confine.h"
#include "workers/jobio.h"
#include "workers/kind.h"
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_EVERY_NS (500 * NS_PER_MS)

struct order { /* the job frame, unpacked */
	const struct worker_op *op;
	const char *data, *blobs, *scratch;
	struct confine confine;
	json_t *in; /* borrowed */
};

static int order_parse(json_t *frame, struct order *ret, struct err *e)
{
	const char *type, *kind, *op;
	json_int_t v, uid, gid;
	int unshare;
	int status = jx_unpack(frame, e, "job frame",
		"{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:o !}", "v", &v, "t",
		&type, "kind", &kind, "op", &op, "data", &ret->data, "blobs", &ret->blobs,
		"scratch", &ret->scratch, "uid", &uid, "gid", &gid, "unshare", &unshare,
		"in", &ret->in);

	if (status != 0)
		return status;
	ret->op = worker_op_find(kind, op);
	if (!ret->op)
		return err_set(e, ERR_UNSUPPORTED, "no such job: %.40s/%.40s", kind, op);
	ret->confine = (struct confine){
		.uid = (uid_t)uid,
		.gid = (gid_t)gid,
		.unshare = unshare,
		.net = (ret->op->needs & NEED_NET) != 0,
		.mem_bytes = ret->op->mem_bytes,
		.file_bytes = ret->op->file_bytes,
		.cpu_s = ret->op->cpu_s,
	};
	return 0;
}

/* Trusted work becomes the owner of the blob store instead (adopt.c does it, after it
 * took the files over). */
static int run(struct order *o, json_t **ret, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct job_ctx ctx = {
		.arena = a,
		.fd = JOBIO_FD,
		.scratch = o->scratch,
		.blobs = o->blobs,
		.data = o->data,
	};
	int status = 0;

	umask(022);
	if (!(o->op->needs & NEED_TRUSTED))
		status = confine_self(&o->confine, e);
	if (status == 0 && chdir(o->scratch) != 0)
		status = err_set(e, ERR_INTERNAL, "the scratch folder cannot be entered");
	return status == 0 ? o->op->run(&ctx, o->in, ret, e) : status;
}

int child_main(void)
{
	json_t *frame = NULL, *result = NULL, *answer;
	struct err e = {0}, lost = {0};
	struct order order = {0};
	int status = jobio_read(JOBIO_FD, &frame, &e);

	signal(SIGPIPE, SIG_IGN);
	if (status != 0) {
		log_error("job_frame", "why=%s", log_q(e.msg));
		return 70;
	}
	status = order_parse(frame, &order, &e);
	if (status == 0)
		status = run(&order, &result, &e);
	if (status == 0)
		answer = jx_pack(
			"{s:i, s:s, s:o}", "v", 1, "t", "result", "result", result);
	else
		answer = jx_pack("{s:i, s:s, s:s, s:o}", "v", 1, "t", "error", "code",
			err_code_name(e.code), "msg", jx_text(e.msg, strlen(e.msg)));
	status = jobio_write(JOBIO_FD, answer, &lost);
	if (status == ERR_TOO_BIG) { /* the answer is ours to cut, not the reader's */
		json_decref(answer);
		answer = jx_pack("{s:i, s:s, s:s, s:s}", "v", 1, "t", "error", "code",
			err_code_name(ERR_TOO_BIG), "msg", lost.msg);
		status = jobio_write(JOBIO_FD, answer, &lost);
	}
	json_decref(answer);
	json_decref(frame);
	return status == 0 ? 0 : 70;
}

void job_progress(struct job_ctx *j, int64_t done, int64_t total, const char *unit,
	const char *text)
{
	int64_t now = clock_mono_ns();
	json_t *frame;
	struct err e;

	if (j->last_progress_ns && now - j->last_progress_ns < PROGRESS_EVERY_NS)
		return;
	j->last_progress_ns = now;
	frame = jx_pack("{s:i, s:s, s:I, s:I, s:s, s:o}", "v", 1, "t", "progress", "done",
		(json_int_t)done, "total", (json_int_t)total, "unit", unit, "text",
		jx_text(text, strnlen(text, 200)));
	/* A supervisor that is gone kills us soon; the result will not be missed. */
	if (jobio_write(j->fd, frame, &e) != 0)
		j->last_progress_ns = INT64_MAX;
	json_decref(frame);
}
