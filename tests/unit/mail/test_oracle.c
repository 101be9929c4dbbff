/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installed git is the judge: git mailinfo and git patch-id on our own fixtures, and
 * on a sample of the real archives where ../shared is present. Mails that git refuses, or
 * where a note says that we go another way, are not compared there.
 */
#include "base/base.h"

#include "base/proc.h"
#include "mail/mail.h"
#include "tests/unit/unit.h"

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
	"encoded_word_bad", "header_8bit", "from_several", "from_confusing", "part_limit",
	"header_limit", NULL};
/* The same for the patch id alone, which is of the repaired text. */
static const char *const id_deviations[] = {"blank_context", "flowed_raw", NULL};

static bool has_any(const struct mail *m, const char *const *codes)
{
	for (; *codes; codes++) {
		if (mail_has_note(m, *codes))
			return true;
	}
	return false;
}

static void run(
	const char *const *argv, const void *in, size_t in_len, struct proc_result *r)
{
	static const char *const env[] = {
		"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent", NULL};
	struct proc_spec spec = {.argv = argv,
		.env = env,
		.in = in,
		.in_len = in_len,
		.deadline_ms = 60000,
		.out_cap_bytes = (size_t)256 << 20};
	struct err e;
	proc_result_init(r);
	assert_ok(proc_run(&spec, r, &e), &e);
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
	struct judged *ret)
{
	const char *msg = arena_printf(a, "%s/msg", folder);
	const char *patch = arena_printf(a, "%s/patch", folder);
	const char *mailinfo[] = {"git", "mailinfo", msg, patch, NULL};
	const char *patch_id[] = {"git", "patch-id", "--stable", NULL};
	CLEANUP(proc_result_release) struct proc_result r, id;
	struct err e;
	run(mailinfo, p, len, &r);
	ret->refused = r.exit_status != 0;
	assert_ok(sha256_file_hex(msg, ret->message_sha256, NULL, &e), &e);
	assert_ok(sha256_file_hex(patch, ret->patch_sha256, NULL, &e), &e);
	ret->author = info(a, r.out.buf, "Author");
	ret->email = info(a, r.out.buf, "Email");
	ret->title = info(a, r.out.buf, "Subject");
	ret->date = info(a, r.out.buf, "Date");
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	assert_ok(file_read(patch, MAIL_MAX_TEXT, &text, &e), &e);
	run(patch_id, text.buf, text.len, &id);
	ret->patch_id = id.out.len > 40 ? arena_strndup(a, id.out.buf, 40) : NULL;
}

/* git mailinfo does not split, so it keeps CR; neither do we then. */
static void compare(const char *folder, const char *name, const char *p, size_t len)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail_opts opts = {.keep_cr = true};
	struct mail *m;
	struct judged want;
	struct err e;
	assert_ok(mail_parse(a, p, len, &opts, &m, &e), &e);
	judge(a, folder, p, len, &want);
	if (want.refused && !has_any(m, deviations))
		fail_msg("%s: git refuses it, we say nothing", name);
	if (want.refused || has_any(m, deviations))
		return;
	const char *date = want.date ? want.date : "";
	size_t n = strlen(date);
	while (n && date[n - 1] == ' ')
		n--;
	const char *pairs[][3] = {{"msg", want.message_sha256, m->message_sha256},
		{"patch", want.patch_sha256, m->patch_sha256},
		{"author", want.author ? want.author : "", m->author.name},
		{"email", want.email ? want.email : "", m->author.email},
		{"title", want.title ? want.title : "", m->title},
		{"date", arena_strndup(a, date, n), m->date}};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		if (strcmp(pairs[i][1], pairs[i][2]))
			fail_msg("%s: %s: git \"%s\", we \"%s\"", name, pairs[i][0],
				pairs[i][1], pairs[i][2]);
	}
	if (!m->n_hunks || has_any(m, id_deviations))
		return;
	const char *git = want.patch_id ? want.patch_id : "none";
	const char *ours = m->patch_id ? m->patch_id : "none";
	if (strcmp(git, ours))
		fail_msg("%s: patch id: git %s, we %s", name, git, ours);
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
		compare(*state, de->d_name, text.buf, text.len);
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
	const char *dir = arena_printf(a, "--git-dir=%s", git);
	const char *clone[] = {"git", "clone", "-q", "--mirror", bundle, git, NULL};
	const char *list[] = {"git", dir, "rev-list", "--reverse", "--all", NULL};
	const char *batch[] = {"git", dir, "cat-file", "--batch", NULL};
	CLEANUP(proc_result_release) struct proc_result cloned, commits, blobs;
	CLEANUP(sbuf_release) struct sbuf ask = SBUF_INIT;
	run(clone, NULL, 0, &cloned);
	assert_int_equal(cloned.exit_status, 0);
	run(list, NULL, 0, &commits);
	size_t n = 0, tried = 0, kept = 0;
	for (const char *p = commits.out.buf; *p; p += strcspn(p, "\n") + 1) {
		sbuf_addf(&ask, "%.*s:m\n", (int)strcspn(p, "\n"), p);
		n++;
	}
	assert_true(n > 1000);
	run(batch, ask.buf, ask.len, &blobs);
	const char *p = blobs.out.buf, *end = p + blobs.out.len;
	for (size_t i = 0; p < end; i++) {
		size_t len;
		char oid[64];
		int used;
		assert_int_equal(sscanf(p, "%63s blob %zu%n", oid, &len, &used), 2);
		p += used + 1;
		if (i % STEP) {
			p += len + 1;
			continue;
		}
		tried++;
		CLEANUP(arena_freep) struct arena *one = arena_new();
		struct mail *m;
		struct err e;
		assert_ok(mail_parse(one, p, len, NULL, &m, &e), &e);
		kept += m->rejected == NULL;
		if (i / STEP % (n / STEP / SAMPLE) == 0)
			compare(folder, oid, p, len);
		p += len + 1;
	}
	assert_true(kept * 100 > tried * 99);
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
	return cmocka_run_group_tests(tests, NULL, NULL);
}
