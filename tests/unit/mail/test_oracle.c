/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installed git is the judge: git mailinfo and git patch-id on our own fixtures, and
 * on a sample of the real archives where ../shared is present. Mails that git refuses, or
 * where a note says that we go another way, are not compared there. WL_ORACLE_EPOCHS
 * names epochs, separated by colons: every mail of them is compared and each difference
 * printed (tests/slow/mailinfo).
 */
#include "base/base.h"

#include "tests/unit/mail/epochs.h"

#include <dirent.h>
#include <unistd.h>

#define STEP   8  /* of an archive's mails, one in so many is parsed */
#define SAMPLE 16 /* of them go through git */

struct judged {
	bool refused; /* by git */
	char message_sha256[SHA256_HEX], patch_sha256[SHA256_HEX];
	const char *author, *email, *title, *date; /* NULL: git printed none */
	const char *patch_id;                      /* NULL: none */
};

/* Notes that say: here we differ from git, on purpose. */
static const char *const deviations[] = {"charset_repaired", "nested_multipart",
	"encoded_word_bad", "header_8bit", "part_limit", "header_limit", NULL};
/* The same for the author alone. */
static const char *const author_deviations[] = {
	"from_several", "from_confusing", "from_unmangled", NULL};
/* The same for the patch id alone, which is of the repaired text. */
static const char *const id_deviations[] = {"blank_context", "flowed_raw", NULL};

static const char *first_of(const struct mail *m, const char *const *codes)
{
	while (*codes && !mail_has_note(m, *codes))
		codes++;
	return *codes;
}

static const char *info(struct arena *a, const char *out, const char *key)
{
	const char *at = strstr(out, arena_printf(a, "%s: ", key));
	if (!at || (at != out && at[-1] != '\n'))
		return NULL;
	at += strlen(key) + 2;
	return arena_strndup(a, at, strcspn(at, "\n"));
}

static void judge(struct arena *a, const char *folder, const char *p, size_t len,
	bool want_id, struct judged *ret)
{
	const char *msg = arena_printf(a, "%s/msg", folder);
	const char *patch = arena_printf(a, "%s/patch", folder);
	const char *mailinfo[] = {"git", "mailinfo", msg, patch, NULL};
	const char *patch_id[] = {"git", "patch-id", "--stable", NULL};
	CLEANUP(proc_result_release) struct proc_result r, id;
	struct err e;
	proc_result_init(&id);
	ret->patch_id = NULL;
	epochs_git(mailinfo, p, len, &r);
	ret->refused = r.exit_status != 0;
	assert_ok(sha256_file_hex(msg, ret->message_sha256, NULL, &e), &e);
	assert_ok(sha256_file_hex(patch, ret->patch_sha256, NULL, &e), &e);
	ret->author = info(a, r.out.buf, "Author");
	ret->email = info(a, r.out.buf, "Email");
	ret->title = info(a, r.out.buf, "Subject");
	ret->date = info(a, r.out.buf, "Date");
	if (!want_id)
		return;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	assert_ok(file_read(patch, MAIL_MAX_TEXT, &text, &e), &e);
	epochs_git(patch_id, text.buf, text.len, &id);
	ret->patch_id = id.out.len > 40 ? arena_strndup(a, id.out.buf, 40) : NULL;
}

enum verdict { EQUAL, EXCUSED, DIFFERENT };

/* Compares with git; EXCUSED: a note says that we go another way. *ret_why (arena) is the
 * first difference, or the note. git mailinfo does not split, so it keeps CR; neither do
 * we then. */
static enum verdict compare(struct arena *a, const char *folder, const char *p,
	size_t len, const char **ret_why)
{
	struct mail_opts opts = {.keep_cr = true};
	struct mail *m;
	struct judged want;
	struct err e;
	*ret_why = "";
	if (mail_parse(a, p, len, &opts, &m, &e)) {
		*ret_why = arena_strdup(a, e.msg);
		return DIFFERENT;
	}
	const char *note = first_of(m, deviations);
	if (note) {
		*ret_why = note;
		return EXCUSED;
	}
	judge(a, folder, p, len, m->n_hunks > 0, &want);
	if (want.refused) {
		*ret_why = "git refuses it, we say nothing";
		return DIFFERENT;
	}
	const char *date = want.date ? want.date : "";
	size_t n = strlen(date);
	while (n && date[n - 1] == ' ')
		n--;
	const char *git_id = want.patch_id ? want.patch_id : "none";
	const char *our_id = m->patch_id ? m->patch_id : "none";
	if (!m->n_hunks || first_of(m, id_deviations))
		our_id = git_id;
	bool other = first_of(m, author_deviations) != NULL;
	const char *rows[][3] = {{"msg", want.message_sha256, m->message_sha256},
		{"patch", want.patch_sha256, m->patch_sha256},
		{"author",
			other         ? m->author.name
			: want.author ? want.author
				      : "",
			m->author.name},
		{"email",
			other        ? m->author.email
			: want.email ? want.email
				     : "",
			m->author.email},
		{"title", want.title ? want.title : "", m->title},
		{"date", arena_strndup(a, date, n), m->date},
		{"patch id", git_id, our_id}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i][1], rows[i][2])) {
			*ret_why = arena_printf(a, "%s: git \"%s\", we \"%s\"",
				rows[i][0], rows[i][1], rows[i][2]);
			return DIFFERENT;
		}
	}
	return EQUAL;
}

