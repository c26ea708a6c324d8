/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of what comes and goes (processes, connections) as sums by the name of their command: the costliest
 * names, and "(others)" for the rest, so that the sum over all names is the sum over all rows.
 */
#ifndef PANETOP_OUTPUT_COMMAND_SUMS_H
#define PANETOP_OUTPUT_COMMAND_SUMS_H

#include "core/hash.h"
#include "model/frame.h"

#define COMMAND_SUMS_COLUMNS_MAX 16 /* columns of a schema that add up */

/* Of one schema; kept from sample to sample, so that names that are listed stay. All zero is empty. */
struct command_sums {
	const struct schema *schema;
	const struct column *name; /* of the command; NULL: rows are summed by their keys alone */
	const char *label;         /* of the name */
	const struct column *columns[COMMAND_SUMS_COLUMNS_MAX];
	unsigned n_columns;
	struct command_cost {
		char *name;  /* owned */
		double cost; /* mean share of the column that it has most of */
		double sums[COMMAND_SUMS_COLUMNS_MAX];
		bool present, listed;
	} *commands;
	size_t n_commands, command_capacity, n_listed;
	struct hash by_name;
	uint64_t next_change_ns;
	/* of the last sample */
	struct command_sum {
		void *row;       /* of the schema; owned: keys that stay, the name, sums */
		uint64_t n_rows; /* that it is the sum of */
	} *sums;
	size_t n_sums, sum_capacity, n_made;
	struct hash by_key;
	size_t n_others; /* names in "(others)" */
};

/* Do rows of the schema come and go, so that metrics have their sums? */
bool command_sums_apply(const struct schema *schema);

/* With arguments the whole command line is the name, where there is one. */
void command_sums_open(struct command_sums *sums, const struct schema *schema, bool arguments);

/*
 * Sums up the rows. Until the next call texts of the sums are borrowed from the rows. At most top names are
 * listed, the costliest ones at first; later a name that costs more takes the place of the least one, at most
 * one name a minute, so that the number of series stays bounded whatever comes and goes.
 */
void command_sums_take(struct command_sums *sums, const void *const *rows, size_t n_rows, size_t top,
		       uint64_t mono_ns, uint64_t interval_ns);
void command_sums_close(struct command_sums *sums);

#endif
