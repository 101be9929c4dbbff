/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subject grammar: the whole table of forms seen on lists, and hostile ones. */
#include "base/base.h"

#include "mail/prefix.h"
#include "tests/unit/unit.h"

struct row {
	const char *subject;
	const char *n;       /* "2", "0.5", "" for none */
	const char *m;       /* "" for none */
	const char *version; /* "3" explicit; "1?" not named */
	const char *flags;   /* rfc rft resend reply fwd tip */
	const char *tags;    /* joined by | */
	const char *tree;    /* "" for none */
	const char *title;
	unsigned int notes;
};

static const char *const branches[] = {"sched_ext/for-6.12", "tip/sched/core", NULL};

static const struct row rows[] = {
	{"[PATCH] t", "", "", "1?", "", "", "", "t", 0},
	{"[PATCH v3 2/4] t", "2", "4", "3", "", "", "", "t", 0},
	{"[PATCH V2 2/4] t", "2", "4", "2", "", "", "", "t", 0},
	{"[patch V2 2/4] t", "2", "4", "2", "", "", "", "t", 0},
	{"[PATCH1/8] t", "1", "8", "1?", "", "", "", "t", PREFIX_GLUED},
	{"[PATCHv3 2/4] t", "2", "4", "3", "", "", "", "t", PREFIX_GLUED},
	{"[v2PATCH12/15] t", "12", "15", "2", "", "", "", "t", PREFIX_GLUED},
	{"[PATCH v2.1 0/3] t", "0", "3", "2.1", "", "", "", "t", 0},
	{"[PATCH 2/4 v3] t", "2", "4", "3", "", "", "", "t", 0},
	{"[PATCH 2/4][V3] t", "2", "4", "3", "", "", "", "t", 0},
	{"[RFC][PATCH 1/2] t", "1", "2", "1?", "rfc", "", "", "t", 0},
	{"[RFC v2 1/3] t", "1", "3", "2", "rfc", "", "", "t", 0},
	{"[RFCv2 1/3] t", "1", "3", "2", "rfc", "", "", "t", PREFIX_GLUED},
	{"[RFT][PATCH v1 3/5] t", "3", "5", "1", "rft", "RFT", "", "t", 0},
	{"[RESEND][PATCH v2 1/2] t", "1", "2", "2", "resend", "", "", "t", 0},
	{"[PATCH RESEND v2 1/2] t", "1", "2", "2", "resend", "", "", "t", 0},
	{"[PATCH RESEND] t", "", "", "1?", "resend", "", "", "t", 0},
	{"[bug#1] [PATCH v2] t", "", "", "2", "", "bug#1", "", "t", 0},
	{"[PATCH 6/5] t", "6", "5", "1?", "", "", "", "t", PREFIX_BEYOND_TOTAL},
	{"[PATCH 0.5/5] t", "0.5", "5", "1?", "", "", "", "t", 0},
	{"Re: [PATCH 1/2] t", "1", "2", "1?", "reply", "", "", "t", 0},
	{"AW: [PATCH v2] t", "", "", "2", "reply", "", "", "t", 0},
	{"Antw: [PATCH v2] t", "", "", "2", "reply", "", "", "t", 0},
	{"\xe5\x9b\x9e\xe5\xa4\x8d: [PATCH v2] t", "", "", "2", "reply", "", "", "t", 0},
	{"\xe5\x9b\x9e\xe5\xa4\x8d\xef\xbc\x9a [PATCH v2] t", "", "", "2", "reply", "",
		"", "t", 0},
	{"Re[2]: [PATCH] t", "", "", "1?", "reply", "", "", "t", 0},
	{"Re^3: [PATCH] t", "", "", "1?", "reply", "", "", "t", 0},
	{"Re(2): Re: [PATCH] t", "", "", "1?", "reply", "", "", "t", 0},
	{"Fwd: [PATCH] t", "", "", "1?", "reply fwd", "", "", "t", 0},
	{"FW: [PATCH] t", "", "", "1?", "reply fwd", "", "", "t", 0},
	{"[PATCH] 1/2: t", "1", "2", "1?", "", "", "", "t", PREFIX_LATE_COUNT},
	{"[PATCH 1 of 3] t", "1", "3", "1?", "", "", "", "t", 0},
	{"[PATCH 0/4] t (v3)", "0", "4", "3", "", "", "", "t", PREFIX_PAREN_VERSION},
	{"[PATCH 0/4] (v3) t", "0", "4", "3", "", "", "", "t", PREFIX_PAREN_VERSION},
	{"[trivial PATCH] t", "", "", "1?", "", "trivial", "", "t", 0},
	{"[PATCH 6.18 00/01] t", "0", "1", "1?", "", "6.18", "6.18", "t", 0},
	{"[PATCH  t", "", "", "1?", "", "", "", "[PATCH  t", 0},
	{"[cpufreq] t", "", "", "1?", "", "cpufreq", "", "t", 0},
	{"t [PATCH] u", "", "", "1?", "", "", "", "t [PATCH] u", 0},
	{"[PATCH v2 v3 1/2] t", "1", "2", "3", "", "", "", "t", PREFIX_TWO_VERSIONS},
	{"[PATCH v3 v2 1/2] t", "1", "2", "3", "", "", "", "t", PREFIX_TWO_VERSIONS},
	{"[PATCH 1/2 3/4] t", "1", "2", "1?", "", "3/4", "", "t", PREFIX_SECOND_PAIR},
	{"[PATCH 00000000001/2] t", "", "", "1?", "", "", "", "t", PREFIX_DIGITS_CUT},
	{"[RFC][PATCH v0.3 1/6] t", "1", "6", "0.3", "rfc", "", "", "t", 0},
	{"[RFC PATCH -next v3 02/10] t", "2", "10", "3", "rfc", "-next", "-next", "t", 0},
	{"[RFC/RFT PATCH 1/3] t", "1", "3", "1?", "rfc rft", "RFT", "", "t", 0},
	{"[PATCH 5.15 00/71] t", "0", "71", "1?", "", "5.15", "5.15", "t", 0},
	{"[PATCH AUTOSEL 6.1 07/10] t", "7", "10", "1?", "", "AUTOSEL|6.1", "6.1", "t",
		0},
	{"[tip: sched/core] sched: x", "", "", "1?", "tip", "tip: sched/core", "tip",
		"sched: x", 0},
	{"[tip:sched/core] sched: x", "", "", "1?", "tip", "tip:sched/core", "tip",
		"sched: x", 0},
	{"Re: [PATCH 2/4] [tip: sched/core] x", "2", "4", "1?", "reply",
		"tip: sched/core", "tip", "x", 0},
	{"[PATCH sched_ext/for-6.12 3/7] t", "3", "7", "1?", "", "sched_ext/for-6.12",
		"sched_ext/for-6.12", "t", 0},
	{"[PATCHSET sched_ext/for-6.12] t", "0", "", "1?", "", "sched_ext/for-6.12",
		"sched_ext/for-6.12", "t", 0},
	{"[net-next,v3,0/4] t", "0", "4", "3", "", "net-next", "net-next", "t", 0},
	{"[Xen-devel] [RFC PATCH V3 1/4] t", "1", "4", "3", "rfc", "", "", "t", 0},
	{"[External] [tip: sched/core] t", "", "", "1?", "tip", "tip: sched/core", "tip",
		"t", 0},
	{"[External] Re: [PATCH 1/2] t", "1", "2", "1?", "reply", "", "", "t", 0},
	{"[PATCH tip/sched/core V3 1/1] t", "1", "1", "3", "", "tip/sched/core",
		"tip/sched/core", "t", 0},
	{"[PATCH unknown/branch 1/2] t", "1", "2", "1?", "", "unknown/branch", "", "t",
		0},
	{"[GIT PULL] t", "", "", "1?", "", "GIT|PULL", "", "t", 0},
	{"[PATCH 1/0] t", "1", "", "1?", "", "", "", "t", 0},
	{"[PATCH [v2] 1/3] t", "1", "3", "2", "", "", "", "t", 0},
	{"[PATCHED 1/2x] t", "", "", "1?", "", "PATCHED|1/2x", "", "t", 0},
	{"[[[[a]]]] t", "", "", "1?", "", "", "", "[[[[a]]]] t", 0},
	{"reflect: t", "", "", "1?", "", "", "", "reflect: t", 0},
	{"", "", "", "1?", "", "", "", "", 0},
	{"[]", "", "", "1?", "", "", "", "", 0},
};

