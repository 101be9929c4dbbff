/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nouns.h - the commands of cli/cmd_<noun>.c that talk to a server; rows of
 * cli/commands.c. */
#ifndef WL_CLI_NOUNS_H
#define WL_CLI_NOUNS_H

#include "base/base.h"

int cmd_list(int argc, char **argv);
int cmd_tree(int argc, char **argv);
int cmd_submit(int argc, char **argv);
int cmd_series(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_reply(int argc, char **argv);
int cmd_token(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* Follows one series on stderr until its state is final, then prints what it came to.
 * Shared by "submit --wait" and "series watch". An enum cli_exit, or negative. */
struct noun_call;
int series_watch(struct noun_call *call, const char *id);

#endif
