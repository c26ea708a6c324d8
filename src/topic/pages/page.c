/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "page", "page_bytes" and "page_level": details and contents of the page at request->page_address of
 * the selected process, read only on request, and its memory from /proc/PID/status, which is cheap to read.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "kernel/pid/maps.h"
#include "sys/descriptor.h"
#include "sys/pids.h"
#include "topic/pages/page_map.h"

#define COUNTS "proc/kpagecount"
#define KSM (UINT64_C(1) << PAGE_FLAGS_KSM)

struct page_row {
	uint64_t pid, page_address;
	const char *bits;
	uint64_t frame, swap_area, swap_page, mappings, node;
	const char *flags;
};

#define PAGEMAP "/proc/PID/pagemap"
#define PAGE_COL(field, ...) COLUMN_OF(struct page_row, field, __VA_ARGS__)

static const struct column columns[] = {
	PAGE_COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true),
	PAGE_COL(page_address, KEY, ADDRESS, N_("page"), 12, N_("address of its first byte"), "panetop",
		 .fleeting = true),
	PAGE_COL(bits, LABEL, NONE, N_("bits"), 24,
		 N_("present or swapped or absent, file or anonymous, exclusive, written ..."),
		 PAGEMAP " bits 55 to 63"),
	PAGE_COL(frame, LABEL, NONE, N_("frame"), 9, N_("page frame number (PFN)"), PAGEMAP " bits 0 to 54",
		 .rank = 1),
	PAGE_COL(node, LABEL, NONE, N_("node"), 4, N_("NUMA node of the frame"), "move_pages(2)", .rank = 2),
	PAGE_COL(mappings, GAUGE, COUNT, N_("mapped"), 6,
		 N_("number of mappings of the frame, by all processes"), "/" COUNTS, .rank = 1),
	PAGE_COL(swap_area, LABEL, NONE, N_("swap"), 4, N_("number of the swap area"), PAGEMAP " bits 0 to 4",
		 .rank = 2, .optional = true),
	PAGE_COL(swap_page, LABEL, NONE, N_("at page"), 9, N_("page in the swap area"),
		 PAGEMAP " bits 5 to 54", .rank = 2, .optional = true),
	PAGE_COL(flags, LABEL, NONE, N_("flags"), 24, N_("flags of the page frame"), "/" PAGE_MAP_FLAGS,
		 .rank = 1),
};

static const struct schema schema = {
	.name = "page",
	.help = N_("details of one page of the selected process"),
	SCHEMA_ROWS(struct page_row, columns),
};

static bool read_frame(struct env *env, const char *path, uint64_t frame, uint64_t *value)
{
	int fd = page_file_open(env, path);
	bool got = fd >= 0 && page_file_read(env, fd, frame, value, 1) == 1;

	descriptor_close(fd);
	return got;
}

static const char *bits_text(struct frame *frame, const struct pagemap_entry *page, bool knows_soft_dirty)
{
	return arena_print(&frame->arena, "%s%s%s%s%s%s",
			   page->present   ? "present"
			   : page->swapped ? "swapped"
					   : "absent",
			   !page->present && !page->swapped ? ""
			   : page->file                     ? " file or shared"
							    : " anonymous",
			   page->exclusive && page->present ? " exclusive" : "",
			   page->soft_dirty && knows_soft_dirty ? " written" : "",
			   page->write_watched ? " write-watched" : "", page->guard ? " guard" : "");
}

static void fill(struct page_row *row, struct env *env, struct frame *frame, const struct page_map *map,
		 uint64_t entry)
{
	char text[PAGE_FLAGS_TEXT_MAX];
	struct pagemap_entry page;
	uint64_t value;
	int node;

	pagemap_decode(entry, &page);
	row->bits = bits_text(frame, &page, map->soft_dirty);
	if (page.present && page.frame > 0) {
		row->frame = page.frame;
		if (read_frame(env, PAGE_MAP_FLAGS, page.frame, &value))
			row->flags = arena_print(&frame->arena, "%s",
						 page_flags_text(text, map->ksm_flag ? value : value & ~KSM));
		if (read_frame(env, COUNTS, page.frame, &value))
			row->mappings = value;
	}
	if (page.swapped && page.swap_offset > 0) {
		row->swap_area = page.swap_type;
		row->swap_page = page.swap_offset;
	}
	node = page.present && env->live && !env->foreign_pids
		       ? page_file_node(map->target->memory_pid, row->page_address)
		       : -ENOENT;
	if (node >= 0)
		row->node = (uint64_t)node;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct page_map *map = sample->state;
	uint64_t address, entry;
	struct page_row *row;

	if (!page_map_select(sample, &address, &entry))
		return 0;
	row = table_add(sample->table);
	row->pid = map->target->pid;
	row->page_address = address;
	fill(row, env, sample->frame, map, entry);
	return 0;
}

