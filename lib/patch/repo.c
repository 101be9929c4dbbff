// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/loose.h"
#include "patch/repo.h"

#include <errno.h>
#include <git2.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES  ((size_t)64 << 20)
#define WINDOWS_BYTES ((size_t)1 << 30)
#define BRANCH_MAX    400 /* bytes of a name */

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Another user's or the machine's configuration is not ours to read, and a child that
 * runs under its own user owns nothing. */
static void library_start(void)
{
	static const char *harmless_extensions[] = {
		"partialclone", "preciousobjects", "worktreeconfig"};
	static const git_config_level_t levels[] = {GIT_CONFIG_LEVEL_PROGRAMDATA,
		GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL};

	if (git_libgit2_init() < 0)
		BUG("libgit2 does not start");
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	/* Packs are mapped in pieces: children live under a limit of address space that
	 * is smaller than the pack of a long history. */
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, WINDOW_BYTES);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, WINDOWS_BYTES);
	/* As git: zlib's checksum tells damage; the ids are for git fsck. */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	/* Nothing is fetched, pruned or read of a work tree's own settings here. */
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless_extensions,
		ARRAY_LEN(harmless_extensions));
}

static enum err_code code_of(int git_code)
{
	switch (git_code) {
	case GIT_ENOTFOUND:
	case GIT_EUNBORNBRANCH:
		return ERR_NOT_FOUND;
	case GIT_EEXISTS:
	case GIT_ECONFLICT:
	case GIT_EMODIFIED:
		return ERR_CONFLICT;
	case GIT_EAMBIGUOUS:
	case GIT_EINVALIDSPEC:
	case GIT_EPEEL:
	case GIT_EINVALID:
		return ERR_INVALID;
	case GIT_ELOCKED:
		return ERR_BUSY;
	case GIT_EUSER:
		return ERR_CANCELLED;
	default:
		return ERR_INTERNAL;
	}
}

int repo_err(struct err *e, int git_code, const char *fmt, ...)
{
	const git_error *last = git_error_last();
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, code_of(git_code), "%s: %s", what,
		last && last->message ? last->message : "no reason given");
}

/* libgit2 finds nothing where it may not look. 0: it might. */
static int why_unseen(const char *path)
{
	char inner[4096];
	struct stat st;
	int n = snprintf(inner, sizeof(inner), "%s/.git", path);

	if (stat(path, &st))
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	if (access(path, R_OK | X_OK))
		return errno;
	if (n < 0 || (size_t)n >= sizeof(inner) || stat(inner, &st))
		return 0;
	return access(inner, S_ISDIR(st.st_mode) ? R_OK | X_OK : R_OK) ? errno : 0;
}

/* Loose objects are read by us from the start. */
static int opened(struct git_repository **ret, struct err *e)
{
	int rc = loose_guard(*ret, e);

	if (rc)
		repo_closep(ret);
	return rc;
}

