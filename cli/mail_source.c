/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/file.h"
#include "base/proc.h"
#include "cli/mail_source.h"
#include "mail/mail.h"
#include "mail/mbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FILE     ((size_t)1 << 30)
#define MAX_LISTING  ((size_t)256 << 20)
#define GIT_LIMIT_MS 600000

typedef int each_fn(void *arg, const struct mail_source_item *item, struct err *e);

static int read_text(const char *p, size_t len, each_fn *each, void *arg, struct err *e)
{
	struct mail_source_item item = {.p = p, .len = len};
	if (!mbox_is(p, len))
		return each(arg, &item, e);
	struct mbox_iter it;
	struct mbox_mail m;
	int rc = 0;
	for (mbox_iter_init(&it, p, len); rc == 0 && mbox_next(&it, &m);) {
		item.p = m.p;
		item.len = m.len;
		item.mboxrd = m.mboxrd;
		rc = each(arg, &item, e);
	}
	return rc;
}

static int read_file(const char *path, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	int rc = file_read(path, MAX_FILE, &text, e);
	return rc ? rc : read_text(text.buf, text.len, each, arg, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_folder(
	const char *path, const char *sub, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *folder = arena_printf(a, "%s/%s", path, sub);
	DIR *d = opendir(folder);
	if (!d)
		return err_set(e, ERR_NOT_FOUND, "%s: %s", folder, strerror(errno));
	char **names = NULL;
	size_t n = 0, cap = 0;
	for (const struct dirent *de; (de = readdir(d));) {
		if (de->d_name[0] != '.')
			*(char **)ARENA_PUSH(a, names, n, cap) =
				arena_printf(a, "%s/%s", folder, de->d_name);
	}
	closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
		rc = file_read(names[i], MAIL_MAX_BYTES + 1, &text, e);
		struct mail_source_item item = {.p = text.buf, .len = text.len};
		if (rc == 0)
			rc = each(arg, &item, e);
	}
	return rc;
}

/* "TIMESTAMP COMMIT" lines, oldest first. */
static int list_commits(const char *git_dir, struct proc_result *r, struct err *e)
{
	const char *argv[] = {
		"git", git_dir, "rev-list", "--reverse", "--timestamp", "--all", NULL};
	struct proc_spec spec = {
		.argv = argv, .deadline_ms = GIT_LIMIT_MS, .out_cap_bytes = MAX_LISTING};
	int rc = proc_run(&spec, r, e);
	if (rc)
		return rc;
	if (r->out_cut)
		return err_set(e, ERR_TOO_BIG, "the epoch holds too many commits");
	char buf[80];
	if (r->exit_status != 0)
		return err_set(e, ERR_UNAVAILABLE, "git rev-list: %s: %.200s",
			proc_result_text(r, buf, sizeof(buf)), r->err.buf);
	return 0;
}

/* An unlinked file with one "COMMIT:m" line for each commit. */
static int write_requests(const struct sbuf *commits, int *ret_fd, struct err *e)
{
	FILE *f = tmpfile();
	if (!f)
		return err_set(
			e, ERR_UNAVAILABLE, "no temporary file: %s", strerror(errno));
	for (const char *p = commits->buf; *p;) {
		size_t len = strcspn(p, "\n");
		const char *id = memchr(p, ' ', len);
		if (id)
			fprintf(f, "%.*s:m\n", (int)(p + len - id - 1), id + 1);
		p += len + (p[len] ? 1 : 0);
	}
	bool ok = fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0;
	*ret_fd = ok ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;
	fclose(f);
	if (*ret_fd < 0)
		return err_set(e, ERR_UNAVAILABLE, "cannot write a temporary file");
	return 0;
}

/* One answer of cat-file --batch into text; *ret_found false when the commit has no mail.
 */
static int read_answer(FILE *in, struct sbuf *text, bool *ret_found, struct err *e)
{
	char head[256], type[16];
	size_t len;
	if (!fgets(head, sizeof(head), in))
		return err_set(e, ERR_UNAVAILABLE, "git cat-file ended early");
	*ret_found =
		sscanf(head, "%*s %15s %zu", type, &len) == 2 && !strcmp(type, "blob");
	if (!*ret_found)
		return 0;
	sbuf_reset(text);
	char chunk[65536];
	for (size_t left = len; left;) {
		size_t want = left < sizeof(chunk) ? left : sizeof(chunk);
		if (fread(chunk, 1, want, in) != want)
			return err_set(e, ERR_UNAVAILABLE, "git cat-file ended early");
		left -= want;
		/* A byte over the limit tells mail_parse that there was more. */
		if (text->len + want <= MAIL_MAX_BYTES + sizeof(chunk))
			sbuf_add(text, chunk, want);
	}
	return fgetc(in) == '\n'
		       ? 0
		       : err_set(e, ERR_UNAVAILABLE, "git cat-file ended early");
}

static int read_answers(
	FILE *in, const char *commits, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	int rc = 0;
	for (const char *p = commits; rc == 0 && *p;) {
		int64_t when = strtoll(p, NULL, 10);
		bool found;
		rc = read_answer(in, &text, &found, e);
		p += strcspn(p, "\n");
		p += *p ? 1 : 0;
		struct mail_source_item item = {text.buf, text.len, false, when};
		if (rc == 0 && found)
			rc = each(arg, &item, e);
	}
	return rc;
}

static int read_epoch(const char *path, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* Named outright, so that git neither searches nor minds who owns it. */
	const char *git_dir = arena_printf(a, "--git-dir=%s", path);
	CLEANUP(proc_result_release) struct proc_result listing;
	proc_result_init(&listing);
	int rc = list_commits(git_dir, &listing, e);
	if (rc)
		return rc;
	CLEANUP(base_closep) int requests = -1;
	rc = write_requests(&listing.out, &requests, e);
	if (rc)
		return rc;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return err_set(e, ERR_UNAVAILABLE, "no pipe: %s", strerror(errno));
	CLEANUP(base_fclosep) FILE *in = fdopen(ends[0], "r");
	const char *argv[] = {"git", git_dir, "cat-file", "--batch", NULL};
	struct proc_fd fds[] = {{requests, 0}, {ends[1], 1}};
	struct proc_spec spec = {.argv = argv,
		.fds = fds,
		.n_fds = ARRAY_LEN(fds),
		.die_with_parent = true};
	pid_t pid;
	rc = proc_spawn(&spec, &pid, e);
	close(ends[1]);
	if (rc)
		return rc;
	rc = read_answers(in, listing.out.buf, each, arg, e);
	/* Closing our end first ends a git that still writes. */
	base_fclosep(&in);
	in = NULL;
	int status;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc;
}

static bool has(const char *path, const char *sub)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct stat st;
	return stat(arena_printf(a, "%s/%s", path, sub), &st) == 0 && S_ISDIR(st.st_mode);
}

int mail_source_read(const char *path, each_fn *each, void *arg, struct err *e)
{
	struct stat st;
	if (!strcmp(path, "-"))
		return read_file(path, each, arg, e);
	if (stat(path, &st))
		return err_set(e, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return read_file(path, each, arg, e);
	if (has(path, "cur") && has(path, "new")) {
		int rc = read_folder(path, "cur", each, arg, e);
		return rc ? rc : read_folder(path, "new", each, arg, e);
	}
	if (has(path, "objects") && has(path, "refs"))
		return read_epoch(path, each, arg, e);
	return err_set(
		e, ERR_NOT_FOUND, "%s is neither a maildir nor a git repository", path);
}
