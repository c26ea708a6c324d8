/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numbers mean, in sentences that hold only where their condition does: of each pane. */
#ifndef PANETOP_PANE_STORIES_H
#define PANETOP_PANE_STORIES_H

#include "core/buffer.h"
#include "model/finding.h"
#include "model/frame.h"
#include "model/units.h"

/*
 * Adds lines about a table of the topic cache_group, the most important first. Returns how many of them warn:
 * there a group disturbs others.
 */
unsigned cache_story(struct buffer *out, const struct table *table);

/* Each adds its sentences, a line each, translated, with their evidence. A table may be NULL. */

/* About devices: rows of the table disk. latency: disk_latency. */
void disks_story(struct buffer *out, const struct table *disks, const struct table *latency);

/* About what a process asks of a device: a row of disk_user. */
void disks_user_story(struct buffer *out, const struct table *users, const void *user,
		      const struct table *disks);

/* About file systems that are full. */
void disks_space_story(struct buffer *out, const struct table *filesystems, const struct findings *findings);

/*
 * Adds the hints that this frame gives reason for, one per line, the worst first. Returns how many report
 * that something is lost.
 */
unsigned kernel_hints(struct buffer *out, const struct frame *frame);

/*
 * Is memory where the CPUs are? Adds translated sentences about tables of the topics node and locality, none
 * where nothing is known. Not whole: only how much is local.
 */
void node_story(struct buffer *out, const struct table *nodes, const struct table *processes, bool whole);

/* What no row has; NaN: unknown. */
struct memory_seen {
	double killed;           /* processes, by the OOM killer, in the time of the graph … */
	double killed_at_limits; /* … of these, at limits of groups, as far as they were watched */
	double stalls;           /* allocations that had to reclaim memory of the machine themselves, then */
	const char *unwatched;   /* why it is not known whether tasks wait; NULL: it is known */
};

#define MEMORY_FACTS 8

/* The columns of the topic paging, those of the frame, and what is made of them. */
struct memory_facts {
	struct row_facts of;
	struct made_fact made[MEMORY_FACTS];
};

void memory_facts_make(struct memory_facts *facts, const struct frame *frame, const struct memory_seen *seen);

/* The nearest limit of the control groups: the row with the least left of this resource; NULL: none. */
const void *memory_nearest_limit(const struct table *table, const char *resource);

enum memory_level { MEMORY_UNKNOWN, MEMORY_OK, MEMORY_HIGH, MEMORY_BAD };

/* Is there enough? Adds a translated sentence, if it is known. */
enum memory_level memory_verdict(struct buffer *out, const struct memory_facts *facts);

/* Was anything reclaimed that is needed, and by what? The same. */
void memory_story(struct buffer *out, const struct memory_facts *facts);

/*
 * Adds sentences about interfaces, and about what sockets dropped (the table packet_loss), a line each,
 * translated, with their evidence. A table may be NULL.
 */
void network_story(struct buffer *out, const struct table *interfaces, const struct table *losses);

/* The same of how much of the wire of an interface can be payload; nothing where that is not known. */
void network_ceiling(struct buffer *out, const struct table *interfaces, const void *row);

/* "2.1 GiB resident, 180 MiB used in 30 s; the rest, 1.9 GiB, was not": of the row "all" of the topic. */
void touched_sentence(struct buffer *out, const struct table *table, const void *row);

enum power_level { POWER_UNKNOWN = -1, POWER_OK, POWER_HIGH, POWER_BAD };

/*
 * Facts are columns of the total in the table power, and:
 *   no_watts, no_heat        why the sample does not have any, translated
 *   sensor, celsius, high_celsius, critical_celsius   of the one nearest to its limit
 *   throttled, step_seconds  CPUs slowed down for heat in the last interval
 *   battery, charge_ratio    of the one that discharges
 *
 * Adds the level for people, and the sentences behind it.
 */
enum power_level power_word(struct buffer *out, const struct facts *facts);
void power_verdict(struct buffer *out, const struct facts *facts);

/* How a line of the graph follows the load. */
struct power_relation {
	const char *kind; /* "watts", "clock", "heat" */
	const char *label;
	double correlation; /* at the lag; NaN: none */
	double lag_seconds; /* above 0: behind the load */
	double load_range;  /* a ratio: a load that hardly changed shows nothing */
};

/* Adds what follows the load, a sentence per line. */
void power_relations(struct buffer *out, const struct power_relation *relations, unsigned n_relations);

#endif
