/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a neighbourhood of mails to rows of series. SERIES: {"near","list_id","root",
 * "version","title","author_name","author_email","total","received","rfc","explicit",
 * "state","why","waiting_why","supersedes_why","content","facts","previous","parts":
 * [{"n","mail_id"}],"first_time","last_time"}; previous is an index into the same list.
 */
#include "base/blob.h"
#include "mail/mail_json.h"
#include "mail/ours.h"
#include "workers/ingest/ingest.h"
#include "workers/ingest/mailrow.h"

struct list_row {
	json_int_t id;
	const char *name, *address;
	struct ours_spec *spec; /* NULL: its path specs are no good */
};

struct mail_row { /* what the database knows of a mail */
	json_int_t id, received_at;
	const char *blob;
	bool near;
	json_t *lists; /* ids; borrowed */
	const struct mail *mail;
};

struct assembly {
	struct job_ctx *j;
	struct mail_row *rows; /* in the order of mails */
	const struct mail **mails;
	size_t n_mails;
	struct list_row *lists;
	size_t n_lists;
	json_t *explicit_ids;
	struct series_clock clock;
	struct series_set set;
};

static const char **string_list(struct arena *a, json_t *v)
{
	const char **out = ARENA_ARRAY(a, const char *, json_array_size(v) + 1);
	json_t *s;
	size_t i, n = 0;

	json_array_foreach(v, i, s) if (json_is_string(s)) out[n++] =
		json_string_value(s);
	return out;
}

static int load_lists(struct assembly *as, json_t *lists, struct err *e)
{
	json_t *one;
	size_t i;

	as->n_lists = json_array_size(lists);
	as->lists = ARENA_ARRAY(as->j->arena, struct list_row, as->n_lists + 1);
	json_array_foreach(lists, i, one)
	{
		struct list_row *l = &as->lists[i];
		struct err ignored;
		json_t *match;
		int status = jx_unpack(one, e, "list", "{s:I, s:s, s:o, s:s !}", "id",
			&l->id, "name", &l->name, "match", &match, "address",
			&l->address);

		if (status != 0)
			return status;
		if (ours_compile(as->j->arena, string_list(as->j->arena, match), &l->spec,
			    &ignored) != 0)
			l->spec = NULL;
	}
	return 0;
}

static int load_mail(struct assembly *as, struct mail_row *row,
	const struct mail_opts *opts, struct err *e)
{
	CLEANUP(arena_freep) struct arena *tmp = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct mail_opts o = *opts;
	struct mail *m = NULL;
	struct err ignored;
	int status = blob_get(as->j->blobs, row->blob, (size_t)256 << 20, &s, e);

	if (status != 0)
		return status;
	o.received_at = row->received_at;
	/* What cannot be read was stored with its reason and is part of no series. */
	if (mail_parse(tmp, s.buf, s.len, &o, &m, &ignored) != 0)
		return 0;
	row->mail = mail_compact(as->j->arena, m);
	return 0;
}

static int load_mails(
	struct assembly *as, json_t *mails, const struct mail_opts *opts, struct err *e)
{
	json_t *one;
	size_t i;

	as->rows = ARENA_ARRAY(as->j->arena, struct mail_row, json_array_size(mails) + 1);
	as->mails = ARENA_ARRAY(
		as->j->arena, const struct mail *, json_array_size(mails) + 1);
	json_array_foreach(mails, i, one)
	{
		struct mail_row *row = &as->rows[as->n_mails];
		int near;
		int status = jx_unpack(one, e, "mail", "{s:I, s:s, s:I, s:b, s:o !}",
			"id", &row->id, "blob", &row->blob, "received_at",
			&row->received_at, "near", &near, "lists", &row->lists);

		if (status == 0)
			status = load_mail(as, row, opts, e);
		if (status != 0)
			return status;
		row->near = near;
		if (row->mail)
			as->mails[as->n_mails++] = row->mail;
		job_progress(as->j, (int64_t)i + 1, (int64_t)json_array_size(mails),
			"mails", "reading");
	}
	return 0;
}

/* The row of a mail of the result; copies with another blob have the same id. */
static const struct mail_row *row_of(const struct assembly *as, const struct mail *m)
{
	for (size_t i = 0; i < as->n_mails; i++)
		if (as->rows[i].mail == m)
			return &as->rows[i];
	BUG("a series holds a mail that was not given");
}

