/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kbuild.c - see kbuild.h. */
#include "runners/kbuild.h"
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "runners/cache.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS      (300 * NS_PER_MS)
#define DISK_LOOK_NS (5 * NS_PER_S)
#define MAKE_ARGS    24
#define N_PROCS_MAX  4096
#define FILE_MAX     ((int64_t)2 << 30)

const struct kbuild_limits kbuild_limits_default = {
	.time_s = 3600,
	.mem_bytes = (int64_t)6 << 30,
	.disk_bytes = (int64_t)8 << 30,
	.disk_min_bytes = (int64_t)1 << 30,
};

static const struct arch {
	const char *name, *kernel_name, *cross, *target, *image;
} arches[] = {
	{"x86_64", "x86_64", "x86_64-linux-gnu-", "bzImage", "arch/x86/boot/bzImage"},
	{"aarch64", "arm64", "aarch64-linux-gnu-", "Image", "arch/arm64/boot/Image"},
};

static const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(arches); i++)
		if (!strcmp(arches[i].name, name))
			return &arches[i];
	return NULL;
}

const char *kbuild_config_dir(struct arena *a)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *dir;
	char *slash;

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			*slash = '\0';
			dir = arena_printf(a, "%s/../share/wakelist/kconfig", self);
			if (!access(dir, R_OK | X_OK))
				return dir;
		}
	}
	return WL_KCONFIG_SOURCE_DIR;
}

bool kbuild_has_ccache(void)
{
	return !access("/usr/bin/ccache", X_OK);
}

static int fragment_read(struct arena *a, const char *dir, const char *name,
	const char **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	const char *path = arena_printf(a, "%s/%s.fragment", dir, name);
	int r;

	if (!*name ||
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		return err_set(e, ERR_INVALID, "\"%.40s\" is no name of a config", name);
	r = file_read(path, KBUILD_FRAGMENT_MAX, &buf, e);
	if (!r)
		*ret = arena_strndup(a, buf.buf, buf.len);
	return r;
}

int kbuild_fragments(struct arena *a, const char *dir, const char *arch,
	const char *config, const char *const **ret, struct err *e)
{
	const char **v = ARENA_ARRAY(a, const char *, KBUILD_FRAGMENTS_MAX + 1);
	char *names = arena_strdup(a, config), *save, *name;
	size_t n = 0;

	if (!arch_find(arch))
		return err_set(
			e, ERR_UNSUPPORTED, "no kernels for %s are built here", arch);
	for (name = strtok_r(names, "+", &save); name;
		name = strtok_r(NULL, "+", &save)) {
		int r;

		if (n == KBUILD_FRAGMENTS_MAX)
			return err_set(e, ERR_TOO_BIG, "config %.60s has too many parts",
				config);
		if ((n == 0) != !strcmp(name, arch))
			return err_set(e, ERR_INVALID,
				"config %.60s does not begin with %s, or names it twice",
				config, arch);
		r = fragment_read(a, dir, name, &v[n], e);
		if (r)
			return r;
		n++;
	}
	if (!n)
		return err_set(e, ERR_INVALID, "no config is named");
	*ret = (const char *const *)v;
	return 0;
}

/* ---- running make ---- */

struct build {
	struct arena *a;
	const struct kbuild_spec *s;
	const struct arch *arch;
	const char *const *env;
	const char *cross; /* "" when the compiler is this machine's own */
	int64_t end_ns;
	int log_fd;
	int n_steps;
	off_t log_at;
	int64_t disk_seen;
};

static int disk_check(struct build *b, struct err *e)
{
	struct statvfs v;

	if (!statvfs(b->s->out, &v) &&
		(int64_t)v.f_bavail * (int64_t)v.f_frsize < b->s->limits.disk_min_bytes)
		return err_set(e, ERR_BUSY,
			"the disk is full: less than %lld MiB are free",
			(long long)(b->s->limits.disk_min_bytes >> 20));
	if (cache_dir_bytes(b->s->out) > b->s->limits.disk_bytes)
		return err_set(e, ERR_TOO_BIG,
			"the build took more than %lld MiB of disk",
			(long long)(b->s->limits.disk_bytes >> 20));
	return 0;
}

/* Counts the steps that were logged since the last look. */
static void steps_look(struct build *b)
{
	char buf[65536];
	ssize_t n;

	while ((n = pread(b->log_fd, buf, sizeof(buf), b->log_at)) > 0) {
		const char *p = buf, *end = buf + n, *nl;

		while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
			b->n_steps += buildlog_is_step(p, (size_t)(nl - p));
			p = nl + 1;
		}
		b->log_at += p > buf ? p - buf : n;
		if (n < (ssize_t)sizeof(buf))
			break;
	}
	if (b->s->progress)
		b->s->progress(b->s->arg, b->n_steps,
			b->s->n_steps_guess > b->n_steps ? b->s->n_steps_guess
							 : b->n_steps);
}

