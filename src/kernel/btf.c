/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser of BTF, of as much as locates members of structures. */
#include <config.h>

#include "kernel/btf.h"

#include <string.h>

#define MAGIC 0xeb9f
#define NESTING_MAX 8       /* of structures without a name */
#define MEMBERS_MAX 100000u /* looked at for one member, however often hostile types refer to each other */
#define CHAIN_MAX 16        /* of typedef, const … */

enum kind {
	KIND_INT = 1,
	KIND_POINTER,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FORWARD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNCTION,
	KIND_PROTOTYPE,
	KIND_VARIABLE,
	KIND_SECTION,
	KIND_FLOAT,
	KIND_DECLARATION_TAG,
	KIND_TYPE_TAG,
	KIND_ENUM64,
};

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t length, type_offset, type_length, string_offset, string_length;
};

/* As the kernel writes it; for some kinds more follows. */
struct type {
	uint32_t name, info, size_or_type;
};

struct raw_member {
	uint32_t name, type, offset;
};

static enum kind kind_of(const struct type *type)
{
	return (enum kind)(type->info >> 24 & 31);
}

static uint32_t n_parts(const struct type *type)
{
	return type->info & 0xffff;
}

/* How many bytes follow a type of each kind, and how many each of its parts has. */
static const struct {
	uint8_t bytes, of_part;
} more_bytes[KIND_ENUM64 + 1] = {
	[KIND_INT] = { 4, 0 },     [KIND_VARIABLE] = { 4, 0 }, [KIND_DECLARATION_TAG] = { 4, 0 },
	[KIND_ARRAY] = { 12, 0 },  [KIND_STRUCT] = { 0, 12 },  [KIND_UNION] = { 0, 12 },
	[KIND_SECTION] = { 0, 12 }, [KIND_ENUM64] = { 0, 12 }, [KIND_ENUM] = { 0, 8 },
	[KIND_PROTOTYPE] = { 0, 8 },
};

/* Reads the type at *offset and moves behind it; false at the end. */
static bool next_type(const struct btf *btf, size_t *offset, struct type *type)
{
	uint32_t more;
	enum kind kind;

	if (!span_peek(btf->types, *offset, type, sizeof(*type)))
		return false;
	kind = kind_of(type);
	if (kind < KIND_INT || kind > KIND_ENUM64)
		return false;
	more = more_bytes[kind].bytes + more_bytes[kind].of_part * n_parts(type);
	if (more > span_length(btf->types) - *offset - sizeof(*type))
		return false;
	*offset += sizeof(*type) + more;
	return true;
}

/* Reads one more type; false at the end. */
static bool see_type(struct btf *btf)
{
	uint32_t at = (uint32_t)btf->seen_bytes;
	struct type type;

	if (!next_type(btf, &btf->seen_bytes, &type))
		return false;
	if (btf->n_types % btf->step == 0)
		btf->marks[btf->n_types / btf->step] = at;
	btf->n_types++;
	return true;
}

static bool see(struct btf *btf, uint32_t number)
{
	while (number >= btf->n_types)
		if (!see_type(btf))
			return false;
	return true;
}

/* With the offset of what follows it. */
static bool find_type(struct btf *btf, uint32_t number, struct type *type, size_t *more)
{
	uint32_t at = number / btf->step * btf->step;
	size_t offset, start;

	if (number == 0 || !see(btf, number))
		return false;
	offset = btf->marks[number / btf->step];
	at = at == 0 ? 1 : at;
	do {
		start = offset;
		if (!next_type(btf, &offset, type))
			return false;
	} while (at++ < number);
	*more = start + sizeof(*type);
	return true;
}

/* Texts end with a NUL: btf_open() has seen the last one. */
static bool is_named(const struct btf *btf, uint32_t name, const char *wanted)
{
	return name < span_length(btf->strings) && strcmp(btf->strings.at + name, wanted) == 0;
}

static uint32_t keep_found(struct btf *btf, enum kind kind, const struct type *type, uint32_t number)
{
	btf->found[btf->n_found++ % BTF_FOUND] = (struct btf_found){ kind, type->name, number };
	return number;
}

static const char *name_of(const struct btf *btf, const struct type *type)
{
	return type->name < span_length(btf->strings) ? btf->strings.at + type->name : "";
}

static const char *name_at_mark(const struct btf *btf, uint32_t mark)
{
	struct type type;

	return span_peek(btf->types, btf->marks[mark], &type, sizeof(type)) ? name_of(btf, &type) : "";
}

