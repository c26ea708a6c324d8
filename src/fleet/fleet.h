/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several machines as one source: its frames are those of the machine that the request names, or of all of
 * them together, and have a row for each machine.
 */
#ifndef PANETOP_FLEET_FLEET_H
#define PANETOP_FLEET_FLEET_H

#include "fleet/member.h"
#include "fleet/ssh_words.h"
#include "model/sample_request.h"

#define FLEET_MEMBERS_MAX 64

struct fleet_plan {
	struct member_plan reading;
	const struct sample_request *request; /* .host says whose frames they are … */
	bool together;                        /* … if not all are, in labelled tables (model/labelled.h) */
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