static int test_counts(struct env *env)
{
	return page_file_try(env, COUNTS);
}

const struct topic topic_page = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = COUNTS,
		  .gives = N_("number of mappings of a page frame"),
		  .optional = true,
		  .test = test_counts }),
	.uses = PAGE_MAP_USES | PRIVILEGE_BIT(PRIVILEGE_NODE),
	.reads = page_map_reads,
	.sample = sample,
};

#define MEM "proc/PID/mem"
#define YAMA "proc/sys/kernel/yama/ptrace_scope"
#define YAMA_NO_ATTACH 3
#define ROW_BYTES 16
#define PAGE_BYTES_MAX 65536

struct bytes_row {
	uint64_t pid, byte_address;
	const char *hex, *text;
};

#define BYTES_COL(field, ...) COLUMN_OF(struct bytes_row, field, __VA_ARGS__)

static const struct column bytes_columns[] = {
	BYTES_COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true, .hidden = true),
	BYTES_COL(byte_address, KEY, ADDRESS, N_("address"), 12, N_("of the first byte of the row"),
		  "panetop", .fleeting = true),
	BYTES_COL(hex, LABEL, NONE, N_("bytes"), 47, N_("16 bytes in hexadecimal digits"), "/" MEM),
	BYTES_COL(text, LABEL, NONE, N_("text"), 16, N_("the same bytes as ASCII; other bytes as dots"),
		  "/" MEM),
};

static const struct schema bytes_schema = {
	.name = "page_bytes",
	.help = N_("contents of one page of the selected process"),
	SCHEMA_ROWS(struct bytes_row, bytes_columns),
};

/* Under Yama, memory of other processes takes a capability even for their user, or is closed to everyone. */
static int test_mem(struct env *env)
{
	int error = page_map_test_file(env, "mem");
	struct span text;
	uint64_t scope;

	if (error || env_read(env, env_file(env, YAMA), &text) < 0 || !span_u64(&text, &scope) || scope == 0)
		return error;
	return scope >= YAMA_NO_ATTACH ? -EPERM : privilege_may(PRIVILEGE_MEMORY) ? 0 : -EACCES;
}

static const char both[] =
	N_("run it as root, or give it the capabilities cap_sys_ptrace and cap_dac_read_search");

static void add_row(struct frame *frame, struct table *table, uint32_t pid, uint64_t address,
		    const unsigned char *bytes)
{
	static const char digits[] = "0123456789abcdef";
	struct bytes_row *row = table_add(table);
	char hex[3 * ROW_BYTES], text[ROW_BYTES];

	for (size_t i = 0; i < ROW_BYTES; i++) {
		hex[3 * i] = digits[bytes[i] >> 4];
		hex[3 * i + 1] = digits[bytes[i] & 15];
		hex[3 * i + 2] = ' ';
		text[i] = (char)(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '.');
	}
	row->pid = pid;
	row->byte_address = address;
	row->hex = arena_copy(&frame->arena, hex, sizeof(hex) - 1);
	row->text = arena_copy(&frame->arena, text, sizeof(text));
}

