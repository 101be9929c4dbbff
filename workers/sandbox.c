/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/sandbox.h"

#include "base/proc.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARGV_MAX        1024
#define PROBE_MS        10000
#define PROBE_OUT_BYTES 4096
#define LINK_MAX_BYTES  4096

struct argv {
	struct arena *a;
	const char *v[ARGV_MAX];
	size_t n;
};

static void push(struct argv *v, const char *arg)
{
	if (v->n + 1 >= ARGV_MAX)
		BUG("sandbox: more than %d arguments", ARGV_MAX);
	v->v[v->n++] = arg;
	v->v[v->n] = NULL;
}

static void push3(struct argv *v, const char *a, const char *b, const char *c)
{
	push(v, a);
	push(v, b);
	push(v, c);
}

/* Folders above path, which bubblewrap would make for itself alone. */
static void push_parents(struct argv *v, const char *path)
{
	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		push(v, "--perms");
		push3(v, "0755", "--dir", arena_strndup(v->a, path, (size_t)(p - path)));
	}
}

static void push_bind(struct argv *v, const char *path, bool writable)
{
	push_parents(v, path);
	push3(v, writable ? "--bind" : "--ro-bind", path, path);
}

/* /bin, /lib ... as this machine has them: links into /usr, or folders. */
static void push_system(struct argv *v)
{
	static const char *const tops[] = {
		"/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"};
	char target[LINK_MAX_BYTES];
	struct stat st;

	push3(v, "--ro-bind", "/usr", "/usr");
	for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
		ssize_t len = readlink(tops[i], target, sizeof(target) - 1);

		if (len > 0) {
			target[len] = '\0';
			push3(v, "--symlink", arena_strdup(v->a, target), tops[i]);
		} else if (stat(tops[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			push3(v, "--ro-bind", tops[i], tops[i]);
		}
	}
	push_parents(v, "/etc/ld.so.cache");
	push3(v, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
	/* links from /usr/bin to where a program is, on Debian: ctags */
	push3(v, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
	push3(v, "--proc", "/proc", "--dev");
	push3(v, "/dev", "--tmpfs", "/tmp");
}

static void push_network(struct argv *v)
{
	static const char *const files[] = {"/etc/resolv.conf", "/etc/hosts",
		"/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
		"/etc/ssl", "/etc/ca-certificates"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		push3(v, "--ro-bind-try", files[i], files[i]);
}

static void push_head(struct argv *v, const struct sandbox *s, bool net)
{
	push(v, "bwrap");
	push(v, "--die-with-parent");
	push(v, "--unshare-pid");
	push(v, "--unshare-ipc");
	push(v, "--unshare-uts");
	push(v, "--unshare-cgroup-try");
	if (!net)
		push(v, "--unshare-net");
	if (geteuid() ==
		0) { /* the child changes its user itself, before anything else */
		push(v, "--cap-add");
		push3(v, "CAP_SETUID", "--cap-add", "CAP_SETGID");
	}
	push_system(v);
	if (net)
		push_network(v);
	push_bind(v, s->exe, false);
}

const char *const *sandbox_argv(struct arena *a, const struct sandbox *s,
	const struct worker_op *op, const struct work_paths *p, const char *scratch,
	const struct job_binds *binds)
{
	struct argv *v = ARENA_NEW(a, struct argv);

	v->a = a;
	if (s->bwrap && !(op->needs & NEED_TRUSTED)) {
		push_head(v, s, (op->needs & NEED_NET) != 0);
		if (op->needs & NEED_BLOBS)
			push_bind(v, p->blobs, false);
		for (size_t k = 0; k < binds->n; k++)
			push_bind(v, binds->v[k].path, binds->v[k].writable);
		push_bind(v, scratch, true);
		push(v, "--");
	}
	push(v, s->exe);
	push(v, "--job");
	return v->v;
}

static bool probe_bwrap(struct arena *a, const struct sandbox *s, const char **ret_why)
{
	struct argv *v = ARENA_NEW(a, struct argv);
	struct proc_spec spec = {
		.argv = v->v,
		.clear_env = true,
		.deadline_ms = PROBE_MS,
		.out_cap_bytes = PROBE_OUT_BYTES,
		.die_with_parent = true,
	};
	struct proc_result r;
	struct err e;
	char text[80];
	bool works;

	v->a = a;
	push_head(v, s, false);
	push(v, "--");
	push(v, s->exe);
	push(v, "--version");
	proc_result_init(&r);
	if (proc_run(&spec, &r, &e) != 0) {
		*ret_why = arena_strdup(a, e.msg);
		return false;
	}
	works = r.exit_status == 0 && r.out.len > 0;
	if (!works)
		*ret_why = arena_printf(a, "%s %.*s",
			proc_result_text(&r, text, sizeof(text)),
			(int)strcspn(r.err.buf, "\n"), r.err.buf);
	proc_result_release(&r);
	return works;
}

/* Children without mounts of their own walk to their folders as their user. */
static int check_way(struct arena *a, const struct work_paths *p,
	const char *why_no_bwrap, struct err *e)
{
	const char *at = p->scratch;

	do {
		const char *slash = strchr(at + 1, '/');
		size_t len = slash ? (size_t)(slash - p->scratch) : strlen(p->scratch);
		const char *dir = arena_strndup(a, p->scratch, len);
		struct stat st;
		mode_t need;

		if (stat(dir, &st) != 0)
			return err_set_errno(e, errno, "%s", dir);
		need = st.st_uid == p->child_uid   ? S_IXUSR
		       : st.st_gid == p->child_gid ? S_IXGRP
						   : S_IXOTH;
		if (!(st.st_mode & need))
			return err_set(e, ERR_INVALID,
				"%s cannot be entered by user %ld, whom jobs run as: "
				"chmod a+x %s, or let bubblewrap work (%s)",
				dir, (long)p->child_uid, dir, why_no_bwrap);
		at = slash;
	} while (at);
	return 0;
}

int sandbox_probe(
	struct arena *a, const struct work_paths *p, struct sandbox *ret, struct err *e)
{
	const char *why = NULL, *user;
	char exe[LINK_MAX_BYTES];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (len <= 0)
		return err_set_errno(e, errno, "/proc/self/exe");
	exe[len] = '\0';
	ret->exe = arena_strdup(a, exe);
	user = p->child_uid ? arena_printf(a, "own user %ld", (long)p->child_uid)
			    : "our user";
	ret->bwrap = probe_bwrap(a, ret, &why);
	ret->text =
		ret->bwrap ? arena_printf(a, "bubblewrap, %s", user)
			   : arena_printf(a, "no bubblewrap (%s): limits, %s", why, user);
	return ret->bwrap || !p->child_uid ? 0 : check_way(a, p, why, e);
}
