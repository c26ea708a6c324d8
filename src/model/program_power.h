/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watts of programs, estimated from the measured power of the machine and the CPU time that programs used
 * meanwhile:
 *
 *	watts = idle + sum over the programs of (watts per CPU * CPU time / time) + noise
 *
 * in which idle drifts, and watts per CPU change slowly. A Kalman filter solves it sample by sample, with an
 * error for each number. Programs that always run together have errors as large as what one may have of the
 * other.
 */
#ifndef PANETOP_MODEL_PROGRAM_POWER_H
#define PANETOP_MODEL_PROGRAM_POWER_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_POWER_PROGRAMS 24 /* that have watts of their own; the rest shares one number */
#define PROGRAM_POWER_KNOWN 64    /* whose CPU time is followed, to choose these */
#define PROGRAM_POWER_NAME 64     /* bytes */
#define PROGRAM_POWER_DRIFTS 4

/* The numbers that are fitted: the idle machine, all other programs, and these programs. */
enum {
	POWER_OF_IDLE,
	POWER_OF_OTHERS,
	POWER_OF_PROGRAMS,
	POWER_TERMS = POWER_OF_PROGRAMS + PROGRAM_POWER_PROGRAMS
};

/* The fit under one assumption of how fast idle drifts. Variances are in units of that of the noise. */
struct power_filter {
	double watts[POWER_TERMS];
	double variance[POWER_TERMS][POWER_TERMS];
	double noise, weight; /* fading sums: squares of what was not foreseen, and their weights */
	double squares, logarithms, count; /* fading sums: how well it foresaw the samples */
};

struct program_power {
	struct power_program {
		char name[PROGRAM_POWER_NAME];
		uint32_t hash;
		unsigned term;         /* 0: it is among the others */
		double sample_seconds; /* CPU time in this sample … */
		double seconds;        /* … since the last one that was fitted … */
		double faded_seconds;  /* … of late … */
		double total_seconds;  /* … and since it is followed */
		double ratio;          /* CPUs that it kept busy in the last sample */
	} programs[PROGRAM_POWER_KNOWN];
	unsigned n_programs;
	double sample_others_seconds, others_seconds, others_ratio; /* of programs that are not followed */
	double seconds, joules; /* since the last sample that was fitted */
	struct power_filter filters[PROGRAM_POWER_DRIFTS];
	unsigned best;                 /* of them */
	unsigned n_calm;               /* samples since one was too far off */
	double steps;                  /* the largest square of such watts of late */
	double doubts[POWER_TERMS];    /* squares of watts per CPU: more error, until the term is confirmed */
	double last_uses[POWER_TERMS]; /* in the last sample that was fitted */
	double fitted_seconds;
};

/* CPU time that a program, or with NULL those without a name, used in this sample. It may come in several
 * parts. */
void program_power_use(struct program_power *power, const char *name, double cpu_seconds);

/*
 * Ends the sample, and fits the watts once at least this time has passed since they were fitted last. NaN
 * joules: not measured; it and the samples that wait for it are left out.
 */
void program_power_end(struct program_power *power, double joules, double seconds, double least_seconds);

/* NaN: not known. */
struct program_watts {
	const char *name; /* NULL: POWER_OF_IDLE or POWER_OF_OTHERS */
	unsigned term;
	double ratio;         /* CPUs that it kept busy in the last sample; of idle 1 */
	double total_seconds; /* CPU time since it is followed; of idle and of the others NaN */
	double per_cpu_watts; /* known once its error is small */
	double error_watts;   /* one standard deviation of per_cpu_watts */
	unsigned like;        /* the term with the opposite error; its own: there is none */
};

/* Of all terms in use; list has room for POWER_TERMS. Their number; 0: nothing was fitted yet. */
unsigned program_power_list(const struct program_power *power, struct program_watts *list);

#endif
