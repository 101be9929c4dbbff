/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_inbox.c - public-inbox over HTTP: curl multi on the loop. Names are resolved by
 * curl's own thread. */
#include "base/base.h"

#include "server/watch.h"

#include "base/arena.h"
#include "base/jx.h"
#include "base/sbuf.h"
#include "base/sha256.h"

#include <ctype.h>
#include <curl/curl.h>
#include <event2/event.h>
#include <strings.h>
#include <sys/queue.h>
#include <zlib.h>

#define ANSWER_MAX   (4 << 20) /* of one list; unpacked in the loop */
#define REDIRECT_MAX 3
#define TIMEOUT_MS   30000L
#define CONNECT_MS   10000L

struct ask {
	LIST_ENTRY(ask) next;
	struct watch_inbox *w;
	CURL *easy;
	struct curl_slist *headers;
	char *url;
	struct sbuf body;
	char *etag, *last_modified, *content_type;
	int64_t retry_ms;
	int n_redirects;
	bool too_big;
	watch_cb *cb;
	void *arg;
};

struct watch_inbox {
	struct event_base *base;
	CURLM *multi;
	struct event *timer;
	char *user_agent;
	LIST_HEAD(, ask) asks;
	LIST_HEAD(, sock) socks;
};

struct sock {
	LIST_ENTRY(sock) next;
	struct event *ev;
};

/* ---- manifests ---- */

static int unpack(const void *p, size_t len, struct sbuf *ret, struct err *e)
{
	z_stream z = {0};
	char buf[16384];
	int status;

	z.next_in = (unsigned char *)p;
	z.avail_in = (unsigned)len;
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		BUG("zlib does not start");
	do {
		z.next_out = (unsigned char *)buf;
		z.avail_out = sizeof(buf);
		status = inflate(&z, Z_NO_FLUSH);
		sbuf_add(ret, buf, sizeof(buf) - z.avail_out);
	} while (status == Z_OK && ret->len <= ANSWER_MAX);
	inflateEnd(&z);
	if (ret->len > ANSWER_MAX)
		return err_set(e, ERR_TOO_BIG, "the manifest is over %d MiB unpacked",
			ANSWER_MAX >> 20);
	if (status != Z_STREAM_END)
		return err_set(e, ERR_INVALID, "the manifest is no whole gzip file");
	return 0;
}

