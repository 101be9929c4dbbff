/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/client.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sbuf.h"

#include <curl/curl.h>
#include <poll.h>
#include <strings.h>

#define ANSWER_CAP_BYTES ((size_t)64 << 20)
#define CONNECT_MS       5000L
#define ANSWER_MS        60000L
#define FOLLOW_PAUSE_MS  200
#define FOLLOW_QUIET_MS  5000

struct client {
	struct arena *arena;
	CURL *curl;
	const char *server;
	const char *token; /* NULL: reads only */
};

struct answer {
	struct sbuf body;
	bool too_big;
};

static char *trimmed(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len > 0 && strchr(" \t\r\n", s[len - 1]))
		s[--len] = '\0';
	return s;
}

/* "key = value" lines; unknown keys are an error, since a typo would send people
 * elsewhere. */
static int read_conf(struct client *c, const char *path, const char **server,
	const char **token_file, struct err *e)
{
	struct sbuf text = SBUF_INIT;
	char *line, *next;
	int n = 0, rc = file_read(path, 64 << 10, &text, e);

	for (line = text.buf; rc == 0 && line && *line; line = next) {
		char *value, *key = line;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		n++;
		key = trimmed(key);
		if (!*key || *key == '#')
			continue;
		value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		key = trimmed(key);
		if (value && strcmp(key, "server") == 0 && !*server)
			*server = arena_strdup(c->arena, trimmed(value));
		else if (value && strcmp(key, "token_file") == 0 && !*token_file)
			*token_file = arena_strdup(c->arena, trimmed(value));
		else if (!value || (strcmp(key, "server") && strcmp(key, "token_file")))
			rc = err_set(e, ERR_INVALID,
				"%s:%d: expected \"server = URL\" or \"token_file = "
				"PATH\"",
				path, n);
	}
	sbuf_release(&text);
	return rc;
}

/* One word that can stand in a header line. */
static bool is_token(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "0123456789._-+/=");

	return n > 0 && n <= 200 && !s[n];
}

static int find_server(
	struct client *c, const char *server, const char *token_file, struct err *e)
{
	const char *home = getenv("HOME");
	const char *candidates[] = {"data/cli.conf",
		home ? arena_printf(c->arena, "%s/.config/wakelist/cli.conf", home)
		     : NULL};
	struct sbuf token = SBUF_INIT;
	size_t len;
	int rc = 0;

	if (!server)
		server = getenv("WAKELIST_SERVER");
	if (server && !*server)
		server = NULL;
	if (!token_file)
		token_file = getenv("WAKELIST_TOKEN_FILE");
	if (token_file && !*token_file)
		token_file = NULL;
	for (size_t i = 0; i < ARRAY_LEN(candidates) && (!server || !token_file); i++) {
		struct err missing = {0};

		if (!candidates[i])
			continue;
		rc = read_conf(c, candidates[i], &server, &token_file, &missing);
		if (rc && rc != ERR_NOT_FOUND)
			return err_set(e, missing.code, "%s", missing.msg);
	}
	if (!server)
		server = "http://127.0.0.1:8080";
	len = strlen(server);
	while (len > 0 && server[len - 1] == '/')
		len--;
	c->server = arena_strndup(c->arena, server, len);
	rc = 0;
	if (token_file) {
		rc = file_read(token_file, 4096, &token, e);
		if (rc == 0 && !is_token(trimmed(token.buf)))
			rc = err_set(e, ERR_INVALID, "%s holds no token", token_file);
		else if (rc == 0)
			c->token = arena_strdup(c->arena, trimmed(token.buf));
		else
			err_wrap(e, "the token");
	}
	sbuf_release(&token);
	return rc;
}

int client_open(
	const char *server, const char *token_file, struct client **ret, struct err *e)
{
	struct client *c = base_zalloc(sizeof(*c));
	int rc;

	c->arena = arena_new();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	c->curl = curl_easy_init();
	if (!c->curl)
		BUG("curl_easy_init failed");
	rc = find_server(c, server, token_file, e);
	if (rc) {
		client_free(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void client_free(struct client *c)
{
	if (!c)
		return;
	curl_easy_cleanup(c->curl);
	arena_free(c->arena);
	free(c);
}

void client_freep(struct client **c)
{
	client_free(*c);
}

const char *client_server(const struct client *c)
{
	return c->server;
}

const char *client_escape(struct arena *a, const char *text)
{
	char *quoted = curl_easy_escape(NULL, text, 0);
	const char *copy = arena_strdup(a, quoted);

	curl_free(quoted);
	return copy;
}

static size_t keep_answer(char *data, size_t size, size_t n, void *arg)
{
	struct answer *answer = arg;

	if (answer->body.len + size * n > ANSWER_CAP_BYTES) {
		answer->too_big = true;
		return 0;
	}
	sbuf_add(&answer->body, data, size * n);
	return size * n;
}

/* What goes out. */
struct body {
	const char *type, *p; /* type NULL: nothing */
	size_t len;
};

static struct curl_slist *set_headers(struct client *c, const char *type)
{
	struct curl_slist *headers = NULL;
	struct sbuf line = SBUF_INIT;

	if (c->token) {
		sbuf_addf(&line, "Authorization: Bearer %s", c->token);
		headers = curl_slist_append(headers, line.buf);
	}
	if (type) {
		sbuf_reset(&line);
		sbuf_addf(&line, "Content-Type: %s", type);
		headers = curl_slist_append(headers, line.buf);
	}
	headers = curl_slist_append(headers, "Expect:");
	sbuf_release(&line);
	return headers;
}

/* One exchange; the status is checked by the caller. */
static int exchange(struct client *c, const char *method, const char *path,
	const struct body *body, struct answer *answer, long *ret_status, struct err *e)
{
	struct sbuf url = SBUF_INIT;
	struct curl_slist *headers = set_headers(c, body->type);
	CURLcode code;
	int rc = 0;

	sbuf_addf(&url, "%s/api/v1%s", c->server, path);
	curl_easy_reset(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, url.buf);
	curl_easy_setopt(c->curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c->curl, CURLOPT_USERAGENT, "wakelist/" WL_VERSION);
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, ANSWER_MS);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, keep_answer);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, answer);
	if (body->type) {
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body->p);
		curl_easy_setopt(
			c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	}
	code = curl_easy_perform(c->curl);
	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, ret_status);
	if (answer->too_big)
		rc = err_set(
			e, ERR_TOO_BIG, "the answer of %s is over 64 MiB", c->server);
	else if (code != CURLE_OK)
		rc = err_set(e, ERR_UNAVAILABLE, "%s does not answer: %s", c->server,
			curl_easy_strerror(code));
	curl_slist_free_all(headers);
	sbuf_release(&url);
	return rc;
}

