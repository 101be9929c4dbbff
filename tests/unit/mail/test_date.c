/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dates as git am takes them; every accepted row was checked with git 2.39. */
#include "base/base.h"

#include "mail/date.h"
#include "tests/unit/unit.h"

static void test_accepts(void **state)
{
	static const struct {
		const char *text;
		int64_t time;
		int offset;
		bool odd, bad;
	} rows[] = {
		{"Mon, 1 Jan 2024 10:00:00 +0100", 1704099600, 60, false, false},
		{"Mon, 1 Jan 2024 10:00:00 CET", 1704099600, 60, false, false},
		{"Mon, 1 Jan 2024 10:00:00 (CET)", 1704099600, 60, false, false},
		{"Mon, 1 Jan 2024 10:00:00 +0100 (CET)", 1704099600, 60, false, false},
		{"Mon, 1 Jan 2024 10:00:00", 1704103200, 0, false, false},
		{"Mon, 1 Jan 2024 10:00:00 GMT", 1704103200, 0, false, false},
		{"Mon, 1 Jan 2024 10:00:00 Z", 1704103200, 0, false, false},
		{"Mon, 1 Jan 2024 10:00:00 -0000", 1704103200, 0, false, false},
		{"1 Jan 2024 10:00 +0000", 1704103200, 0, false, false},
		{"Mon, 1 Jan 2024 10:00:00 +1700", 1704042000, 1020, true, false},
		{"Mon, 1 Jan 2024 10:00:00 +1400", 1704052800, 840, false, false},
		{"Mon, 1 Jan 2024 10:00:00 -1200", 1704146400, -720, false, false},
		{"Mon, 1 Jan 2024 10:00:00 +2500", 1704103200, 0, false, true},
		{"Mon, 1 Jan 2024 10:00:00 +9999", 1704103200, 0, false, true},
		{"Mon, 1 Jan 2024 10:00:00 +0590", 1704103200, 0, false, true},
		{"Thu Feb 29 23:59:59 2024 -0330", 1709263799, -210, false, false},
		{"2024-01-01 10:00:00 +0100", 1704099600, 60, false, false},
		{"2024-01-01T10:00:00Z", 1704103200, 0, false, false},
		{"Tue, 31 Dec 2099 23:59:59 +0000", 4102444799, 0, false, false},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct date d;
		if (!date_parse(rows[i].text, &d))
			fail_msg("\"%s\" was refused", rows[i].text);
		if (d.time != rows[i].time || d.offset != rows[i].offset ||
			d.zone_odd != rows[i].odd || d.zone_bad != rows[i].bad)
			fail_msg("\"%s\": %lld %d", rows[i].text, (long long)d.time,
				(int)d.offset);
	}
}

static void test_refuses(void **state)
{
	static const char *const rows[] = {"", "garbage",
		"Mon, 32 Jan 2024 10:00:00 +0000", "Mon, 30 Feb 2023 10:00:00 +0000",
		"Fri, 1 Jan 1960 10:00:00 +0000", "Fri, 1 Jan 2100 10:00:00 +0000",
		"Mon, 1 Jan 24 10:00:00 +0000", "Mon, 1 Jan 024 10:00:00 +0000",
		"Mon, 1 Jan 2024", "1 Jan 2024 25:00:00 +0000", "1 Jan 2024 10:61:00",
		"0 Jan 2024 10:00:00", "99999999999999999999", "2024-13-01 10:00:00"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct date d;
		if (date_parse(rows[i], &d))
			fail_msg("\"%s\" was taken as %lld", rows[i], (long long)d.time);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts),
		cmocka_unit_test(test_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
