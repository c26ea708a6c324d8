/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_bytes": the contents of one page of the selected process, read only on request. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "topic/pages/page_map.h"

#define MEM "proc/PID/mem"
#define YAMA "proc/sys/kernel/yama/ptrace_scope"
#define YAMA_NO_ATTACH 3
#define ROW_BYTES 16
#define PAGE_BYTES_MAX 65536

struct bytes_row {
	uint64_t pid, byte_address;
	const char *hex, *text;
};

static const struct column columns[] = {
	COLUMN(struct bytes_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .hidden = true, .help = N_("process"), .source = "/proc"),
	COLUMN(struct bytes_row, byte_address, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_ADDRESS,
	       .title = N_("address"), .width = 12, .help = N_("of the first byte of the row"),
	       .source = "panetop"),
	COLUMN(struct bytes_row, hex, .kind = COLUMN_LABEL, .title = N_("bytes"), .width = 47,
	       .help = N_("16 bytes in hexadecimal digits"), .source = "/" MEM),
	COLUMN(struct bytes_row, text, .kind = COLUMN_LABEL, .title = N_("text"), .width = 16,
	       .help = N_("the same bytes as ASCII; other bytes as dots"), .source = "/" MEM),
};

static const struct schema schema = {
	.name = "page_bytes",
	.help = N_("contents of one page of the selected process"),
	.row_size = sizeof(struct bytes_row),
	SCHEMA_COLUMNS(columns),
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

static const struct source_spec sources[] = {
	{ .path = MEM,
	  .gives = N_("the bytes of a page, on request"),
	  .optional = true,
	  .test = test_mem,
	  .remedies = { { EACCES, both },
			{ EPERM,
			  N_("kernel.yama.ptrace_scope=3 closes it to everyone until the next boot") } } },
	{ 0 },
};

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

static int sample(struct sample *sample)
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
			frame_notice(frame, schema.name, NULL, _("page 0x%llx is not present"),
				     (unsigned long long)address);
		return 0;
	}
	fd = pids_open(env, map->target->memory_pid, "mem", O_RDONLY);
	if (fd < 0) {
		frame_notice(frame, schema.name, source_remedy(env, topic_source(sample->topic, MEM), -fd),
			     "/proc/%u/mem: %s", map->target->pid, strerror(-fd));
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
	.schema = &schema,
	.sources = sources,
	.uses = PAGE_MAP_USES | PRIVILEGE_BIT(PRIVILEGE_MEMORY),
	.reads = page_map_reads,
	.sample = sample,
};
