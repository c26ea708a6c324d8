/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibration: CPU load in steps, the watts at each, and the line through them. Fed with samples, it returns
 * the next load.
 */
#ifndef PANETOP_MODEL_CALIBRATION_H
#define PANETOP_MODEL_CALIBRATION_H

#include "core/buffer.h"
#include "core/span.h"
#include "core/unknown.h"
#include "model/statistics.h"

#define CALIBRATION_STEPS 10 /* from 0 to 100 % */

/* The measures on the x axis of a line. */
enum calibration_measure {
	CALIBRATION_LOAD,         /* busy CPUs: 1 is one CPU for the whole time */
	CALIBRATION_OPERATIONS,   /* of the load, per second */
	CALIBRATION_CYCLES,       /* of the CPUs, per second, if counted */
	CALIBRATION_INSTRUCTIONS, /* likewise */
	N_CALIBRATION_MEASURES,
};

const char *calibration_name(enum calibration_measure measure);  /* for programs: "load" */
const char *calibration_label(enum calibration_measure measure); /* N_(): "watts per busy CPU" */

struct calibration_plan {
	unsigned first_cpus, last_cpus; /* the steps are repeated for each number of CPUs from first to
					 * last */
	double step_seconds;            /* measurement time of each step */
	double settle_seconds;          /* … after this time to settle */
};

/* The steps of one number of CPUs. */
struct calibration_fit {
	unsigned cpus;
	struct regression lines[N_CALIBRATION_MEASURES]; /* watts over each measure */
};

enum calibration_state { CALIBRATION_RUNS, CALIBRATION_DONE, CALIBRATION_FAILED };

struct calibration {
	struct calibration_plan plan;
	enum calibration_state state;
	unsigned cpus, step;     /* current */
	uint64_t step_ns;        /* when the load changed; 0: not yet */
	struct statistics watts; /* of this step, weighted by seconds */
	struct statistics measures[N_CALIBRATION_MEASURES];
	double last_watts;            /* of the previous step; NaN */
	unsigned unknown;             /* consecutive samples without watts */
	struct calibration_fit *fits; /* owned; one for each number of CPUs */
	unsigned n_fits;
};

void calibration_open(struct calibration *calibration, const struct calibration_plan *plan);
void calibration_close(struct calibration *calibration);

/* The current load: this number of CPUs, busy for this share of the time. */
unsigned calibration_cpus(const struct calibration *calibration);
double calibration_share(const struct calibration *calibration);

/* What the machine did in an interval; NaN: unknown. */
struct calibration_sample {
	uint64_t end_ns, interval_ns;
	double watts;
	double measures[N_CALIBRATION_MEASURES];
};

/* True when the next step begins or the calibration ends: then change the load. */
bool calibration_feed(struct calibration *calibration, const struct calibration_sample *sample);

/* Completed steps, all steps, and the remaining seconds. */
unsigned calibration_done(const struct calibration *calibration);
unsigned calibration_total(const struct calibration *calibration);
double calibration_seconds(const struct calibration *calibration);

#define CALIBRATION_FAIR 0.7 /* a line with a lower R squared is poor */

/* A word for the quality of the fit, N_(): excellent, good, fair, poor, or none. */
const char *calibration_word(double r_squared);

#define POWER_FIT_SETTING "cpu.calibration"

/* The result of a calibration, stored as text: the line through watts over each measure. */
struct power_fit {
	unsigned cpus; /* that were under load; 0: there is no calibration */
	struct power_fit_line {
		double slope; /* watts per busy CPU, or joules per operation, cycle or instruction */
		double intercept_watts, r_squared;
		uint64_t points; /* of the fit; U64_UNKNOWN */
	} lines[N_CALIBRATION_MEASURES]; /* NaN: no line */
};

bool power_fit_line_is_known(const struct power_fit_line *line);

/* The lines of one number of CPUs. */
void power_fit_take(struct power_fit *fit, const struct calibration_fit *from);

/* As JSON, in one line. */
void power_fit_write(const struct power_fit *fit, struct buffer *out);

/*
 * Reads what power_fit_write() writes, or what --calibrate prints as JSON; of several numbers of CPUs the
 * largest counts. False when it has no line of watts over busy CPUs.
 */
bool power_fit_parse(struct power_fit *fit, struct span text);

bool power_fit_is_same(const struct power_fit *one, const struct power_fit *other);

#endif
