/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io.h - the disk thread: everything that may wait for a disk is done there, one thing
 * after the other, so that the loop never does.
 *
 * A work function touches only what its argument owns; the loop keeps its hands off
 * that until done is called (in the loop, in the order of submission).
 */
#ifndef WL_SERVER_IO_H
#define WL_SERVER_IO_H

#include "base/base.h"

struct event_base;
struct io;

struct io *io_new(struct event_base *base);
/* Finishes what is queued, calls every done, ends the thread. Accepts NULL. */
void io_free(struct io *io);
void io_submit(
	struct io *io, void (*work)(void *arg), void (*done)(void *arg), void *arg);
/* Waits until all that was submitted is done, also by the done functions. Blocks: only
 * when the loop has ended. */
void io_drain(struct io *io);
int64_t io_n_queued(const struct io *io); /* submitted and not done */

#endif
