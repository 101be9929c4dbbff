/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/work.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "workers/jobio.h"
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DB_MS           30000
#define AGAIN_MS        1000 /* between two tries to tell the database */
#define LAST_WORDS_MS   1000 /* for the end of the socket after that of the child */
#define DEADLINE_MAX_MS (INT64_C(24) * 3600 * 1000)

enum phase { LOADING, RUNNING, ADOPTING, ENDING };
enum ending { END_STORE, END_FAIL, END_RELEASE };

struct work {
	struct work *next;
	struct supervisor *s;
	struct arena *arena;
	int64_t id, fence;
	const struct worker_op *op;
	enum phase phase;
	int64_t begun_ns, lease_ok_ns; /* monotonic; last time the lease was sure */
	const char *scratch;
	/* the child */
	pid_t pid; /* 0: none, or reaped */
	int wait_status;
	struct bufferevent *bev;
	const struct worker_op *child_op;
	bool answered;
	json_t *in, *result, *progress;
	struct err e; /* code ERR_OK: no failure so far */
	bool crashed, garbled;
	/* the end */
	bool lost, hand_back;
	enum ending ending;
	const char *outcome, *why;
	struct event *renew_timer, *deadline_timer, *again_timer;
	uint64_t ticket, renew_ticket;
};

static void spawn(struct work *w, const struct worker_op *op, json_t *in);
static void send_ending(struct work *w);

static struct timeval ms_timeval(int64_t ms)
{
	return (struct timeval){ms / 1000, ms % 1000 * 1000};
}

static void timer_start(
	struct work *w, struct event **ev, int64_t ms, short flags, event_callback_fn fn)
{
	struct timeval tv = ms_timeval(ms);

	if (!*ev) {
		*ev = event_new(evloop_base(w->s->loop), -1, flags, fn, w);
		if (!*ev)
			BUG("libevent: no memory for a timer");
	}
	event_add(*ev, &tv);
}

static void event_free_null(struct event **ev)
{
	if (*ev)
		event_free(*ev);
	*ev = NULL;
}

