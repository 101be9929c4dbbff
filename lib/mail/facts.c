/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/facts.h"
#include "mail/header.h"
#include "mail/msgid.h"

#include <ctype.h>
#include <strings.h>

#define MAX_VALUE 4096 /* bytes of a trailer that is folded over many lines */

static const char *const known_trailers[] = {"Signed-off-by", "Acked-by", "Reviewed-by",
	"Tested-by", "Reported-by", "Suggested-by", "Co-developed-by", "Fixes", "Closes",
	"Link", "Cc", "Reported-and-tested-by", "Debugged-by", "Based-on-patch-by",
	"Originally-by", "Requested-by", NULL};
/* What a reply may add to a series. */
static const char *const followup_trailers[] = {"Tested-by", "Reviewed-by", "Acked-by",
	"Reported-by", "Reported-and-tested-by", "Suggested-by", "Signed-off-by",
	"Co-developed-by", "Fixes", "Closes", "Link", "Nacked-by", NULL};
/* Those that name no person. */
static const char *const reference_trailers[] = {"Fixes", "Closes", "Link", NULL};

static bool one_of(const char *const *names, const char *key, size_t len)
{
	for (; *names; names++) {
		if (strlen(*names) == len && !strncasecmp(*names, key, len))
			return true;
	}
	return false;
}

struct lines {
	const char *p, *end;
};

/* Next line without its newline and trailing blanks; false at the end. */
static bool next_line(struct lines *l, struct mail_bytes *ret)
{
	if (l->p >= l->end)
		return false;
	const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	ret->p = l->p;
	ret->len = (size_t)((nl ? nl : l->end) - l->p);
	l->p = nl ? nl + 1 : l->end;
	while (ret->len && header_isspace(ret->p[ret->len - 1]))
		ret->len--;
	return true;
}

static struct lines lines_of(struct mail_bytes b)
{
	return (struct lines){b.p, b.p + b.len};
}

/* Length of the key of a "Key: value" line, 0 when it is none. */
static size_t trailer_key(const struct mail_bytes *l)
{
	size_t n = 0;
	while (n < l->len && (isalnum((unsigned char)l->p[n]) || l->p[n] == '-'))
		n++;
	if (n == 0 || n >= l->len || l->p[n] != ':' || !isalpha((unsigned char)l->p[0]))
		return 0;
	return n;
}

static const char *trailer_value(struct arena *a, const struct mail_bytes *l, size_t key)
{
	const char *p = l->p + key + 1, *end = l->p + l->len;
	while (p < end && header_isspace(*p))
		p++;
	return arena_strndup(a, p, (size_t)(end - p));
}

static size_t hex_run(const char *s)
{
	size_t n = 0;
	while (isxdigit((unsigned char)s[n]))
		n++;
	return n;
}

static bool is_note(const struct mail_bytes *l)
{
	return l->len > 3 && l->p[0] == '[' && l->p[l->len - 1] == ']' &&
	       memchr(l->p, ':', l->len);
}

/* "[name: note]" or a commit for Fixes: lines that only look the part are text. */
static bool is_trailer_text(const struct mail_bytes *l, size_t key, const char *value)
{
	if (key == 5 && !strncasecmp(l->p, "Fixes", 5))
		return hex_run(value) < 6;
	return !*value;
}

/* The last paragraph of msg. */
static struct mail_bytes last_paragraph(struct mail_bytes msg)
{
	struct lines l = lines_of(msg);
	struct mail_bytes line, last = {msg.p, 0};
	bool blank = true;
	while (next_line(&l, &line)) {
		if (line.len == 0) {
			blank = true;
			continue;
		}
		if (blank)
			last.p = line.p;
		blank = false;
		last.len = (size_t)(line.p + line.len - last.p);
	}
	return last;
}

