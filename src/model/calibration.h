/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibration: loads in steps, watts at each, and the line between them. Fed with samples, it says what to
 * load next. */
#ifndef PANETOP_MODEL_CALIBRATION_H
#define PANETOP_MODEL_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/statistics.h"

#define CALIBRATION_STEPS 10 /* from 0 to 100 % */

/* What watts are a line of. */
enum calibration_measure {
	CALIBRATION_LOAD,         /* CPUs that are busy: 1 is one of them all the time */
	CALIBRATION_OPERATIONS,   /* of the load, per second */
	CALIBRATION_CYCLES,       /* of the CPUs, per second, where they are counted */
	CALIBRATION_INSTRUCTIONS, /* likewise */
	N_CALIBRATION_MEASURES,
};

const char *calibration_name(enum calibration_measure measure);  /* for programs: "load" */
const char *calibration_label(enum calibration_measure measure); /* N_(): "watts per busy CPU" */

struct calibration_plan {
	unsigned first_cpus, last_cpus; /* the steps are taken for each number of CPUs from first to last */
	double step_seconds;            /* that each step is measured for */
	double settle_seconds;          /* … after it was given so long to come to rest */
};

/* The steps of one number of CPUs. */
struct calibration_fit {
	unsigned cpus;
	struct regression lines[N_CALIBRATION_MEASURES]; /* watts over the measure */
};

enum calibration_state { CALIBRATION_RUNS, CALIBRATION_DONE, CALIBRATION_FAILED };

struct calibration {
	struct calibration_plan plan;
	enum calibration_state state;
	unsigned cpus, step;     /* now */
	uint64_t step_ns;        /* when the load was changed; 0: not yet */
	struct statistics watts; /* of this step, by seconds */
	struct statistics measures[N_CALIBRATION_MEASURES];
	double operations;            /* of the load, at the sample before */
	double last_watts;            /* of the step before; NaN */
	unsigned unknown;             /* samples without watts, one after the other */
	struct calibration_fit *fits; /* owned; one for each number of CPUs */
	unsigned n_fits;
};

void calibration_open(struct calibration *calibration, const struct calibration_plan *plan);
void calibration_close(struct calibration *calibration);

/* The load that is wanted now: so many CPUs, busy for this share of the time. */
unsigned calibration_cpus(const struct calibration *calibration);
double calibration_share(const struct calibration *calibration);

/* What the machine did in an interval; NaN: not known. */
struct calibration_sample {
	uint64_t end_ns, interval_ns;
	double watts;
	double measures[N_CALIBRATION_MEASURES];
};

/* True when it goes on to another step, or ends: the load is then to be changed. */
bool calibration_feed(struct calibration *calibration, const struct calibration_sample *sample);

/* Steps that are done, and all of them; seconds until the end. */
unsigned calibration_done(const struct calibration *calibration);
unsigned calibration_total(const struct calibration *calibration);
double calibration_seconds(const struct calibration *calibration);

#define CALIBRATION_FAIR 0.7 /* R squared: below this the line fits poorly */

/* A word for how well a line fits, N_(): excellent, good, fair, poor, or none where there is no line. */
const char *calibration_word(double r_squared);

#endif
