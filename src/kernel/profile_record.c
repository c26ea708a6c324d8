/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the records of a profile. */
#include <config.h>

#include "kernel/profile_record.h"

#include <string.h>

/* From include/uapi/linux/perf_event.h of Linux 6.18; the header of the build machine may be older. */
#define COMM_BY_EXEC (1 << 13)
#define ABI_NONE 0
#define ABI_32_BIT 1
#define CONTEXT_MIN ((uint64_t)-4095) /* markers between the parts of a chain */
#define CONTEXT_KERNEL ((uint64_t)-128)

#define TRAILER_BYTES ((size_t)16) /* pid, tid, time */

static bool eat_u64s(struct span *rest, uint64_t count, struct span *words)
{
	if (count > span_length(*rest) / sizeof(uint64_t))
		return false;
	*words = span_of(rest->at, (size_t)count * sizeof(uint64_t));
	rest->at = words->end;
	return true;
}

bool profile_record_kernel(const struct profile_record *record, size_t number, uint64_t *address)
{
	return span_peek(record->kernel, number * sizeof(*address), address, sizeof(*address));
}

/* The chain begins with a marker of its part; that of the program is not asked for. */
static void take_chain(struct span words, struct profile_record *record)
{
	uint64_t word;

	record->kernel = span_of(words.at, 0);
	if (!span_eat(&words, &word, sizeof(word)) || word != CONTEXT_KERNEL)
		return;
	record->kernel = span_of(words.at, 0);
	while (span_eat(&words, &word, sizeof(word)) && word < CONTEXT_MIN)
		record->kernel.end = words.at;
}

static bool eat_registers(struct span *body, struct profile_record *record)
{
	uint64_t abi;

	if (!span_eat(body, &abi, sizeof(abi)))
		return false;
	record->is_32_bit = abi == ABI_32_BIT;
	record->has_user = abi != ABI_NONE && PROFILE_REGISTERS != 0;
	return !record->has_user || span_eat(body, record->registers, sizeof(record->registers));
}

/* The field has the requested size, however much was copied; the copied size follows it. */
static bool eat_stack(struct span *body, struct profile_record *record)
{
	uint64_t room, taken;

	if (!span_eat(body, &room, sizeof(room)))
		return false;
	record->stack = span_of(body->at, 0);
	if (room == 0)
		return true;
	if (room > span_length(*body))
		return false;
	record->stack = span_of(body->at, (size_t)room);
	body->at += room;
	if (!span_eat(body, &taken, sizeof(taken)) || taken > room)
		return false;
	record->stack.end = record->stack.at + taken;
	return true;
}

static bool eat_sample(struct span *body, struct profile_record *record)
{
	struct span chain;
	uint64_t frames;

	if (!span_eat(body, &record->pid, sizeof(record->pid)) ||
	    !span_eat(body, &record->tid, sizeof(record->tid)) ||
	    !span_eat(body, &record->time_ns, sizeof(record->time_ns)) ||
	    !span_eat(body, &record->period, sizeof(record->period)) ||
	    !span_eat(body, &frames, sizeof(frames)) || !eat_u64s(body, frames, &chain))
		return false;
	take_chain(chain, record);
	return eat_registers(body, record) && eat_stack(body, record);
}

/* The thread and time at the end of the others. */
static bool cut_trailer(struct span *body, struct profile_record *record)
{
	if (span_length(*body) < TRAILER_BYTES)
		return false;
	body->end -= TRAILER_BYTES;
	memcpy(&record->time_ns, body->end + 2 * sizeof(uint32_t), sizeof(record->time_ns));
	return true;
}

static bool eat_map(struct span *body, struct profile_record *record)
{
	struct {
		uint32_t pid, tid;
		uint64_t address, bytes, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
	} map;

	if (!cut_trailer(body, record) || !span_eat(body, &map, sizeof(map)))
		return false;
	record->pid = map.pid;
	record->tid = map.tid;
	record->address = map.address;
	record->bytes = map.bytes;
	record->offset = map.offset;
	record->major = map.major;
	record->minor = map.minor;
	record->inode = map.inode;
	record->path = span_of(body->at, strnlen(body->at, span_length(*body)));
	return true;
}

static bool eat_comm(struct span *body, uint16_t misc, struct profile_record *record)
{
	if (!cut_trailer(body, record) || !span_eat(body, &record->pid, sizeof(record->pid)) ||
	    !span_eat(body, &record->tid, sizeof(record->tid)))
		return false;
	record->kind = (misc & COMM_BY_EXEC) ? PROFILE_RECORD_EXEC : PROFILE_RECORD_OTHER;
	return true;
}

static bool eat_task(struct span *body, struct profile_record *record)
{
	struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
	} task;

	if (!span_eat(body, &task, sizeof(task)))
		return false;
	record->pid = task.pid;
	record->tid = task.tid;
	record->parent_pid = task.parent_pid;
	record->time_ns = task.time_ns;
	if (record->kind == PROFILE_RECORD_FORK ? task.pid == task.parent_pid : task.pid != task.tid)
		record->kind = PROFILE_RECORD_OTHER; /* a thread */
	return true;
}

static bool eat_lost(struct span *body, struct profile_record *record)
{
	uint64_t id;

	return cut_trailer(body, record) && span_eat(body, &id, sizeof(id)) &&
	       span_eat(body, &record->lost, sizeof(record->lost));
}

static bool eat_body(struct span *body, const struct perf_event_header *header, struct profile_record *record)
{
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		record->kind = PROFILE_RECORD_SAMPLE;
		return eat_sample(body, record);
	case PERF_RECORD_MMAP2:
		record->kind = PROFILE_RECORD_MAP;
		return eat_map(body, record);
	case PERF_RECORD_COMM:
		return eat_comm(body, header->misc, record);
	case PERF_RECORD_FORK:
		record->kind = PROFILE_RECORD_FORK;
		return eat_task(body, record);
	case PERF_RECORD_EXIT:
		record->kind = PROFILE_RECORD_EXIT;
		return eat_task(body, record);
	case PERF_RECORD_LOST:
		record->kind = PROFILE_RECORD_LOST;
		return eat_lost(body, record);
	case PERF_RECORD_THROTTLE:
		record->kind = PROFILE_RECORD_THROTTLE;
		return true;
	default:
		record->kind = PROFILE_RECORD_OTHER;
		return true;
	}
}

bool profile_record_next(struct span *bytes, struct profile_record *record)
{
	struct perf_event_header header;
	struct span body;

	*record = (struct profile_record){ .kind = PROFILE_RECORD_OTHER };
	if (!span_peek(*bytes, 0, &header, sizeof(header)) || header.size < sizeof(header) ||
	    header.size > span_length(*bytes))
		return false;
	body = span_of(bytes->at + sizeof(header), header.size - sizeof(header));
	if (!eat_body(&body, &header, record))
		return false;
	bytes->at += header.size;
	return true;
}
