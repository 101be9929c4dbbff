/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logcheck.c - see logcheck.h. Line by line: take the prefix off, look for a start. */
#include "runners/logcheck.h"
#include "base/base.h"
#include <ctype.h>

static const char *const kind_names[LOG_N_KINDS] = {
	[LOG_KIND_PANIC] = "panic",
	[LOG_KIND_OOPS] = "oops",
	[LOG_KIND_WARN] = "warn",
	[LOG_KIND_LOCKDEP] = "lockdep",
	[LOG_KIND_RCU_STALL] = "rcu_stall",
	[LOG_KIND_SOFT_LOCKUP] = "soft_lockup",
	[LOG_KIND_HUNG_TASK] = "hung_task",
	[LOG_KIND_KASAN] = "kasan",
	[LOG_KIND_KCSAN] = "kcsan",
	[LOG_KIND_OOM] = "oom",
	[LOG_KIND_REBOOT] = "reboot",
};

const char *log_kind_name(enum log_kind kind)
{
	return kind_names[kind];
}

/* Starts of reports. First match wins, so the narrow stand before the wide. */
enum where {
	AT_START,
	ANYWHERE,
};

static const struct start {
	enum where where;
	const char *needle;
	const char *also; /* must be in the line too; NULL: nothing */
	enum log_kind kind;
} starts[] = {
	{AT_START, "Kernel panic - not syncing", NULL, LOG_KIND_PANIC},
	{ANYWHERE, "BUG: KASAN:", NULL, LOG_KIND_KASAN},
	{ANYWHERE, "BUG: KFENCE:", NULL, LOG_KIND_KASAN},
	{ANYWHERE, "BUG: KMSAN:", NULL, LOG_KIND_KASAN},
	{ANYWHERE, "BUG: KCSAN:", NULL, LOG_KIND_KCSAN},
	{ANYWHERE, "BUG: soft lockup", NULL, LOG_KIND_SOFT_LOCKUP},
	{ANYWHERE, "detected hard LOCKUP", NULL, LOG_KIND_SOFT_LOCKUP},
	{ANYWHERE, "self-detected stall", NULL, LOG_KIND_RCU_STALL},
	{ANYWHERE, "detected stalls on CPUs/tasks", NULL, LOG_KIND_RCU_STALL},
	{ANYWHERE, "detected expedited stalls", NULL, LOG_KIND_RCU_STALL},
	{ANYWHERE, "detected stall on CPU", NULL, LOG_KIND_RCU_STALL},
	{AT_START, "INFO: task ", "blocked for more than", LOG_KIND_HUNG_TASK},
	{AT_START, "INFO: task ", "blocked in I/O wait", LOG_KIND_HUNG_TASK},
	{AT_START, "WARNING: possible ", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: inconsistent lock state", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: suspicious RCU usage", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: bad unlock balance", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: bad contention", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: held lock freed", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: lock held when returning", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: Nested lock was not taken", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: ", "lock order detected", LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: ", "still has locks held", LOG_KIND_LOCKDEP},
	{AT_START, "[ BUG: ", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "INFO: trying to register non-static key", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "BUG: MAX_LOCK", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "DEBUG_LOCKS_WARN_ON", NULL, LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: CPU:", "kernel/locking/lockdep.c", LOG_KIND_LOCKDEP},
	{AT_START, "WARNING: CPU:", NULL, LOG_KIND_WARN},
	{AT_START, "WARNING: at ", NULL, LOG_KIND_WARN},
	{AT_START, "WARNING: stack recursion", NULL, LOG_KIND_WARN},
	{AT_START, "WARNING: ", ".c:", LOG_KIND_WARN},
	{AT_START, "UBSAN: ", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: sleeping function called", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: scheduling while atomic", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: workqueue lockup", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: workqueue leaked", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: Bad rss-counter", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: spinlock ", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: rwlock ", NULL, LOG_KIND_WARN},
	{AT_START, "BUG: using ", "in preemptible", LOG_KIND_WARN},
	{AT_START, "BUG: ", NULL, LOG_KIND_OOPS},
	{AT_START, "kernel BUG at ", NULL, LOG_KIND_OOPS},
	{AT_START, "Unable to handle kernel ", NULL, LOG_KIND_OOPS},
	{AT_START, "Internal error: ", NULL, LOG_KIND_OOPS},
	{AT_START, "Oops", NULL, LOG_KIND_OOPS},
	{AT_START, "general protection fault", NULL, LOG_KIND_OOPS},
	{AT_START, "double fault:", NULL, LOG_KIND_OOPS},
	{AT_START, "traps: PANIC: double fault", NULL, LOG_KIND_OOPS},
	{AT_START, "PANIC: ", NULL, LOG_KIND_OOPS},
	{ANYWHERE, ": 0000 [#", NULL, LOG_KIND_OOPS}, /* "invalid opcode: 0000 [#1]" */
	{ANYWHERE, "invoked oom-killer:", NULL, LOG_KIND_OOM},
	{ANYWHERE, "ut of memory: Kill", NULL, LOG_KIND_OOM},
	{AT_START, "reboot: Restarting system", NULL, LOG_KIND_REBOOT},
};

/* Lines by which user space shows itself. */
static const struct {
	enum where where;
	const char *needle;
} users[] = {
	{ANYWHERE, "as init process"},
	{AT_START, "systemd[1]:"},
	{AT_START, "systemd-"},
	{AT_START, "init: "},
	{AT_START, "Welcome to "},
	{ANYWHERE, " login: "},
};

/* Frames that only say how the report was printed or that somebody slept. */
static const char *const dull[] = {"dump_stack", "dump_stack_lvl", "__dump_stack",
	"dump_backtrace", "show_stack", "panic", "vpanic", "check_panic_on_warn",
	"__warn", "report_bug", "handle_bug", "warn_slowpath_fmt", "warn_slowpath_null",
	"__schedule", "schedule", "context_switch", "schedule_timeout",
	"schedule_preempt_disabled", "io_schedule", "__switch_to", "asm_exc_invalid_op",
	"exc_invalid_op", "print_circular_bug", "check_noncircular", "check_prev_add",
	"validate_chain", "__lock_acquire", "lock_acquire", "lock_acquire.part.0",
	"print_deadlock_bug", "check_deadlock", "mark_lock", "mark_lock_irq",
	"print_usage_bug", "valid_state", "lockdep_rcu_suspicious", "__might_resched",
	"__might_sleep", "__schedule_bug", "sched_show_task", "rcu_dump_cpu_stacks",
	"nmi_cpu_backtrace", "dump_header", "oom_kill_process", "out_of_memory",
	"kasan_report", "print_report", "print_address_description"};

struct line {
	const char *p;
	size_t len;
};

static bool has_prefix(struct line l, const char *s)
{
	size_t n = strlen(s);

	return l.len >= n && !memcmp(l.p, s, n);
}

static const char *find(struct line l, const char *s)
{
	return memmem(l.p, l.len, s, strlen(s));
}

static void skip(struct line *l, size_t n)
{
	l->p += n;
	l->len -= n;
}

static void skip_blanks(struct line *l)
{
	while (l->len && (*l->p == ' ' || *l->p == '\t'))
		skip(l, 1);
}

/* "[   12.345678]", "[T1]", "[    T123]", "[C3]": digits, dots, blanks, one letter. */
static size_t bracket_len(struct line l)
{
	size_t i = 1;
	bool digit = false;

	if (l.len < 3 || l.p[0] != '[')
		return 0;
	while (i < l.len && i < 24 && l.p[i] == ' ')
		i++;
	if (i < l.len && (l.p[i] == 'T' || l.p[i] == 'C'))
		i++;
	for (; i < l.len && i < 24 && (isdigit((unsigned char)l.p[i]) || l.p[i] == '.');
		i++)
		digit = true;
	return digit && i < l.len && l.p[i] == ']' ? i + 1 : 0;
}

/* Takes off CR, colour codes, "<4>", syslog's "... kernel: " and time stamps. */
static struct line line_strip(struct line l)
{
	size_t n;

	while (l.len && (l.p[l.len - 1] == '\r' || l.p[l.len - 1] == ' '))
		l.len--;
	while (l.len > 2 && l.p[0] == '\033' && l.p[1] == '[') {
		size_t i = 2;

		while (i < l.len && (isdigit((unsigned char)l.p[i]) || l.p[i] == ';'))
			i++;
		skip(&l, i < l.len ? i + 1 : i);
	}
	if (l.len > 3 && l.p[0] == '<' && isdigit((unsigned char)l.p[1])) {
		const char *gt = memchr(l.p, '>', l.len < 6 ? l.len : 6);

		if (gt)
			skip(&l, (size_t)(gt - l.p) + 1);
	}
	if (l.len && l.p[0] != '[' && l.p[0] != ' ') {
		struct line head = {l.p, l.len < 96 ? l.len : 96};
		const char *k = find(head, " kernel: ");

		if (k)
			skip(&l, (size_t)(k - l.p) + strlen(" kernel: "));
	}
	while ((n = bracket_len(l)) > 0) {
		skip(&l, n);
		if (l.len && l.p[0] == ' ')
			skip(&l, 1);
	}
	return l;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The function of the first "name+0x1a/0x2b" at or after p; NULL. */
static const char *symbol(struct arena *a, struct line l)
{
	while (l.len) {
		const char *plus = find(l, "+0x");
		const char *s = plus;

		if (!plus)
			return NULL;
		while (s > l.p && is_name_char(s[-1]))
			s--;
		if (s < plus && !isdigit((unsigned char)*s))
			return arena_strndup(a, s, (size_t)(plus - s));
		skip(&l, (size_t)(plus - l.p) + 3);
	}
	return NULL;
}

/* A frame: " func+0x1/0x2", " ? func+0x1/0x2 [mod]", " [<addr>] func+0x1/0x2". */
static bool is_frame(struct line l, bool *ret_reliable)
{
	const char *slash;

	skip_blanks(&l);
	if (has_prefix(l, "[<")) {
		const char *close = find(l, ">]");

		if (!close)
			return false;
		skip(&l, (size_t)(close - l.p) + 2);
		skip_blanks(&l);
	}
	*ret_reliable = !has_prefix(l, "? ");
	if (!*ret_reliable)
		skip(&l, 2);
	for (size_t i = 0; i < l.len; i++) {
		if (is_name_char(l.p[i]))
			continue;
		if (i == 0 || l.len - i < 4 || memcmp(l.p + i, "+0x", 3))
			return false;
		slash = memchr(l.p + i, '/', l.len - i);
		return slash && l.len - (size_t)(slash - l.p) > 3;
	}
	return false;
}

static bool is_marker(struct line l)
{
	skip_blanks(&l);
	return (l.len && l.p[0] == '<' && l.p[l.len - 1] == '>') ||
	       (l.len && l.p[0] == '<' && has_prefix(l, "</")) ||
	       has_prefix(l, "<TASK") || has_prefix(l, "<IRQ") || has_prefix(l, "<NMI");
}

struct parser {
	struct arena *a;
	struct log_check *c;
	size_t cap;
	struct log_check_event *open; /* the event that lines still belong to */
	int64_t open_until;           /* last line that may belong to it */
	bool in_stack, had_stack;
	bool banner;  /* a kernel has introduced itself */
	bool stopped; /* panicked before user space */
	bool no_init;
	bool user;
};

static const struct start *start_of(struct line l)
{
	if (has_prefix(l, "watchdog: "))
		skip(&l, strlen("watchdog: "));
	if (has_prefix(l, "rcu: "))
		skip(&l, strlen("rcu: "));
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		const struct start *s = &starts[i];
		bool hit = s->where == AT_START ? has_prefix(l, s->needle)
						: find(l, s->needle) != NULL;

		if (hit && (!s->also || find(l, s->also)))
			return s;
	}
	return NULL;
}

static bool is_dull(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(dull); i++)
		if (!strcmp(dull[i], name))
			return true;
	return false;
}

static void event_close(struct parser *p)
{
	struct log_check_event *ev = p->open;

	p->open = NULL;
	p->in_stack = p->had_stack = false;
	if (!ev || ev->function)
		return;
	for (size_t i = 0; i < ev->n_stack && !ev->function; i++)
		if (!is_dull(ev->stack[i]))
			ev->function = ev->stack[i];
}

/* Where the first line itself names the place. */
static const char *start_function(struct arena *a, enum log_kind kind, struct line l)
{
	const char *in;

	switch (kind) {
	case LOG_KIND_WARN:
		return symbol(a, l);
	case LOG_KIND_KASAN:
	case LOG_KIND_KCSAN:
		in = find(l, " in ");
		if (!in)
			return NULL;
		skip(&l, (size_t)(in - l.p) + 4);
		if (symbol(a, l))
			return symbol(a, l);
		for (size_t i = 0; i < l.len; i++)
			if (!is_name_char(l.p[i]))
				return i ? arena_strndup(a, l.p, i) : NULL;
		return l.len ? arena_strndup(a, l.p, l.len) : NULL;
	default:
		return NULL;
	}
}

static bool joins(const struct parser *p, enum log_kind kind, struct line l)
{
	if (!p->open)
		return false;
	if (p->open->kind == kind)
		/* A report that had its stack is over, but for the lines of an oops. */
		return !p->had_stack ||
		       (kind == LOG_KIND_OOPS && has_prefix(l, "Oops")) ||
		       kind == LOG_KIND_OOM;
	/* DEBUG_LOCKS_WARN_ON(..) goes before its own WARNING. */
	return p->open->kind == LOG_KIND_LOCKDEP && kind == LOG_KIND_WARN &&
	       !p->had_stack;
}

static void event_open(struct parser *p, enum log_kind kind, int64_t n, struct line l)
{
	struct log_check *c = p->c;
	struct log_check_event *ev;

	if (joins(p, kind, l)) {
		p->open_until = n + 150;
		return;
	}
	event_close(p);
	if (c->n_events == LOGCHECK_EVENTS_MAX) {
		c->cut = true;
		return;
	}
	ev = ARENA_PUSH(p->a, c->events, c->n_events, p->cap);
	ev->kind = kind;
	ev->line = n;
	ev->text = arena_strndup(
		p->a, l.p, l.len < LOGCHECK_LINE_MAX ? l.len : LOGCHECK_LINE_MAX);
	ev->function = start_function(p->a, kind, l);
	ev->stack = ARENA_ARRAY(p->a, const char *, LOGCHECK_STACK_MAX);
	p->open = ev;
	p->open_until = n + 150;
}

static void line_of_event(struct parser *p, int64_t n, struct line l)
{
	struct log_check_event *ev = p->open;
	bool reliable;

	if (n > p->open_until || has_prefix(l, "---[ end trace") ||
		has_prefix(l, "---[ end Kernel panic")) {
		event_close(p);
		return;
	}
	if (has_prefix(l, "Call Trace:") || has_prefix(l, "Call trace:") ||
		has_prefix(l, "stack backtrace:")) {
		p->in_stack = !p->had_stack;
		return;
	}
	if (has_prefix(l, "RIP: ") || has_prefix(l, "pc : ") ||
		has_prefix(l, "PC is at ")) {
		if (!ev->function && !has_prefix(l, "RIP: 0033"))
			ev->function = symbol(p->a, l);
		return;
	}
	if (!p->in_stack || is_marker(l))
		return;
	if (!is_frame(l, &reliable)) {
		if (ev->n_stack) {
			p->in_stack = false;
			p->had_stack = true;
		}
		return;
	}
	if (reliable && ev->n_stack < LOGCHECK_STACK_MAX) {
		const char *name = symbol(p->a, l);

		if (name)
			ev->stack[ev->n_stack++] = name;
	}
}

static void line_take(struct parser *p, int64_t n, struct line raw)
{
	struct line l = line_strip(raw);
	const struct start *s;

	if (has_prefix(l, "Linux version ")) {
		if (p->banner &&
			!(p->c->n_events &&
				p->c->events[p->c->n_events - 1].kind == LOG_KIND_REBOOT))
			event_open(p, LOG_KIND_REBOOT, n, l);
		event_close(p);
		p->banner = true;
		return;
	}
	for (size_t i = 0; !p->user && i < ARRAY_LEN(users); i++)
		if (users[i].where == AT_START ? has_prefix(l, users[i].needle)
					       : find(l, users[i].needle) != NULL)
			p->user = true;
	s = start_of(l);
	if (s) {
		if (s->kind == LOG_KIND_PANIC) {
			p->stopped = p->stopped || !p->user;
			p->no_init = p->no_init || find(l, "No working init") ||
				     find(l, "Requested init");
		}
		event_open(p, s->kind, n, l);
		return;
	}
	if (p->open)
		line_of_event(p, n, l);
}

int logcheck_parse(struct arena *a, const char *buf, size_t len, struct log_check **ret,
	struct err *e)
{
	struct parser p = {.a = a, .c = ARENA_NEW(a, struct log_check)};
	const char *end = buf + len;
	int64_t n = 0;

	if (len > LOGCHECK_TEXT_MAX)
		return err_set(e, ERR_TOO_BIG, "the log has %zu bytes, the limit is %u",
			len, LOGCHECK_TEXT_MAX);
	while (buf < end) {
		const char *nl = memchr(buf, '\n', (size_t)(end - buf));
		const char *stop = nl ? nl : end;

		line_take(&p, ++n, (struct line){buf, (size_t)(stop - buf)});
		buf = nl ? nl + 1 : end;
	}
	event_close(&p);
	p.c->boots = p.user && !p.stopped && !p.no_init;
	*ret = p.c;
	return 0;
}

json_t *logcheck_to_json(const struct log_check *c)
{
	json_t *events = json_array();

	for (size_t i = 0; i < c->n_events; i++) {
		const struct log_check_event *ev = &c->events[i];
		json_t *stack = json_array();

		for (size_t k = 0; k < ev->n_stack; k++)
			json_array_append_new(
				stack, jx_text(ev->stack[k], strlen(ev->stack[k])));
		json_array_append_new(events,
			jx_pack("{s:s, s:I, s:o, s:o, s:o}", "kind",
				log_kind_name(ev->kind), "line", (json_int_t)ev->line,
				"text", jx_text(ev->text, strlen(ev->text)), "function",
				jx_str_or_null(ev->function), "stack", stack));
	}
	return jx_pack("{s:i, s:b, s:b, s:o}", "v", 1, "boots", c->boots, "cut", c->cut,
		"events", events);
}