void facts_trailers(struct arena *a, struct mail *m)
{
	struct mail_bytes block = last_paragraph(m->msg);
	struct lines l = lines_of(block);
	struct mail_bytes line;
	bool known = false, all = block.len > 0, first = true;
	while (next_line(&l, &line)) {
		size_t key = trailer_key(&line);
		if (key && one_of(known_trailers, line.p, key))
			known = true;
		bool more = !first && header_isspace(*line.p);
		all = all && (key || is_note(&line) || more);
		first = false;
	}
	if (!known && !all)
		return;
	size_t cap = 0;
	bool open = false; /* the line before was a trailer */
	for (l = lines_of(block); next_line(&l, &line);) {
		if (open && header_isspace(*line.p)) {
			struct mail_trailer *t = &m->trailers[m->n_trailers - 1];
			struct mail_bytes rest = line;
			while (rest.len && header_isspace(*rest.p))
				rest.p++, rest.len--;
			if (strlen(t->value) + rest.len > MAX_VALUE)
				continue;
			t->value = arena_printf(
				a, "%s %.*s", t->value, (int)rest.len, rest.p);
			continue;
		}
		size_t key = trailer_key(&line);
		const char *value = key ? trailer_value(a, &line, key) : NULL;
		open = false;
		if (is_note(&line)) {
			key = 0;
			value = arena_strndup(a, line.p, line.len);
		} else if (!key || is_trailer_text(&line, key, value)) {
			continue;
		}
		struct mail_trailer *t = ARENA_PUSH(a, m->trailers, m->n_trailers, cap);
		t->key = arena_strndup(a, line.p, key);
		t->value = value;
		open = key > 0;
	}
}

/* Value behind "name:" at column 0 (any case), NULL when the line is another. */
static const char *named(struct arena *a, const struct mail_bytes *l, const char *name)
{
	size_t n = strlen(name);
	if (l->len <= n || strncasecmp(l->p, name, n) || l->p[n] != ':')
		return NULL;
	return trailer_value(a, l, n);
}

static void add_prerequisite(
	struct arena *a, struct mail *m, const char *kind, const char *value, size_t *cap)
{
	struct mail_prerequisite *p =
		ARENA_PUSH(a, m->prerequisites, m->n_prerequisites, *cap);
	p->kind = kind;
	size_t len = strlen(value);
	if (len > 2 && value[0] == '<' && value[len - 1] == '>')
		value = arena_strndup(a, value + 1, len - 2);
	const char *colon = strcmp(kind, "change-id") ? NULL : strrchr(value, ':');
	p->version = colon ? arena_strdup(a, colon + 1) : NULL;
	p->value = colon ? arena_strndup(a, value, (size_t)(colon - value)) : value;
}

static void read_prerequisite(
	struct arena *a, struct mail *m, const struct mail_bytes *l, size_t *cap)
{
	static const char *const kinds[] = {
		"patch-id", "change-id", "message-id", "base-commit"};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *name = arena_printf(a, "prerequisite-%s", kinds[i]);
		const char *value = named(a, l, name);
		if (value && *value)
			add_prerequisite(a, m, kinds[i], value, cap);
	}
}

static void read_dependency(
	struct arena *a, struct mail *m, const struct mail_bytes *l, size_t *cap)
{
	static const struct {
		const char *name, *rel;
	} rows[] = {{"Depends-on", "depends-on"}, {"Based-on", "based-on"},
		{"Supersedes", "supersedes"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *value = named(a, l, rows[i].name);
		const char *id;
		if (!value || msgid_parse(a, value, &id, NULL, NULL))
			continue;
		struct mail_dependency *d =
			ARENA_PUSH(a, m->depends_on, m->n_depends_on, *cap);
		d->message_id = id;
		d->rel = rows[i].rel;
	}
}

static bool is_gerrit(const char *value)
{
	return (*value == 'I' || *value == 'i') && hex_run(value + 1) == 40 && !value[41];
}

static void read_line(struct arena *a, struct mail *m, const struct mail_bytes *l,
	size_t *cap_pre, size_t *cap_dep, bool header_change_id)
{
	const char *v;
	switch (*l->p | 0x20) {
	case 'b':
		v = l->len > 53 ? NULL : named(a, l, "base-commit");
		if (v && hex_run(v) == 40 && !v[40])
			m->base_commit = v;
		else
			read_dependency(a, m, l, cap_dep);
		break;
	case 'c':
		v = header_change_id || *l->p != 'c' ? NULL : named(a, l, "change-id");
		if (v && *v && !strchr(v, ' ') && !is_gerrit(v))
			m->change_id = v;
		break;
	case 'p':
		if (l->len > 13 && !strncasecmp(l->p, "prerequisite-", 13))
			read_prerequisite(a, m, l, cap_pre);
		break;
	case 'd':
	case 's':
		read_dependency(a, m, l, cap_dep);
		break;
	default:
		break;
	}
}

void facts_lines(struct arena *a, struct mail *m)
{
	size_t cap_pre = 0, cap_dep = 0, cap_ids = 0;
	bool header_change_id = m->change_id != NULL;
	const struct mail_bytes both[] = {m->msg, m->patch};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct lines l = lines_of(both[i]);
		struct mail_bytes line;
		while (next_line(&l, &line)) {
			if (line.len > 8 && isalpha((unsigned char)*line.p))
				read_line(a, m, &line, &cap_pre, &cap_dep,
					header_change_id);
		}
	}
	for (size_t i = 0; i < m->n_prerequisites; i++) {
		if (!strcmp(m->prerequisites[i].kind, "patch-id"))
			*(const char **)ARENA_PUSH(a, m->prerequisite_patch_ids,
				m->n_prerequisite_patch_ids, cap_ids) =
				m->prerequisites[i].value;
	}
}

