/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fit of measured power to the CPU time of programs. */
#include <config.h>

#include "model/program_power.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"

#define VAGUE 1e6           /* the variance of what is not known at all, a weak ridge */
#define MEMORY_SAMPLES 200  /* in which the noise is forgotten */
#define FADES_SECONDS 600   /* in which the CPU time of a program is */
#define CHANGES 0.05        /* watts per CPU change by this share … */
#define CHANGES_SECONDS 600 /* … in this time, … */
#define CHANGES_WATTS 1     /* … those of less than this as those of this */
#define TERM_SECONDS 0.1    /* of CPU time, from which on a program has watts of its own */
#define SURPRISE 5          /* standard deviations */
#define CALM_SAMPLES 60     /* without a surprise, after which a single one is left out */
#define SURPRISE_SAMPLES 20 /* after which the noise is known well enough to be surprised */
#define STEP_SAMPLES 600    /* in which the size of steps is forgotten */
#define DOUBT_LEFT 0.25     /* of doubts, after each start or pause */
#define FIRST_NOISE 0.02    /* of watts, until more is known */
#define FIRST_SAMPLES 2     /* as many as this counts for */
#define KNOWN_SAMPLES 10
#define KNOWN_ERROR 0.25 /* of the watts, or this many watts, at most */
#define KNOWN_WATTS 0.25
#define LIKELY_WATTS 50 /* of a CPU, at most: one standard deviation */
#define ALIKE 0.9 /* correlation of errors from which on one is what the other lacks */

/* Of idle watts: the variance that they gain in a second. */
static const double drifts[PROGRAM_POWER_DRIFTS] = { 1e-6, 1e-4, 1e-2, 1 };

static struct power_program *find(struct program_power *power, const char *name, uint32_t hash)
{
	for (unsigned i = 0; i < power->n_programs; i++)
		if (power->programs[i].hash == hash && strcmp(power->programs[i].name, name) == 0)
			return &power->programs[i];
	return NULL;
}

/* The least of those without watts of their own; NULL: none is less than this. */
static struct power_program *least_of_others(struct program_power *power, double cpu_seconds)
{
	struct power_program *least = NULL;

	for (unsigned i = 0; i < power->n_programs; i++) {
		struct power_program *program = &power->programs[i];
		double used = program->faded_seconds + program->seconds + program->sample_seconds;

		if (program->term || used >= cpu_seconds)
			continue;
		cpu_seconds = used;
		least = program;
	}
	return least;
}

/* NULL: there are too many that use more. */
static struct power_program *add_program(struct program_power *power, const char *name, uint32_t hash,
					 double cpu_seconds)
{
	struct power_program *program;

	if (power->n_programs < PROGRAM_POWER_KNOWN)
		program = &power->programs[power->n_programs++];
	else
		program = least_of_others(power, cpu_seconds);
	if (!program)
		return NULL;
	power->sample_others_seconds += program->sample_seconds;
	power->others_seconds += program->seconds;
	*program = (struct power_program){ .hash = hash };
	strncat(program->name, name, sizeof(program->name) - 1);
	return program;
}

void program_power_use(struct program_power *power, const char *name, double cpu_seconds)
{
	uint32_t hash = name ? hash_fold(hash_bytes(HASH_SEED, span_text(name))) : 0;
	struct power_program *program = name ? find(power, name, hash) : NULL;

	if (!(cpu_seconds > 0))
		return;
	if (name && !program)
		program = add_program(power, name, hash, cpu_seconds);
	*(program ? &program->sample_seconds : &power->sample_others_seconds) += cpu_seconds;
}

/* Forgets what is known of this term. */
static void clear_term(struct power_filter *filter, unsigned term)
{
	filter->watts[term] = 0;
	for (unsigned i = 0; i < POWER_TERMS; i++)
		filter->variance[term][i] = filter->variance[i][term] = 0;
	filter->variance[term][term] = VAGUE;
}

static void give_term(struct program_power *power, struct power_program *program, unsigned term)
{
	program->term = term;
	power->doubts[term] = power->steps;
	for (unsigned i = 0; i < PROGRAM_POWER_DRIFTS; i++)
		clear_term(&power->filters[i], term);
}

static unsigned free_term(const struct program_power *power)
{
	bool used[POWER_TERMS] = { false };

	for (unsigned i = 0; i < power->n_programs; i++)
		used[power->programs[i].term] = true;
	for (unsigned term = POWER_OF_PROGRAMS; term < POWER_TERMS; term++)
		if (!used[term])
			return term;
	return 0;
}

