/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of sql/migrations/0002_fsm.sql once more; tests/unit/db/test_queue.c
 * compares. */
#include "model/fsm.h"

static const struct fsm_state tree_states[] = {
	{"importing", .final = false, .initial = true},
	{"ready", .final = true, .initial = false},
	{"failed", .final = true, .initial = false},
};

static const struct fsm_transition tree_transitions[] = {
	{"importing", "ready", "imported"},
	{"importing", "failed", "cannot be imported"},
	{"failed", "importing", "a person asked again"},
	{"ready", "importing", "fetched again"},
	{"failed", "ready", "fetched after all"},
};

static const struct fsm_state list_states[] = {
	{"active", .final = false, .initial = true},
	{"paused", .final = false, .initial = false},
};

static const struct fsm_transition list_transitions[] = {
	{"active", "paused", "a person paused it"},
	{"paused", "active", "a person resumed it"},
};

static const struct fsm_state submission_states[] = {
	{"fetching", .final = false, .initial = true},
	{"done", .final = true, .initial = false},
	{"failed", .final = true, .initial = false},
};

static const struct fsm_transition submission_transitions[] = {
	{"fetching", "done", "its series is known"},
	{"fetching", "failed", "no source has it"},
};

static const struct fsm_state series_states[] = {
	{"waiting", .final = false, .initial = true},
	{"incomplete", .final = false, .initial = false},
	{"ambiguous", .final = false, .initial = false},
	{"corrupt", .final = false, .initial = false},
	{"complete", .final = false, .initial = false},
	{"applied", .final = false, .initial = false},
	{"refused", .final = false, .initial = false},
	{"planned", .final = false, .initial = false},
	{"running", .final = false, .initial = false},
	{"analysed", .final = false, .initial = false},
	{"answered", .final = true, .initial = false},
	{"superseded", .final = true, .initial = false},
	{"withdrawn", .final = true, .initial = false},
	{"not_ours", .final = false, .initial = false},
	{"opted_out", .final = true, .initial = false},
	{"failed", .final = true, .initial = false},
	{"unanswered", .final = true, .initial = false},
};

static const struct fsm_transition series_transitions[] = {
	{"waiting", "complete", "all parts are here"},
	{"waiting", "incomplete", "parts did not arrive in time"},
	{"waiting", "ambiguous", "two mails claim one part"},
	{"waiting", "corrupt", "subject and mails disagree"},
	{"waiting", "not_ours", "touches no watched path"},
	{"waiting", "opted_out", "the author or a rule opted out"},
	{"waiting", "superseded", "a newer version came"},
	{"waiting", "withdrawn", "its mails belong elsewhere now"},
	{"incomplete", "complete", "a late part came"},
	{"incomplete", "waiting", "a late part came, more are missing"},
	{"incomplete", "ambiguous", "two mails claim one part"},
	{"incomplete", "corrupt", "subject and mails disagree"},
	{"incomplete", "not_ours", "touches no watched path"},
	{"incomplete", "superseded", "a newer version came"},
	{"incomplete", "withdrawn", "its mails belong elsewhere now"},
	{"ambiguous", "complete", "a person chose"},
	{"ambiguous", "waiting", "the claim is settled, parts are missing"},
	{"ambiguous", "corrupt", "subject and mails disagree"},
	{"ambiguous", "superseded", "a newer version came"},
	{"ambiguous", "withdrawn", "its mails belong elsewhere now"},
	{"corrupt", "complete", "a late part explained it"},
	{"corrupt", "waiting", "a late part explained it, parts are missing"},
	{"corrupt", "ambiguous", "two mails claim one part"},
	{"corrupt", "superseded", "a newer version came"},
	{"corrupt", "withdrawn", "its mails belong elsewhere now"},
	{"not_ours", "complete", "somebody submitted it"},
	{"not_ours", "waiting", "somebody submitted it, parts are missing"},
	{"not_ours", "superseded", "a newer version came"},
	{"not_ours", "withdrawn", "its mails belong elsewhere now"},
	{"opted_out", "complete", "somebody submitted it"},
	{"complete", "ambiguous", "a second mail claims one part"},
	{"complete", "applied", "applies to its base"},
	{"complete", "refused", "does not apply"},
	{"complete", "failed", "we could not try"},
	{"complete", "superseded", "a newer version came"},
	{"complete", "withdrawn", "its mails belong elsewhere now"},
	{"applied", "planned", "the experiment is designed"},
	{"applied", "failed", "we could not plan"},
	{"applied", "superseded", "a newer version came"},
	{"planned", "running", "the first job started"},
	{"planned", "analysed", "every cell is final"},
	{"planned", "failed", "we could not judge"},
	{"planned", "superseded", "a newer version came"},
	{"running", "analysed", "every cell is final, or the deadline passed"},
	{"running", "failed", "we could not judge"},
	{"running", "superseded", "a newer version came"},
	{"analysed", "answered", "the reply is composed"},
	{"analysed", "failed", "we could not compose the reply"},
	{"analysed", "unanswered", "judged, but its author is a program"},
	{"analysed", "superseded", "a newer version came"},
	{"refused", "answered", "the reply is composed"},
	{"refused", "failed", "we could not compose the reply"},
	{"refused", "unanswered", "judged, but its author is a program"},
	{"refused", "superseded", "a newer version came"},
	{"failed", "complete", "a person asked again"},
	{"superseded", "complete", "somebody asked for this version"},
	{"superseded", "waiting", "somebody asked for this version, parts are missing"},
};

