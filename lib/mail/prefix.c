/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/prefix.h"

#include <ctype.h>
#include <strings.h>

#define MAX_DIGITS 5
#define MAX_DEPTH  3

/* Reply words; those from the bar on mean forwarded. */
static const char *const reply_words[] = {"re", "aw", "antw", "antwort", "sv", "vs",
	"ref", "rif", "res", "ynt", "odp", "ats", "回复", "答复", "回覆", NULL};
static const char *const forward_words[] = {
	"fw", "fwd", "wg", "tr", "rv", "轉寄", "转发", NULL};
/* Markers that gateways and list software put in front; names ending in -devel too. */
static const char *const list_markers[] = {"external", "ext", "external email", NULL};
static const char *const tree_words[] = {
	"tip", "-next", "next", "linux-next", "net-next", NULL};

enum item {
	ITEM_PATCH,
	ITEM_SET,
	ITEM_RFC,
	ITEM_RFT,
	ITEM_RESEND,
	ITEM_VERSION,
	ITEM_PAIR
};

static const struct {
	const char *word;
	enum item item;
} keywords[] = {
	{"patchset", ITEM_SET},
	{"patches", ITEM_PATCH},
	{"patch", ITEM_PATCH},
	{"rfc", ITEM_RFC},
	{"rft", ITEM_RFT},
	{"resend", ITEM_RESEND},
	{"repost", ITEM_RESEND},
	{"resent", ITEM_RESEND},
};

struct reading {
	struct arena *arena;
	struct prefix *out;
	const char *const *branches;
	size_t cap_tags;
	bool found; /* this group holds more than words */
};

static bool one_of(const char *const *names, const char *word)
{
	for (; names && *names; names++) {
		if (!strcasecmp(*names, word))
			return true;
	}
	return false;
}

static size_t skip_word(const char *s, const char *const *words)
{
	for (; *words; words++) {
		size_t n = strlen(*words);
		if (!strncasecmp(s, *words, n))
			return n;
	}
	return 0;
}

/* "[2]", "^2", "(2)" or nothing, blanks, then ":" or its wide form. */
static const char *skip_colon(const char *s)
{
	char open = *s;
	if (open == '[' || open == '(' || open == '^') {
		const char *p = s + 1;
		while (isdigit((unsigned char)*p))
			p++;
		if (p == s + 1)
			return NULL;
		if (open != '^') {
			if (*p != (open == '[' ? ']' : ')'))
				return NULL;
			p++;
		}
		s = p;
	}
	while (*s == ' ' || *s == '\t')
		s++;
	if (*s == ':')
		return s + 1;
	return strncmp(s, "\xef\xbc\x9a", 3) ? NULL : s + 3;
}

bool prefix_skip_reply(const char **s, bool *ret_forwarded)
{
	/* The longest word that is followed by a colon: "re" is the head of "ref". */
	const char *const *const lists[] = {reply_words, forward_words};
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		for (const char *const *w = lists[k]; *w; w++) {
			const char *one[] = {*w, NULL};
			size_t n = skip_word(*s, one);
			const char *end = n ? skip_colon(*s + n) : NULL;
			if (!end)
				continue;
			*s = end;
			if (k == 1)
				*ret_forwarded = true;
			return true;
		}
	}
	return false;
}

/* Digits at *p: their value, or -1 when there are more than five. 0 digits: -2. */
static int64_t read_digits(const char **p)
{
	int64_t v = 0;
	int n = 0;
	for (; isdigit((unsigned char)**p); (*p)++, n++) {
		if (n < MAX_DIGITS)
			v = v * 10 + (**p - '0');
	}
	return n == 0 ? -2 : n > MAX_DIGITS ? -1 : v;
}

/* "3" or "0.5" at *p, in 1/PREFIX_UNIT; negative as read_digits(). */
static int64_t read_number(const char **p)
{
	int64_t whole = read_digits(p);
	if (whole < 0 || **p != '.' || !isdigit((unsigned char)(*p)[1]))
		return whole < 0 ? whole : whole * PREFIX_UNIT;
	(*p)++;
	int64_t minor = read_digits(p);
	return minor < 0 ? minor : whole * PREFIX_UNIT + minor;
}

static void add_tag(struct reading *r, const char *tag)
{
	*(const char **)ARENA_PUSH(r->arena, r->out->tags, r->out->n_tags, r->cap_tags) =
		tag;
}

