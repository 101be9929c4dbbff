/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as one mail: no crash, the same answer twice, hashes of the bytes shown, JSON
 * that can be written, and repairs that need no second repair. */
#include "base/base.h"

#include "mail/mail_json.h"
#include "mail/mbox.h"
#include "mail/msgid.h"
#include "mail/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *dump(const struct mail *m)
{
	json_t *j = mail_json(m);
	char *text = jx_dump(j);

	json_decref(j);
	return text;
}

static void check(const char *p, size_t len, const struct mail_opts *opts)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m, *again;
	struct scan s;
	struct err e;
	char hex[SHA256_HEX];

	if (mail_parse(a, p, len, opts, &m, &e) != 0)
		return;
	if (mail_parse(a, p, len, opts, &again, &e) != 0)
		abort();
	sha256_hex(m->msg.p, m->msg.len, hex);
	if (strcmp(hex, m->message_sha256) != 0 ||
		strcmp(hex, again->message_sha256) != 0)
		abort();
	sha256_hex(m->patch.p, m->patch.len, hex);
	if (strcmp(hex, m->patch_sha256) != 0)
		abort();
	scan_patch(a, m->repaired.p, m->repaired.len, &s);
	if (s.blank_repaired || s.n_hunks != m->n_hunks)
		abort();
	if (m->patch_id && strcmp(m->patch_id, s.patch_id) != 0)
		abort();
	CLEANUP(base_freep) char *one = dump(m);
	CLEANUP(base_freep) char *two = dump(mail_compact(a, m));
	if (strcmp(one, two) != 0)
		abort();
	(void)mail_commit_message(a, m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	const struct mail_opts opts[] = {
		{.keep_cr = true}, {.mboxrd = true, .received_at = 1}};
	struct mbox_iter it;
	struct mbox_mail item;

	for (size_t i = 0; i < ARRAY_LEN(opts); i++)
		check(p, size, &opts[i]);
	for (mbox_iter_init(&it, p, size); mbox_next(&it, &item);) {
		if (item.p < p || item.p + item.len > p + size)
			abort();
	}
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *id, *base;
	char *text = arena_strndup(a, p, size);
	if (msgid_parse(a, text, &id, &base, NULL) == 0 && !strchr(id, '@'))
		abort();
	return 0;
}
