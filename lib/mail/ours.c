/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/ours.h"

#include <ctype.h>
#include <strings.h>

#define MAX_SPECS 256
#define MAX_SPEC  4096

enum spec_kind { SPEC_PATH, SPEC_SUBJECT, SPEC_STABLE };

struct spec {
	enum spec_kind kind;
	const char *text; /* without "!" and "subject:", trailing slash off */
	bool exclude;
	bool glob;
};

struct ours_spec {
	struct spec *v;
	size_t n;
	bool stable;
	const char *shown; /* "kernel/sched/, include/linux/sched/" */
};

static bool has_dots(const char *path)
{
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if ((n == 2 && !memcmp(p, "..", 2)) || (n == 1 && *p == '.'))
			return true;
		p += n + (p[n] ? 1 : 0);
	}
	return false;
}

static int compile_one(struct arena *a, const char *text, struct spec *s, struct err *e)
{
	if (strlen(text) > MAX_SPEC)
		return err_set(
			e, ERR_INVALID, "a path spec is longer than %d bytes", MAX_SPEC);
	if (!strcmp(text, "stable")) {
		s->kind = SPEC_STABLE;
		return 0;
	}
	if (!strncmp(text, "subject:", 8)) {
		s->kind = SPEC_SUBJECT;
		text += 8;
	} else if (*text == '!') {
		s->exclude = true;
		text++;
	}
	if (!*text)
		return err_set(e, ERR_INVALID, "a path spec is empty");
	if (s->kind == SPEC_PATH && *text == '/')
		return err_set(e, ERR_INVALID,
			"\"%.100s\": paths begin at the top of the tree, without a slash",
			text);
	if (s->kind == SPEC_PATH && has_dots(text))
		return err_set(e, ERR_INVALID,
			"\"%.100s\" leaves the tree or holds a dot part", text);
	size_t len = strlen(text);
	while (s->kind == SPEC_PATH && len > 1 && text[len - 1] == '/')
		len--;
	s->text = arena_strndup(a, text, len);
	s->glob = strpbrk(s->text, "*?") != NULL;
	return 0;
}

int ours_compile(
	struct arena *a, const char *const *specs, struct ours_spec **ret, struct err *e)
{
	size_t n = 0;
	while (specs && specs[n])
		n++;
	if (n > MAX_SPECS)
		return err_set(e, ERR_INVALID, "%zu path specs; limit %d", n, MAX_SPECS);
	struct ours_spec *o = ARENA_NEW(a, struct ours_spec);
	o->v = ARENA_ARRAY(a, struct spec, n + 1);
	o->shown = "";
	for (size_t i = 0; i < n; i++) {
		struct spec *s = &o->v[o->n++];
		int rc = compile_one(a, specs[i], s, e);
		if (rc)
			return rc;
		if (s->kind == SPEC_STABLE)
			o->stable = true;
		if (s->kind == SPEC_PATH && !s->exclude)
			o->shown = *o->shown
					   ? arena_printf(a, "%s, %s", o->shown, specs[i])
					   : specs[i];
	}
	*ret = o;
	return 0;
}

/*
 * "*" and "?" stay inside one component, "**" crosses. prefix: the glob may name a folder
 * above path. Greedy with two points of return, so never slower than len(g) * len(p).
 */
static bool glob_match(const char *g, const char *p, bool prefix)
{
	const char *star_g = NULL, *star_p = NULL;   /* last "*" */
	const char *cross_g = NULL, *cross_p = NULL; /* last "**" */
	for (;;) {
		if (!*g && (!*p || (prefix && *p == '/')))
			return true;
		if (g[0] == '*' && g[1] == '*') {
			g += g[2] == '/'
				     ? 3
				     : 2; /* two stars and a slash match no folder too */
			cross_g = g;
			cross_p = p;
			star_g = NULL;
			continue;
		}
		if (*g == '*') {
			star_g = ++g;
			star_p = p;
			continue;
		}
		if (*p && (*g == *p || (*g == '?' && *p != '/'))) {
			g++;
			p++;
			continue;
		}
		if (star_g && *star_p && *star_p != '/') {
			g = star_g;
			p = ++star_p;
			continue;
		}
		if (!cross_g || !*cross_p)
			return false;
		g = cross_g;
		p = ++cross_p;
		star_g = NULL;
	}
}

