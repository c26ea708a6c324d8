/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of findings: rows of the rules that hold, with their sentences, and of those that are over. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "model/finding_parts.h"
#include "model/sentence.h"

#define POINTS 32  /* of a trace, for a window and what it may be too long */
#define SPACING 16 /* part of a window in which one frame becomes a point, whatever the first frame was */
#define TRACES_MAX 2048
#define SPELLS_MAX 256
#define NEAR 20 /* and this part in any case: no two frames are exactly a window apart */
#define BACK_NS (FINDING_BACK_SECONDS * UINT64_C(1000000000))
#define BRIDGED_NS (UINT64_C(300) * 1000000000) /* behind another pane, for example */

struct finding_trace {
	uint64_t identity;
	double last; /* the value in the last frame that had it, at seen_ns */
	uint64_t seen_ns, changed_ns, before_ns; /* before_ns: when it was seen before it grew last */
	size_t n_points;
	struct point {
		uint64_t ns;
		double value;
	} points[POINTS];
};

static void swap_unsure(struct finding_past *past)
{
	uint64_t *unsure = past->were_unsure;
	size_t capacity = past->were_unsure_capacity;

	past->were_unsure = past->unsure;
	past->were_unsure_capacity = past->unsure_capacity;
	past->n_were_unsure = past->n_unsure;
	past->unsure = unsure;
	past->unsure_capacity = capacity;
	past->n_unsure = 0;
}

void finding_past_begin(struct finding_past *past, uint64_t mono_ns, uint64_t wall_ns)
{
	past->before_ns = mono_ns > past->now_ns ? past->now_ns : 0;
	if (past->now_ns == 0)
		past->first_ns = mono_ns;
	swap_unsure(past);
	past->now_ns = mono_ns;
	past->wall_ns = wall_ns;
}

double finding_past_seconds(const struct finding_past *past, double awake_seconds)
{
	uint64_t now_ns = past->now_ns, awake_ns = 0;

	if (awake_seconds > 0)
		awake_ns = awake_seconds * 1e9 < (double)now_ns ? (uint64_t)(awake_seconds * 1e9) : now_ns;
	return awake_seconds +
	       (double)(sleep_past_between_ns(&past->slept, now_ns - awake_ns, now_ns) - awake_ns) / 1e9;
}

/* First behind the one found last: rows keep their order. */
static struct finding_trace *find_trace(struct finding_past *past, uint64_t identity)
{
	for (size_t i = 0; i < past->n_traces; i++) {
		size_t at = (past->next_trace + i) % past->n_traces;

		if (past->traces[at].identity == identity) {
			past->next_trace = at + 1;
			return &past->traces[at];
		}
	}
	return NULL;
}

static uint64_t newest_ns(const struct finding_trace *trace)
{
	return trace->n_points > 0 ? trace->points[trace->n_points - 1].ns : 0;
}

/* A new one, in the place of the one that was not seen for longest if there are too many. */
static struct finding_trace *add_trace(struct finding_past *past, uint64_t identity)
{
	struct finding_trace *trace = past->traces;

	if (past->n_traces < TRACES_MAX)
		trace = VECTOR_ADD(past->traces, past->n_traces, past->trace_capacity);
	else
		for (size_t i = 1; i < past->n_traces; i++)
			if (newest_ns(&past->traces[i]) < newest_ns(trace))
				trace = &past->traces[i];
	trace->identity = identity;
	trace->last = NAN;
	trace->seen_ns = trace->changed_ns = trace->before_ns = 0;
	trace->n_points = 0;
	return trace;
}

static void add_point(struct finding_trace *trace, uint64_t ns, double value)
{
	if (trace->n_points == POINTS) {
		memmove(trace->points, trace->points + 1, (POINTS - 1) * sizeof(trace->points[0]));
		trace->n_points--;
	}
	trace->points[trace->n_points++] = (struct point){ .ns = ns, .value = value };
}

/*
 * The point at the start of the window that ends now; NULL: unknown. Where frames are farther apart than the
 * window is long, that of the frame before, at before_ns (0: there is none), counts.
 */
static const struct point *base(const struct finding_trace *trace, uint64_t now_ns, uint64_t before_ns,
				uint64_t window_ns)
{
	const struct point *before = NULL;

	for (size_t i = 0; i < trace->n_points && trace->points[i].ns < now_ns; i++) {
		uint64_t age_ns = now_ns - trace->points[i].ns;

		if (age_ns <= window_ns + window_ns / NEAR)
			return &trace->points[i];
		if ((double)age_ns <= FINDING_WINDOW_MOST * (double)window_ns ||
		    (before_ns > 0 && trace->points[i].ns >= before_ns))
			before = &trace->points[i];
	}
	return before;
}

/* From its base on, which may be NULL. */
static double mean(const struct finding_trace *trace, const struct point *from, uint64_t now_ns, double now)
{
	double sum = now;
	unsigned n = 1;

	for (; from && from < trace->points + trace->n_points && from->ns < now_ns; from++) {
		sum += from->value;
		n++;
	}
	return sum / n;
}

