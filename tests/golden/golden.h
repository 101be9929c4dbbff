/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - compares text with tests/golden/NAME. WL_GOLDEN_UPDATE=1 in the environment
 * writes the file instead: look at the difference before it is committed.
 */
#ifndef WL_TESTS_GOLDEN_H
#define WL_TESTS_GOLDEN_H

#include "base/base.h"

#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#ifndef WL_SOURCE_DIR
#define WL_SOURCE_DIR "." /* tests are built with it */
#endif

UNUSED static void golden_check(const char *name, const char *text, size_t len)
{
	CLEANUP(sbuf_release) struct sbuf want = SBUF_INIT;
	char path[4096];
	struct err e;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", WL_SOURCE_DIR, name);
	if (getenv("WL_GOLDEN_UPDATE")) {
		if (file_write_atomic(path, text, len, 0644, &e) != 0)
			fail_msg("%s", e.msg);
		return;
	}
	if (file_read(path, 4 << 20, &want, &e) != 0)
		fail_msg("%s (WL_GOLDEN_UPDATE=1 writes it)", e.msg);
	if (want.len != len || memcmp(want.buf, text, len) != 0)
		fail_msg("%s differs; got:\n%.*s", path, (int)len, text);
}

#endif
