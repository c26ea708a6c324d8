/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several machines as one source: its frames are those of the machine that the request names, or of all of
 * them together, and have a row for each machine.
 */
#ifndef PANETOP_FLEET_FLEET_H
#define PANETOP_FLEET_FLEET_H

#include "fleet/ssh_member.h"
#include "model/settings.h"

/*
 * The moments of a fleet: one for all members, whose samples come at different times. Between two moments
 * each member has at most one sample, so that none is passed over.
 */
#define AXIS_MOMENTS_MAX ((size_t)1 << 19) /* of a fleet that goes on: then the older half goes */

struct axis {
	uint64_t *moments; /* wall clock, ns, ascending */
	size_t n_moments, capacity;
};

/* A sample of a member. */
struct axis_sample {
	uint64_t wall_ns;
	unsigned member;
};

/* Of all samples of n_members members, in any order: they are sorted. */
void axis_make(struct axis *axis, struct axis_sample *samples, size_t n_samples, unsigned n_members);

/* Appends a moment, or the one behind the last if that is later. How many the oldest ones are that went. */
size_t axis_add(struct axis *axis, uint64_t wall_ns);

/* Index of the last moment at or before this time; 0 if all are later. */
size_t axis_find(const struct axis *axis, uint64_t wall_ns);

void axis_free(struct axis *axis);

#define FLEET_MEMBERS_MAX 64

struct fleet_plan {
	struct member_plan reading;
	const struct sample_request *request; /* .host says whose frames they are … */
	bool together;                        /* … if not all are, in labelled tables (model/host.h) */
	/* Of those that ssh reaches. */
	struct ssh_record record;
	char *const *variables; /* ends with NULL */
	uint64_t back_bytes;    /* kept on the disk for each */
};

struct fleet;

/* Without members. plan is borrowed. */
struct fleet *fleet_open(const struct fleet_plan *plan);

/* Of one that has no source. */
void fleet_close(struct fleet *fleet);

/* Before fleet_source(). host is copied. */
void fleet_add_ssh(struct fleet *fleet, const char *host);

/* Takes the recording over. file is its name as given: it tells members apart that have the same host. */
void fleet_add_recording(struct fleet *fleet, const struct source *recording, const char *file);

/*
 * Waits until each member has a sample or has failed; no longer than 5 s once one has a sample, and 30 s in
 * all. False: none has a sample.
 */
bool fleet_wait(struct fleet *fleet);

/* Calls report with the name of each member that has failed, and why. */
void fleet_report_failures(const struct fleet *fleet, void (*report)(const char *name, const char *why));

/* When all were added: 0, and source->close() closes the fleet; or -errno, of which -EINTR is a signal. */
int fleet_source(struct fleet *fleet, struct source *source);

#endif
