/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claims_doc.h - what the readers of claims share; private to lib/bench.
 *
 * A text becomes lines (claims_lines.c), lines become rows of cells (claims_cells.c),
 * rows that follow each other a block (claims_blocks.c) with columns (claims_head.c) and
 * a place in the text: benchmark, unit, direction, headings (claims_place.c). A format
 * (claims.c has the table) takes a block and appends claims.
 */
#ifndef WL_BENCH_CLAIMS_DOC_H
#define WL_BENCH_CLAIMS_DOC_H

#include "bench/claims.h"

#include <math.h>

#define CL_CELLS_MAX  48
#define CL_LINE_MAX   1000  /* bytes of a line that can be a row or a heading */
#define CL_TEXT_MAX   65536 /* ... that can name a benchmark; longer ones are cut */
#define CL_LEVELS_MAX 4
#define CL_READS_MAX  500000 /* cells read in one text, the same ones again included */
#define CL_FIGURES    2000   /* of sentences */

struct cl_row;

struct cl_line {
	char *text; /* without quoting; a tab is '\t' and blanks up to its stop */
	int depth;  /* of quoting */
	int indent;
	bool skip;  /* diff, diffstat, kernel log: nobody's claim */
	bool rule;  /* ----- or +---+ */
	bool taken; /* part of a table, or read */
	bool tried; /* as a row: it is one when row is set */
	const struct cl_row *row;
};

/* One number of a row and what is written behind it. NAN: absent. */
struct cl_cell {
	double value;   /* NAN: "~", "-", "n/a" */
	double change;  /* (1.2%) [1.2%] * 1.2%* (1.2 pct) (diff: 1.2%) */
	double spread;  /* +- 1.2%, (var: 1.2%) */
	double paren;   /* (1.2): what it is, the header says */
	double bracket; /* [1.2] */
	double step;    /* one unit in the last printed digit of the value */
	const char *unit;
	bool pct;  /* the value itself has a percent sign */
	bool sign; /* ... and a sign */
	bool signed_change;
	bool blank;    /* "(    )" */
	bool whole;    /* digits only */
	bool noted;    /* anything stands behind the value */
	bool worse;    /* "regression" stands behind a percentage ... */
	bool improved; /* ... or "improvement" */
	int x0, x1;    /* first byte of the value, byte behind all of it */
};

struct cl_row {
	const char *label; /* blanks collapsed, no ':' at its end; "" for none */
	const char *text;  /* the line, which x0 and x1 count in; NULL in a pipe table */
	const char *tail;  /* words behind the last cell */
	struct cl_cell *cells;
	size_t n;
	size_t line;
	bool from_to; /* "1.5 s -> 1.4 s" */
	bool comma;   /* holds a number with a comma that cannot be thousands */
};

enum cl_role { CL_VALUE, CL_CHANGE, CL_SPREAD, CL_NONE };

struct cl_column {
	const char *name; /* "" unknown */
	enum cl_role role;
	bool paren_spread, paren_change, bracket_spread, bracket_change;
	bool base, patched; /* what the name says */
	bool pct;           /* ... which holds a percent sign */
};

struct cl_place {
	const char *bench, *unit;
	enum claim_better better;
	const char *headings[CL_LEVELS_MAX];
	int levels[CL_LEVELS_MAX];
	int n;
	int unit_level, better_level;
	int bench_level;
};

struct cl_block {
	struct cl_row *rows;
	size_t n;
	size_t k;           /* columns */
	size_t first, last; /* lines of the rows */
	size_t head;        /* first line of the header; == first without one */
	struct cl_column *columns;
	bool has_head;
	bool pipe;
	const char **pipe_head; /* one a column: a pipe table's header, or NULL */
	const char *label_head; /* text above the labels, or "" */
	const char *group;      /* a heading between the header and the rows, or NULL */
	const char *above[3];   /* nearest lines above the header, nearest first; NULL */
	struct cl_place place;
	bool taken;
};

struct cl_doc {
	struct arena *arena;
	struct cl_line *lines;
	size_t n;
	struct cl_block *blocks;
	size_t n_blocks, cap_blocks;
	size_t n_reads;
	struct claims *out;
	size_t cap_out;
};

/* claims_unfold.c */
/* Text whose line ends were lost (long lines, hardly a newline) with line ends before and
 * behind what reads like a row. Arena; text itself when it needs none. */
const char *cl_unfold(struct arena *a, const char *text, size_t len, size_t *ret_len);
/* claims_lines.c */
void cl_read_lines(struct cl_doc *d, const char *text, size_t len);

