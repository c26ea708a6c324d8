/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts pages that reads ask of the page cache, and those that it lacked, by process and file. It takes the
 * place of the page cache's own figures, which know neither processes nor reads. At each event:
 *
 *	struct address_space *mapping = FOLIO ? folio->mapping : ARGUMENT;
 *	u64 thread = get_current_pid_tgid();
 *	u64 clock = ASKED ? task->ioac.syscr : task->min_flt + task->maj_flt;
 *	struct bpf_reader *reader = map_lookup_elem(readers, &thread);	(made where there is none)
 *	bool in_fault = reader->faulted == mapping && reader->faults == clock;
 *
 * ADDED, a folio of pages pages; what a fault adds, no read asks for:
 *
 *	if (!in_fault) {
 *		reader->pending = (reader->adding == mapping ? reader->pending : 0) + pages;
 *		reader->adding = mapping;
 *	}
 *
 * FAULTED; the kernel may try a fault again, and a fault has two tracepoints:
 *
 *	if (!in_fault) {
 *		reader->faulted = mapping;
 *		reader->faults = clock;
 *		count(FAULTED, 1);
 *	}
 *
 * DIRTIED, a folio of pages pages:
 *
 *	take_pending();
 *	count(DIRTIED, pages);
 *
 * ASKED, from first to last, which is cut at the end of the file. A read looks for what is left of it again
 * and again, to the same end, until it has all: only the first look counts:
 *
 *	asked = last - first + 1;
 *	if (reader->reading == mapping && reader->last == last && reader->reads == clock &&
 *	    reader->first < first)
 *		asked = 0;
 *	reader->reading, first, last, reads = mapping, first, last, clock;
 *	count(ASKED, asked);
 *	count(ADDED, take_pending());
 *
 * where take_pending() is what this thread has added to the file since its last read or write of it, and
 *
 *	count(event, value): if (value) count.c's with key[] = { thread >> 32, event, device, inode };
 */
#include <config.h>

#include "sys/bpf/emit.h"

#include <errno.h>

struct looking {
	struct frame_slot thread, reader, mapping;
	struct frame_slot pages; /* of the folio, or pending ones */
	struct frame_slot first, last;
	struct frame_slot clock; /* system calls that read, or page faults, of the task so far */
};

/* to = reader->field */
static void load_of_reader(struct bpf_assembler *as, const struct looking *looking, int to, size_t field)
{
	emit_load_slot(as, 8, to, looking->reader, 0);
	emit_load(as, 8, to, to, field);
}

/* if (reader->field compare slot) goto label; r2: the slot */
static void jump_if_reader(struct bpf_assembler *as, const struct looking *looking, size_t field, int compare,
			   struct frame_slot with, struct bpf_label *label)
{
	load_of_reader(as, looking, R1, field);
	emit_load_slot(as, 8, R2, with, 0);
	emit_jump_if_register(as, R1, compare, R2, label);
}

/* reader->field = r2 */
static void store_of_reader(struct bpf_assembler *as, const struct looking *looking, size_t field)
{
	emit_load_slot(as, 8, R1, looking->reader, 0);
	emit_store(as, 8, R1, field, R2);
}

static void copy_to_reader(struct bpf_assembler *as, const struct looking *looking, size_t field,
			   struct frame_slot from)
{
	emit_load_slot(as, 8, R2, from, 0);
	store_of_reader(as, looking, field);
}

/* Of the folio that the first argument is. */
static void load_pages(struct bpf_assembler *as, const struct looking *looking)
{
	const struct bpf_kernel *kernel = as->target->kernel;
	struct bpf_label small = { 0 };
	uint32_t large_bit = 0;

	emit_lack(as, kernel->enumerator(kernel->state, "pageflags", "PG_head", &large_bit));
	emit_argument(as, R1, 0);
	emit_member_of(as, 8, R2, R1, "folio.flags");
	emit_compute_with(as, BPF_RSH, R2, (int32_t)large_bit);
	emit_compute_with(as, BPF_AND, R2, 1);
	emit_set(as, R3, 0);
	emit_jump_if(as, R2, BPF_JEQ, 0, &small);
	emit_member_of(as, 8, R3, R1, "folio._flags_1"); /* the order of a large one */
	emit_compute_with(as, BPF_AND, R3, 31);
	emit_label(as, &small);
	emit_set(as, R2, 1);
	emit_compute(as, BPF_LSH, R2, R3);
	emit_store_slot(as, 8, looking->pages, 0, R2);
}

