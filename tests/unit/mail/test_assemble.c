/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mails -> series: one table of letters and the series expected for each situation. */
#include "base/base.h"

#include "mail/mail_json.h"
#include "tests/unit/mail/threads.h"

static void expect_at(
	const struct letter *letters, size_t n, int64_t now, const char *want)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct series_clock clock = {.now = now, .list = "demo"};
	struct series_set set;
	struct err e;
	assert_ok(series_assemble(a, threads_mails(a, letters, n), n, &set, &e), &e);
	const char *got = threads_text(a, &set, &clock);
	if (strcmp(got, want))
		fail_msg("\n got:\n%swant:\n%s", got, want);
}

#define EXPECT(letters, want)         expect_at(letters, ARRAY_LEN(letters), 0, want)
#define EXPECT_AT(letters, now, want) expect_at(letters, ARRAY_LEN(letters), now, want)

static void test_cover(void **state)
{
	static const struct letter shallow[] = {{"c", "[PATCH 0/2] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 1, "y"}};
	static const struct letter chain[] = {{"c", "[PATCH 0/2] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "1", 1, "y"}};
	static const struct letter of_one[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"}};
	static const struct letter plain[] = {{"1", "[PATCH] a", NULL, 0, "x"}};
	static const struct letter reply[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"},
		{"r", "Re: [PATCH 0/1] t", "c", 5, NULL}};
	(void)state;
	EXPECT(shallow, "v1 0:c 1:1 2:2; complete, 2 patches\n");
	EXPECT(chain, "v1 0:c 1:1 2:2; complete, 2 patches\n");
	EXPECT(of_one, "v1 0:c 1:1; complete, 1 patch\n");
	EXPECT(plain, "v1 1:1; complete, 1 patch\n");
	EXPECT(reply, "v1 0:c 1:1; complete, 1 patch\n");
}

static void test_no_cover(void **state)
{
	static const struct letter threaded[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", "1", 1, "y"}};
	static const struct letter loose[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", NULL, 19, "y"}};
	static const struct letter far[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", NULL, 21, "y"}};
	static const struct letter lost[] = {{"1", "[PATCH 1/2] a", "c", 0, "x"},
		{"2", "[PATCH 2/2] b", "c", 60, "y"}};
	static const struct letter stranger[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", NULL, 1, "y", "Ada <ada@x>"}};
	(void)state;
	EXPECT(threaded, "v1 1:1 2:2; complete, 2 patches\n");
	EXPECT(loose, "v1 1:1 2:2; complete, 2 patches\n");
	EXPECT(far, "v1 1:1; waiting for part 2 of 2\nv1 2:2; waiting for part 1 of 2\n");
	EXPECT(lost, "v1 1:1 2:2; complete, 2 patches\n");
	EXPECT(stranger,
		"v1 1:1; waiting for part 2 of 2\nv1 2:2; waiting for part 1 of 2\n");
}

static void test_stamps(void **state)
{
	/* One quilt run, two series: the class keeps them apart. */
	static const struct letter quilt[] = {
		{"20240305101112.000000001@q", "[patch 1/2] a", NULL, 0, "x"},
		{"20240305101112.000000002@q", "[patch 2/2] b", NULL, 50, "y"},
		{"20240305101112.000000003@q", "[patch V2 1/3] c", NULL, 50, "z"}};
	static const struct letter stem[] = {
		{"20240305101112.123-1-w@x", "[PATCH 1/2] a", NULL, 0, "x"},
		{"20240305101112.123-2-w@x", "[PATCH 2/2] b", NULL, 40, "y"},
		{"20240305101112.124-2-w@x", "[PATCH 2/2] b2", NULL, 90, "z"}};
	(void)state;
	EXPECT(quilt, "v1 1:20240305101112.000000001@q 2:20240305101112.000000002@q; "
		      "complete, 2 "
		      "patches\nv2 1:20240305101112.000000003@q; waiting for parts 2, 3 "
		      "of 3\n");
	EXPECT(stem, "v1 1:20240305101112.123-1-w 2:20240305101112.123-2-w; complete, 2 "
		     "patches\n"
		     "v1 2:20240305101112.124-2-w; waiting for part 1 of 2\n");
}

static void test_late(void **state)
{
	static const struct letter part[] = {{"c", "[PATCH 0/7] t", NULL, 0, NULL},
		{"1", "[PATCH 1/7] a", "c", 0, "x"}, {"3", "[PATCH 3/7] a", "c", 0, "x3"},
		{"4", "[PATCH 4/7] a", "c", 0, "x4"},
		{"6", "[PATCH 6/7] a", "c", 0, "x6"},
		{"7", "[PATCH 7/7] a", "c", 10, "x7"}};
	static const struct letter whole[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 100, "x"}};
	static const struct letter early[] = {
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"}};
	(void)state;
	int64_t t = THREADS_START;
	EXPECT_AT(part, t + 39 * 60,
		"v1 0:c 1:1 3:3 4:4 6:6 7:7; waiting for parts 2, 5 of 7\n");
	EXPECT_AT(part, t + 40 * 60,
		"v1 0:c 1:1 3:3 4:4 6:6 7:7; incomplete: parts 2, 5 of 7 did not arrive "
		"on demo by "
		"10:40 UTC\n");
	EXPECT_AT(whole, t + 100 * 86400, "v1 0:c 1:1; complete, 1 patch\n");
	EXPECT_AT(early, t + 60, "v1 1:1 2:2; waiting for the cover\n");
	EXPECT_AT(early, t + 30 * 60, "v1 1:1 2:2; complete, 2 patches\n");
}

static void test_versions(void **state)
{
	static const struct letter apart[] = {
		{"c", "[PATCH 0/1] sched: t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"},
		{"d", "[PATCH v2 0/1] sched: t", NULL, 120, NULL},
		{"2", "[PATCH v2 1/1] a", "d", 120, "y"}};
	static const struct letter inside[] = {
		{"c", "[PATCH 0/2] sched: t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"},
		{"d", "[PATCH v2 0/2] sched: u", "c", 120, NULL},
		{"3", "[PATCH v2 1/2] a", "d", 120, "x2"},
		{"4", "[PATCH v2 2/2] b", "d", 120, "y2"}};
	static const struct letter rfc[] = {{"1", "[RFC PATCH] sched: t", NULL, 0, "x"},
		{"2", "[PATCH v2] sched: t", NULL, 120, "y"}};
	static const struct letter link[] = {{"1", "[PATCH] one name", NULL, 0, "x"},
		{"2", "[PATCH v2] another name", NULL, 120, "y", NULL,
			"word\n---\nChanges since v1:\n- "
			"https://lore.kernel.org/r/1@x/"}};
	static const struct letter like[] = {
		{"1", "[PATCH] sched/fair: scan the cluster before the whole LLC", NULL,
			0, "x"},
		{"2", "[PATCH v2] sched/fair: Scan the cluster before the LLC", NULL, 120,
			"y"}};
	static const struct letter chain[] = {{"1", "[PATCH] t", NULL, 0, "x"},
		{"3", "[PATCH v3] t", NULL, 240, "z"},
		{"2", "[PATCH v2] t", NULL, 120, "y"}};
	static const struct letter branch[] = {{"1", "[PATCH] t", NULL, 0, "x"},
		{"2", "[PATCH v2] t", NULL, 120, "y"},
		{"3", "[PATCH v2] u", "1", 240, "z"}};
	static const struct letter again[] = {
		{"1", "[PATCH] t", NULL, 0, "x"}, {"2", "[PATCH] t", NULL, 120, "y"}};
	static const struct letter change[] = {{"1", "[PATCH] one", NULL, 0, "x", NULL,
						       NULL, "X-Change-ID: 2024-demo\n"},
		{"2", "[PATCH] two", NULL, 120, "y", NULL, NULL,
			"X-Change-ID: 2024-demo\n"},
		{"f", "[PATCH v2] other", NULL, 130, "z", "Ada <ada@x>", NULL,
			"X-Change-ID: 2024-demo\n"}};
	static const struct letter foreign[] = {
		{"1", "[PATCH] t", NULL, 0, "x", "Ada <ada@x>"},
		{"2", "[PATCH v2] t", "1", 120, "y"}};
	(void)state;
	EXPECT(apart, "v1 0:c 1:1; superseded by v2 (2 h later)\n"
		      "v2 0:d 1:2; complete, 1 patch; <c title\n");
	EXPECT(inside, "v1 0:c 1:1 2:2; superseded by v2 (2 h later)\n"
		       "v2 0:d 1:3 2:4; complete, 2 patches; <c thread\n");
	EXPECT(rfc, "v1 1:1; superseded by v2 (2 h later)\nv2 1:2; complete, 1 patch; <1 "
		    "title\n");
	EXPECT(link, "v1 1:1; superseded by v2 (2 h later)\nv2 1:2; complete, 1 patch; "
		     "<1 link\n");
	EXPECT(like, "v1 1:1; complete, 1 patch\nv2 1:2; complete, 1 patch\n");
	EXPECT(chain, "v1 1:1; superseded by v2 (2 h later)\n"
		      "v2 1:2; superseded by v3 (2 h later); <1 title\n"
		      "v3 1:3; complete, 1 patch; <2 title\n");
	EXPECT(branch, "v1 1:1; superseded by v2 (2 h later)\nv2 1:2; complete, 1 patch; "
		       "<1 title\n"
		       "v2 1:3; complete, 1 patch; reroll_claimed\n");
	EXPECT(again, "v1 1:1; superseded by v1 (2 h later)\n"
		      "v1 1:2; complete, 1 patch; <1 title; version_not_raised\n");
	EXPECT(change, "v1 1:1; superseded by v2 (2 h later)\n"
		       "v2 1:2; complete, 1 patch; <1 change-id; version_inferred\n"
		       "v2 1:f; complete, 1 patch\n");
	EXPECT(foreign, "v1 1:1; complete, 1 patch\nv2 1:2; complete, 1 patch\n");
}

/* Shapes that other trackers merged or split wrongly. */
static void test_apart(void **state)
{
	static const struct letter totals[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"}, {"d", "[PATCH 0/2] u", "1", 0, NULL},
		{"2", "[PATCH 1/2] b", "d", 0, "y"}, {"3", "[PATCH 2/2] c", "d", 0, "z"}};
	static const struct letter twins[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", "1", 0, "y"}, {"3", "[PATCH 1/2] c", "1", 0, "z"},
		{"4", "[PATCH 2/2] d", "3", 0, "w"}};
	static const struct letter tags[] = {
		{"1", "[PATCH net-next 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", NULL, 0, "y"}};
	static const struct letter order[] = {{"2", "[PATCH 2/3] b", "c", 0, "y"},
		{"1", "[PATCH 1/3] a", "c", 1, "x"}, {"3", "[PATCH 3/3] c", "c", 2, "z"}};
	static const struct letter near[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", "1", 0, "y"}, {"3", "[PATCH 1/2] c", NULL, 1, "z"},
		{"4", "[PATCH 2/2] d", "3", 1, "w"}};
	(void)state;
	EXPECT(totals,
		"v1 0:c 1:1; complete, 1 patch\nv1 0:d 1:2 2:3; complete, 2 patches\n");
	EXPECT(twins,
		"v1 1:1 2:2; complete, 2 patches\nv1 1:3 2:4; complete, 2 patches\n");
	EXPECT(tags,
		"v1 1:1; waiting for part 2 of 2\nv1 2:2; waiting for part 1 of 2\n");
	EXPECT(order, "v1 1:1 2:2 3:3; complete, 3 patches\n");
	EXPECT(near,
		"v1 1:1 2:2; complete, 2 patches\nv1 1:3 2:4; complete, 2 patches\n");
}

static void test_one_place(void **state)
{
	static const struct letter resent[] = {{"c", "[PATCH 0/2] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"},
		{"3", "[PATCH 2/2] b", "c", 5, "y"}};
	static const struct letter replaced[] = {{"c", "[PATCH 0/2] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"},
		{"3", "[PATCH 2/2] b", "2", 5, "z"}};
	static const struct letter torn[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", NULL, 0, "y"},
		{"3", "[PATCH 2/2] c", NULL, 1, "z"}};
	static const struct letter again[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"},
		{"d", "[PATCH RESEND 0/1] t", NULL, 600, NULL},
		{"2", "[PATCH RESEND 1/1] a", "d", 600, "x"}};
	(void)state;
	EXPECT(resent, "v1 0:c 1:1 2:2=3; complete, 2 patches\n");
	EXPECT(replaced, "v1 0:c 1:1 2:3>2; complete, 2 patches\n");
	EXPECT(torn, "v1 1:1 2:2; two mails claim to be 2/2; choose one\n");
	EXPECT(again, "v1 0:c 1:1=2; complete, 1 patch; resent\n");
}

static void test_partial(void **state)
{
#define BASE                                                                             \
	{"c", "[PATCH 0/3] t", NULL, 0, NULL}, {"1", "[PATCH 1/3] a", "c", 0, "x"},      \
		{"2", "[PATCH 2/3] b", "c", 0, "y"},                                     \
		{"3", "[PATCH 3/3] c", "c", 0, "z"},                                     \
	{                                                                                \
		"n", "[PATCH v2 2/3] b", "2", 60, "y2"                                   \
	}
	static const struct letter partial[] = {BASE};
	static const struct letter two[] = {
		BASE, {"m", "[PATCH v2 3/3] c", "3", 61, "z2"}};
	static const struct letter at_cover[] = {
		BASE, {"m", "[PATCH v3 1/3] a", "n", 200, "x3"}};
	static const struct letter whole[] = {BASE,
		{"d", "[PATCH v2 0/3] t", "c", 90, NULL},
		{"4", "[PATCH v2 1/3] a", "d", 90, "x"},
		{"5", "[PATCH v2 2/3] b", "d", 90, "y2"},
		{"6", "[PATCH v2 3/3] c", "d", 90, "z"}};
	(void)state;
	EXPECT(partial, "v1 0:c 1:1 2:2 3:3; superseded by v2 (1 h later)\n"
			"v2 1:1* 2:n>2 3:3*; complete, 3 patches; <c thread\n");
	EXPECT(two, "v1 0:c 1:1 2:2 3:3; superseded by v2 (1 h later)\n"
		    "v2 1:1* 2:n>2 3:m>3; complete, 3 patches; <c thread\n");
	EXPECT(at_cover, "v1 0:c 1:1 2:2 3:3; superseded by v2 (1 h later)\n"
			 "v2 1:1* 2:n>2 3:3*; superseded by v3 (2 h later); <c thread\n"
			 "v3 1:m; waiting for parts 2, 3 of 3; <n thread\n");
	EXPECT(whole, "v1 0:c 1:1 2:2 3:3; superseded by v2 (1 h later)\n"
		      "v2 0:d 1:4 2:5 3:6; complete, 3 patches; <c thread\n");
}

static void test_odd_covers(void **state)
{
	static const struct letter naked[] = {
		{"c", "[PATCH] t", NULL, 0, NULL, NULL,
			"word\n\n 2 files changed, 3 insertions(+)\n"},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"}};
	static const struct letter bare[] = {{"c", "[RFC] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"}};
	static const struct letter paren[] = {{"c", "[PATCH 0/2] t (v3)", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"}};
	static const struct letter loose[] = {{"c", "[net-next,v3,0/2] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", NULL, 1, "x"},
		{"2", "[PATCH 2/2] b", NULL, 2, "y"}};
	static const struct letter differs[] = {{"c", "[PATCH 0/3] t", NULL, 0, NULL},
		{"1", "[PATCH 1/2] a", "c", 0, "x"}, {"2", "[PATCH 2/2] b", "c", 0, "y"}};
	static const struct letter set[] = {
		{"c", "[PATCHSET sched_ext/for-6.12] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"}};
	static const struct letter beyond[] = {{"1", "[PATCH 1/1] a", NULL, 0, "x"},
		{"2", "[PATCH 2/1] b", "1", 0, "y"},
		{"0.5", "[PATCH 0.5/1] b", NULL, 1, "z"}};
	static const struct letter huge[] = {{"1", "[PATCH 1/1000] a", NULL, 0, "x"}};
	(void)state;
	EXPECT(naked, "v1 0:c 1:1 2:2; complete, 2 patches\n");
	EXPECT(bare, "v1 0:c 1:1 2:2; complete, 2 patches\n");
	EXPECT(paren, "v3 0:c 1:1 2:2; complete, 2 patches; version_from_cover\n");
	EXPECT(loose, "v3 0:c 1:1 2:2; complete, 2 patches; version_from_cover\n");
	EXPECT(differs, "v1 0:c 1:1 2:2; the cover says 3 patches, the patches say 2; "
			"total_differs\n");
	EXPECT(set, "v1 0:c 1:1; complete, 1 patch\n");
	EXPECT(beyond, "v1 0.5:0.5 1:1 2:2; complete, 3 patches; beyond_total\n");
	EXPECT(huge, "v1 1:1; the subject says 1000 patches; limit 999\n");
}

static void test_left_out(void **state)
{
	static const struct letter asked[] = {{"1", "[PATCH] a", NULL, 0, "x", NULL, NULL,
		"X-Patchwork-Hint: ignore\n"}};
	static const struct letter robot[] = {
		{"1", "[PATCH] a", NULL, 0, "x", "syzbot <syzbot@x>"}};
	(void)state;
	EXPECT(asked,
		"v1 1:1; its author asks to be left out (X-Patchwork-Hint: ignore)\n");
	EXPECT(robot, "v1 1:1; sent by a program (From: syzbot)\n");
}

static void test_merged(void **state)
{
#define NOTICE(n, text)                                                                  \
	{                                                                                \
		"t" n, "[tip: sched/core] a", NULL, 600, "none",                         \
			"tip-bot2 for W <tip-bot2@x>", text                              \
	}
	static const struct letter one[] = {{"1", "[PATCH] a", NULL, 0, "x"},
		NOTICE("1", "Commit-ID: 0123456789abcdef0123456789abcdef01234567\n\nx\n\n"
			    "Link: https://lore.kernel.org/r/1@x")};
	static const struct letter half[] = {{"1", "[PATCH 1/2] a", NULL, 0, "x"},
		{"2", "[PATCH 2/2] b", "1", 0, "y"},
		NOTICE("1", "Commit-ID: 0123456789abcdef0123456789abcdef01234567\n\nx\n\n"
			    "Link: https://lore.kernel.org/r/1@x")};
	(void)state;
	EXPECT(one, "v1 1:1; merged as 0123456789ab (tip sched/core)\n");
	EXPECT(half, "v1 1:1 2:2; complete, 2 patches; partly_merged\n");
}

static void test_followups(void **state)
{
	static const struct letter letters[] = {{"c", "[PATCH 0/1] t", NULL, 0, NULL},
		{"1", "[PATCH 1/1] a", "c", 0, "x"},
		{"r", "Re: [PATCH 1/1] a", "1", 5, NULL, "Ada <ada@x>",
			"> x\nTested-by: Ada <ada@x>\nReviewed-by: Bo <bo@x>"},
		{"s", "Re: [PATCH 1/1] a", "r", 6, NULL, "Ada <ada@x>",
			"Tested-by: A <ADA@x>"},
		{"u", "Re: [PATCH 0/1] t", "c", 7, NULL, "Cy <cy@x>",
			"Acked-by: Cy <cy@x>"}};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct series_set set;
	struct err e;
	size_t n = ARRAY_LEN(letters);
	assert_ok(series_assemble(a, threads_mails(a, letters, n), n, &set, &e), &e);
	assert_int_equal(set.n_series, 1);
	assert_int_equal(set.n_others, 3);
	const struct series *s = set.series[0];
	assert_int_equal(s->n_trailers, 3);
	assert_string_equal(s->trailers[0].value, "Ada <ada@x>");
	assert_int_equal(s->trailers[0].n, PREFIX_UNIT);
	assert_false(s->trailers[0].by_other);
	assert_true(s->trailers[1].by_other);
	assert_int_equal(s->trailers[2].n, 0);
	assert_string_equal(s->trailers[2].from_message_id, "u@x");
}

static bool has_key(struct arena *a, const struct mail *m, const char *text, bool link)
{
	struct mail_key *keys;
	size_t n;
	mail_keys(a, m, &keys, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(keys[i].text, text) && keys[i].link == link)
			return true;
	}
	return false;
}

static void test_keys(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct letter l = {"20240305101112.123-1-w@x", "[PATCH 1/2] a", "c", 0, "x", NULL,
		NULL, "X-Change-ID: 2024-demo\n"};
	const struct mail *m = threads_mail(a, &l);
	assert_true(has_key(a, m, "id:20240305101112.123-1-w@x", false));
	assert_true(has_key(a, m, "id:c@x", false));
	assert_true(has_key(a, m, "stem:20240305101112.123-w@x", false));
	assert_true(has_key(a, m, "change:2024-demo", false));
	assert_true(has_key(a, m, "total:wren@example.org/2", false));
	assert_true(has_key(a, m, "author:wren@example.org", true));
	struct letter reply = {"r", "Re: [PATCH 1/2] a", "c", 0, NULL};
	m = threads_mail(a, &reply);
	assert_true(has_key(a, m, "id:c@x", false));
	assert_false(has_key(a, m, "author:wren@example.org", true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cover),
		cmocka_unit_test(test_no_cover),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_one_place),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_odd_covers),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_followups),
		cmocka_unit_test(test_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