/* "/LIST/git/3.git" */
static bool is_epoch(const char *key)
{
	const char *p = strstr(key, "/git/");
	size_t n;

	if (!p)
		return false;
	n = strspn(p + 5, "0123456789");
	return n > 0 && strcmp(p + 5 + n, ".git") == 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int watch_manifest_fingerprint(const void *p, size_t len, char ret_hex[65], struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT, all = SBUF_INIT;
	json_auto_t *j = NULL;
	const unsigned char *u = p;
	struct arena *a;
	const char **lines = NULL, *key;
	size_t n = 0, cap = 0;
	json_t *value;
	int status = 0;

	if (len >= 2 && u[0] == 0x1f && u[1] == 0x8b)
		status = unpack(p, len, &text, e);
	else
		sbuf_add(&text, p, len);
	if (status == 0)
		status = jx_load(text.buf, text.len, &j, e);
	if (status != 0)
		return err_wrap(e, "manifest.js.gz");
	a = arena_new();
	json_object_foreach(j, key, value)
	{
		const char *f = json_string_value(json_object_get(value, "fingerprint"));

		if (is_epoch(key) && f)
			*ARENA_PUSH(a, lines, n, cap) =
				arena_printf(a, "%s %s\n", key, f);
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++)
		sbuf_adds(&all, lines[i]);
	arena_free(a);
	if (n == 0)
		return err_set(e, ERR_INVALID, "manifest.js.gz names no git epoch");
	sha256_hex(all.buf, all.len, ret_hex);
	return 0;
}

/* ---- one question ---- */

static void ask_free(struct ask *k)
{
	LIST_REMOVE(k, next);
	curl_multi_remove_handle(k->w->multi, k->easy);
	curl_easy_cleanup(k->easy);
	curl_slist_free_all(k->headers);
	sbuf_release(&k->body);
	free(k->url);
	free(k->etag);
	free(k->last_modified);
	free(k->content_type);
	free(k);
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct ask *k = arg;

	if (k->body.len + size * n > ANSWER_MAX) {
		k->too_big = true;
		return 0;
	}
	sbuf_add(&k->body, p, size * n);
	return size * n;
}

static bool header_value(const char *line, size_t len, const char *name, char **ret)
{
	size_t n = strlen(name);
	char *value;

	if (len <= n || strncasecmp(line, name, n) != 0)
		return false;
	line += n;
	len -= n;
	while (len && isspace((unsigned char)*line))
		line++, len--;
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	if (len > 500)
		return false;
	value = base_zalloc(len + 1);
	memcpy(value, line, len);
	free(*ret);
	*ret = value;
	return true;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct ask *k = arg;
	CLEANUP(base_freep) char *retry = NULL;

	if (header_value(p, size * n, "Retry-After:", &retry)) {
		if (*retry && strspn(retry, "0123456789") == strlen(retry)) {
			k->retry_ms = strtoll(retry, NULL, 10) * 1000;
		} else {
			time_t at = curl_getdate(retry, NULL), now = time(NULL);

			k->retry_ms = at > now ? (int64_t)(at - now) * 1000 : 0;
		}
		if (k->retry_ms > INT64_C(86400000))
			k->retry_ms = INT64_C(86400000);
		return size * n;
	}
	if (!header_value(p, size * n, "ETag:", &k->etag) &&
		!header_value(p, size * n, "Last-Modified:", &k->last_modified))
		header_value(p, size * n, "Content-Type:", &k->content_type);
	return size * n;
}

static int same_host(const char *a, const char *b)
{
	CURLU *ua = curl_url(), *ub = curl_url();
	char *ha = NULL, *hb = NULL;
	int same = curl_url_set(ua, CURLUPART_URL, a, 0) == CURLUE_OK &&
		   curl_url_set(ub, CURLUPART_URL, b, 0) == CURLUE_OK &&
		   curl_url_get(ua, CURLUPART_HOST, &ha, 0) == CURLUE_OK &&
		   curl_url_get(ub, CURLUPART_HOST, &hb, 0) == CURLUE_OK &&
		   strcasecmp(ha, hb) == 0;

	curl_free(ha);
	curl_free(hb);
	curl_url_cleanup(ua);
	curl_url_cleanup(ub);
	return same;
}

static int bad_status(const struct ask *k, long status, struct err *e)
{
	if (status == 404 || status == 410)
		return err_set(e, ERR_NOT_FOUND, "there is no list: %s answered %ld",
			k->url, status);
	if (status == 401 || status == 403)
		return err_set(e, ERR_DENIED, "%s answered %ld: it wants a person",
			k->url, status);
	if (status == 429 || status == 503)
		return err_set(e, ERR_UNAVAILABLE,
			"%s answered %ld: it wants to be left alone for a while", k->url,
			status);
	return err_set(e, ERR_UNAVAILABLE, "%s answered %ld", k->url, status);
}

static int judge(
	struct ask *k, CURLcode code, struct watch_answer *a, char hex[65], struct err *e)
{
	long status = 0;
	int rc;

	if (k->too_big)
		return err_set(
			e, ERR_TOO_BIG, "%s is over %d MiB", k->url, ANSWER_MAX >> 20);
	if (code != CURLE_OK)
		return err_set(
			e, ERR_UNAVAILABLE, "%s: %s", k->url, curl_easy_strerror(code));
	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 304) {
		a->not_modified = true;
		return 0;
	}
	if (status != 200)
		return bad_status(k, status, e);
	if (k->content_type && strncasecmp(k->content_type, "text/html", 9) == 0)
		return err_set(e, ERR_UNSUPPORTED,
			"%s answered with a page (%s), not with a manifest", k->url,
			k->content_type);
	rc = watch_manifest_fingerprint(k->body.buf, k->body.len, hex, e);
	if (rc != 0)
		return err_wrap(e, "%s", k->url);
	a->fingerprint = hex;
	a->etag = k->etag;
	a->last_modified = k->last_modified;
	return 0;
}

/* True: asked again elsewhere. */
static bool redirected(struct ask *k, struct err *e)
{
	long status = 0;
	char *to = NULL;

	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(k->easy, CURLINFO_REDIRECT_URL, &to);
	if (status < 300 || status > 399 || status == 304 || !to)
		return false;
	if (++k->n_redirects > REDIRECT_MAX) {
		err_set(e, ERR_UNAVAILABLE, "%s redirects more than %d times", k->url,
			REDIRECT_MAX);
		return false;
	}
	if (!same_host(k->url, to)) {
		err_set(e, ERR_UNAVAILABLE,
			"%s redirects to another host: subscribe %s instead", k->url, to);
		return false;
	}
	to = base_strdup(to);
	free(k->url);
	k->url = to;
	sbuf_reset(&k->body);
	curl_multi_remove_handle(k->w->multi, k->easy);
	curl_easy_setopt(k->easy, CURLOPT_URL, k->url);
	curl_multi_add_handle(k->w->multi, k->easy);
	return true;
}

static void finished(struct ask *k, CURLcode code)
{
	struct watch_answer a = {0};
	struct err e = {0};
	char hex[65];

	if (code == CURLE_OK && redirected(k, &e))
		return;
	if (!e.code)
		judge(k, code, &a, hex, &e);
	a.retry_ms = k->retry_ms;
	k->cb(&a, e.code ? &e : NULL, k->arg);
	ask_free(k);
}

