/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/tree/tree.h"

#include "base/blob.h"
#include "base/log.h"
#include "patch/pack.h"
#include "patch/repo.h"
#include "workers/tree/source.h"
#include <sys/stat.h>

#define PACK_FILE "base.pack"
/* The first commit of git's kernel history: old enough for every patch, the same for
 * every import. */
#define COMMIT_TIME_S INT64_C(1113690036)

static const struct {
	const char *name;
	size_t len;
} variables[] = {
	{"VERSION", 7}, {"PATCHLEVEL", 10}, {"SUBLEVEL", 8}, {"EXTRAVERSION", 12}};

/* "NAME = value" at the start of a line: the value in the arena, "" for none. */
static const char *variable(
	struct arena *a, const char *line, size_t len, size_t *ret_which)
{
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		size_t at = variables[i].len;

		if (len <= at || memcmp(line, variables[i].name, at) != 0)
			continue;
		while (at < len && (line[at] == ' ' || line[at] == '\t'))
			at++;
		if (at == len || line[at] != '=')
			continue;
		for (at++; at < len && (line[at] == ' ' || line[at] == '\t');)
			at++;
		while (len > at && (line[len - 1] == ' ' || line[len - 1] == '\t' ||
					   line[len - 1] == '\r'))
			len--;
		*ret_which = i;
		return arena_strndup(a, line + at, len - at);
	}
	return NULL;
}

static bool is_word(const char *s, const char *allowed, size_t max)
{
	size_t len = strlen(s);

	return len <= max && strspn(s, allowed) == len;
}

int tree_label(struct arena *a, const char *makefile, size_t len, const char **ret,
	struct err *e)
{
	const char *value[ARRAY_LEN(variables)] = {NULL};
	const char *end = makefile + len;

	for (const char *p = makefile, *eol; p < end; p = eol + 1) {
		size_t which;
		const char *v;

		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			eol = end;
		v = variable(a, p, (size_t)(eol - p), &which);
		if (v && !value[which])
			value[which] = v;
	}
	if (!value[0] || !value[1] || !value[0][0] || !value[1][0])
		return err_set(e, ERR_INVALID,
			"this is no kernel tree: no Makefile with VERSION and "
			"PATCHLEVEL");
	for (size_t i = 0; i < 3; i++)
		if (value[i] && !is_word(value[i], "0123456789", 6))
			return err_set(e, ERR_INVALID,
				"this is no kernel tree: %s is no number in its Makefile",
				variables[i].name);
	if (value[3] && !is_word(value[3],
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789.+-_",
				40))
		value[3] = "";
	*ret = arena_printf(a, "%s.%s.%s%s", value[0], value[1],
		value[2] && value[2][0] ? value[2] : "0", value[3] ? value[3] : "");
	return 0;
}

/* Refuses what is no kernel tree and names what is missing. */
static int judge(struct source *s, const char **ret_label, struct err *e)
{
	int status =
		tree_label(s->j->arena, s->makefile.buf, s->makefile.len, ret_label, e);

	if (status == 0 && !s->has_sched)
		status = err_set(
			e, ERR_INVALID, "this is no kernel tree: no kernel/sched/");
	return status;
}

static int import(struct job_ctx *j, const char *kind, const char *path,
	const char **ret_label, struct tree_import_result *ret, struct err *e)
{
	struct source s = {.j = j, .makefile = SBUF_INIT};
	struct tree_import_meta meta = {
		.author_name = "wakelist",
		.author_email = "wakelist@invalid",
		.time_s = COMMIT_TIME_S,
	};
	int status = tree_import_begin(PACK_FILE, &s.import, e);

	if (status != 0)
		return status;
	status = strcmp(kind, "dir") == 0 ? source_read_dir(&s, path, e)
					  : source_read_tarball(&s, path, e);
	if (status == 0)
		status = judge(&s, ret_label, e);
	if (status != 0) {
		tree_import_abort(s.import);
	} else {
		meta.message = arena_printf(j->arena, "linux %s\n", *ret_label);
		status = tree_import_finish(s.import, &meta, ret, e);
	}
	sbuf_release(&s.makefile);
	return status;
}

static const char *repo_path(struct job_ctx *j, const char *name)
{
	return arena_printf(j->arena, "%s/trees/%s.git", j->data, name);
}

/* Objects and branch into the tree's repository. */
static int into_repo(struct job_ctx *j, const char *name, const char *pack,
	const char *branch, const char *commit, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	int status = repo_create(repo_path(j, name), &r, e);

	if (status == 0 && !repo_has(r, commit))
		status = pack_ingest(r, pack, e);
	if (status == 0)
		status = repo_set_branch(r, branch, commit, e);
	return status;
}

int tree_import_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	const char *name, *kind, *path, *branch, *label = NULL;
	struct tree_import_result r = {0};
	int status = jx_unpack(in, e, "tree", "{s:s, s:s, s:s, s:s !}", "name", &name,
		"kind", &kind, "source", &path, "branch", &branch);

	if (status == 0)
		status = import(j, kind, path, &label, &r, e);
	if (status == 0) {
		job_progress(j, r.n_files, r.n_files, "files", "indexing");
		status = into_repo(j, name, PACK_FILE, branch, r.commit, e);
	}
	if (status != 0)
		return status;
	*ret = jx_pack("{s:s, s:s, s:s, s:I, s:s, s:[s]}", "label", label, "commit",
		r.commit, "tree", r.tree, "n_files", (json_int_t)r.n_files, "pack",
		PACK_FILE, "files", PACK_FILE);
	return 0;
}

int tree_publish_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	const char *name, *pack, *commit, *branch;
	char path[BLOB_PATH_MAX];
	int status = jx_unpack(in, e, "branch", "{s:s, s:s, s:s, s:s !}", "name", &name,
		"pack", &pack, "commit", &commit, "branch", &branch);

	if (status == 0)
		status = blob_path(j->blobs, pack, path, e);
	if (status == 0)
		status = into_repo(j, name, path, branch, commit, e);
	if (status == 0)
		*ret = json_object();
	return status;
}
