/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_boot.c - kind `boot`: one boot of one kernel on one topology, with its loads. */
#include "base/base.h"
#include "runners/kinds.h"

#include "base/file.h"
#include "bench/bench.h"
#include "runners/boot.h"
#include "runners/initramfs.h"
#include <sys/utsname.h>

struct boot_load {
	const char *bench, *load;
};

struct boot_job {
	const char *arch, *topology, *config, *kernel;
	int block, runs, warmup, timeout_s;
	struct boot_load *names;
	struct initramfs_load *loads;
	size_t n_loads;
};

static int loads_read(struct arena *a, json_t *list, struct boot_job *b, struct err *e)
{
	json_t *item, *argv, *word;
	size_t i, k;

	if (!json_is_array(list) || json_array_size(list) > INITRAMFS_BENCHES_MAX)
		return err_set(e, ERR_INVALID, "benches is no list, or too long");
	b->n_loads = json_array_size(list);
	b->names = ARENA_ARRAY(a, struct boot_load, b->n_loads + 1);
	b->loads = ARENA_ARRAY(a, struct initramfs_load, b->n_loads + 1);
	json_array_foreach(list, i, item)
	{
		const char **words;
		int r = jx_unpack(item, e, "bench", "{s:s, s:s, s:o}", "bench",
			&b->names[i].bench, "load", &b->names[i].load, "argv", &argv);

		if (r)
			return r;
		if (!json_is_array(argv) || json_array_size(argv) > INITRAMFS_WORDS_MAX)
			return err_set(e, ERR_INVALID,
				"argv of %.40s is no list, or too long",
				b->names[i].load);
		words = ARENA_ARRAY(a, const char *, json_array_size(argv) + 1);
		json_array_foreach(argv, k, word)
		{
			words[k] = json_string_value(word);
			if (!words[k])
				return err_set(e, ERR_INVALID,
					"argv of %.40s holds no text", b->names[i].load);
		}
		b->loads[i] = (struct initramfs_load){.argv = words,
			.n_warmup = b->warmup,
			.n_runs = b->runs,
			.timeout_s = b->timeout_s};
	}
	return 0;
}

static int payload_read(struct arena *a, json_t *j, struct boot_job *b, struct err *e)
{
	json_t *benches;
	int v, r;

	r = jx_unpack(j, e, "boot",
		"{s:i, s:s, s:s, s:i, s:i, s?i, s:i, s:s, s:o, s:s !}", "v", &v, "arch",
		&b->arch, "topology", &b->topology, "block", &b->block, "runs", &b->runs,
		"warmup", &b->warmup, "timeout_s", &b->timeout_s, "config", &b->config,
		"benches", &benches, "kernel", &b->kernel);
	if (!r && v != 1)
		r = err_set(e, ERR_UNSUPPORTED, "boot of version %d", v);
	return r ? r : loads_read(a, benches, b, e);
}

static const char *guest_root(struct job_env *env, const char *arch)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.machine, arch)
		       ? ""
		       : arena_printf(env->a, "%s/guest/%s", env->cache.dir, arch);
}

static void on_progress(void *arg, int done, int total)
{
	job_progress(arg, done, total, "runs", done ? "running the loads" : "booting");
}

/* Samples of all runs that ended well; ret_bad: the first that did not. */
static json_t *samples_json(struct arena *a, const struct boot_job *b,
	const struct boot_result *r, const char **ret_bad)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->results->n_runs; i++) {
		const struct guest_run *g = &r->results->runs[i];
		struct bench_output *o = NULL;
		const struct boot_load *l;
		struct err e = {0};

		if (g->bench >= (int)b->n_loads)
			continue;
		l = &b->names[g->bench];
		if (g->status || bench_parse(a, l->bench, g->out, g->out_len, &o, &e) ||
			!o->n_runs) {
			if (!*ret_bad)
				*ret_bad = arena_printf(a,
					"%s %s ended with status %d%s%.200s", l->bench,
					l->load, g->status, e.code ? ": " : "", e.msg);
			continue;
		}
		for (size_t k = 0; !g->warmup && k < o->runs[0].n_metrics; k++) {
			const struct bench_metric *m = &o->runs[0].metrics[k];

			json_array_append_new(
				list, jx_pack("{s:s, s:s, s:s, s:i, s:f, s:o, s:s}",
					      "bench", l->bench, "load", l->load,
					      "metric", m->name, "n", g->n, "value",
					      m->value, "unit", jx_str_or_null(m->unit),
					      "better", bench_better_name(m->better)));
		}
	}
	return list;
}

/* Reports that count under emulation. An emulated CPU waits its turn, so stalls and
 * lockups alone do not break a boot: they are listed, and compared with the base's. */
