/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/kallsyms forward, a slice in each tick, and notes only the functions that are wanted. */
#include <config.h>

#include "topic/trace/kernel_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/privilege.h"

#define PATH "sys/kernel/btf/vmlinux"
#define NAME_BYTES 64

static int read_all(int fd, char *bytes, size_t length)
{
	size_t done = 0;
	ssize_t more;

	while (done < length && (more = read(fd, bytes + done, length - done)) > 0)
		done += (size_t)more;
	return done == length ? 0 : -EIO;
}

/* It can be mapped since Linux 6.16. */
int kernel_types_open(struct kernel_types *types, const struct env *env)
{
	int fd = env_open_file(env, PATH), error = 0;
	struct stat status;

	*types = (struct kernel_types){ 0 };
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || status.st_size <= 0) {
		close(fd);
		return -ENODATA;
	}
	types->length = (size_t)status.st_size;
	types->bytes = mmap(NULL, types->length, PROT_READ, MAP_PRIVATE, fd, 0);
	types->mapped = types->bytes != MAP_FAILED;
	if (!types->mapped) {
		types->bytes = alloc_zeroed(types->length, 1);
		error = read_all(fd, types->bytes, types->length);
	}
	close(fd);
	if (!error && !btf_open(&types->btf, span_of(types->bytes, types->length)))
		error = -ENODATA;
	if (!error && btf_pointer_bytes(&types->btf) != sizeof(void *))
		error = -ENOEXEC;
	if (error)
		kernel_types_close(types);
	return error;
}

void kernel_types_close(struct kernel_types *types)
{
	if (types->mapped)
		munmap(types->bytes, types->length);
	else
		free(types->bytes);
	*types = (struct kernel_types){ 0 };
}

/* The next name of a way, and the number of an element of that array; -1: all of it. */
static bool next_name(struct span *way, char name[NAME_BYTES], long *element)
{
	struct span part;
	char *bracket;

	if (span_length(*way) == 0)
		return false;
	if (!span_until(way, '.', &part)) {
		part = *way;
		way->at = way->end;
	}
	if (snprintf(name, NAME_BYTES, "%.*s", (int)span_length(part), part.at) >= NAME_BYTES)
		return false;
	bracket = strchr(name, '[');
	*element = bracket ? strtol(bracket + 1, NULL, 10) : -1;
	if (bracket)
		*bracket = '\0';
	return true;
}

/* Goes on to this element of a member that is an array of structures; false: it is something else. */
static bool go_to_element(struct btf *btf, struct btf_member *member, uint32_t element)
{
	uint32_t bytes;

	member->type = btf_element(btf, member->type);
	bytes = btf_structure_bytes(btf, member->type);
	member->offset += element * bytes;
	return bytes > 0;
}

int kernel_types_member(struct btf *btf, const char *way, struct bpf_place *place)
{
	struct span rest = span_text(way);
	char name[NAME_BYTES];
	uint32_t structure;
	long element;

	*place = (struct bpf_place){ .bytes = sizeof(void *) };
	structure = next_name(&rest, name, &element) ? btf_structure(btf, name) : 0;
	while (next_name(&rest, name, &element)) {
		struct btf_member member;

		if (place->bytes != 0 && place->n == BPF_PATH_MAX)
			return -ENODATA;
		if (!structure || !btf_member(btf, structure, name, &member))
			return -ENODATA;
		if (element >= 0 && !go_to_element(btf, &member, (uint32_t)element))
			return -ENODATA;
		if (place->bytes != 0)
			place->n++; /* by a pointer; else in a structure that the one before embeds */
		place->offsets[place->n - 1] += member.offset;
		place->bytes = member.bytes;
		structure = span_length(rest) > 0 ? btf_structure_of(btf, member.type) : 0;
	}
	return place->n > 0 ? 0 : -ENODATA;
}

int kernel_types_bit(struct btf *btf, const char *way, uint32_t *offset, uint8_t *bit)
{
	struct span rest = span_text(way);
	char structure[NAME_BYTES], name[NAME_BYTES];
	long element;

	if (!next_name(&rest, structure, &element) || !next_name(&rest, name, &element) ||
	    !btf_bit(btf, btf_structure(btf, structure), name, offset, bit))
		return -ENODATA;
	return 0;
}

int kernel_names_open(const struct env *env)
{
	uint64_t raised = privilege_raise(PRIVILEGE_SYMBOLS);
	int fd = env_open_file(env, FUNCTION_NAMES_SOURCE);

	privilege_lower(raised);
	return fd;
}

