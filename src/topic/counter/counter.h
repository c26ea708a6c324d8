/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the topics that count events: columns of a row, remedies and notices. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_H
#define PANETOP_TOPIC_COUNTER_COUNTER_H

#include "core/i18n.h"
#include "model/settings.h"
#include "topic/counter/counter_machine.h"
#include "topic/topic.h"

/* Paths of their sources; see struct source_spec. */
#define COUNTER_SOURCE "perf_event_open"
#define COUNTER_HARDWARE_SOURCE "hardware counters"

/* The kernel itself says -EACCES. */
#define COUNTER_FORBIDDEN                                                                                    \
	N_("a container or security settings forbid it: run it as root outside of them, or give it the "     \
	   "capability cap_perfmon")

/* For topics that count the whole machine. */
#define COUNTER_MACHINE_REMEDIES                                                                             \
	{ EACCES,                                                                                            \
	  N_("give it the capability cap_perfmon, or set /proc/sys/kernel/perf_event_paranoid to 0") },      \
		{ EPERM, COUNTER_FORBIDDEN },                                                                \
		{ ENOTSUP, N_("only the running machine has counters: leave out --root") },               \
		{ ENOSYS, N_("this kernel was built without CONFIG_PERF_EVENTS") }

#define COUNTER_FIELDS                                                                                       \
	const char *event;                                                                                   \
	double per_second, per_cycle, share_ratio;                                                           \
	const char *share_of;                                                                                \
	double running_ratio;                                                                                \
	uint64_t total, cycles_total, whole_total;

struct counter_numbers {
	COUNTER_FIELDS
};

/* These fields of a row, by their own names and, for counter_fill(), as one struct. */
#define COUNTER_NUMBERS                         \
	union {                                 \
		struct {                        \
			COUNTER_FIELDS          \
		};                              \
		struct counter_numbers numbers; \
	}

/* clang-format off */
#define COUNTER_COLUMNS(row)                                                                                 \
	COLUMN(row, event, .kind = COLUMN_KEY, .title = N_("event"), .width = 16,                            \
	       .help = N_("counted event; the setting cpu.perf selects others by name"),                     \
	       .source = "panetop, libpfm4"),                                                                \
	COLUMN(row, per_second, .kind = COLUMN_RATE, .additive = true, .unit = UNIT_PER_SECOND,              \
	       .title = N_("per s"), .width = 8, .rate_of = offsetof(row, total),                            \
	       .help = N_("per second in the last interval"),                                                \
	       .source = "growth of total / time"),                                                          \
	COLUMN(row, per_cycle, .kind = COLUMN_RATE, .title = N_("per cycle"), .width = 9, .rank = 1,         \
	       .optional = true, .rate_of = offsetof(row, total), .rate_over = offsetof(row, cycles_total),  \
	       .help = N_("instructions per clock cycle, on average"),                                       \
	       .source = "growth of total / growth of cycles_total"),                                        \
	COLUMN(row, share_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%share"), .width = 7, \
	       .rank = 1, .rate_of = offsetof(row, total), .rate_over = offsetof(row, whole_total),          \
	       .help = N_("share of the event, or CPU, in the next column"),                                 \
	       .source = "growth of total / growth of whole_total"),                                         \
	COLUMN(row, share_of, .kind = COLUMN_LABEL, .title = N_("of"), .width = 16, .rank = 1,               \
	       .words = true, .help = N_("event of which it is a share"), .source = "panetop"),              \
	COLUMN(row, running_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%counted"),        \
	       .width = 8, .rank = 2,                                                                        \
	       .help = N_("share of the time in which it was counted; below 100 the numbers are estimates"), \
	       .source = "growth of time running / growth of time enabled"),                                 \
	COLUMN(row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("total"), .width = 14,    \
	       .rank = 3, .help = N_("count since the first sample; clocks in nanoseconds"),                 \
	       .source = "perf_event_open(2), count * time enabled / time running"),                         \
	COLUMN(row, cycles_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("cycles"),         \
	       .width = 14, .hidden = true,                                                                  \
	       .help = N_("cycles counted together with the instructions"),                                  \
	       .source = "total of cycles"),                                                                 \
	COLUMN(row, whole_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("whole"),           \
	       .width = 14, .hidden = true,                                                                  \
	       .help = N_("count of the event of which it is a share"),                                      \
	       .source = "total of the event share_of, or nanoseconds since counting started")
/* clang-format on */

struct counter_count {
	uint64_t total; /* U64_UNKNOWN */
	struct perf_times times;
	uint64_t elapsed_ns; /* of a process: since counting started; else 0 */
};

/* Sets the numbers of the event with this index; counts has an entry for each of the events. */
void counter_fill(struct counter_numbers *numbers, struct frame *frame, const struct counter_events *events,
		  unsigned index, const struct counter_count *counts);

/* The event names of the setting cpu.perf; NULL: automatic. */
const char *counter_names(const struct topic_settings *settings);

/* What to do about error (-errno) at this source of the topic; may be NULL. */
const char *counter_remedy(const struct env *env, const struct topic *topic, const char *path, int error);

/* Adds notices for unknown names, and for events that are not counted. */
void counter_notice_events(const struct env *env, struct frame *frame, const struct topic *topic,
			 const struct counter_events *events, const struct counter_sum *sums);

/* Adds a notice that software events are counted instead of hardware events; error (-errno): why. */
void counter_notice_no_hardware(const struct env *env, struct frame *frame, const struct topic *topic,
			      int error);

#endif
