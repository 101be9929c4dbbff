/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot.c - see boot.h. */
#include "runners/boot.h"
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARGV_MAX 96
#define LOOK_NS  (200 * NS_PER_MS)
#define GUEST_AS_MAX                                                                     \
	((int64_t)12 << 30) /* address space of QEMU: RAM, TCG buffer, threads */

static const char *const outcome_names[] = {
	[BOOT_OK] = "ok",
	[BOOT_PANICKED] = "panicked",
	[BOOT_TIMED_OUT] = "timed_out",
	[BOOT_NO_RESULTS] = "no_results",
	[BOOT_NO_EMULATOR] = "no_emulator",
};

const char *boot_outcome_name(enum boot_outcome o)
{
	return outcome_names[o];
}

/* Long limits of the watchdogs: an emulated CPU may wait seconds for its turn. */
static const char *kernel_line(struct arena *a, const char *arch)
{
	return arena_printf(a,
		"console=%s panic=-1 rdinit=/init watchdog_thresh=60 "
		"rcupdate.rcu_cpu_stall_timeout=100%s",
		strcmp(arch, "aarch64") ? "ttyS0" : "ttyAMA0",
		strcmp(arch, "aarch64") ? " no_timer_check tsc=reliable" : "");
}

int boot_argv(struct arena *a, const struct boot_spec *s, const char *const **ret,
	struct err *e)
{
	const struct topo_preset *p = s->preset;
	const char **v = ARENA_ARRAY(a, const char *, ARGV_MAX);
	bool kvm = !strcmp(s->accel->name, "kvm");
	int mem_mb = p->mem_mb ? p->mem_mb : BOOT_MEM_MB;
	size_t n = 0;

	if (!p->qemu)
		return err_set(e, ERR_UNSUPPORTED, "no emulator makes %s", p->name);
	v[n++] = s->accel->program;
	for (size_t i = 0; p->qemu[i] && n < ARGV_MAX - 32; i++)
		v[n++] = p->qemu[i];
	const char *const rest[] = {"-accel", kvm ? "kvm" : "tcg,thread=multi", "-m",
		arena_printf(a, "%dM", mem_mb), "-nodefaults", "-no-user-config",
		"-display", "none", "-no-reboot", "-sandbox",
		"on,obsolete=deny,elevateprivileges=deny,spawn=deny", "-serial",
		arena_printf(a, "file:%s/serial.log", s->dir), "-device",
		"virtio-serial-pci", "-chardev",
		arena_printf(a, "file,id=results,path=%s/results.raw", s->dir), "-device",
		"virtserialport,chardev=results,name=wakelist.results", "-kernel",
		s->kernel, "-initrd", s->initrd, "-append", kernel_line(a, p->arch)};

	for (size_t i = 0; i < ARRAY_LEN(rest); i++)
		v[n++] = rest[i];
	*ret = (const char *const *)v;
	return 0;
}

/* Counts "run" records as they come, for progress only. */
static int count_runs(const char *path, off_t *at, int done)
{
	static const char mark[] = "\nwl run ";
	CLEANUP(base_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[65536];
	ssize_t n;

	if (fd < 0)
		return done;
	while ((n = pread(fd, buf, sizeof(buf), *at)) > (ssize_t)sizeof(mark)) {
		const char *p = buf, *end = buf + n;

		while ((p = memmem(p, (size_t)(end - p), mark, sizeof(mark) - 1))) {
			done++;
			p += sizeof(mark) - 1;
		}
		*at += n - (ssize_t)(sizeof(mark) - 2); /* a mark may lie across */
		if (n < (ssize_t)sizeof(buf))
			break;
	}
	return done;
}

/* Waits for the end or the limit. True: timed out and killed. */
static bool wait_bounded(
	const struct boot_spec *s, pid_t pid, const char *raw_path, int *ret_status)
{
	int64_t limit = clock_mono_ns() + (int64_t)s->timeout_s * NS_PER_S;
	off_t at = 0;
	int done = 0, told = -1;

	for (;;) {
		struct timespec look = {0, LOOK_NS};

		if (proc_reap(pid, ret_status))
			return false;
		if (clock_mono_ns() > limit) {
			proc_kill(pid, ret_status);
			return true;
		}
		done = count_runs(raw_path, &at, done);
		if (s->progress && done != told)
			s->progress(s->arg, done, s->n_runs);
		told = done;
		nanosleep(&look, NULL);
	}
}

static int read_file(const char *path, struct sbuf *ret, struct err *e)
{
	int r = file_read(path, BOOT_FILE_MAX, ret, e);

	if (r == ERR_NOT_FOUND) {
		sbuf_reset(ret);
		return 0;
	}
	return r;
}

static const struct log_check_event *event_of(const struct log_check *c, enum log_kind k)
{
	for (size_t i = 0; i < c->n_events; i++)
		if (c->events[i].kind == k)
			return &c->events[i];
	return NULL;
}

/* The signal that ended QEMU, or 0; bubblewrap ends with 128 and the signal. */
static int signal_of(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WIFEXITED(status) && WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
							      : 0;
}

/* QEMU without KVM now and then runs the int3 that the kernel had put into an instruction
 * while it patched it, after the kernel took it away again: nobody claims it then. Of a
 * kernel's own int3 that cannot be told from here, so there is no result of either. */
static bool is_stale_int3(const struct boot_spec *s, const struct log_check *log)
{
	static const char mark[] = "int3: 0000 [#";

	for (size_t i = 0; strcmp(s->accel->name, "kvm") && i < log->n_events; i++) {
		if (log->events[i].kind == LOG_KIND_OOPS &&
			!strncmp(log->events[i].text, mark, strlen(mark)))
			return true;
	}
	return false;
}

static void judge(struct arena *a, const struct boot_spec *s, struct boot_result *r,
	bool timed_out, int status, const char *qemu_said)
{
	const struct log_check_event *panic = event_of(r->log, LOG_KIND_PANIC);
	const struct guest_results *g = r->results;
	int sig = signal_of(status);

	r->booted = g->begun || r->log->boots;
	if (is_stale_int3(s, r->log)) {
		r->outcome = BOOT_NO_EMULATOR;
		r->why = "QEMU ran a breakpoint that the kernel had taken away (int3)";
	} else if (panic) {
		r->outcome = BOOT_PANICKED;
		r->why = arena_printf(a, "the kernel panicked %s user space: %.200s",
			r->booted ? "after it reached" : "before", panic->text);
	} else if (timed_out) {
		r->outcome = BOOT_TIMED_OUT;
		r->why = arena_printf(a, "no end after %d s; %s", s->timeout_s,
			r->booted ? "user space was reached"
				  : "user space was not reached");
	} else if (sig == SIGXFSZ) {
		r->outcome = BOOT_NO_RESULTS;
		r->why = arena_printf(
			a, "the guest wrote over %d MiB", BOOT_FILE_MAX >> 20);
	} else if (g->why && status) {
		/* A guest that ends, by a panic too, ends QEMU with 0. */
		r->outcome = BOOT_NO_EMULATOR;
		r->why = sig ? arena_printf(a, "QEMU was killed by signal %d", sig)
			     : arena_printf(a, "QEMU ended with status %d: %.200s",
				       WEXITSTATUS(status), qemu_said);
	} else if (g->why) {
		r->outcome = BOOT_NO_RESULTS;
		r->why = g->why;
	} else if (s->version && (!g->version || !strstr(g->version, s->version))) {
		r->outcome = BOOT_NO_RESULTS;
		r->why = arena_printf(a, "another kernel booted: %.200s instead of %s",
			g->version ? g->version : "(nothing said)", s->version);
	}
}

static const char *first_line(struct arena *a, const char *path)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	struct err e;

	if (file_read(path, 65536, &buf, &e))
		return "";
	return arena_strndup(a, buf.buf, strcspn(buf.buf, "\n"));
}

