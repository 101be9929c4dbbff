/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/show.h"

#include "base/clock.h"

#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define LOG_EVERY_NS                                                                     \
	(30 * NS_PER_S) /* between lines of progress where nothing can be rewritten */

/* State -> SGR colour: green good, red bad, yellow for a person, blue under way. */
static const struct {
	const char *state;
	int sgr;
} colours[] = {{"ready", 32}, {"active", 32}, {"applied", 32}, {"answered", 32},
	{"done", 32}, {"ok", 32}, {"online", 32}, {"sent", 32}, {"failed", 31},
	{"refused", 31}, {"broken", 31}, {"corrupt", 31}, {"parked", 31}, {"lost", 31},
	{"rejected", 31}, {"held", 33}, {"ambiguous", 33}, {"unknown", 33},
	{"incomplete", 33}, {"importing", 34}, {"fetching", 34}, {"leased", 34},
	{"building", 34}, {"running", 34}, {"planned", 34}, {"sending", 34},
	{"complete", 34}, {"analysed", 34}};

bool show_colour(FILE *out)
{
	const char *off = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(off && *off);
}

static int sgr_of(const char *state)
{
	for (size_t i = 0; i < ARRAY_LEN(colours); i++)
		if (strcmp(colours[i].state, state) == 0)
			return colours[i].sgr;
	return 0;
}

const json_t *show_at(const json_t *object, const char *path)
{
	char key[64];

	while (object && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		object = json_object_get(object, key);
		path += len + (path[len] == '.');
	}
	return object;
}

/* Bytes of a character at p that a terminal obeys instead of showing it; 0: it shows it.
 */
static size_t unshown(const unsigned char *p)
{
	if (*p < ' ' || *p == 0x7f)
		return 1;
	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2; /* C1 */
	if (p[0] == 0xe2 && p[1] == 0x80 &&
		(p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)))
		return 3; /* U+200E, U+200F, U+202A to U+202E */
	if (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
		return 3; /* U+2066 to U+2069 */
	return 0;
}

const char *show_clean(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text), *to = copy;

	for (const char *p = text; *p;) {
		size_t n = unshown((const unsigned char *)p);

		if (n == 0)
			*to++ = *p;
		else
			*to++ = *p == '\n' || *p == '\t' ? ' ' : '?';
		p += n ? n : 1;
	}
	*to = '\0';
	return copy;
}

static const char *value_text(struct arena *a, const json_t *value)
{
	size_t i;
	json_t *item;
	const char *text = "";

	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		return show_clean(a, json_string_value(value));
	case JSON_INTEGER:
		return arena_printf(a, "%lld", (long long)json_integer_value(value));
	case JSON_REAL:
		return arena_printf(a, "%.4g", json_real_value(value));
	case JSON_TRUE:
		return "yes";
	case JSON_FALSE:
		return "no";
	case JSON_ARRAY:
		json_array_foreach((json_t *)value, i, item) text = arena_printf(
			a, "%s%s%s", text, i ? " " : "", value_text(a, item));
		return text;
	default:
		return "";
	}
}

const char *show_text(struct arena *a, const json_t *object, const char *path)
{
	return value_text(a, show_at(object, path));
}

/* "3 min ago" of an ISO time; the time itself when it cannot be read. */
static const char *age_text(struct arena *a, const char *iso)
{
	static const struct {
		int64_t below_s, unit_s;
		const char *unit;
	} steps[] = {{90, 1, "s"}, {5400, 60, "min"}, {129600, 3600, "h"},
		{INT64_MAX, 86400, "d"}};
	struct tm tm = {0};
	int64_t age_s, size_s;

	if (!*iso)
		return "-";
	if (!strptime(iso, "%Y-%m-%dT%H:%M:%S", &tm))
		return iso;
	age_s = clock_real_ns() / NS_PER_S - (int64_t)timegm(&tm);
	size_s = age_s < 0 ? -age_s : age_s;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (size_s < steps[i].below_s)
			return arena_printf(a, age_s < 0 ? "in %lld %s" : "%lld %s ago",
				(long long)(size_s / steps[i].unit_s), steps[i].unit);
	return iso;
}

static const char *cell_text(
	struct arena *a, const json_t *row, const struct show_column *column)
{
	const char *text = show_text(a, row, column->path);

	if (column->as == SHOW_AGE)
		return age_text(a, text);
	if (column->as == SHOW_ID12)
		return *text ? arena_strndup(a, text, 12) : "-";
	if (column->max_width && isatty(STDOUT_FILENO) &&
		strlen(text) > (size_t)column->max_width) {
		size_t keep = (size_t)column->max_width - 3;

		while (keep > 0 && (text[keep] & 0xc0) == 0x80)
			keep--;
		return arena_printf(a, "%.*s...", (int)keep, text);
	}
	return *text ? text : "-";
}

/* Columns on the screen; bytes when the text is not valid in the locale. */
static int width_of(struct arena *a, const char *text)
{
	size_t n = strlen(text) + 1;
	wchar_t *wide = ARENA_ARRAY(a, wchar_t, n);
	size_t len = mbstowcs(wide, text, n);
	int width = len == (size_t)-1 ? -1 : wcswidth(wide, len);

	return width < 0 ? (int)n - 1 : width;
}