static const struct fsm_state job_states[] = {
	{"waiting", .final = false, .initial = true},
	{"ready", .final = false, .initial = true},
	{"leased", .final = false, .initial = false},
	{"done", .final = true, .initial = false},
	{"failed", .final = true, .initial = false},
	{"parked", .final = true, .initial = false},
	{"cancelled", .final = true, .initial = false},
	{"skipped", .final = true, .initial = false},
};

static const struct fsm_transition job_transitions[] = {
	{"waiting", "ready", "what it needs is done"},
	{"waiting", "skipped", "what it needs failed"},
	{"waiting", "cancelled", "no longer wanted"},
	{"ready", "leased", "taken"},
	{"ready", "cancelled", "no longer wanted"},
	{"leased", "done", "finished"},
	{"leased", "failed", "the answer is final"},
	{"leased", "ready", "will be tried again"},
	{"leased", "parked", "tried too often, a person must look"},
	{"leased", "cancelled", "no longer wanted"},
	{"parked", "ready", "a person asked again"},
	{"parked", "cancelled", "no longer wanted"},
	{"done", "ready", "wanted again"},
	{"failed", "ready", "a person asked again"},
	{"cancelled", "ready", "wanted again"},
	{"skipped", "ready", "wanted again"},
	{"cancelled", "waiting", "wanted again"},
	{"skipped", "waiting", "wanted again"},
};

static const struct fsm_state build_states[] = {
	{"queued", .final = false, .initial = true},
	{"building", .final = false, .initial = false},
	{"ok", .final = true, .initial = false},
	{"broken", .final = true, .initial = false},
	{"lost", .final = true, .initial = false},
	{"cancelled", .final = true, .initial = false},
};

static const struct fsm_transition build_transitions[] = {
	{"queued", "building", "its job started"},
	{"queued", "lost", "no machine could do it"},
	{"queued", "cancelled", "no longer wanted"},
	{"building", "queued", "its machine was lost, again"},
	{"building", "ok", "a kernel came out"},
	{"building", "broken", "does not compile"},
	{"building", "lost", "no machine could do it"},
	{"building", "cancelled", "no longer wanted"},
	{"cancelled", "queued", "wanted again"},
	{"lost", "queued", "wanted again"},
};

static const struct fsm_state run_states[] = {
	{"queued", .final = false, .initial = true},
	{"running", .final = false, .initial = false},
	{"ok", .final = true, .initial = false},
	{"broken", .final = true, .initial = false},
	{"lost", .final = true, .initial = false},
	{"skipped", .final = true, .initial = false},
	{"cancelled", .final = true, .initial = false},
};

static const struct fsm_transition run_transitions[] = {
	{"queued", "running", "its job started"},
	{"queued", "skipped", "there is no kernel to boot"},
	{"queued", "lost", "no machine could do it"},
	{"queued", "cancelled", "no longer wanted"},
	{"running", "queued", "its machine was lost, again"},
	{"running", "ok", "booted and gave results"},
	{"running", "broken", "panicked, warned or hung"},
	{"running", "lost", "no machine could do it"},
	{"running", "cancelled", "no longer wanted"},
	{"cancelled", "queued", "wanted again"},
	{"skipped", "queued", "wanted again"},
	{"lost", "queued", "wanted again"},
};

static const struct fsm_state machine_states[] = {
	{"online", .final = false, .initial = true},
	{"offline", .final = false, .initial = false},
	{"retired", .final = true, .initial = false},
};

static const struct fsm_transition machine_transitions[] = {
	{"online", "offline", "not heard of"},
	{"offline", "online", "heard of again"},
	{"online", "retired", "a person removed it"},
	{"offline", "retired", "a person removed it"},
};