/* What of the read lies in the file. */
static void load_range(struct bpf_assembler *as, const struct looking *looking, struct bpf_label *nothing)
{
	struct bpf_label within = { 0 };

	emit_load_slot(as, 8, R1, looking->mapping, 0);
	emit_member(as, R1, R1, "address_space.host");
	emit_member(as, R1, R1, "inode.i_size");
	emit_jump_if(as, R1, BPF_JSLE, 0, nothing);
	emit_compute_with(as, BPF_SUB, R1, 1);
	emit_compute_with(as, BPF_RSH, R1, (int32_t)as->target->kernel->page_bits);
	emit_argument(as, R2, 2);
	emit_jump_if_register(as, R2, BPF_JLE, R1, &within);
	emit_move(as, R2, R1);
	emit_label(as, &within);
	emit_argument(as, R3, 1);
	emit_jump_if_register(as, R3, BPF_JGT, R2, nothing);
	emit_store_slot(as, 8, looking->first, 0, R3);
	emit_store_slot(as, 8, looking->last, 0, R2);
}

static void load_faults(struct bpf_assembler *as, const struct looking *looking)
{
	emit_call(as, BPF_FUNC_get_current_task_btf);
	emit_member(as, R1, R0, "task_struct.min_flt");
	emit_member(as, R2, R0, "task_struct.maj_flt");
	emit_compute(as, BPF_ADD, R1, R2);
	emit_store_slot(as, 8, looking->clock, 0, R1);
}

static void find_reader(struct bpf_assembler *as, const struct looking *looking, struct bpf_label *none)
{
	struct frame_slot made = emit_slot(as, sizeof(struct bpf_reader) / WORD);
	struct bpf_label found = { 0 };

	emit_call(as, BPF_FUNC_get_current_pid_tgid);
	emit_store_slot(as, 8, looking->thread, 0, R0);
	emit_look_up(as, BPF_MAP_READERS, looking->thread);
	emit_jump_if(as, R0, BPF_JNE, 0, &found);
	emit_clear(as, made);
	emit_update(as, BPF_MAP_READERS, looking->thread, made, BPF_ANY);
	emit_look_up(as, BPF_MAP_READERS, looking->thread);
	emit_label(as, &found);
	emit_jump_if(as, R0, BPF_JEQ, 0, none);
	emit_store_slot(as, 8, looking->reader, 0, R0);
}

/* The value, of this event, unless it is 0. */
static void count_event(struct bpf_assembler *as, const struct looking *looking, enum bpf_cache_event event)
{
	struct bpf_label nothing = { 0 };

	emit_jump_if(as, VALUE, BPF_JEQ, 0, &nothing);
	emit_load_slot(as, 8, R1, looking->thread, 0);
	emit_compute_with(as, BPF_RSH, R1, 32);
	emit_store_slot(as, 8, as->key, BPF_CACHE_PROCESS * WORD, R1);
	emit_store_slot_number(as, as->key, BPF_CACHE_EVENT * WORD, (int32_t)event);
	emit_load_slot(as, 8, R1, looking->mapping, 0);
	emit_member(as, R1, R1, "address_space.host");
	emit_member(as, R2, R1, "inode.i_ino");
	emit_store_slot(as, 8, as->key, BPF_CACHE_INODE * WORD, R2);
	emit_member(as, R1, R1, "inode.i_sb");
	emit_member(as, R1, R1, "super_block.s_dev");
	emit_store_slot(as, 8, as->key, BPF_CACHE_DEVICE * WORD, R1);
	emit_count_value(as);
	emit_label(as, &nothing);
}

/* Unless the thread is still in the fault that it was in when this file was last faulted. */
static void jump_unless_in_fault(struct bpf_assembler *as, const struct looking *looking,
				 struct bpf_label *outside)
{
	jump_if_reader(as, looking, offsetof(struct bpf_reader, faulted), BPF_JNE, looking->mapping, outside);
	jump_if_reader(as, looking, offsetof(struct bpf_reader, faults), BPF_JNE, looking->clock, outside);
}

/* pages = take_pending() */
static void take_pending(struct bpf_assembler *as, const struct looking *looking)
{
	struct bpf_label other = { 0 };

	emit_store_slot_number(as, looking->pages, 0, 0);
	jump_if_reader(as, looking, offsetof(struct bpf_reader, adding), BPF_JNE, looking->mapping, &other);
	load_of_reader(as, looking, R1, offsetof(struct bpf_reader, pending));
	emit_store_slot(as, 8, looking->pages, 0, R1);
	emit_set(as, R2, 0);
	store_of_reader(as, looking, offsetof(struct bpf_reader, pending));
	emit_label(as, &other);
}

static void leave_out_rest(struct bpf_assembler *as, const struct looking *looking)
{
	struct bpf_label others = { 0 };

	jump_if_reader(as, looking, offsetof(struct bpf_reader, reading), BPF_JNE, looking->mapping, &others);
	jump_if_reader(as, looking, offsetof(struct bpf_reader, last), BPF_JNE, looking->last, &others);
	jump_if_reader(as, looking, offsetof(struct bpf_reader, reads), BPF_JNE, looking->clock, &others);
	jump_if_reader(as, looking, offsetof(struct bpf_reader, first), BPF_JGE, looking->first, &others);
	emit_set(as, VALUE, 0);
	emit_label(as, &others);
}