static bool spec_matches(const struct spec *s, const char *path)
{
	if (s->glob)
		return glob_match(s->text, path, true);
	size_t n = strlen(s->text);
	return !strncmp(s->text, path, n) && (!path[n] || path[n] == '/');
}

/* The spec that takes the path in, NULL when none does or one excludes it. */
static const struct spec *matching(const struct ours_spec *o, const char *path)
{
	const struct spec *found = NULL;
	for (size_t i = 0; i < o->n; i++) {
		const struct spec *s = &o->v[i];
		if (s->kind != SPEC_PATH || (found && !s->exclude) ||
			!spec_matches(s, path))
			continue;
		if (s->exclude)
			return NULL;
		found = s;
	}
	return found;
}

bool ours_path_matches(const struct ours_spec *spec, const char *path)
{
	return matching(spec, path) != NULL;
}

static bool is_kernel_version(const char *s)
{
	return isdigit((unsigned char)*s) && strchr(s, '.') &&
	       !s[strspn(s, "0123456789.")];
}

/* The tag of a stable or AUTOSEL series, NULL for others. */
static const char *stable_tag(const struct series *s)
{
	for (size_t i = 0; i <= s->n_patches; i++) {
		const struct mail *m = i == 0 ? s->cover : s->patches[i - 1].mail;
		for (size_t k = 0; m && k < m->posted.n_tags; k++) {
			const char *tag = m->posted.tags[k];
			if (is_kernel_version(tag) || !strcasecmp(tag, "AUTOSEL"))
				return tag;
		}
	}
	return NULL;
}

static enum ours_answer by_paths(struct arena *a, const struct ours_spec *spec,
	const struct series *s, size_t *ret_files, const char **ret_why)
{
	*ret_files = 0;
	for (size_t i = 0; i < s->n_patches; i++) {
		const struct mail *m = s->patches[i].mail;
		for (size_t k = 0; k < m->n_files; k++) {
			const char *const paths[] = {
				m->files[k].path, m->files[k].old_path};
			(*ret_files)++;
			for (size_t j = 0; j < ARRAY_LEN(paths); j++) {
				const struct spec *hit =
					paths[j] ? matching(spec, paths[j]) : NULL;
				if (!hit)
					continue;
				*ret_why = arena_printf(a, "touches %.200s (%.100s)",
					paths[j], hit->text);
				return OURS_YES;
			}
		}
	}
	return OURS_NO;
}

static bool subject_fits(const struct ours_spec *spec, const struct series *s)
{
	const struct mail *m = s->cover       ? s->cover
			       : s->n_patches ? s->patches[0].mail
					      : NULL;
	for (size_t i = 0; m && i < spec->n; i++) {
		const struct spec *x = &spec->v[i];
		if (x->kind == SPEC_SUBJECT &&
			!strncasecmp(m->match_title, x->text, strlen(x->text)))
			return true;
	}
	return false;
}

enum ours_answer ours_decide(struct arena *a, const struct ours_spec *spec,
	const struct series *s, bool submitted, const char **ret_why)
{
	if (submitted) {
		*ret_why = "submitted by hand";
		return OURS_YES;
	}
	if (s->opted_out) {
		*ret_why = s->opted_why;
		return OURS_NO;
	}
	const char *tag = spec->stable ? NULL : stable_tag(s);
	if (tag) {
		*ret_why = arena_printf(a, "not for us: a stable series (%.40s)", tag);
		return OURS_NO;
	}
	size_t n_files;
	if (by_paths(a, spec, s, &n_files, ret_why) == OURS_YES)
		return OURS_YES;
	if (!n_files && subject_fits(spec, s)) {
		*ret_why = "its subject fits; no diff yet";
		return OURS_LATER;
	}
	if (!n_files && !s->complete) {
		*ret_why = "no diff yet";
		return OURS_LATER;
	}
	*ret_why =
		arena_printf(a, "not for us: touches no watched path (%s)", spec->shown);
	return OURS_NO;
}