static int wait_bounded(struct build *b, pid_t pid, int *ret_status, struct err *e)
{
	int64_t disk_at = clock_mono_ns() + DISK_LOOK_NS;
	int r = 0;

	for (;;) {
		struct timespec look = {0, LOOK_NS};
		pid_t w = waitpid(pid, ret_status, WNOHANG);

		if (w == pid)
			return 0;
		if (w < 0 && errno != EINTR)
			return err_set(
				e, ERR_INTERNAL, "make is lost: %s", strerror(errno));
		steps_look(b);
		if (clock_mono_ns() > b->end_ns) {
			r = err_set(e, ERR_TIMEOUT, "the build took more than %lld s",
				(long long)b->s->limits.time_s);
		} else if (clock_mono_ns() > disk_at) {
			disk_at = clock_mono_ns() + DISK_LOOK_NS;
			r = disk_check(b, e);
		}
		if (r)
			break;
		nanosleep(&look, NULL);
	}
	kill(-pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return r;
}

/* make -C SRC O=OUT ... args. ret_ok: it ended with 0. */
static int make(struct build *b, const char *const *args, bool *ret_ok, struct err *e)
{
	struct proc_fd fds[] = {{b->log_fd, 1}, {b->log_fd, 2}};
	const char *argv[MAKE_ARGS + 1] = {"make", "-C", b->s->src,
		arena_printf(b->a, "O=%s", b->s->out),
		arena_printf(b->a, "ARCH=%s", b->arch->kernel_name),
		arena_printf(b->a, "CROSS_COMPILE=%s", b->cross),
		arena_printf(
			b->a, "CC=%s%sgcc", b->s->ccache_dir ? "ccache " : "", b->cross),
		"-Otarget", arena_printf(b->a, "-j%d", b->s->jobs)};
	struct sandbox_spec spec = {.argv = argv,
		.env = b->env,
		.cwd = b->s->out,
		.mounts = {{b->s->src, false}, {b->s->out, true},
			{b->s->ccache_dir, true}},
		.mem_limit_bytes = b->s->limits.mem_bytes,
		.file_limit_bytes = FILE_MAX,
		.cpu_limit_s = b->s->limits.time_s,
		.n_procs_max = N_PROCS_MAX};
	struct proc_spec ps;
	int status = 0, r;
	size_t n = 9;
	pid_t pid;

	for (; *args; args++) {
		if (n == MAKE_ARGS)
			BUG("more than %d arguments for make", MAKE_ARGS);
		argv[n++] = *args;
	}
	r = sandbox_command(b->a, b->s->sandbox, &spec, &ps, e);
	if (r)
		return r;
	ps.fds = fds;
	ps.n_fds = ARRAY_LEN(fds);
	r = proc_spawn(&ps, &pid, e);
	if (!r)
		r = wait_bounded(b, pid, &status, e);
	steps_look(b);
	*ret_ok = !r && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	/* bubblewrap ends with 128 and the signal that ended make */
	if (!r && (WIFSIGNALED(status) || WEXITSTATUS(status) > 128))
		return err_set(e, ERR_BUSY, "make was killed by signal %d",
			WIFSIGNALED(status) ? WTERMSIG(status)
					    : WEXITSTATUS(status) - 128);
	return r;
}

/* The compiler's first line, and whether it is a cross compiler. */
static int compiler(struct build *b, const char **ret_cc, struct err *e)
{
	struct utsname u;
	bool own = !uname(&u) && !strcmp(u.machine, b->arch->name);
	struct proc_result pr;
	struct proc_spec ps = {.deadline_ms = 10000, .out_cap_bytes = 4096};
	int r;

	b->cross = own ? "" : b->arch->cross;
	const char *const argv[] = {
		arena_printf(b->a, "%sgcc", b->cross), "--version", NULL};

	ps.argv = argv;
	proc_result_init(&pr);
	r = proc_run(&ps, &pr, e);
	if (r || pr.exit_status)
		r = err_set(
			e, ERR_UNSUPPORTED, "no compiler: %s is not installed", argv[0]);
	else
		*ret_cc = arena_strndup(b->a, pr.out.buf, strcspn(pr.out.buf, "\n"));
	proc_result_release(&pr);
	return r;
}

/* Writes the joined fragments; ret_same: the last build in out had the same. */
static int config_write(struct build *b, const char *path, bool *ret_same, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf now = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf last = SBUF_INIT;
	struct err ignored;

	for (const char *const *f = b->s->fragments; *f; f++)
		sbuf_addf(&now, "%s\n", *f);
	*ret_same = !file_read(path, KBUILD_FRAGMENT_MAX * KBUILD_FRAGMENTS_MAX, &last,
			    &ignored) &&
		    last.len == now.len && !memcmp(last.buf, now.buf, now.len);
	return *ret_same ? 0 : file_write_atomic(path, now.buf, now.len, 0644, e);
}

static int configure(struct build *b, bool *ret_ok, struct err *e)
{
	const char *path = arena_printf(b->a, "%s/wakelist.config", b->s->out);
	const char *const args[] = {
		arena_printf(b->a, "KCONFIG_ALLCONFIG=%s", path), "allnoconfig", NULL};
	bool same;
	int r = config_write(b, path, &same, e);

	*ret_ok = true;
	if (r || (same && !b->s->reconfigure &&
			 !access(arena_printf(b->a, "%s/.config", b->s->out), R_OK)))
		return r;
	r = make(b, args, ret_ok, e);
	if (r || !*ret_ok)
		unlink(path); /* not to be taken for done next time */
	return r;
}

static void environment(struct build *b)
{
	const char **v = ARENA_ARRAY(b->a, const char *, 16);
	struct tm tm;
	time_t t = (time_t)b->s->time_s;
	char when[64];
	size_t n = 0;

	gmtime_r(&t, &tm);
	strftime(when, sizeof(when), "%a %b %e %H:%M:%S UTC %Y", &tm);
	v[n++] = "KBUILD_BUILD_USER=wakelist";
	v[n++] = "KBUILD_BUILD_HOST=wakelist";
	v[n++] = arena_printf(b->a, "KBUILD_BUILD_VERSION=%s", b->s->tag);
	v[n++] = arena_printf(b->a, "KBUILD_BUILD_TIMESTAMP=%s", when);
	v[n++] = "TMPDIR=/tmp";
	if (b->s->ccache_dir) {
		v[n++] = arena_printf(b->a, "CCACHE_DIR=%s", b->s->ccache_dir);
		v[n++] = "CCACHE_MAXSIZE=4G";
		v[n++] = "CCACHE_NOHASHDIR=1";
		/* the kernel writes dependencies anyway: no second preprocessing pass */
		v[n++] = "CCACHE_DEPEND=1";
	}
	b->env = (const char *const *)v;
}

/* A file that the build left, which must lie inside out: the build is the patch's code
 * and may have left links to our own files. The sandbox has ended, so nothing moves now.
 */
static int product(struct build *b, const char *rel, const char **ret, struct err *e)
{
	CLEANUP(base_freep) char *out = realpath(b->s->out, NULL);
	CLEANUP(base_freep)
	char *path = realpath(arena_printf(b->a, "%s/%s", b->s->out, rel), NULL);
	size_t n = out ? strlen(out) : 0;

	if (!path)
		return err_set(e, ERR_NOT_FOUND, "the build left no %s", rel);
	if (!n || strncmp(path, out, n) || path[n] != '/')
		return err_set(e, ERR_DENIED, "%s leads out of the build folder", rel);
	*ret = arena_strdup(b->a, path);
	return 0;
}

static int log_judge(struct build *b, bool ok, struct kbuild_result *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf release = SBUF_INIT;
	int r = file_read(b->s->log_path, KBUILD_LOG_MAX, &buf, e);

	if (r)
		return r;
	ret->log = buildlog_parse(b->a, buf.buf, buf.len, b->s->src);
	ret->ok = ok;
	if (ok) {
		const char *path;

		r = product(b, b->arch->image, &ret->kernel, e);
		if (!r)
			r = product(b, "include/config/kernel.release", &path, e);
		if (!r)
			r = file_read(path, 4096, &release, e);
		ret->release =
			arena_strndup(b->a, release.buf, strcspn(release.buf, "\n"));
		return r;
	}
	if (ret->log->starved)
		return err_set(e, ERR_BUSY, "the machine ran out of memory or disk");
	if (ret->log->n_errors) {
		const struct build_issue *i = &ret->log->errors[0];

		ret->why = i->path ? arena_printf(
					     b->a, "%s:%d: %s", i->path, i->line, i->text)
				   : i->text;
	} else if (ret->log->stopped) {
		ret->why = ret->log->stopped;
	} else { /* whatever it was, it was not the patch */
		return err_set(e, ERR_BUSY, "make failed without a word");
	}
	return 0;
}

int kbuild_run(struct arena *a, const struct kbuild_spec *s, struct kbuild_result *ret,
	struct err *e)
{
	CLEANUP(base_closep) int log_fd = -1;
	struct build b = {.a = a, .s = s, .arch = arch_find(s->arch)};
	const char *const target[] = {b.arch ? b.arch->target : "", NULL};
	int64_t start = clock_mono_ns();
	struct kbuild_result res = {0};
	bool ok;
	int r;

	if (!b.arch)
		return err_set(
			e, ERR_UNSUPPORTED, "no kernels for %s are built here", s->arch);
	b.end_ns = start + s->limits.time_s * NS_PER_S;
	r = sandbox_own_dir(s->sandbox, s->out, e);
	if (!r && s->ccache_dir)
		r = sandbox_own_dir(s->sandbox, s->ccache_dir, e);
	if (!r)
		r = compiler(&b, &res.cc, e);
	if (r)
		return r;
	log_fd = open(
		s->log_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (log_fd < 0)
		return err_set(e, ERR_INTERNAL, "%s: %s", s->log_path, strerror(errno));
	b.log_fd = log_fd;
	environment(&b);
	r = configure(&b, &ok, e);
	if (!r && ok)
		r = make(&b, target, &ok, e);
	if (!r)
		r = log_judge(&b, ok, &res, e);
	if (r)
		return r;
	res.wall_ms = (clock_mono_ns() - start) / NS_PER_MS;
	*ret = res;
	return 0;
}
