/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * validator.h - what every mail of ours must keep (docs/statistics.md, "The reply"):
 * ASCII, 75 columns but for addresses and lines to copy, rows that parse, no -0.00, no
 * word "significant".
 */
#ifndef WL_TESTS_VALIDATOR_H
#define WL_TESTS_VALIDATOR_H

#include "base/base.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ROW                                                                              \
	"^[^[:space:]]+([[:space:]]+[^[:space:]]+)?[[:space:]]+[0-9.]+\\([[:space:]]*["  \
	"0-9.]+"                                                                         \
	"\\)[[:space:]]*[+-][0-9.]+\\([[:space:]]*[0-9.]+\\) "                           \
	"\\[[[:space:]]*[+-][0-9.]+,[[:space:]]*[+-][0-9.]+\\] [WB=?.]$"

static bool line_matches(const char *pattern, const char *line)
{
	regex_t re;
	int status;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	status = regexec(&re, line, 0, NULL, 0);
	regfree(&re);
	return status == 0;
}

static void validate_line(const char *line, bool copy, bool table)
{
	size_t len = strlen(line);

	for (size_t i = 0; i < len; i++)
		if (line[i] < 0x20 || line[i] > 0x7e)
			fail_msg("no printing ASCII: %s", line);
	if (len > 75 && !copy && !strstr(line, "://"))
		fail_msg("%zu columns: %s", len, line);
	if (len && line[len - 1] == ' ' && strcmp(line, "-- ") != 0)
		fail_msg("blank at the end: %s", line);
	if (strstr(line, "-0.00"))
		fail_msg("minus zero: %s", line);
	if (strstr(line, "significan"))
		fail_msg("that word: %s", line);
	if (table && !line_matches(ROW, line))
		fail_msg("row does not parse: %s", line);
}

/* Returns the number of table rows. */
UNUSED static int validate_mail(const char *text)
{
	bool copy = false, table = false;
	char *all = strdup(text);
	size_t len = strlen(text);
	int n_rows = 0;

	assert_true(len > 0 && text[len - 1] == '\n');
	assert_null(strstr(text, "\n\n\n"));
	assert_non_null(strstr(text, "\n-- \nwakelist "));
	for (char *line = all, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!*line)
			copy = table = false;
		n_rows += table;
		validate_line(line, copy || strncmp(line, "  wakelist submit ", 18) == 0,
			table);
		table |= strstr(line, "base(std%)") != NULL;
		copy |= strcmp(line, "To repeat it:") == 0 ||
			strcmp(line, "and in the guest:") == 0;
	}
	free(all);
	return n_rows;
}

#endif
