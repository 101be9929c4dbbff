/* SPDX-License-Identifier: GPL-2.0-or-later */
/* api.c - see api.h. */
#include "runners/api.h"
#include "base/base.h"

#include "base/file.h"
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECT_MS   10000
#define CALL_MS      30000
#define BLOB_MS      (30 * 60 * 1000)
#define STALL_S      60 /* a transfer below 1 KiB/s for so long is given up */
#define TOKEN_MAX    4096
#define ERROR_MAX    65536
#define PATH_MAX_API 512

struct api {
	CURL *curl;
	char *url;
	struct curl_slist *auth;
	const volatile sig_atomic_t *stop;
};

/* One transfer: where the answer goes, and what is sent. */
struct call {
	struct api *api;
	struct sbuf answer;
	size_t answer_cap;
	FILE *to; /* instead of answer, once the status is 200 */
	int64_t to_bytes;
	const char *send;
	size_t send_len, send_at;
	FILE *from;
};

static size_t on_answer(char *p, size_t size, size_t n, void *arg)
{
	struct call *c = arg;
	long status = 0;

	curl_easy_getinfo(c->api->curl, CURLINFO_RESPONSE_CODE, &status);
	n *= size;
	if (c->to && status == 200) {
		c->to_bytes += (int64_t)n;
		return c->to_bytes <= API_BLOB_MAX ? fwrite(p, 1, n, c->to) : 0;
	}
	if (c->answer.len + n > c->answer_cap)
		return 0;
	sbuf_add(&c->answer, p, n);
	return n;
}

static size_t on_send(char *p, size_t size, size_t n, void *arg)
{
	struct call *c = arg;

	n *= size;
	if (c->from)
		return fread(p, 1, n, c->from);
	if (n > c->send_len - c->send_at)
		n = c->send_len - c->send_at;
	memcpy(p, c->send + c->send_at, n);
	c->send_at += n;
	return n;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct api *api = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return api->stop && *api->stop;
}

int api_open(const char *url, const char *token_file, const volatile sig_atomic_t *stop,
	struct api **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf token = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf header = SBUF_INIT;
	size_t n = strlen(url), len;
	struct api *api;
	int r;

	if (strncmp(url, "http://", 7) && strncmp(url, "https://", 8))
		return err_set(e, ERR_INVALID,
			"the server must be http://HOST:PORT, not %.100s", url);
	r = file_read(token_file, TOKEN_MAX, &token, e);
	if (r)
		return r;
	len = strcspn(token.buf, "\r\n");
	if (!len)
		return err_set(e, ERR_INVALID, "%s holds no token", token_file);
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)token.buf[i]))
			return err_set(e, ERR_INVALID, "%s holds no token", token_file);
	sbuf_addf(&header, "Authorization: Bearer %.*s", (int)len, token.buf);
	api = base_zalloc(sizeof(*api));
	api->stop = stop;
	api->url = base_strdup(url);
	while (n && api->url[n - 1] == '/')
		api->url[--n] = '\0';
	api->auth = curl_slist_append(NULL, header.buf);
	api->curl = curl_easy_init(); /* starts libcurl too */
	if (!api->auth || !api->curl) {
		api_close(api);
		return err_set(e, ERR_INTERNAL, "libcurl does not start");
	}
	*ret = api;
	return 0;
}

void api_ignore_stop(struct api *api)
{
	api->stop = NULL;
}

void api_close(struct api *api)
{
	if (!api)
		return;
	if (api->curl)
		curl_easy_cleanup(api->curl);
	curl_slist_free_all(api->auth);
	free(api->url);
	free(api);
}

void api_closep(struct api **api)
{
	api_close(*api);
	*api = NULL;
}

static int curl_err(struct err *e, CURLcode code, const char *url)
{
	static const struct {
		CURLcode code;
		enum err_code err;
	} codes[] = {
		{CURLE_OPERATION_TIMEDOUT, ERR_TIMEOUT},
		{CURLE_ABORTED_BY_CALLBACK, ERR_CANCELLED},
		{CURLE_WRITE_ERROR, ERR_TOO_BIG},
		{CURLE_READ_ERROR, ERR_INTERNAL},
		{CURLE_URL_MALFORMAT, ERR_INVALID},
		{CURLE_OUT_OF_MEMORY, ERR_INTERNAL},
	};
	enum err_code err = ERR_UNAVAILABLE;

	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].code == code)
			err = codes[i].err;
	return err_set(e, err, "%.200s: %s", url, curl_easy_strerror(code));
}