/* The other direction of the server's table of codes. */
static enum err_code code_of_status(long status)
{
	static const struct {
		long status;
		enum err_code code;
	} table[] = {{400, ERR_INVALID}, {401, ERR_DENIED}, {403, ERR_DENIED},
		{404, ERR_NOT_FOUND}, {405, ERR_UNSUPPORTED}, {409, ERR_CONFLICT},
		{413, ERR_TOO_BIG}, {429, ERR_BUSY}, {503, ERR_UNAVAILABLE},
		{504, ERR_TIMEOUT}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].status == status)
			return table[i].code;
	return ERR_INTERNAL;
}

static int refused(
	const struct client *c, long status, const struct answer *answer, struct err *e)
{
	const char *message = NULL;
	json_auto_t *root = json_loadb(answer->body.buf, answer->body.len, 0, NULL);

	if (root && json_unpack(root, "{s:{s:s}}", "error", "message", &message) == 0)
		return err_set(e, code_of_status(status), "%s", message);
	return err_set(e, code_of_status(status), "%s answered with HTTP status %ld",
		c->server, status);
}

static int call(struct client *c, const char *method, const char *path,
	const struct body *body, json_t **ret, struct err *e)
{
	struct answer answer = {.body = SBUF_INIT};
	long status = 0;
	int rc = exchange(c, method, path, body, &answer, &status, e);

	if (rc == 0 && (status < 200 || status > 299))
		rc = refused(c, status, &answer, e);
	if (rc == 0)
		rc = jx_load(answer.body.buf, answer.body.len, ret, e);
	sbuf_release(&answer.body);
	return rc;
}

int client_call(struct client *c, const char *method, const char *path, json_t *body,
	json_t **ret, struct err *e)
{
	char *text = body ? jx_dump(body) : NULL;
	struct body b = {text ? "application/json" : NULL, text, text ? strlen(text) : 0};
	int rc = call(c, method, path, &b, ret, e);

	json_decref(body);
	free(text);
	return rc;
}

int client_upload(struct client *c, const char *path, const char *type, const char *p,
	size_t len, json_t **ret, struct err *e)
{
	struct body b = {type, p, len};

	return call(c, "POST", path, &b, ret, e);
}

int client_text(struct client *c, const char *path, char **ret, struct err *e)
{
	struct answer answer = {.body = SBUF_INIT};
	long status = 0;
	int rc = exchange(
		c, "GET", path, &(struct body){NULL, NULL, 0}, &answer, &status, e);

	if (rc == 0 && (status < 200 || status > 299))
		rc = refused(c, status, &answer, e);
	if (rc == 0)
		*ret = sbuf_detach(&answer.body, NULL);
	sbuf_release(&answer.body);
	return rc;
}

static size_t note_event(char *data, size_t size, size_t n, void *arg)
{
	bool *seen = arg;

	if (memmem(data, size * n, "data:", 5))
		*seen = true;
	return size * n;
}

void client_follow(
	struct client *c, const char *series_id, int (*on_event)(void *arg), void *arg)
{
	struct sbuf url = SBUF_INIT;
	struct curl_slist *headers = set_headers(c, NULL);
	CURLM *multi = curl_multi_init();
	CURL *stream = curl_easy_init(); /* on_event uses the other handle meanwhile */
	bool seen = true;
	int running = 1;
	int64_t last_ns = 0;

	sbuf_addf(&url, "%s/api/v1/events?series=%s", c->server, series_id);
	curl_easy_setopt(stream, CURLOPT_URL, url.buf);
	curl_easy_setopt(stream, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(stream, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(stream, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(stream, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(stream, CURLOPT_WRITEFUNCTION, note_event);
	curl_easy_setopt(stream, CURLOPT_WRITEDATA, &seen);
	curl_multi_add_handle(multi, stream);
	for (;;) {
		int64_t quiet_ms = (clock_mono_ns() - last_ns) / NS_PER_MS;

		if (running)
			curl_multi_perform(multi, &running);
		if (last_ns == 0 || (seen && quiet_ms >= FOLLOW_PAUSE_MS) ||
			quiet_ms >= FOLLOW_QUIET_MS) {
			seen = false;
			if (on_event(arg))
				break;
			last_ns = clock_mono_ns();
		}
		/* a stream that ended leaves the plain asking every 5 s */
		if (running)
			curl_multi_poll(multi, NULL, 0, FOLLOW_PAUSE_MS, NULL);
		else
			poll(NULL, 0, FOLLOW_PAUSE_MS);
	}
	curl_multi_remove_handle(multi, stream);
	curl_easy_cleanup(stream);
	curl_multi_cleanup(multi);
	curl_slist_free_all(headers);
	sbuf_release(&url);
}
