/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of perf records, and of the initial stack of a program. */
#include <config.h>

#include "kernel/perf_record.h"

#include <linux/perf_event.h>
#include <string.h>

/* From include/uapi/linux/perf_event.h of Linux 6.18; the header of the build machine may be older. */
#define COMM_BY_EXEC (1 << 13)
#define ABI_NONE 0
#define ABI_32_BIT 1

#define TRAILER_BYTES ((size_t)16) /* pid, tid, time */

struct task_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

static bool eat_part(struct span *rest, uint64_t length, struct span *part)
{
	if (length > span_length(*rest))
		return false;
	*part = span_of(rest->at, (size_t)length);
	rest->at += length;
	return true;
}

static bool eat_task(struct span *body, struct perf_record *record)
{
	struct task_body task;

	if (!span_eat(body, &task, sizeof(task)))
		return false;
	record->pid = task.pid;
	record->parent_pid = task.parent_pid;
	record->tid = task.tid;
	record->parent_tid = task.parent_tid;
	record->time_ns = task.time_ns;
	return true;
}

/* The time at the end of records without a time field. */
static bool cut_trailer(struct span *body, struct perf_record *record)
{
	if (span_length(*body) < TRAILER_BYTES)
		return false;
	body->end -= TRAILER_BYTES;
	memcpy(&record->time_ns, body->end + 2 * sizeof(uint32_t), sizeof(record->time_ns));
	return true;
}

static bool eat_comm(struct span *body, uint16_t misc, struct perf_record *record)
{
	size_t length;

	if (!cut_trailer(body, record) || !span_eat(body, &record->pid, sizeof(record->pid)) ||
	    !span_eat(body, &record->tid, sizeof(record->tid)))
		return false;
	record->exec = misc & COMM_BY_EXEC;
	length = strnlen(body->at, span_length(*body));
	memcpy(record->comm, body->at, length < PERF_COMM_BYTES ? length : PERF_COMM_BYTES);
	return true;
}

static bool eat_lost(struct span *body, struct perf_record *record)
{
	uint64_t id;

	return cut_trailer(body, record) && span_eat(body, &id, sizeof(id)) &&
	       span_eat(body, &record->lost, sizeof(record->lost));
}

/* The field has the requested size, however much was copied; the copied size follows it. */
static bool eat_stack(struct span *body, struct perf_record *record)
{
	uint64_t abi, room, taken;

	if (!span_eat(body, &abi, sizeof(abi)) ||
	    (abi != ABI_NONE && !span_eat(body, &record->stack_address, sizeof(record->stack_address))) ||
	    !span_eat(body, &room, sizeof(room)))
		return false;
	record->is_32_bit = abi == ABI_32_BIT;
	if (room == 0)
		return true;
	if (!eat_part(body, room, &record->stack) || !span_eat(body, &taken, sizeof(taken)) || taken > room)
		return false;
	record->stack.end = record->stack.at + taken;
	return true;
}

static bool eat_sample(struct span *body, struct perf_record *record)
{
	uint32_t raw_bytes;

	return span_eat(body, &record->pid, sizeof(record->pid)) &&
	       span_eat(body, &record->tid, sizeof(record->tid)) &&
	       span_eat(body, &record->time_ns, sizeof(record->time_ns)) &&
	       span_eat(body, &raw_bytes, sizeof(raw_bytes)) && eat_part(body, raw_bytes, &record->raw) &&
	       (span_length(*body) == 0 || eat_stack(body, record));
}

static bool eat_body(struct span *body, const struct perf_event_header *header, struct perf_record *record)
{
	switch (header->type) {
	case PERF_RECORD_FORK:
		record->kind = PERF_RECORD_KIND_FORK;
		return eat_task(body, record);
	case PERF_RECORD_EXIT:
		record->kind = PERF_RECORD_KIND_EXIT;
		return eat_task(body, record);
	case PERF_RECORD_COMM:
		record->kind = PERF_RECORD_KIND_COMM;
		return eat_comm(body, header->misc, record);
	case PERF_RECORD_SAMPLE:
		record->kind = PERF_RECORD_KIND_SAMPLE;
		return eat_sample(body, record);
	case PERF_RECORD_LOST:
		record->kind = PERF_RECORD_KIND_LOST;
		return eat_lost(body, record);
	default:
		record->kind = PERF_RECORD_KIND_OTHER;
		return true;
	}
}

bool perf_record_next(struct span *bytes, struct perf_record *record)
{
	struct perf_event_header header;
	struct perf_record decoded = { 0 };
	struct span body;

	if (!span_peek(*bytes, 0, &header, sizeof(header)) || header.size < sizeof(header) ||
	    header.size > span_length(*bytes))
		return false;
	body = span_of(bytes->at + sizeof(header), header.size - sizeof(header));
	if (!eat_body(&body, &header, &decoded))
		return false;
	bytes->at += header.size;
	*record = decoded;
	return true;
}

/* A word, of the size of the program's addresses, at the top of its stack. */
static bool word_at(const struct perf_record *sample, uint64_t index, uint64_t *word)
{
	size_t bytes = sample->is_32_bit ? sizeof(uint32_t) : sizeof(uint64_t);
	uint32_t half;

	if (index >= span_length(sample->stack) / bytes)
		return false;
	if (!sample->is_32_bit)
		return span_peek(sample->stack, (size_t)index * bytes, word, bytes);
	span_peek(sample->stack, (size_t)index * bytes, &half, bytes);
	*word = half;
	return true;
}

/* The first word is the number of arguments; their addresses follow, from index 1. */
static bool argument_at(const struct perf_record *sample, uint64_t number, struct span *argument)
{
	struct span rest = sample->stack;
	uint64_t address;

	if (!word_at(sample, number, &address))
		return false;
	address -= sample->stack_address; /* an address before the stack becomes a huge offset */
	if (address > span_length(rest))
		return false;
	rest.at += address;
	return span_until(&rest, '\0', argument);
}

size_t perf_exec_arguments(const struct perf_record *sample, char *out, size_t room, size_t *program_length)
{
	uint64_t n_arguments = 0;
	struct span argument;
	size_t length = 0;

	*program_length = 0;
	if (room == 0)
		return 0;
	word_at(sample, 0, &n_arguments);
	for (uint64_t number = 1; number <= n_arguments && length < room - 1; number++) {
		size_t bytes;

		if (!argument_at(sample, number, &argument))
			break;
		if (number > 1)
			out[length++] = ' ';
		bytes = span_length(argument);
		bytes = bytes < room - 1 - length ? bytes : room - 1 - length;
		memcpy(out + length, argument.at, bytes);
		length += bytes;
		if (number == 1)
			*program_length = bytes;
	}
	out[length] = '\0';
	return length;
}

/* They are contiguous: if the last is there, all are. */
bool perf_exec_arguments_are_whole(const struct perf_record *sample)
{
	struct span last;
	uint64_t n_arguments;

	return word_at(sample, 0, &n_arguments) &&
	       (n_arguments == 0 || argument_at(sample, n_arguments, &last));
}
