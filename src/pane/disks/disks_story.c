/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow before partial writes, small requests, queues and saturation. */
#include <config.h>

#include "pane/disks/disks_story.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"

#define COMPARED_MAX 64 /* devices: each with all others */

/* Means over fewer requests say little. */
#define ENOUGH "requests_per_second >= 10"

static const struct remark disk_remarks[] = {
	/* far longer than all others of its kind, with no more to do than they have */
	{ ENOUGH ", wait_seconds >= 0.01, others >= 1, wait_seconds >= 5 * others_wait_seconds, "
		 "requests_per_second <= 1.25 * others_requests",
	  PN_("{device} is slow: {wait_seconds} a request; {others} other device of its kind takes at most "
	      "{others_wait_seconds}, at a similar or higher load.",
	      "{device} is slow: {wait_seconds} a request; {others} others of its kind take at most "
	      "{others_wait_seconds}, at a similar or higher load."),
	  .count = "others" },
	/* it reads the block, changes it, and writes it, unless it can do without */
	{ "writes_per_second >= 20, write_request_bytes < block_bytes",
	  N_("{device} gets {writes_per_second:rate} writes/s of {write_request_bytes} in the mean, smaller "
	     "than its block of {block_bytes}: it may have to read blocks before it writes them.") },
	{ "busy_ratio >= 0.9, writes_per_second >= 50, writes_per_second > reads_per_second, "
	  "write_request_bytes <= 16384, merged_ratio < 0.2",
	  N_("{device} is busy with {writes_per_second:rate} writes/s of only {write_request_bytes}, "
	     "{merged_ratio:%} merged: small writes in random places.") },
	{ ENOUGH ", queued_requests >= 1, idle_ratio >= 0.5",
	  N_("Requests for {device} wait {queued_seconds} in the kernel and take {device_seconds} at the "
	     "device, which has none for at least {idle_ratio:%} of the time: the queue is in software, such "
	     "as a scheduler or a limit.") },
	{ "busy_ratio >= 0.9, queue < 2, kind == nvme|ssd|virtio|xen",
	  N_("{device} is busy {busy_ratio:%} of the time, with {queue:.1} requests in flight: it serves "
	     "several at once and may do more.") },
};

static const struct remark user_remark = {
	"requests_per_second >= 20, request_bytes < block_bytes, not read_bytes_per_second > 0",
	N_("{name} ({pid}) only writes, {requests_per_second:rate}/s of {request_bytes} in the mean, smaller "
	   "than the block of {block_bytes} of {device}, which may have to be read before it is written.")
};

/* Marked as its bar is. */
static const struct remark space_remarks[] = {
	{ "is_full", N_("{mount} is {used_ratio} full: {available_bytes} are left.") },
	{ "has_no_inodes, not is_full",
	  N_("{mount} hardly takes more files: {inodes_used_ratio} of its inodes are in use.") },
};

struct space_facts {
	struct row_facts of;
	const struct findings *findings;
};

static struct fact space_fact(const struct facts *facts, struct span name)
{
	const struct space_facts *space = (const struct space_facts *)facts;
	const struct schema *schema = space->of.table->schema;

	if (span_is(name, "is_full"))
		return yes_fact(grade_of_row(space->findings, "disk_full", schema, space->of.row) >
				GRADE_CALM);
	if (span_is(name, "has_no_inodes"))
		return yes_fact(grade_of_row(space->findings, "inodes_full", schema, space->of.row) >
				GRADE_CALM);
	return row_fact(facts, name);
}

struct disk_facts {
	struct row_facts row; /* of the table disk */
	const struct table *latency;
};

static double known(const struct table *table, const void *row, const char *column)
{
	return fmax(table_number(table, row, column), 0);
}

static double requests(const struct table *disks, const void *row)
{
	return known(disks, row, "reads_per_second") + known(disks, row, "writes_per_second");
}

/* Of reads and writes; NaN without requests. */
static double mean_wait(const struct table *disks, const void *row)
{
	return (known(disks, row, "reads_per_second") * known(disks, row, "read_wait_seconds") +
		known(disks, row, "writes_per_second") * known(disks, row, "write_wait_seconds")) /
	       requests(disks, row);
}

