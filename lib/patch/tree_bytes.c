// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/tree_bytes.h"

#define OID 20

bool tree_next(struct tree_cursor *c, struct tree_item *ret)
{
	const char *p = c->p, *nul;
	unsigned mode = 0;

	if (c->damaged || p == c->end)
		return false;
	for (; p < c->end && *p >= '0' && *p <= '7' && mode <= 0777777; p++)
		mode = mode * 8 + (unsigned)(*p - '0');
	nul = p < c->end ? memchr(p, 0, (size_t)(c->end - p)) : NULL;
	if (!nul || *p != ' ' || p == c->p || nul == p + 1 || c->end - nul <= OID) {
		c->damaged = true;
		return false;
	}
	*ret = (struct tree_item){
		.mode = mode, .name = p + 1, .len = (size_t)(nul - p) - 1};
	memcpy(ret->id, nul + 1, OID);
	c->p = nul + 1 + OID;
	return true;
}

int tree_compare(const void *x, const void *y)
{
	const struct tree_item *a = x, *b = y;
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->name, b->name, n);
	unsigned char ca, cb;

	if (c)
		return c;
	ca = (unsigned char)(a->len > n ? a->name[n] : a->mode == TREE_FOLDER ? '/' : 0);
	cb = (unsigned char)(b->len > n ? b->name[n] : b->mode == TREE_FOLDER ? '/' : 0);
	return (int)ca - (int)cb;
}

void tree_put(struct sbuf *s, const struct tree_item *item)
{
	char mode[16];
	int n = snprintf(mode, sizeof(mode), "%o ", item->mode);

	sbuf_add(s, mode, (size_t)n);
	sbuf_add(s, item->name, item->len);
	sbuf_addc(s, 0);
	sbuf_add(s, item->id, OID);
}
