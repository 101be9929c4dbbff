/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - main of a fuzz target outside libFuzzer: every file of the folders named on
 * the command line goes through LLVMFuzzerTestOneInput once, in the order of their names.
 * A folder without files is an error, so that a lost corpus is seen. */
#include "base/base.h"

#include "base/file.h"
#include <dirent.h>
#include <sys/stat.h>

#define INPUT_CAP_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	CLEANUP(base_freep) uint8_t *exact = NULL;
	struct err e;

	if (file_read(path, INPUT_CAP_BYTES, &s, &e) != 0) {
		fprintf(stderr, "replay: %s\n", e.msg);
		return -1;
	}
	/* A copy of just this size: a read past its end is seen by the sanitizer. */
	exact = base_alloc(s.len);
	memcpy(exact, s.buf, s.len);
	LLVMFuzzerTestOneInput(exact, s.len);
	return 0;
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Number of files replayed, or -1. */
static int replay_folder(const char *folder)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, is_visible, alphasort);
	int n_done = 0, failed = 0;

	for (int i = 0; i < n; i++) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		free(list[i]);
		if (failed || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		failed = replay_file(path);
		n_done++;
	}
	free(list);
	if (n_done == 0)
		fprintf(stderr, "replay: %s holds no files\n", folder);
	return failed || n_done == 0 ? -1 : n_done;
}

int main(int argc, char **argv)
{
	int total = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		int n = replay_folder(argv[i]);

		if (n < 0)
			return 1;
		total += n;
	}
	printf("replayed %d inputs\n", total);
	return 0;
}
