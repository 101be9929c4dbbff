// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "patch/explain.h"
#include "patch/folded.h"
#include "patch/folded_say.h"
#include "patch/kernel_names.h"
#include "patch/origin.h"
#include "patch/refuse.h"

#define LIST_MAX 600 /* bytes of names or numbers in one sentence */

struct say {
	struct stage *s;
	const git_oid *tip;
	struct arena *a;
	struct sbuf out;             /* on files and names, so far */
	struct sbuf present, absent; /* "hunks 1, 3 of 3 of f.c, hunk 1 of 1 of g.c" */
	size_t n_hunks, n_present;
	bool lacks_names;
	struct origin origin; /* of the first line that is there */
	struct err *e;
};

/* One file as the base has it. */
struct here {
	const char *path, *shown, *text;
	size_t len;
	struct sbuf missing;                     /* "a(), type b" */
	struct sbuf numbers[FOLDED_PRESENT + 1]; /* of hunks, "1, 3", by state */
	size_t n[FOLDED_PRESENT + 1];
};

static void add_item(struct sbuf *list, const char *item)
{
	if (list->len < LIST_MAX)
		sbuf_addf(list, "%s%s", list->len ? ", " : "", item);
}

static void add_clause(struct say *y, const char *text)
{
	sbuf_addf(&y->out, "%s%s", y->out.len ? "; " : "", text);
}

/* --- files and names --- */

static int look(struct say *y, const char *path, bool *ret, git_oid *ret_id)
{
	struct stage_found found;
	int rc = stage_look(y->s, path, &found, y->e);

	*ret = !rc && found.kind == STAGE_FILE;
	if (*ret)
		*ret_id = found.id;
	return rc;
}

/* *ret: where the base has the file, NULL: nowhere. */
static int find_file(struct say *y, const char *path, const char **ret, git_oid *ret_id)
{
	const struct kernel_name *k = NULL;
	const char *at = path, *shown = refuse_show_path(path, y->a);
	bool here;
	int rc = look(y, at, &here, ret_id);

	for (int i = 0; !rc && !here && i < KERNEL_NAMES_CHAIN; i++) {
		k = kernel_path_next(at);
		if (!k)
			break;
		at = k->is;
		rc = look(y, at, &here, ret_id);
	}
	*ret = !rc && here ? at : NULL;
	if (rc || (here && at == path))
		return rc;
	add_clause(y, here ? arena_printf(y->a,
				     "%s is an obsolete path, the base has it as %s "
				     "(since %s)",
				     shown, at, k->since)
			   : arena_printf(y->a, "%s does not exist at this base", shown));
	return 0;
}

/* What the file calls it: a newer name where only that is defined; NULL: it has none. */
static const char *name_here(const struct here *f, const char *name)
{
	const char *at = name;

	for (int i = 0; at && i <= KERNEL_NAMES_CHAIN; i++) {
		const struct kernel_name *k;

		if (folded_defines(f->text, f->len, at))
			return at;
		k = kernel_function_next(at);
		at = k ? k->is : NULL;
	}
	return folded_has_word(f->text, f->len, name) ? name : NULL;
}

/* now: its name at the base, NULL: it is not there. */
static void tell_name(
	struct say *y, struct here *f, const struct folded_hunk *h, const char *now)
{
	const char *text = explain_text(h->name, strlen(h->name), y->a);
	const char *item = h->is_type ? arena_printf(y->a, "type %s", text)
				      : arena_printf(y->a, "%s()", text);

	if (now && strcmp(now, h->name) != 0) {
		item = arena_printf(y->a, "%s is %s() there", item, now);
		if (!strstr(y->out.buf, item))
			add_clause(y, item);
	} else if (!now && !strstr(f->missing.buf, item)) {
		add_item(&f->missing, item);
	}
}

/* --- hunks --- */

static int say_hunk(
	struct say *y, struct here *f, const struct folded_hunk *h, size_t number)
{
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	const char *now = h->name ? name_here(f, h->name) : NULL;
	struct folded_word line;
	enum folded_state state;

