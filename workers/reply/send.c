/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One attempt to hand a mail to a mail server. What happened is decided by how far we
 * came: before the last byte was given to libcurl nothing can have been accepted; after
 * it only an answer of the server tells.
 */
#include "base/blob.h"
#include "workers/reply/reply.h"

#include <curl/curl.h>

#define MAIL_MAX_BYTES ((size_t)1 << 20)
#define CONNECT_S      30L
#define TOTAL_S        300L
#define SAID_MAX       300

struct sending {
	struct sbuf bytes;
	size_t at;
	bool all_given;         /* the final "." may have gone out */
	int n_refused;          /* recipients */
	bool rcpt, quit;        /* the last command */
	char said[SAID_MAX];    /* last line of the server */
	char refused[SAID_MAX]; /* its words about a recipient */
};

void reply_crlf(const char *p, size_t len, struct sbuf *ret)
{
	sbuf_reset(ret);
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\n' && (i == 0 || p[i - 1] != '\r'))
			sbuf_addc(ret, '\r');
		sbuf_addc(ret, p[i]);
	}
}

static size_t on_read(char *p, size_t size, size_t n, void *arg)
{
	struct sending *s = arg;
	size_t left = s->bytes.len - s->at, len = size * n < left ? size * n : left;

	memcpy(p, s->bytes.buf + s->at, len);
	s->at += len;
	/* libcurl knows the size and need not ask again: the last byte is the end */
	if (s->at == s->bytes.len)
		s->all_given = true;
	return len;
}

static void keep_line(char to[SAID_MAX], const char *p, size_t len)
{
	size_t n = 0;

	for (; n < len && n + 1 < SAID_MAX && p[n] != '\r' && p[n] != '\n'; n++)
		to[n] = p[n] >= ' ' && p[n] < 127 ? p[n] : '?';
	to[n] = '\0';
}

static int on_debug(CURL *c, curl_infotype type, char *p, size_t len, void *arg)
{
	struct sending *s = arg;

	(void)c;
	if (type == CURLINFO_HEADER_OUT) {
		s->rcpt = len >= 4 && memcmp(p, "RCPT", 4) == 0;
		s->quit = len >= 4 && memcmp(p, "QUIT", 4) == 0;
	} else if (type == CURLINFO_HEADER_IN && len >= 3 && !s->quit) {
		keep_line(s->said, p, len);
		if (s->rcpt && (p[0] == '4' || p[0] == '5')) {
			s->n_refused++;
			keep_line(s->refused, p, len);
		}
	}
	return 0;
}

/* Nothing leaves a machine in the clear; on the machine itself it may. */
static bool is_loopback(const char *url)
{
	CURLU *u = curl_url();
	char *host = NULL;
	bool loopback = false;

	if (curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
		curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK)
		loopback = strncmp(host, "127.", 4) == 0 || strcmp(host, "[::1]") == 0 ||
			   strcmp(host, "localhost") == 0;
	curl_free(host);
	curl_url_cleanup(u);
	return loopback;
}

static json_t *answer(const char *outcome, const char *said, const char *note)
{
	return jx_pack("{s:s, s:o, s:o}", "outcome", outcome, "said",
		jx_text(said, strlen(said)), "note", jx_text(note, strlen(note)));
}

static json_t *judge(struct job_ctx *j, const struct sending *s, CURLcode code,
	long status, const char *text)
{
	const char *said = s->said[0] ? s->said : text;

	if (code == CURLE_OK)
		return answer("accepted", said,
			s->n_refused
				? arena_printf(j->arena, "%d recipients were refused: %s",
					  s->n_refused, s->refused)
				: "");
	if (s->all_given && (status < 400 || status > 599))
		return answer("unknown", said, "");
	if (status >= 500 && status <= 599)
		return answer("refused", said, "");
	return answer("not_taken", status >= 400 ? said : text, "");
}

static json_t *perform(struct job_ctx *j, struct sending *s, const char *url,
	const char *from, json_t *to)
{
	CURL *c = curl_easy_init();
	struct curl_slist *rcpt = NULL;
	char text[CURL_ERROR_SIZE] = "";
	json_t *one, *out;
	CURLcode code;
	long status = 0;
	size_t i;

	if (!c)
		BUG("libcurl: no memory");
	json_array_foreach(to, i, one) rcpt = curl_slist_append(
		rcpt, arena_printf(j->arena, "<%s>", json_string_value(one)));
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(c, CURLOPT_USE_SSL,
		is_loopback(url) ? (long)CURLUSESSL_NONE : (long)CURLUSESSL_ALL);
	curl_easy_setopt(c, CURLOPT_MAIL_FROM, arena_printf(j->arena, "<%s>", from));
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, rcpt);
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(c, CURLOPT_READDATA, s);
	curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)s->bytes.len);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, TOTAL_S);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, text);
	curl_easy_setopt(c, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(c, CURLOPT_DEBUGFUNCTION, on_debug);
	curl_easy_setopt(c, CURLOPT_DEBUGDATA, s);
	code = curl_easy_perform(c);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	out = judge(j, s, code, status, text[0] ? text : curl_easy_strerror(code));
	curl_slist_free_all(rcpt);
	curl_easy_cleanup(c);
	return out;
}

int reply_send_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	struct sending s = {.bytes = SBUF_INIT};
	const char *text, *from, *smtp = NULL;
	json_t *to;
	int status = jx_unpack(in, e, "send", "{s:s, s:s, s:o, s?s !}", "text", &text,
		"from", &from, "to", &to, "smtp", &smtp);

	if (status != 0)
		return status;
	if (!smtp || !smtp[0]) {
		*ret = answer("refused",
			"the workers have no mail server (smtp in worker.conf)", "");
		return 0;
	}
	if (blob_get(j->blobs, text, MAIL_MAX_BYTES, &mail, e) != 0) {
		*ret = answer("refused", e->msg, ""); /* nobody was asked */
		return 0;
	}
	reply_crlf(mail.buf, mail.len, &s.bytes);
	*ret = perform(j, &s, smtp, from, to);
	sbuf_release(&s.bytes);
	return 0;
}