static bool is_explicit(const struct assembly *as, const struct series *s)
{
	json_t *id;
	size_t i;

	json_array_foreach(as->explicit_ids, i, id)
	{
		const char *want = json_string_value(id);

		if (strcmp(s->id, want) == 0 ||
			(s->cover && strcmp(s->cover->message_id, want) == 0))
			return true;
		for (size_t p = 0; p < s->n_patches; p++)
			if (strcmp(s->patches[p].mail->message_id, want) == 0)
				return true;
	}
	return false;
}

static bool on_list(const struct assembly *as, const struct series *s, json_int_t list)
{
	const struct mail *first = s->cover       ? s->cover
				   : s->n_patches ? s->patches[0].mail
						  : NULL;
	json_t *id;
	size_t i;

	if (!first)
		return false;
	json_array_foreach(row_of(as, first)->lists, i,
		id) if (json_integer_value(id) == list) return true;
	return false;
}

/* The list that takes it: the first that wants it, else the first that carries it. */
static const struct list_row *pick_list(const struct assembly *as, const struct series *s,
	bool submitted, enum ours_answer *ret_answer, const char **ret_why)
{
	const struct list_row *carrier = NULL;

	*ret_answer = submitted ? OURS_YES : OURS_NO;
	*ret_why = submitted ? "somebody submitted it" : "no list carries it";
	for (size_t i = 0; i < as->n_lists; i++) {
		enum ours_answer answer;
		const char *why;

		if (!as->lists[i].spec || !on_list(as, s, as->lists[i].id))
			continue;
		answer = ours_decide(as->j->arena, as->lists[i].spec, s, submitted, &why);
		if (!carrier || (answer != OURS_NO && *ret_answer == OURS_NO)) {
			carrier = &as->lists[i];
			*ret_answer = answer;
			*ret_why = why;
		}
	}
	return carrier;
}

static const char *number_text(struct arena *a, int64_t n)
{
	char buf[32];

	return arena_strdup(a, prefix_number(n, buf, sizeof(buf)));
}

static json_t *text(const char *s)
{
	return jx_text(s ? s : "", s ? strlen(s) : 0);
}

static void add_part(const struct assembly *as, json_t *parts, struct sbuf *content,
	const char *n, const struct mail *m)
{
	json_array_append_new(
		parts, jx_pack("{s:s, s:I}", "n", n, "mail_id", row_of(as, m)->id));
	sbuf_addf(content, "%s %s %s\n", n, m->message_id, m->patch_sha256);
}

static json_t *parts_json(const struct assembly *as, const struct series *s,
	char ret_content[SHA256_HEX], bool *ret_near)
{
	CLEANUP(sbuf_release) struct sbuf content = SBUF_INIT;
	json_t *parts = json_array();

	*ret_near = s->cover && row_of(as, s->cover)->near;
	if (s->cover)
		add_part(as, parts, &content, "0", s->cover);
	for (size_t i = 0; i < s->n_patches; i++) {
		const struct series_patch *p = &s->patches[i];

		add_part(as, parts, &content, number_text(as->j->arena, p->n), p->mail);
		*ret_near |= row_of(as, p->mail)->near && !p->inherited;
	}
	sha256_hex(content.buf, content.len, ret_content);
	return parts;
}

struct words {
	enum series_state state;
	const char *why, *waiting, *incomplete, *complete, *superseded;
};

/* The series by itself, whatever came after it; and the words for what time may bring. */
static void find_words(const struct assembly *as, const struct series *s, bool submitted,
	const char *list, struct words *ret)
{
	struct arena *a = as->j->arena;
	struct series alone = *s;
	struct series_clock c = as->clock;

	c.list = list;
	alone.superseded_by = NULL;
	alone.merged_commit = alone.merged_branch = NULL;
	if (submitted)
		alone.opted_out = false;
	ret->state = series_state(a, &alone, &c, &ret->why);
	ret->complete = s->complete ? ret->why : NULL;
	ret->incomplete = ret->waiting = ret->why;
	ret->superseded = NULL;
	if (!s->complete) {
		c.now = 0;
		(void)series_state(a, &alone, &c, &ret->waiting);
		c.now = series_deadline(s, c.wait_s) + 1;
		(void)series_state(a, &alone, &c, &ret->incomplete);
	}
	if (s->superseded_by) {
		alone.superseded_by = s->superseded_by;
		(void)series_state(a, &alone, &as->clock, &ret->superseded);
	}
}

static json_t *facts_json(const struct assembly *as, const struct series *s,
	const struct words *w, const char *ours_why, const char *list)
{
	struct series_clock c = as->clock;
	json_t *facts;

	/* Facts are free of the clock: the same mails, the same bytes. */
	c.now = 0;
	c.list = list;
	facts = series_json(as->j->arena, s, &c);
	json_object_del(facts, "state");
	json_object_del(facts, "why");
	json_object_del(facts, "superseded_by");
	json_object_set_new(facts, "waiting_why", text(w->waiting));
	json_object_set_new(facts, "incomplete_why", text(w->incomplete));
	json_object_set_new(
		facts, "complete_why", text(w->complete ? w->complete : w->why));
	json_object_set_new(facts, "ours_why", text(ours_why));
	return facts;
}

