/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/file.h"
#include "base/proc.h"
#include "base/spool.h"
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

#define PIECE        ((size_t)256 << 10)
#define MAX_HELD     ((size_t)MAIL_MAX_BYTES + 2 * PIECE) /* of an mbox */
#define COMMIT_BYTES 80
#define GIT_LIMIT_MS 600000

typedef int each_fn(void *arg, const struct mail_source_item *item, struct err *e);

/* A file that is read piece by piece; the mail at hand is at the start of text. */
struct reader {
	int fd;
	const char *name; /* for messages */
	struct sbuf text;
	bool ended;
};

static int read_more(struct reader *r, struct err *e)
{
	for (;;) {
		ssize_t n;

		sbuf_grow(&r->text, PIECE);
		n = read(r->fd, r->text.buf + r->text.len, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "reading %s", r->name);
		r->ended = n == 0;
		r->text.len += (size_t)n;
		r->text.buf[r->text.len] = '\0';
		return 0;
	}
}

static void take(struct sbuf *text, size_t len)
{
	memmove(text->buf, text->buf + len, text->len - len);
	sbuf_setlen(text, text->len - len);
}

/* All of a file that is no mbox: one mail. */
static int read_single(struct reader *r, each_fn *each, void *arg, struct err *e)
{
	int rc = 0;

	while (rc == 0 && !r->ended && r->text.len <= MAIL_MAX_BYTES)
		rc = read_more(r, e);
	struct mail_source_item item = {.p = r->text.buf, .len = r->text.len};
	return rc ? rc : each(arg, &item, e);
}

/* The mails of an mbox that lie whole in text, so that another follows or the file has
 * ended; what is left stays. A line that is not whole may look like a separator. */
static int read_whole(struct reader *r, each_fn *each, void *arg, struct err *e)
{
	const char *nl = memrchr(r->text.buf, '\n', r->text.len);
	size_t len = r->ended ? r->text.len : nl ? (size_t)(nl + 1 - r->text.buf) : 0;
	struct mbox_iter it;
	struct mbox_mail m;
	size_t done = 0;
	int rc = 0;

	for (mbox_iter_init(&it, r->text.buf, len); rc == 0 && mbox_next(&it, &m);) {
		struct mail_source_item item = {
			.p = m.p, .len = m.len, .mboxrd = m.mboxrd};

		if (it.p >= it.end && !r->ended)
			break;
		done = (size_t)(it.p - r->text.buf);
		rc = each(arg, &item, e);
	}
	take(&r->text, done);
	return rc;
}

/* Of a mail over the limit the middle goes; enough stays to tell mail_parse() so, and the
 * line at the end, which may become a separator. */
static void cut_giant(struct reader *r)
{
	char *kept = r->text.buf + MAX_HELD - PIECE, *end = r->text.buf + r->text.len;
	const char *nl = memrchr(r->text.buf, '\n', r->text.len);
	size_t tail = nl ? (size_t)(end - nl - 1) : r->text.len;

	if (r->text.len <= MAX_HELD)
		return;
	if (tail > PIECE) {
		kept[-1] = 'x'; /* this line goes on */
		tail = 0;
	} else {
		kept[-1] = '\n';
	}
	memmove(kept, end - tail, tail);
	sbuf_setlen(&r->text, MAX_HELD - PIECE + tail);
}

static int read_fd(struct reader *r, each_fn *each, void *arg, struct err *e)
{
	int rc = 0;

	/* Enough for the line that tells an mbox. */
	while (rc == 0 && !r->ended && r->text.len < PIECE)
		rc = read_more(r, e);
	if (rc || !mbox_is(r->text.buf, r->text.len))
		return rc ? rc : read_single(r, each, arg, e);
	for (size_t seen = 0; rc == 0;) {
		/* Half as much again before all of it is looked through again. */
		while (rc == 0 && !r->ended && r->text.len < seen + seen / 2 + PIECE)
			rc = read_more(r, e);
		if (rc == 0)
			rc = read_whole(r, each, arg, e);
		if (r->ended)
			break;
		cut_giant(r);
		seen = r->text.len;
	}
	return rc;
}