int repo_open(const char *path, struct git_repository **ret, struct err *e)
{
	int rc;

	pthread_once(&once, library_start);
	rc = git_repository_open_ext(ret, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (!rc)
		return opened(ret, e);
	if (rc == GIT_ENOTFOUND) {
		int errnum = why_unseen(path);

		if (errnum)
			return err_set_errno(
				e, errnum, "cannot open repository %s", path);
	}
	rc = repo_err(e, rc, "cannot open repository %s", path);
	if (rc == ERR_INTERNAL && git_error_last() &&
		git_error_last()->klass == GIT_ERROR_REPOSITORY)
		rc = e->code = ERR_UNSUPPORTED;
	return rc;
}

int repo_create(const char *path, struct git_repository **ret, struct err *e)
{
	int rc;

	pthread_once(&once, library_start);
	rc = git_repository_open_ext(ret, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (!rc)
		return opened(ret, e);
	rc = file_mkdir_p(path, 0755, e);
	if (rc)
		return rc;
	rc = git_repository_init(ret, path, true);
	return rc ? repo_err(e, rc, "cannot make repository %s", path) : opened(ret, e);
}

void repo_close(struct git_repository *r)
{
	git_repository_free(r);
}

void repo_closep(struct git_repository **r)
{
	git_repository_free(*r);
	*r = NULL;
}

static bool is_id(const char *rev)
{
	return strlen(rev) == GIT_OID_HEXSZ &&
	       strspn(rev, "0123456789abcdefABCDEF") == GIT_OID_HEXSZ;
}

/* The one object whose id begins so; its name says more than a prefix when it cannot be
 * read, and libgit2 reads by prefix past loose_guard(). */
static bool find_prefix(struct git_repository *r, const char *rev, git_oid *ret)
{
	size_t len = strlen(rev);
	git_odb *odb = NULL;
	git_oid start;
	bool found;

	if (len < GIT_OID_MINPREFIXLEN || len > GIT_OID_HEXSZ ||
		git_oid_fromstrn(&start, rev, len) || git_repository_odb(&odb, r))
		return false;
	found = !git_odb_exists_prefix(ret, odb, &start, len);
	git_odb_free(odb);
	return found;
}

/* As git: 40 digits are an id, which libgit2 takes for a branch's name where there is no
 * such object; fewer are a name first. *ret_named: a branch or tag is called so. */
static int find_object(
	git_object **ret, struct git_repository *r, const char *rev, bool *ret_named)
{
	git_reference *ref = NULL;
	git_oid id;
	int rc;

	*ret_named = false;
	if (is_id(rev)) {
		git_oid_fromstr(&id, rev);
		return git_object_lookup(ret, r, &id, GIT_OBJECT_ANY);
	}
	if (!git_reference_dwim(&ref, r, rev)) {
		*ret_named = true;
		rc = git_object_lookup(ret, r, git_reference_target(ref), GIT_OBJECT_ANY);
		git_reference_free(ref);
		return rc;
	}
	if (find_prefix(r, rev, &id))
		return git_object_lookup(ret, r, &id, GIT_OBJECT_ANY);
	return git_revparse_single(ret, r, rev);
}

int repo_resolve(
	struct git_repository *r, const char *rev, char ret_hex[REPO_HEX], struct err *e)
{
	git_object *any = NULL, *commit = NULL;
	bool named;
	int rc = find_object(&any, r, rev, &named);

	if (!rc)
		rc = git_object_peel(&commit, any, GIT_OBJECT_COMMIT);
	if (!rc)
		git_oid_tostr(ret_hex, REPO_HEX, git_object_id(commit));
	git_object_free(commit);
	git_object_free(any);
	if (!rc)
		return 0;
	if (!strcmp(rev, "HEAD") && git_repository_head_unborn(r) == 1)
		return err_set(e, ERR_NOT_FOUND, "HEAD has no commit yet");
	rc = repo_err(e, rc, "no commit %.60s", rev);
	if (rc == ERR_NOT_FOUND && named)
		rc = e->code = ERR_INTERNAL;
	return rc;
}

int repo_commit_get(struct git_repository *r, const char *commit_hex,
	struct git_commit **ret, struct err *e)
{
	git_oid id;
	int rc = git_oid_fromstr(&id, commit_hex);

	if (!rc)
		rc = git_commit_lookup(ret, r, &id);
	return rc ? repo_err(e, rc, "no commit %.40s", commit_hex) : 0;
}

int repo_commit_tree(struct git_repository *r, const char *commit_hex,
	char ret_hex[REPO_HEX], struct err *e)
{
	git_commit *c = NULL;
	int rc = repo_commit_get(r, commit_hex, &c, e);

	if (rc)
		return rc;
	git_oid_tostr(ret_hex, REPO_HEX, git_commit_tree_id(c));
	git_commit_free(c);
	return 0;
}

int repo_commit_title(struct git_repository *r, const char *commit_hex, struct arena *a,
	char **ret_title, int64_t *ret_time_s, struct err *e)
{
	git_commit *c = NULL;
	const char *title;
	int rc = repo_commit_get(r, commit_hex, &c, e);

	if (rc)
		return rc;
	title = git_commit_summary(c);
	if (ret_title)
		*ret_title = arena_strdup(a, title ? title : "");
	if (ret_time_s)
		*ret_time_s = git_commit_time(c);
	git_commit_free(c);
	return 0;
}

int repo_first_parents(struct git_repository *r, const char *rev, size_t max,
	struct arena *a, char ***ret_hexes, size_t *ret_n, struct err *e)
{
	char hex[REPO_HEX];
	char **out = ARENA_ARRAY(a, char *, max + 1);
	size_t n = 0;
	git_commit *c = NULL;
	int rc = repo_resolve(r, rev, hex, e);

	if (!rc)
		rc = repo_commit_get(r, hex, &c, e);
	if (rc)
		return rc;
	while (n < max) {
		git_commit *parent = NULL;

		git_oid_tostr(hex, sizeof(hex), git_commit_id(c));
		out[n++] = arena_strdup(a, hex);
		/* a missing parent is the edge of a shallow history */
		if (!git_commit_parentcount(c) || git_commit_parent(&parent, c, 0))
			break;
		git_commit_free(c);
		c = parent;
	}
	git_commit_free(c);
	*ret_hexes = out;
	*ret_n = n;
	return 0;
}

static int entry_read(struct git_repository *r, const git_tree_entry *te,
	const char *path, size_t cap_bytes, struct sbuf *ret, struct err *e)
{
	git_odb *odb = NULL;
	git_odb_object *obj = NULL;
	git_object_t type;
	size_t len = 0;
	int rc = git_repository_odb(&odb, r);

	if (!rc)
		rc = git_odb_read_header(&len, &type, odb, git_tree_entry_id(te));
	if (!rc && len > cap_bytes) {
		git_odb_free(odb);
		return err_set(e, ERR_TOO_BIG, "%.200s has %zu bytes; limit %zu", path,
			len, cap_bytes);
	}
	if (!rc)
		rc = git_odb_read(&obj, odb, git_tree_entry_id(te));
	git_odb_free(odb);
	if (rc)
		return repo_err(e, rc, "cannot read %.200s", path);
	sbuf_add(ret, git_odb_object_data(obj), git_odb_object_size(obj));
	git_odb_object_free(obj);
	return 0;
}

int repo_read_file(struct git_repository *r, const char *commit_hex, const char *path,
	size_t cap_bytes, struct sbuf *ret, unsigned *ret_mode, struct err *e)
{
	git_commit *c = NULL;
	git_tree *tree = NULL;
	git_tree_entry *te = NULL;
	int rc = repo_commit_get(r, commit_hex, &c, e);

	if (rc)
		return rc;
	rc = git_commit_tree(&tree, c);
	if (!rc)
		rc = git_tree_entry_bypath(&te, tree, path);
	git_tree_free(tree);
	git_commit_free(c);
	if (rc)
		return repo_err(e, rc, "cannot find %.200s", path);
	if (git_tree_entry_type(te) != GIT_OBJECT_BLOB)
		rc = err_set(e, ERR_INVALID, "%.200s is no file", path);
	else
		rc = entry_read(r, te, path, cap_bytes, ret, e);
	if (!rc && ret_mode)
		*ret_mode = git_tree_entry_filemode(te);
	git_tree_entry_free(te);
	return rc;
}

bool repo_is_branch_name(const char *name)
{
	int valid = 0;

	pthread_once(&once, library_start);
	return strlen(name) <= BRANCH_MAX && strncmp(name, "refs/", 5) != 0 &&
	       !is_id(name) && !git_branch_name_is_valid(&valid, name) && valid;
}

static int branch_ref(const char *name, char *buf, size_t size, struct err *e)
{
	int n = snprintf(buf, size, "refs/heads/%s", name);

	if (n < 0 || (size_t)n >= size || !repo_is_branch_name(name))
		return err_set(e, ERR_INVALID, "%.100s is no branch name", name);
	return 0;
}

int repo_set_branch(
	struct git_repository *r, const char *name, const char *commit_hex, struct err *e)
{
	char ref_name[512];
	git_reference *ref = NULL;
	git_commit *c = NULL;
	int rc = branch_ref(name, ref_name, sizeof(ref_name), e);

	if (!rc)
		rc = repo_commit_get(r, commit_hex, &c, e);
	if (rc)
		return rc;
	rc = git_reference_create(&ref, r, ref_name, git_commit_id(c), true, NULL);
	git_reference_free(ref);
	git_commit_free(c);
	return rc ? repo_err(e, rc, "cannot move branch %s", name) : 0;
}

int repo_branch(
	struct git_repository *r, const char *name, char ret_hex[REPO_HEX], struct err *e)
{
	char ref_name[512];
	int rc = branch_ref(name, ref_name, sizeof(ref_name), e);

	return rc ? rc : repo_resolve(r, ref_name, ret_hex, e);
}

bool repo_has(struct git_repository *r, const char *hex)
{
	git_odb *odb = NULL;
	git_oid id;
	bool has = false;

	if (strlen(hex) != 40 || git_oid_fromstr(&id, hex) || git_repository_odb(&odb, r))
		return false;
	has = git_odb_exists(odb, &id);
	git_odb_free(odb);
	return has;
}

const char *repo_folder(struct git_repository *r)
{
	return git_repository_commondir(r);
}