static struct looking begin(struct bpf_assembler *as)
{
	as->key = emit_slot(as, N_BPF_CACHE_WORDS);
	return (struct looking){
		.thread = emit_slot(as, 1),
		.reader = emit_slot(as, 1),
		.mapping = emit_slot(as, 1),
		.pages = emit_slot(as, 1),
		.first = emit_slot(as, 1),
		.last = emit_slot(as, 1),
		.clock = emit_slot(as, 1),
	};
}

/* r1: the address_space. */
static void keep_mapping(struct bpf_assembler *as, const struct looking *looking, struct bpf_label *none)
{
	emit_jump_if(as, R1, BPF_JEQ, 0, none);
	emit_store_slot(as, 8, looking->mapping, 0, R1);
}

static void added(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, outside = { 0 }, same = { 0 };
	struct looking looking = begin(as);

	emit_argument(as, R1, 0);
	emit_member(as, R1, R1, "folio.mapping");
	keep_mapping(as, &looking, &none);
	load_pages(as, &looking);
	load_faults(as, &looking);
	find_reader(as, &looking, &none);
	jump_unless_in_fault(as, &looking, &outside);
	emit_jump(as, &none);
	emit_label(as, &outside);
	load_of_reader(as, &looking, R3, offsetof(struct bpf_reader, pending));
	jump_if_reader(as, &looking, offsetof(struct bpf_reader, adding), BPF_JEQ, looking.mapping, &same);
	emit_set(as, R3, 0);
	store_of_reader(as, &looking, offsetof(struct bpf_reader, adding));
	emit_label(as, &same);
	emit_load_slot(as, 8, R2, looking.pages, 0);
	emit_compute(as, BPF_ADD, R2, R3);
	store_of_reader(as, &looking, offsetof(struct bpf_reader, pending));
	emit_label(as, &none);
}

static void faulted(struct bpf_assembler *as)
{
	struct bpf_label none = { 0 }, outside = { 0 };
	struct looking looking = begin(as);

	emit_argument(as, R1, 0);
	keep_mapping(as, &looking, &none);
	load_faults(as, &looking);
	find_reader(as, &looking, &none);
	jump_unless_in_fault(as, &looking, &outside);
	emit_jump(as, &none);
	emit_label(as, &outside);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, faulted), looking.mapping);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, faults), looking.clock);
	emit_set(as, VALUE, 1);
	count_event(as, &looking, BPF_CACHE_FAULTED);
	emit_label(as, &none);
}

static void dirtied(struct bpf_assembler *as)
{
	struct looking looking = begin(as);
	struct bpf_label none = { 0 };

	emit_argument(as, R1, 1);
	keep_mapping(as, &looking, &none);
	load_pages(as, &looking);
	load_faults(as, &looking);
	find_reader(as, &looking, &none);
	emit_load_slot(as, 8, VALUE, looking.pages, 0);
	take_pending(as, &looking);
	count_event(as, &looking, BPF_CACHE_DIRTIED);
	emit_label(as, &none);
}

static void asked(struct bpf_assembler *as)
{
	struct looking looking = begin(as);
	struct bpf_label none = { 0 };

	emit_argument(as, R1, 0);
	keep_mapping(as, &looking, &none);
	load_range(as, &looking, &none);
	emit_call(as, BPF_FUNC_get_current_task_btf);
	emit_member(as, R1, R0, "task_struct.ioac.syscr");
	emit_store_slot(as, 8, looking.clock, 0, R1);
	find_reader(as, &looking, &none);
	emit_load_slot(as, 8, VALUE, looking.last, 0);
	emit_load_slot(as, 8, R1, looking.first, 0);
	emit_compute(as, BPF_SUB, VALUE, R1);
	emit_compute_with(as, BPF_ADD, VALUE, 1);
	leave_out_rest(as, &looking);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, reading), looking.mapping);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, first), looking.first);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, last), looking.last);
	copy_to_reader(as, &looking, offsetof(struct bpf_reader, reads), looking.clock);
	take_pending(as, &looking);
	count_event(as, &looking, BPF_CACHE_ASKED);
	emit_load_slot(as, 8, VALUE, looking.pages, 0);
	count_event(as, &looking, BPF_CACHE_ADDED);
	emit_label(as, &none);
}

#define CACHE_SHAPE                                                                                          \
	.maps = BPF_MAP_BIT(BPF_MAP_ENTRIES) | BPF_MAP_BIT(BPF_MAP_READERS), .entries = BPF_ENTRIES_COUNTS,  \
	.needs_types = true

const struct bpf_shape bpf_cache_added = { CACHE_SHAPE, .work = added };
const struct bpf_shape bpf_cache_asked = { CACHE_SHAPE, .work = asked };
const struct bpf_shape bpf_cache_faulted = { CACHE_SHAPE, .work = faulted };
const struct bpf_shape bpf_cache_dirtied = { CACHE_SHAPE, .work = dirtied };