static uint32_t n_marks(const struct btf *btf)
{
	return (btf->n_types - 1) / btf->step + 1;
}

/* Reads all types, where the first one says that they may be sorted. */
static bool is_sorted(struct btf *btf)
{
	if (name_at_mark(btf, 0)[0] != '\0')
		return false;
	see(btf, UINT32_MAX);
	for (uint32_t mark = 1; mark < n_marks(btf); mark++)
		if (strcmp(name_at_mark(btf, mark - 1), name_at_mark(btf, mark)) > 0)
			return false;
	return true;
}

bool btf_open(struct btf *btf, struct span bytes)
{
	struct header header;
	struct span rest;

	if (!span_peek(bytes, 0, &header, sizeof(header)) || header.magic != MAGIC || header.version != 1 ||
	    header.length < sizeof(header) || !span_part(bytes, header.length, 0, &rest))
		return false;
	rest.end = bytes.end;
	if (!span_part(rest, header.type_offset, header.type_length, &btf->types) ||
	    !span_part(rest, header.string_offset, header.string_length, &btf->strings) ||
	    header.string_length == 0 || btf->strings.end[-1] != '\0')
		return false;
	btf->step = header.type_length / (uint32_t)sizeof(struct type) / BTF_MARKS + 1;
	btf->n_types = 1;
	btf->seen_bytes = 0;
	btf->marks[0] = 0;
	btf->n_found = 0;
	btf->pointer_bytes = 0;
	btf->sorted = is_sorted(btf);
	return true;
}

/* Between the last mark before the name and what comes behind it. */
static uint32_t find_sorted(struct btf *btf, enum kind kind, const char *name)
{
	uint32_t low = 0, high = n_marks(btf), number;
	struct type type;
	size_t offset;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(name_at_mark(btf, middle), name) < 0)
			low = middle;
		else
			high = middle;
	}
	offset = btf->marks[low];
	for (number = low == 0 ? 1 : low * btf->step; next_type(btf, &offset, &type); number++) {
		int order = strcmp(name_of(btf, &type), name);

		if (order > 0)
			return 0;
		if (order == 0 && kind_of(&type) == kind)
			return keep_found(btf, kind, &type, number);
	}
	return 0;
}

static uint32_t find_named(struct btf *btf, enum kind kind, const char *name)
{
	uint32_t sorted = 0;
	struct type type;
	size_t offset = 0;

	for (uint32_t i = 0; i < btf->n_found && i < BTF_FOUND; i++)
		if (btf->found[i].kind == kind && is_named(btf, btf->found[i].name, name))
			return btf->found[i].number;
	if (btf->sorted)
		sorted = find_sorted(btf, kind, name);
	if (sorted)
		return sorted;
	for (uint32_t number = 1; see(btf, number) && next_type(btf, &offset, &type); number++)
		if (kind_of(&type) == kind && is_named(btf, type.name, name))
			return keep_found(btf, kind, &type, number);
	return 0;
}

uint32_t btf_structure(struct btf *btf, const char *name)
{
	return find_named(btf, KIND_STRUCT, name);
}

uint32_t btf_function(struct btf *btf, const char *name)
{
	return find_named(btf, KIND_FUNCTION, name);
}

uint32_t btf_typedef(struct btf *btf, const char *name)
{
	return find_named(btf, KIND_TYPEDEF, name);
}

/* Follows typedef, const and the like. */
static bool plain_type(struct btf *btf, uint32_t *number, struct type *type)
{
	size_t more;

	for (unsigned i = 0; i < CHAIN_MAX && find_type(btf, *number, type, &more); i++) {
		switch (kind_of(type)) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			*number = type->size_or_type;
			break;
		default:
			return true;
		}
	}
	return false;
}

/* The same, and what a pointer points to. */
static bool pointed_type(struct btf *btf, uint32_t *number, struct type *type)
{
	if (!plain_type(btf, number, type))
		return false;
	if (kind_of(type) != KIND_POINTER)
		return true;
	*number = type->size_or_type;
	return plain_type(btf, number, type);
}

uint32_t btf_structure_of(struct btf *btf, uint32_t number)
{
	struct type type;

	if (!pointed_type(btf, &number, &type))
		return 0;
	return kind_of(&type) == KIND_STRUCT || kind_of(&type) == KIND_UNION ? number : 0;
}

uint32_t btf_n_parameters(struct btf *btf, uint32_t number)
{
	struct type type;

	return pointed_type(btf, &number, &type) && kind_of(&type) == KIND_PROTOTYPE ? n_parts(&type) : 0;
}

