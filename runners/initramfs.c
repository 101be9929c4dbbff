/* SPDX-License-Identifier: GPL-2.0-or-later */
/* initramfs.c - see initramfs.h. */
#include "runners/initramfs.h"
#include "base/base.h"

#include "base/file.h"
#include "runners/cpio.h"
#include "runners/elfdeps.h"
#include <unistd.h>

#define PROGRAM_MAX (32u << 20)

/* guest/init, put in by the assembler; WL_GUEST_INIT is its path. */
__asm__(".section .rodata\n"
	".balign 16\n"
	"wl_guest_init:\n"
	".incbin \"" WL_GUEST_INIT "\"\n"
	"wl_guest_init_end:\n"
	".byte 0\n"
	".previous\n");
extern const char wl_guest_init[], wl_guest_init_end[];

static bool word_ok(const char *w)
{
	size_t n = strspn(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			     "0123456789._/=,:+-");

	return n && !w[n] && n < 256;
}

static int load_check(const struct initramfs_load *l, size_t n, struct err *e)
{
	size_t words = 0;

	for (; l->argv[words]; words++) {
		if (words == INITRAMFS_WORDS_MAX)
			return err_set(e, ERR_TOO_BIG, "load %zu has more than %d words",
				n, INITRAMFS_WORDS_MAX);
		if (!word_ok(l->argv[words]))
			return err_set(e, ERR_INVALID,
				"load %zu has a word that may not be: \"%.60s\"", n,
				l->argv[words]);
	}
	if (!words || l->argv[0][0] == '-')
		return err_set(e, ERR_INVALID, "load %zu names no program", n);
	if (l->n_warmup < 0 || l->n_runs < 0 || l->n_warmup > INITRAMFS_RUNS_MAX ||
		l->n_runs > INITRAMFS_RUNS_MAX || l->timeout_s < 1)
		return err_set(e, ERR_INVALID, "load %zu has odd counts", n);
	return 0;
}

static void line_add(struct sbuf *s, size_t bench, const char *what, int n,
	const struct initramfs_load *l)
{
	sbuf_addf(s, "%zu %s %d %d", bench, what, n, l->timeout_s);
	for (const char *const *w = l->argv; *w; w++)
		sbuf_addf(s, " %s", *w);
	sbuf_addc(s, '\n');
}

int initramfs_runs(const struct initramfs_spec *s, struct sbuf *ret, struct err *e)
{
	bool more = true;

	if (s->n_loads > INITRAMFS_BENCHES_MAX)
		return err_set(e, ERR_TOO_BIG, "%zu loads in one boot, the limit is %d",
			s->n_loads, INITRAMFS_BENCHES_MAX);
	for (size_t i = 0; i < s->n_loads; i++) {
		int r = load_check(&s->loads[i], i, e);

		if (r)
			return r;
	}
	for (size_t i = 0; i < s->n_loads; i++)
		for (int n = 0; n < s->loads[i].n_warmup; n++)
			line_add(ret, i, "warmup", n, &s->loads[i]);
	for (int n = 0; more; n++) {
		more = false;
		for (size_t i = 0; i < s->n_loads; i++) {
			if (n >= s->loads[i].n_runs)
				continue;
			line_add(ret, i, "run", n, &s->loads[i]);
			more = true;
		}
	}
	return 0;
}

static int add_host_file(
	struct cpio *c, const char *guest_path, const char *host_path, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	int r = file_read(host_path, PROGRAM_MAX, &buf, e);

	if (!r)
		cpio_file(c, guest_path + 1, 0755, buf.buf, buf.len);
	return r;
}

/* First of root + paths that can be read, or NULL. */
static const char *first_of(struct arena *a, const char *root, const char *const *paths)
{
	for (; *paths; paths++) {
		const char *p = arena_printf(a, "%s%s", root, *paths);

		if (!access(p, R_OK))
			return p;
	}
	return NULL;
}

static int add_program(struct arena *a, struct cpio *c, const struct initramfs_spec *s,
	const char *guest_path, const char *const *paths, struct err *e)
{
	const char *triplet =
		!strcmp(s->arch, "aarch64") ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
	const char *const dirs[] = {arena_printf(a, "%s/lib/%s", s->root, triplet),
		arena_printf(a, "%s/usr/lib/%s", s->root, triplet), NULL};
	const char *host = first_of(a, s->root, paths);
	struct elfdep *deps;
	size_t n;
	int r;

	if (!host)
		return err_set(
			e, ERR_NOT_FOUND, "%s%s is not installed", s->root, paths[0]);
	r = elfdeps_find(a, host, s->root, dirs, &deps, &n, e);
	if (r)
		return r;
	for (size_t i = 0; !r && i < n; i++)
		r = add_host_file(c, deps[i].guest_path, deps[i].host_path, e);
	return r ? r : add_host_file(c, guest_path, host, e);
}

int initramfs_build(const struct initramfs_spec *s, struct sbuf *ret, struct err *e)
{
	static const char *const dirs[] = {"bin", "dev", "lib", "lib64", "proc", "sys",
		"tmp", "usr", "usr/bin", "wl"};
	static const char *const busybox[] = {"/bin/busybox", "/usr/bin/busybox", NULL};
	static const char *const hackbench[] = {"/usr/bin/hackbench", NULL};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf runs = SBUF_INIT;
	CLEANUP(cpio_release) struct cpio c;
	int r;

	cpio_init(&c);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		cpio_dir(&c, dirs[i], 0755);
	cpio_chardev(&c, "dev/console", 0600, 5, 1);
	cpio_chardev(&c, "dev/null", 0666, 1, 3);
	cpio_file(&c, "init", 0755, wl_guest_init,
		(size_t)(wl_guest_init_end - wl_guest_init));
	cpio_link(&c, "bin/sh", "busybox");
	r = add_program(a, &c, s, "/bin/busybox", busybox, e);
	if (!r && s->n_loads)
		r = add_program(a, &c, s, "/usr/bin/hackbench", hackbench, e);
	if (!r)
		r = initramfs_runs(s, &runs, e);
	if (r)
		return r;
	cpio_file(&c, "wl/runs", 0644, runs.buf, runs.len);
	cpio_end(&c);
	sbuf_add(ret, c.out.buf, c.out.len);
	return 0;
}