bool kernel_text_read(struct kernel_text *text, int fd, struct span *lines)
{
	size_t length = text->n_rest;
	ssize_t n_more;

	memmove(text->bytes, text->bytes + text->begun, length);
	n_more = read(fd, text->bytes + length, sizeof(text->bytes) - length);
	if (n_more <= 0)
		return false;
	length += (size_t)n_more;
	for (text->begun = length; text->begun > 0 && text->bytes[text->begun - 1] != '\n'; text->begun--)
		;
	text->n_rest = length - text->begun;
	*lines = span_of(text->bytes, text->begun);
	return true;
}

void kernel_text_add(struct symbols *symbols, struct span lines)
{
	struct kallsyms_line line;

	while (kallsyms_next(&lines, &line))
		if (line.address != 0)
			symbols_add(symbols, line.address, 0, line.name, false);
}

#define SLICE_READS 40 /* 2.5 MiB take about 20 ms */

void function_names_open(struct function_names *names, struct env *env)
{
	*names = (struct function_names){ .env = env, .fd = -1 };
}

static void stop(struct function_names *names)
{
	descriptor_close(names->fd);
	names->fd = -1;
	free(names->text);
	names->text = NULL;
}

void function_names_close(struct function_names *names)
{
	stop(names);
	free(names->list);
	hash_free(&names->by_address);
}

static size_t find(const struct function_names *names, uint64_t address)
{
	uint32_t at;

	HASH_FIND(at, &names->by_address, hash_u64(address), names->list[at].address == address);
	return at == HASH_NONE ? SIZE_MAX : at;
}

size_t function_names_find(struct function_names *names, uint64_t address)
{
	size_t at = find(names, address);

	if (at != SIZE_MAX)
		return at;
	hash_add(&names->by_address, hash_u64(address), (uint32_t)names->count);
	*VECTOR_ADD(names->list, names->count, names->capacity) =
		(struct function_name){ .address = address };
	names->n_new++;
	return names->count - 1;
}

static void start(struct function_names *names)
{
	int fd = kernel_names_open(names->env);

	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].state == FUNCTION_NEW)
			names->list[i].state = fd < 0 ? FUNCTION_UNKNOWN : FUNCTION_SOUGHT;
	names->n_new = 0;
	names->error = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	names->fd = fd;
	names->text = alloc_zeroed(1, sizeof(*names->text));
}

static void end(struct function_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].state == FUNCTION_SOUGHT)
			names->list[i].state = FUNCTION_UNKNOWN;
	stop(names);
}

static void take(struct function_names *names, const struct kallsyms_line *line)
{
	size_t at = find(names, line->address);
	struct function_name *function = at == SIZE_MAX ? NULL : &names->list[at];

	if (!function || function->state == FUNCTION_FOUND)
		return;
	names->n_new -= function->state == FUNCTION_NEW;
	function->state = FUNCTION_FOUND;
	snprintf(function->name, sizeof(function->name), "%.*s", (int)span_length(line->name), line->name.at);
}

/* False at the end. */
static bool read_on(struct function_names *names)
{
	struct kallsyms_line line;
	struct span lines;

	if (!kernel_text_read(names->text, names->fd, &lines))
		return false;
	while (kallsyms_next(&lines, &line)) {
		if (line.address == 0) {
			names->error = -EACCES;
			return false;
		}
		take(names, &line);
	}
	return true;
}

void function_names_update(struct function_names *names, bool whole)
{
	unsigned n_reads = 0;

	if (names->fd < 0 && names->n_new > 0)
		start(names);
	while (names->fd >= 0 && (whole || n_reads++ < SLICE_READS))
		if (!read_on(names))
			end(names);
}

#define TEST_BYTES 65536

int function_names_test(struct env *env)
{
	int fd = kernel_names_open(env);
	struct kallsyms_line line = { 0 };
	char *bytes;
	size_t length = 0;
	struct span text;
	ssize_t n_more;
	bool found;

	if (fd < 0)
		return fd;
	bytes = alloc_zeroed(TEST_BYTES, 1);
	while ((n_more = read(fd, bytes + length, TEST_BYTES - length)) > 0) /* data come first */
		length += (size_t)n_more;
	close(fd);
	text = span_of(bytes, length);
	found = kallsyms_next(&text, &line);
	free(bytes);
	if (!found)
		return -ENODATA;
	return line.address == 0 ? -EACCES : 0;
}