static int spawn(struct arena *a, const struct boot_spec *s, const struct boot_result *r,
	const char *said_path, pid_t *ret_pid, struct err *e)
{
	CLEANUP(base_closep)
	int fd = open(said_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct proc_fd fds[] = {{fd, 1}, {fd, 2}};
	struct sandbox_spec spec = {.argv = r->argv,
		.cwd = s->dir,
		.mounts = {{s->kernel, false}, {s->initrd, false}, {s->dir, true}},
		.kvm = !strcmp(s->accel->name, "kvm"),
		.mem_limit_bytes = GUEST_AS_MAX,
		.file_limit_bytes = BOOT_FILE_MAX,
		.n_procs_max = 4096};
	struct proc_spec ps;
	int ret;

	if (fd < 0)
		return err_set(e, ERR_INTERNAL, "%s: %s", said_path, strerror(errno));
	ret = sandbox_command(a, s->sandbox, &spec, &ps, e);
	if (ret)
		return ret;
	ps.fds = fds;
	ps.n_fds = ARRAY_LEN(fds);
	return proc_spawn(&ps, ret_pid, e);
}

int boot_run(struct arena *a, const struct boot_spec *s, struct boot_result *ret,
	struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf serial = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf raw = SBUF_INIT;
	const char *said = arena_printf(a, "%s/qemu.txt", s->dir);
	struct boot_result res = {
		.serial_path = arena_printf(a, "%s/serial.log", s->dir),
		.raw_path = arena_printf(a, "%s/results.raw", s->dir),
	};
	int64_t start = clock_mono_ns();
	int status = 0, r;
	bool timed_out;
	pid_t pid;

	if (!s->accel->qemu)
		return err_set(e, ERR_UNSUPPORTED, "%s", s->accel->why);
	if (s->timeout_s < 1 || s->timeout_s > BOOT_TIMEOUT_MAX_S)
		return err_set(e, ERR_INVALID, "a boot of %d s; 1 to %d are possible",
			s->timeout_s, BOOT_TIMEOUT_MAX_S);
	r = boot_argv(a, s, &res.argv, e);
	if (!r)
		r = sandbox_own_dir(s->sandbox, s->dir, e);
	if (r)
		return r;
	unlink(res.serial_path);
	unlink(res.raw_path);
	r = spawn(a, s, &res, said, &pid, e);
	if (r)
		return r;
	timed_out = wait_bounded(s, pid, res.raw_path, &status);
	res.wall_ms = (clock_mono_ns() - start) / NS_PER_MS;
	r = read_file(res.serial_path, &serial, e);
	if (!r)
		r = read_file(res.raw_path, &raw, e);
	if (!r)
		r = logcheck_parse(a, serial.buf, serial.len, &res.log, e);
	if (!r)
		r = results_parse(a, raw.buf, raw.len, &res.results, e);
	if (r)
		return r;
	judge(a, s, &res, timed_out, status, first_line(a, said));
	*ret = res;
	return 0;
}
