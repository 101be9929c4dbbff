/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sanitize.c - what LeakSanitizer finds in libraries and we cannot free; unused in other
 * builds. */
#include "base/base.h"

const char *__lsan_default_suppressions(void);

/* libgit2 1.5 git_regexp_match(): the match data of a text that does not match. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8.so\n";
}