static void work_free(struct work *w)
{
	struct supervisor *s = w->s;
	struct err e;

	for (struct work **at = &s->works; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	s->n_works--;
	if (w->ticket)
		db_forget(s->db, w->ticket);
	if (w->renew_ticket)
		db_forget(s->db, w->renew_ticket);
	event_free_null(&w->renew_timer);
	event_free_null(&w->deadline_timer);
	event_free_null(&w->again_timer);
	if (w->bev)
		bufferevent_free(w->bev);
	if (w->scratch && file_rm_rf(w->scratch, &e) != 0)
		log_warn("scratch_left", "job=%" PRId64 " why=%s", w->id, log_q(e.msg));
	json_decref(w->in);
	json_decref(w->result);
	json_decref(w->progress);
	arena_free(w->arena);
	free(w);
	if (s->stopping && s->n_works == 0)
		evloop_break(s->loop);
	else
		supervise_claim(s);
}

static void kill_child(struct work *w)
{
	if (w->pid > 0)
		kill(-w->pid, SIGKILL);
}

static bool child_gone(const struct work *w)
{
	return w->pid == 0 && !w->bev;
}

/* ---- the end ---- */

static int64_t age_ms(const struct work *w)
{
	return (clock_mono_ns() - w->begun_ns) / NS_PER_MS;
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	send_ending(arg);
}

static void on_ended(const struct db_result *r, const struct err *e, void *arg)
{
	struct work *w = arg;

	w->ticket = 0;
	if (e &&
		(e->code == ERR_UNAVAILABLE || e->code == ERR_TIMEOUT ||
			e->code == ERR_BUSY) &&
		clock_mono_ns() - w->lease_ok_ns < w->s->lease_ms * NS_PER_MS) {
		timer_start(w, &w->again_timer, AGAIN_MS, 0, on_again);
		return;
	}
	if (e && w->ending == END_STORE) {
		/* Ours to look at, unless somebody else was first. */
		w->ending = END_FAIL;
		w->outcome = e->code == ERR_CONFLICT ? "retry" : "park";
		w->why = arena_printf(w->arena, "the result was not stored: %s", e->msg);
		send_ending(w);
		return;
	}
	if (e)
		log_error("job_lost", "job=%" PRId64 " kind=%s why=%s", w->id,
			w->op->kind, log_q(e->msg));
	else if (!q_work_held(r))
		log_info("job_late", "job=%" PRId64 " fence=%" PRId64, w->id, w->fence);
	else
		log_info("job_end",
			"job=%" PRId64 " kind=%s op=%s outcome=%s ms=%" PRId64 " why=%s",
			w->id, w->op->kind, w->op->op, w->outcome, age_ms(w),
			log_q(w->why));
	work_free(w);
}

static void send_ending(struct work *w)
{
	switch (w->ending) {
	case END_STORE:
		w->ticket = q_work_store_send(
			w->s->db, w->id, w->fence, w->result, DB_MS, on_ended, w);
		break;
	case END_FAIL:
		w->ticket = q_work_fail_send(w->s->db, w->id, w->fence, w->outcome,
			w->why, DB_MS, on_ended, w);
		break;
	case END_RELEASE:
		w->ticket = q_work_release_send(
			w->s->db, w->id, w->fence, w->why, DB_MS, on_ended, w);
		break;
	}
}

static void end(struct work *w, enum ending ending, const char *outcome, const char *why)
{
	w->phase = ENDING;
	w->ending = ending;
	w->outcome = outcome;
	w->why = arena_strdup(w->arena, why);
	event_free_null(&w->deadline_timer);
	send_ending(w);
}

/* A job that ended without a result: what becomes of it. */
static void end_failed(struct work *w)
{
	static const char *const outcomes[] = {[ERR_OUTCOME_RETRY] = "retry",
		[ERR_OUTCOME_PARK] = "park",
		[ERR_OUTCOME_FAIL] = "failed"};

	if (w->garbled)
		end(w, END_FAIL, "park", w->e.msg);
	else if (w->crashed)
		end(w, END_FAIL, "retry", w->e.msg);
	else if (w->answered && w->child_op->own_clock &&
		 err_outcome(w->e.code) == ERR_OUTCOME_RETRY)
		end(w, END_FAIL, "failed", w->e.msg);
	else
		end(w, END_FAIL, outcomes[err_outcome(w->e.code)], w->e.msg);
}

/* ---- the child's answers ---- */

/* Puts what the adopting child says in the place of the file names. */
static void take_files(struct work *w, json_t *answer)
{
	json_object_set(w->result, "files", json_object_get(answer, "files"));
}

static int take_result(struct work *w, json_t *result, struct err *e)
{
	int status = w->child_op->check ? w->child_op->check(result, e) : 0;

	if (status == 0 && w->phase == RUNNING)
		status = job_files_check(result, e);
	if (status != 0)
		return status;
	if (w->phase == ADOPTING)
		take_files(w, result);
	else
		w->result = json_incref(result);
	return 0;
}

static int take_frame(struct work *w, json_t *frame, struct err *e)
{
	struct jobio_msg m;
	int status = jobio_msg_parse(frame, &m, e);

	if (status != 0)
		return status;
	if (m.type == JOBIO_PROGRESS) {
		json_decref(w->progress);
		w->progress = m.progress;
		return 0;
	}
	if (w->answered)
		return err_set(e, ERR_INVALID, "a second answer");
	w->answered = true;
	if (m.type == JOBIO_ERROR)
		err_set(&w->e, m.code, "%s", m.text);
	else
		status = take_result(w, m.result, e);
	return status;
}

static void garbled(struct work *w, const struct err *e)
{
	if (!w->garbled)
		err_set(&w->e, ERR_INTERNAL, "the child's answer makes no sense: %s",
			e->msg);
	w->garbled = true;
	kill_child(w);
}

static void read_frames(struct work *w)
{
	struct evbuffer *in = bufferevent_get_input(w->bev);
	struct err e;

	while (!w->garbled && !w->lost) {
		size_t len = evbuffer_get_length(in), used = 0, need = JOBIO_HEAD;
		unsigned char *p;
		json_t *frame = NULL;
		int got;

		if (len < need)
			return;
		p = evbuffer_pullup(in, JOBIO_HEAD);
		need += (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
			p[3];
		if (need <= JOBIO_HEAD + JOBIO_FRAME_MAX && len < need)
			return;
		p = evbuffer_pullup(in, (ev_ssize_t)(len < need ? len : need));
		got = jobio_decode(
			(const char *)p, len < need ? len : need, &frame, &used, &e);
		if (got == 1) {
			evbuffer_drain(in, used);
			got = take_frame(w, frame, &e);
			json_decref(frame);
		}
		if (got < 0)
			garbled(w, &e);
	}
	evbuffer_drain(in, evbuffer_get_length(in));
}

/* ---- the child's life ---- */

static void describe_exit(struct work *w, char *buf, size_t size)
{
	if (WIFSIGNALED(w->wait_status))
		snprintf(buf, size, "killed by signal %d", WTERMSIG(w->wait_status));
	else
		snprintf(buf, size, "exit status %d", WEXITSTATUS(w->wait_status));
}

static void child_over(struct work *w)
{
	char how[64];

	event_free_null(&w->deadline_timer);
	if (w->lost) {
		work_free(w);
		return;
	}
	if (w->hand_back) {
		end(w, END_RELEASE, "release", "the worker was stopped");
		return;
	}
	if (w->e.code == ERR_OK && !w->answered) {
		describe_exit(w, how, sizeof(how));
		err_set(&w->e, ERR_INTERNAL, "the child ended without an answer: %s",
			how);
		w->crashed = true;
	}
	if (w->e.code != ERR_OK) {
		end_failed(w);
		return;
	}
	if (w->phase == RUNNING && json_array_size(json_object_get(w->result, "files"))) {
		w->phase = ADOPTING;
		spawn(w, &op_blob_adopt,
			jx_pack("{s:O}", "files", json_object_get(w->result, "files")));
		return;
	}
	end(w, END_STORE, "done", "");
}

static void on_readable(struct bufferevent *bev, void *arg)
{
	(void)bev;
	read_frames(arg);
}

static void on_socket(struct bufferevent *bev, short what, void *arg)
{
	struct work *w = arg;

	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)))
		return;
	read_frames(w);
	bufferevent_free(bev);
	w->bev = NULL;
	if (child_gone(w))
		child_over(w);
}

