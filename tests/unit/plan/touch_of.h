// SPDX-License-Identifier: GPL-2.0-or-later
/* touch_of.h - what a patch touches, by the table of the product. */
#ifndef WL_TESTS_UNIT_PLAN_TOUCH_OF_H
#define WL_TESTS_UNIT_PLAN_TOUCH_OF_H

#include "base/base.h"

#include "plan/touch.h"
#include "tests/unit/unit.h"

/* fill gives both sides of file number i of the patch. */
static inline struct touch *touch_of(struct arena *a, const char *patch,
	void (*fill)(struct arena *a, struct touch_file *f, size_t i, const void *arg),
	const void *arg)
{
	struct touch_input in = {0};
	struct touch_table *table;
	struct touch_file *files;
	struct diff *d;
	struct err e;

	assert_ok(diff_parse(patch, strlen(patch), a, &d, &e), &e);
	assert_ok(touch_table_parse(
			  touch_table_text, strlen(touch_table_text), a, &table, &e),
		&e);
	files = ARENA_ARRAY(a, struct touch_file, d->n_files + 1);
	for (size_t i = 0; i < d->n_files; i++) {
		files[i].diff = &d->files[i];
		fill(a, &files[i], i, arg);
	}
	in.files = files;
	in.n_files = d->n_files;
	in.table = table;
	return touch_make(a, &in);
}

#endif