/* The one of least use among those with or without watts of their own. */
static struct power_program *extreme(struct program_power *power, bool with_term)
{
	struct power_program *found = NULL;

	for (unsigned i = 0; i < power->n_programs; i++) {
		struct power_program *program = &power->programs[i];

		if ((program->term > 0) != with_term)
			continue;
		if (!found || (program->faded_seconds < found->faded_seconds) == with_term)
			found = program;
	}
	return found;
}

/* One goes where another uses twice as much; the watts of the others are then of other programs. */
static void choose_terms(struct program_power *power)
{
	for (;;) {
		struct power_program *most = extreme(power, false), *least;
		unsigned term = free_term(power);

		if (!most || most->faded_seconds < TERM_SECONDS)
			return;
		if (!term) {
			least = extreme(power, true);
			if (most->faded_seconds < 2 * least->faded_seconds)
				return;
			term = least->term;
			give_term(power, least, 0);
		}
		give_term(power, most, term);
	}
}

/* The share of all CPUs' time of each term. */
static void take_uses(struct program_power *power, double *uses)
{
	memset(uses, 0, POWER_TERMS * sizeof(*uses));
	uses[POWER_OF_IDLE] = 1;
	uses[POWER_OF_OTHERS] = power->others_seconds / power->seconds;
	for (unsigned i = 0; i < power->n_programs; i++) {
		const struct power_program *program = &power->programs[i];

		uses[program->term ? program->term : POWER_OF_OTHERS] += program->seconds / power->seconds;
	}
}

static void forget_uses(struct program_power *power)
{
	power->seconds = power->joules = power->others_seconds = 0;
	for (unsigned i = 0; i < power->n_programs; i++)
		power->programs[i].seconds = 0;
}

static double noise_variance(const struct power_filter *filter)
{
	return filter->noise / filter->weight;
}

static void begin(struct program_power *power, double watts)
{
	for (unsigned i = 0; i < PROGRAM_POWER_DRIFTS; i++) {
		struct power_filter *filter = &power->filters[i];

		for (unsigned term = 0; term < POWER_TERMS; term++)
			clear_term(filter, term);
		filter->weight = FIRST_SAMPLES;
		filter->noise = FIRST_SAMPLES * fmax(1e-6, FIRST_NOISE * FIRST_NOISE * watts * watts);
	}
	power->n_calm = CALM_SAMPLES;
}

/* What was known is known less well after this time. */
static void go_on(struct power_filter *filter, double drift, double seconds)
{
	filter->variance[POWER_OF_IDLE][POWER_OF_IDLE] += drift * seconds;
	for (unsigned i = POWER_OF_OTHERS; i < POWER_TERMS; i++) {
		double change = CHANGES * fmax(filter->watts[i], CHANGES_WATTS);

		if (filter->variance[i][i] < VAGUE)
			filter->variance[i][i] +=
				change * change * seconds / CHANGES_SECONDS / noise_variance(filter);
	}
}

/* What a sample has that the filter does not foresee, and how certain it was. */
struct look {
	double off;                /* watts */
	double spread;             /* variance, of which 1 is the noise */
	double gains[POWER_TERMS]; /* before division by spread */
};

static struct look look_at(const struct power_filter *filter, const double *uses, double watts)
{
	struct look look = { .off = watts, .spread = 1 };

	for (unsigned i = 0; i < POWER_TERMS; i++) {
		look.off -= filter->watts[i] * uses[i];
		for (unsigned j = 0; j < POWER_TERMS; j++)
			look.gains[i] += filter->variance[i][j] * uses[j];
		look.spread += look.gains[i] * uses[i];
	}
	return look;
}

static void learn(struct power_filter *filter, const struct look *look)
{
	for (unsigned i = 0; i < POWER_TERMS; i++) {
		double gain = look->gains[i] / look->spread;

		filter->watts[i] += gain * look->off;
		for (unsigned j = 0; j <= i; j++)
			filter->variance[j][i] = filter->variance[i][j] -= gain * look->gains[j];
	}
}

/* A sample that taught it much shows little of the noise. */
static void rate(struct power_filter *filter, const struct look *look)
{
	const double keep = 1 - 1.0 / MEMORY_SAMPLES;
	double square = look->off * look->off / look->spread;

	filter->noise = keep * filter->noise + square / look->spread;
	filter->weight = keep * filter->weight + 1 / look->spread;
	filter->squares = keep * filter->squares + square;
	filter->logarithms = keep * filter->logarithms + log(look->spread);
	filter->count = keep * filter->count + 1;
}

