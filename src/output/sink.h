/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames go in batch mode: the formats of standard output, and the recording. */
#ifndef PANETOP_OUTPUT_SINK_H
#define PANETOP_OUTPUT_SINK_H

#include "core/lost_samples.h"
#include "model/history.h"
#include "model/units.h"
#include "model/view.h"

enum print_phase {
	PRINT_SAMPLE, /* one of many: without the tables printed only at the end */
	PRINT_LAST,   /* everything */
};

/* What a run prints; set once from options and panes. */
struct print_plan {
	struct view *views; /* the tables, in order; owned */
	unsigned n_views;
	const char *const *panes; /* their names; borrowed */
	unsigned n_panes;
	const struct summary_column
		*summary; /* text: a line per sample in place of tables; or NULL. Borrowed */
	void (*lines)(
		const struct frame *frame, bool ascii,
		struct buffer *out); /* text: between the first n_above tables and the others; or NULL */
	unsigned n_above;
	enum size_unit unit;
	int wrap_cells;         /* text: wraps lines to this width; 0: no wrapping */
	bool ascii;             /* the terminal or file takes ASCII only */
	bool repeated;          /* more than one sample will come */
	size_t top;             /* metrics: commands of a table at most; the rest is "(others)" */
	bool arguments;         /* metrics: commands are whole command lines */
	enum print_phase phase; /* of the frame that the sinks get now */
};

struct machine_clock;
struct file_series;
struct user_file;
struct sink;
struct summary_line;
struct exposition;
struct pprof;
struct recording_writer;

/* All return 0 or what sink_flush() says. */
struct sink_format {
	const char *name;
	bool streams;                    /* prints events as they happen, in frames between samples */
	bool one_table;                  /* prints a single table … */
	bool of_stacks;                  /* … and only one of stacks */
	bool binary;                     /* not for a terminal */
	bool records;                    /* a recording: gets every frame, with all tables */
	bool metrics;                    /* for Prometheus: of what comes and goes it has sums by command */
	bool only_last;                  /* a stream of samples is none: standard output gets the last one */
	int (*begin)(
		struct sink *sink); /* before the first frame, or each that replaces a file; may be NULL */
	int (*frame)(struct sink *sink, const struct frame *frame);
	int (*end)(struct sink *sink); /* after the last frame; may be NULL */
};

struct sink {
	const struct sink_format *format;
	struct print_plan *print;     /* borrowed; not used by the recording */
	const struct machine_clock *clock; /* for recordings; borrowed */
	int fd;                       /* borrowed */
	int cancel_fd;                /* readable when the user ends the run; -1: none */
	bool own_file;                /* fd was opened for this run only: it may be truncated */
	bool (*interrupted)(void);    /* asked between rows: true leaves out the sample; NULL: never */
	const char *name;             /* of the file, for messages; borrowed */
	/* Gets each sample as a whole, and fd is not used; NULL: none. 0 or -errno, which it has reported. */
	int (*replace)(void *context, struct buffer *sample);
	void *replace_context;        /* borrowed */
	struct buffer buffer;         /* owned */
	unsigned long frames;         /* written so far */
	int *widths;                  /* owned by the text sink */
	bool streaming;               /* of the text sink: the last lines are events, or their heading */
	struct summary_line *summary; /* of the text sink; owned */
	struct exposition *exposition; /* of the sinks for Prometheus; owned */
	struct pprof *pprof;           /* of the sink for pprof; owned */
	struct recording_writer *recording; /* of the recording; owned */
	long long good_bytes;         /* of the recording: up to the last whole line or block … */
	unsigned long good_frames;    /* … and the samples that were written in all … */
	unsigned long part_frames;    /* … and in this file */
	struct lost_samples lost;
	struct user_file *old;        /* the file that its first samples replace: fd is -1 until then.
				       * Borrowed; NULL: fd is written as it is */
	bool nameless;                /* it is a file that had no name when it was opened */
	uint64_t keep_bytes, keep_ns; /* how much of the recording stays; 0: all */
	struct file_series *parts;    /* of a recording in a directory: fd is of the newest, -1: none yet.
				       * Borrowed; NULL: it is one file */
	uint64_t part_mono_ns;        /* of the first frame in that part */
	uint64_t first_wall_ns, first_boot_ns; /* when its first sample came: both clocks */
	uint64_t last_mono_ns, sampled_ns; /* of the last sample; from the first to the last one */
	uint64_t now_ns;              /* by what the age of files is judged */
	size_t most_written;          /* at a time */
	bool reported;                /* its error was */
	unsigned n_asked;             /* rows */
	bool broken_off;              /* the sample in the buffer is incomplete */
	bool failed;                  /* it got an error: it is not ended in order */
};

extern const struct sink_format sink_text, sink_csv, sink_json, sink_openmetrics, sink_prometheus,
	sink_folded, sink_pprof, sink_record, sink_record_lines;

/* The format with this name, NULL if there is none. */
const struct sink_format *sink_format_find(const char *name);

/* Only sets it up; writing begins with sink_begin(). */
void sink_open(struct sink *sink, const struct sink_format *format, struct print_plan *print, int fd,
	       const char *name);
int sink_begin(struct sink *sink);
int sink_frame(struct sink *sink, const struct frame *frame);
int sink_end(struct sink *sink); /* when all frames were written well */
void sink_close(struct sink *sink);

/*
 * For formats: writes the buffer, unless the sample waits for its end because it replaces a file or may be
 * the last one. 0, -ECANCELED if the user cancelled a blocked write or the sample, or -errno.
 */
int sink_flush(struct sink *sink);

/* For formats, before each row: a signal waits, and what they have of the sample so far is not written. */
bool sink_breaks_off(struct sink *sink);

/* Of a recording: has its file been removed? */
bool record_is_removed(const struct sink *sink);

/* Frees a part of a file, which reads as zeros from then on. 0 or -errno. */
int sink_drop(struct sink *sink, uint64_t from, uint64_t to);

void exposition_free(struct exposition *exposition);
void pprof_free(struct pprof *pprof);

/* Is this table, one of print->views, printed for this frame (if it was sampled)? */
bool print_wants(const struct print_plan *print, const struct view *view, const struct frame *frame);

void print_plan_close(struct print_plan *print);

#endif
