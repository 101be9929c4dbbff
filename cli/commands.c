/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands: a new one is a file cli/cmd_<noun>.c and a row here. */
#include "base/base.h"

#include "cli/cli.h"
#include "cli/nouns.h"

const struct cli_command cli_commands[] = {
	/* talk to a server */
	{"list", "mailing lists that are watched", cmd_list},
	{"tree", "source trees that patches are applied to", cmd_tree},
	{"submit", "take in one series by message-id, URL or mbox", cmd_submit},
	{"series", "series and how far they are", cmd_series},
	{"plan", "what would be run for a series, and why", cmd_plan},
	{"run", "builds, boots and benchmarks", cmd_run},
	{"machine", "test machines", cmd_machine},
	{"reply", "replies: show, approve, reject", cmd_reply},
	{"token", "access tokens", cmd_token},
	{"doctor", "check the installation", cmd_doctor},
	/* plumbing: no server, JSON on stdout */
	{"mail", "read mails: one mail, mails into series, tables of results", cmd_mail},
	{"apply", "patch mails onto a commit of a repository", cmd_apply},
	{"touch", "functions and aspects that a series touches, and why", cmd_touch},
	{"bench", "benchmarks: read their output", cmd_bench},
	{"stats", "samples of benchmarks into verdicts", cmd_stats},
	{"log", "read a console log", cmd_log},
	{NULL, NULL, NULL},
};
