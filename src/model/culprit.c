/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of use by the name of the command, in buckets of a second. */
#include <config.h>

#include "model/culprit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"

#define SECOND_NS UINT64_C(1000000000)
#define WINDOW 10 /* seconds, and buckets */
#define OVERTAKES 1.2
#define NAME_BYTES 64
#define NOTABLE_SHARE 0.1 /* of what the greatest user of the same name uses */

struct command {
	char name[NAME_BYTES];
	double used[WINDOW]; /* by bucket: rate * time, or the state then */
	double sum;          /* its mean within the window */
	double most;         /* of one that uses it in this frame */
	double n, id;        /* of those that use at least a tenth of that */
};

struct culprits {
	const struct culprit_kind *kind;
	struct command *commands;
	size_t n_commands, capacity;
	struct hash by_name;
	uint64_t seconds[WINDOW]; /* CLOCK_MONOTONIC, of each bucket */
	double covered[WINDOW];   /* seconds that the rates in it are of; of a state 1 */
	char leader[NAME_BYTES];
};

struct culprits *culprits_open(const struct culprit_kind *kind)
{
	struct culprits *culprits = alloc_zeroed(1, sizeof(*culprits));

	culprits->kind = kind;
	return culprits;
}

void culprits_close(struct culprits *culprits)
{
	free(culprits->commands);
	hash_free(&culprits->by_name);
	free(culprits);
}

void culprits_forget(struct culprits *culprits)
{
	hash_clear(&culprits->by_name);
	culprits->n_commands = 0;
	memset(culprits->seconds, 0, sizeof(culprits->seconds));
	memset(culprits->covered, 0, sizeof(culprits->covered));
	culprits->leader[0] = '\0';
}

static struct command *find_command(struct culprits *culprits, const char *name)
{
	struct command command = { .id = NAN };
	uint64_t hash;
	uint32_t at;

	snprintf(command.name, sizeof(command.name), "%s", name);
	hash = hash_bytes(HASH_SEED, span_text(command.name));
	HASH_FIND(at, &culprits->by_name, hash, strcmp(culprits->commands[at].name, command.name) == 0);
	if (at == HASH_NONE) {
		at = (uint32_t)culprits->n_commands;
		hash_add(&culprits->by_name, hash, at);
		*VECTOR_ADD(culprits->commands, culprits->n_commands, culprits->capacity) = command;
	}
	return &culprits->commands[at];
}

static bool is_idle(const struct command *command)
{
	for (unsigned i = 0; i < WINDOW; i++)
		if (command->used[i] > 0)
			return false;
	return true;
}

/* Commands that used nothing in the window are removed: there are no more than processes lived in it. */
static void drop_idle(struct culprits *culprits)
{
	size_t kept = 0;

	hash_clear(&culprits->by_name);
	for (size_t i = 0; i < culprits->n_commands; i++) {
		struct command *command = &culprits->commands[i];

		if (is_idle(command))
			continue;
		command->n = command->most = 0;
		command->id = NAN;
		culprits->commands[kept] = *command;
		hash_add(&culprits->by_name, hash_bytes(HASH_SEED, span_text(command->name)), (uint32_t)kept);
		kept++;
	}
	culprits->n_commands = kept;
}

static void empty_bucket(struct culprits *culprits, unsigned bucket)
{
	culprits->covered[bucket] = 0;
	for (size_t i = 0; i < culprits->n_commands; i++)
		culprits->commands[i].used[bucket] = 0;
}

/* Buckets of seconds that have passed, or lie ahead of a frame that comes again, are empty again. */
static unsigned begin_second(struct culprits *culprits, uint64_t second)
{
	unsigned bucket = (unsigned)(second % WINDOW);

	for (unsigned i = 0; i < WINDOW; i++)
		if (culprits->seconds[i] + WINDOW <= second || culprits->seconds[i] > second ||
		    (i == bucket && !culprits->kind->is_rate))
			empty_bucket(culprits, i);
	culprits->seconds[bucket] = second;
	drop_idle(culprits);
	return bucket;
}

