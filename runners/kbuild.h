/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kbuild.h - one kernel build in its own folder (O=), in the sandbox, with limits.
 *
 * The source folder is only read: it must never have been built in place, which make
 * refuses. Configuration: everything off but what the fragments say (make allnoconfig).
 * The log holds all that make printed. Same sources, config and tag: same kernel bytes.
 */
#ifndef WL_RUNNERS_KBUILD_H
#define WL_RUNNERS_KBUILD_H

#include "runners/buildlog.h"
#include "runners/sandbox.h"

#define KBUILD_FRAGMENTS_MAX 8
#define KBUILD_FRAGMENT_MAX  (256u << 10)
#define KBUILD_LOG_MAX       (32u << 20)

struct kbuild_limits {
	int64_t time_s;         /* of the whole build */
	int64_t mem_bytes;      /* address space of one process */
	int64_t disk_bytes;     /* of the build folder */
	int64_t disk_min_bytes; /* free space that must stay on its file system */
};
extern const struct kbuild_limits kbuild_limits_default;

struct kbuild_spec {
	const char *src, *out;        /* absolute; out is made */
	const char *arch;             /* "x86_64", "aarch64" */
	const char *const *fragments; /* texts of fragments, NULL ended */
	bool reconfigure;             /* Kconfig may differ from the last build in out */
	const char *ccache_dir;       /* NULL: without ccache */
	int jobs;
	const char *tag;      /* goes into `uname -v`: [A-Za-z0-9._-]+ */
	int64_t time_s;       /* what the kernel takes for its build time, since 1970 */
	const char *log_path; /* absolute; made anew */
	const struct sandbox *sandbox;
	struct kbuild_limits limits;
	int n_steps_guess; /* of this build, for progress; 0: unknown */
	void (*progress)(void *arg, int done, int total); /* may be NULL */
	void *arg;
};

struct kbuild_result {
	bool ok;             /* false: the code does not build, log says why */
	const char *why;     /* !ok: one clause */
	const char *kernel;  /* path of the image inside out */
	const char *release; /* "6.1.192" */
	const char *cc;      /* "gcc (Debian ...) 12.2.0" */
	struct build_log *log;
	int64_t wall_ms;
};

/* Texts of the fragments that a config name stands for: "x86_64" is the fragment of the
 * architecture, "x86_64+trace+net" adds others, from dir. NOT_FOUND names what is
 * missing. Arena, NULL ended. */
int kbuild_fragments(struct arena *a, const char *dir, const char *arch,
	const char *config, const char *const **ret, struct err *e) MUST_CHECK;
/* Folder with the fragments: installed, or of the source tree. Arena. */
const char *kbuild_config_dir(struct arena *a);
/* ccache is installed. */
bool kbuild_has_ccache(void);
/* 0 also when the code does not build. UNSUPPORTED: architecture or compiler missing;
 * TIMEOUT, TOO_BIG (disk), BUSY (the machine starved): nothing about the code. Arena. */
int kbuild_run(struct arena *a, const struct kbuild_spec *s, struct kbuild_result *ret,
	struct err *e) MUST_CHECK;

#endif
