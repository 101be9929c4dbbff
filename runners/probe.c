/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.c - see probe.h. */
#include "runners/probe.h"
#include "base/base.h"

#include "base/file.h"
#include "runners/accel.h"
#include "runners/kbuild.h"
#include "runners/kinds.h"
#include "topo/topo.h"
#include <ctype.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const guest_arches[] = {"x86_64", "aarch64"};

static void cap(struct probe *p, const char *fmt, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s", fmt, what);
	json_array_append_new(p->caps, json_string(text));
}

/* The first number with a dot in what `program arg` prints; NULL: not installed. */
static const char *version(struct arena *a, const char *program, const char *option)
{
	const char *const argv[] = {program, option, NULL};
	struct proc_spec ps = {.argv = argv,
		.deadline_ms = 10000,
		.out_cap_bytes = 16384,
		.merge_stderr = true};
	const char *ret = NULL;
	struct proc_result pr;
	struct err e;

	proc_result_init(&pr);
	if (!proc_run(&ps, &pr, &e) && pr.exit_status != 127) {
		for (const char *s = pr.out.buf; *s && !ret; s++) {
			size_t n = strspn(s, "0123456789.");

			if (n > 2 && isdigit((unsigned char)*s) && memchr(s, '.', n) &&
				s[n - 1] != '.')
				ret = arena_strndup(a, s, n);
			s += n ? n - 1 : 0;
		}
		if (!ret)
			ret = "unknown";
	}
	proc_result_release(&pr);
	return ret;
}

static const char *tool(
	struct arena *a, struct probe *p, const char *program, const char *option)
{
	const char *v = version(a, program, option);

	if (v)
		json_object_set_new(p->tools, program, json_string(v));
	return v;
}

/* A configuration for kernels of arch is among ours. */
static bool has_config(struct arena *a, const char *arch)
{
	return !access(
		arena_printf(a, "%s/%s.fragment", kbuild_config_dir(a), arch), R_OK);
}

/* May build kernels for arch? */
static bool builds(struct arena *a, struct probe *p, const char *arch)
{
	static const char *const needed[] = {"make", "flex", "bison", "bc", "ld"};
	const char *cc =
		strcmp(arch, p->arch) ? arena_printf(a, "%s-linux-gnu-gcc", arch) : "gcc";

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!tool(a, p, needed[i], "--version"))
			return false;
	return tool(a, p, cc, "--version") != NULL;
}

static bool boots(struct arena *a, struct probe *p, const char *arch, const char *cache)
{
	const char *root =
		strcmp(arch, p->arch) ? arena_printf(a, "%s/guest/%s", cache, arch) : "";
	static const char *const files[] = {"bin/busybox", "usr/bin/hackbench"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (access(arena_printf(a, "%s/%s", root, files[i]), R_OK))
			return false;
	return tool(a, p, arena_printf(a, "qemu-system-%s", arch), "--version") != NULL;
}

static void probe_boots(struct arena *a, struct probe *p, const struct sandbox *box,
	const char *arch, const char *cache)
{
	struct accel accel;

	cap(p, "emu:", arch);
	for (const struct topo_preset *t = topo_presets; t->name; t++)
		if (t->qemu && !t->needs_l3_dtb && !strcmp(t->arch, arch))
			cap(p, "topo:", t->name);
	accel_probe(a, box, arch, cache, &accel);
	json_object_set_new(p->tools, arena_printf(a, "accelerator %s", arch),
		json_string(arena_printf(a, "%s: %s", accel.name, accel.why)));
}

static bool wants(const char *kinds, const char *name)
{
	size_t n = strlen(name);

	for (const char *k = kinds; k; k = strchr(k, ',') ? strchr(k, ',') + 1 : NULL)
		if (!strncmp(k, name, n) && (k[n] == ',' || !k[n]))
			return true;
	return false;
}

static int kinds_check(const char *kinds, struct err *e)
{
	for (const char *k = kinds; k; k = strchr(k, ',') ? strchr(k, ',') + 1 : NULL) {
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(k, ","), k);
		if (!job_kind_find(name))
			return err_set(e, ERR_INVALID, "\"%s\" is no kind of jobs", name);
	}
	return 0;
}

int probe_machine(struct arena *a, const char *kinds, const char *cache,
	struct probe *ret, struct err *e)
{
	struct probe p = {0};
	struct utsname u;
	struct sandbox box;
	struct topo *t;
	struct err ignored;
	bool any_build = false, any_boot = false;
	int r = kinds_check(kinds, e);

	if (r)
		return r;
	if (uname(&u))
		return err_set(e, ERR_INTERNAL, "uname says nothing");
	p.arch = arena_strdup(a, u.machine);
	p.caps = json_array();
	p.tools = json_object();
	p.topology = topo_host(a, NULL, &t, &ignored) ? json_null() : topo_to_json(t);
	cap(&p, "arch:", p.arch);
	json_object_set_new(p.tools, "kernel", json_string(u.release));
	if (wants(kinds, "build") || wants(kinds, "boot")) {
		sandbox_probe(a, &box);
		json_object_set_new(
			p.tools, "sandbox", json_string(sandbox_text(a, &box)));
	}
	for (size_t i = 0; i < ARRAY_LEN(guest_arches); i++) {
		const char *arch = guest_arches[i];

		if (wants(kinds, "build") && has_config(a, arch) && builds(a, &p, arch)) {
			cap(&p, "build:", arch);
			any_build = true;
		}
		if (wants(kinds, "boot") && boots(a, &p, arch, cache)) {
			probe_boots(a, &p, &box, arch, cache);
			any_boot = true;
		}
	}
	if (any_build) {
		cap(&p, "kind:", "build");
		tool(a, &p, "ccache", "--version");
	}
	if (any_boot)
		cap(&p, "kind:", "boot");
	if (wants(kinds, "null")) {
		cap(&p, "kind:", "null");
		p.test_only = true;
	}
	*ret = p;
	return 0;
}

void probe_release(struct probe *p)
{
	json_decref(p->caps);
	json_decref(p->tools);
	json_decref(p->topology);
	*p = (struct probe){0};
}
