// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file of a blob index (blob_index.h has its format): what is read is inside of the
 * file, a match is one of its commits, and a file written from this one is in order.
 *
 * After 'r' the input is the file. After 'm' it tells what to make one of, with checksums
 * that are right, so that what is behind them is reached: number of commits (2 bytes), of
 * paths, of changes, of commits to keep (1 each), then paths and changes as the file has
 * them. 'h' is the same with 9 bytes before the paths: a place in the head and what to
 * write there.
 */
#include "base/base.h"

#include "patch/blob_file.h"
#include <unistd.h>
#include <zlib.h>

#define BODY_AT  4096u
#define BLOCK    16384u
#define HEAD_LEN 56u
#define FILE_MAX (1u << 20)
#define N_NAMES  4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory where there is such a folder. */
static char folder[64], path[80], next_path[80];

static void leave(void)
{
	unlink(path);
	unlink(next_path);
	rmdir(folder);
}

static void enter(void)
{
	if (folder[0])
		return;
	snprintf(folder, sizeof(folder), "%s/wl-fuzz-XXXXXX",
		access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/index", folder);
	snprintf(next_path, sizeof(next_path), "%s/next", folder);
	atexit(leave);
}

static void put(uint8_t *at, uint64_t v, size_t n)
{
	memcpy(at, &v, n); /* the format has the machine's order */
}

/* The whole file from what follows the letter; 0: too short. */
static size_t make_file(const uint8_t *p, size_t len, bool spoil, uint8_t *ret)
{
	uint64_t commits, paths, changes, body, sums, n;
	size_t fixed = spoil ? 5 + 9 : 5;
	uint8_t *head = ret;

	if (len < fixed)
		return 0;
	commits = p[0] | (p[1] & 7u) << 8;
	paths = p[2];
	changes = p[3];
	body = (commits * BLOB_ID + 15) / 16 * 16 + (paths + changes) * 16;
	n = (body + BLOCK - 1) / BLOCK;
	sums = BODY_AT + body;
	memset(ret, 0, sums);
	memcpy(head, "wlblobs", 8);
	put(head + 8, 0x01020304, 4);
	put(head + 12, 1, 4);
	put(head + 16, commits, 8);
	put(head + 24, paths, 8);
	put(head + 32, changes, 8);
	put(head + 40, sums + n * 4, 8);
	/* paths and changes come first in the input: commits may be anything */
	body = (paths + changes) * 16;
	if (body > len - fixed)
		body = len - fixed;
	memcpy(ret + sums - (paths + changes) * 16, p + fixed, body);
	for (uint64_t b = 0; b < n; b++) {
		uint64_t from = BODY_AT + b * BLOCK,
			 to = from + BLOCK < sums ? from + BLOCK : sums;

		put(ret + sums + b * 4, crc32_z(0, ret + from, to - from), 4);
	}
	put(head + 48, crc32_z(0, ret + sums, n * 4), 4);
	if (spoil)
		memcpy(head + p[5] % (HEAD_LEN - 12), p + 6, 8);
	put(head + 52, crc32_z(0, head, 52), 4);
	return sums + n * 4;
}

static void put_file(const uint8_t *p, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, len, f) != len || fclose(f))
		abort();
}

/* Reads every byte, so that the sanitizer sees what is not there. */
static void touch(const void *p, size_t len)
{
	const volatile uint8_t *bytes = p;

	for (size_t i = 0; p && i < len; i++)
		(void)bytes[i];
}

static void read_parts(struct blob_index *x)
{
	char hex[REPO_HEX];
	struct err e;

	for (uint32_t i = 0; i < blob_index_n_commits(x) && i < 4096; i += 63) {
		if (!blob_index_commit(x, i, hex, &e) && strlen(hex) != REPO_HEX - 1)
			abort();
	}
	if (blob_file_commits(x, blob_index_n_commits(x), 1, &e))
		abort();
	for (uint32_t i = 0; i <= blob_file_n_paths(x) && i < 256; i++) {
		const struct blob_path *p = blob_file_path(x, i, &e), *found;
		const struct blob_change *v = p ? blob_file_changes(x, p, &e) : NULL;

		if (p && i == blob_file_n_paths(x))
			abort();
		touch(v, v ? p->n * sizeof(*v) : 0);
		if (p && !blob_file_path_find(x, p->hash, &found, &e) && found &&
			found->hash != p->hash)
			abort();
	}
}

/* Names whose hashes the corpus has. */
static void find(struct blob_index *x)
{
	static const char *const names[N_NAMES] = {"a", "b", "c", "d"};
	static const char *const ids[] = {"0000000", "0101010", "0202020", "1"};
	struct blob_want wants[N_NAMES];
	struct blob_match got;
	struct err e;

	for (size_t shift = 0; shift < ARRAY_LEN(ids); shift++) {
		for (size_t i = 0; i < N_NAMES; i++)
			wants[i] = (struct blob_want){
				names[i], ids[(i + shift) % ARRAY_LEN(ids)]};
		if (blob_index_find(x, wants, N_NAMES, &got, &e))
			continue;
		if (got.n_same > N_NAMES ||
			(got.n_same && (got.oldest > got.newest ||
					       got.newest >= blob_index_n_commits(x))))
			abort();
	}
}

/* A path of a whole file: in order, and its changes behind those of the one before. */
static void check_next(uint64_t n_commits)
{
	CLEANUP(blob_index_closep) struct blob_index *x = NULL;
	uint64_t last = 0;
	uint32_t first = 0;
	struct err e;

	if (blob_index_open(next_path, &x, &e) || blob_index_n_commits(x) != n_commits)
		abort();
	for (uint32_t i = 0; i < blob_file_n_paths(x); i++) {
		const struct blob_path *p = blob_file_path(x, i, &e);

		if (!p || (i && p->hash <= last) || p->first != first ||
			!blob_file_changes(x, p, &e))
			abort();
		first += p->n;
		last = p->hash;
	}
	if (first != blob_index_n_changes(x))
		abort();
	read_parts(x);
	find(x);
}

static void write_next(struct blob_index *old, uint32_t n_keep)
{
	static const uint8_t id[BLOB_ID] = {7};
	struct blob_event events[2] = {
		{.hash = blob_path_hash("a", 1)}, {.hash = blob_path_hash("b", 1)}};
	struct blob_next next = {
		.old = old, .ids = id, .n_new = 1, .events = events, .n_events = 2};
	struct err e;

	next.n_keep =
		n_keep < blob_index_n_commits(old) ? n_keep : blob_index_n_commits(old);
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		events[i].change.commit = next.n_keep;
		memset(events[i].change.id, 1, BLOB_ID_SHORT);
	}
	blob_events_sort(events, ARRAY_LEN(events));
	if (!blob_file_write(next_path, &next, &e))
		check_next((uint64_t)next.n_keep + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t made[FILE_MAX];
	CLEANUP(blob_index_closep) struct blob_index *x = NULL;
	struct err e;
	size_t len;

	if (!size)
		return 0;
	enter();
	if (data[0] == 'r')
		put_file(data + 1, size - 1);
	else if (!(len = make_file(data + 1, size - 1, data[0] == 'h', made)))
		return 0;
	else
		put_file(made, len);
	if (blob_index_open(path, &x, &e)) {
		if (data[0] == 'm')
			abort();
		return 0;
	}
	read_parts(x);
	find(x);
	write_next(x, data[0] == 'r' || size < 6 ? 1 : data[5]);
	return 0;
}
