/* SPDX-License-Identifier: GPL-2.0-or-later */
/* q_api_token.h - tokens and settings: by the server, and by its offline subcommands. */
#ifndef WL_DB_Q_API_TOKEN_H
#define WL_DB_Q_API_TOKEN_H

#include "base/base.h"

#include "db/q_api.h"

struct q_api_token {
	int64_t id;
	const char *name, *role; /* borrowed until the callback returns */
};

/* t is NULL when there is no such token that is not revoked; e as in db_cb. */
typedef void q_api_token_cb(const struct q_api_token *t, const struct err *e, void *arg);
void q_api_token_find_send(struct db *db, const unsigned char *hash, size_t len,
	q_api_token_cb *cb, void *arg);
void q_api_token_all_send(struct db *db, db_cb *cb, void *arg);
void q_api_token_create_send(struct db *db, const char *name, const char *role,
	const unsigned char *hash, size_t len, db_cb *cb, void *arg);
void q_api_token_revoke_send(struct db *db, const char *name, db_cb *cb, void *arg);

int q_api_token_create(struct db_sync *s, const char *name, const char *role,
	const unsigned char *hash, size_t len, struct err *e) MUST_CHECK;
int q_api_token_revoke(struct db_sync *s, const char *name, struct err *e) MUST_CHECK;
/* JSON of GET /tokens, in the arena. */
int q_api_token_all(struct db_sync *s, struct arena *a, const char **ret_json,
	struct err *e) MUST_CHECK;
/* ERR_NOT_FOUND: no such setting. */
int q_api_setting_get(struct db_sync *s, const char *name, struct arena *a,
	const char **ret_value, struct err *e) MUST_CHECK;
int q_api_setting_set(
	struct db_sync *s, const char *name, const char *value, struct err *e) MUST_CHECK;
/* Calls each for every setting, in order of name. */
int q_api_setting_all(struct db_sync *s,
	void (*each)(const char *name, const char *value, const char *help),
	struct err *e) MUST_CHECK;

#endif