static void demand(const char *folder, const char *name, const char *p, size_t len)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *why;
	if (compare(a, folder, p, len, &why) == DIFFERENT)
		fail_msg("%s: %s", name, why);
}

static void test_fixtures(void **state)
{
	const char *folder = WL_SOURCE_DIR "/tests/fixtures/mail";
	DIR *d = opendir(folder);
	size_t n = 0;
	assert_non_null(d);
	for (const struct dirent *de; (de = readdir(d));) {
		CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
		char path[512];
		struct err e;
		if (!strstr(de->d_name, ".eml"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, de->d_name);
		assert_ok(file_read(path, MAIL_MAX_BYTES, &text, &e), &e);
		demand(*state, de->d_name, text.buf, text.len);
		n++;
	}
	closedir(d);
	assert_true(n >= 30);
}

/* Every STEP-th mail of the archive parses; a sample equals git's. */
static void archive(const char *folder, const char *name)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *bundle =
		arena_printf(a, WL_SOURCE_DIR "/../shared/archives/%s.bundle", name);
	if (access(bundle, R_OK)) {
		print_message("skipped: ../shared is absent\n");
		arena_free(a);
		skip();
	}
	const char *git = arena_printf(a, "%s/%s.git", folder, name);
	const char *clone[] = {"git", "clone", "-q", "--mirror", bundle, git, NULL};
	CLEANUP(proc_result_release) struct proc_result cloned, blobs;
	epochs_git(clone, NULL, 0, &cloned);
	assert_int_equal(cloned.exit_status, 0);
	size_t n = epochs_read(git, &blobs), tried = 0, kept = 0;
	assert_true(n > 1000);
	const char *p = blobs.out.buf, *end = p + blobs.out.len;
	struct mail_bytes text;
	char oid[64];
	for (size_t i = 0; epochs_next(&p, end, oid, &text); i++) {
		if (i % STEP)
			continue;
		tried++;
		CLEANUP(arena_freep) struct arena *one = arena_new();
		struct mail *m;
		struct err e;
		assert_ok(mail_parse(one, text.p, text.len, NULL, &m, &e), &e);
		kept += m->rejected == NULL;
		if (i / STEP % (n / STEP / SAMPLE) == 0)
			demand(folder, oid, text.p, text.len);
	}
	assert_true(kept * 100 > tried * 99);
}

/* Every mail of an epoch; returns how many differ. */
static size_t epoch(const char *folder, const char *git)
{
	CLEANUP(proc_result_release) struct proc_result blobs;
	size_t n[DIFFERENT + 1] = {0};
	epochs_read(git, &blobs);
	const char *p = blobs.out.buf, *end = p + blobs.out.len;
	struct mail_bytes text;
	char oid[64];
	while (epochs_next(&p, end, oid, &text)) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const char *why;
		enum verdict v = compare(a, folder, text.p, text.len, &why);
		n[v]++;
		if (v != EQUAL)
			print_message("%s %s: %s\n", v == EXCUSED ? "excused" : "DIFFERS",
				oid, why);
	}
	print_message("%s: %zu mails equal git's, %zu excused by a note, %zu differ\n",
		git, n[EQUAL], n[EXCUSED], n[DIFFERENT]);
	assert_true(n[EQUAL] > 0);
	return n[DIFFERENT];
}

static void test_epochs(void **state)
{
	const char *names = getenv("WL_ORACLE_EPOCHS");
	size_t n_bad = 0;
	while (*names) {
		size_t len = strcspn(names, ":");
		CLEANUP(arena_freep) struct arena *a = arena_new();
		n_bad += epoch(*state, arena_strndup(a, names, len));
		names += len + (names[len] == ':');
	}
	assert_int_equal(n_bad, 0);
}

static void test_archive_pm(void **state)
{
	archive(*state, "linux-pm-sched");
}

static void test_archive_tip(void **state)
{
	archive(*state, "linux-tip-commits-sched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(test_fixtures),
		unit_folder_test(test_archive_pm),
		unit_folder_test(test_archive_tip),
	};
	const struct CMUnitTest named[] = {unit_folder_test(test_epochs)};
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (getenv("WL_ORACLE_EPOCHS"))
		n_failed += cmocka_run_group_tests(named, NULL, NULL);
	return n_failed;
}