static double number_of(const void *row, const struct column *column)
{
	return column ? row_number(row, column) : NAN;
}

/* The columns of a source. */
struct taken {
	const struct column *name, *used, *id, *less, *unless;
};

/* What a row counts for; 0: nothing. name: of its command. */
static double used_by(const struct taken *taken, const void *row, const char **name)
{
	double subtracted = number_of(row, taken->less);
	double number = row_number(row, taken->used) - (subtracted > 0 ? subtracted : 0);

	*name = number > 0 ? row_text(row, taken->name) : NULL;
	return *name && **name != '\0' && **name != '(' && !(number_of(row, taken->unless) > 0) ? number : 0;
}

static void take(struct culprits *culprits, const struct culprit_source *source, const struct table *table,
		 unsigned bucket, double seconds)
{
	const struct schema *schema = table->schema;
	const struct taken taken = {
		.name = schema_known_column(schema, source->name),
		.used = schema_known_column(schema, source->used),
		.id = source->id ? schema_known_column(schema, source->id) : NULL,
		.less = source->less ? schema_find(schema, source->less) : NULL,
		.unless = source->unless ? schema_find(schema, source->unless) : NULL,
	};
	struct command *command;
	const char *name;
	double used;

	for (size_t i = 0; i < table->n_rows; i++) {
		used = used_by(&taken, table_row(table, i), &name);
		if (used == 0)
			continue;
		command = find_command(culprits, name);
		command->used[bucket] += used * seconds;
		command->most = taken.id ? fmax(command->most, used) : command->most;
	}
	for (size_t i = 0; taken.id && i < table->n_rows; i++) {
		used = used_by(&taken, table_row(table, i), &name);
		command = used > 0 ? find_command(culprits, name) : NULL;
		if (!command || used < command->most * NOTABLE_SHARE)
			continue;
		command->n++;
		command->id = row_number(table_row(table, i), taken.id);
	}
}

void culprits_take(struct culprits *culprits, const struct frame *frame)
{
	unsigned bucket = begin_second(culprits, frame->mono_ns / SECOND_NS);

	for (unsigned i = 0; i < CULPRIT_SOURCES_MAX && culprits->kind->sources[i].topic; i++) {
		const struct culprit_source *source = &culprits->kind->sources[i];
		const struct table *table = frame_table(frame, source->topic);
		double seconds = 1;

		if (table && culprits->kind->is_rate)
			seconds = (double)table->interval_ns / (double)SECOND_NS;
		if (!table || table->failed || seconds == 0)
			continue;
		take(culprits, source, table, bucket, seconds);
		if (i == 0)
			culprits->covered[bucket] += seconds;
	}
}

static void add_up(struct culprits *culprits, struct command *command)
{
	double used = 0, covered = 0;

	for (unsigned i = 0; i < WINDOW; i++) {
		used += command->used[i];
		covered += culprits->covered[i];
	}
	command->sum = covered > 0 ? used / covered : 0;
}

bool culprits_find(struct culprits *culprits, struct culprit *culprit)
{
	const struct command *leader = NULL, *most = NULL;
	double all = 0;

	for (size_t i = 0; i < culprits->n_commands; i++) {
		struct command *command = &culprits->commands[i];

		add_up(culprits, command);
		all += command->sum;
		if (command->sum > (most ? most->sum : 0))
			most = command;
		if (strcmp(command->name, culprits->leader) == 0)
			leader = command;
	}
	if (!leader || (most && most->sum >= OVERTAKES * leader->sum))
		leader = most;
	if (!leader || !(leader->sum > 0) || leader->sum < culprits->kind->least_share * all)
		return false;
	memcpy(culprits->leader, leader->name, NAME_BYTES);
	*culprit = (struct culprit){
		.name = leader->name,
		.n = leader->n > 0 ? leader->n : NAN,
		.id = leader->n == 1 ? leader->id : NAN,
		.used = leader->sum,
	};
	return true;
}
