/* SPDX-License-Identifier: GPL-2.0-or-later */
/* q_api.h - what the server's queries have in common. */
#ifndef WL_DB_Q_API_H
#define WL_DB_Q_API_H

#include "base/base.h"

#include "db/db.h"

#define Q_API_DEADLINE_MS 15000

/* Column "body" of the only row: borrowed text, or NULL when there is no row. */
const char *q_api_body(const struct db_result *r, size_t *ret_len);

#endif
