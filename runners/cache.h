/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - what a runner keeps between jobs; losing all of it only costs time.
 *
 *   DIR/objects.git             every pack that was fetched
 *   DIR/packs/<sha256>          empty marks: this pack is in
 *   DIR/src/<tree>/{files,at}   a source folder per tree, moved by content; at says where
 *   DIR/build/<tree>.<arch>.<config>/{out,state.json}
 *   DIR/ccache, DIR/kernels/<sha256>, DIR/jobs/<id>.<fence>/, DIR/accel-*.json
 */
#ifndef WL_RUNNERS_CACHE_H
#define WL_RUNNERS_CACHE_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/repo.h"
#include "runners/buildlog.h"

#define CACHE_NAME_MAX      64 /* bytes of a tree's or config's name */
#define CACHE_BYTES_DEFAULT ((int64_t)40 << 30)
#define CACHE_CHANGED_MAX   100000
#define CACHE_STATE_MAX     (4u << 20)
#define CACHE_WARNED_MAX    8 /* trees whose warnings a build folder remembers */

struct cache {
	const char *dir; /* absolute */
};

/* Makes the folders. */
int cache_init(const struct cache *c, struct err *e) MUST_CHECK;
/* [A-Za-z0-9._+-]+, no leading dot, at most CACHE_NAME_MAX. */
int cache_check_name(const char *what, const char *name, struct err *e) MUST_CHECK;

bool cache_has_pack(const struct cache *c, const char *sha);
/* Indexes a fetched pack file (which goes away) into objects.git. */
int cache_add_pack(const struct cache *c, const char *sha, const char *file,
	struct err *e) MUST_CHECK;

/* Brings the source folder of tree_name to a git tree, touching only what differs, and
 * locks it until *ret_lock is closed. ret_path: the folder; arena. BUSY when another
 * process has it. */
int cache_source(struct arena *a, const struct cache *c, const char *tree_name,
	const char *tree_hex, const char **ret_path, int *ret_lock,
	struct err *e) MUST_CHECK;
/* Paths that differ between two git trees, old and new names; arena. */
int cache_changed(struct arena *a, const struct cache *c, const char *from_hex,
	const char *to_hex, const char ***ret, size_t *ret_n, struct err *e) MUST_CHECK;

/* True when building these paths runs code of theirs on this machine (makefiles, scripts,
 * host tools, Kconfig) rather than only compiling it. Pure. */
bool cache_runs_code(const char *const *paths, size_t n);
/* True when the configuration may come out differently. Pure. */
bool cache_touches_config(const char *const *paths, size_t n);

/* What a build folder remembers. */
struct cache_warned {
	const char *tree; /* git tree */
	struct build_issue *v;
	size_t n;
};
struct cache_build {
	const char *dir, *out;
	const char *tree; /* last built from, NULL: never */
	int n_steps_full; /* of a build from nothing; 0: unknown */
	int n_steps_last; /* of the last rebuild */
	struct cache_warned warned[CACHE_WARNED_MAX]; /* newest first; tree NULL: none */
};
int cache_build_open(struct arena *a, const struct cache *c, const char *tree_name,
	const char *arch, const char *config, struct cache_build *ret,
	struct err *e) MUST_CHECK;
int cache_build_save(const struct cache_build *b, struct err *e) MUST_CHECK;
/* Puts the warnings of a tree first; those remembered of the same tree are joined. */
void cache_build_warn(struct arena *a, struct cache_build *b, const char *tree,
	const struct build_issue *v, size_t n);

/* Removes build folders, least recently used first, until DIR/build has at most
 * limit_bytes; never keep_dir. */
int cache_trim(struct arena *a, const struct cache *c, int64_t limit_bytes,
	const char *keep_dir, struct err *e) MUST_CHECK;
/* Bytes on disk under a folder; 0 when it is not there. */
int64_t cache_dir_bytes(const char *dir);

#endif