uint32_t btf_element(struct btf *btf, uint32_t number)
{
	uint32_t element;
	struct type type;
	size_t more;

	if (!plain_type(btf, &number, &type) || kind_of(&type) != KIND_ARRAY ||
	    !find_type(btf, number, &type, &more) ||
	    !span_peek(btf->types, more, &element, sizeof(element)))
		return 0;
	return element;
}

uint32_t btf_structure_bytes(struct btf *btf, uint32_t structure)
{
	struct type type;
	size_t more;

	if (!find_type(btf, structure, &type, &more) || kind_of(&type) != KIND_STRUCT)
		return 0;
	return type.size_or_type;
}

uint32_t btf_pointer_bytes(struct btf *btf)
{
	uint32_t bytes;

	if (btf->pointer_bytes)
		return btf->pointer_bytes;
	bytes = btf_structure_bytes(btf, btf_structure(btf, "list_head")) / 2;
	btf->pointer_bytes = bytes == 4 || bytes == 8 ? bytes : sizeof(void *);
	return btf->pointer_bytes;
}

static uint32_t bytes_of(struct btf *btf, uint32_t number)
{
	struct type type;

	if (!plain_type(btf, &number, &type))
		return 0;
	switch (kind_of(&type)) {
	case KIND_INT:
	case KIND_ENUM:
	case KIND_ENUM64:
		return type.size_or_type <= 8 ? type.size_or_type : 0;
	case KIND_POINTER:
		return btf_pointer_bytes(btf);
	default:
		return 0;
	}
}

struct search {
	struct btf *btf;
	const char *name;
	uint32_t n_left;
	uint32_t bits, n_bits; /* of the member: where it is in its structure; n_bits 0: no bit field */
};

static bool find_member(struct search *search, uint32_t structure, uint32_t base, unsigned depth,
			struct btf_member *member)
{
	struct btf *btf = search->btf;
	struct raw_member raw;
	struct type type;
	size_t more;

	if (depth == 0 || !find_type(btf, structure, &type, &more) ||
	    (kind_of(&type) != KIND_STRUCT && kind_of(&type) != KIND_UNION))
		return false;
	for (uint32_t i = 0; i < n_parts(&type) && search->n_left > 0; i++) {
		bool has_bits = type.info >> 31;
		uint32_t bits, inner;

		search->n_left--;
		if (!span_peek(btf->types, more + i * sizeof(raw), &raw, sizeof(raw)))
			return false;
		bits = has_bits ? raw.offset & 0xffffff : raw.offset;
		if (is_named(btf, raw.name, search->name)) {
			*member = (struct btf_member){ .offset = base + bits / 8,
						       .bytes = bytes_of(btf, raw.type),
						       .type = raw.type };
			search->bits = bits;
			search->n_bits = has_bits ? raw.offset >> 24 : 0;
			return true;
		}
		inner = is_named(btf, raw.name, "") ? btf_structure_of(btf, raw.type) : 0;
		if (inner && find_member(search, inner, base + bits / 8, depth - 1, member))
			return true;
	}
	return false;
}

bool btf_member(struct btf *btf, uint32_t structure, const char *name, struct btf_member *member)
{
	struct search search = { .btf = btf, .name = name, .n_left = MEMBERS_MAX };

	return find_member(&search, structure, 0, NESTING_MAX, member) && search.bits % 8 == 0 &&
	       search.n_bits == 0;
}

bool btf_bit(struct btf *btf, uint32_t structure, const char *name, uint32_t *offset, uint8_t *bit)
{
	struct search search = { .btf = btf, .name = name, .n_left = MEMBERS_MAX };
	struct btf_member member;

	if (!find_member(&search, structure, 0, NESTING_MAX, &member) || search.n_bits != 1)
		return false;
	*offset = member.offset;
	*bit = (uint8_t)(1 << search.bits % 8);
	return true;
}

bool btf_enumerator(struct btf *btf, const char *enumeration, const char *name, uint32_t *value)
{
	uint32_t number = find_named(btf, KIND_ENUM, enumeration);
	struct {
		uint32_t name, value;
	} raw;
	struct type type;
	size_t more;

	if (!find_type(btf, number, &type, &more))
		return false;
	for (uint32_t i = 0; i < n_parts(&type); i++) {
		if (!span_peek(btf->types, more + i * sizeof(raw), &raw, sizeof(raw)))
			return false;
		if (is_named(btf, raw.name, name)) {
			*value = raw.value;
			return true;
		}
	}
	return false;
}
