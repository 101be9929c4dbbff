/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/supervise.h"

#include "base/file.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/orphan.h"
#include "db/q_work.h"
#include "workers/work.h"
#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define DB_MS    10000
#define DB_CONNS 3

static const char *const channels[] = {"wl_job_worker", "wl_cancel"};

static void on_claimed(const struct db_result *r, const struct err *e, void *arg)
{
	struct supervisor *s = arg;
	bool again = s->claim_again;

	s->claiming = false;
	s->claim_again = false;
	if (e) {
		/* The next notification or poll asks again. */
		log_warn("claim_failed", "why=%s", log_q(e->msg));
		if (s->stopping && s->n_works == 0)
			evloop_break(s->loop);
		return;
	}
	for (int i = 0; i < r->n_rows; i++) {
		struct q_work_claimed c = q_work_claim_row(r, i);

		work_start(s, &c);
		if (s->stopping)
			work_hand_back(work_find_job(s, c.id));
	}
	if (s->stopping && s->n_works == 0)
		evloop_break(s->loop);
	else if (again || r->n_rows > 0)
		supervise_claim(s);
}

void supervise_claim(struct supervisor *s)
{
	if (s->stopping || s->n_works >= s->max_jobs)
		return;
	if (s->claiming) {
		s->claim_again = true;
		return;
	}
	s->claiming = true;
	q_work_claim_send(s->db, s->kinds, s->n_kinds, s->owner, s->lease_ms,
		s->max_jobs - s->n_works, DB_MS, on_claimed, s);
}

static void on_ticked(const struct db_result *r, const struct err *e, void *arg)
{
	struct supervisor *s = arg;

	(void)r;
	s->ticking = false;
	if (e)
		log_debug("tick_failed", "why=%s", log_q(e->msg));
}

static void on_poll(evutil_socket_t fd, short what, void *arg)
{
	struct supervisor *s = arg;

	(void)fd;
	(void)what;
	if (!s->ticking && !s->stopping) {
		s->ticking = true;
		q_work_tick_send(s->db, DB_MS, on_ticked, s);
	}
	supervise_claim(s);
}

static void on_notify(const char *channel, const char *payload, void *arg)
{
	struct supervisor *s = arg;
	struct work *w;
	int64_t id;
	struct err e;

	if (strcmp(channel, "wl_cancel") != 0) {
		supervise_claim(s);
		return;
	}
	if (jx_id_parse(payload, &id, &e) != 0)
		return;
	w = work_find_job(s, id);
	if (w)
		work_lose(w, "cancelled");
}

static void on_up(void *arg)
{
	on_poll(-1, 0, arg);
}

static void on_child_exit(pid_t pid, int status, void *arg)
{
	struct work *w = work_find_pid(arg, pid);

	if (w)
		work_on_exit(w, status);
}

static void on_stop_timeout(evutil_socket_t fd, short what, void *arg)
{
	struct supervisor *s = arg;
	struct work *next;

	(void)fd;
	(void)what;
	for (struct work *w = s->works; w; w = next) {
		next = work_next(w);
		work_hand_back(w);
	}
}

static void on_stop(void *arg)
{
	struct supervisor *s = arg;
	struct timeval tv = {SUPERVISE_STOP_MS / 1000, SUPERVISE_STOP_MS % 1000 * 1000};

	log_info("stopping", "jobs=%d", s->n_works);
	s->stopping = true;
	if (s->n_works == 0 && !s->claiming) {
		evloop_break(s->loop);
		return;
	}
	event_add(s->stop_timer, &tv);
}

static void on_hello(const struct db_result *r, const struct err *e, void *arg)
{
	(void)r;
	(void)arg;
	if (e)
		log_warn("hello_failed", "why=%s", log_q(e->msg));
}

/* Scratch folders and children of supervisors that are no more. */
static void sweep_scratch(const char *root)
{
	DIR *d = opendir(root);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		char path[4096];
		char *end;
		long pid = strtol(de->d_name, &end, 10);
		struct err e;
		int n = snprintf(path, sizeof(path), "%s/%s", root, de->d_name);

		if (pid <= 0 || *end || n < 0 || (size_t)n >= sizeof(path) ||
			kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		if (orphans_kill(path))
			log_warn("orphans", "path=%s", log_q(path));
		if (file_rm_rf(path, &e) != 0)
			log_warn("scratch_left", "path=%s why=%s", log_q(path),
				log_q(e.msg));
	}
	if (d)
		closedir(d);
}