static void put_cell(
	const char *text, int width, int pad_to, const struct show_column *column)
{
	int sgr = column->as == SHOW_STATE && show_colour(stdout) ? sgr_of(text) : 0;
	int pad = pad_to > width ? pad_to - width : 0;

	if (column->as == SHOW_NUMBER)
		printf("%*s", pad, "");
	if (sgr)
		printf("\033[%dm%s\033[0m", sgr, text);
	else
		printf("%s", text);
	if (column->as != SHOW_NUMBER && column[1].path)
		printf("%*s", pad, "");
	printf("%s", column[1].path ? "  " : "\n");
}

void show_table(const json_t *rows, const struct show_column *columns, const char *empty)
{
	struct arena *a = arena_new();
	size_t n_rows = json_array_size(rows), n_columns = 0;
	const char **text;
	int *width;

	if (n_rows == 0) {
		printf("%s\n", empty);
		arena_free(a);
		return;
	}
	while (columns[n_columns].path)
		n_columns++;
	text = ARENA_ARRAY(a, const char *, n_rows *n_columns);
	width = ARENA_ARRAY(a, int, n_columns);
	for (size_t c = 0; c < n_columns; c++) {
		width[c] = (int)strlen(columns[c].head);
		for (size_t r = 0; r < n_rows; r++) {
			const char *cell =
				cell_text(a, json_array_get(rows, r), &columns[c]);
			int w = width_of(a, cell);

			text[r * n_columns + c] = cell;
			width[c] = w > width[c] ? w : width[c];
		}
	}
	for (size_t c = 0; c < n_columns; c++) {
		struct show_column head = {columns[c].path, columns[c].head,
			columns[c].as == SHOW_NUMBER ? SHOW_NUMBER : SHOW_TEXT, 0};
		const struct show_column pair[2] = {
			head, {columns[c + 1].path, NULL, SHOW_TEXT, 0}};

		put_cell(columns[c].head, (int)strlen(columns[c].head), width[c], pair);
	}
	for (size_t r = 0; r < n_rows; r++)
		for (size_t c = 0; c < n_columns; c++) {
			const char *cell = text[r * n_columns + c];

			put_cell(cell, width_of(a, cell), width[c], &columns[c]);
		}
	arena_free(a);
}

void show_facts(const json_t *object, const struct show_column *columns)
{
	struct arena *a = arena_new();
	int width = 0;

	for (const struct show_column *c = columns; c->path; c++)
		if ((int)strlen(c->head) > width)
			width = (int)strlen(c->head);
	for (const struct show_column *c = columns; c->path; c++) {
		static const struct show_column last = {NULL, NULL, SHOW_TEXT, 0};
		const struct show_column pair[2] = {*c, last};
		const char *text = cell_text(a, object, c);

		printf("%-*s  ", width, c->head);
		put_cell(text, 0, 0, pair);
	}
	arena_free(a);
}

void show_progress(struct show_progress *p, const char *title, const json_t *progress)
{
	long long done = 0, total = 0;
	const char *unit = "", *text = "";
	char estimate[48] = "";
	bool tty = isatty(STDERR_FILENO);

	if (progress && json_is_object(progress) &&
		json_unpack((json_t *)progress, "{s?I, s?I, s?s, s?s}", "done", &done,
			"total", &total, "unit", &unit, "text", &text) != 0)
		done = total = 0;
	if (p->started_ns == 0 ||
		strncmp(p->last_text, text, sizeof(p->last_text) - 1) != 0 ||
		done < p->first_done) {
		p->started_ns = clock_mono_ns();
		p->first_done = done;
		snprintf(p->last_text, sizeof(p->last_text), "%s", text);
	}
	if (total > 0 && done > p->first_done && done < total) {
		int64_t spent_ns = clock_mono_ns() - p->started_ns;
		int64_t left_s =
			spent_ns / (done - p->first_done) * (total - done) / NS_PER_S;

		snprintf(estimate, sizeof(estimate), ", about %lld:%02lld left",
			(long long)left_s / 60, (long long)left_s % 60);
	}
	if (!p->said_ns)
		p->said_ns = clock_mono_ns();
	if (!tty && clock_mono_ns() - p->said_ns < LOG_EVERY_NS)
		return;
	p->said_ns = clock_mono_ns();
	fprintf(stderr, "%s%s", tty ? "\r\033[K" : "", title);
	if (total > 0)
		fprintf(stderr, "  %lld/%lld %s%s%s%s", done, total, unit,
			*text ? " " : "", text, estimate);
	else if (*text)
		fprintf(stderr, "  %s", text);
	if (!tty)
		fputc('\n', stderr);
	fflush(stderr);
	p->drawn = tty;
}

void show_progress_end(struct show_progress *p)
{
	if (p->drawn)
		fprintf(stderr, "\r\033[K");
	p->drawn = false;
}