static void take_finished(struct watch_inbox *w)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(w->multi, &left))) {
		struct ask *k = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &k);
		finished(k, m->data.result);
	}
}

static void on_socket(evutil_socket_t fd, short what, void *arg)
{
	struct watch_inbox *w = arg;
	int running, action = (what & EV_READ ? CURL_CSELECT_IN : 0) |
			      (what & EV_WRITE ? CURL_CSELECT_OUT : 0);

	curl_multi_socket_action(w->multi, fd, action, &running);
	take_finished(w);
}

static void on_timer(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct watch_inbox *w = arg;
	int running;

	curl_multi_socket_action(w->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	take_finished(w);
}

static int set_socket(CURL *easy UNUSED, curl_socket_t fd, int what, void *arg, void *own)
{
	struct watch_inbox *w = arg;
	struct sock *s = own;
	short events = (short)((what & CURL_POLL_IN ? EV_READ : 0) |
			       (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);

	if (s) {
		event_free(s->ev);
		s->ev = NULL;
	}
	if (what == CURL_POLL_REMOVE) {
		if (s) {
			LIST_REMOVE(s, next);
			free(s);
		}
		curl_multi_assign(w->multi, fd, NULL);
		return 0;
	}
	if (!s) {
		s = base_zalloc(sizeof(*s));
		LIST_INSERT_HEAD(&w->socks, s, next);
		curl_multi_assign(w->multi, fd, s);
	}
	s->ev = event_new(w->base, fd, events, on_socket, w);
	event_add(s->ev, NULL);
	return 0;
}

static int set_timer(CURLM *multi UNUSED, long ms, void *arg)
{
	struct watch_inbox *w = arg;
	struct timeval tv = {ms / 1000, (ms % 1000) * 1000};

	if (ms < 0)
		event_del(w->timer);
	else
		event_add(w->timer, &tv);
	return 0;
}

struct watch_inbox *watch_inbox_new(struct event_base *base, const char *user_agent)
{
	struct watch_inbox *w = base_zalloc(sizeof(*w));

	w->base = base;
	w->user_agent = base_strdup(user_agent);
	LIST_INIT(&w->asks);
	LIST_INIT(&w->socks);
	w->timer = event_new(base, -1, 0, on_timer, w);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) == 0)
		w->multi = curl_multi_init();
	if (!w->multi)
		BUG("curl does not start");
	curl_multi_setopt(w->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
	curl_multi_setopt(w->multi, CURLMOPT_SOCKETDATA, w);
	curl_multi_setopt(w->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(w->multi, CURLMOPT_TIMERDATA, w);
	curl_multi_setopt(w->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
	return w;
}

void watch_inbox_free(struct watch_inbox *w)
{
	struct ask *k;
	struct sock *s;

	if (!w)
		return;
	while ((k = LIST_FIRST(&w->asks)))
		ask_free(k);
	curl_multi_cleanup(w->multi);
	while ((s = LIST_FIRST(&w->socks))) {
		LIST_REMOVE(s, next);
		if (s->ev)
			event_free(s->ev);
		free(s);
	}
	event_free(w->timer);
	free(w->user_agent);
	free(w);
}

static void add_header(struct ask *k, const char *name, const char *value)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	if (!value)
		return;
	sbuf_addf(&s, "%s: %s", name, value);
	k->headers = curl_slist_append(k->headers, s.buf);
}

void watch_inbox_ask(struct watch_inbox *w, const char *url, const char *etag,
	const char *last_modified, watch_cb *cb, void *arg)
{
	struct ask *k = base_zalloc(sizeof(*k));
	CLEANUP(sbuf_release) struct sbuf full = SBUF_INIT;
	size_t len = strlen(url);

	while (len && url[len - 1] == '/')
		len--;
	sbuf_add(&full, url, len);
	sbuf_adds(&full, "/manifest.js.gz");
	k->w = w;
	k->cb = cb;
	k->arg = arg;
	k->url = base_strdup(full.buf);
	sbuf_init(&k->body);
	k->easy = curl_easy_init();
	add_header(k, "If-None-Match", etag);
	add_header(k, "If-Modified-Since", last_modified);
	curl_easy_setopt(k->easy, CURLOPT_URL, k->url);
	curl_easy_setopt(k->easy, CURLOPT_PRIVATE, k);
	curl_easy_setopt(k->easy, CURLOPT_HTTPHEADER, k->headers);
	curl_easy_setopt(k->easy, CURLOPT_USERAGENT, w->user_agent);
	curl_easy_setopt(k->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(k->easy, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
	curl_easy_setopt(k->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(k->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(k->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(k->easy, CURLOPT_WRITEDATA, k);
	curl_easy_setopt(k->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(k->easy, CURLOPT_HEADERDATA, k);
	LIST_INSERT_HEAD(&w->asks, k, next);
	curl_multi_add_handle(w->multi, k->easy);
}