/* URLs in one line that name a mail. */
static void line_links(struct arena *a, const struct mail_bytes *l, const char ***ids,
	size_t *n, size_t *cap)
{
	const char *p = l->p, *end = l->p + l->len;
	while ((p = memmem(p, (size_t)(end - p), "http", 4))) {
		size_t len = 0;
		while (p + len < end && !header_isspace(p[len]) &&
			!strchr("<>\")]", p[len]))
			len++;
		while (len && strchr(".,;:", p[len - 1]))
			len--;
		const char *id, *url = arena_strndup(a, p, len);
		bool scheme = !strncmp(url, "https://", 8) || !strncmp(url, "http://", 7);
		if (scheme && *n < 32 && !msgid_parse(a, url, &id, NULL, NULL))
			*(const char **)ARENA_PUSH(a, *ids, *n, *cap) = id;
		p += len ? len : 4;
	}
}

static bool is_diff_start(const struct mail_bytes *l)
{
	return (l->len > 11 && !memcmp(l->p, "diff --git ", 11)) ||
	       (l->len > 4 && !memcmp(l->p, "@@ -", 4));
}

/* "Changes since v1:", "v2 -> v3", "V1: https://...". */
static bool is_history_line(const struct mail_bytes *l)
{
	const char *p = l->p;
	size_t len = l->len;
	while (len && (*p == ' ' || *p == '*' || *p == '-' || *p == '[' || *p == '\t'))
		p++, len--;
	if (len > 1 && (*p == 'v' || *p == 'V') && isdigit((unsigned char)p[1]))
		return true;
	if (len >= 7 && !strncasecmp(p, "Changes", 7))
		return true;
	return len >= 9 &&
	       (!strncasecmp(p, "Changelog", 9) || !strncasecmp(p, "Link to v", 9));
}

void facts_links(struct arena *a, struct mail *m)
{
	size_t cap = 0;
	bool history = false;
	const struct mail_bytes both[] = {m->msg, m->patch};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct lines l = lines_of(both[i]);
		struct mail_bytes line;
		while (next_line(&l, &line)) {
			if (is_diff_start(&line))
				return;
			if (!line.len)
				continue;
			history = history || is_history_line(&line);
			if (history)
				line_links(a, &line, &m->links, &m->n_links, &cap);
		}
	}
}

static bool is_person(const char *value)
{
	const char *open = strchr(value, '<');
	const char *at = open ? strchr(open, '@') : NULL;
	const char *close = at ? strchr(at, '>') : NULL;
	/* A masked address ("a...@b") is no address. */
	return close && open > value && !strstr(open, "...@");
}

static void read_followup(struct arena *a, struct mail *m, const struct mail_bytes *line,
	const struct lines *rest, size_t *cap)
{
	size_t key = trailer_key(line);
	if (!key || !one_of(followup_trailers, line->p, key))
		return;
	const char *value = trailer_value(a, line, key);
	if (!one_of(reference_trailers, line->p, key) && !is_person(value)) {
		/* The address may have been folded into the next line. */
		struct lines ahead = *rest;
		struct mail_bytes more;
		if (!next_line(&ahead, &more) || !more.len || !header_isspace(*more.p))
			return;
		value = header_squeeze(
			a, arena_printf(a, "%s %.*s", value, (int)more.len, more.p));
		if (!is_person(value))
			return;
	}
	if (is_trailer_text(line, key, value))
		return;
	struct mail_trailer *t = ARENA_PUSH(a, m->followups, m->n_followups, *cap);
	t->key = arena_strndup(a, line->p, key);
	t->value = value;
}

