/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - one leased job in the supervisor, from the claim to its end.
 *
 *   loading   work_load is on its way: the input, or "nothing to run"
 *   running   a child has the input; it ends with a result, an error, or not at all
 *   adopting  a second, trusted child puts the files of the result into the blob store
 *   ending    work_store, work_fail or work_release is on its way
 *
 * An answer of the database that leaves open whether it took effect is asked again: the
 * fence makes the second time harmless.
 */
#ifndef WL_WORKERS_WORK_H
#define WL_WORKERS_WORK_H

#include "base/base.h"

#include "db/q_work.h"
#include "workers/supervise.h"

/* Takes the job up; ends by itself and leaves the supervisor's list. */
void work_start(struct supervisor *s, const struct q_work_claimed *c);
/* NULL when no job has it. */
struct work *work_find_job(struct supervisor *s, int64_t id);
struct work *work_next(struct work *w); /* NULL: it was the last */
struct work *work_find_pid(struct supervisor *s, pid_t pid);
void work_on_exit(struct work *w, int status);
/* The lease is not ours any more: the child is killed, nothing is stored. */
void work_lose(struct work *w, const char *why);
/* The supervisor stops: the child is killed, the lease goes back to the queue. */
void work_hand_back(struct work *w);

#endif