static int sample_bytes(struct sample *sample)
{
	struct env *env = sample->env;
	struct frame *frame = sample->frame;
	struct page_map *map = sample->state;
	uint64_t address, entry;
	size_t wanted = env->page_bytes < PAGE_BYTES_MAX ? (size_t)env->page_bytes : PAGE_BYTES_MAX;
	unsigned char *bytes;
	long got;
	int fd;

	if (!page_map_select(sample, &address, &entry))
		return 0;
	if (!(entry & PAGEMAP_PRESENT)) { /* reading it would fault it in */
		if (sample->request->batch)
			frame_notice(frame, bytes_schema.name, NULL, _("page 0x%llx is not present"),
				     (unsigned long long)address);
		return 0;
	}
	fd = pids_open(env, map->target->memory_pid, "mem", O_RDONLY);
	if (fd < 0) {
		frame_notice(frame, bytes_schema.name,
			     source_remedy(env, topic_source(sample->topic, MEM), -fd), "/proc/%u/mem: %s",
			     map->target->pid, strerror(-fd));
		return 0;
	}
	bytes = arena_take(&frame->arena, wanted);
	got = page_file_bytes(fd, address, bytes, wanted);
	close(fd);
	for (long at = 0; at + ROW_BYTES <= got; at += ROW_BYTES)
		add_row(frame, sample->table, map->target->pid, address + (uint64_t)at, bytes + at);
	return 0;
}

const struct topic topic_page_bytes = {
	.schema = &bytes_schema,
	.sources = SOURCES(
		{ .path = MEM,
		  .gives = N_("the bytes of a page, on request"),
		  .optional = true,
		  .test = test_mem,
		  .remedies = { { EACCES, both },
				{ EPERM,
				  N_("kernel.yama.ptrace_scope=3 closes it to everyone until the "
				     "next boot") } } }),
	.uses = PAGE_MAP_USES | PRIVILEGE_BIT(PRIVILEGE_MEMORY),
	.reads = page_map_reads,
	.sample = sample_bytes,
};

#define STATUS_MAX 4096

struct level_row {
	uint64_t pid, present_bytes, anonymous_bytes, file_bytes, swapped_bytes, peak_bytes;
};

#define LEVEL(field, heading, what, line)                                                                    \
	COLUMN(struct level_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,          \
	       .width = 9, .help = what, .source = "/proc/PID/status " line)

#define LEVEL_COL(field, ...) COLUMN_OF(struct level_row, field, __VA_ARGS__)

static const struct column level_columns[] = {
	LEVEL_COL(pid, KEY, NONE, N_("PID"), 7, N_("process"), "/proc", .fleeting = true),
	LEVEL(present_bytes, N_("present"), N_("present, without zero pages"), "VmRSS"),
	LEVEL(anonymous_bytes, N_("anon"), N_("anonymous memory"), "RssAnon"),
	LEVEL(file_bytes, N_("file"), N_("files and shared memory"), "RssFile + RssShmem"),
	LEVEL(swapped_bytes, N_("swapped"), N_("anonymous memory in swap"), "VmSwap"),
	LEVEL(peak_bytes, N_("peak"), N_("highest resident size so far, plus memory in swap"),
	      "VmHWM + VmSwap"),
};

static const struct schema level_schema = {
	.name = "page_level",
	.help = N_("memory of the selected process as the kernel counts it"),
	SCHEMA_ROWS(struct level_row, level_columns),
};

static int sample_level(struct sample *sample)
{
	struct target *target = sample->state;
	struct pid_status status;
	struct level_row *row;
	char bytes[STATUS_MAX];
	long length;

	if (target->state != TARGET_LIVE)
		return 0;
	length = pids_read(sample->env, target->memory_pid, "status", bytes, sizeof(bytes));
	if (length < 0)
		return 0; /* it just exited */
	pid_status_parse(span_of(bytes, (size_t)length), &status);
	row = table_add(sample->table);
	row->pid = target->pid;
	row->present_bytes = status.vm_resident;
	row->anonymous_bytes = status.resident_anonymous;
	row->file_bytes = u64_sum(status.resident_file, status.resident_shared);
	row->swapped_bytes = status.vm_swap;
	row->peak_bytes = u64_sum(status.vm_resident_peak, status.vm_swap);
	return 0;
}

const struct topic topic_page_level = {
	.schema = &level_schema,
	.sources = SOURCES(
		{ .path = "proc/self/status", .gives = N_("the kernel's own counts of the memory of "
							  "a process") }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READING_ONE(&target_reader),
	.sample = sample_level,
};
