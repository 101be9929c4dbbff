/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/auth.h"

#include "base/clock.h"
#include "db/q_api_token.h"
#include <sodium.h>
#include <strings.h>

struct entry {
	unsigned char hash[AUTH_HASH_BYTES];
	int64_t until_ns;    /* 0: empty */
	struct auth_who who; /* role NONE: refused */
};

struct auth {
	struct db *db;
	struct entry entries[AUTH_CACHE_ENTRIES];
	size_t next;         /* the entry to replace */
	uint64_t generation; /* changes with a flush: answers under way are not kept */
	int64_t n_lookups;
};

struct check {
	struct auth *a;
	unsigned char hash[AUTH_HASH_BYTES];
	uint64_t generation;
	auth_cb *cb;
	void *arg;
};

static const char *const role_names[] = {
	[AUTH_ROLE_NONE] = "none",
	[AUTH_ROLE_ADMIN] = "admin",
	[AUTH_ROLE_SUBMITTER] = "submitter",
	[AUTH_ROLE_RUNNER] = "runner",
};

const char *auth_role_name(enum auth_role r)
{
	return role_names[r];
}

int auth_role_parse(const char *name, enum auth_role *ret)
{
	for (size_t i = AUTH_ROLE_ADMIN; i < ARRAY_LEN(role_names); i++) {
		if (name && strcmp(role_names[i], name) == 0) {
			*ret = (enum auth_role)i;
			return 0;
		}
	}
	return -1;
}

void auth_token_make(char ret_text[AUTH_TOKEN_TEXT])
{
	unsigned char secret[AUTH_TOKEN_BYTES];

	randombytes_buf(secret, sizeof(secret));
	memcpy(ret_text, "wl_", 3);
	sodium_bin2base64(ret_text + 3, AUTH_TOKEN_TEXT - 3, secret, sizeof(secret),
		sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(secret, sizeof(secret));
}

void auth_token_hash(const char *text, unsigned char ret_hash[AUTH_HASH_BYTES])
{
	crypto_generichash(ret_hash, AUTH_HASH_BYTES, (const unsigned char *)text,
		strlen(text), NULL, 0);
}

int auth_token_of_header(const char *value, char ret_text[AUTH_TOKEN_TEXT], struct err *e)
{
	size_t len;

	if (!value)
		return err_set(e, ERR_DENIED,
			"this needs a token: \"Authorization: Bearer wl_...\", in the "
			"pages \"enter token\", on the command line --token-file");
	if (strncasecmp(value, "Bearer ", 7) != 0)
		return err_set(e, ERR_DENIED,
			"the Authorization header is not \"Bearer wl_...\"");
	value += 7;
	value += strspn(value, " ");
	len = strlen(value);
	if (len != 46 || strncmp(value, "wl_", 3) != 0 ||
		strspn(value + 3, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789-_") != len - 3)
		return err_set(e, ERR_DENIED,
			"that is no token of ours: they are wl_ and 43 characters");
	memcpy(ret_text, value, len + 1);
	return 0;
}

struct auth *auth_new(struct db *db)
{
	struct auth *a = base_zalloc(sizeof(*a));

	a->db = db;
	return a;
}

void auth_free(struct auth *a)
{
	if (!a)
		return;
	sodium_memzero(a->entries, sizeof(a->entries));
	free(a);
}

void auth_flush(struct auth *a)
{
	memset(a->entries, 0, sizeof(a->entries));
	a->generation++;
}

int64_t auth_n_lookups(const struct auth *a)
{
	return a->n_lookups;
}

static void answer(const struct auth_who *who, auth_cb *cb, void *arg)
{
	struct err e = {0};

	if (who->role != AUTH_ROLE_NONE) {
		cb(who, NULL, arg);
		return;
	}
	err_set(&e, ERR_DENIED, "the token is not known, or was revoked");
	cb(NULL, &e, arg);
}

static void keep(struct auth *a, const unsigned char *hash, const struct auth_who *who)
{
	struct entry *en = &a->entries[a->next++ % AUTH_CACHE_ENTRIES];
	int64_t ms = who->role == AUTH_ROLE_NONE ? AUTH_REFUSED_MS : AUTH_TTL_MS;

	memcpy(en->hash, hash, AUTH_HASH_BYTES);
	en->who = *who;
	en->until_ns = clock_mono_ns() + ms * NS_PER_MS;
}

static void on_found(const struct q_api_token *t, const struct err *e, void *arg)
{
	struct check *c = arg;
	struct auth_who who = {.role = AUTH_ROLE_NONE};

	if (e) {
		c->cb(NULL, e, c->arg);
		free(c);
		return;
	}
	if (t && auth_role_parse(t->role, &who.role) == 0) {
		who.token_id = t->id;
		snprintf(who.name, sizeof(who.name), "%s", t->name);
	}
	if (c->generation == c->a->generation)
		keep(c->a, c->hash, &who);
	answer(&who, c->cb, c->arg);
	free(c);
}

void auth_check(struct auth *a, const char *authorization, auth_cb *cb, void *arg)
{
	char text[AUTH_TOKEN_TEXT];
	unsigned char hash[AUTH_HASH_BYTES];
	int64_t now = clock_mono_ns();
	struct check *c;
	struct err e = {0};

	if (auth_token_of_header(authorization, text, &e) != 0) {
		cb(NULL, &e, arg);
		return;
	}
	auth_token_hash(text, hash);
	sodium_memzero(text, sizeof(text));
	for (size_t i = 0; i < AUTH_CACHE_ENTRIES; i++) {
		const struct entry *en = &a->entries[i];

		if (en->until_ns > now &&
			sodium_memcmp(en->hash, hash, AUTH_HASH_BYTES) == 0) {
			answer(&en->who, cb, arg);
			return;
		}
	}
	c = base_zalloc(sizeof(*c));
	*c = (struct check){.a = a, .generation = a->generation, .cb = cb, .arg = arg};
	memcpy(c->hash, hash, sizeof(hash));
	a->n_lookups++;
	q_api_token_find_send(a->db, hash, AUTH_HASH_BYTES, on_found, c);
}
