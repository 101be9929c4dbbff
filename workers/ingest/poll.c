/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/ingest/ingest.h"

#include "workers/ingest/epoch.h"

struct poll {
	const char *list_id, *name, *url, *address;
	json_int_t max;
	json_t *own, *epochs;
};

static int poll_parse(json_t *in, struct poll *p, struct err *e)
{
	return jx_unpack(in, e, "poll", "{s:s, s:s, s:s, s:I, s:s, s:o, s:o !}",
		"list_id", &p->list_id, "name", &p->name, "url", &p->url, "max", &p->max,
		"address", &p->address, "own", &p->own, "epochs", &p->epochs);
}

/* What the database has of the epochs: number -> fingerprint, number -> watermark. */
static void known_epochs(json_t *epochs, json_t *fingerprints, json_t *marks)
{
	json_t *one;
	size_t i;

	json_array_foreach(epochs, i, one)
	{
		json_int_t n = json_integer_value(json_object_get(one, "epoch"));
		char key[32];

		snprintf(key, sizeof(key), "%lld", (long long)n);
		json_object_set(fingerprints, key, json_object_get(one, "fingerprint"));
		json_object_set(marks, key, json_object_get(one, "last_commit"));
	}
}

static int find_epochs(struct job_ctx *j, const struct poll *p, json_t *fingerprints,
	struct epoch **ret, size_t *ret_n, struct err *e)
{
	if (p->url[0] == '/')
		return epoch_find(j->arena, p->url, ret, ret_n, e);
	if (strncmp(p->url, "http://", 7) == 0 || strncmp(p->url, "https://", 8) == 0)
		return epoch_fetch(j, p->url,
			arena_printf(j->arena, "%s/inbox/%s", j->data, p->name),
			fingerprints, ret, ret_n, e);
	return err_set(e, ERR_INVALID, "%s: no absolute path and no http(s) URL", p->url);
}

static json_t *watermark(const struct epoch *ep, const char *last)
{
	return jx_pack("{s:i, s:o, s:s, s:s}", "epoch", ep->n, "old",
		jx_str_or_null(ep->old), "new", last, "fingerprint", ep->fingerprint);
}

struct batch {
	struct mailrows rows;
	json_t *epochs, *withdrawn, *known, *marks;
	bool more;
	int n_left_out;
};

static int walk_epochs(
	struct job_ctx *j, const struct poll *p, struct batch *b, struct err *e)
{
	struct epoch *v = NULL;
	size_t n = 0;
	int status = find_epochs(j, p, b->known, &v, &n, e);

	for (size_t i = 0; status == 0 && i < n && !b->more; i++) {
		size_t room = (size_t)p->max - json_array_size(b->rows.files);
		struct walk_result w;
		char key[32];
		const char *had;

		snprintf(key, sizeof(key), "%d", v[i].n);
		v[i].old = json_string_value(json_object_get(b->marks, key));
		had = json_string_value(json_object_get(b->known, key));
		status = epoch_walk(j, &v[i], room, &b->rows, b->withdrawn, &w, e);
		if (status != 0)
			return err_wrap(e, "epoch %d", v[i].n);
		b->more |= w.more;
		b->n_left_out += w.n_left_out;
		if (w.last || (v[i].old && (!had || strcmp(had, v[i].fingerprint) != 0)))
			json_array_append_new(
				b->epochs, watermark(&v[i], w.last ? w.last : v[i].old));
		if (json_array_size(b->rows.files) >= (size_t)p->max && i + 1 < n)
			b->more = true;
	}
	return status;
}

int ingest_poll_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	struct batch b = {0};
	struct poll p;
	int status = poll_parse(in, &p, e);

	if (status != 0)
		return status;
	mailrows_init(&b.rows, j, p.own);
	if (p.address[0]) {
		const char **v = ARENA_ARRAY(j->arena, const char *, 2);

		v[0] = p.address;
		b.rows.opts.list_addresses = v;
	}
	/* The database hands out one mail at a time after two deaths. */
	b.rows.apart = p.max == 1;
	b.epochs = json_array();
	b.withdrawn = json_array();
	b.known = json_object();
	b.marks = json_object();
	known_epochs(p.epochs, b.known, b.marks);
	status = walk_epochs(j, &p, &b, e);
	if (status == 0)
		*ret = jx_pack("{s:O, s:O, s:O, s:b, s:s, s:O}", "epochs", b.epochs,
			"mails", b.rows.mails, "withdrawn", b.withdrawn, "more", b.more,
			"note",
			b.n_left_out ? arena_printf(j->arena,
					       "%d mails over %zu MiB were left out",
					       b.n_left_out, EPOCH_MAIL_MAX >> 20)
				     : "",
			"files", b.rows.files);
	json_decref(b.epochs);
	json_decref(b.withdrawn);
	json_decref(b.known);
	json_decref(b.marks);
	mailrows_release(&b.rows);
	return status;
}