static double score(const struct power_filter *filter)
{
	return -filter->logarithms - filter->count * log(filter->squares / filter->count + 1e-12);
}

/*
 * Something that no program shows may go on with one, and off with it. So a step leaves doubts, which fade as
 * often as the program starts or pauses without another one.
 */
static void raise_doubts(struct program_power *power, const double *uses, double off)
{
	power->steps = fmax(power->steps, off * off);
	for (unsigned i = POWER_OF_OTHERS; i < POWER_TERMS; i++)
		if (uses[i] > 0)
			power->doubts[i] = fmax(power->doubts[i], off * off / (uses[i] * uses[i]));
}

static void confirm(struct program_power *power, const double *uses)
{
	power->steps *= 1 - 1.0 / STEP_SAMPLES;
	for (unsigned i = POWER_OF_OTHERS; i < POWER_TERMS; i++)
		if (fabs(uses[i] - power->last_uses[i]) > 0.5 * fmax(uses[i], power->last_uses[i]))
			power->doubts[i] *= DOUBT_LEFT;
	memcpy(power->last_uses, uses, sizeof(power->last_uses));
}

/* A step of the machine's power: of idle, or of a program that runs; which of them, later samples show. */
static void doubt(struct power_filter *filter, const double *uses, double off)
{
	double square = off * off / noise_variance(filter);

	for (unsigned i = 0; i < POWER_TERMS; i++)
		if (uses[i] > 0)
			filter->variance[i][i] =
				fmin(filter->variance[i][i] + fmin(square / (uses[i] * uses[i]), VAGUE),
				     2 * VAGUE);
}

/*
 * Is it too far off? Such a sample is left out, as a counter may have wrapped unseen. Another one soon after
 * means that the machine has changed.
 */
static bool surprises(struct program_power *power, const double *uses, double watts)
{
	const struct power_filter *filter = &power->filters[power->best];
	struct look look = look_at(filter, uses, watts);
	unsigned n_calm = power->n_calm++;

	if (filter->weight < SURPRISE_SAMPLES ||
	    look.off * look.off < SURPRISE * SURPRISE * look.spread * noise_variance(filter))
		return false;
	power->n_calm = 0;
	if (n_calm >= CALM_SAMPLES)
		return true;
	for (unsigned i = 0; i < PROGRAM_POWER_DRIFTS; i++)
		doubt(&power->filters[i], uses, look.off);
	raise_doubts(power, uses, look.off);
	memcpy(power->last_uses, uses, sizeof(power->last_uses));
	return false;
}

static void fit(struct program_power *power, const double *uses, double watts, double seconds)
{
	if (power->fitted_seconds == 0)
		begin(power, watts);
	for (unsigned i = 0; i < PROGRAM_POWER_DRIFTS; i++)
		go_on(&power->filters[i], drifts[i], seconds);
	power->fitted_seconds += seconds;
	if (surprises(power, uses, watts))
		return;
	confirm(power, uses);
	for (unsigned i = 0; i < PROGRAM_POWER_DRIFTS; i++) {
		struct look look = look_at(&power->filters[i], uses, watts);

		rate(&power->filters[i], &look);
		learn(&power->filters[i], &look);
		if (score(&power->filters[i]) > score(&power->filters[power->best]))
			power->best = i;
	}
}

static void take_sample(struct program_power *power, double seconds)
{
	for (unsigned i = 0; i < power->n_programs; i++) {
		struct power_program *program = &power->programs[i];

		program->ratio = seconds > 0 ? program->sample_seconds / seconds : NAN;
		program->seconds += program->sample_seconds;
		program->total_seconds += program->sample_seconds;
		program->sample_seconds = 0;
	}
	power->others_ratio = seconds > 0 ? power->sample_others_seconds / seconds : NAN;
	power->others_seconds += power->sample_others_seconds;
	power->sample_others_seconds = 0;
}

void program_power_end(struct program_power *power, double joules, double seconds, double least_seconds)
{
	double uses[POWER_TERMS], keep;

	take_sample(power, seconds);
	if (!(joules >= 0) || !(seconds > 0)) {
		forget_uses(power);
		return;
	}
	power->joules += joules;
	power->seconds += seconds;
	if (power->seconds < 0.9 * least_seconds)
		return;
	keep = exp(-power->seconds / FADES_SECONDS);
	for (unsigned i = 0; i < power->n_programs; i++)
		power->programs[i].faded_seconds =
			keep * power->programs[i].faded_seconds + power->programs[i].seconds;
	choose_terms(power);
	take_uses(power, uses);
	fit(power, uses, power->joules / power->seconds, power->seconds);
	forget_uses(power);
}