static int status_err(
	struct err *e, long status, const struct sbuf *answer, const char *url)
{
	static const struct {
		int status;
		enum err_code err;
	} codes[] = {{400, ERR_INVALID}, {401, ERR_DENIED}, {403, ERR_DENIED},
		{404, ERR_NOT_FOUND}, {409, ERR_CONFLICT}, {413, ERR_TOO_BIG},
		{429, ERR_UNAVAILABLE}};
	enum err_code err = status >= 500 ? ERR_UNAVAILABLE : ERR_INVALID;
	json_auto_t *j = NULL;
	const char *said = "", *code;
	struct err ignored;

	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].status == status)
			err = codes[i].err;
	if (answer->len < ERROR_MAX && !jx_load(answer->buf, answer->len, &j, &ignored) &&
		jx_unpack(j, &ignored, "error", "{s:{s:s, s:s}}", "error", "code", &code,
			"message", &said))
		said = "";
	return err_set(e, err, "%.200s answered %ld%s%.200s", url, status,
		*said ? ": " : "", said);
}

/* Runs one transfer; the method and body are set. */
static int perform(struct call *c, const char *path, int64_t timeout_ms,
	struct curl_slist *headers, struct err *e)
{
	CURL *h = c->api->curl;
	char url[2048];
	long status = 0;
	CURLcode code;

	snprintf(url, sizeof(url), "%.1000s/api/v1%.1000s", c->api->url, path);
	curl_easy_setopt(h, CURLOPT_URL, url);
	curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(h, CURLOPT_READFUNCTION, on_send);
	curl_easy_setopt(h, CURLOPT_READDATA, c);
	curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(h, CURLOPT_XFERINFODATA, c->api);
	curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	curl_easy_setopt(h, CURLOPT_USERAGENT, "wakelist-runner/" WL_VERSION);
	code = curl_easy_perform(h);
	if (code)
		return curl_err(e, code, url);
	curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &status);
	return status >= 200 && status < 300 ? 0 : status_err(e, status, &c->answer, url);
}

/* Authorization and one more header line; owner: caller. "Expect:" off saves a second. */
static struct curl_slist *headers_with(const struct api *api, const char *line)
{
	struct curl_slist *l = curl_slist_append(NULL, api->auth->data);

	l = l ? curl_slist_append(l, "Expect:") : NULL;
	l = l && line ? curl_slist_append(l, line) : l;
	if (!l)
		BUG("libcurl has no memory for a header");
	return l;
}

