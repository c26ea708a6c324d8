/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a sentence writes what it names: "-" if it is not known, a text as it is or translated, a number by its
 * format: ".2" with two decimal places; "0.2" the same, but whole numbers without; "100.2" its hundredfold;
 * ".2%" as percents, "%" as whole ones; "cpus" with one place, below 0.1 with two; "rate" as rate_short() and
 * "time" as duration_text() have it; "short" as in a table, by its unit; "C" with a degree sign; "clock" the
 * time of day, "date" with its date. Without a format it is written as amount_text() does, by its unit, or
 * whole without one.
 */
#ifndef PANETOP_MODEL_FACT_TEXT_H
#define PANETOP_MODEL_FACT_TEXT_H

#include "core/clock.h"
#include "model/facts.h"

#define FACT_TEXT_MAX CLOCK_TEXT_MAX

/* The text of the fact, or out, which has FACT_TEXT_MAX bytes. */
const char *fact_text(char *out, const struct fact *fact, struct span format);

#endif