/* The most negative one, by its error, that is not at its bound yet; -1: none. */
static int most_negative(const struct power_filter *filter, const bool *bounded)
{
	int worst = -1;
	double least = 0;

	for (int i = 0; i < POWER_TERMS; i++) {
		double errors = bounded[i] ? 0 : filter->watts[i] / sqrt(filter->variance[i][i]);

		if (!(errors < least))
			continue;
		least = errors;
		worst = i;
	}
	return worst;
}

/* No program gives power: what is below 0 is taken as 0, and what has a common error with it follows. */
static void bound(struct power_filter *filter)
{
	bool bounded[POWER_TERMS] = { false };
	int at;

	while ((at = most_negative(filter, bounded)) >= 0) {
		struct look exact = { .off = -filter->watts[at], .spread = filter->variance[at][at] };

		for (unsigned i = 0; i < POWER_TERMS; i++)
			exact.gains[i] = filter->variance[i][at];
		learn(filter, &exact);
		filter->watts[at] = 0;
		bounded[at] = true;
	}
}

/* The term whose error is the opposite of this one's; the term itself: there is none. */
static unsigned alike(const struct power_filter *filter, unsigned term)
{
	double strongest = -ALIKE;
	unsigned found = term;

	for (unsigned i = 0; i < POWER_TERMS; i++) {
		double both = filter->variance[term][term] * filter->variance[i][i];
		double correlation = both > 0 ? filter->variance[term][i] / sqrt(both) : 0;

		if (i == term || correlation > strongest)
			continue;
		strongest = correlation;
		found = i;
	}
	return found;
}

static bool is_known(const struct power_filter *filter, double watts, double error)
{
	return filter->weight >= KNOWN_SAMPLES + FIRST_SAMPLES &&
	       error <= fmax(KNOWN_WATTS, KNOWN_ERROR * watts);
}

/*
 * No sample separates the watts of the idle machine from those of a program that always uses the same CPU
 * time; but a little time takes little.
 */
static bool set_likely(const struct program_power *power, struct program_watts *watts)
{
	struct power_filter likely = power->filters[power->best];
	double error, noise = noise_variance(&likely);

	for (unsigned i = POWER_OF_OTHERS; i < POWER_TERMS; i++) {
		struct look look = { .off = -likely.watts[i],
				     .spread = likely.variance[i][i] +
					       LIKELY_WATTS * LIKELY_WATTS / noise };

		for (unsigned j = 0; j < POWER_TERMS; j++)
			look.gains[j] = likely.variance[j][i];
		learn(&likely, &look);
	}
	error = sqrt(likely.variance[watts->term][watts->term] * noise + power->doubts[watts->term]);
	if (!is_known(&likely, likely.watts[watts->term], error))
		return false;
	watts->error_watts = error;
	watts->per_cpu_watts = fmax(0, likely.watts[watts->term]);
	return true;
}

static void set_watts(const struct program_power *power, const struct power_filter *bounded,
		      struct program_watts *watts)
{
	const struct power_filter *filter = &power->filters[power->best];

	watts->error_watts = sqrt(filter->variance[watts->term][watts->term] * noise_variance(filter) +
				  power->doubts[watts->term]);
	watts->per_cpu_watts = fmax(0, bounded->watts[watts->term]);
	watts->like = watts->term;
	if (is_known(filter, watts->per_cpu_watts, watts->error_watts) ||
	    (watts->term == POWER_OF_IDLE && set_likely(power, watts)))
		return;
	watts->per_cpu_watts = NAN;
	watts->like = alike(filter, watts->term);
}

unsigned program_power_list(const struct program_power *power, struct program_watts *list)
{
	struct power_filter bounded = power->filters[power->best];
	unsigned n = 0;
	double others = power->others_ratio;

	if (power->fitted_seconds == 0)
		return 0;
	bound(&bounded);
	list[n++] = (struct program_watts){ .term = POWER_OF_IDLE, .ratio = 1, .total_seconds = NAN };
	for (unsigned i = 0; i < power->n_programs; i++) {
		const struct power_program *program = &power->programs[i];

		if (program->term)
			list[n++] = (struct program_watts){ program->name, program->term, program->ratio,
							    program->total_seconds };
		else
			others += program->ratio;
	}
	list[n++] = (struct program_watts){ .term = POWER_OF_OTHERS, .ratio = others, .total_seconds = NAN };
	for (unsigned i = 0; i < n; i++)
		set_watts(power, &bounded, &list[i]);
	return n;
}