int api_post(struct api *api, const char *path, const json_t *body, int64_t timeout_ms,
	json_t **ret, struct err *e)
{
	CLEANUP(base_freep) char *text = jx_dump(body);
	struct call c = {.api = api, .answer = SBUF_INIT, .answer_cap = API_ANSWER_MAX};
	struct curl_slist *headers = headers_with(api, "Content-Type: application/json");
	struct err ignored;
	int r, r2 = 0;

	curl_easy_reset(api->curl);
	curl_easy_setopt(api->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(api->curl, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(api->curl, CURLOPT_POSTFIELDSIZE, (long)strlen(text));
	r = perform(&c, path, timeout_ms ? timeout_ms : CALL_MS, headers, e);
	if (ret && (!r || r == ERR_CONFLICT))
		r2 = jx_load(c.answer.buf, c.answer.len, ret, r ? &ignored : e);
	curl_slist_free_all(headers);
	sbuf_release(&c.answer);
	return r ? r : r2;
}

int api_log(struct api *api, const char *job_id, int64_t fence, int64_t offset,
	const void *p, size_t len, int64_t *ret_size, struct err *e)
{
	struct call c = {.api = api,
		.answer = SBUF_INIT,
		.answer_cap = ERROR_MAX,
		.send = p,
		.send_len = len};
	struct curl_slist *headers =
		headers_with(api, "Content-Type: application/octet-stream");
	json_auto_t *j = NULL;
	char path[PATH_MAX_API];
	json_int_t size = -1;
	struct err ignored;
	int r;

	snprintf(path, sizeof(path), "/runner/jobs/%.40s/log?fence=%lld&offset=%lld",
		job_id, (long long)fence, (long long)offset);
	curl_easy_reset(api->curl);
	curl_easy_setopt(api->curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(api->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)len);
	r = perform(&c, path, CALL_MS, headers, e);
	if ((!r || r == ERR_CONFLICT) &&
		!jx_load(c.answer.buf, c.answer.len, &j, &ignored) &&
		jx_unpack(j, &ignored, "log", "{s:I}", "size", &size))
		size = -1;
	*ret_size = size;
	curl_slist_free_all(headers);
	sbuf_release(&c.answer);
	return r;
}

int api_blob_get(struct api *api, const char *sha, const char *file, struct err *e)
{
	struct call c = {.api = api, .answer = SBUF_INIT, .answer_cap = ERROR_MAX};
	struct curl_slist *headers = headers_with(api, NULL);
	CLEANUP(sbuf_release) struct sbuf tmp = SBUF_INIT;
	char path[PATH_MAX_API], got[SHA256_HEX];
	int r = 0;

	sbuf_addf(&tmp, "%s.part", file);
	if (!sha256_is_hex(sha))
		r = err_set(e, ERR_INVALID, "\"%.70s\" is no SHA-256", sha);
	if (!r && !(c.to = fopen(tmp.buf, "wbe")))
		r = err_set(e, ERR_INTERNAL, "%s: %s", tmp.buf, strerror(errno));
	if (!r) {
		snprintf(path, sizeof(path), "/blobs/%s", sha);
		curl_easy_reset(api->curl);
		curl_easy_setopt(api->curl, CURLOPT_HTTPGET, 1L);
		curl_easy_setopt(api->curl, CURLOPT_LOW_SPEED_LIMIT, 1024L);
		curl_easy_setopt(api->curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
		r = perform(&c, path, BLOB_MS, headers, e);
		if (fclose(c.to) && !r)
			r = err_set(e, ERR_BUSY, "%s: %s", tmp.buf, strerror(errno));
	}
	if (!r)
		r = sha256_file_hex(tmp.buf, got, NULL, e);
	if (!r && strcmp(got, sha))
		r = err_set(e, ERR_UNAVAILABLE, "blob %.12s came with other bytes", sha);
	if (!r && rename(tmp.buf, file))
		r = err_set(e, ERR_INTERNAL, "%s: %s", file, strerror(errno));
	if (r)
		unlink(tmp.buf);
	curl_slist_free_all(headers);
	sbuf_release(&c.answer);
	return r;
}

/* 0: the server has it; NOT_FOUND. */
static int blob_head(struct api *api, const char *path, struct err *e)
{
	struct call c = {.api = api, .answer = SBUF_INIT, .answer_cap = ERROR_MAX};
	struct curl_slist *headers = headers_with(api, NULL);
	int r;

	curl_easy_reset(api->curl);
	curl_easy_setopt(api->curl, CURLOPT_NOBODY, 1L);
	r = perform(&c, path, CALL_MS, headers, e);
	curl_slist_free_all(headers);
	sbuf_release(&c.answer);
	return r;
}

int api_blob_put(
	struct api *api, const char *file, char ret_sha[SHA256_HEX], struct err *e)
{
	struct call c = {.api = api, .answer = SBUF_INIT, .answer_cap = ERROR_MAX};
	struct curl_slist *headers;
	char path[PATH_MAX_API], sha[SHA256_HEX];
	int64_t bytes;
	int r = sha256_file_hex(file, sha, &bytes, e);

	if (r)
		return r;
	snprintf(path, sizeof(path), "/blobs/%s", sha);
	r = blob_head(api, path, e);
	if (r && r != ERR_NOT_FOUND)
		return r;
	if (r) {
		c.from = fopen(file, "rbe");
		if (!c.from)
			return err_set(e, ERR_INTERNAL, "%s: %s", file, strerror(errno));
		headers = headers_with(api, "Content-Type: application/octet-stream");
		curl_easy_reset(api->curl);
		curl_easy_setopt(api->curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(api->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)bytes);
		curl_easy_setopt(api->curl, CURLOPT_LOW_SPEED_LIMIT, 1024L);
		curl_easy_setopt(api->curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
		r = perform(&c, path, BLOB_MS, headers, e);
		fclose(c.from);
		curl_slist_free_all(headers);
		sbuf_release(&c.answer);
	}
	if (!r)
		memcpy(ret_sha, sha, SHA256_HEX);
	return r;
}
