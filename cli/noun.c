/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/noun.h"

#include <getopt.h>
#include <stdarg.h>

#define MAX_OPTIONS 24

/* Every verb has these. */
static const struct noun_option common_options[] = {
	{"server", "URL", "the wakelistd to ask", false, 0},
	{"token-file", "FILE", "file with the token", false, 0},
	{"json", NULL, "print the server's answer as JSON", false, 0},
	{"help", NULL, "print this help", false, 'h'},
	{NULL, NULL, NULL, false, 0},
};

static void print_options(FILE *out, const struct noun_option *options)
{
	char left[64];

	for (; options && options->name; options++) {
		const char letter[] = {'-', options->letter, ',', ' ', '\0'};

		snprintf(left, sizeof(left), "%s--%s%s%s", options->letter ? letter : "",
			options->name, options->value_name ? " " : "",
			options->value_name ? options->value_name : "");
		fprintf(out, "  %-22s %s%s\n", left, options->help,
			options->repeated ? " (may be repeated)" : "");
	}
}

static void print_verb_usage(FILE *out, const char *noun, const struct noun_verb *verb)
{
	fprintf(out, "usage: wakelist %s%s%s%s%s [OPTION]...\n\n%s.\n\n", noun,
		*verb->name ? " " : "", verb->name, *verb->operands ? " " : "",
		verb->operands, verb->summary);
	print_options(out, verb->options);
	print_options(out, common_options);
}

static void print_noun_usage(
	FILE *out, const char *noun, const char *summary, const struct noun_verb *verbs)
{
	fprintf(out, "usage: wakelist %s VERB [OPERAND]... [OPTION]...\n\n%s.\n\n", noun,
		summary);
	for (; verbs->name; verbs++)
		fprintf(out, "  %-10s %-22s %s\n", verbs->name, verbs->operands,
			verbs->summary);
	fprintf(out, "\nwakelist %s VERB --help tells the options of one.\n", noun);
}

const char *noun_value(const struct noun_call *call, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < call->n_values; i++)
		if (strcmp(call->options[call->value_option[i]].name, name) == 0)
			found = call->values[i];
	return found;
}

json_t *noun_values(const struct noun_call *call, const char *name)
{
	json_t *list = NULL;

	for (size_t i = 0; i < call->n_values; i++) {
		if (strcmp(call->options[call->value_option[i]].name, name) != 0)
			continue;
		if (!list)
			list = json_array();
		json_array_append_new(list, json_string(call->values[i]));
	}
	return list;
}

/* Options of the verb and the common ones as one table in the arena. */
static const struct noun_option *all_options(
	struct arena *a, const struct noun_option *own)
{
	struct noun_option *all = ARENA_ARRAY(a, struct noun_option, MAX_OPTIONS + 1);
	size_t n = 0;

	for (; own && own->name && n < MAX_OPTIONS; own++)
		all[n++] = *own;
	for (own = common_options; own->name && n < MAX_OPTIONS; own++)
		all[n++] = *own;
	return all;
}

static int parse_options(
	struct noun_call *call, const struct noun_verb *verb, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 1] = {0};
	char letters[2 * MAX_OPTIONS + 2] = ":";
	size_t n_letters = strlen(letters);
	int c, index = 0;

	call->options = all_options(call->arena, verb->options);
	for (size_t i = 0; call->options[i].name; i++) {
		longs[i] = (struct option){call->options[i].name,
			call->options[i].value_name ? required_argument : no_argument,
			NULL, 1};
		if (!call->options[i].letter)
			continue;
		letters[n_letters++] = call->options[i].letter;
		if (call->options[i].value_name)
			letters[n_letters++] = ':';
	}
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, letters, longs, &index)) != -1) {
		if (c == ':') {
			return cli_usage("%s needs a value", argv[optind - 1]);
		} else if (c == '?') {
			return cli_usage(
				"unknown option %s; --help lists them", argv[optind - 1]);
		}
		if (c != 1) /* a letter of ours */
			for (index = 0; call->options[index].letter != c; index++)
				;
		if (call->n_values == NOUN_MAX_VALUES)
			return cli_usage("more than %d options", NOUN_MAX_VALUES);
		call->value_option[call->n_values] = index;
		call->values[call->n_values++] = optarg ? optarg : "";
	}
	call->operands = argv + optind;
	call->n_operands = argc - optind;
	return CLI_OK;
}

/* What goes into a request is text, and names something. */
static int check_words(const struct noun_call *call)
{
	for (int i = 0; i < call->n_operands; i++) {
		if (!*call->operands[i])
			return cli_usage("operand %d is empty", i + 1);
		if (!jx_is_utf8(call->operands[i], strlen(call->operands[i])))
			return cli_usage("operand %d is not UTF-8", i + 1);
	}
	for (size_t i = 0; i < call->n_values; i++)
		if (!jx_is_utf8(call->values[i], strlen(call->values[i])))
			return cli_usage("the value of --%s is not UTF-8",
				call->options[call->value_option[i]].name);
	return CLI_OK;
}

static int run_verb(const char *noun, const struct noun_verb *verb, int argc, char **argv)
{
	struct noun_call call = {.arena = arena_new()};
	int status = parse_options(&call, verb, argc, argv);

	if (status == CLI_OK && noun_value(&call, "help")) {
		print_verb_usage(stdout, noun, verb);
		arena_free(call.arena);
		return CLI_OK;
	}
	if (status == CLI_OK && (call.n_operands < verb->min_operands ||
					call.n_operands > verb->max_operands)) {
		print_verb_usage(stderr, noun, verb);
		status = CLI_USAGE;
	}
	if (status == CLI_OK)
		status = check_words(&call);
	if (status == CLI_OK) {
		call.json = noun_value(&call, "json") != NULL;
		status = client_open(noun_value(&call, "server"),
			noun_value(&call, "token-file"), &call.client, &call.err);
		if (status == 0)
			status = verb->run(&call);
		if (status < 0)
			status = cli_fail(&call.err);
		if (status == CLI_OK && fflush(stdout) != 0)
			status = CLI_FAILED;
	}
	client_free(call.client);
	arena_free(call.arena);
	return status;
}

int noun_run(const char *noun, const char *summary, const struct noun_verb *verbs,
	int argc, char **argv)
{
	const char *names[24] = {NULL};
	char what[40];
	size_t n = 0;

	if (!*verbs[0].name)
		return run_verb(noun, &verbs[0], argc, argv);
	if (argc < 2 || cli_is_help(argv[1])) {
		print_noun_usage(argc < 2 ? stderr : stdout, noun, summary, verbs);
		return argc < 2 ? CLI_USAGE : CLI_OK;
	}
	for (const struct noun_verb *verb = verbs; verb->name; verb++) {
		if (strcmp(verb->name, argv[1]) == 0)
			return run_verb(noun, verb, argc - 1, argv + 1);
		if (n + 1 < ARRAY_LEN(names))
			names[n++] = verb->name;
	}
	snprintf(what, sizeof(what), "%s command", noun);
	return cli_unknown(what, argv[1], names);
}

int noun_send(struct noun_call *call, const char *method, const char *path, json_t *body,
	json_t **ret)
{
	json_t *answer = NULL;
	int rc = client_call(call->client, method, path, body, &answer, &call->err);

	*ret = NULL;
	if (rc)
		return rc;
	if (call->json)
		return cli_print_json(answer);
	*ret = answer;
	return 0;
}

int noun_get(struct noun_call *call, const char *path, json_t **ret)
{
	return noun_send(call, "GET", path, NULL, ret);
}
