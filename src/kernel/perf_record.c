/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes counts of perf events, records of tasks and of profiles, and the initial stack of a program. */
#include <config.h>

#include "kernel/perf_record.h"

#include <string.h>

#define HEAD_WORDS ((size_t)3) /* number of events, time enabled, time running */
#define WORD_BYTES sizeof(uint64_t)

static uint64_t read_word(struct span bytes, size_t index)
{
	uint64_t value;

	memcpy(&value, bytes.at + index * WORD_BYTES, WORD_BYTES);
	return value;
}

bool perf_read_parse(struct span bytes, uint64_t *values, size_t n_values, struct perf_times *times)
{
	size_t length = span_length(bytes);

	if (length % WORD_BYTES != 0 || length / WORD_BYTES < HEAD_WORDS ||
	    length / WORD_BYTES - HEAD_WORDS != n_values || read_word(bytes, 0) != n_values)
		return false;
	*times = (struct perf_times){ .enabled_ns = read_word(bytes, 1), .running_ns = read_word(bytes, 2) };
	for (size_t i = 0; i < n_values; i++)
		values[i] = read_word(bytes, HEAD_WORDS + i);
	return true;
}

uint64_t perf_scaled(uint64_t count, struct perf_times times)
{
	double scaled;

	if (times.running_ns == 0)
		return U64_UNKNOWN;
	if (times.running_ns >= times.enabled_ns)
		return count;
	scaled = (double)count * ((double)times.enabled_ns / (double)times.running_ns);
	return scaled < 0x1p63 ? (uint64_t)scaled : U64_UNKNOWN;
}

/* From include/uapi/linux/perf_event.h of Linux 6.18; the header of the build machine may be older. */
#define COMM_BY_EXEC (1 << 13)
#define ABI_NONE 0
#define ABI_32_BIT 1
#define CONTEXT_MIN ((uint64_t)-4095) /* markers between the parts of a chain */
#define CONTEXT_KERNEL ((uint64_t)-128)

#define TRAILER_BYTES ((size_t)16) /* pid, tid, time */

struct task_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

/* The head of the record at the beginning of bytes, and what follows it. */
static bool open_record(struct span bytes, struct perf_event_header *header, struct span *body)
{
	if (!span_peek(bytes, 0, header, sizeof(*header)) || header->size < sizeof(*header) ||
	    header->size > span_length(bytes))
		return false;
	*body = span_of(bytes.at + sizeof(*header), header->size - sizeof(*header));
	return true;
}

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
static bool cut_trailer(struct span *body, uint64_t *time_ns)
{
	if (span_length(*body) < TRAILER_BYTES)
		return false;
	body->end -= TRAILER_BYTES;
	memcpy(time_ns, body->end + 2 * sizeof(uint32_t), sizeof(*time_ns));
	return true;
}

static bool eat_thread(struct span *body, uint32_t *pid, uint32_t *tid)
{
	return span_eat(body, pid, sizeof(*pid)) && span_eat(body, tid, sizeof(*tid));
}

static bool eat_comm(struct span *body, uint16_t misc, struct perf_record *record)
{
	size_t length;

	if (!cut_trailer(body, &record->time_ns) || !eat_thread(body, &record->pid, &record->tid))
		return false;
	record->exec = misc & COMM_BY_EXEC;
	length = strnlen(body->at, span_length(*body));
	memcpy(record->comm, body->at, length < PERF_COMM_BYTES ? length : PERF_COMM_BYTES);
	return true;
}

static bool eat_lost(struct span *body, uint64_t *time_ns, uint64_t *lost)
{
	uint64_t id;

	return cut_trailer(body, time_ns) && span_eat(body, &id, sizeof(id)) &&
	       span_eat(body, lost, sizeof(*lost));
}

/* The field has the requested size, however much was copied; the copied size follows it. */
static bool eat_copied(struct span *body, struct span *stack)
{
	uint64_t room, taken;

	if (!span_eat(body, &room, sizeof(room)))
		return false;
	if (room == 0)
		return true;
	if (!eat_part(body, room, stack) || !span_eat(body, &taken, sizeof(taken)) || taken > room)
		return false;
	stack->end = stack->at + taken;
	return true;
}

static bool eat_stack(struct span *body, struct perf_record *record)
{
	uint64_t abi;

	if (!span_eat(body, &abi, sizeof(abi)) ||
	    (abi != ABI_NONE && !span_eat(body, &record->stack_address, sizeof(record->stack_address))))
		return false;
	record->is_32_bit = abi == ABI_32_BIT;
	return eat_copied(body, &record->stack);
}

static bool eat_sample(struct span *body, struct perf_record *record)
{
	uint32_t raw_bytes;

	return eat_thread(body, &record->pid, &record->tid) &&
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
		return eat_lost(body, &record->time_ns, &record->lost);
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

	if (!open_record(*bytes, &header, &body) || !eat_body(&body, &header, &decoded))
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

static bool eat_profile_sample(struct span *body, struct profile_record *record)
{
	struct span chain;
	uint64_t frames;

	if (!eat_thread(body, &record->pid, &record->tid) ||
	    !span_eat(body, &record->time_ns, sizeof(record->time_ns)) ||
	    !span_eat(body, &record->period, sizeof(record->period)) ||
	    !span_eat(body, &frames, sizeof(frames)) ||
	    frames > span_length(*body) / sizeof(uint64_t) ||
	    !eat_part(body, frames * sizeof(uint64_t), &chain))
		return false;
	take_chain(chain, record);
	record->stack = span_of(body->at, 0);
	return eat_registers(body, record) && eat_copied(body, &record->stack);
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

	if (!cut_trailer(body, &record->time_ns) || !span_eat(body, &map, sizeof(map)))
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

static bool eat_profile_task(struct span *body, struct profile_record *record)
{
	struct task_body task;

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

static bool eat_profile_body(struct span *body, const struct perf_event_header *header,
			     struct profile_record *record)
{
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		record->kind = PROFILE_RECORD_SAMPLE;
		return eat_profile_sample(body, record);
	case PERF_RECORD_MMAP2:
		record->kind = PROFILE_RECORD_MAP;
		return eat_map(body, record);
	case PERF_RECORD_COMM:
		record->kind = (header->misc & COMM_BY_EXEC) ? PROFILE_RECORD_EXEC : PROFILE_RECORD_OTHER;
		return cut_trailer(body, &record->time_ns) && eat_thread(body, &record->pid, &record->tid);
	case PERF_RECORD_FORK:
		record->kind = PROFILE_RECORD_FORK;
		return eat_profile_task(body, record);
	case PERF_RECORD_EXIT:
		record->kind = PROFILE_RECORD_EXIT;
		return eat_profile_task(body, record);
	case PERF_RECORD_LOST:
		record->kind = PROFILE_RECORD_LOST;
		return eat_lost(body, &record->time_ns, &record->lost);
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
	if (!open_record(*bytes, &header, &body) || !eat_profile_body(&body, &header, record))
		return false;
	bytes->at += header.size;
	return true;
}
