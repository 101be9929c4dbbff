/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tools.h - subcommands of wakelist-runner that need no server. Each gets the words after
 * its name and returns the exit status: 0 ok, 1 the answer is no, 2 usage, 3 failed.
 */
#ifndef WL_RUNNERS_TOOLS_H
#define WL_RUNNERS_TOOLS_H

#include "base/err.h"

int tool_agent(int argc, char **argv); /* the agent of a test machine */
int tool_log(int argc, char **argv);   /* check FILE|- */
int tool_build(int argc, char **argv); /* one kernel from a source folder */
int tool_boot(int argc, char **argv);  /* one boot of one kernel */

#endif
