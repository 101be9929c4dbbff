/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assembly.h - the parts of series_assemble(). Private to lib/mail.
 *
 * gather.c finds which mails belong together, slots.c makes a series of each heap,
 * reroll.c ties versions, followup.c adds what replies and merge notices say.
 */
#ifndef WL_MAIL_ASSEMBLY_H
#define WL_MAIL_ASSEMBLY_H

#include "base/base.h"

#include "mail/assemble.h"

/* A patch or cover on its way into a series. */
struct node {
	const struct mail *m;
	const char *author; /* author key */
	const char *tags;   /* lower case, sorted, one string */
	const char *cls;    /* author, total, version and tags as one string */
	int64_t n;          /* PREFIX_NONE: single patch */
	int64_t total;      /* PREFIX_NONE: unknown */
	int64_t version;    /* PREFIX_NONE: the subject names none */
	size_t parent;      /* node that m->parent is, or NODE_NONE */
	size_t root;        /* union-find over all edges */
	size_t strong;      /* union-find over E1 and E5 only */
};
#define NODE_NONE SIZE_MAX

/* A series in the making. */
struct heap {
	struct series s;
	struct node *
		*nodes; /* members, by (order_time, id); inherited ones are not here */
	size_t n_nodes, cap_nodes;
	const char *author, *tags;
	const char *match_title; /* of cover or patch 1 */
	bool threaded;           /* some member answers something */
	bool gone;               /* merged into another */
	size_t cap_patches, cap_missing, cap_notes, cap_trailers;
};

struct id_entry {
	const char *id;
	bool alt; /* the mail's own id is another: counts where it is nobody's own */
	size_t mail;
};

struct assembly {
	struct arena *arena;
	const struct mail **mails; /* unique, by (order_time, message_id) */
	size_t n_mails;
	struct id_entry *ids; /* sorted */
	size_t n_ids;
	struct node *nodes; /* in the order of mails */
	size_t n_nodes;
	size_t *node_of; /* mail -> node or NODE_NONE */
	struct heap **heaps;
	size_t n_heaps, cap_heaps;
	struct heap **heap_of; /* node -> heap */
};

/* Order of copies of one mail, the canonical first; other mails by message-id. */
int assembly_by_copy(const struct mail *p, const struct mail *q);
/* Order of the mails of a set. */
int assembly_by_time(const struct mail *p, const struct mail *q);
/* May become a node: by itself, or for what others answer it. */
bool assembly_is_part(const struct mail *m);
/* Why it is part of no series, for a mail that is no node. */
const char *assembly_why_other(const struct mail *m);
/* Index of the mail with that id, or SIZE_MAX. */
size_t assembly_find(const struct assembly *x, const char *id);
struct node *assembly_node(const struct assembly *x, const char *id); /* NULL: no node */
void assembly_note(
	struct assembly *x, struct heap *h, const char *code, const char *detail);
bool assembly_descends(
	const struct mail *m, const char *id); /* names id as an ancestor */

void gather_nodes(struct assembly *x);
void gather_edges(struct assembly *x);
/* The class test of edge E1: child hangs under parent. */
bool gather_hangs_under(const struct node *parent, const struct node *child);
void slots_build(struct assembly *x);
/* Fills patches, missing, title, ids ... of h from its nodes. */
void slots_fill(struct assembly *x, struct heap *h);
bool slots_same_patch(const struct mail *a, const struct mail *b);
void slots_add_resent(struct assembly *x, struct series_patch *p, const struct mail *m);
void slots_add_node(struct assembly *x, struct heap *h, struct node *n);
void slots_complete(struct assembly *x, struct heap *h); /* missing and complete only */
void reroll_partial(struct assembly *x);
void reroll_versions(struct assembly *x);
void reroll_postings(struct assembly *x);
void reroll_link(struct assembly *x);
void followup_trailers(struct assembly *x);
void followup_merges(struct assembly *x);

#endif