static const struct fsm_state reply_states[] = {
	{"composed", .final = false, .initial = true},
	{"held", .final = false, .initial = false},
	{"approved", .final = false, .initial = false},
	{"sending", .final = false, .initial = false},
	{"sent", .final = true, .initial = false},
	{"unknown", .final = false, .initial = false},
	{"rejected", .final = true, .initial = false},
	{"obsolete", .final = true, .initial = false},
};

static const struct fsm_transition reply_transitions[] = {
	{"composed", "held", "the list's policy is hold"},
	{"composed", "approved", "the list's policy sends"},
	{"composed", "rejected", "a person said no"},
	{"composed", "obsolete", "a newer version came"},
	{"held", "approved", "a person approved"},
	{"held", "rejected", "a person said no"},
	{"held", "obsolete", "a newer version came"},
	{"approved", "sending", "the mail server is being asked"},
	{"approved", "rejected", "a person said no"},
	{"approved", "obsolete", "a newer version came"},
	{"sending", "sent", "the mail server took it"},
	{"sending", "approved", "not taken, will be tried again"},
	{"sending", "held", "the mail server refused it"},
	{"sending", "unknown", "nobody knows whether it was taken"},
	{"unknown", "sent", "seen in the archive, or a person said so"},
	{"unknown", "approved", "a person said send again"},
};

#define FSM(name, text)                                                                  \
	{                                                                                \
		.entity = #name, .about = (text), .states = name##_states,               \
		.n_states = ARRAY_LEN(name##_states), .transitions = name##_transitions, \
		.n_transitions = ARRAY_LEN(name##_transitions)                           \
	}

const struct fsm fsm_all[] = {
	FSM(tree, "A kernel tree of ours, from a folder, a tarball or git."),
	FSM(list, "A mailing list that is watched."),
	FSM(submission, "A person asked for one series by message-id."),
	FSM(series,
		"One version of a series of patches, from its first mail to the reply."),
	FSM(job, "One piece of work in the queue."),
	FSM(build, "One kernel: a source tree, an architecture, a configuration. Shared "
		   "by plans."),
	FSM(run, "One boot of one kernel on one topology. Boots of a base are shared by "
		 "plans."),
	FSM(machine, "A test machine with a runner on it."),
	FSM(reply, "One mail of ours."),
};
const size_t fsm_n_all = ARRAY_LEN(fsm_all);

const struct fsm *fsm_find(const char *entity)
{
	for (size_t i = 0; i < fsm_n_all; i++)
		if (!strcmp(fsm_all[i].entity, entity))
			return &fsm_all[i];
	return NULL;
}

const struct fsm_state *fsm_find_state(const struct fsm *f, const char *state)
{
	for (size_t i = 0; i < f->n_states; i++)
		if (!strcmp(f->states[i].name, state))
			return &f->states[i];
	return NULL;
}

bool fsm_allows(const struct fsm *f, const char *from, const char *to)
{
	for (size_t i = 0; i < f->n_transitions; i++)
		if (!strcmp(f->transitions[i].from, from) &&
			!strcmp(f->transitions[i].to, to))
			return true;
	return false;
}

static void print_diagram(const struct fsm *f, FILE *out)
{
	fprintf(out, "```mermaid\nstateDiagram-v2\n");
	for (size_t i = 0; i < f->n_states; i++)
		if (f->states[i].initial)
			fprintf(out, "    [*] --> %s\n", f->states[i].name);
	for (size_t i = 0; i < f->n_transitions; i++)
		fprintf(out, "    %s --> %s: %s\n", f->transitions[i].from,
			f->transitions[i].to, f->transitions[i].why);
	for (size_t i = 0; i < f->n_states; i++)
		if (f->states[i].final)
			fprintf(out, "    %s --> [*]\n", f->states[i].name);
	fprintf(out, "```\n");
}

void fsm_print_markdown(FILE *out)
{
	fprintf(out, "# States\n\n"
		     "Made from lib/model/fsm.c by tests/unit/model/test_fsm.c "
		     "(WL_UPDATE=1 writes it); do not edit.\n"
		     "The database holds the same tables and refuses every other "
		     "transition. A final state is one\n"
		     "that nothing leaves by itself; arrows out of it are a person's act "
		     "or new mail.\n");
	for (size_t i = 0; i < fsm_n_all; i++) {
		fprintf(out, "\n## %s\n\n%s\n\n", fsm_all[i].entity, fsm_all[i].about);
		print_diagram(&fsm_all[i], out);
	}
}