static const char *flags_of(struct arena *a, const struct prefix *p)
{
	const char *s = arena_printf(a, "%s%s%s%s%s%s", p->rfc ? "rfc " : "",
		p->rft ? "rft " : "", p->resend ? "resend " : "",
		p->reply ? "reply " : "", p->forwarded ? "fwd " : "",
		p->tip ? "tip " : "");
	size_t n = strlen(s);
	return arena_strndup(a, s, n ? n - 1 : 0);
}

static const char *tags_of(struct arena *a, const struct prefix *p)
{
	const char *s = "";
	for (size_t i = 0; i < p->n_tags; i++)
		s = arena_printf(a, "%s%s%s", s, i ? "|" : "", p->tags[i]);
	return s;
}

static void test_table(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		struct prefix p;
		char n[16], m[16], v[16];
		prefix_parse(a, r->subject, branches, &p);
		const char *version =
			arena_printf(a, "%s%s", prefix_number(p.version, v, sizeof(v)),
				p.version_explicit ? "" : "?");
		const char *got = arena_printf(a, "%s/%s v%s {%s} <%s> @%s \"%s\" %x",
			prefix_number(p.n, n, sizeof(n)),
			prefix_number(p.m, m, sizeof(m)), version, flags_of(a, &p),
			tags_of(a, &p), p.tree ? p.tree : "", p.title, p.notes);
		const char *want = arena_printf(a, "%s/%s v%s {%s} <%s> @%s \"%s\" %x",
			r->n, r->m, r->version, r->flags, r->tags, r->tree, r->title,
			r->notes);
		if (strcmp(got, want))
			fail_msg("\"%s\":\n got %s\nwant %s", r->subject, got, want);
	}
}

static void test_order(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char *const rising[] = {"[PATCH v0.3] t", "[PATCH] t",
		"[PATCH v2] t", "[PATCH v2.1] t", "[PATCH v2.10] t", "[PATCH v3] t",
		"[PATCH v10] t"};
	int64_t last = -1;
	for (size_t i = 0; i < ARRAY_LEN(rising); i++) {
		struct prefix p;
		prefix_parse(a, rising[i], NULL, &p);
		assert_true(p.version > last);
		last = p.version;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
