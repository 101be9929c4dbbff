/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fsm.h"

#include "base/file.h"
#include "base/sbuf.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Every transition joins two states of the entity, none is there twice. */
static void test_tables_are_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < fsm_n_all; i++) {
		const struct fsm *f = &fsm_all[i];

		for (size_t k = 0; k < f->n_transitions; k++) {
			const struct fsm_transition *t = &f->transitions[k];

			assert_non_null(fsm_find_state(f, t->from));
			assert_non_null(fsm_find_state(f, t->to));
			assert_true(t->why[0] && strcmp(t->from, t->to) != 0);
			for (size_t m = 0; m < k; m++)
				assert_false(!strcmp(f->transitions[m].from, t->from) &&
					     !strcmp(f->transitions[m].to, t->to));
		}
	}
}

/* Each state is reached from a beginning; each that is not final has a way on. */
static void test_no_dead_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < fsm_n_all; i++) {
		const struct fsm *f = &fsm_all[i];
		bool reached[32] = {false};
		bool more = true;

		assert_true(f->n_states <= ARRAY_LEN(reached));
		for (size_t s = 0; s < f->n_states; s++)
			reached[s] = f->states[s].initial;
		while (more) {
			more = false;
			for (size_t k = 0; k < f->n_transitions; k++) {
				size_t from = (size_t)(fsm_find_state(f,
							       f->transitions[k].from) -
						       f->states);
				size_t to =
					(size_t)(fsm_find_state(f, f->transitions[k].to) -
						 f->states);

				more |= reached[from] && !reached[to];
				reached[to] |= reached[from];
			}
		}
		for (size_t s = 0; s < f->n_states; s++) {
			bool leaves = false;

			if (!reached[s])
				fail_msg("%s %s is never reached", f->entity,
					f->states[s].name);
			for (size_t k = 0; k < f->n_transitions; k++)
				leaves |= !strcmp(
					f->transitions[k].from, f->states[s].name);
			if (!leaves && !f->states[s].final)
				fail_msg(
					"%s %s: no way on", f->entity, f->states[s].name);
		}
	}
}

static void test_lookups(void **state)
{
	const struct fsm *f = fsm_find("job");

	(void)state;
	assert_non_null(f);
	assert_null(fsm_find("nothing"));
	assert_null(fsm_find_state(f, "nothing"));
	assert_true(fsm_allows(f, "ready", "leased"));
	assert_false(fsm_allows(f, "leased", "waiting"));
	assert_false(fsm_allows(f, "ready", "ready"));
	assert_true(fsm_find_state(f, "done")->final);
	assert_false(fsm_find_state(f, "leased")->final);
}

/* docs/states.md is what the tables say. WL_UPDATE=1 writes it. */
static void test_docs_are_fresh(void **state)
{
	const char *path = WL_SOURCE_DIR "/docs/states.md";
	CLEANUP(sbuf_release) struct sbuf committed = SBUF_INIT;
	CLEANUP(base_freep) char *fresh = NULL;
	size_t len;
	FILE *out = open_memstream(&fresh, &len);
	struct err e = {.code = ERR_OK};

	(void)state;
	fsm_print_markdown(out);
	assert_int_equal(fclose(out), 0);
	if (getenv("WL_UPDATE"))
		assert_int_equal(file_write_atomic(path, fresh, len, 0644, &e), 0);
	if (file_read(path, 1 << 20, &committed, &e) != 0)
		fail_msg("%s", e.msg);
	assert_string_equal(committed.buf, fresh);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_are_sound),
		cmocka_unit_test(test_no_dead_ends),
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_docs_are_fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
