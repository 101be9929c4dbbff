/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - what the text of a mail says: trailers, base and prerequisites, links, what a
 * merge notice reports. Private to lib/mail. */
#ifndef WL_MAIL_FACTS_H
#define WL_MAIL_FACTS_H

#include "base/base.h"

#include "mail/mail.h"

/* Each reads m->msg and m->patch and fills its fields of m. */
void facts_trailers(struct arena *a, struct mail *m);
void facts_lines(struct arena *a, struct mail *m); /* base-commit:, change-id:, ... */
void facts_links(struct arena *a, struct mail *m);
void facts_followups(struct arena *a, struct mail *m);
void facts_merge(struct arena *a, struct mail *m);
/* A diffstat line or a shortlog block stands before the first diff. */
bool facts_has_diffstat(const struct mail *m);
/* More than half of the non-blank lines before the first hunk begin with ">". */
bool facts_mostly_quoted(const struct mail *m, int64_t first_hunk);
bool facts_has_quote(const struct mail *m); /* in msg */
/* A Signed-off-by of that address among the trailers. */
bool facts_signed_by(const struct mail *m, const char *email);

#endif