static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
	struct work *w = arg;

	(void)fd;
	(void)what;
	if (w->pid == 0) { /* somebody who is not in its group holds the socket */
		read_frames(w);
		bufferevent_free(w->bev);
		w->bev = NULL;
		child_over(w);
		return;
	}
	if (w->e.code == ERR_OK)
		err_set(&w->e, ERR_TIMEOUT, "no answer after %" PRId64 " s",
			w->child_op->deadline_ms / 1000);
	kill_child(w);
}

void work_on_exit(struct work *w, int status)
{
	w->pid = 0;
	w->wait_status = status;
	/* Bytes may still be in the socket; its end comes when nobody holds it. */
	if (child_gone(w))
		child_over(w);
	else
		timer_start(w, &w->deadline_timer, LAST_WORDS_MS, 0, on_deadline);
}

static int order_write(
	struct work *w, const struct worker_op *op, json_t *in, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	const struct work_paths *p = &w->s->paths;
	json_t *frame = jx_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:O}",
		"v", 1, "t", "job", "kind", op->kind, "op", op->op, "data", p->data,
		"blobs", p->blobs, "scratch", w->scratch, "uid", (json_int_t)p->child_uid,
		"gid", (json_int_t)p->child_gid, "unshare", !w->s->sandbox.bwrap, "in",
		in);
	int status = jobio_encode(&s, frame, e);

	json_decref(frame);
	if (status == 0 && bufferevent_write(w->bev, s.buf, s.len) != 0)
		status = err_set(e, ERR_INTERNAL, "the child's socket takes nothing");
	return status;
}

static int scratch_make(struct work *w, struct err *e)
{
	const struct work_paths *p = &w->s->paths;

	if (w->scratch)
		return 0;
	w->scratch = arena_printf(
		w->arena, "%s/%" PRId64 ".%" PRId64, w->s->run_root, w->id, w->fence);
	if (file_mkdir_p(w->scratch, 0700, e) != 0)
		return e->code;
	if (p->child_uid && chown(w->scratch, p->child_uid, p->child_gid) != 0)
		return err_set_errno(e, errno, "%s", w->scratch);
	return 0;
}

static int start_child(
	struct work *w, const struct worker_op *op, json_t *in, struct err *e)
{
	struct job_binds binds = {.arena = w->arena};
	struct proc_fd fd = {.child_fd = JOBIO_FD};
	struct proc_spec spec = {
		.clear_env = true,
		.fds = &fd,
		.n_fds = 1,
		.die_with_parent = true,
	};
	int pair[2], status = scratch_make(w, e);

	if (status == 0 && op->binds)
		status = op->binds(&w->s->paths, in, &binds, e);
	if (status != 0)
		return status;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_set_errno(e, errno, "a socket for the child");
	spec.argv = sandbox_argv(
		w->arena, &w->s->sandbox, op, &w->s->paths, w->scratch, &binds);
	fd.parent_fd = pair[1];
	status = proc_spawn(&spec, &w->pid, e);
	close(pair[1]);
	if (status != 0) {
		w->pid = 0;
		close(pair[0]);
		return status;
	}
	evutil_make_socket_nonblocking(pair[0]);
	w->bev = bufferevent_socket_new(
		evloop_base(w->s->loop), pair[0], BEV_OPT_CLOSE_ON_FREE);
	if (!w->bev)
		BUG("libevent: no memory for a socket");
	bufferevent_setcb(w->bev, on_readable, NULL, on_socket, w);
	bufferevent_enable(w->bev, EV_READ | EV_WRITE);
	return order_write(w, op, in, e);
}