void facts_followups(struct arena *a, struct mail *m)
{
	size_t cap = 0;
	bool in_diff = false;
	const struct mail_bytes both[] = {m->msg, m->patch};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct lines l = lines_of(both[i]);
		const char *start = l.p;
		struct mail_bytes line;
		while (next_line(&l, &line)) {
			/* The signature; its blank was trimmed. */
			if (line.len == 2 && !memcmp(line.p, "--", 2) && l.p > start)
				return;
			if (is_diff_start(&line))
				in_diff = true;
			else if (!line.len || *line.p == '>')
				in_diff = false;
			else if (!in_diff && isalpha((unsigned char)*line.p))
				read_followup(a, m, &line, &l, &cap);
		}
	}
}

void facts_merge(struct arena *a, struct mail *m)
{
	size_t cap = 0;
	struct lines l = lines_of(m->msg);
	struct mail_bytes line;
	while (next_line(&l, &line)) {
		const char *v = named(a, &line, "Commit-ID");
		if (v && hex_run(v) == 40)
			m->merged_commit = arena_strndup(a, v, 40);
		v = named(a, &line, "Link");
		if (v)
			line_links(a, &line, &m->merged_ids, &m->n_merged_ids, &cap);
	}
	const char *tag = m->prefix.n_tags ? m->prefix.tags[0] : "";
	const char *colon = strchr(tag, ':');
	if (m->merged_commit && colon)
		m->merged_branch = header_squeeze(a, colon + 1);
}

bool facts_has_diffstat(const struct mail *m)
{
	const struct mail_bytes both[] = {m->msg, m->patch};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct lines l = lines_of(both[i]);
		struct mail_bytes line;
		while (next_line(&l, &line)) {
			if (is_diff_start(&line))
				return false;
			const char *p = line.p, *end = line.p + line.len;
			if (p == end)
				continue;
			if (*p == ' ' && end - p > 2 && isdigit((unsigned char)p[1])) {
				for (p++; p < end && isdigit((unsigned char)*p);)
					p++;
				if (end - p >= 13 && !memcmp(p, " file", 5) &&
					memmem(p, (size_t)(end - p), " changed", 8))
					return true;
			}
			/* A shortlog block: "Name (3):" and two blanks before each title.
			 */
			if (end - line.p > 4 && !memcmp(end - 2, "):", 2) &&
				*line.p != '>') {
				const char *open = memrchr(line.p, '(', line.len);
				if (open && open > line.p &&
					isdigit((unsigned char)open[1]) &&
					open[-1] == ' ' && l.end - l.p > 2 &&
					!memcmp(l.p, "  ", 2))
					return true;
			}
		}
	}
	return false;
}

bool facts_mostly_quoted(const struct mail *m, int64_t first_hunk)
{
	size_t n = 0, quoted = 0;
	struct mail_bytes head = m->patch;
	if (first_hunk >= 0 && (size_t)first_hunk < head.len)
		head.len = (size_t)first_hunk;
	const struct mail_bytes both[] = {m->msg, head};
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct lines l = lines_of(both[i]);
		struct mail_bytes line;
		while (next_line(&l, &line)) {
			n += line.len > 0;
			quoted += line.len > 0 && *line.p == '>';
		}
	}
	return quoted * 2 > n;
}

bool facts_has_quote(const struct mail *m)
{
	return (m->msg.len && *m->msg.p == '>') || memmem(m->msg.p, m->msg.len, "\n>", 2);
}

bool facts_signed_by(const struct mail *m, const char *email)
{
	for (size_t i = 0; i < m->n_trailers && *email; i++) {
		if (!strcasecmp(m->trailers[i].key, "Signed-off-by") &&
			strcasestr(m->trailers[i].value, email))
			return true;
	}
	return false;
}
