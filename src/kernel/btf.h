/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF, the kernel's description of its own types: where a member of a structure is. */
#ifndef PANETOP_KERNEL_BTF_H
#define PANETOP_KERNEL_BTF_H

#include "core/span.h"

#define BTF_MARKS 1024
#define BTF_FOUND 16

/* Types are numbered from 1; 0 is void, and here also: none. */
struct btf {
	struct span types, strings; /* borrowed */
	uint32_t n_types;           /* seen so far, with number 0 */
	size_t seen_bytes;          /* of types */
	uint32_t step;              /* types between two marks */
	uint32_t marks[BTF_MARKS];  /* offset of every step-th type */
	struct btf_found {
		uint32_t kind, name, number;
	} found[BTF_FOUND]; /* what was searched for last, in turns */
	uint32_t n_found;
	bool sorted;            /* by name, those without one first */
	uint32_t pointer_bytes; /* 0: not searched for yet */
};

struct btf_member {
	uint32_t offset; /* in the structure */
	uint32_t bytes;  /* of a number, an enumeration or a pointer; 0: it is something else */
	uint32_t type;
};

/*
 * The types are read as far as one is searched for: those of use are among the first of most kernels. Linux
 * 7.2 sorts them by name; there all are read once, and a search looks at a few.
 *
 * False for malformed bytes, and those of a machine with another byte order. Types that follow one of an
 * unknown kind are left out.
 */
bool btf_open(struct btf *btf, struct span bytes);

/* The structure with this name; 0: there is none. */
uint32_t btf_structure(struct btf *btf, const char *name);

/* The function with this name; 0: there is none. */
uint32_t btf_function(struct btf *btf, const char *name);

/* The typedef with this name; 0: there is none. */
uint32_t btf_typedef(struct btf *btf, const char *name);

/* The bytes of this structure; 0: it is none. */
uint32_t btf_structure_bytes(struct btf *btf, uint32_t structure);

/*
 * The bytes of a pointer of this kernel, of which its list_head has two: a 32-bit program may run in a 64-bit
 * kernel. Those of this program where there is no such structure.
 */
uint32_t btf_pointer_bytes(struct btf *btf);

/* A member of this structure, also of one without a name inside it; false: none, or a bit field. */
bool btf_member(struct btf *btf, uint32_t structure, const char *name, struct btf_member *member);

/* A bit field of one bit: the offset of its byte and its value there. */
bool btf_bit(struct btf *btf, uint32_t structure, const char *name, uint32_t *offset, uint8_t *bit);

/* The value of a name of this enumeration; false: there is none. */
bool btf_enumerator(struct btf *btf, const char *enumeration, const char *name, uint32_t *value);

/* The structure that a type is, or that it points to; 0: neither. */
uint32_t btf_structure_of(struct btf *btf, uint32_t type);

/* The number of parameters of the function that a type is, or that it points to; 0: it is none. */
uint32_t btf_n_parameters(struct btf *btf, uint32_t type);

/* The type of the elements of an array; 0: it is none. */
uint32_t btf_element(struct btf *btf, uint32_t type);

#endif
