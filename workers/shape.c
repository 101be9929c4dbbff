/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/shape.h"

#include <errno.h>
#include <unistd.h>

bool shape_is_oid(const char *s)
{
	return s && strlen(s) == 40 && strspn(s, "0123456789abcdef") == 40;
}

int shape_text_or_null(
	json_t *object, const char *key, size_t max, const char **ret, struct err *e)
{
	json_t *v = json_object_get(object, key);

	*ret = NULL;
	if (json_is_null(v))
		return 0;
	if (!json_is_string(v) || json_string_length(v) > max)
		return err_set(e, ERR_INVALID, "result: \"%s\" is no text of at most %zu",
			key, max);
	*ret = json_string_value(v);
	return 0;
}

int job_bind_seen(struct job_binds *b, const char *path, struct err *e)
{
	int status = job_bind_add(b, path, false, e);

	if (status == 0 && access(path, F_OK) != 0)
		status = err_set_errno(e, errno, "%s", path);
	return status;
}
