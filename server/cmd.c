/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.c - offline subcommands: they speak to the database alone and may block. */
#include "base/base.h"

#include "server/server.h"

#include "base/jx.h"
#include "db/db.h"
#include "db/db_migrate.h"
#include "db/q_api_token.h"
#include "server/api.h"
#include "server/auth.h"

static int failed(const struct err *e)
{
	fprintf(stderr, "wakelistd: %s\n", e->msg);
	return 3;
}

static int usage(const char *text)
{
	fprintf(stderr, "usage: wakelistd [OPTION]... %s\n", text);
	return 2;
}

int cmd_migrate(const struct server_conf *conf, struct arena *a UNUSED, int argc,
	char **argv UNUSED)
{
	struct db_migrate_report report;
	struct err e = {0};

	if (argc != 0)
		return usage("migrate");
	if (db_migrate(conf->db, &report, &e) != 0)
		return failed(&e);
	if (report.from == report.to)
		printf("schema %d: nothing to do\n", report.to);
	else
		printf("schema %d -> %d\n", report.from, report.to);
	return 0;
}

static int token_create(
	struct db_sync *s, const char *name, const char *role_name, struct err *e)
{
	char text[AUTH_TOKEN_TEXT];
	unsigned char hash[AUTH_HASH_BYTES];
	enum auth_role role;
	int status;

	if (auth_role_parse(role_name, &role) != 0)
		return err_set(e, ERR_INVALID,
			"role \"%s\" is not admin, submitter or runner", role_name);
	if (!api_is_name(name))
		return err_set(e, ERR_INVALID, API_NOT_A_NAME, "name", name);
	auth_token_make(text);
	auth_token_hash(text, hash);
	status = q_api_token_create(s, name, role_name, hash, sizeof(hash), e);
	if (status == 0)
		printf("%s\n", text);
	return status;
}

static int token_ls(struct db_sync *s, struct arena *a, struct err *e)
{
	const char *text;
	json_auto_t *j = NULL;
	json_t *t;
	size_t i;
	int status = q_api_token_all(s, a, &text, e);

	if (status == 0)
		status = jx_load(text, strlen(text), &j, e);
	if (status != 0)
		return status;
	json_array_foreach(json_object_get(j, "tokens"), i, t)
	{
		const char *name, *role, *created;
		json_t *revoked;

		status = jx_unpack(t, e, "token", "{s:s, s:s, s:s, s:o}", "name", &name,
			"role", &role, "created_at", &created, "revoked_at", &revoked);
		if (status != 0)
			return status;
		printf("%-24s %-10s %s%s\n", name, role, created,
			json_is_null(revoked) ? "" : "  revoked");
	}
	return 0;
}

int cmd_token(const struct server_conf *conf, struct arena *a, int argc, char **argv)
{
	CLEANUP(db_sync_closep) struct db_sync *s = NULL;
	const char *verb = argc > 0 ? argv[0] : "";
	struct err e = {0};
	int status;

	if (!((strcmp(verb, "create") == 0 && argc == 3) ||
		    (strcmp(verb, "ls") == 0 && argc == 1) ||
		    (strcmp(verb, "revoke") == 0 && argc == 2)))
		return usage("token create NAME ROLE | ls | revoke NAME");
	status = db_sync_open(conf->db, &s, &e);
	if (status == 0 && argc == 3)
		status = token_create(s, argv[1], argv[2], &e);
	else if (status == 0 && argc == 2)
		status = q_api_token_revoke(s, argv[1], &e);
	else if (status == 0)
		status = token_ls(s, a, &e);
	return status == 0 ? 0 : failed(&e);
}

static void print_setting(const char *name, const char *value, const char *help)
{
	printf("%-22s %-24s %s\n", name, value, help);
}

int cmd_setting(const struct server_conf *conf, struct arena *a, int argc, char **argv)
{
	CLEANUP(db_sync_closep) struct db_sync *s = NULL;
	const char *verb = argc > 0 ? argv[0] : "", *value;
	struct err e = {0};
	bool set = strcmp(verb, "set") == 0;
	int status;

	if (!((set && argc == 3) || (strcmp(verb, "get") == 0 && argc <= 2)))
		return usage("setting get [NAME] | set NAME VALUE");
	status = db_sync_open(conf->db, &s, &e);
	if (status == 0 && set) {
		status = q_api_setting_set(s, argv[1], argv[2], &e);
	} else if (status == 0 && argc == 1) {
		status = q_api_setting_all(s, print_setting, &e);
	} else if (status == 0) {
		status = q_api_setting_get(s, argv[1], a, &value, &e);
		if (status == 0)
			printf("%s\n", value);
	}
	return status == 0 ? 0 : failed(&e);
}