static void take_version(struct reading *r, int64_t version)
{
	struct prefix *p = r->out;
	if (version < 0) {
		p->notes |= PREFIX_DIGITS_CUT;
		return;
	}
	if (p->version_explicit && p->version != version)
		p->notes |= PREFIX_TWO_VERSIONS;
	if (!p->version_explicit || version > p->version)
		p->version = version;
	p->version_explicit = true;
}

static void take_pair(struct reading *r, const char *text, int64_t n, int64_t m)
{
	struct prefix *p = r->out;
	if (n == -1 || m == -1) {
		p->notes |= PREFIX_DIGITS_CUT;
		return;
	}
	if (p->n != PREFIX_NONE) {
		p->notes |= PREFIX_SECOND_PAIR;
		add_tag(r, text);
		return;
	}
	p->n = n;
	p->m = m ? m * PREFIX_UNIT : PREFIX_NONE;
	if (m && n > p->m)
		p->notes |= PREFIX_BEYOND_TOTAL;
}

static void take_item(struct reading *r, enum item item)
{
	struct prefix *p = r->out;
	switch (item) {
	case ITEM_SET:
		p->patch = true;
		if (p->n == PREFIX_NONE)
			p->n = 0;
		break;
	case ITEM_PATCH:
		p->patch = true;
		break;
	case ITEM_RFC:
		p->rfc = true;
		break;
	case ITEM_RFT:
		p->rft = true;
		add_tag(r, "RFT");
		break;
	case ITEM_RESEND:
		p->resend = true;
		break;
	default:
		break;
	}
}

/* One known piece at *p: a keyword, a version or a pair. With act false only looks. */
static bool read_piece(struct reading *r, const char **p, bool act)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		size_t n = strlen(keywords[i].word);
		if (strncasecmp(*p, keywords[i].word, n))
			continue;
		*p += n;
		if (act)
			take_item(r, keywords[i].item);
		return true;
	}
	const char *start = *p;
	if ((*start == 'v' || *start == 'V') && isdigit((unsigned char)start[1])) {
		(*p)++;
		int64_t version = read_number(p);
		if (act)
			take_version(r, version);
		return true;
	}
	int64_t n = read_number(p);
	if (n == -2 || **p != '/' || !isdigit((unsigned char)(*p)[1])) {
		*p = start;
		return false;
	}
	(*p)++;
	int64_t m = read_digits(p);
	if (act)
		take_pair(r, arena_strndup(r->arena, start, (size_t)(*p - start)), n, m);
	return true;
}

/* True when word is made of known pieces only; with act they are taken. */
static bool read_pieces(struct reading *r, const char *word, bool act)
{
	size_t n = 0;
	const char *p = word;
	while (*p) {
		if (!read_piece(r, &p, act))
			return false;
		n++;
		/* "RFC/RFT": a slash between words; behind a pair it is none. */
		if (*p == '/' && n && isalpha((unsigned char)p[1])) {
			p++;
			n--;
		}
	}
	if (act && n > 1)
		r->out->notes |= PREFIX_GLUED;
	return n > 0;
}

static bool is_kernel_version(const char *word)
{
	int dots = 0;
	for (const char *p = word; *p; p++) {
		if (*p == '.' && p > word && isdigit((unsigned char)p[1]))
			dots++;
		else if (!isdigit((unsigned char)*p))
			return false;
	}
	return dots == 1 || dots == 2;
}

static void take_word(struct reading *r, const char *word)
{
	struct prefix *p = r->out;
	if (read_pieces(r, word, false)) {
		read_pieces(r, word, true);
		r->found = true;
		return;
	}
	add_tag(r, word);
	if (!p->tree && (one_of(tree_words, word) || is_kernel_version(word) ||
				one_of(r->branches, word)))
		p->tree = word;
}

static bool is_separator(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '[' || c == ']';
}

/* "1 of 3" at p: the end of it, or NULL. */
static const char *read_n_of_m(struct reading *r, const char *p)
{
	const char *start = p;
	int64_t n = read_number(&p);
	if (n < -1 || strncasecmp(p, " of ", 4))
		return NULL;
	p += 4;
	int64_t m = read_digits(&p);
	if (m == -2 || (*p && !is_separator(*p)))
		return NULL;
	take_pair(r, arena_strndup(r->arena, start, (size_t)(p - start)), n, m);
	r->found = true;
	return p;
}

