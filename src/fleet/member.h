/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of a fleet: its recordings, of which the last one may grow, and the sample of it that is shown. A
 * kind of member is how its recordings come: from a file, or through a connection.
 */
#ifndef PANETOP_FLEET_MEMBER_H
#define PANETOP_FLEET_MEMBER_H

#include "model/pipeline.h"
#include "sys/machine.h"

/* A recording of a member. */
struct member_part {
	unsigned serial; /* grows from part to part */
	struct source source;
	size_t n_frames;            /* found so far … */
	uint64_t first_ns, last_ns; /* … and their clocks, which are the member's */
};

/* What a member reports. All are borrowed from it until it is called again. */
struct member_report {
	const char *trouble;         /* why nothing new comes, translated; NULL: it comes, or it is a file */
	bool ended;                  /* nothing will come any more */
	bool failed;                 /* it was tried at least once, and has not given a sample since */
	double clock_offset_seconds; /* its clock less ours; NaN: not measured */
};

/* For kinds that have one part, which they own. */
void member_part_close(void *part);

struct member_kind {
	/*
	 * Takes what has come, without waiting, and starts again what has ended, at this time of
	 * CLOCK_MONOTONIC. True: there are new samples. NULL: nothing comes.
	 */
	bool (*pull)(void *state, uint64_t now_ns);

	/* Its recordings, oldest first; borrowed until the next pull. */
	struct member_part *(*parts)(void *state, size_t *n_parts);

	void (*report)(void *state, struct member_report *report);

	/* Of what it keeps to go back in, from now on only the newest bytes stay. May be NULL. */
	void (*keep_back)(void *state, uint64_t bytes);

	void (*close)(void *state);
};

struct member_plan {
	const struct schema *const *schemas; /* all borrowed */
	unsigned n_schemas;
	const struct finding_rule *rules;
	unsigned n_rules;
	const struct settings *settings;
	const struct machine_clock *clock; /* of this machine */
	bool (*interrupted)(void); /* asked now and then: true ends what takes long */
};

struct member {
	char *name;
	const struct member_kind *kind;
	void *state; /* owned by the kind */
	const struct member_plan *plan;
	struct findings *findings;
	struct frame frames[2];
	unsigned latest; /* of frames */
	bool has_frame;  /* it is a sample of … */
	unsigned serial; /* … this part … */
	bool is_in_part; /* … which was read before */
	bool *wanted;    /* topics, by index of the schema */
	unsigned wants;  /* grows with each change of wanted; each part knows which it has */
	unsigned part_wants;
};

/* Takes state of that kind over; name is copied. */
void member_open(struct member *member, const char *name, const struct member_kind *kind, void *state,
		 const struct member_plan *plan);
void member_close(struct member *member);

/* From now on its frames have these topics. */
void member_want(struct member *member, const bool *wanted);

/*
 * Goes to its last sample at or before wall_ns, of its own clock: reads on if that is near, else jumps. Each
 * frame on the way is given to take, which may be NULL. 1: it has another frame than before; 0: the same one,
 * or none; or -errno, of which -EINTR is a signal.
 */
int member_go_to(struct member *member, uint64_t wall_ns,
		 void (*take)(void *context, const struct frame *frame), void *context);

/* NULL: it has none there. */
const struct frame *member_frame(const struct member *member);

/* Its clock less ours; 0 where that is not measured. */
int64_t member_clock_offset_ns(const struct member *member);

/* A member that is a recording. Takes the recording over. name is copied. */
void recording_member_open(struct member *member, const char *name, const struct source *recording,
			   unsigned serial, const struct member_plan *plan);

#endif