static int read_file(const char *path, each_fn *each, void *arg, struct err *e)
{
	bool is_stdin = !strcmp(path, "-");
	struct reader r = {.fd = STDIN_FILENO,
		.name = is_stdin ? "standard input" : path,
		.text = SBUF_INIT};

	if (!is_stdin)
		r.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r.fd < 0)
		return err_set_errno(e, errno, "%s", path);
	int rc = read_fd(&r, each, arg, e);
	if (!is_stdin)
		close(r.fd);
	sbuf_release(&r.text);
	return rc;
}

static int read_folder(
	const char *path, const char *sub, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf name = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	sbuf_addf(&name, "%s/%s", path, sub);
	DIR *d = opendir(name.buf);
	if (!d)
		return err_set(e, ERR_NOT_FOUND, "%s: %s", name.buf, strerror(errno));
	int rc = 0;
	for (const struct dirent *de; rc == 0 && (de = readdir(d));) {
		if (de->d_name[0] == '.')
			continue;
		sbuf_reset(&name);
		sbuf_addf(&name, "%s/%s/%s", path, sub, de->d_name);
		sbuf_reset(&text);
		rc = file_read(name.buf, MAIL_MAX_BYTES + 1, &text, e);
		struct mail_source_item item = {.p = text.buf, .len = text.len};
		if (rc == 0)
			rc = each(arg, &item, e);
	}
	closedir(d);
	return rc;
}

/* "TIMESTAMP COMMIT" lines, oldest first, in a file without a name; read from its start.
 */
static int list_commits(const char *git_dir, FILE **ret, struct err *e)
{
	const char *argv[] = {
		"git", git_dir, "rev-list", "--reverse", "--timestamp", "--all", NULL};
	CLEANUP(proc_result_release) struct proc_result r;
	int fd;
	int rc = spool_open(&fd, e);
	if (rc)
		return rc;
	CLEANUP(base_fclosep) FILE *f = fdopen(fd, "r+");
	struct proc_fd fds[] = {{fd, 1}};
	struct proc_spec spec = {.argv = argv,
		.fds = fds,
		.n_fds = ARRAY_LEN(fds),
		.deadline_ms = GIT_LIMIT_MS};
	proc_result_init(&r);
	rc = proc_run(&spec, &r, e);
	if (rc)
		return rc;
	char buf[80];
	if (r.exit_status != 0)
		return err_set(e, ERR_UNAVAILABLE, "git rev-list: %s: %.200s",
			proc_result_text(&r, buf, sizeof(buf)), r.err.buf);
	rewind(f);
	*ret = f;
	f = NULL;
	return 0;
}

/* The next line; false at the end. */
static bool read_commit(FILE *list, int64_t *ret_when, char ret_id[COMMIT_BYTES])
{
	return fscanf(list, "%" SCNd64 " %79s", ret_when, ret_id) == 2;
}

/* A file with one "COMMIT:m" line for each commit. */
static int write_requests(FILE *list, int *ret_fd, struct err *e)
{
	char id[COMMIT_BYTES];
	int64_t when;
	int fd;
	int rc = spool_open(&fd, e);
	if (rc)
		return rc;
	CLEANUP(base_fclosep) FILE *f = fdopen(fd, "r+");
	while (read_commit(list, &when, id))
		fprintf(f, "%s:m\n", id);
	rewind(list);
	bool ok = fflush(f) == 0 && !ferror(f) && fseek(f, 0, SEEK_SET) == 0;
	*ret_fd = ok ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 3) : -1;
	if (*ret_fd < 0)
		return err_set_errno(e, errno, "writing a temporary file (TMPDIR)");
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

static int read_answers(FILE *in, FILE *list, each_fn *each, void *arg, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	char id[COMMIT_BYTES];
	int64_t when;
	int rc = 0;
	while (rc == 0 && read_commit(list, &when, id)) {
		bool found;
		rc = read_answer(in, &text, &found, e);
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
	CLEANUP(base_fclosep) FILE *list = NULL;
	int rc = list_commits(git_dir, &list, e);
	if (rc)
		return rc;
	CLEANUP(base_closep) int requests = -1;
	rc = write_requests(list, &requests, e);
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
	rc = read_answers(in, list, each, arg, e);
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
	if (has(path, ".git/objects")) {
		CLEANUP(arena_freep) struct arena *a = arena_new();

		return read_epoch(arena_printf(a, "%s/.git", path), each, arg, e);
	}
	return err_set(
		e, ERR_NOT_FOUND, "%s is neither a maildir nor a git repository", path);
}
