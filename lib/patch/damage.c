// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/damage.h"
#include "patch/explain.h"
#include "patch/folded_say.h"
#include "patch/refuse.h"
#include "patch/stage.h"

struct blobs {
	git_odb *odb;
	struct stage s;
};

/* mend_blob_fn */
static bool find_blob(void *arg, const char *hex, const char **ret, size_t *ret_len)
{
	struct blobs *b = arg;
	struct err ignored;
	git_oid id;

	return stage_named_blob(b->odb, hex, &id) &&
	       !stage_blob(&b->s, &id, REFUSE_RESULT_MAX, ret, ret_len, &ignored);
}

static bool other_blanks(const struct apply_patch_outcome *o)
{
	if (o->blanks)
		return true;
	for (size_t i = 0; i < o->n_files; i++) {
		for (size_t k = 0; k < o->files[i].n_hunks; k++) {
			if (o->files[i].hunks[k].error && o->files[i].hunks[k].blanks)
				return true;
		}
	}
	return false;
}

/* All that keeps it from fitting is CRs of the base; the path of the first such file, or
 * NULL. */
static const char *only_cr(const struct apply_patch_outcome *o)
{
	const char *path = NULL;

	for (size_t i = 0; i < o->n_files; i++) {
		const struct apply_file *f = &o->files[i];

		for (size_t k = 0; k < f->n_hunks; k++) {
			if (!f->hunks[k].error)
				continue;
			if (f->hunks[k].blanks != BLANKS_CR)
				return NULL;
			path = path ? path : f->path;
		}
	}
	return path;
}

bool damage_may_be(const struct apply_patch_outcome *out)
{
	if (out->edited)
		return true;
	if (out->result != PATCH_CONFLICT)
		return false;
	for (size_t i = 0; i < out->n_files; i++) {
		const struct apply_file *f = &out->files[i];

		for (size_t k = 0; f->error && k < f->n_hunks; k++) {
			if (f->hunks[k].error)
				return true;
		}
		if (f->error) /* what is said is of the first */
			return !strcmp(f->status, "deleted");
	}
	return !out->n_files;
}

static void look(const struct damage_base *base, struct mend_input *in,
	struct arena *scratch, struct mend *ret)
{
	struct blobs b = {.odb = objects_odb(base->made)};

	stage_init(&b.s, base->made, base->tree, scratch);
	in->blob = find_blob;
	in->arg = &b;
	mend_patch(in, scratch, ret);
}

void damage_look(const struct damage_base *base, const struct apply_patch *patch,
	bool unquote, const struct apply_patch_outcome *out, struct arena *scratch,
	struct mend *ret)
{
	bool buried = patch->buried != NULL;
	struct mend_input in = {.text = buried ? patch->buried : patch->patch,
		.len = buried ? patch->buried_len : patch->patch_len,
		.unquote = unquote,
		.never = patch->partless ? "the parts of the mail cannot be told" : NULL,
		.other_blanks = other_blanks(out)};
	const char *cr = buried ? NULL : only_cr(out);

	look(base, &in, scratch, ret);
	if (ret->end == MEND_NONE && !buried) {
		/* nothing is seen; but what it adds may not be what its index line names
		 */
		in.suspect = true;
		look(base, &in, scratch, ret);
		if (ret->end != MEND_MENDED)
			*ret = (struct mend){.end = MEND_NONE};
	}
	if (cr && ret->end == MEND_UNPROVED)
		ret->why = arena_printf(scratch,
			"the base's %s has CR LF line ends: CRs at the line ends of a "
			"mail "
			"are taken for those of its transport, as git am does without "
			"--keep-cr",
			cr);
}

void damage_suspect(const struct damage_base *base, const char *patch, size_t len,
	struct arena *scratch, struct mend *ret)
{
	struct mend_input in = {.text = patch, .len = len, .suspect = true};

	look(base, &in, scratch, ret);
}

/* Whom a text without a diff quotes: "> From: NAME"; NULL: nobody. */
static const char *quoted_author(const struct apply_patch *patch, struct arena *a)
{
	static const char mark[] = "> From: ";
	const char *p = patch->buried, *end = p + patch->buried_len, *nl, *angle;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if ((size_t)(nl - p) < sizeof(mark) ||
			memcmp(p, mark, sizeof(mark) - 1) != 0)
			continue;
		p += sizeof(mark) - 1;
		angle = memchr(p, '<', (size_t)(nl - p));
		return explain_text(p, (size_t)((angle ? angle : nl) - p), a);
	}
	return NULL;
}

/* An answer to the mail that is meant. */
static void tell_no_diff(
	const struct apply_patch *patch, struct arena *a, struct apply_patch_outcome *out)
{
	const char *who;

	if (!patch->buried || out->n_files ||
		(!memmem(patch->buried, patch->buried_len, "\n> ", 3) &&
			strncmp(patch->buried, "> ", 2) != 0))
		return;
	who = quoted_author(patch, a);
	if (patch->answers)
		out->error =
			arena_printf(a, "%s: it answers <%s>%s%s. Original: look up <%s>",
				out->error, patch->answers, who ? " and quotes " : "",
				who ? who : "", patch->answers);
	else if (who)
		out->error = arena_printf(a,
			"%s: it quotes a mail of %s. Original: look up that one",
			out->error, who);
}

int damage_tell(const struct damage_base *b, const struct apply_patch *patch,
	const struct mend *m, const char *how, struct arena *scratch, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	const char *why = m->why, *says = NULL;
	struct stage s;
	int rc = 0;

	if (m->end == MEND_NONE) {
		tell_no_diff(patch, a, out);
		return 0;
	}
	if (other_blanks(out)) /* it says where */
		why = arena_printf(scratch, "%s; %s", out->error, why);
	if (m->folded) {
		stage_init(&s, b->made, b->tree, scratch);
		rc = folded_say(&s, b->tip, m->folded, m->folded_len, &says, e);
	}
	if (rc)
		return rc;
	if (says)
		why = arena_printf(scratch, "%s. By its words: %s", why, says);
	if (patch->part)
		why = arena_printf(
			scratch, "%s; it is part %s of a series", why, patch->part);
	if (m->end == MEND_MENDED)
		out->error = arena_printf(a,
			"%s; a repair is proved, but was not asked for%s%s", why,
			how ? ": " : "", how ? how : "");
	else if (patch->original)
		out->error = arena_printf(
			a, "%s. Original: look up <%s>", why, patch->original);
	else
		out->error = arena_strdup(a, why);
	return 0;
}
