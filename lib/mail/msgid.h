/* SPDX-License-Identifier: GPL-2.0-or-later */
/* msgid.h - message-ids: as people give them, as headers hold them, as URLs show them. */
#ifndef WL_MAIL_MSGID_H
#define WL_MAIL_MSGID_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"

#define MSGID_MAX 998u /* bytes; longer ones are refused */

/*
 * Accepts a bare id, <id>, id:..., rfc822msgid:..., and URLs: lore and other public-inbox
 * servers (/LIST/MSGID/..., /r/MSGID, /all/MSGID), patch.msgid.link/MSGID, patchwork
 * (.../patch/MSGID/...), patchew; in < > or not, with or without %XX, and for kernel.org
 * and msgid.link without "https://". ret_base_url (may be NULL) gets the server and list
 * part of a public-inbox URL ("https://lore.kernel.org/lkml/"), NULL otherwise.
 * ERR_INVALID says what is wrong with the text: what is decoded is UTF-8 of at most
 * MSGID_MAX bytes without control characters, %00 and %0a included, and a URL that holds
 * two ids is refused, not read as its first.
 */
int msgid_parse(struct arena *a, const char *text, const char **ret_id,
	const char **ret_base_url, struct err *e) MUST_CHECK;
/* As public-inbox writes it in a URL: A-Za-z0-9-._~!$&';()*+,=:@ stay, others are %XX. */
const char *msgid_url_escape(struct arena *a, const char *id);
/* All ids of a header value (In-Reply-To, References, Message-ID): every <...> token, in
 * order, comments dropped. *ret_bare: no token, but the value is one bare id, which was
 * taken. */
void msgid_list(struct arena *a, const char *value, const char ***ret_ids, size_t *ret_n,
	bool *ret_bare);

#endif