/* The mean time of the requests of a device in this phase, in the last interval; NaN: not measured. */
static double phase_wait(const struct disk_facts *of, const char *phase)
{
	const char *device = table_text(of->row.table, of->row.row, "device");
	double number = 0, seconds = 0;

	for (size_t i = 0; of->latency && i < of->latency->n_rows; i++) {
		const void *row = table_row(of->latency, i);

		if (strcmp(table_text(of->latency, row, "device"), device) != 0 ||
		    strcmp(table_text(of->latency, row, "phase"), phase) != 0 ||
		    !(table_number(of->latency, row, "requests_per_second") > 0))
			continue;
		number += table_number(of->latency, row, "requests_per_second");
		seconds += table_number(of->latency, row, "requests_per_second") *
			   table_number(of->latency, row, "mean_seconds");
	}
	return seconds / number;
}

static struct fact made(const char *name, double number, enum unit unit, const char *from)
{
	return made_fact_of(&(struct made_fact){ name, number_fact(number, unit), from });
}

/* How many others of its kind have enough requests, the longest wait of them, and the fewest requests. */
static struct fact of_others(const struct disk_facts *of, struct span name)
{
	const struct table *disks = of->row.table;
	const char *kind = table_text(disks, of->row.row, "kind");
	double n = 0, wait = 0, least = INFINITY;
	struct disk_facts other = *of;

	for (size_t i = 1; i < disks->n_rows && i <= COMPARED_MAX; i++) {
		const void *row = other.row.row = table_row(disks, i);

		if (row == of->row.row || strcmp(table_text(disks, row, "kind"), kind) != 0 ||
		    !sentence_holds(ENOUGH, &other.row.facts))
			continue;
		n++;
		wait = fmax(wait, mean_wait(disks, row));
		least = fmin(least, requests(disks, row));
	}
	if (span_is(name, "others_wait_seconds"))
		return made("others_wait_seconds", wait, UNIT_SECONDS,
			    "the longest wait_seconds of the others");
	return (struct fact){ .number = span_is(name, "others_requests") ? least : n };
}

#define MEAN_OF(phase) "the mean of mean_seconds in disk_latency, phase " phase ", by requests_per_second"

/* By Little's law requests that are somewhere are their rate times how long they are there. */
static struct fact disk_fact(const struct facts *facts, struct span name)
{
	const struct disk_facts *of = (const struct disk_facts *)facts;
	const struct table *disks = of->row.table;
	const void *row = of->row.row;

	if (span_is(name, "requests_per_second"))
		return made("requests_per_second", requests(disks, row), UNIT_PER_SECOND,
			    "reads_per_second + writes_per_second");
	if (span_is(name, "wait_seconds"))
		return made("wait_seconds", mean_wait(disks, row), UNIT_SECONDS,
			    "the mean of read_wait_seconds and write_wait_seconds by their requests");
	if (span_is(name, "queued_seconds"))
		return made("queued_seconds", phase_wait(of, "queued"), UNIT_SECONDS, MEAN_OF("queued"));
	if (span_is(name, "device_seconds"))
		return made("device_seconds", phase_wait(of, "device"), UNIT_SECONDS, MEAN_OF("device"));
	if (span_is(name, "queued_requests"))
		return made("queued_requests", requests(disks, row) * phase_wait(of, "queued"), UNIT_NONE,
			    "requests_per_second * queued_seconds");
	if (span_is(name, "idle_ratio"))
		return made("idle_ratio", 1 - requests(disks, row) * phase_wait(of, "device"), UNIT_RATIO,
			    "1 - requests_per_second * device_seconds");
	return span_starts(name, "others") ? of_others(of, name) : row_fact(facts, name);
}

void disks_story(struct buffer *out, const struct table *disks, const struct table *latency)
{
	struct disk_facts facts = { .row = { .facts = { disk_fact }, .table = disks }, .latency = latency };

	remarks_say_rows(out, REMARKS(disk_remarks), &facts.row, 1);
}

void disks_user_story(struct buffer *out, const struct table *users, const void *user,
		      const struct table *disks)
{
	const void *disk = table_find(disks, table_text(users, user, "device"), NULL);
	const struct made_fact block = { "block_bytes", column_fact(disks, disk, "block_bytes") };
	const struct row_facts facts = {
		.facts = { row_fact }, .table = users, .row = user, .made = &block, .n_made = 1
	};

	if (remark_say(out, &user_remark, &facts.facts))
		buffer_char(out, '\n');
}

void disks_space_story(struct buffer *out, const struct table *filesystems, const struct findings *findings)
{
	struct space_facts facts = {
		.of = { .facts = { space_fact }, .table = filesystems }, .findings = findings
	};

	remarks_say_rows(out, REMARKS(space_remarks), &facts.of, 0);
}