static json_t *previous_json(const struct assembly *as, const struct series *s)
{
	for (size_t i = 0; i < as->set.n_series; i++)
		if (s->previous && as->set.series[i] == s->previous)
			return json_integer((json_int_t)i);
	return json_null();
}

static int64_t clamp_time(int64_t t)
{
	return t < 0 ? 0 : t > MAILROW_TIME_MAX ? MAILROW_TIME_MAX : t;
}

static json_t *series_row(const struct assembly *as, const struct series *s)
{
	struct arena *a = as->j->arena;
	bool submitted = is_explicit(as, s), near;
	enum ours_answer answer;
	const char *ours_why, *state;
	const struct list_row *list = pick_list(as, s, submitted, &answer, &ours_why);
	char content[SHA256_HEX];
	struct words w, prev = {0};
	json_t *parts, *row;

	find_words(as, s, submitted, list ? list->name : NULL, &w);
	if (s->previous)
		find_words(as, s->previous, false, NULL, &prev);
	state = series_state_name(w.state);
	if (!submitted && w.state != SERIES_OPTED_OUT) {
		if (answer == OURS_NO && s->n_patches > 0) {
			state = series_state_name(SERIES_NOT_OURS);
			w.why = ours_why;
		}
	}
	parts = parts_json(as, s, content, &near);
	row = jx_pack("{s:b, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:s, s:o, "
		      "s:o}",
		"near", near, "list_id", list ? json_integer(list->id) : json_null(),
		"root", text(s->id), "version", number_text(a, s->version), "title",
		text(s->title), "author_name", text(s->author.name), "author_email",
		text(s->author.email), "total",
		s->total >= 0 ? json_integer(s->total / PREFIX_UNIT) : json_null(),
		"received", (json_int_t)s->n_patches, "rfc", s->rfc, "explicit",
		submitted, "state", state, "why", text(w.why), "waiting_why",
		text(w.waiting));
	json_object_set_new(row, "supersedes_why",
		prev.superseded ? text(prev.superseded) : json_null());
	json_object_set_new(row, "content", json_string(content));
	json_object_set_new(
		row, "facts", facts_json(as, s, &w, ours_why, list ? list->name : NULL));
	json_object_set_new(row, "previous", previous_json(as, s));
	json_object_set_new(row, "parts", parts);
	json_object_set_new(row, "first_time", json_integer(clamp_time(s->first_time)));
	json_object_set_new(row, "last_time",
		json_integer(
			clamp_time(s->last_received ? s->last_received : s->last_time)));
	return row;
}

int ingest_assemble_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	struct assembly as = {.j = j};
	struct mail_opts opts = {0};
	json_t *core, *mails, *lists, *own, *trees, *series, *near;
	json_int_t now, wait_s;
	const char **addresses;
	int status = jx_unpack(in, e, "assemble",
		"{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o !}", "now", &now, "wait_s",
		&wait_s, "core", &core, "mails", &mails, "explicit", &as.explicit_ids,
		"lists", &lists, "own", &own, "trees", &trees);

	if (status == 0)
		status = load_lists(&as, lists, e);
	if (status != 0)
		return status;
	as.clock = (struct series_clock){.now = now, .wait_s = wait_s};
	opts.own_addresses = string_list(j->arena, own);
	opts.branches = string_list(j->arena, trees);
	addresses = ARENA_ARRAY(j->arena, const char *, as.n_lists + 1);
	for (size_t i = 0, n = 0; i < as.n_lists; i++)
		if (as.lists[i].address[0])
			addresses[n++] = as.lists[i].address;
	opts.list_addresses = addresses;
	status = load_mails(&as, mails, &opts, e);
	if (status == 0)
		status = series_assemble(j->arena, as.mails, as.n_mails, &as.set, e);
	if (status != 0)
		return status;
	series = json_array();
	for (size_t i = 0; i < as.set.n_series; i++)
		json_array_append_new(series, series_row(&as, as.set.series[i]));
	near = json_array();
	for (size_t i = 0; i < as.n_mails; i++)
		if (as.rows[i].near)
			json_array_append_new(near, json_integer(as.rows[i].id));
	*ret = jx_pack("{s:O, s:o, s:o}", "core", core, "near", near, "series", series);
	return 0;
}