struct finding_growth finding_past_growth(struct finding_past *past, uint64_t identity, double now,
					  const struct finding_window *window)
{
	struct finding_growth growth = { .number = NAN };
	struct finding_trace *trace = find_trace(past, identity);
	uint64_t window_ns = (uint64_t)(window->seconds * 1e9), cell_ns = window_ns / SPACING + 1;
	const struct point *before;
	uint64_t seen_ns;
	bool fell;

	if (isnan(now))
		return growth;
	if (!trace && now == 0 && window->from_zero) {
		growth.number = 0;
		return growth;
	}
	if (!trace) {
		trace = add_trace(past, identity);
		if (window->from_zero && past->before_ns > 0)
			add_point(trace, past->before_ns, trace->last = 0);
	}
	fell = window->counter && now < trace->last;
	if (window->from_zero && trace->seen_ns < past->before_ns && newest_ns(trace) < past->before_ns)
		add_point(trace, past->before_ns, fell ? 0 : trace->last); /* it was gone, and is back */
	seen_ns = window->from_zero && past->before_ns > trace->seen_ns ? past->before_ns : trace->seen_ns;
	trace->seen_ns = past->now_ns;
	before = base(trace, past->now_ns, past->before_ns, window_ns);
	if (window->counter && before && now < before->value) {
		trace->n_points = 0;
		if (window->from_zero && past->before_ns > 0)
			add_point(trace, past->before_ns, 0);
		before = base(trace, past->now_ns, past->before_ns, window_ns);
	}
	if (before)
		growth.covered = (double)(past->now_ns - before->ns) / 1e9;
	if (window->mean)
		growth.number = mean(trace, before, past->now_ns, now);
	else if (before)
		growth.number = now - before->value;
	if (now > trace->last) {
		trace->changed_ns = past->now_ns;
		trace->before_ns = seen_ns;
	}
	trace->last = now;
	growth.changed_ns = trace->changed_ns;
	growth.before_ns = trace->before_ns;
	if (trace->n_points == 0 || past->now_ns / cell_ns > newest_ns(trace) / cell_ns)
		add_point(trace, past->now_ns, now);
	return growth;
}

/* The spell in which it holds, or held a moment ago; NULL: there is none. */
static struct finding_spell *find_spell(const struct finding_past *past, uint64_t identity)
{
	for (size_t i = past->n_spells; i-- > 0;) {
		struct finding_spell *spell = &past->spells[i];
		uint64_t gap_ns = past->now_ns - spell->end_ns;

		if (spell->identity == identity &&
		    (spell->ended ? spell->was_found && gap_ns <= BACK_NS : gap_ns <= BRIDGED_NS))
			return spell;
	}
	return NULL;
}

static void free_told(struct finding_told *told)
{
	free((char *)told->subject);
	free((char *)told->text);
	free((char *)told->row);
	*told = (struct finding_told){ 0 };
}

/* In the place of the oldest one; of one that has ended without a sentence, if there is any. */
static struct finding_spell *add_spell(struct finding_past *past)
{
	size_t oldest = 0;

	if (past->n_spells == SPELLS_MAX) {
		while (oldest < SPELLS_MAX &&
		       (!past->spells[oldest].ended || past->spells[oldest].told.subject))
			oldest++;
		oldest = oldest < SPELLS_MAX ? oldest : 0;
		free_told(&past->spells[oldest].told);
		memmove(&past->spells[oldest], &past->spells[oldest + 1],
			(SPELLS_MAX - 1 - oldest) * sizeof(*past->spells));
		past->n_spells--;
	}
	return VECTOR_ADD(past->spells, past->n_spells, past->spell_capacity);
}

bool finding_past_held(const struct finding_past *past, uint64_t identity)
{
	const struct finding_spell *spell = find_spell(past, identity);

	return spell && spell->begin_ns < past->now_ns;
}

struct finding_spell *finding_past_hold(struct finding_past *past, uint64_t identity, unsigned rule)
{
	struct finding_spell *spell = find_spell(past, identity);

	if (!spell) {
		spell = add_spell(past);
		*spell = (struct finding_spell){
			.identity = identity, .rule = rule, .begin_ns = past->now_ns,
			.begin_wall_ns = past->wall_ns,
		};
	}
	spell->ended = false;
	spell->end_ns = past->now_ns;
	return spell;
}

void finding_past_be_unsure(struct finding_past *past, uint64_t identity)
{
	*VECTOR_ADD(past->unsure, past->n_unsure, past->unsure_capacity) = identity;
}

bool finding_past_was_unsure(const struct finding_past *past, uint64_t identity)
{
	for (size_t i = 0; i < past->n_were_unsure; i++)
		if (past->were_unsure[i] == identity)
			return true;
	return false;
}

const struct finding_spell *finding_past_over(const struct finding_past *past, double seconds, size_t *at)
{
	while (*at < past->n_spells) {
		const struct finding_spell *spell = &past->spells[past->n_spells - ++*at];

		if (spell->ended && spell->told.subject && spell->end_ns < past->now_ns &&
		    (double)(past->now_ns - spell->end_ns) / 1e9 < seconds)
			return spell;
	}
	return NULL;
}

