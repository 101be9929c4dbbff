/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/io.h"

#include <event2/event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

struct io_item {
	STAILQ_ENTRY(io_item) next;
	void (*work)(void *arg);
	void (*done)(void *arg);
	void *arg;
};
STAILQ_HEAD(io_list, io_item);

struct io {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct io_list todo, finished; /* under lock */
	bool stop;                     /* under lock */
	int event_fd;
	struct event *ev;
	int64_t n_queued; /* loop only */
};

static void *io_main(void *arg)
{
	struct io *io = arg;

	pthread_mutex_lock(&io->lock);
	for (;;) {
		struct io_item *it = STAILQ_FIRST(&io->todo);
		uint64_t one = 1;
		ssize_t n;

		if (!it && io->stop)
			break;
		if (!it) {
			pthread_cond_wait(&io->wake, &io->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&io->todo, next);
		pthread_mutex_unlock(&io->lock);
		it->work(it->arg);
		pthread_mutex_lock(&io->lock);
		STAILQ_INSERT_TAIL(&io->finished, it, next);
		n = write(io->event_fd, &one, sizeof(one));
		(void)n; /* a full counter wakes the loop as well */
	}
	pthread_mutex_unlock(&io->lock);
	return NULL;
}

static void run_finished(struct io *io)
{
	struct io_list list = STAILQ_HEAD_INITIALIZER(list);
	struct io_item *it;

	pthread_mutex_lock(&io->lock);
	STAILQ_CONCAT(&list, &io->finished);
	pthread_mutex_unlock(&io->lock);
	while ((it = STAILQ_FIRST(&list))) {
		STAILQ_REMOVE_HEAD(&list, next);
		io->n_queued--;
		it->done(it->arg);
		free(it);
	}
}

static void on_event(evutil_socket_t fd, short what UNUSED, void *arg)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n; /* EAGAIN: somebody emptied it already */
	run_finished(arg);
}

struct io *io_new(struct event_base *base)
{
	struct io *io = base_zalloc(sizeof(*io));
	sigset_t all, old;

	STAILQ_INIT(&io->todo);
	STAILQ_INIT(&io->finished);
	pthread_mutex_init(&io->lock, NULL);
	pthread_cond_init(&io->wake, NULL);
	io->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (io->event_fd < 0)
		BUG("eventfd: no descriptor");
	io->ev = event_new(base, io->event_fd, EV_READ | EV_PERSIST, on_event, io);
	event_add(io->ev, NULL);
	/* signals are the loop's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&io->thread, NULL, io_main, io) != 0)
		BUG("no thread for the disk");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return io;
}

void io_free(struct io *io)
{
	if (!io)
		return;
	pthread_mutex_lock(&io->lock);
	io->stop = true;
	pthread_cond_signal(&io->wake);
	pthread_mutex_unlock(&io->lock);
	pthread_join(io->thread, NULL);
	run_finished(io);
	event_free(io->ev);
	close(io->event_fd);
	pthread_cond_destroy(&io->wake);
	pthread_mutex_destroy(&io->lock);
	free(io);
}

void io_drain(struct io *io)
{
	while (io->n_queued > 0) {
		struct pollfd p = {.fd = io->event_fd, .events = POLLIN};

		if (poll(&p, 1, -1) > 0)
			on_event(io->event_fd, EV_READ, io);
	}
}

void io_submit(struct io *io, void (*work)(void *arg), void (*done)(void *arg), void *arg)
{
	struct io_item *it = base_zalloc(sizeof(*it));

	*it = (struct io_item){.work = work, .done = done, .arg = arg};
	io->n_queued++;
	pthread_mutex_lock(&io->lock);
	STAILQ_INSERT_TAIL(&io->todo, it, next);
	pthread_cond_signal(&io->wake);
	pthread_mutex_unlock(&io->lock);
}

int64_t io_n_queued(const struct io *io)
{
	return io->n_queued;
}
