/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mail_json.h - JSON of one mail (wakelist mail parse) and of a set of series (wakelist
 * mail series). Owner of the returned values: caller. */
#ifndef WL_MAIL_MAIL_JSON_H
#define WL_MAIL_MAIL_JSON_H

#include "base/base.h"

#include "base/jx.h"
#include "mail/assemble.h"

json_t *mail_json(const struct mail *m);
json_t *series_json(
	struct arena *a, const struct series *s, const struct series_clock *c);
json_t *series_other_json(const struct series_other *o);
/* {"v":1,"series":[..],"other":[..]} */
json_t *series_set_json(
	struct arena *a, const struct series_set *set, const struct series_clock *c);

#endif