void finding_past_end(struct finding_past *past, unsigned rule)
{
	for (size_t i = 0; i < past->n_spells; i++)
		if (past->spells[i].rule == rule && past->spells[i].end_ns < past->now_ns)
			past->spells[i].ended = true;
}

void finding_past_empty(struct finding_past *past)
{
	for (size_t i = 0; i < past->n_spells; i++)
		free_told(&past->spells[i].told);
	past->n_traces = past->n_spells = past->n_unsure = 0;
	past->now_ns = past->before_ns = 0;
	past->slept.n = 0;
}

void finding_past_free(struct finding_past *past)
{
	finding_past_empty(past);
	free(past->traces);
	free(past->spells);
	free(past->unsure);
	free(past->were_unsure);
	*past = (struct finding_past){ 0 };
}

#define SECOND_NS UINT64_C(1000000000)
#define WINDOW 10 /* seconds, and buckets */
#define OVERTAKES 1.2
#define SURE_SECONDS 30 /* from the first frame on, until no leader of an earlier one is left */
#define NAME_BYTES 64
#define NOTABLE_SHARE 0.1 /* of what the greatest user of the same name uses */
#define SEEN_SHARE 0.5    /* of all use: with less of it seen, that of a command may be more */
#define OWN_SHARE 0.8     /* of what its command used: a number of a process is its own */

struct command {
	char name[NAME_BYTES];
	double used[WINDOW]; /* by bucket: rate * time, or the state then */
	double sum;          /* its mean within the window */
	double most;         /* of one that uses it in this frame */
	unsigned n[WINDOW];  /* that use at least a tenth of that, in the last frame of a bucket */
	double id[WINDOW];   /* the one that uses most … */
	double own[WINDOW];  /* … and what it used */
};

struct culprits {
	const struct culprit_kind *kind;
	struct command *commands;
	size_t n_commands, capacity;
	struct hash by_name;
	uint64_t seconds[WINDOW]; /* CLOCK_MONOTONIC, of each bucket */
	double covered[WINDOW];   /* seconds that the rates in it are of; of a state 1 */
	double whole[WINDOW];     /* as used of a command */
	unsigned bucket;          /* of the last frame */
	char leader[NAME_BYTES];
	uint64_t led_second;      /* when it was named last */
	uint64_t first_second;    /* of the first frame; 0: none */
	bool is_certain;          /* whoever led in earlier frames, it would be the leader */
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
	memset(culprits->whole, 0, sizeof(culprits->whole));
	culprits->leader[0] = '\0';
	culprits->first_second = 0;
}

bool culprits_are_settled(const struct culprits *culprits)
{
	return culprits->is_certain || culprits->leader[0] == '\0';
}

static struct command *find_command(struct culprits *culprits, const char *name)
{
	struct command command = { 0 };
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
static void drop_idle(struct culprits *culprits, unsigned bucket)
{
	size_t kept = 0;

	hash_clear(&culprits->by_name);
	for (size_t i = 0; i < culprits->n_commands; i++) {
		struct command *command = &culprits->commands[i];

		if (is_idle(command))
			continue;
		command->most = 0;
		command->n[bucket] = 0;
		culprits->commands[kept] = *command;
		hash_add(&culprits->by_name, hash_bytes(HASH_SEED, span_text(command->name)), (uint32_t)kept);
		kept++;
	}
	culprits->n_commands = kept;
}

static void empty_bucket(struct culprits *culprits, unsigned bucket)
{
	culprits->covered[bucket] = culprits->whole[bucket] = 0;
	for (size_t i = 0; i < culprits->n_commands; i++) {
		culprits->commands[i].used[bucket] = culprits->commands[i].own[bucket] = 0;
		culprits->commands[i].n[bucket] = 0;
	}
}

/* Buckets of seconds that have passed are empty again. */
static unsigned begin_second(struct culprits *culprits, uint64_t second)
{
	unsigned bucket = (unsigned)(second % WINDOW);

	for (unsigned i = 0; i < WINDOW; i++)
		if (culprits->seconds[i] + WINDOW <= second ||
		    (i == bucket && !culprits->kind->is_rate))
			empty_bucket(culprits, i);
	culprits->first_second = culprits->first_second ? culprits->first_second : second;
	culprits->seconds[bucket] = second;
	culprits->bucket = bucket;
	drop_idle(culprits, bucket);
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
	double used, id;

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
		command->n[bucket]++;
		if (used < command->most)
			continue;
		id = row_number(table_row(table, i), taken.id);
		if (id != command->id[bucket])
			command->own[bucket] = 0;
		command->own[bucket] += used * seconds;
		command->id[bucket] = id;
	}
}

