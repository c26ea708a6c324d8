/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of taskstats messages: generic netlink, and some fields of struct taskstats. */
#include <config.h>

#include "kernel/pid/taskstats.h"

#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <string.h>

#define VERSION_WITH_TGID 12
#define VERSION_MOVED 15
#define LAST_OF_PROCESS 0x20 /* AGROUP */
#define NS_PER_US 1000

/*
 * Offsets of the fields in bytes: the same on all machines and in all versions but 15 (the first Linux 6.14),
 * which put new fields between old ones. struct taskstats of the build machine is not used: it may be older
 * than the kernel, or of version 15.
 */
struct layout {
	size_t exit_code, flags, runs, queued_ns, run_ns, comm, uid, pid, parent, elapsed_us, user_us,
		system_us, peak_kib, sleeps, tgid;
};

static const struct layout usual = {
	.exit_code = 4,
	.flags = 8,
	.runs = 16,
	.queued_ns = 24,
	.run_ns = 72,
	.comm = 80,
	.uid = 120,
	.pid = 128,
	.parent = 132,
	.elapsed_us = 144,
	.user_us = 152,
	.system_us = 160,
	.peak_kib = 200,
	.sleeps = 272,
	.tgid = 368,
};
static const struct layout moved = {
	.exit_code = 4,
	.flags = 8,
	.runs = 16,
	.queued_ns = 24,
	.run_ns = 120,
	.comm = 128,
	.uid = 168,
	.pid = 176,
	.parent = 180,
	.elapsed_us = 192,
	.user_us = 200,
	.system_us = 208,
	.peak_kib = 248,
	.sleeps = 320,
	.tgid = 464,
};

/* The attributes of a message of this family and command. */
static bool generic_open(const struct netlink_message *message, uint16_t family, uint8_t command,
			 struct span *attributes)
{
	struct genlmsghdr header;

	if (message->type != family || !span_peek(message->payload, 0, &header, sizeof(header)) ||
	    header.cmd != command)
		return false;
	*attributes = message->payload;
	attributes->at += sizeof(header);
	return true;
}

bool taskstats_family(const struct netlink_message *message, uint16_t *family)
{
	struct span attributes, name, id;

	return generic_open(message, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, &attributes) &&
	       netlink_attribute(attributes, CTRL_ATTR_FAMILY_NAME, &name) &&
	       span_length(name) == sizeof(TASKSTATS_GENL_NAME) &&
	       memcmp(name.at, TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME)) == 0 &&
	       netlink_attribute(attributes, CTRL_ATTR_FAMILY_ID, &id) &&
	       span_peek(id, 0, family, sizeof(*family));
}

static uint64_t nanoseconds(struct span stats, size_t offset)
{
	uint64_t us;

	if (!span_peek(stats, offset, &us, sizeof(us)) || us > UINT64_MAX / NS_PER_US)
		return U64_UNKNOWN;
	return us * NS_PER_US;
}

static void copy_comm(struct span stats, size_t offset, char comm[EXIT_COMM_BYTES + 1])
{
	if (span_peek(stats, offset, comm, EXIT_COMM_BYTES))
		comm[EXIT_COMM_BYTES] = '\0';
}

/* A kernel without scheduler statistics reports 0 for both. */
static void copy_queued(struct span stats, const struct layout *layout, uint64_t *queued_ns)
{
	uint64_t runs;

	if (span_peek(stats, layout->runs, &runs, sizeof(runs)) && runs > 0)
		span_peek(stats, layout->queued_ns, queued_ns, sizeof(*queued_ns));
}

/* The message has the pid twice: if the second is not found, the layout is unknown. */
static void fill_record(struct span stats, struct exit_record *record)
{
	const struct layout *layout = record->version == VERSION_MOVED ? &moved : &usual;
	uint8_t flags = 0;
	uint32_t pid;

	if (!span_peek(stats, layout->pid, &pid, sizeof(pid)) || pid != record->tid)
		return;
	span_peek(stats, layout->exit_code, &record->exit_code, sizeof(record->exit_code));
	if (record->version >= VERSION_WITH_TGID) {
		span_peek(stats, layout->tgid, &record->tgid, sizeof(record->tgid));
		record->last =
			span_peek(stats, layout->flags, &flags, sizeof(flags)) && flags & LAST_OF_PROCESS;
	} else if (record->exit_code == 0) {
		record->exit_code = U32_UNKNOWN;
	}
	span_peek(stats, layout->uid, &record->uid, sizeof(record->uid));
	span_peek(stats, layout->parent, &record->parent_pid, sizeof(record->parent_pid));
	copy_comm(stats, layout->comm, record->comm);
	span_peek(stats, layout->run_ns, &record->run_ns, sizeof(record->run_ns));
	span_peek(stats, layout->peak_kib, &record->peak_kib, sizeof(record->peak_kib));
	span_peek(stats, layout->sleeps, &record->sleeps, sizeof(record->sleeps));
	copy_queued(stats, layout, &record->queued_ns);
	record->elapsed_ns = nanoseconds(stats, layout->elapsed_us);
	record->user_ns = nanoseconds(stats, layout->user_us);
	record->system_ns = nanoseconds(stats, layout->system_us);
	if (record->user_ns != U64_UNKNOWN && record->system_ns <= U64_UNKNOWN - record->user_ns)
		record->cpu_ns = record->user_ns + record->system_ns;
}

bool taskstats_exit(const struct netlink_message *message, uint16_t family, struct exit_record *record)
{
	struct span attributes, thread, tid, stats;
	struct exit_record decoded = {
		.uid = U32_UNKNOWN,
		.parent_pid = U32_UNKNOWN,
		.exit_code = U32_UNKNOWN,
		.run_ns = U64_UNKNOWN,
		.cpu_ns = U64_UNKNOWN,
		.user_ns = U64_UNKNOWN,
		.system_ns = U64_UNKNOWN,
		.elapsed_ns = U64_UNKNOWN,
		.queued_ns = U64_UNKNOWN,
		.peak_kib = U64_UNKNOWN,
		.sleeps = U64_UNKNOWN,
	};

	if (!generic_open(message, family, TASKSTATS_CMD_NEW, &attributes) ||
	    !netlink_attribute(attributes, TASKSTATS_TYPE_AGGR_PID, &thread) ||
	    !netlink_attribute(thread, TASKSTATS_TYPE_PID, &tid) ||
	    !netlink_attribute(thread, TASKSTATS_TYPE_STATS, &stats) ||
	    !span_peek(tid, 0, &decoded.tid, sizeof(decoded.tid)) ||
	    !span_peek(stats, 0, &decoded.version, sizeof(decoded.version)))
		return false;
	fill_record(stats, &decoded);
	*record = decoded;
	return true;
}
