/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - what every unit test includes: cmocka, and a folder of its own for tests
 * that need files. main() is: return cmocka_run_group_tests(tests, NULL, NULL);
 */
#ifndef WL_TESTS_UNIT_H
#define WL_TESTS_UNIT_H

#include "base/base.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* cmocka setup: *state becomes the path of an empty folder. */
static inline int unit_folder_setup(void **state)
{
	const char *top = getenv("TMPDIR");
	char path[256];

	snprintf(path, sizeof(path), "%s/wl-unit-XXXXXX", top && *top ? top : "/tmp");
	if (!mkdtemp(path))
		return -1;
	*state = base_strdup(path);
	return 0;
}

/* cmocka teardown: removes it. */
static inline int unit_folder_teardown(void **state)
{
	struct err e;
	int status = file_rm_rf(*state, &e);

	free(*state);
	return status;
}

#define unit_folder_test(fn)                                                             \
	cmocka_unit_test_setup_teardown(fn, unit_folder_setup, unit_folder_teardown)

/* Fails with the error's own words. */
#define assert_ok(call, e)                                                               \
	do {                                                                             \
		int assert_status = (call);                                              \
		if (assert_status != 0)                                                  \
			fail_msg("%s: %d: %s", #call, assert_status, (e)->msg);          \
	} while (0)

/* The call fails with the code, and its message holds the text. */
#define assert_err(call, want, e, text)                                                  \
	do {                                                                             \
		int assert_status = (call);                                              \
		if (assert_status != (want))                                             \
			fail_msg("%s: %d, not %d", #call, assert_status, (int)(want));   \
		if (!strstr((e)->msg, (text)))                                           \
			fail_msg("\"%s\" does not say \"%s\"", (e)->msg, (text));        \
	} while (0)

#endif
