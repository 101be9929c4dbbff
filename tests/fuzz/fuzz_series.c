/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any mbox as a set of mails: the series are the same from either end. */
#include "base/base.h"

#include "mail/mail_json.h"
#include "mail/mbox.h"

#define MAX_MAILS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *series_of(struct arena *a, const struct mail *const *v, size_t n)
{
	struct series_set set;
	struct series_clock clock = {.now = 2000000000};
	struct err e;

	if (series_assemble(a, v, n, &set, &e) != 0)
		abort();
	json_t *j = series_set_json(a, &set, &clock);
	char *text = jx_dump(j);
	json_decref(j);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct mail *v[MAX_MAILS], *back[MAX_MAILS];
	struct mbox_iter it;
	struct mbox_mail item;
	size_t n = 0;

	for (mbox_iter_init(&it, (const char *)data, size);
		n < MAX_MAILS && mbox_next(&it, &item);) {
		struct mail_opts opts = {.mboxrd = item.mboxrd};
		struct mail *m;
		if (mail_parse(a, item.p, item.len, &opts, &m, NULL) == 0)
			v[n++] = m;
	}
	for (size_t i = 0; i < n; i++) {
		struct mail_key *keys;
		size_t n_keys;
		mail_keys(a, v[i], &keys, &n_keys);
		back[n - 1 - i] = v[i];
	}
	CLEANUP(base_freep) char *one = series_of(a, v, n);
	CLEANUP(base_freep) char *two = series_of(a, back, n);
	if (strcmp(one, two) != 0)
		abort();
	return 0;
}