/* claims_cells.c. comma: "1,5" is 1.5. False when the line is no row. */
bool cl_read_row(struct arena *a, const char *text, bool comma, struct cl_row *ret);
/* The whole of text as one cell: pipe tables. */
bool cl_read_cell(struct arena *a, const char *text, bool comma, struct cl_cell *ret);
struct cl_cell cl_no_cell(void);

/* claims_number.c: number at p, "1.5", "1,234.5", "+.5", "1e6". NULL when there is none.
 */
const char *cl_number(const char *p, bool comma, double *ret, bool *whole);
/* A comma that has not three digits behind it. */
bool cl_comma_is_point(const char *text);

/* claims_sums.c: what the numbers themselves say. */
enum cl_answer { CL_UNASKED, CL_YES, CL_NO };

/* change, in percent, leads from base to patched (or back), by either one's size.
 * CL_UNASKED: something is absent, or has too few digits. */
enum cl_answer cl_agrees(
	const struct cl_cell *base, const struct cl_cell *patched, double change);
/* Do the changes of column patched start from column base, in most rows? */
enum cl_answer cl_is_base_of(const struct cl_block *b, size_t base, size_t patched,
	double (*change_of)(const void *self, const struct cl_row *r, size_t j),
	const void *self);
/* Column j is the difference, or the ratio, of two others. */
bool cl_is_difference(const struct cl_block *b, size_t j);
bool cl_is_ratio(const struct cl_block *b, size_t j);
/* One unit in the last digit of the number from p to end. */
double cl_step(const char *p, const char *end);

/* claims_words.c; text is any case. */
bool cl_has(const char *text, const char *word); /* as a whole word */
bool cl_is_base(const char *text);               /* "vanilla", "w/o patch" */
bool cl_is_patched(const char *text);            /* "with patch", "after" */
bool cl_is_kernel(const char *text);             /* "v6.1", "5.13.0-rc2" */
bool cl_is_spread(const char *text);             /* "Stddev", "CoeffVar", "CV" */
bool cl_is_change(const char *text);             /* "%diff", "improvement" */
bool cl_is_statistic(const char *text);          /* "Average", "min" */
/* The whole of text says what was set, or what is known of a result: "HZ", "p-value",
 * "#runs". of_row: as a row's label, where "power" can be a result. */
bool cl_is_aside(const char *text, bool of_row);
bool cl_has_pct(const char *text);                /* "%", "pct" */
enum claim_better cl_direction(const char *text); /* "lower is better" */
size_t cl_unit_len(const char *p);                /* length of the unit at p, or 0 */
const char *cl_unit_in(struct arena *a, const char *text); /* "(usec)", "in ms" */
char *cl_collapse(struct arena *a, const char *p, size_t len);
/* claims_bench.c. The benchmark named in text, one that we know or a word like
 * "redis-benchmark"; *several when there are two. stream: the word counts. */
const char *cl_bench(struct arena *a, const char *text, bool stream, bool *several);
/* text without the benchmark's name, brackets, bullets and colons. */
const char *cl_heading_words(struct arena *a, const char *text, const char *bench);

/* claims_blocks.c, claims_pipes.c */
void cl_find_blocks(struct cl_doc *d);
size_t cl_pipe_block(struct cl_doc *d, size_t i); /* lines read, 0: none */
struct cl_block *cl_add_block(struct cl_doc *d);

/* claims_count.c: b->k, how many cells of a row are values; the others are label. */
void cl_count(struct cl_block *b);
void cl_trim_rows(struct cl_doc *d, struct cl_block *b);

/* claims_head.c */
void cl_find_columns(struct cl_doc *d, size_t block);

/* claims_place.c: fills place of every block. */
void cl_find_places(struct cl_doc *d);

/* Appends a claim with everything absent; NULL above CLAIMS_MAX. */
struct claim *cl_add(struct cl_doc *d, const struct cl_block *b, const char *label,
	const char *column);

/* The unit of c, which is the last claim, from its two cells; base may be NULL. Two units
 * cannot be compared: then base and patched go, and the claim with them when it has no
 * change. Last of what is done to a claim. */
void cl_units(struct cl_doc *d, struct claim *c, const struct cl_cell *base,
	const struct cl_cell *patched);

/* The formats. True: the block was read (or is known to be no claim). */
bool cl_stacked(struct cl_doc *d, size_t block); /* claims_kernels.c */
bool cl_kernels(struct cl_doc *d, size_t block);
bool cl_grid(struct cl_doc *d, size_t block); /* claims_grid.c */
/* Over the lines, not blocks. */
void cl_robot(struct cl_doc *d); /* claims_robot.c */
void cl_prose(struct cl_doc *d); /* claims_prose.c */

#endif
