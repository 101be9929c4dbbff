/* SPDX-License-Identifier: GPL-2.0-or-later */
/* api_doc.c - docs/api.md, from the table of routes and the table of statuses. */
#include "base/base.h"

#include "server/http.h"
#include "server/router.h"
#include "server/server.h"

#include <inttypes.h>

#define KIB INT64_C(1024)
#define MIB (KIB * 1024)

static const char rest[] =
	"\n## Manners\n\n"
	"- A body needs a `Content-Length`; chunked requests get 411. Caps are those of "
	"the table and "
	"are checked, like\n  the token, before a body is read; `Expect: 100-continue` "
	"is honoured.\n"
	"- No token, or one that is not known: 401. A token with another role: 403. A "
	"method that a "
	"path does not know:\n  405 with `Allow`. A body that is no `application/json`: "
	"415. No room "
	"for now: 503 with `Retry-After`.\n"
	"- Every answer carries `X-Request-Id`, which the server's log names too.\n"
	"- `null` and absent are the same in what is sent; in what is answered nothing "
	"is left out.\n"
	"- Lists page by `before`: the `next` of the last answer, until it is null.\n"
	"\n## Event streams\n\n"
	"`event:` is the entity (`series`, `job`, `run` ...), `data:` is "
	"`{\"v\",\"id\",\"at\",\"entity\",\"entity_id\",\"series_id\",\"what\",\"data\"}`"
	",\n"
	"where `what` is the new state or `progress`. `?series=ID` gives also what "
	"happens to builds "
	"and boots that the\nseries shares with others. `id:` is the highest number "
	"below which "
	"nothing is missing: resuming after it\n(`Last-Event-ID`, or `?after=`) may "
	"repeat an event "
	"and never skips one. `reload` says: ask again, something\nwas missed (the id is "
	"older than "
	"what is kept, the reader was too slow, or the database was away).\n"
	"\n## The runner's protocol\n\n"
	"1. `register` with what the machine is and can; a new `session` frees what an "
	"older one of "
	"the same name had\n   leased. A machine that only pretends (`test_only`, or the "
	"tag "
	"`kind:null`) is refused with 403 outside of\n   test databases.\n"
	"2. `lease` waits up to `wait_ms` and answers "
	"`{\"v\",\"jobs\":[{\"id\",\"kind\",\"fence\","
	"\"lease_ms\",\"payload\"}]}`. 409: another\n   session has registered; start "
	"over.\n"
	"3. `renew` before `lease_ms` is over, every quarter of it, with "
	"`{\"done\",\"total\",\"unit\",\"text\"}` or null. 409: stop\n   at once, the "
	"lease was lost "
	"or the job cancelled.\n"
	"4. `log` takes pieces in order; 409 answers the `size` where the log ends. "
	"Blobs that the "
	"result names are PUT\n   before the end.\n"
	"5. `finish`: `done` and `failed` (a kernel that does not compile) carry a "
	"result, `retry` and "
	"`park` (trouble of\n   the machine) do not. 409: too late, somebody else has "
	"the job; nothing "
	"was changed.\n";

static void print_body(const struct route *r, FILE *out)
{
	static const char *const names[] = {
		[BODY_NONE] = "-",
		[BODY_EMPTY] = "none, or {}",
		[BODY_JSON] = "JSON",
		[BODY_BYTES] = "bytes",
		[BODY_SPOOL] = "bytes",
	};

	fputs(names[r->body], out);
	if (r->body_max_bytes >= MIB)
		fprintf(out, ", %" PRId64 " MiB", r->body_max_bytes / MIB);
	else if (r->body_max_bytes && r->body != BODY_EMPTY)
		fprintf(out, ", %" PRId64 " KiB", r->body_max_bytes / KIB);
}

void api_print_markdown(FILE *out)
{
	fputs("| method | path | who | body | what |\n| --- | --- | --- | --- | --- |\n",
		out);
	for (size_t i = 0; i < n_routes; i++) {
		const struct route *r = &routes[i];

		fprintf(out, "| %s | `%s` | %s | ", http_method_name(r->method),
			r->pattern, route_auth_name(r->auth));
		print_body(r, out);
		fprintf(out, " | %s |\n", r->doc);
	}
	fputs("\n## Errors\n\n| code | status |\n| --- | --- |\n", out);
	for (enum err_code c = ERR_NOT_FOUND; c >= ERR_INTERNAL; c--)
		fprintf(out, "| `%s` | %d |\n", err_code_name(c), http_status_of(c));
	fputs(rest, out);
}
