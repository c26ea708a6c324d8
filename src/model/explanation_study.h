/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of an explanation share: the samples before the moment, and the lines so far. */
#ifndef PANETOP_MODEL_EXPLANATION_STUDY_H
#define PANETOP_MODEL_EXPLANATION_STUDY_H

#include "core/buffer.h"
#include "core/hash.h"
#include "model/explanation.h"

#define STUDY_RANK_MAX 20

/* A sample in the order of time; the last one is the explained moment. */
struct studied_sample {
	size_t index; /* in the source */
	uint64_t mono_ns, wall_ns;
	double boot_seconds; /* since boot, suspended time included; NaN: not known */
	unsigned boot;       /* of its frame */
};

/* A number of a row in all samples. */
struct studied_series {
	const struct explained_series *of;
	uint64_t row; /* hash of its keys */
	const struct column *column;
	const char *key;  /* of the row, as text */
	const char *name; /* translated */
	double *values;   /* one for each sample; NaN: not known */
	enum departure_verdict verdict;
	struct departure departure;
};

/* A line about a resource, or one of several. */
struct study_part {
	size_t line;
	enum explained_resource resource;
	bool rose;      /* else it fell */
	bool whole;     /* a number of the machine; else of a process or a command */
	double size;    /* of the change: whole: in smallest changes; else in the unit of the resource */
	size_t n_since; /* whole: the last samples, in which it is away from the usual */
};

struct study {
	struct explanation *out;
	const struct source *source;
	const struct schema *const *schemas;
	unsigned n_schemas;
	struct frame frames[2];
	struct studied_sample *samples;
	size_t n_samples, room;   /* room: of samples and of values */
	size_t from;              /* the first sample that can be compared with the last one … */
	double suspended_seconds; /* … since the machine was suspended; 0: since another run ended */
	struct studied_series *series;
	size_t n_series, series_capacity;
	struct hash by_row;
	size_t n_left; /* rows of the last sample that are not compared: there are too many */
	size_t n_since; /* samples, the last ones, that are around the moment: of the first departure */
	struct study_part *parts;
	size_t n_parts, part_capacity;
	struct buffer remarks;
};

static inline const struct studied_sample *study_moment(const struct study *study)
{
	return &study->samples[study->n_samples - 1];
}

/* Lets the source read these topics only. */
void study_want(const struct study *study, const char *const *topics, size_t n_topics);

/* Reads the sample at this index into a frame. */
bool study_read(const struct study *study, struct frame *frame, size_t index);

/* In the arena of the explanation. */
const char *study_print(const struct study *study, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Seconds from the moment back to this time, or on: "6.0 s before", "2.1 s after". */
const char *study_when(const struct study *study, double seconds_before);

/* A line to fill. */
struct explained_line *study_line(const struct study *study);

/* Says what the newest line is about. */
void study_part(struct study *study, struct study_part part);

/* explanation_rows.c: adds the lines of processes and of commands. */
void study_rows(struct study *study);

#endif
