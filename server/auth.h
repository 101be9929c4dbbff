/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auth.h - bearer tokens: "wl_" + base64url of 32 random bytes. The database holds the
 * BLAKE2b-256 of the whole text; the text is shown once.
 *
 * What the database said is kept for AUTH_TTL_MS, refusals too (shorter); a revocation
 * is announced on channel wl_token and empties the cache at once.
 */
#ifndef WL_SERVER_AUTH_H
#define WL_SERVER_AUTH_H

#include "base/base.h"

#include "base/err.h"

#define AUTH_TTL_MS        30000
#define AUTH_REFUSED_MS    5000
#define AUTH_TOKEN_BYTES   32
#define AUTH_TOKEN_TEXT    48 /* with the NUL */
#define AUTH_HASH_BYTES    32
#define AUTH_CACHE_ENTRIES 256

struct auth;
struct db;

enum auth_role { AUTH_ROLE_NONE, AUTH_ROLE_ADMIN, AUTH_ROLE_SUBMITTER, AUTH_ROLE_RUNNER };

struct auth_who {
	enum auth_role role;
	int64_t token_id;
	char name[64];
};

const char *auth_role_name(enum auth_role r);
int auth_role_parse(const char *name, enum auth_role *ret); /* 0, or -1 */

/* A new secret. sodium_init() must have been called. */
void auth_token_make(char ret_text[AUTH_TOKEN_TEXT]);
void auth_token_hash(const char *text, unsigned char ret_hash[AUTH_HASH_BYTES]);
/* The token in an Authorization value ("Bearer wl_..."). ERR_DENIED says what is wrong.
 */
int auth_token_of_header(
	const char *value, char ret_text[AUTH_TOKEN_TEXT], struct err *e) MUST_CHECK;

/* e is NULL on success. Called once, from inside auth_check or later. */
typedef void auth_cb(const struct auth_who *who, const struct err *e, void *arg);

struct auth *auth_new(struct db *db);
void auth_free(struct auth *a); /* accepts NULL; after db_free */
/* ERR_DENIED: no such token, or revoked. */
void auth_check(struct auth *a, const char *authorization, auth_cb *cb, void *arg);
void auth_flush(struct auth *a);
int64_t auth_n_lookups(const struct auth *a);

#endif
