/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the epochs of a list are: on this machine, or behind a URL. */
#include "workers/ingest/epoch.h"

#include "base/file.h"
#include "patch/repo.h"
#include "workers/ingest/http.h"
#include <dirent.h>
#include <errno.h>
#include <git2.h>
#include <sys/stat.h>

#define FETCH_BYTES_MAX ((size_t)2 << 30)

static bool is_repo(struct arena *a, const char *path)
{
	struct stat st;

	return stat(arena_printf(a, "%s/objects", path), &st) == 0 &&
	       S_ISDIR(st.st_mode) && stat(arena_printf(a, "%s/HEAD", path), &st) == 0;
}

static int by_number(const void *a, const void *b)
{
	const struct epoch *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

/* "12.git" -> 12, else -1. */
static int epoch_number(const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	return end != name && strcmp(end, ".git") == 0 && n >= 0 && n < EPOCHS_MAX
		       ? (int)n
		       : -1;
}

static size_t scan_folder(struct arena *a, const char *path, struct epoch *v)
{
	DIR *d = opendir(path);
	struct dirent *de;
	size_t n = 0;

	while (d && n < EPOCHS_MAX && (de = readdir(d))) {
		int number = epoch_number(de->d_name);
		const char *at = arena_printf(a, "%s/%s", path, de->d_name);

		if (number >= 0 && is_repo(a, at))
			v[n++] = (struct epoch){
				.n = number, .path = at, .fingerprint = ""};
	}
	if (d)
		closedir(d);
	qsort(v, n, sizeof(*v), by_number);
	return n;
}

int epoch_find(struct arena *a, const char *path, struct epoch **ret, size_t *ret_n,
	struct err *e)
{
	struct epoch *v = ARENA_ARRAY(a, struct epoch, EPOCHS_MAX);
	struct stat st;
	size_t n = 0;

	if (stat(path, &st) != 0)
		return err_set_errno(e, errno, "%s", path);
	if (is_repo(a, path))
		v[n++] = (struct epoch){.n = 0, .path = path, .fingerprint = ""};
	if (n == 0)
		n = scan_folder(a, arena_printf(a, "%s/git", path), v);
	if (n == 0)
		n = scan_folder(a, path, v);
	if (n == 0)
		return err_set(e, ERR_NOT_FOUND,
			"%s is no public-inbox: no git repository, and no N.git in it",
			path);
	*ret = v;
	*ret_n = n;
	return 0;
}

/* ---- over HTTP ---- */

/* manifest.js.gz: {"/LIST/git/N.git":{"fingerprint",..}}. */
static int read_manifest(struct arena *a, const struct sbuf *gz, struct epoch *v,
	size_t *ret_n, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	json_t *j = NULL, *one;
	const char *key;
	int status = http_gunzip(gz, HTTP_BODY_MAX, &text, e);

	if (status == 0)
		status = jx_load(text.buf, text.len, &j, e);
	if (status != 0)
		return err_wrap(e, "manifest.js.gz");
	json_object_foreach(j, key, one)
	{
		const char *name = strrchr(key, '/');
		const char *fp = json_string_value(json_object_get(one, "fingerprint"));
		int n = epoch_number(name ? name + 1 : key);

		if (n >= 0 && *ret_n < EPOCHS_MAX)
			v[(*ret_n)++] = (struct epoch){
				.n = n, .fingerprint = arena_strdup(a, fp ? fp : "")};
	}
	json_decref(j);
	qsort(v, *ret_n, sizeof(*v), by_number);
	return 0;
}

static int get_manifest(
	struct arena *a, const char *url, struct epoch *v, size_t *ret_n, struct err *e)
{
	struct http_answer answer = {0};
	int status = http_get(arena_printf(a, "%s/manifest.js.gz", url), &answer, e);

	if (status == 0 && answer.status == 404)
		status = err_set(e, ERR_NOT_FOUND,
			"%s is no public-inbox: it has no "
			"manifest.js.gz",
			url);
	else if (status == 0 && answer.status != 200)
		status = err_set(e, ERR_UNAVAILABLE, "%s/manifest.js.gz: status %ld", url,
			answer.status);
	else if (status == 0 && strcmp(answer.content_type, "text/html") == 0)
		status = err_set(e, ERR_UNAVAILABLE,
			"%s/manifest.js.gz: the server answered with a page", url);
	if (status == 0)
		status = read_manifest(a, &answer.body, v, ret_n, e);
	http_answer_release(&answer);
	if (status == 0 && *ret_n == 0)
		status =
			err_set(e, ERR_NOT_FOUND, "%s: its manifest names no epoch", url);
	return status;
}

struct fetch {
	struct job_ctx *j;
	bool too_big;
};

static int on_transfer(const git_indexer_progress *p, void *arg)
{
	struct fetch *f = arg;

	if (p->received_bytes > FETCH_BYTES_MAX) {
		f->too_big = true;
		return -1;
	}
	job_progress(f->j, p->received_objects, p->total_objects, "objects", "fetching");
	return 0;
}

static int fetch_one(struct job_ctx *j, const char *url, const char *path, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	git_fetch_options opts;
	char spec[] = "+refs/heads/*:refs/heads/*";
	char *specs[] = {spec};
	git_strarray list = {specs, 1};
	struct fetch f = {.j = j};
	git_remote *remote = NULL;
	int status = repo_create(path, &repo, e), got;

	if (status != 0)
		return status;
	git_fetch_options_init(&opts, GIT_FETCH_OPTIONS_VERSION);
	opts.callbacks.transfer_progress = on_transfer;
	opts.callbacks.payload = &f;
	opts.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	/* On the same host only, as http_get() does. */
	opts.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	got = git_remote_create_anonymous(&remote, repo, url);
	if (got == 0)
		got = git_remote_fetch(remote, &list, &opts, NULL);
	if (f.too_big) {
		status = err_set(
			e, ERR_TOO_BIG, "%s: over %zu MiB", url, FETCH_BYTES_MAX >> 20);
	} else if (got < 0) {
		const git_error *ge = git_error_last();

		/* libgit2 tells a peer that is away from our faults by words only. */
		status = err_set(e, ERR_UNAVAILABLE, "fetching %s: %s", url,
			ge && ge->message ? ge->message : "failed");
	}
	git_remote_free(remote);
	return status;
}

int epoch_fetch(struct job_ctx *j, const char *url, const char *dir, json_t *known,
	struct epoch **ret, size_t *ret_n, struct err *e)
{
	struct epoch *v = ARENA_ARRAY(j->arena, struct epoch, EPOCHS_MAX);
	char *base = arena_strdup(j->arena, url);
	size_t n = 0;
	int status;

	while (base[0] && base[strlen(base) - 1] == '/')
		base[strlen(base) - 1] = '\0';
	status = get_manifest(j->arena, base, v, &n, e);
	for (size_t i = 0; status == 0 && i < n; i++) {
		char number[16];
		const char *have;

		snprintf(number, sizeof(number), "%d", v[i].n);
		v[i].path = arena_printf(j->arena, "%s/%d.git", dir, v[i].n);
		have = json_string_value(json_object_get(known, number));
		if (have && have[0] && strcmp(have, v[i].fingerprint) == 0 &&
			is_repo(j->arena, v[i].path))
			continue;
		status = fetch_one(
			j, arena_printf(j->arena, "%s/%d", base, v[i].n), v[i].path, e);
	}
	*ret = v;
	*ret_n = n;
	return status;
}