/* 0: not known. */
static double whole_of(const struct culprit_whole *whole, const struct frame *frame)
{
	double sum = 0;

	for (unsigned i = 0; whole->topic && i < 2 && whole->columns[i]; i++)
		sum += fmax(frame_number(frame, whole->topic, whole->row, whole->columns[i]), 0);
	if (whole->times_topic)
		sum *= fmax(frame_number(frame, whole->times_topic, NULL, whole->times), 0);
	return sum;
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
		if (i == 0) {
			culprits->covered[bucket] += seconds;
			culprits->whole[bucket] += seconds * whole_of(&culprits->kind->whole, frame);
		}
	}
}

/* How many there were in the window, in the mean. */
static double mean_count(const struct culprits *culprits, const struct command *command)
{
	unsigned n = 0, n_buckets = 0;

	for (unsigned i = 0; i < WINDOW; i++) {
		n += command->n[i];
		n_buckets += culprits->covered[i] > 0;
	}
	return n_buckets > 0 ? round((double)n / n_buckets) : 0;
}

/* The process that used nearly all of it itself; NaN: none, or it has ended. */
static double only_id(const struct culprits *culprits, const struct command *command)
{
	double id = command->id[culprits->bucket], own = 0, used = 0;

	for (unsigned i = 0; i < WINDOW; i++) {
		used += command->used[i];
		own += command->id[i] == id ? command->own[i] : 0;
	}
	return command->n[culprits->bucket] > 0 && own >= OWN_SHARE * used ? id : NAN;
}

/* In the window. */
static double mean_use(const struct culprits *culprits, const double used[WINDOW])
{
	double sum = 0, covered = 0;

	for (unsigned i = 0; i < WINDOW; i++) {
		sum += used[i];
		covered += culprits->covered[i];
	}
	return covered > 0 ? sum / covered : 0;
}

struct culprit {
	const char *name; /* of the command, until the next frame */
	double n;         /* processes of that name that use at least a tenth of what the greatest of them
			   * does, in the mean; NaN: all have ended */
	double id;        /* of the only one; NaN: there are more, or there were */
	double used; /* NaN: not known */
};

/*
 * Who uses most, as of the frame that was taken last. It stays until another one has 1.2 times as much, if it
 * was named in the last seconds. false: none has enough, or it is not known.
 */
static bool culprits_find(struct culprits *culprits, struct culprit *culprit)
{
	uint64_t second = culprits->seconds[culprits->bucket];
	const struct command *leader = NULL, *most = NULL;
	double all = 0, next = 0, whole = mean_use(culprits, culprits->whole), n;

	if (culprits->led_second + WINDOW < second)
		culprits->leader[0] = '\0';
	if (culprits->leader[0] == '\0')
		culprits->is_certain = second > culprits->first_second + SURE_SECONDS;

	for (size_t i = 0; i < culprits->n_commands; i++) {
		struct command *command = &culprits->commands[i];

		command->sum = mean_use(culprits, command->used);
		all += command->sum;
		if (command->sum > (most ? most->sum : 0)) {
			next = most ? most->sum : 0;
			most = command;
		} else {
			next = fmax(next, command->sum);
		}
		if (strcmp(command->name, culprits->leader) == 0)
			leader = command;
	}
	if (!leader || (most && most->sum >= OVERTAKES * leader->sum))
		leader = most;
	if (!leader || !(leader->sum > 0) || leader->sum < culprits->kind->least_share * fmax(all, whole))
		return false;
	n = mean_count(culprits, leader);
	culprits->led_second = second;
	culprits->is_certain |= most && most->sum >= OVERTAKES * next;
	memcpy(culprits->leader, leader->name, NAME_BYTES);
	*culprit = (struct culprit){
		.name = leader->name,
		.n = n > 0 ? n : NAN,
		.id = n == 1 ? only_id(culprits, leader) : NAN,
		.used = all >= SEEN_SHARE * whole ? leader->sum : NAN,
	};
	return true;
}

#define ROWS_MAX 3 /* findings of one rule; more are counted in the text of the last one */
#define STATE_NOW N_("now")
#define STATE_EARLIER N_("earlier")
#define BEGUN_BEFORE N_("before")

