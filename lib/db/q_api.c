/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api.h"

const char *q_api_body(const struct db_result *r, size_t *ret_len)
{
	struct db_row row;

	if (!r || r->n_rows == 0)
		return NULL;
	row = db_result_row(r, 0);
	if (db_row_is_null(row, "body"))
		return NULL;
	*ret_len = db_row_len(row, "body");
	return db_row_text(row, "body");
}
