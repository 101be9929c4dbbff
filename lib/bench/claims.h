/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claims.h - the result tables that people post in mails, as numbers.
 *
 * Pure: bytes in (the decoded text of a mail: quoted, wrapped, with tabs, with its diff),
 * claims out in the order of the text, tables before sentences. Only what the text states
 * is recorded; nothing is computed. docs/claims.md lists the formats. Everything returned
 * lives in the arena.
 */
#ifndef WL_BENCH_CLAIMS_H
#define WL_BENCH_CLAIMS_H

#include "base/arena.h"
#include "base/jx.h"

#define CLAIMS_TEXT_MAX (16 << 20) /* bytes one reading accepts: ERR_TOO_BIG above */
#define CLAIMS_MAX      20000      /* claims of one text; what follows is left out */
#define CLAIMS_LINES    100000     /* lines of one text; what follows is left out */

enum claim_better { CLAIM_BETTER_UNSAID, CLAIM_LOWER, CLAIM_HIGHER };

struct claim {
	const char *bench; /* NULL: not named */
	const char *what;  /* "case" of the JSON: HEADING | ROW | COLUMN, never NULL */
	const char *unit;  /* as printed; NULL: not said */
	enum claim_better better;
	/* As printed, NAN where not; change_pct keeps the printed sign. */
	double base, patched, change_pct, std_base_pct, std_patched_pct;
};

struct claims {
	struct claim *list;
	size_t n;
	bool cut; /* there were more than CLAIMS_MAX, or CLAIMS_LINES */
};

/* 0 also when there is no claim. ERR_TOO_BIG above CLAIMS_TEXT_MAX. */
int claims_read(struct arena *a, const char *text, size_t len, struct claims *ret,
	struct err *e) MUST_CHECK;
/* {"v":1,"claims":[..]} of DESIGN section 3. Owner: caller. */
json_t *claims_json(const struct claims *c);

#endif
