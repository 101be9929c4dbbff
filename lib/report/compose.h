/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compose.h - a reply as RFC 5322 bytes (LF ends; the sender makes CRLF), pure.
 *
 * Values taken from the answered mail (subject, names, addresses, ids) are decoded UTF-8.
 * A CR, LF or NUL in one of them is a refusal, ERR_INVALID, never a replacement; other
 * control characters likewise. Non-ASCII text is written as RFC 2047 Q words. Body:
 * text/plain, us-ascii 7bit; or utf-8 quoted-printable where it must be.
 */
#ifndef WL_REPORT_COMPOSE_H
#define WL_REPORT_COMPOSE_H

#include "base/arena.h"
#include "base/err.h"

#define COMPOSE_CC_MAX   25
#define COMPOSE_SIZE_MAX (1 << 20) /* bytes of a whole mail: ERR_TOO_BIG above */

struct compose_addr {
	const char *name; /* NULL or "": none */
	const char *addr;
};

enum compose_policy { COMPOSE_AUTHOR, COMPOSE_LIST }; /* who gets it once approved */
enum compose_kind { COMPOSE_REPLY, COMPOSE_CORRECTION, COMPOSE_NOTICE }; /* r c n */

struct compose_in {
	enum compose_kind kind;
	enum compose_policy policy;
	const char *root_msgid; /* of the series, bare: goes into our id */
	int series_version;
	int attempt; /* 0; grows only by a person's act */
	/* the mail that is answered: the cover, or patch 1 */
	const char *message_id; /* bare */
	const char
		*references; /* its References, folded or not; ids only are used; NULL */
	const char *subject;
	struct compose_addr author;
	const struct compose_addr *to, *cc; /* of that mail */
	size_t n_to, n_cc;
	/* ourselves */
	struct compose_addr from;
	const char *domain;    /* of our message-ids */
	const char *reply_to;  /* NULL: none */
	const char *archive;   /* our archive list, added to Cc; NULL: none */
	const char *list_addr; /* the list it came by, in Cc under COMPOSE_LIST; NULL */
	int64_t date_epoch_s;
	const char *verdict; /* X-Wakelist-Verdict; NULL: none */
	const char *run_url; /* X-Wakelist-Run; NULL: none */
	const char *body;    /* LF lines */
};

struct compose_mail {
	const char *message_id; /* bare */
	const char *subject;    /* decoded, with "Re: " */
	const char *mail_from;  /* envelope */
	const char **rcpt;      /* envelope, no duplicates */
	size_t n_rcpt;
	const char *bytes; /* header, empty line, body */
	size_t len;
	const char **notes; /* addresses left out, and why */
	size_t n_notes;
};

/* "wl1.KIND.H@DOMAIN": H = first 32 hex of SHA-256 over "wl1\nKIND\nROOT\nVERSION\n
 * ATTEMPT\n" (no blanks), ROOT bare. Arena. */
const char *compose_message_id(struct arena *a, enum compose_kind kind,
	const char *root_msgid, int series_version, int attempt, const char *domain);
int compose_reply(struct arena *a, const struct compose_in *in, struct compose_mail *ret,
	struct err *e) MUST_CHECK;

#endif
