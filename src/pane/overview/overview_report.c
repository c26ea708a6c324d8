/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page for others shows of the overview: its graphs and its lists, and what belongs to them. */
#include <config.h>

#include "core/i18n.h"
#include "pane/overview/overview_gauge.h"
#include "pane/panes.h"

#define LIST_ROWS 12

static const struct reported_chart charts[] = {
	{ .title = N_("CPU"),
	  .lines = { { N_("busy"), { "cpu", "all", "busy_ratio" } },
		     { N_("kernel"), { "cpu", "all", "system_ratio" } },
		     { N_("wait for disks"), { "cpu", "all", "iowait_ratio" } },
		     { N_("steal"), { "cpu", "all", "steal_ratio" } } },
	  .least_end = 1 },
	{ .title = N_("Memory"),
	  .lines = { { N_("used"), { "memory", "available", "used_bytes" } },
		     { N_("swap used"), { "memory", "swap", "used_bytes" } } },
	  .whole = { "memory", "mem", "total_bytes" } },
	{ .title = N_("Time in which some task waited"),
	  .lines = { { N_("for a CPU"), { "pressure", "cpu", "avg10_ratio" } },
		     { N_("for memory"), { "pressure", "memory", "avg10_ratio" } },
		     { N_("for disks"), { "pressure", "io", "avg10_ratio" } } },
	  .least_end = 0.1 },
	{ .title = N_("Load"), .lines = { { N_("load"), { "system", NULL, "load1" } } }, .least_end = 1 },
	{ .title = N_("Disks"),
	  .lines = { { N_("read"), { "disk", "all", "read_bytes_per_second" } },
		     { N_("write"), { "disk", "all", "write_bytes_per_second" } } },
	  .least_end = 1 << 20 },
	{ .title = N_("Network"),
	  .lines = { { N_("receive"), { "interface", "all", "received_bits_per_second" } },
		     { N_("send"), { "interface", "all", "sent_bits_per_second" } } },
	  .least_end = 1e6 },
	{ .title = N_("Power"), .lines = { { N_("power"), { "power", "total", "watts" } } } },
	{ .title = N_("Limit of CPU time"),
	  .lines = { { N_("used"), { "cpu_limit", NULL, "cpu_ratio" } },
		     { N_("limit"), { "cpu_limit", NULL, "limit_ratio" } } } },
	{ .title = N_("Limit of memory"),
	  .lines = { { N_("used"), { "memory_limit", "memory", "used_bytes" } },
		     { N_("limit"), { "memory_limit", "memory", "limit_bytes" } } } },
	{ .title = N_("Scope: CPUs"), .lines = { { N_("used"), { "scope_use", NULL, "cpu_ratio" } } } },
	{ .title = N_("Scope: memory"), .lines = { { N_("used"), { "scope_use", NULL, "memory_bytes" } } } },
	{ 0 },
};

#define PROCESSES(title_, column, others, least_)                                                            \
	{                                                                                                    \
		.title = (title_), .topic = "process", .columns = column "," others ",pid,name",             \
		.with_names = column "," others ",pid,user,command", .sort = (column),                       \
		.threshold = (column), .least = (least_), .rows = LIST_ROWS                                  \
	}

static const struct reported_table tables[] = {
	PROCESSES(N_("Most CPU"), "cpu_ratio", "resident_bytes", 0.0005),
	PROCESSES(N_("Most memory"), "resident_bytes", "cpu_ratio", 1),
	PROCESSES(N_("Waited most for a CPU"), "wait_ratio", "cpu_ratio", 0.0005),
	PROCESSES(N_("Growing"), "growth_bytes_per_second", "resident_bytes", 1),
	PROCESSES(N_("Most disk"), "disk_bytes_per_second", "write_bytes_per_second,read_bytes_per_second",
		  1),
	PROCESSES(N_("Most TCP"), "tcp_bytes_per_second",
		  "tcp_received_bytes_per_second,tcp_sent_bytes_per_second", 1),
	{ .title = N_("Exited within a minute"),
	  .topic = "exited",
	  .columns = "recent_exits,recent_failures,command",
	  .sort = "recent_exits",
	  .threshold = "recent_exits",
	  .least = 1,
	  .rows = LIST_ROWS },
	{ .title = N_("Groups"),
	  .topic = "group",
	  .columns = "cpu_ratio,throttled_ratio,memory_bytes,memory_limit_bytes,tasks,name",
	  .sort = "cpu_ratio",
	  .rows = LIST_ROWS },
	{ .title = N_("Disks"),
	  .topic = "disk",
	  .columns = "device,busy_ratio,queue,read_bytes_per_second,write_bytes_per_second,read_wait_seconds,"
		     "write_wait_seconds",
	  .sort = "busy_ratio",
	  .rows = LIST_ROWS },
	{ .title = N_("File systems"),
	  .topic = "filesystem",
	  .columns = "used_ratio,available_bytes,total_bytes,inodes_used_ratio,type,mount",
	  .sort = "used_ratio",
	  .rows = LIST_ROWS },
	{ .title = N_("Interfaces"),
	  .topic = "interface",
	  .columns = "name,state,received_bits_per_second,sent_bits_per_second,errors_per_second,"
		     "drops_per_second,used_ratio",
	  .sort = "received_bits_per_second",
	  .rows = LIST_ROWS },
	{ .title = N_("What panetop used for a sample"),
	  .topic = "self",
	  .columns = "topic,sample_seconds,lost",
	  .sort = "sample_seconds",
	  .rows = LIST_ROWS },
	{ 0 },
};

/* Of the lines: the rest of what the gauges read. */
static const char *const also[] = { "power",     "temperature", "cpu_limit", "memory_limit",
				    "scope_use", "account",     NULL };

/* As at the top of the screen, without the names of program and host. */
static void add_lines(const struct frame *frame, bool ascii, struct buffer *out)
{
	char pieces[HEADLINE_PIECES_MAX][HEADLINE_PIECE_MAX];
	unsigned n_pieces = headline_pieces(frame, pieces);

	for (unsigned i = frame->host ? 2 : 1; i < n_pieces; i++)
		buffer_print(out, "%s%s", pieces[i], i + 1 < n_pieces ? ", " : "\n");
	overview_lines(frame, ascii, out);
}

static const char *const strained[] = { "cpu", "memory", "io", NULL };

const struct reported reported_overview = {
	.charts = charts,
	.tables = tables,
	.also = also,
	.strained = strained,
	.pressure = { "pressure", NULL, "avg10_ratio" },
	.own_cpu = { "self", "all", "cpu_ratio" },
	.lines = add_lines,
};
