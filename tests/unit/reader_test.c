/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers: opened by the first, updated once a tick in the order of what they read, closed with the last. */
#include "suite.h"

#include "topic/reader.h"

struct below {
	int updates;
};

struct above {
	struct below *below;
	int updates, seen; /* seen: updates of below then */
};

static char story[64]; /* what happened, a letter each */
static int open_error, update_error;

static void tell(char letter)
{
	size_t length = strlen(story);

	story[length] = letter;
	story[length + 1] = '\0';
}

static int open_below(void *state, const struct sample *sample)
{
	(void)state;
	(void)sample;
	tell('b');
	return 0;
}

static int update_below(void *state, const struct sample *sample)
{
	struct below *below = state;

	below->updates++;
	tell('u');
	if (update_error)
		env_note_failure(sample->env, "proc/below", update_error);
	return update_error;
}

static void close_below(void *state)
{
	(void)state;
	tell('x');
}

static const struct reader below_reader = {
	.name = "below", .state_size = sizeof(struct below), .open = open_below, .update = update_below,
	.close = close_below
};

static int open_above(void *state, const struct sample *sample)
{
	const struct above *above = state;

	(void)sample;
	ck_assert_ptr_nonnull(above->below);
	tell('a');
	return open_error;
}

static int update_above(void *state, const struct sample *sample)
{
	struct above *above = state;

	(void)sample;
	above->updates++;
	above->seen = above->below->updates;
	return 0;
}

static void close_above(void *state)
{
	(void)state;
	tell('y');
}

static const struct reading above_reads[] = {
	READING(struct above, below, &below_reader),
	{ 0 },
};

static const struct reader above_reader = {
	.name = "above", .state_size = sizeof(struct above), .reads = above_reads, .open = open_above,
	.update = update_above, .close = close_above
};

static struct env env;
static const struct sample sample = { .env = &env };

static void begin(void)
{
	ck_assert_int_eq(env_open(&env, "/"), 0);
	story[0] = '\0';
	open_error = update_error = 0;
}

START_TEST(what_is_read_is_open_and_up_to_date_before)
{
	struct above *above;
	struct below *below;

	begin();
	above = reader_open(&above_reader, &sample, NULL);
	below = reader_open(&below_reader, &sample, NULL);
	ck_assert_ptr_eq(above->below, below);
	for (int tick = 1; tick <= 3; tick++) {
		env.tick++;
		ck_assert_int_eq(reader_update(&above_reader, &sample), 0);
		ck_assert_int_eq(reader_update(&above_reader, &sample), 0);
		ck_assert_int_eq(reader_update(&below_reader, &sample), 0);
		ck_assert_int_eq(above->seen, tick);
		ck_assert_int_eq(below->updates, tick);
		ck_assert_int_eq(above->updates, tick);
	}
	reader_close(&above_reader, &env);
	ck_assert_ptr_null(reader_state(&above_reader, &env));
	ck_assert_ptr_eq(reader_state(&below_reader, &env), below);
	reader_close(&below_reader, &env);
	ck_assert_str_eq(story, "bauuuyx");
	env_close(&env);
}

START_TEST(an_error_is_kept_for_all_of_the_tick)
{
	struct above *above;

	begin();
	above = reader_open(&above_reader, &sample, NULL);
	update_error = -EIO;
	env.tick++;
	ck_assert_int_eq(reader_update(&above_reader, &sample), -EIO);
	for (int topic = 0; topic < 2; topic++) {
		env_forget_failures(&env);
		ck_assert_int_eq(reader_update(topic ? &above_reader : &below_reader, &sample), -EIO);
		ck_assert_str_eq(env_failed_path(&env, -EIO), "proc/below");
	}
	ck_assert_int_eq(above->updates, 0);
	ck_assert_int_eq(above->below->updates, 1);
	update_error = 0;
	env.tick++;
	ck_assert_int_eq(reader_update(&above_reader, &sample), 0);
	ck_assert_int_eq(above->updates, 1);
	reader_close(&above_reader, &env);
	env_close(&env);
}

START_TEST(a_failed_open_leaves_nothing_open)
{
	static const struct reading both[] = {
		READING(struct above, below, &below_reader),
		READING(struct above, below, &above_reader),
		{ 0 },
	};
	struct above state;
	int error;

	begin();
	open_error = -EPERM;
	ck_assert_ptr_null(reader_open(&above_reader, &sample, &error));
	ck_assert_int_eq(error, -EPERM);
	ck_assert_ptr_null(reader_state(&below_reader, &env));
	ck_assert_int_eq(readings_open(both, &state, &sample), -EPERM);
	ck_assert_ptr_null(reader_state(&below_reader, &env));
	ck_assert_str_eq(story, "baxbax");
	open_error = 0;
	ck_assert_int_eq(readings_open(both, &state, &sample), 0);
	readings_close(both, &env);
	ck_assert_str_eq(story, "baxbaxbayx");
	env_close(&env);
}

/* Its users are gone, but what it knows is not. */
START_TEST(what_stays_is_closed_with_the_machine)
{
	static const struct reader staying = {
		.name = "staying", .state_size = sizeof(struct above), .reads = above_reads,
		.close = close_above, .stays = true
	};
	void *state;

	begin();
	state = reader_open(&staying, &sample, NULL);
	reader_close(&staying, &env);
	ck_assert_ptr_eq(reader_state(&staying, &env), state);
	ck_assert_ptr_eq(reader_open(&staying, &sample, NULL), state);
	ck_assert_str_eq(story, "b");
	env_close(&env);
	ck_assert_str_eq(story, "byx");
}