#define ROW(field, ...) COLUMN(struct finding_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(rule, A_KEY(N_("rule"), 14), .hidden = true, .help = N_("name of its rule, as in the settings"),
	    .source = "panetop"),
	ROW(number, A_NUMBER(LABEL, COUNT, N_("no."), 3), .fleeting = true, .rank = 3,
	    .help = N_("1 is the worst"), .source = "panetop"),
	ROW(severity, A_LABEL(N_("severity"), 8), .words = true, .help = N_("note, warning or critical"),
	    .source = "the limits of its rule"),
	ROW(subject, A_KEY(N_("subject"), 8),
	    .help = N_("what it is about: a part of the machine, or a row of the topic"),
	    .source = "its rule"),
	ROW(state, A_LABEL(N_("state"), 7), .fleeting = true, .rank = 2, .words = true,
	    .help = N_("now: it holds; earlier: it has ended, and is shown for five minutes, or the "
		       "time of its rule"), .source = "its rule"),
	ROW(since_seconds, A_GAUGE(SECONDS, N_("since"), 6), .rank = 2, .whole = true,
	    .help = N_("time since it began, or happened; see the column begun"),
	    .source = "time between samples"),
	ROW(begun, A_LABEL(N_("begun"), 6), .words = true, .fleeting = true, .rank = 3, .optional = true,
	    .help = N_("before: it may have begun before the first sample, so that the time since then is "
		       "the least; blank: its begin was seen"), .source = "its rule"),
	ROW(ended_seconds, A_NUMBER(LABEL, SECONDS, N_("ended"), 6), .fleeting = true, .rank = 2,
	    .whole = true, .optional = true,
	    .help = N_("of an earlier one: time since it ended, or happened"),
	    .source = "time between samples"),
	ROW(since_time, A_NUMBER(LABEL, TIME, N_("from"), 8), .fleeting = true, .hidden = true,
	    .help = N_("time at which it began, or happened"), .source = "CLOCK_REALTIME"),
	ROW(until_time, A_NUMBER(LABEL, TIME, N_("until"), 8), .fleeting = true, .hidden = true,
	    .help = N_("time at which it was seen, counted, or happened last; while it lasts, that of the "
		       "sample"),
	    .source = "CLOCK_REALTIME"),
	ROW(text, A_LABEL(N_("finding"), 40), .prose = true, .fleeting = true,
	    .help = N_("what is out of the ordinary, with its numbers"),
	    .source = "its rule, over the columns of the topic"),
	ROW(topic, A_LABEL(N_("topic"), 10), .hidden = true, .help = N_("topic that its rule judges"),
	    .source = "its rule"),
	ROW(pane, A_LABEL(N_("pane"), 8), .hidden = true, .help = N_("pane that shows more of it"),
	    .source = "its rule"),
	ROW(view, A_LABEL(N_("view"), 8), .hidden = true, .optional = true, .help = N_("view of the pane"),
	    .source = "its rule"),
	ROW(row, A_LABEL(N_("row"), 8), .hidden = true, .optional = true, .help = N_("row of the topic"),
	    .source = "its key"),
	ROW(of, A_LABEL(N_("of"), 7), .optional = true, .words = true, .rank = 2,
	    .help = N_("where there is a scope (--in, @): whether it is about that or the machine; in a "
		       "container: whether it is about its host"), .source = "its topic and row"),
};

static bool is_over(const void *row)
{
	const char *state = ((const struct finding_row *)row)->state;

	return state && strcmp(state, STATE_EARLIER) == 0;
}

const struct schema finding_schema = {
	.name = "finding",
	.is_public = true,
	.help = N_("what is out of the ordinary, worst first"),
	.none = N_("nothing out of the ordinary"),
	.over_interval = true,
	.derived = true,
	.is_over = is_over,
	SCHEMA_ROWS(struct finding_row, columns),
};

static const char *const severities[] = {
	[FINDING_NOTE] = N_("note"),
	[FINDING_WARNING] = N_("warning"),
	[FINDING_CRITICAL] = N_("critical"),
};

static const struct finding_value *find_value(const struct finding_rule *rule, struct span name)
{
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++)
		if (span_is(name, rule->values[i].name))
			return &rule->values[i];
	return NULL;
}

/* NULL: no row has it, as none has NaN. */
static const void *row_with_key(const struct table *table, double wanted)
{
	const struct column *key = table ? schema_first_key(table->schema, false) : NULL;

	for (size_t i = 0; key && i < table->n_rows; i++)
		if (row_number(table_row(table, i), key) == wanted)
			return table_row(table, i);
	return NULL;
}

/* The facts of a sentence of a finding. */
struct finding_facts {
	struct facts facts;
	struct findings *findings;
	const struct frame *frame;
	const struct candidate *candidate;
};

/* The row that a value in a sentence is of; table is that of the rule, and becomes that of the value. */
static const void *sentence_row(const struct finding_facts *of, const struct finding_value *value,
				const struct table **table)
{
	const void *first = finding_value_row(of->frame, value, table, of->candidate->row);
	const struct finding_value *values = of->findings->rules[of->candidate->rule].values;

	if (!value->most)
		return first;
	return value->with_column ? row_with_key(*table, of->candidate->values[value - values])
				  : table_most(*table, value->most, value->most_least);
}

/* About the machine around the container in which panetop is: who does it is not seen from here. */
static bool is_of_host(const struct frame *frame, const struct finding_rule *rule)
{
	const struct row_facts facts = { .facts = { row_fact }, .frame = frame };

	return rule->of_host && sentence_holds(rule->of_host, &facts.facts);
}

/* "12 × cc1", "java (4711)" */
static const struct remark user_names[] = {
	{ "n > 1", "{n:.0} × {name}" },
	{ "id", "{name} ({id:.0})" },
	{ NULL, "{name}" },
};

