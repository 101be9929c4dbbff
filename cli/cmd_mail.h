/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_mail.h - verbs of "wakelist mail" that have a file of their own. */
#ifndef WL_CLI_CMD_MAIL_H
#define WL_CLI_CMD_MAIL_H

#include "base/base.h"

#include "base/sbuf.h"

/* argv from the verb on; an enum cli_exit. */
int mail_claims_run(int argc, char **argv);
/* The one file of argv, with at most one mail in it. 0, or an enum cli_exit after the
 * message. */
int mail_file_read(
	const char *command, int argc, char **argv, struct sbuf *ret) MUST_CHECK;

#endif