static const struct log_check_event *splat(const struct log_check *c)
{
	for (size_t i = 0; i < c->n_events; i++) {
		enum log_kind k = c->events[i].kind;

		if (k != LOG_KIND_RCU_STALL && k != LOG_KIND_SOFT_LOCKUP &&
			k != LOG_KIND_HUNG_TASK)
			return &c->events[i];
	}
	return NULL;
}

static int put_if_any(struct job_env *env, const char *path, json_t **ret, struct err *e)
{
	char sha[SHA256_HEX];
	struct sbuf buf = SBUF_INIT;
	int r = file_read(path, BOOT_FILE_MAX, &buf, e);

	*ret = json_null();
	if (!r && buf.len) {
		r = api_blob_put(env->api, path, sha, e);
		if (!r)
			*ret = json_string(sha);
	}
	sbuf_release(&buf);
	return r == ERR_NOT_FOUND ? 0 : r;
}

static json_t *argv_json(const char *const *argv)
{
	json_t *list = json_array();

	for (; *argv; argv++)
		json_array_append_new(list, json_string(*argv));
	return list;
}

static int report(struct job_env *env, const struct boot_job *b,
	const struct boot_spec *s, const struct boot_result *r, struct job_outcome *ret,
	struct err *e)
{
	const struct log_check_event *bad_event = splat(r->log);
	json_auto_t *log = logcheck_to_json(r->log);
	json_t *serial, *raw, *samples;
	const char *bad = NULL;
	int err = put_if_any(env, r->serial_path, &serial, e);

	if (!err)
		err = put_if_any(env, r->raw_path, &raw, e);
	if (err)
		return err_wrap(e, "while keeping the console log");
	samples = samples_json(env->a, b, r, &bad);
	ret->outcome = "done";
	ret->why = r->why;
	if (!ret->why && bad_event)
		ret->why = arena_printf(env->a, "%s: %.200s",
			log_kind_name(bad_event->kind), bad_event->text);
	if (!ret->why)
		ret->why = bad;
	ret->result = jx_pack(
		"{s:i, s:s, s:b, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:O, s:o, "
		"s:I, s:s}",
		"v", 1, "status", ret->why ? "broken" : "ok", "booted", r->booted,
		"release",
		r->results->release
			? jx_text(r->results->release, strlen(r->results->release))
			: json_null(),
		"accel", s->accel->name, "accel_why", s->accel->why, "qemu",
		s->accel->qemu, "argv", argv_json(r->argv), "serial", serial, "raw", raw,
		"events", json_object_get(log, "events"), "samples", samples, "wall_ms",
		(json_int_t)r->wall_ms, "sandbox", sandbox_text(env->a, &env->box));
	return 0;
}

static int run(
	struct job_env *env, json_t *payload, struct job_outcome *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf initrd = SBUF_INIT;
	struct initramfs_spec guest = {0};
	struct boot_spec s = {.progress = on_progress, .arg = env, .sandbox = &env->box};
	struct boot_job b = {0};
	struct accel accel = {0};
	struct boot_result res;
	int r = payload_read(env->a, payload, &b, e);

	if (r)
		return r;
	s.preset = topo_preset_find(b.topology);
	if (!s.preset || strcmp(s.preset->arch, b.arch))
		return err_set(e, ERR_UNSUPPORTED,
			"no topology %.40s for %.20s is known here", b.topology, b.arch);
	s.dir = arena_printf(env->a, "%s/vm", env->dir);
	s.initrd = arena_printf(env->a, "%s/initramfs.cpio", env->dir);
	s.timeout_s = b.timeout_s;
	s.n_runs = (int)b.n_loads * (b.runs + b.warmup);
	s.accel = &accel;
	guest = (struct initramfs_spec){.arch = b.arch,
		.root = guest_root(env, b.arch),
		.loads = b.loads,
		.n_loads = b.n_loads};
	job_progress(env, 0, s.n_runs, "runs", "booting");
	accel_probe(env->a, &env->box, b.arch, env->cache.dir, &accel);
	r = job_kernel(env, b.kernel, &s.kernel, e);
	if (!r)
		r = initramfs_build(&guest, &initrd, e);
	if (!r)
		r = file_write_atomic(s.initrd, initrd.buf, initrd.len, 0644, e);
	if (!r)
		r = boot_run(env->a, &s, &res, e);
	if (r)
		return r;
	if (res.outcome == BOOT_NO_EMULATOR)
		return err_set(e, ERR_BUSY, "%s", res.why);
	return report(env, &b, &s, &res, ret, e);
}

const struct job_kind kind_boot = {
	.name = "boot", .help = "boots in QEMU, with loads inside", .run = run};