/* Takes in over. */
static void spawn(struct work *w, const struct worker_op *op, json_t *in)
{
	struct err e;
	int status;

	w->child_op = op;
	w->answered = false;
	status = start_child(w, op, in, &e);
	json_decref(in);
	if (status == 0) {
		timer_start(w, &w->deadline_timer,
			op->deadline_ms < DEADLINE_MAX_MS ? op->deadline_ms
							  : DEADLINE_MAX_MS,
			0, on_deadline);
		return;
	}
	w->e = e;
	if (child_gone(w))
		end_failed(w);
	else
		kill_child(w);
}

/* ---- the lease ---- */

static void on_renewed(const struct db_result *r, const struct err *e, void *arg)
{
	struct work *w = arg;

	w->renew_ticket = 0;
	if (!e && q_work_held(r)) {
		w->lease_ok_ns = clock_mono_ns();
		return;
	}
	if (!e)
		work_lose(w, "the lease is gone");
	else if (clock_mono_ns() - w->lease_ok_ns > w->s->lease_ms * NS_PER_MS)
		work_lose(w, e->msg);
}

static void on_renew(evutil_socket_t fd, short what, void *arg)
{
	struct work *w = arg;

	(void)fd;
	(void)what;
	if (w->renew_ticket || w->phase == ENDING)
		return;
	w->renew_ticket = q_work_renew_send(w->s->db, w->id, w->fence, w->s->lease_ms,
		w->progress, w->s->lease_ms / 3, on_renewed, w);
	json_decref(w->progress);
	w->progress = NULL;
}

void work_lose(struct work *w, const char *why)
{
	if (w->lost || w->phase == ENDING)
		return;
	log_info("job_lost", "job=%" PRId64 " kind=%s why=%s", w->id, w->op->kind,
		log_q(why));
	w->lost = true;
	if (w->phase == LOADING || child_gone(w))
		work_free(w);
	else
		kill_child(w);
}

void work_hand_back(struct work *w)
{
	if (w->phase == ENDING || w->lost)
		return;
	w->hand_back = true;
	if (w->phase != LOADING && !child_gone(w)) {
		kill_child(w);
		return;
	}
	if (w->ticket)
		db_forget(w->s->db, w->ticket);
	w->ticket = 0;
	end(w, END_RELEASE, "release", "the worker was stopped");
}

/* ---- the beginning ---- */

static void on_loaded(const struct db_result *r, const struct err *e, void *arg)
{
	struct work *w = arg;
	struct err je;
	json_t *in = NULL;

	w->ticket = 0;
	if (e) {
		err_set(&w->e, e->code, "the job's input: %s", e->msg);
		end_failed(w);
		return;
	}
	if (q_work_load_row(r, &in, &je) != 0) {
		w->e = je;
		end_failed(w);
		return;
	}
	if (!in) {
		log_debug("job_nothing", "job=%" PRId64, w->id);
		work_free(w);
		return;
	}
	if (w->s->smtp && w->op->needs & NEED_NET && strcmp(w->op->kind, "reply") == 0)
		json_object_set_new(in, "smtp", json_string(w->s->smtp));
	w->phase = RUNNING;
	spawn(w, w->op, in);
}

void work_start(struct supervisor *s, const struct q_work_claimed *c)
{
	struct work *w = base_zalloc(sizeof(*w));

	w->s = s;
	w->arena = arena_new();
	w->id = c->id;
	w->fence = c->fence;
	w->begun_ns = w->lease_ok_ns = clock_mono_ns();
	w->next = s->works;
	s->works = w;
	s->n_works++;
	w->op = worker_op_find(c->kind, c->op);
	if (!w->op || w->op->needs & NEED_TRUSTED) {
		static const struct worker_op nothing = {.kind = "?", .op = "?"};

		w->op = &nothing;
		err_set(&w->e, ERR_UNSUPPORTED, "no such job: %.40s/%.40s", c->kind,
			c->op);
		end_failed(w);
		return;
	}
	log_info("job_start",
		"job=%" PRId64 " kind=%s op=%s fence=%" PRId64
		" attempt=%d series=%" PRId64,
		w->id, w->op->kind, w->op->op, w->fence, c->attempt, c->series_id);
	timer_start(w, &w->renew_timer, s->lease_ms / 3, EV_PERSIST, on_renew);
	w->ticket = q_work_load_send(s->db, w->id, w->fence, DB_MS, on_loaded, w);
}

struct work *work_find_job(struct supervisor *s, int64_t id)
{
	struct work *w = s->works;

	while (w && w->id != id)
		w = w->next;
	return w;
}

struct work *work_next(struct work *w)
{
	return w->next;
}

struct work *work_find_pid(struct supervisor *s, pid_t pid)
{
	struct work *w = s->works;

	while (w && w->pid != pid)
		w = w->next;
	return w;
}
