/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/ingest/http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <zlib.h>

#define CONNECT_S 20L
#define TOTAL_S   120L

static const struct {
	CURLcode curl;
	enum err_code code;
} codes[] = {
	{CURLE_COULDNT_RESOLVE_HOST, ERR_UNAVAILABLE},
	{CURLE_COULDNT_CONNECT, ERR_UNAVAILABLE},
	{CURLE_RECV_ERROR, ERR_UNAVAILABLE},
	{CURLE_SEND_ERROR, ERR_UNAVAILABLE},
	{CURLE_GOT_NOTHING, ERR_UNAVAILABLE},
	{CURLE_PARTIAL_FILE, ERR_UNAVAILABLE},
	{CURLE_SSL_CONNECT_ERROR, ERR_UNAVAILABLE},
	{CURLE_PEER_FAILED_VERIFICATION, ERR_UNAVAILABLE},
	{CURLE_OPERATION_TIMEDOUT, ERR_TIMEOUT},
	{CURLE_FILESIZE_EXCEEDED, ERR_TOO_BIG},
	{CURLE_WRITE_ERROR, ERR_TOO_BIG},
	{CURLE_TOO_MANY_REDIRECTS, ERR_INVALID},
	{CURLE_UNSUPPORTED_PROTOCOL, ERR_INVALID},
	{CURLE_URL_MALFORMAT, ERR_INVALID},
};

static enum err_code code_of(CURLcode c)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].curl == c)
			return codes[i].code;
	return ERR_INTERNAL;
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct sbuf *body = arg;

	if (body->len + size * n > HTTP_BODY_MAX)
		return 0;
	sbuf_add(body, p, size * n);
	return size * n;
}

/* A redirect may not leave the host that was named. */
static int same_host(const char *a, const char *b)
{
	CURLU *ua = curl_url(), *ub = curl_url();
	char *ha = NULL, *hb = NULL;
	int same = 0;

	if (curl_url_set(ua, CURLUPART_URL, a, 0) == CURLUE_OK &&
		curl_url_set(ub, CURLUPART_URL, b, 0) == CURLUE_OK &&
		curl_url_get(ua, CURLUPART_HOST, &ha, 0) == CURLUE_OK &&
		curl_url_get(ub, CURLUPART_HOST, &hb, 0) == CURLUE_OK)
		same = strcasecmp(ha, hb) == 0;
	curl_free(ha);
	curl_free(hb);
	curl_url_cleanup(ua);
	curl_url_cleanup(ub);
	return same;
}

static void take_type(CURL *c, struct http_answer *ret)
{
	char *type = NULL;
	size_t n = 0;

	ret->content_type[0] = '\0';
	if (curl_easy_getinfo(c, CURLINFO_CONTENT_TYPE, &type) != CURLE_OK || !type)
		return;
	for (; type[n] && type[n] != ';' && type[n] != ' ' &&
		n + 1 < sizeof(ret->content_type);
		n++)
		ret->content_type[n] = (char)tolower((unsigned char)type[n]);
	ret->content_type[n] = '\0';
}

int http_get(const char *url, struct http_answer *ret, struct err *e)
{
	CURL *c = curl_easy_init();
	char at[CURL_ERROR_SIZE] = "", *next = NULL;
	CURLcode code = CURLE_OK;
	const char *want = url;
	int n_redirects = 0;

	if (!c)
		BUG("libcurl: no memory");
	sbuf_init(&ret->body);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "wakelist/" WL_VERSION);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, TOTAL_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, at);
	curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)HTTP_BODY_MAX);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, &ret->body);
	for (;;) {
		sbuf_reset(&ret->body);
		curl_easy_setopt(c, CURLOPT_URL, want);
		code = curl_easy_perform(c);
		if (code != CURLE_OK)
			break;
		curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &ret->status);
		curl_easy_getinfo(c, CURLINFO_REDIRECT_URL, &next);
		if (!next || ret->status < 301 || ret->status > 308)
			break;
		if (++n_redirects > 3 || !same_host(url, next)) {
			err_set(e, ERR_UNAVAILABLE, "%s redirects to %.200s", url, next);
			curl_easy_cleanup(c);
			return e->code;
		}
		want = next;
	}
	take_type(c, ret);
	curl_easy_cleanup(c);
	if (code != CURLE_OK)
		return err_set(e, code_of(code), "%s: %s", url,
			at[0] ? at : curl_easy_strerror(code));
	return 0;
}

void http_answer_release(struct http_answer *a)
{
	sbuf_release(&a->body);
}

int http_gunzip(const struct sbuf *in, size_t cap_bytes, struct sbuf *ret, struct err *e)
{
	z_stream z = {.next_in = (Bytef *)in->buf, .avail_in = (uInt)in->len};
	unsigned char buf[65536];
	int got = inflateInit2(&z, 15 + 16), status = 0;

	if (got != Z_OK)
		return err_set(e, ERR_INTERNAL, "zlib does not start");
	sbuf_reset(ret);
	while (status == 0 && got != Z_STREAM_END) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		got = inflate(&z, Z_NO_FLUSH);
		if (got != Z_OK && got != Z_STREAM_END)
			status = err_set(e, ERR_INVALID, "damaged gzip data");
		else if (ret->len + (sizeof(buf) - z.avail_out) > cap_bytes)
			status = err_set(e, ERR_TOO_BIG,
				"over %zu MiB when it is unpacked", cap_bytes >> 20);
		else
			sbuf_add(ret, buf, sizeof(buf) - z.avail_out);
		/* gzip files may stand one behind the other */
		if (got == Z_STREAM_END && z.avail_in > 0 && inflateReset(&z) == Z_OK)
			got = Z_OK;
		else if (got == Z_OK && z.avail_in == 0 && z.avail_out == sizeof(buf))
			status = err_set(e, ERR_INVALID, "gzip data that ends too early");
	}
	inflateEnd(&z);
	return status;
}
