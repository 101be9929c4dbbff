/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox.c - see sandbox.h. */
#include "runners/sandbox.h"
#include "base/base.h"

#include "base/file.h"
#include <errno.h>
#include <unistd.h>

#define PROBE_MS 20000
#define ARGS_MAX 512

struct args {
	struct arena *a;
	const char **v;
	size_t n;
};

static void arg(struct args *v, const char *s)
{
	if (v->n + 1 >= ARGS_MAX)
		BUG("more than %d arguments for the sandbox", ARGS_MAX);
	v->v[v->n++] = s;
}

static void args_add(struct args *v, const char *const *list)
{
	for (; *list; list++)
		arg(v, *list);
}

#define ARGS(v, ...) args_add((v), (const char *const[]){__VA_ARGS__, NULL})

/* The folders above a mount: bubblewrap would make them for itself alone. */
static void parents(struct args *v, const char *path)
{
	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/'))
		ARGS(v, "--dir", arena_strndup(v->a, path, (size_t)(p - path)));
}

static void bind_system(struct args *v)
{
	static const char *const paths[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32",
		"/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
		"/etc/ld.so.conf.d", "/sys/devices/system/cpu"};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		parents(v, paths[i]);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		ARGS(v, "--ro-bind-try", paths[i], paths[i]);
}

static void drop_root(struct args *v)
{
	const char *uid = arena_printf(v->a, "%d", SANDBOX_UID);

	ARGS(v, "setpriv", arena_printf(v->a, "--reuid=%s", uid),
		arena_printf(v->a, "--regid=%s", uid), "--clear-groups",
		"--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--");
}

static void enter(
	struct args *v, const struct sandbox *s, const struct sandbox_spec *spec)
{
	ARGS(v, "bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc",
		"--unshare-uts", "--unshare-cgroup-try", "--die-with-parent",
		"--new-session", "--hostname", "wakelist");
	if (s->root)
		ARGS(v, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add",
			"CAP_SETGID", "--cap-add", "CAP_SETPCAP");
	else
		ARGS(v, "--unshare-user");
	bind_system(v);
	ARGS(v, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp",
		"--dir", "/run");
	if (spec->kvm)
		ARGS(v, "--dev-bind-try", "/dev/kvm", "/dev/kvm");
	for (const struct sandbox_mount *m = spec->mounts; m->path; m++)
		parents(v, m->path);
	for (const struct sandbox_mount *m = spec->mounts; m->path; m++)
		ARGS(v, m->writable ? "--bind" : "--ro-bind", m->path, m->path);
	ARGS(v, "--chdir", spec->cwd ? spec->cwd : "/tmp", "--");
}

int sandbox_command(struct arena *a, const struct sandbox *s,
	const struct sandbox_spec *spec, struct proc_spec *ret, struct err *e)
{
	struct args v = {a, ARENA_ARRAY(a, const char *, ARGS_MAX), 0};

	for (const struct sandbox_mount *m = spec->mounts; m->path; m++)
		if (m->path[0] != '/')
			return err_set(e, ERR_INVALID, "%s is not absolute", m->path);
	if (s->bwrap)
		enter(&v, s, spec);
	if (spec->n_procs_max)
		ARGS(&v, "prlimit",
			arena_printf(
				a, "--nproc=%d:%d", spec->n_procs_max, spec->n_procs_max),
			"--");
	if (s->root)
		drop_root(&v);
	args_add(&v, spec->argv);
	*ret = (struct proc_spec){
		.argv = v.v,
		.env = spec->env,
		.clear_env = true,
		.cwd = s->bwrap ? NULL : spec->cwd,
		.mem_limit_bytes = spec->mem_limit_bytes,
		.file_limit_bytes = spec->file_limit_bytes,
		.cpu_limit_s = spec->cpu_limit_s,
		.no_new_privs = !s->root, /* setpriv sets it once the user is switched */
		.die_with_parent = true,
	};
	return 0;
}

void sandbox_probe(struct arena *a, struct sandbox *ret)
{
	static const char *const argv[] = {"true", NULL};
	static const struct sandbox_spec spec = {.argv = argv, .n_procs_max = 4096};
	struct proc_spec ps;
	struct proc_result pr;
	struct err e = {0};
	char text[128];
	size_t len;

	*ret = (struct sandbox){.bwrap = true, .root = geteuid() == 0};
	proc_result_init(&pr);
	if (sandbox_command(a, ret, &spec, &ps, &e)) {
		ret->bwrap = false;
		ret->why = arena_strdup(a, e.msg);
		return;
	}
	ps.deadline_ms = PROBE_MS;
	ps.out_cap_bytes = 4096;
	if (proc_run(&ps, &pr, &e)) {
		ret->bwrap = false;
		ret->why = arena_strdup(a, e.msg);
	} else if (pr.exit_status) {
		len = strcspn(pr.err.buf, "\n");
		ret->bwrap = false;
		ret->why = arena_printf(a, "bubblewrap cannot run here: %.*s (%s)",
			(int)(len < 200 ? len : 200), pr.err.buf,
			proc_result_text(&pr, text, sizeof(text)));
	}
	proc_result_release(&pr);
}

int sandbox_own_dir(const struct sandbox *s, const char *dir, struct err *e)
{
	int r = file_mkdir_p(dir, 0755, e);

	if (r)
		return r;
	if (s->root && chown(dir, SANDBOX_UID, SANDBOX_UID))
		return err_set(e, ERR_INTERNAL, "cannot give %s to the sandbox: %s", dir,
			strerror(errno));
	return 0;
}

const char *sandbox_text(struct arena *a, const struct sandbox *s)
{
	unsigned uid = s->root ? SANDBOX_UID : geteuid();

	if (s->bwrap)
		return arena_printf(a, "bubblewrap, no network, uid %u", uid);
	return arena_printf(a, "limits only, uid %u: %s", uid, s->why);
}
