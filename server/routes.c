/* SPDX-License-Identifier: GPL-2.0-or-later */
/* routes.c - THE table of routes. docs/api.md is made from it: wakelistd
 * --print-api-markdown (api_doc.c). */
#include "base/base.h"

#include "mail/mbox.h"
#include "server/api.h"
#include "server/router.h"
#include "server/server.h"

#define KIB INT64_C(1024)
#define MIB (KIB * 1024)

const struct route routes[] = {
	{HTTP_M_GET, "/healthz", AUTH_OPEN, BODY_NONE, 0, api_healthz,
		"is it alive: database, loop lag, version; 503 while the database is "
		"away"},
	{HTTP_M_GET, "/api/v1/status", AUTH_OPEN, BODY_NONE, 0, api_status,
		"queue by kind and state, machines, loop lag, limits, settings"},

	{HTTP_M_GET, "/api/v1/lists", AUTH_OPEN, BODY_NONE, 0, api_lists_all,
		"watched lists"},
	{HTTP_M_POST, "/api/v1/lists", AUTH_SUBMITTER, BODY_JSON, 64 * KIB,
		api_lists_create,
		"watch one: name, url, match[]?, tree?, reply?, address?, poll_ms?, "
		"deadline_ms?"},
	{HTTP_M_GET, "/api/v1/lists/:name", AUTH_OPEN, BODY_NONE, 0, api_lists_get,
		"one list"},
	{HTTP_M_DELETE, "/api/v1/lists/:name", AUTH_ADMIN, BODY_NONE, 0, api_lists_delete,
		"stop watching; its series stay"},
	{HTTP_M_POST, "/api/v1/lists/:name/poll", AUTH_SUBMITTER, BODY_EMPTY, 4 * KIB,
		api_lists_poll, "ask the archive now"},

	{HTTP_M_GET, "/api/v1/trees", AUTH_OPEN, BODY_NONE, 0, api_trees_all,
		"kernel trees"},
	{HTTP_M_POST, "/api/v1/trees", AUTH_ADMIN, BODY_JSON, 64 * KIB, api_trees_create,
		"import one: name, kind (dir, tarball or git), source (a path on the "
		"server; of git also a URL), branch?; of git branches[]? and fetch_ms?"},
	{HTTP_M_GET, "/api/v1/trees/:name", AUTH_OPEN, BODY_NONE, 0, api_trees_get,
		"one tree"},
	{HTTP_M_DELETE, "/api/v1/trees/:name", AUTH_ADMIN, BODY_NONE, 0, api_trees_delete,
		"forget a tree that nothing was applied to"},
	{HTTP_M_POST, "/api/v1/trees/:name/fetch", AUTH_SUBMITTER, BODY_EMPTY, 4 * KIB,
		api_trees_fetch, "fetch a git tree now"},

	{HTTP_M_POST, "/api/v1/submissions", AUTH_SUBMITTER, BODY_JSON, 64 * KIB,
		api_submissions_create,
		"fetch and judge the thread of a mail: message_id (or URL), list?, url?, "
		"tree?, base?, version? (default: the newest)"},
	{HTTP_M_POST, "/api/v1/submissions/mbox", AUTH_SUBMITTER, BODY_SPOOL,
		MBOX_SUBMIT_MAX, api_submissions_mbox,
		"judge the series in an application/mbox or message/rfc822: ?tree, base, "
		"version"},
	{HTTP_M_GET, "/api/v1/submissions/:id", AUTH_OPEN, BODY_NONE, 0,
		api_submissions_get, "its state, reason and series"},

	{HTTP_M_GET, "/api/v1/series", AUTH_OPEN, BODY_NONE, 0, api_series_all,
		"newest first: ?state, list, q, before (the last answer's next), limit"},
	{HTTP_M_GET, "/api/v1/series/:id", AUTH_OPEN, BODY_NONE, 0, api_series_get,
		"everything of one: series, stages, parts, versions, application, plan, "
		"verdicts, reply, jobs, events"},
	{HTTP_M_GET, "/api/v1/series/:id/report.txt", AUTH_OPEN, BODY_NONE, 0,
		api_series_report, "the mail as composed, text/plain"},
	{HTTP_M_POST, "/api/v1/series/:id/retry", AUTH_ADMIN, BODY_EMPTY, 4 * KIB,
		api_series_retry, "try a failed series again"},
	{HTTP_M_GET, "/api/v1/r/:msgid", AUTH_OPEN, BODY_NONE, 0, api_series_by_message,
		"the series that a mail is part of"},

	{HTTP_M_GET, "/api/v1/runs/:id", AUTH_OPEN, BODY_NONE, 0, api_runs_get,
		"one boot: run, build, samples, events of its log, plans that use it"},
	{HTTP_M_GET, "/api/v1/builds/:id", AUTH_OPEN, BODY_NONE, 0, api_builds_get,
		"one kernel"},
	{HTTP_M_GET, "/api/v1/history", AUTH_OPEN, BODY_NONE, 0, api_history,
		"boot means over time: ?bench, load, metric, topology, machine; and what "
		"there is to choose from"},

	{HTTP_M_GET, "/api/v1/jobs/:id", AUTH_OPEN, BODY_NONE, 0, api_jobs_get,
		"one job, what it needs, every lease it had"},
	{HTTP_M_GET, "/api/v1/jobs/:id/log", AUTH_OPEN, BODY_NONE, 0, api_jobs_log,
		"its log from ?offset on, text/plain, at most 1 MiB; X-Log-Size tells "
		"the "
		"size"},
	{HTTP_M_POST, "/api/v1/jobs/:id/retry", AUTH_ADMIN, BODY_EMPTY, 4 * KIB,
		api_jobs_retry,
		"a parked, cancelled or skipped job, with what waited for it"},
	{HTTP_M_POST, "/api/v1/jobs/:id/cancel", AUTH_ADMIN, BODY_EMPTY, 4 * KIB,
		api_jobs_cancel, "stop it; what needs it is skipped"},

	{HTTP_M_GET, "/api/v1/machines", AUTH_OPEN, BODY_NONE, 0, api_machines_all,
		"machines and what they are doing"},
	{HTTP_M_GET, "/api/v1/machines/:name", AUTH_OPEN, BODY_NONE, 0, api_machines_get,
		"one, with its topology"},
	{HTTP_M_DELETE, "/api/v1/machines/:name", AUTH_ADMIN, BODY_NONE, 0,
		api_machines_retire, "retire it: its leases end"},

	{HTTP_M_GET, "/api/v1/replies", AUTH_OPEN, BODY_NONE, 0, api_replies_all,
		"newest first: ?state"},
	{HTTP_M_GET, "/api/v1/replies/:id", AUTH_OPEN, BODY_NONE, 0, api_replies_get,
		"one, with its text and the sha256 of it"},
	{HTTP_M_POST, "/api/v1/replies/:id/approve", AUTH_ADMIN, BODY_JSON, 4 * KIB,
		api_replies_approve,
		"let a held reply go: sha256 of the text that was read"},
	{HTTP_M_POST, "/api/v1/replies/:id/reject", AUTH_ADMIN, BODY_JSON, 64 * KIB,
		api_replies_reject, "it is never sent: why?"},
	{HTTP_M_POST, "/api/v1/replies/:id/resolve", AUTH_ADMIN, BODY_JSON, 4 * KIB,
		api_replies_resolve, "an unknown one: outcome sent or again"},

	{HTTP_M_GET, "/api/v1/tokens", AUTH_ADMIN, BODY_NONE, 0, api_tokens_all,
		"tokens, without their secrets"},
	{HTTP_M_POST, "/api/v1/tokens", AUTH_ADMIN, BODY_JSON, 4 * KIB, api_tokens_create,
		"make one: name, role; its secret is in the answer and nowhere else"},
	{HTTP_M_DELETE, "/api/v1/tokens/:name", AUTH_ADMIN, BODY_NONE, 0,
		api_tokens_revoke, "end one, at once and on every server"},

	{HTTP_M_GET, "/api/v1/events", AUTH_OPEN, BODY_NONE, 0, api_events,
		"text/event-stream: ?series, after; Last-Event-ID resumes, at least "
		"once; "
		"event reload: ask again"},

	{HTTP_M_GET, "/api/v1/blobs/:sha256", AUTH_OPEN, BODY_NONE, 0, api_blobs_get,
		"bytes by their SHA-256; Range, ETag"},
	{HTTP_M_PUT, "/api/v1/blobs/:sha256", AUTH_BLOB_PUT, BODY_SPOOL, 512 * MIB,
		api_blobs_put, "raw bytes; 400 when the sum is another"},

	{HTTP_M_POST, "/api/v1/runner/register", AUTH_RUNNER, BODY_JSON, MIB,
		api_runner_register,
		"name, arch, caps[], topology{}, tools{}?, session, test_only?"},
	{HTTP_M_POST, "/api/v1/runner/lease", AUTH_RUNNER, BODY_JSON, 64 * KIB,
		api_runner_lease,
		"machine_id, session, kinds[], max?, wait_ms? (at most 30000): jobs, or "
		"none "
		"after the wait"},
	{HTTP_M_POST, "/api/v1/runner/jobs/:id/renew", AUTH_RUNNER, BODY_JSON, 64 * KIB,
		api_runner_renew, "fence, progress?; 409: stop, the lease is lost"},
	{HTTP_M_POST, "/api/v1/runner/jobs/:id/release", AUTH_RUNNER, BODY_JSON, 64 * KIB,
		api_runner_release,
		"fence: the runner stops; the job goes to another, the attempt does not "
		"count"},
	{HTTP_M_PUT, "/api/v1/runner/jobs/:id/log", AUTH_RUNNER, BODY_BYTES, MIB,
		api_runner_log,
		"raw bytes to append: ?fence, offset; 409 with size when offset is not "
		"the "
		"size"},
	{HTTP_M_POST, "/api/v1/runner/jobs/:id/finish", AUTH_RUNNER, BODY_JSON, 8 * MIB,
		api_runner_finish,
		"fence, outcome (done failed retry park), why?, result?, log?; 409: too "
		"late"},

	{HTTP_M_GET, "/static/*path", AUTH_OPEN, BODY_NONE, 0, static_file,
		"files of the pages; ETag"},
	{HTTP_M_GET, "/series/:id/report.txt", AUTH_OPEN, BODY_NONE, 0, api_series_report,
		"as /api/v1/series/:id/report.txt, for text browsers"},
	{HTTP_M_GET, "/", AUTH_OPEN, BODY_NONE, 0, static_page, "the pages"},
	{HTTP_M_GET, "/lists", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/trees", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/submit", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/series", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/series/:id", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/runs/:id", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/history", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/machines", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/replies", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/replies/:id", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/status", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
	{HTTP_M_GET, "/r/:msgid", AUTH_OPEN, BODY_NONE, 0, static_page, "page"},
};
const size_t n_routes = ARRAY_LEN(routes);