/* Children get a user of their own where we may give them one. */
static void pick_user(struct work_paths *p)
{
	static const char *const names[] = {"wakelist-child", "nobody"};

	for (size_t i = 0; i < ARRAY_LEN(names) && geteuid() == 0; i++) {
		struct passwd *pw = getpwnam(names[i]);

		if (pw && pw->pw_uid) {
			p->child_uid = pw->pw_uid;
			p->child_gid = pw->pw_gid;
			return;
		}
	}
}

static int make_paths(
	struct supervisor *s, struct arena *a, const char *data, struct err *e)
{
	CLEANUP(base_freep) char *real = NULL;
	struct work_paths *p = &s->paths;
	int status = file_mkdir_p(data, 0755, e);

	if (status != 0)
		return status;
	real = realpath(data, NULL);
	if (!real)
		return err_set_errno(e, errno, "%s", data);
	p->data = arena_strdup(a, real);
	p->blobs = arena_printf(a, "%s/blobs", real);
	p->trees = arena_printf(a, "%s/trees", real);
	p->inbox = arena_printf(a, "%s/inbox", real);
	p->scratch = arena_printf(a, "%s/scratch", real);
	s->run_root = arena_printf(a, "%s/%ld", p->scratch, (long)getpid());
	pick_user(p);
	if ((status = file_mkdir_p(p->blobs, 0755, e)) != 0 ||
		(status = file_mkdir_p(p->trees, 0755, e)) != 0 ||
		(status = file_mkdir_p(p->inbox, 0755, e)) != 0 ||
		(status = file_mkdir_p(p->scratch, 0711, e)) != 0)
		return status;
	sweep_scratch(p->scratch);
	return file_mkdir_p(s->run_root, 0711, e);
}

static void list_kinds(struct supervisor *s, struct arena *a)
{
	s->kinds = ARENA_ARRAY(a, const char *, n_worker_ops);
	for (size_t i = 0; i < n_worker_ops; i++) {
		bool known = false;

		for (size_t k = 0; k < s->n_kinds; k++)
			known |= strcmp(s->kinds[k], worker_ops[i].kind) == 0;
		if (!known)
			s->kinds[s->n_kinds++] = worker_ops[i].kind;
	}
}

static struct event *timer_new(struct supervisor *s, short flags, event_callback_fn fn)
{
	struct event *ev = event_new(evloop_base(s->loop), -1, flags, fn, s);

	if (!ev)
		BUG("libevent: no memory for a timer");
	return ev;
}

int supervise_run(const struct supervise_opts *o, struct err *e)
{
	static const struct db_listen_ops listen_ops = {
		.on_notify = on_notify, .on_up = on_up};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct supervisor s = {
		.smtp = o->smtp, .max_jobs = (int)o->jobs, .lease_ms = o->lease_ms};
	struct timeval poll = {o->poll_ms / 1000, o->poll_ms % 1000 * 1000};
	char host[256] = "";
	struct err ignored;
	int status = make_paths(&s, a, o->data, e);

	if (status == 0)
		status = sandbox_probe(a, &s.paths, &s.sandbox, e);
	if (status != 0)
		return status;
	gethostname(host, sizeof(host) - 1);
	s.owner = arena_printf(a, "%s:%ld", host, (long)getpid());
	list_kinds(&s, a);
	log_info("worker_start", "owner=%s jobs=%d sandbox=%s", log_q(s.owner),
		s.max_jobs, log_q(s.sandbox.text));
	s.loop = evloop_new();
	evloop_on_stop(s.loop, on_stop, &s);
	evloop_on_child(s.loop, on_child_exit, &s);
	s.db = db_new(evloop_base(s.loop), o->db, DB_CONNS);
	s.poll_timer = timer_new(&s, EV_PERSIST, on_poll);
	s.stop_timer = timer_new(&s, 0, on_stop_timeout);
	event_add(s.poll_timer, &poll);
	s.listen = db_listen_new(evloop_base(s.loop), o->db, channels,
		ARRAY_LEN(channels), &listen_ops, &s);
	q_work_hello_send(s.db, s.owner, s.sandbox.text, s.max_jobs, 60000, on_hello, &s);
	status = evloop_run(s.loop, e);
	db_listen_free(s.listen);
	db_free(s.db);
	event_free(s.poll_timer);
	event_free(s.stop_timer);
	evloop_free(s.loop);
	if (file_rm_rf(s.run_root, &ignored) != 0)
		log_warn("scratch_left", "why=%s", log_q(ignored.msg));
	return status;
}
