/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps or reads the kernel's BTF. */
#include <config.h>

#include "topic/trace/kernel_types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

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