/* {who}, and {use}: in units that the sentence names. */
static struct fact culprit_fact(const struct finding_facts *of, bool who)
{
	const struct finding_rule *rule = &of->findings->rules[of->candidate->rule];
	struct buffer *out = &of->findings->user_name;
	struct culprit culprit = { .name = "" };
	bool found = !is_of_host(of->frame, rule) &&
		     culprits_find(finding_culprits(of->findings, rule->culprit), &culprit);
	const struct made_fact made[] = {
		{ "n", number_fact(culprit.n, UNIT_NONE) },
		{ "name", text_fact(culprit.name) },
		{ "id", number_fact(culprit.id, UNIT_NONE) },
	};
	const struct row_facts facts = { .facts = { row_fact }, .made = made, .n_made = 3 };

	if (!found)
		return FACT_UNKNOWN;
	if (!who)
		return number_fact(culprit.used, rule->culprit->unit);
	buffer_empty(out);
	remarks_say(out, REMARKS(user_names), &facts.facts);
	buffer_char(out, '\0');
	return text_fact(out->bytes);
}

/* The time for which it has held, by its first value. */
static struct fact least_fact(const struct finding_facts *of)
{
	struct buffer *out = &of->findings->user_name;
	char age[VALUE_TEXT_MAX];

	buffer_empty(out);
	buffer_print(out, _("at least %s"), stretch_text(age, of->candidate->values[0]));
	buffer_char(out, '\0');
	return text_fact(out->bytes);
}

static struct fact find_fact(const struct facts *facts, struct span name)
{
	const struct finding_facts *of = (const struct finding_facts *)facts;
	const struct finding_rule *rule = &of->findings->rules[of->candidate->rule];
	const struct finding_value *value = find_value(rule, name);
	const struct table *table = frame_table(of->frame, rule->topic);
	const struct table *its = value && value->topic ? frame_table(of->frame, value->topic) : table;
	const struct column *column = value && its ? schema_find(its->schema, value->column) : NULL;
	struct fact fact = FACT_UNKNOWN;
	const void *row = NULL;
	bool is_share;

	if (span_is(name, "since"))
		return number_fact(of->candidate->since_seconds, UNIT_SECONDS);
	if (!value && span_is(name, "window"))
		return number_fact(fmax(1, round(of->candidate->covered)), UNIT_SECONDS);
	if (rule->culprit && (span_is(name, "who") || span_is(name, "use")))
		return culprit_fact(of, span_is(name, "who"));
	if (value)
		row = sentence_row(of, value, &table);
	if (!value || (value->most && !row))
		return fact;
	if (value == rule->values && finding_began_before(rule, table, row))
		return least_fact(of);
	if (column && column->type == VALUE_TEXT && (value->most || !value->with)) {
		fact.text = row ? table_text(table, row, value->column) : "";
		return fact;
	}
	fact.number = value->most && column ? row_number(row, column)
					    : of->candidate->values[value - rule->values];
	if (value->above_zero && !(fact.number > 0))
		return FACT_UNKNOWN;
	is_share = value->over || (value->per_second && column && column->unit == UNIT_SECONDS);
	fact.unit = value->at_least.setting ? value->at_least.unit
		    : is_share              ? UNIT_RATIO
		    : column                ? column->unit
					    : UNIT_NONE;
	fact.unit = fact.unit == UNIT_BYTES_PER_SECOND ? UNIT_BYTES /* the sentence has "/s" */
		    : fact.unit == UNIT_PER_SECOND     ? UNIT_COUNT
						       : fact.unit;
	return fact;
}

static const char *sentence(struct findings *findings, struct frame *frame, const struct candidate *candidate,
			    size_t n_more)
{
	const struct finding_facts of = { { find_fact }, findings, frame, candidate };
	struct buffer *out = &findings->text;

	buffer_empty(out);
	sentence_add(out, _(findings->rules[candidate->rule].text), &of.facts);
	if (n_more > 0)
		buffer_print(out, _(" (and %zu more)"), n_more);
	return arena_copy(&frame->arena, out->bytes, out->length);
}

/* Its name for people, unless another finding of the rule is about a row of that name; or its key. */
static const char *name_of(const struct findings *findings, const struct candidate *candidate,
			   const struct table *table)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const char *name = rule->called ? table_text(table, candidate->row, rule->called) : "";
	unsigned n_called = 0;

	for (size_t i = 0; *name && i < findings->n_candidates; i++) {
		const struct candidate *other = &findings->candidates[i];

		n_called += other->rule == candidate->rule &&
			    strcmp(table_text(table, other->row, rule->called), name) == 0;
	}
	return n_called == 1 ? name : table_text(table, candidate->row, rule->key);
}

#define ABOUT 0.1          /* less than this is as bad; then the sentence of the longer time stands */
#define LONGER_SECONDS 0.5 /* no two frames are exactly a window apart */

/*
 * Does the sentence of now stand for the worst better than the one that does? A longer time may be a little
 * less bad than the worst there was, however many sentences came since; a window that is full gets no longer.
 */
static bool is_worst(const struct finding_told *told, const struct candidate *candidate, double window)
{
	double longer = fmin(candidate->covered, window) - fmin(told->covered, window);

	if (!told->subject || isnan(told->worst) || candidate->rank > told->worst)
		return true;
	if (longer <= -LONGER_SECONDS || candidate->rank < told->worst - ABOUT * fabs(told->worst))
		return false;
	return longer >= LONGER_SECONDS || candidate->rank > told->rank;
}