static void read_group(struct reading *r, const char *text)
{
	struct prefix *p = r->out;
	r->found = false;
	if (!strncasecmp(text, "tip:", 4)) {
		add_tag(r, text);
		p->tip = true;
		if (!p->tree)
			p->tree = "tip";
		return;
	}
	for (const char *s = text; *s;) {
		if (is_separator(*s)) {
			s++;
			continue;
		}
		const char *after = read_n_of_m(r, s);
		if (after) {
			s = after;
			continue;
		}
		size_t n = 0;
		while (s[n] && !is_separator(s[n]))
			n++;
		take_word(r, arena_strndup(r->arena, s, n));
		s += n;
	}
}

/* End of the group at s (behind its bracket), NULL when it never closes. */
static const char *group_end(const char *s)
{
	int depth = 0;
	for (; *s; s++) {
		if (*s == '[' && ++depth > MAX_DEPTH)
			return NULL;
		if (*s == ']' && --depth == 0)
			return s + 1;
	}
	return NULL;
}

static bool is_list_marker(const char *text)
{
	size_t n = strlen(text);
	if (one_of(list_markers, text))
		return true;
	return n > 6 && !strcasecmp(text + n - 6, "-devel") && !strpbrk(text, " ,");
}

/* "1/2:" right behind the groups. */
static const char *read_late_count(struct reading *r, const char *s)
{
	const char *p = s;
	int64_t n = read_number(&p);
	if (n == -2 || *p != '/' || !isdigit((unsigned char)p[1]))
		return s;
	p++;
	int64_t m = read_digits(&p);
	if (*p != ':')
		return s;
	r->out->notes |= PREFIX_LATE_COUNT;
	take_pair(r, arena_strndup(r->arena, s, (size_t)(p - s)), n, m);
	return p + 1;
}

/* "(v3)" at p: its end, or NULL. */
static const char *paren_version(const char *p, int64_t *ret)
{
	if (p[0] != '(' || (p[1] != 'v' && p[1] != 'V') || !isdigit((unsigned char)p[2]))
		return NULL;
	p += 2;
	*ret = read_number(&p);
	return *p == ')' ? p + 1 : NULL;
}

static const char *trim(struct arena *a, const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	size_t n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return arena_strndup(a, s, n);
}

/* Versions in parentheses, next to the groups or at the end of the title. */
static const char *read_paren_versions(struct reading *r, const char *s)
{
	int64_t version;
	while (*s == ' ')
		s++;
	const char *end = paren_version(s, &version);
	if (end) {
		r->out->notes |= PREFIX_PAREN_VERSION;
		take_version(r, version);
		return end;
	}
	size_t n = strlen(s);
	const char *open = strrchr(s, '(');
	if (!open || n == 0 || s[n - 1] != ')')
		return s;
	end = paren_version(open, &version);
	if (!end || *end)
		return s;
	r->out->notes |= PREFIX_PAREN_VERSION;
	take_version(r, version);
	return arena_strndup(r->arena, s, (size_t)(open - s));
}

void prefix_parse(struct arena *a, const char *subject, const char *const *branches,
	struct prefix *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->version = PREFIX_FIRST;
	ret->n = ret->m = PREFIX_NONE;
	struct reading r = {.arena = a, .out = ret, .branches = branches};
	const char *s = subject;
	bool groups = false;
	for (;;) {
		while (*s == ' ' || *s == '\t')
			s++;
		if (prefix_skip_reply(&s, &ret->forwarded)) {
			ret->reply = true;
			continue;
		}
		const char *end = *s == '[' ? group_end(s) : NULL;
		if (!end)
			break;
		const char *text =
			trim(a, arena_strndup(a, s + 1, (size_t)(end - s - 2)));
		s = end;
		while (*s == ' ')
			s++;
		/* A list's own marker counts for nothing when a group follows. */
		const char *next = s;
		bool forwarded = false;
		while (prefix_skip_reply(&next, &forwarded) || *next == ' ')
			next += *next == ' ';
		if (*next == '[' && is_list_marker(text))
			continue;
		read_group(&r, text);
		groups = groups || r.found;
	}
	if (ret->patch)
		ret->tip = false;
	if (groups && ret->n == PREFIX_NONE)
		s = read_late_count(&r, s);
	if (groups)
		s = read_paren_versions(&r, s);
	ret->title = trim(a, s);
}

const char *prefix_number(int64_t number, char *buf, size_t size)
{
	if (number < 0)
		*buf = 0;
	else if (number % PREFIX_UNIT)
		snprintf(buf, size, "%d.%d", (int)(number / PREFIX_UNIT),
			(int)(number % PREFIX_UNIT));
	else
		snprintf(buf, size, "%d", (int)(number / PREFIX_UNIT));
	return buf;
}
