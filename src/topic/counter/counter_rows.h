/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the topics that count events have in common: the numbers of a row, and what is told about events. */
#ifndef PANETOP_TOPIC_COUNTER_COUNTER_ROWS_H
#define PANETOP_TOPIC_COUNTER_COUNTER_ROWS_H

#include "core/i18n.h"
#include "core/settings.h"
#include "topic/counter/counter_machine.h"
#include "topic/topic.h"

/* Sources of these topics; see source_spec. */
#define COUNTER_SOURCE "perf_event_open"
#define COUNTER_HARDWARE_SOURCE "hardware counters"

/* Where the whole machine is counted. */
#define COUNTER_MACHINE_REMEDIES                                                                             \
	{ EACCES,                                                                                            \
	  N_("give it the capability cap_perfmon, or set /proc/sys/kernel/perf_event_paranoid to 0") },      \
		{ EPERM,                                                                                     \
		  N_("a container or the security settings forbid it: run it outside, as root") },           \
		{ ENOTSUP, N_("counters are of the running machine only: leave out --root") },               \
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

/* Gives a row these fields under their own names and, for counter_fill(), as one. */
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
	       .help = N_("what is counted; the setting cpu.perf chooses other events by name"),             \
	       .source = "panetop, libpfm4"),                                                                \
	COLUMN(row, per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = N_("per s"),          \
	       .width = 8, .rate_of = offsetof(row, total), .help = N_("in the last interval"),              \
	       .source = "growth of total / time"),                                                          \
	COLUMN(row, per_cycle, .kind = COLUMN_RATE, .title = N_("per cycle"), .width = 9, .rank = 1,         \
	       .optional = true, .rate_of = offsetof(row, total), .rate_over = offsetof(row, cycles_total),  \
	       .help = N_("instructions in each cycle of the clock, on average"),                            \
	       .source = "growth of total / growth of cycles_total"),                                        \
	COLUMN(row, share_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("share%"), .width = 7, \
	       .rank = 1, .rate_of = offsetof(row, total), .rate_over = offsetof(row, whole_total),          \
	       .help = N_("share of another event, or of a CPU: the next column names it"),                  \
	       .source = "growth of total / growth of whole_total"),                                         \
	COLUMN(row, share_of, .kind = COLUMN_LABEL, .title = N_("of"), .width = 16, .rank = 1,               \
	       .words = true, .help = N_("the event that it is a share of"), .source = "panetop"),           \
	COLUMN(row, running_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("counted%"),        \
	       .width = 8, .rank = 2,                                                                        \
	       .help = N_("share of the time in which it was counted: below 100 the numbers are estimates"), \
	       .source = "growth of time running / growth of time enabled"),                                 \
	COLUMN(row, total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("total"), .width = 14,    \
	       .rank = 3, .help = N_("since panetop counts it; of clocks, nanoseconds"),                     \
	       .source = "perf_event_open(2), count * time enabled / time running"),                         \
	COLUMN(row, cycles_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("cycles"),         \
	       .width = 14, .hidden = true,                                                                  \
	       .help = N_("cycles counted at the same time as the instructions"),                            \
	       .source = "total of cycles"),                                                                 \
	COLUMN(row, whole_total, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("whole"),           \
	       .width = 14, .hidden = true,                                                                  \
	       .help = N_("what it is a share of, counted at the same time"),                                \
	       .source = "total of the event share_of, or nanoseconds since it is counted")
/* clang-format on */

/* What one row is made of. */
struct counter_count {
	uint64_t total; /* U64_UNKNOWN */
	struct perf_times times;
	uint64_t elapsed_ns; /* since it is counted, of a process; 0 */
};

/* Sets all numbers of the event with this index; counts are of all events in the same place. */
void counter_fill(struct counter_numbers *numbers, struct frame *frame, const struct counter_events *events,
		  unsigned index, const struct counter_count *counts);

/* The names that the setting cpu.perf asks for; NULL when the choice is left to us. */
const char *counter_names(const struct settings *settings);

/* What to do about error (-errno) at this source of the topic; NULL when there is nothing to say. */
const char *counter_remedy(const struct env *env, const struct topic *topic, const char *path, int error);

/* Names that mean nothing, and events that are counted nowhere. */
void counter_notice_events(const struct env *env, struct frame *frame, const struct topic *topic,
			 const struct counter_events *events, const struct counter_sum *sums);

/* That the kernel's events are counted in place of the hardware's; error (-errno): why. */
void counter_notice_no_hardware(const struct env *env, struct frame *frame, const struct topic *topic,
			      int error);

#endif
