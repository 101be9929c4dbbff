// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/borrow.h"

/* Alternates are read when a repository is opened: it is made, told, and opened. */
int repo_borrow(const char *path, const char *const *from, struct git_repository **ret,
	struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf info = SBUF_INIT, lines = SBUF_INIT;
	int status = repo_create(path, ret, e);

	if (status != 0)
		return status;
	repo_close(*ret);
	*ret = NULL;
	sbuf_addf(&info, "%s/objects/info", path);
	for (; *from; from++)
		sbuf_addf(&lines, "%s/objects\n", *from);
	status = file_mkdir_p(info.buf, 0755, e);
	sbuf_adds(&info, "/alternates");
	if (status == 0)
		status = file_write_atomic(info.buf, lines.buf, lines.len, 0644, e);
	return status == 0 ? repo_open(path, ret, e) : status;
}