/* Up to when it was so: of what counts, its last growth; it is shown for longer. */
static uint64_t until_time_of(const struct findings *findings, const struct candidate *candidate)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	uint64_t until_ns = findings->past.wall_ns;

	if (rule->age >= FINDING_HAPPENED)
		return finding_time_before(until_ns, candidate->ago_seconds);
	if (rule->age == FINDING_COUNTS && candidate->changed_ns > 0)
		until_ns -= findings->past.now_ns - candidate->changed_ns;
	return until_ns > candidate->since_time ? until_ns : candidate->since_time;
}

/* Keeps the sentence of now, unless a worse one is there, and up to when it was so. */
static void tell(struct findings *findings, const struct candidate *candidate, const struct finding_row *row)
{
	struct finding_told *told =
		&finding_past_hold(&findings->past, candidate->identity, candidate->rule)->told;

	if (is_worst(told, candidate, findings->limits[candidate->rule].window)) {
		double worst = told->subject ? fmax(told->worst, candidate->rank) : candidate->rank;

		free_told(told);
		told->subject = alloc_text(row->subject);
		told->text = alloc_text(row->text);
		told->row = row->row ? alloc_text(row->row) : NULL;
		told->rank = candidate->rank;
		told->worst = worst;
		told->covered = candidate->covered;
	}
	told->since_seconds = candidate->since_seconds;
	told->is_least = candidate->is_least;
	told->until_ns = findings->past.now_ns - (findings->past.wall_ns - row->until_time);
	told->since_wall_ns = candidate->since_time;
	told->until_wall_ns = row->until_time;
}

static void add_row(struct findings *findings, struct frame *frame, struct table *out,
		    const struct candidate *candidate, size_t n_more)
{
	const struct finding_rule *rule = &findings->rules[candidate->rule];
	const struct table *table = frame_table(frame, rule->topic);
	const char *key = rule->key ? table_text(table, candidate->row, rule->key) : NULL;
	const char *name = key ? name_of(findings, candidate, table) : NULL;
	struct finding_row *row = table_add(out);

	row->severity = severities[candidate->severity];
	row->state = candidate->is_over ? STATE_EARLIER : STATE_NOW;
	row->since_time = candidate->since_time;
	row->until_time = until_time_of(findings, candidate);
	row->subject = !key            ? _(rule->subject)
		       : rule->subject ? arena_print(&frame->arena, "%s %s", _(rule->subject), name)
				       : name;
	row->text = sentence(findings, frame, candidate, n_more);
	row->since_seconds = candidate->since_seconds;
	row->begun = candidate->is_least ? BEGUN_BEFORE : "";
	if (candidate->is_over)
		row->ended_seconds = candidate->ago_seconds;
	row->topic = rule->topic;
	row->rule = rule->name;
	row->pane = rule->pane;
	row->view = rule->view;
	row->row = key;
	row->row_key = key ? row_hash_key(table->schema, candidate->row) : 0;
	row->of_group = rule->of_group;
	row->of = is_of_host(frame, rule) ? N_("host") : NULL;
	if (candidate->severity >= FINDING_WARNING)
		tell(findings, candidate, row);
}

static bool has_row(const struct table *table, const char *rule, const char *subject)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct finding_row *row = table_row(table, i);

		if (strcmp(row->rule, rule) == 0 && strcmp(row->subject, subject) == 0)
			return true;
	}
	return false;
}

/* Warnings that have ended, unless the same, or a worse one, holds again. */
static void add_over(struct findings *findings, struct frame *frame, struct table *out)
{
	const struct finding_spell *spell;
	size_t at = 0;

	while ((spell = finding_past_over(&findings->past, FINDING_OVER_SECONDS, &at))) {
		const struct finding_rule *rule = &findings->rules[spell->rule];
		const struct finding_told *told = &spell->told;
		struct finding_row *row;

		if (findings->limits[spell->rule].off || rule->age >= FINDING_HAPPENED ||
		    has_row(out, rule->name, told->subject) ||
		    findings_say_it(findings, frame, rule, told->row, true) ||
		    findings_said_it(findings, rule, told->row))
			continue;
		row = table_add(out);
		row->rule = rule->name;
		row->subject = arena_print(&frame->arena, "%s", told->subject);
		row->text = arena_print(&frame->arena, "%s", told->text);
		row->row = told->row ? arena_print(&frame->arena, "%s", told->row) : NULL;
		row->severity = severities[FINDING_NOTE];
		row->state = STATE_EARLIER;
		row->since_seconds =
			told->since_seconds + (double)(findings->past.now_ns - spell->end_ns) / 1e9;
		row->begun = told->is_least ? BEGUN_BEFORE : "";
		row->ended_seconds = (double)(findings->past.now_ns - told->until_ns) / 1e9;
		row->since_time = told->since_wall_ns;
		row->until_time = told->until_wall_ns;
		row->topic = rule->topic;
		row->pane = rule->pane;
		row->view = rule->view;
		row->of = is_of_host(frame, rule) ? N_("host") : NULL;
	}
}

