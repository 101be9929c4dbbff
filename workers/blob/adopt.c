/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/blob/adopt.h"

#include "base/blob.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

const struct worker_op op_blob_adopt = {
	.kind = "blob",
	.op = "adopt",
	.needs = NEED_TRUSTED,
	.deadline_ms = 600000,
	.run = adopt_run,
	.check = adopt_check,
};

static int take_over(const char *name, const struct stat *owner, struct err *e)
{
	CLEANUP(base_closep)
	int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(e, errno, "result file %s", name);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(e, ERR_INVALID, "result file %s is no plain file", name);
	if (fchown(fd, owner->st_uid, owner->st_gid) != 0 || fchmod(fd, 0644) != 0)
		return err_set_errno(e, errno, "result file %s", name);
	return 0;
}

/* The store belongs to the server's user; what root adds must be that user's too. */
static int become_owner(struct job_ctx *j, json_t *names, struct err *e)
{
	struct stat owner;
	json_t *name;
	size_t i;

	if (stat(j->blobs, &owner) != 0)
		return err_set_errno(e, errno, "%s", j->blobs);
	if (chown(".", owner.st_uid, owner.st_gid) != 0)
		return err_set_errno(e, errno, "%s", j->scratch);
	json_array_foreach(names, i, name)
	{
		int status = take_over(json_string_value(name), &owner, e);

		if (status != 0)
			return status;
	}
	if (owner.st_uid &&
		(setgroups(0, NULL) != 0 ||
			setresgid(owner.st_gid, owner.st_gid, owner.st_gid) != 0 ||
			setresuid(owner.st_uid, owner.st_uid, owner.st_uid) != 0))
		return err_set_errno(e, errno, "becoming user %ld", (long)owner.st_uid);
	return 0;
}

int adopt_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	json_t *names, *name, *files;
	size_t i;
	int status = jx_unpack(in, e, "adopt", "{s:o !}", "files", &names);

	if (status == 0)
		status = job_files_check(in, e);
	if (status == 0 && geteuid() == 0)
		status = become_owner(j, names, e);
	if (status != 0)
		return status;
	files = json_array();
	json_array_foreach(names, i, name)
	{
		const char *file = json_string_value(name);
		char hex[SHA256_HEX];
		int64_t n_bytes;

		status = blob_put_file(j->blobs, file, hex, &n_bytes, e);
		if (status != 0) {
			json_decref(files);
			return status;
		}
		json_array_append_new(
			files, jx_pack("{s:s, s:s, s:I}", "name", file, "sha256", hex,
				       "bytes", (json_int_t)n_bytes));
		job_progress(j, (int64_t)i + 1, (int64_t)json_array_size(names), "files",
			"storing");
	}
	*ret = jx_pack("{s:o}", "files", files);
	return 0;
}

int adopt_check(json_t *out, struct err *e)
{
	json_t *files, *f;
	size_t i;
	int status = jx_unpack(out, e, "adopt", "{s:o !}", "files", &files);

	if (status != 0)
		return status;
	json_array_foreach(files, i, f)
	{
		const char *name, *hex;
		json_int_t n_bytes;

		status = jx_unpack(f, e, "adopt", "{s:s, s:s, s:I !}", "name", &name,
			"sha256", &hex, "bytes", &n_bytes);
		if (status == 0 && !sha256_is_hex(hex))
			status = err_set(e, ERR_INTERNAL, "adopt: no SHA-256");
		if (status != 0)
			return status;
	}
	return 0;
}