	y->n_hunks++;
	if (h->name)
		tell_name(y, f, h, now);
	state = folded_compare(h, now, f->text, f->len, scratch, &line);
	f->n[state]++;
	add_item(&f->numbers[state], arena_printf(scratch, "%zu", number));
	if (state != FOLDED_PRESENT || !line.len || y->origin.commit)
		return 0;
	return origin_find(y->s->repo, y->tip, f->path, line.p, line.len, false, y->a,
		&y->origin, y->e);
}

static void list_hunks(struct say *y, const struct here *f, enum folded_state state,
	size_t n_all, struct sbuf *list)
{
	if (f->n[state])
		add_item(list, arena_printf(y->a, "hunk%s %s of %zu of %s",
				       f->n[state] == 1 ? "" : "s", f->numbers[state].buf,
				       n_all, f->shown));
}

static int say_file(struct say *y, const struct folded_file *file)
{
	struct here f = {.missing = SBUF_INIT};
	struct err ignored;
	git_oid id;
	int rc = find_file(y, file->path, &f.path, &id);

	/* one of absurd size says nothing */
	if (rc || !f.path ||
		stage_blob(y->s, &id, REFUSE_RESULT_MAX, &f.text, &f.len, &ignored))
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(f.numbers); i++)
		sbuf_init(&f.numbers[i]);
	f.shown = refuse_show_path(f.path, y->a);
	for (size_t i = 0; i < file->n_hunks && y->n_hunks < FOLDED_SAY_HUNKS && !rc; i++)
		rc = say_hunk(y, &f, &file->hunks[i], i + 1);
	list_hunks(y, &f, FOLDED_PRESENT, file->n_hunks, &y->present);
	list_hunks(y, &f, FOLDED_PARTLY, file->n_hunks, &y->absent);
	list_hunks(y, &f, FOLDED_ABSENT, file->n_hunks, &y->absent);
	y->n_present += f.n[FOLDED_PRESENT];
	if (f.missing.len) {
		y->lacks_names = true;
		add_clause(y, arena_printf(y->a, "%s has no %s at this base", f.shown,
				      f.missing.buf));
	}
	sbuf_release(&f.missing);
	for (size_t i = 0; i < ARRAY_LEN(f.numbers); i++)
		sbuf_release(&f.numbers[i]);
	return rc;
}

static void say_change(struct say *y)
{
	const char *by = y->origin.commit ? origin_words(&y->origin, y->a) : NULL;

	if (y->n_present && y->n_present == y->n_hunks)
		add_clause(
			y, by ? arena_printf(y->a,
					"its change is contained in the base, as %s", by)
			      : "its change is contained in the base");
	else if (y->n_present)
		add_clause(y,
			arena_printf(y->a,
				"its change is contained in the base in part: %s%s%s%s%s",
				y->present.buf, y->absent.len ? ", but not " : "",
				y->absent.len ? y->absent.buf : "",
				by ? "; superseded by " : "", by ? by : ""));
	else if (y->lacks_names && y->absent.len)
		add_clause(y, arena_printf(y->a,
				      "only %s would have a place, and a patch goes as a "
				      "whole",
				      y->absent.buf));
}

int folded_say(struct stage *s, const git_oid *tip, const char *text, size_t len,
	const char **ret, struct err *e)
{
	struct say y = {.s = s,
		.tip = tip,
		.a = s->a,
		.out = SBUF_INIT,
		.present = SBUF_INIT,
		.absent = SBUF_INIT,
		.e = e};
	struct folded d;
	int rc = 0;

	folded_read(text, len, s->a, &d);
	for (size_t i = 0; i < d.n_files && y.n_hunks < FOLDED_SAY_HUNKS && !rc; i++)
		rc = say_file(&y, &d.files[i]);
	if (!rc)
		say_change(&y);
	*ret = !rc && y.out.len ? arena_strndup(s->a, y.out.buf, y.out.len) : NULL;
	sbuf_release(&y.out);
	sbuf_release(&y.present);
	sbuf_release(&y.absent);
	return rc;
}
