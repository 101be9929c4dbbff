/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of reply: what the child may say. */
#include "workers/reply/reply.h"

#include "workers/shape.h"

int reply_compose_check(json_t *out, struct err *e)
{
	const char *id, *subject, *from, *file, *verdict;
	json_t *to, *notes, *files, *one;
	size_t i;
	int status = jx_unpack(out, e, "compose",
		"{s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:o !}", "message_id", &id,
		"subject", &subject, "envelope_from", &from, "envelope_to", &to, "file",
		&file, "verdict", &verdict, "notes", &notes, "files", &files);

	if (status == 0 && (!id[0] || strlen(id) > 998 || !json_is_array(to) ||
				   json_array_size(to) == 0))
		status = err_set(e, ERR_INVALID, "compose: nobody to write to");
	json_array_foreach(to, i, one) if (status == 0 && !json_is_string(one)) status =
		err_set(e, ERR_INVALID, "compose: no address");
	return status;
}

int reply_send_check(json_t *out, struct err *e)
{
	static const char *const outcomes[] = {
		"accepted", "not_taken", "refused", "unknown"};
	const char *outcome, *said, *note;
	int status = jx_unpack(out, e, "send", "{s:s, s:s, s:s !}", "outcome", &outcome,
		"said", &said, "note", &note);

	if (status != 0)
		return status;
	for (size_t i = 0; i < ARRAY_LEN(outcomes); i++)
		if (strcmp(outcomes[i], outcome) == 0)
			return 0;
	return err_set(e, ERR_INVALID, "send: no such outcome");
}
