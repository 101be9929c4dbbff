/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * janitor.h - what only time brings about, once a second by the database's clock: leases
 * that ran out, incomplete series, deadlines, silent machines, senders that were lost,
 * old events. One SQL function; of several servers one does it.
 */
#ifndef WL_SERVER_JANITOR_H
#define WL_SERVER_JANITOR_H

#include "base/base.h"

struct janitor;
struct server;

struct janitor *janitor_new(struct server *srv);
void janitor_free(struct janitor *j); /* after db_free; accepts NULL */
void janitor_stop(struct janitor *j);

#endif