static bool ended_before(const struct finding_row *one, const struct finding_row *other)
{
	return is_over(one) && one->ended_seconds > other->ended_seconds;
}

/* What is over stands last, the latest first. */
static void sort_over(struct table *table)
{
	struct finding_row *rows = (struct finding_row *)(void *)table->rows, row;

	for (size_t i = 1, at; i < table->n_rows; i++) {
		row = rows[i];
		for (at = i; at > 0 && ended_before(&rows[at - 1], &row); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

static bool is_alike(const struct candidate *one, const struct candidate *other)
{
	return one->rule == other->rule && one->severity == other->severity && one->is_over == other->is_over;
}

static void number_rows(struct table *table)
{
	struct finding_row *rows = (struct finding_row *)(void *)table->rows;

	for (size_t i = 0; i < table->n_rows; i++)
		rows[i].number = i + 1;
}

const struct kept_rows *finding_rows_kept(const struct findings *findings, uint64_t mono_ns)
{
	for (unsigned i = 0; findings->kept && mono_ns > 0 && i < FINDING_KEPT; i++)
		if (findings->kept[i].mono_ns == mono_ns)
			return &findings->kept[i];
	return NULL;
}

/* Texts of the rules themselves live as long as these. */
static const char **owned_texts(struct finding_row *row, unsigned index)
{
	const char **const texts[] = { &row->subject, &row->text, &row->row };

	return index < sizeof(texts) / sizeof(texts[0]) ? texts[index] : NULL;
}

void finding_rows_keep(struct findings *findings, const struct table *table)
{
	struct kept_rows *kept = findings->kept ? &findings->kept[findings->next_kept] : NULL;
	const char **text;

	if (!kept)
		return;
	findings->next_kept = (findings->next_kept + 1) % FINDING_KEPT;
	kept->mono_ns = table->mono_ns;
	kept->present = table->present;
	kept->is_exact = findings_are_settled(findings);
	VECTOR_RESERVE(kept->rows, table->n_rows, kept->capacity);
	kept->n_rows = table->n_rows;
	buffer_empty(&kept->texts);
	for (size_t i = 0; i < table->n_rows; i++) {
		memcpy(&kept->rows[i], table_row(table, i), sizeof(kept->rows[i]));
		for (unsigned t = 0; (text = owned_texts(&kept->rows[i], t)); t++)
			if (*text)
				buffer_add(&kept->texts, *text, strlen(*text) + 1);
	}
}

bool finding_rows_recall(const struct findings *findings, struct frame *frame, struct table *table)
{
	const struct kept_rows *kept = finding_rows_kept(findings, frame->mono_ns);
	const char *from = kept ? kept->texts.bytes : NULL, **text;

	if (!kept)
		return false;
	table->n_rows = 0;
	table->mono_ns = frame->mono_ns;
	table->partial = false;
	table->present = kept->present;
	for (size_t i = 0; i < kept->n_rows; i++) {
		struct finding_row *row = table_add(table);

		*row = kept->rows[i];
		for (unsigned t = 0; (text = owned_texts(row, t)); t++) {
			if (!*text)
				continue;
			*text = arena_print(&frame->arena, "%s", from);
			from += strlen(from) + 1;
		}
	}
	return true;
}

void finding_rows_add(struct findings *findings, struct frame *frame, struct table *table)
{
	const struct candidate *all = findings->candidates;
	size_t of_rule = 0;

	for (size_t i = 0; i < findings->n_candidates; i++) {
		size_t n_more = 0;

		of_rule = i > 0 && is_alike(&all[i], &all[i - 1]) ? of_rule + 1 : 1;
		if (of_rule > ROWS_MAX)
			continue;
		for (size_t j = i + 1; of_rule == ROWS_MAX && j < findings->n_candidates; j++)
			n_more += is_alike(&all[j], &all[i]);
		add_row(findings, frame, table, &all[i], n_more);
	}
	add_over(findings, frame, table);
	sort_over(table);
	number_rows(table);
}

void findings_add(struct frame *frame, const struct finding_added *added)
{
	struct table *table = frame_slot(frame, finding_schema.name);
	struct finding_row *rows, row;
	size_t at = 0;

	if (!table || !table->present)
		return;
	row = *(struct finding_row *)table_add(table);
	row.rule = added->rule;
	row.subject = added->subject;
	row.text = added->text;
	row.severity = severities[FINDING_WARNING];
	row.state = STATE_NOW;
	row.since_seconds = added->since_seconds;
	row.since_time = finding_time_before(frame->wall_ns, added->since_seconds);
	row.until_time = frame->wall_ns;
	row.topic = added->topic;
	row.pane = added->pane;
	rows = (struct finding_row *)(void *)table->rows;
	while (at + 1 < table->n_rows && rows[at].severity == severities[FINDING_CRITICAL])
		at++;
	memmove(&rows[at + 1], &rows[at], (table->n_rows - 1 - at) * sizeof(*rows));
	rows[at] = row;
	number_rows(table);
}
