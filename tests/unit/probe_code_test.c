/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of what --probe-call names, and of where that is in a file: its symbols, and its notes (USDT). And of
 * who attaches programs there, to processes of the test, with a kernel of the test.
 */
#include "suite.h"

#include <elf.h>
#include <sys/prctl.h>
#include <time.h>

#include "elf_image.h"
#include "held_threads.h"
#include "kernel/code/elf_file.h"
#include "sys/perf_ring.h"
#include "sys/privilege.h"
#include "topic/probe/function.h"
#include "topic/probe/prober.h"

#define TEXT 0x21000
#define NOTES_BASE UINT64_C(0x2400)
#define FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

/* --- Names. */

START_TEST(a_name_is_of_a_file_and_a_function)
{
	static const char *const cases[][2] = {
		{ "libfoo.so.1:open", "name libfoo.so.1, of , open" },
		{ "/usr/lib/libfoo.so:open", "path /usr/lib/libfoo.so, of , open" },
		{ "./a:b/libfoo:open", "path ./a:b/libfoo, of , open" },
		{ "python3:python:gc__start", "name python3, of python, gc__start" },
	};
	static const char *const wrong[] = { "",     "libfoo",  "libfoo:",    ":open",
					     "/a/b", "/a:b/c",  "/a/:open",   "libfoo::open",
					     "a:b:", "a:b:c:d", "/dir:with/", ":" };
	struct probe_name name;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(probe_name_parse(&name, span_text(cases[i][0])), "%s", cases[i][0]);
		ck_assert_str_eq(textf("%s %.*s, of %.*s, %.*s", name.is_path ? "path" : "name",
				       (int)span_length(name.file), name.file.at,
				       (int)span_length(name.provider), name.provider.at,
				       (int)span_length(name.function), name.function.at), cases[i][1]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!probe_name_parse(&name, span_text(wrong[i])), "%s", wrong[i]);
}

START_TEST(a_short_name_stands_for_versions)
{
	static const struct {
		const char *file, *path;
		enum probe_file_match match;
	} cases[] = {
		{ "libfoo", "/usr/lib/libfoo.so.1", PROBE_FILE_BEGINS },
		{ "libc", "/lib/libc-2.31.so", PROBE_FILE_BEGINS },
		{ "python3", "/usr/bin/python3.11", PROBE_FILE_BEGINS },
		{ "libfoo.so.1", "/usr/lib/libfoo.so.1", PROBE_FILE_IS },
		{ "work", "/tmp/work (deleted)", PROBE_FILE_IS },
		{ "libc", "/lib/libcap.so.2", PROBE_FILE_OTHER },
		{ "lib", "/lib/other", PROBE_FILE_OTHER },
		{ "libfoo.so.1", "", PROBE_FILE_OTHER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe_name name = { .file = span_text(cases[i].file) };

		ck_assert_msg(probe_name_matches(&name, span_text(cases[i].path)) == cases[i].match,
			      "%s of %s", cases[i].file, cases[i].path);
	}
}

/* --- Files. */

enum section { TEXT_SECTION, SYMBOLS, NAMES, PROBES, BASE };

/* What the file of a test is made of; each test has a process of its own. */
static struct {
	struct image image;
	struct buffer code, symbols, names, notes, file;
} parts;

#define CODE(name, offset) { name, TEXT + (offset), 1, FUNCTION, 1 }
#define OF_KIND(name, kind) { name, TEXT, 5, ELF64_ST_INFO(STB_GLOBAL, kind), 1 }
#define DATA(name) OF_KIND(name, STT_OBJECT)
#define CHOOSER(name) OF_KIND(name, STT_GNU_IFUNC)
#define CALLED(name) { name, 0, 0, FUNCTION, SHN_UNDEF }
#define OUTSIDE(name) { name, 0x999999, 5, FUNCTION, 1 }

static const struct image_symbol all_symbols[] = {
	{ "count_words", TEXT, 5, FUNCTION, 1 },
	{ "twice", TEXT + 5, 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1 },
	{ "twice", TEXT + 6, 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 1 },
	CHOOSER("choose"), DATA("table"), CALLED("open"), OUTSIDE("outside"), CODE("both", 5),
};

static const char code[] = "\x0f\x1f\x44\x00\x00" /* a nop of 5 bytes */
			   "\xc3\x55"
			   "\x90\x90\x90"; /* nops of a byte */

/* A note of a probe; addresses are those before the file moved by 0x1000. */
static void add_note(uint64_t address, uint64_t semaphore, const char *texts, size_t text_bytes)
{
	bool is_64 = parts.image.is_64;

	IMAGE_ADD(&parts.notes, is_64, "444", 8, (is_64 ? 24 : 12) + text_bytes, 3);
	buffer_add(&parts.notes, "stapsdt", 8);
	IMAGE_ADD(&parts.notes, is_64, "www", address - 0x1000, NOTES_BASE - 0x1000,
		  semaphore ? semaphore - 0x1000 : 0);
	buffer_add(&parts.notes, texts, text_bytes);
	buffer_fill(&parts.notes, '\0', (4 - parts.notes.length % 4) % 4);
}

#define NOTE(address, semaphore, texts) add_note(address, semaphore, texts, sizeof(texts))

static void write_file(void)
{
	const struct span contents[] = { image_span(&parts.code), image_span(&parts.symbols),
					 image_span(&parts.names), image_span(&parts.notes) };

	for (unsigned i = 0; i < 4; i++)
		parts.image.sections[i].content = contents[i];
	image_write(&parts.file, &parts.image);
}

/* Its symbols are these, behind the first one, which is none. */
static void set_symbols(const struct image_symbol *symbols, size_t n)
{
	const struct image_symbol none = { "", 0, 0, 0, 0 };

	buffer_empty(&parts.symbols);
	buffer_empty(&parts.names);
	image_add_symbol(parts.image.is_64, &parts.symbols, &parts.names, &none);
	for (size_t i = 0; i < n && symbols[i].name; i++)
		image_add_symbol(parts.image.is_64, &parts.symbols, &parts.names, &symbols[i]);
	write_file();
}

static void set_code(const char *bytes, size_t length)
{
	buffer_empty(&parts.code);
	buffer_add(&parts.code, bytes, length);
	write_file();
}

static void make_file(bool is_64, uint16_t machine)
{
	parts.image = (struct image){
		.is_64 = is_64, .machine = machine, .type = ET_DYN,
		.sections = { { ".text", SHT_PROGBITS, .address = TEXT },
			      { ".symtab", SHT_SYMTAB, NAMES + 1 },
			      { ".strtab", SHT_STRTAB },
			      { ".note.stapsdt", SHT_NOTE },
			      { ".stapsdt.base", SHT_PROGBITS, 0, span_of("x", 1), NOTES_BASE } },
	};
	buffer_empty(&parts.code);
	buffer_add(&parts.code, code, sizeof(code) - 1);
	buffer_empty(&parts.notes);
	NOTE(TEXT + 7, 0, "work\0begin\0008@%rax");
	NOTE(TEXT + 8, TEXT + 6, "work\0begin\0");
	NOTE(TEXT + 9, 0, "other\0begin\0");
	NOTE(TEXT + 5, 0, "work\0no_nop\0");
	NOTE(0x999999, 0, "work\0outside\0");
	NOTE(TEXT + 9, 0x999999, "work\0no_semaphore\0");
	NOTE(TEXT + 9, 0, "work\0both\0");
	set_symbols(all_symbols, sizeof(all_symbols) / sizeof(all_symbols[0]));
}

static struct probe_code find(const char *text)
{
	struct probe_code found;
	struct probe_name name;

	ck_assert(probe_name_parse(&name, span_text(text)));
	probe_code_find(&found, image_span(&parts.file), &name, &(struct progress){ 0 });
	return found;
}

/* "function 0 (nop) 6", "probe 7 8/6": offsets in the code, and that of a semaphore; or why there is none. */
static const char *found_text(const char *text)
{
	static const char *const faults[] = {
		[PROBE_FAULT_CHOOSER] = "chooser",   [PROBE_FAULT_DATA] = "data",
		[PROBE_FAULT_ELSEWHERE] = "elsewhere", [PROBE_FAULT_NOT_CODE] = "not code",
		[PROBE_FAULT_NOTHING] = "nothing",   [PROBE_FAULT_NO_NAMES] = "no names",
		[PROBE_FAULT_NO_ELF] = "no ELF",     [PROBE_FAULT_PLACES] = "places",
	};
	struct probe_code found = find(text);
	uint64_t start = image_offset(&parts.image, TEXT_SECTION);
	const char *places = found.is_function ? "function" : "probe";

	if (found.fault == PROBE_FAULT_NOTHING)
		return textf("nothing near '%s'", found.near);
	if (found.fault != PROBE_FAULT_NONE)
		return faults[found.fault];
	for (unsigned i = 0; i < found.n_places; i++) {
		const struct probe_place *place = &found.places[i];

		places = textf("%s %d%s", places, (int)(place->offset - start),
			       place->is_nop ? " (nop)" : "");
		if (place->semaphore_offset)
			places = textf("%s/%d", places, (int)(place->semaphore_offset - start));
	}
	return places;
}

START_TEST(functions_and_probes_are_found_where_they_are)
{
	static const char *const cases[][2] = {
		{ "a:count_words", "function 0 (nop)" },
		{ "a:twice", "function 5 6" }, /* two local functions of this name */
		{ "a:both", "function 5" },    /* although there is a probe, too */
		{ "a:begin", "probe 7 8/6 9" },
		{ "a:work:begin", "probe 7 8/6" },
		{ "a:work:both", "probe 9" },
		{ "a:choose", "chooser" },
		{ "a:table", "data" },
		{ "a:open", "elsewhere" },
		{ "a:outside", "not code" },
		{ "a:count_wrods", "nothing near 'count_words'" },
		{ "a:xyz", "nothing near ''" },
		{ "a:work:bgein", "nothing near 'begin'" },
		{ "a:work:no_nop", "nothing near ''" },
		{ "a:work:outside", "nothing near ''" },
		{ "a:work:no_semaphore", "nothing near ''" },
		{ "a:work:count_words", "nothing near ''" },
		{ "a:nobody:begin", "no names" },
	};

	for (unsigned kind = 0; kind < 2; kind++) {
		make_file(kind, kind ? EM_X86_64 : EM_386);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			check_text(cases[i][0], found_text(cases[i][0]), cases[i][1]);
	}
	parts.file.bytes[0] = 'x';
	ck_assert_str_eq(found_text("a:count_words"), "no ELF");
	make_file(true, EM_X86_64);
	for (unsigned i = 0; i < 5; i++) {
		char padding[8] = "\x0f\x1f\x44\x00\x00\x0f\x1f\x44";

		padding[i] ^= 1; /* no nop of 5 bytes */
		set_code(padding, sizeof(padding));
		ck_assert_str_eq(found_text("a:count_words"), "function 0");
	}
}

/* What says most of a name that several have; near are those that could be probed. */
START_TEST(a_name_may_be_of_several_symbols)
{
#define ENDS { CODE("finished", 0), CODE("finish", 0), CODE("finishes", 0) }
	static const struct {
		struct image_symbol symbols[6];
		const char *name, *found;
	} cases[] = {
		{ { CODE("work", 0), CODE("work", 5), CODE("work", 0), CODE("worker", 6) }, "a:work",
		  "function 0 (nop) 5" },
		{ { DATA("work"), CALLED("work") }, "a:work", "data" },
		{ { CALLED("work"), DATA("work") }, "a:work", "elsewhere" },
		{ { DATA("work"), CHOOSER("work") }, "a:work", "chooser" },
		{ { CHOOSER("work"), DATA("work") }, "a:work", "chooser" },
		{ { CALLED("work"), CHOOSER("work") }, "a:work", "chooser" },
		{ { CALLED("work"), OUTSIDE("work") }, "a:work", "not code" },
		{ { OUTSIDE("work"), DATA("work") }, "a:work", "not code" },
		{ { CALLED("work"), CODE("work", 0) }, "a:work", "function 0 (nop)" },
		{ { CODE("work", 0), DATA("work") }, "a:work", "function 0 (nop)" },
		{ { CALLED("begin") }, "a:begin", "probe 7 8/6 9" },
		{ { DATA("table") }, "a:tabel", "nothing near ''" },
		{ { CHOOSER("choose") }, "a:chooes", "nothing near ''" },
		{ { CALLED("called") }, "a:calld", "nothing near ''" },
		{ ENDS, "a:finsh", "nothing near 'finish'" },
		{ ENDS, "a:begn", "nothing near 'begin'" },
		{ ENDS, "a:other:begn", "nothing near 'begin'" },
		{ ENDS, "a:other:boht", "nothing near ''" },
		{ ENDS, "a:work:finsh", "nothing near ''" },
		{ ENDS, "a:work:boht", "nothing near 'both'" },
	};

	make_file(true, EM_X86_64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_symbols(cases[i].symbols, 6);
		ck_assert_msg(strcmp(found_text(cases[i].name), cases[i].found) == 0, "case %zu, %s: %s", i,
			      cases[i].name, found_text(cases[i].name));
	}
	buffer_empty(&parts.notes);
	set_symbols(NULL, 0);
	ck_assert_str_eq(found_text("a:work"), "no names");
	set_symbols(&(struct image_symbol)DATA("table"), 1); /* data alone has no function's name */
	ck_assert_str_eq(found_text("a:work"), "no names");
}

START_TEST(as_many_places_as_there_is_room_for)
{
	struct image_symbol symbols[PROBE_PLACES_MAX + 1];
	char nops[PROBE_PLACES_MAX + 1];

	for (unsigned i = 0; i <= PROBE_PLACES_MAX; i++) /* the first one twice */
		symbols[i] = (struct image_symbol)CODE("many", i % PROBE_PLACES_MAX);
	memset(nops, '\x90', sizeof(nops));
	make_file(true, EM_X86_64);
	set_code(nops, sizeof(nops));
	set_symbols(symbols, PROBE_PLACES_MAX + 1);
	ck_assert_uint_eq(find("a:many").n_places, 64);
	symbols[PROBE_PLACES_MAX].address = TEXT + PROBE_PLACES_MAX;
	set_symbols(symbols, PROBE_PLACES_MAX + 1);
	ck_assert_str_eq(found_text("a:many"), "places");
}

/* Notes that lie about their sizes, or are cut. */
START_TEST(hostile_notes_are_left)
{
	struct usdt_place place;
	struct elf_file file;
	struct span rest;
	unsigned n;

	make_file(true, EM_X86_64);
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	for (size_t length = 0; length < span_length(file.probe_notes); length++) {
		rest = span_of(file.probe_notes.at, length);
		for (n = 0; usdt_next(&file, &rest, &place); n++)
			ck_assert_uint_lt(place.offset, parts.file.length);
		ck_assert_uint_le(n, 4);
		ck_assert(rest.at == rest.end);
	}
	for (unsigned field = 0; field < 2; field++) {
		image_set(&parts.notes, 4 * field, UINT32_MAX, 4);
		rest = image_span(&parts.notes);
		ck_assert(!usdt_next(&file, &rest, &place));
		image_set(&parts.notes, 4 * field, field == 0 ? 8 : 36, 4);
	}
}

/* A file with one note. */
static void make_note(bool is_64, uint16_t machine, uint64_t address, const char *texts, size_t text_bytes)
{
	make_file(is_64, machine);
	buffer_empty(&parts.notes);
	add_note(address, 0, texts, text_bytes);
}

/* Is it of a place that can be probed? */
static bool has_place(struct usdt_place *place)
{
	struct elf_file file;
	struct span rest;
	bool found;

	write_file();
	ck_assert(elf_file_parse(&file, image_span(&parts.file)));
	rest = file.probe_notes;
	ck_assert_uint_eq(span_length(rest), parts.notes.length);
	found = usdt_next(&file, &rest, place);
	ck_assert(rest.at == rest.end && !usdt_next(&file, &rest, place));
	return found;
}

START_TEST(probes_are_at_nops_of_their_architecture)
{
	static const struct {
		uint16_t machine;
		bool is_64;
		size_t bytes;
		const char *code;
	} nops[] = {
		{ EM_X86_64, true, 1, "\x90" }, { EM_X86_64, true, 5, "\x0f\x1f\x44\x00\x00" },
		{ EM_386, false, 1, "\x90" },   { EM_386, false, 5, "\x0f\x1f\x44\x00\x00" },
		{ EM_AARCH64, true, 4, "\x1f\x20\x03\xd5" }, /* nop */
		{ EM_RISCV, true, 2, "\x01\x00" },           /* c.nop */
		{ EM_RISCV, false, 4, "\x13\x00\x00\x00" },  /* addi x0, x0, 0 */
		{ EM_ARM, false, 4, "\x00\x00\xa0\xe1" },    /* mov r0, r0 */
		{ EM_ARM, false, 4, "\x00\xf0\x20\xe3" },    /* nop */
	};
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_RISCV, EM_ARM };
	struct usdt_place place;

	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
		bool is_x86 = nops[i].machine == EM_X86_64 || nops[i].machine == EM_386;
		char bytes[8] = "";

		make_note(nops[i].is_64, nops[i].machine, TEXT, "work\0begin\0", 12);
		memcpy(bytes, nops[i].code, nops[i].bytes);
		set_code(bytes, sizeof(bytes));
		ck_assert_msg(has_place(&place), "nop %zu", i);
		ck_assert_uint_eq(place.offset, image_offset(&parts.image, TEXT_SECTION));
		ck_assert(span_is(place.provider, "work") && span_is(place.name, "begin"));
		for (size_t k = 0; k < sizeof(machines) / sizeof(machines[0]); k++) {
			parts.image.machine = machines[k];
			ck_assert_msg(has_place(&place) == (is_x86 ? k < 2 : machines[k] == nops[i].machine),
				      "nop %zu for %u", i, machines[k]);
		}
		parts.image.machine = nops[i].machine;
		parts.code.bytes[nops[i].bytes - 1] ^= 1;
		ck_assert_msg(!has_place(&place), "nop %zu", i);
	}
}

/* --- The kernel, in which a call that is probed takes 20 ns more. */

#define MS UINT64_C(1000000)
#define CALL_NS 50 /* of all that is measured at once */
#define PROBED_CALL_NS (CALL_NS + 50 * 20)

static uint64_t script_ns = 1000000 * MS;
static bool own_is_probed;
static struct event {
	uint32_t pid;
	uint64_t offset, semaphore_offset;
	bool at_return;
	int fd;
	ino_t program, number; /* number: of its descriptor, which may be another file's later */
} events[512];
static unsigned n_events;
static int event_error;
static uint32_t event_error_pid;
static char wanted[4096]; /* what was set and removed: "+7=0 -7 " */

static bool read_script(const struct machine_clock *clock, clockid_t which, uint64_t *ns)
{
	(void)clock;
	(void)which;
	*ns = script_ns += own_is_probed ? PROBED_CALL_NS : CALL_NS;
	return true;
}

static const struct machine_clock script = { .read = read_script };

static ino_t number_of(int fd)
{
	struct stat status;

	ck_assert_int_eq(fstat(fd, &status), 0);
	return status.st_ino;
}

static int open_event(const struct machine_perf *perf, const struct perf_event_attr *attr, int process,
		      int cpu, int leader)
{
	int fd;

	(void)perf;
	ck_assert(attr->type == 77 && cpu == -1 && leader == -1);
	own_is_probed = process == getpid();
	if (event_error && (event_error_pid == 0 || (uint32_t)process == event_error_pid))
		return event_error;
	ck_assert_uint_lt(n_events, sizeof(events) / sizeof(events[0]));
	fd = memfd_create("event", MFD_CLOEXEC);
	events[n_events++] = (struct event){ .pid = (uint32_t)process,
					     .offset = attr->probe_offset,
					     .semaphore_offset = attr->config >> 32,
					     .at_return = attr->config & 1,
					     .fd = fd,
					     .number = number_of(fd) };
	return fd;
}

static int control_event(const struct machine_perf *perf, int event, unsigned long request,
			 unsigned long program)
{
	(void)perf;
	ck_assert(request == PERF_EVENT_IOC_SET_BPF && event == events[n_events - 1].fd);
	events[n_events - 1].program = number_of((int)program);
	return 0;
}

static const struct machine_perf perf = { open_event, control_event };

/* value NULL: it goes. */
static void change_wanted(uint64_t key, const uint64_t *value)
{
	size_t length = strlen(wanted);

	if (key == (uint64_t)getpid())
		own_is_probed = false;
	else if (value)
		snprintf(wanted + length, sizeof(wanted) - length, "+%lu=%lu ", (unsigned long)key,
			 (unsigned long)*value);
	else
		snprintf(wanted + length, sizeof(wanted) - length, "-%lu ", (unsigned long)key);
}

static int put(const struct trace_set *set, enum bpf_map map, const void *key, const void *value)
{
	ck_assert(map == BPF_MAP_WANTED && set->maps[map] >= 0);
	change_wanted(*(const uint64_t *)key, value);
	return 0;
}

static void take_off(const struct trace_set *set, enum bpf_map map, const void *key)
{
	ck_assert(map == BPF_MAP_WANTED && set->maps[map] >= 0);
	change_wanted(*(const uint64_t *)key, NULL);
}

static const struct trace_counting counting = { .put = put, .remove = take_off };

static struct held_threads threads;

/* So much later. */
static void round_after(unsigned ms)
{
	script_ns += ms * MS;
	held_threads_go_on(&threads);
}

/* --- Processes, and the file that they map. */

static char path[SCRATCH_PATH_MAX + 16];
static uint64_t code_offset;

/* False: what is there may not be mapped as code. */
static bool write_library_to(const char *directory)
{
	FILE *file;
	void *mapped;

	snprintf(path, sizeof(path), "%s/libwork.so", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(parts.file.bytes, 1, parts.file.length, file), parts.file.length);
	fclose(file);
	file = fopen(path, "r");
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	if (mapped != MAP_FAILED)
		munmap(mapped, 4096);
	return mapped != MAP_FAILED;
}

static void write_library(void)
{
	char on_disk[SCRATCH_PATH_MAX], in_memory[SCRATCH_PATH_MAX];

	ck_assert_int_eq(privilege_open(NULL), 0); /* helpers of root keep what they need in a container */
	scratch_directory(on_disk, "probes");
	scratch_directory_in_memory(in_memory, "probes");
	make_file(true, EM_X86_64);
	code_offset = image_offset(&parts.image, TEXT_SECTION);
	if (!write_library_to(on_disk) && !write_library_to(in_memory))
		skip_test("files made here may not be mapped as code: %s", strerror(errno));
}

/* It maps the file by an order, or takes it off. */
static void obey(int orders, int answers)
{
	FILE *file = fopen(path, "r");
	void *mapped = NULL;
	char letter = 'm';

	do {
		if (letter == 'm')
			mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
		else
			munmap(mapped, 4096);
		if (write(answers, &letter, 1) != 1)
			break;
	} while (read(orders, &letter, 1) == 1);
}

static void order(const struct ordered_child *child, char what)
{
	order_child(child, what, &what, 1);
}

static int by_pid(const void *a, const void *b)
{
	const struct ordered_child *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct ordered_child children[PROBE_PROCESSES_MAX + 1], one, other; /* the first two */

/* Which have mapped it, in the order of their numbers. */
static void start_all(unsigned n)
{
	char answer;

	for (unsigned i = 0; i < n; i++)
		children[i] = start_ordered_child(obey, &answer, 1);
	qsort(children, n, sizeof(*children), by_pid);
	one = children[0];
	other = children[1];
}

/* --- Probes. */

enum { ENTER, LEAVE, HIT };

static struct prober *prober;
static struct trace_set set = { .by = &counting };
static ino_t programs[3];
static struct bpf_hits *hits;
static struct probe_view view;

static void open_prober(void)
{
	const struct uprobe_form form = { .type = 77, .at_return = 1, .semaphores = true };
	size_t bytes = sizeof(*hits) * (PROBE_PROCESSES_MAX + 1);
	struct env env = { .clock = &script, .perf = &perf };

	write_library();
	for (unsigned i = 0; i < 3; i++) {
		set.running[i].loaded = memfd_create("program", MFD_CLOEXEC);
		programs[i] = number_of(set.running[i].loaded);
	}
	set.maps[BPF_MAP_WANTED] = memfd_create("wanted", MFD_CLOEXEC);
	set.maps[BPF_MAP_HITS] = memfd_create("hits", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(set.maps[BPF_MAP_HITS], (off_t)bytes), 0);
	hits = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, set.maps[BPF_MAP_HITS], 0);
	ck_assert_ptr_ne(hits, MAP_FAILED);
	hold_threads(&threads, &env);
	prober = prober_open(&env, &form, 0.05);
	ck_assert_ptr_nonnull(prober);
}

static struct probe *add(const char *file, const char *function, uint32_t pid)
{
	char text[SCRATCH_PATH_MAX + 64];

	snprintf(text, sizeof(text), "%s:%s", file, function);
	return prober_add(prober, &set, text, pid);
}

static void check_state(const struct probe *probe, enum probe_state state)
{
	prober_view(prober, probe, &view);
	ck_assert_msg(view.state == state, "%d, error %d, fault %d", view.state, view.error, view.fault);
}

static void check_process(unsigned i, pid_t pid, uint64_t start_ticks, enum probed_state state)
{
	const struct probed *probed = &view.processes[i];

	ck_assert_str_eq(textf("%u: %u since %lu, %d", i, probed->target.pid,
			       (unsigned long)probed->target.start_ticks, (int)probed->state),
			 textf("%u: %d since %lu, %d", i, pid, (unsigned long)start_ticks, (int)state));
}

/* Of those of this process, from the first one on: "r0" a return at this place, "e0" an entry, "h0" a hit. */
static void check_events(uint32_t pid, unsigned first, const char *expected)
{
	char text[256] = "";

	for (unsigned i = first; i < n_events; i++) {
		const struct event *event = &events[i];
		char kind = event->program == programs[LEAVE]   ? 'r'
			    : event->program == programs[ENTER] ? 'e'
								: 'h';

		if (event->pid != pid)
			continue;
		ck_assert_int_eq(event->at_return, kind == 'r');
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%c%lu ", kind,
			 (unsigned long)(event->offset - code_offset));
	}
	ck_assert_str_eq(text, expected);
}

/* pid 0: of all. */
static unsigned n_open(uint32_t pid)
{
	struct stat status;
	unsigned n = 0;

	for (unsigned i = 0; i < n_events; i++)
		n += (pid == 0 || events[i].pid == pid) && fstat(events[i].fd, &status) == 0 &&
		     status.st_ino == events[i].number;
	return n;
}

static void target(const struct probe_target *targets, unsigned n)
{
	prober_target(prober, targets, n, false);
}

#define TARGETS(...)                                                                                         \
	target((const struct probe_target[]){ __VA_ARGS__ },                                                 \
	       sizeof((const struct probe_target[]){ __VA_ARGS__ }) / sizeof(struct probe_target))

static void close_prober(void)
{
	prober_close(prober, true);
	ck_assert_uint_eq(n_open(0), 0);
	for (unsigned i = 0; i < sizeof(children) / sizeof(children[0]) && children[i].pid; i++)
		end_ordered_child(&children[i]);
}

/* A round so much later: the state then. */
static void check_after(unsigned ms, const struct probe *probe, enum probe_state state)
{
	round_after(ms);
	check_state(probe, state);
}

START_TEST(a_probe_counts_as_long_as_it_costs_little)
{
	struct probe *probe;
	const char *set_anew;

	open_prober();
	start_all(2);
	set_anew = textf("+%d=0 ", one.pid);
	probe = add(path, "count_words", 0);
	ck_assert_ptr_nonnull(probe);
	check_after(0, probe, PROBE_LOOKING); /* nobody is known */
	ck_assert(isnan(view.cost_seconds) && isnan(view.expected_per_second) && n_events == 0);
	TARGETS({ (uint32_t)one.pid, 11, false }, { (uint32_t)other.pid, 22, true });
	check_after(0, probe, PROBE_COUNTING);
	ck_assert(view.is_function && view.is_nop);
	ck_assert_double_eq_tol(view.cost_seconds, 20e-9, 1e-12);
	check_process(0, one.pid, 11, PROBED_COUNTING);
	ck_assert_uint_eq(view.processes[1].target.pid, 0); /* it is outside */
	ck_assert_uint_eq(n_events, 4); /* the first two for the price; returns before entries */
	ck_assert_uint_eq(events[0].pid, (uint32_t)getpid());
	ck_assert(events[0].program == programs[LEAVE] && events[1].program == programs[ENTER]);
	check_events((uint32_t)one.pid, 0, "r0 e0 ");
	ck_assert_str_eq(wanted, set_anew);

	hits[0].hits = 1000;
	check_after(99, probe, PROBE_COUNTING); /* it is looked at after a tenth of a second */
	ck_assert(isnan(view.expected_per_second));
	check_after(1, probe, PROBE_COUNTING);
	ck_assert_double_eq_tol(view.expected_per_second, 10000, 10);
	hits[0].hits += 240000; /* 2.4 million a second take 4.8 % */
	hits[1].hits += 9000;
	check_after(100, probe, PROBE_COUNTING);
	ck_assert_double_eq_tol(view.expected_per_second, 2490000, 2490);
	hits[1].hits += 251000;
	check_after(100, probe, PROBE_COSTLY);
	ck_assert_int_eq(view.processes[0].state, PROBED_NOT);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	check_after(1000, probe, PROBE_COSTLY);
	wanted[0] = '\0';
	prober_allow(prober, probe);
	check_after(0, probe, PROBE_COUNTING);
	check_events((uint32_t)one.pid, 4, "r0 e0 ");
	ck_assert_uint_eq(n_events, 6); /* the price is known */
	ck_assert_str_eq(wanted, set_anew);
	hits[0].hits += 1000000;
	check_after(100, probe, PROBE_COUNTING);

	TARGETS({ (uint32_t)one.pid, 12, false }, { (uint32_t)other.pid, 22, false });
	check_after(600, probe, PROBE_COUNTING); /* the first one is another process now */
	ck_assert_int_eq(view.processes[0].state, PROBED_ENDED);
	check_process(1, one.pid, 12, PROBED_COUNTING);
	check_process(2, other.pid, 22, PROBED_COUNTING);
	ck_assert(hits[1].hits == 0 && hits[0].hits != 0); /* the number is given anew */
	TARGETS({ (uint32_t)other.pid, 22, true });
	check_after(600, probe, PROBE_ABSENT);
	ck_assert_int_eq(view.processes[1].state, PROBED_ENDED);
	ck_assert_int_eq(view.processes[2].state, PROBED_NOT);
	ck_assert_uint_eq(n_open((uint32_t)one.pid) + n_open((uint32_t)other.pid), 0);
	close_prober();
}

START_TEST(a_probe_of_the_authors_has_places)
{
	struct probe *probe, *of_none;

	open_prober();
	start_all(1);
	probe = add("libwork.so", "work:begin", 0);
	of_none = add("libother.so", "count_words", 0);
	TARGETS({ (uint32_t)one.pid, 11, false });
	check_after(0, of_none, PROBE_ABSENT);
	check_state(probe, PROBE_COUNTING);
	ck_assert(!view.is_function && !view.is_nop);
	check_events((uint32_t)one.pid, 0, "h7 h8 ");
	ck_assert(events[0].program == programs[HIT] && events[0].pid == (uint32_t)getpid());
	ck_assert_uint_eq(events[1].semaphore_offset, 0);
	ck_assert_uint_eq(events[2].semaphore_offset, code_offset + 6);
	order(&one, 'u');
	check_after(600, probe, PROBE_ABSENT);
	ck_assert_int_eq(view.processes[0].state, PROBED_GONE);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	order(&one, 'm');
	check_after(400, probe, PROBE_ABSENT); /* it is not looked for so often */
	check_after(200, probe, PROBE_COUNTING);
	close_prober();
}

START_TEST(a_chosen_process_may_map_the_file_later)
{
	struct probe *of_one, *of_file;

	open_prober();
	start_all(2);
	order(&one, 'u');
	of_one = add(path, "count_words", (uint32_t)one.pid);
	of_file = add("libwork.so", "count_words", (uint32_t)one.pid);
	TARGETS({ (uint32_t)one.pid, 11, true }, { (uint32_t)other.pid, 22, false });
	check_after(0, of_file, PROBE_ABSENT); /* which file is meant is not known */
	check_state(of_one, PROBE_COUNTING);
	check_process(0, one.pid, 11, PROBED_WAITING);
	ck_assert_uint_eq(view.processes[1].target.pid, 0);
	check_events((uint32_t)one.pid, 0, "r0 e0 ");
	order(&one, 'm');
	check_after(600, of_one, PROBE_COUNTING);
	check_process(0, one.pid, 11, PROBED_COUNTING);
	check_state(of_file, PROBE_COUNTING);
	check_events((uint32_t)one.pid, 0, "r0 e0 r0 e0 ");
	check_events((uint32_t)other.pid, 0, "");
	close_prober();
}

START_TEST(what_cannot_be_probed_is_told)
{
	struct probe *probe;

	open_prober();
	start_all(2);
	ck_assert_ptr_null(prober_add(prober, &set, "no_colon", 0));
	ck_assert_int_eq(errno, EINVAL);
	TARGETS({ (uint32_t)one.pid, 11, false }, { (uint32_t)other.pid, 22, false });
	check_after(0, add(path, "count_wrds", 0), PROBE_REFUSED);
	ck_assert_int_eq(view.fault, PROBE_FAULT_NOTHING);
	ck_assert_str_eq(view.near, "count_words");
	check_after(0, add("/nowhere/libwork.so", "count_words", 0), PROBE_FAILED);
	ck_assert_int_eq(view.error, -ENOENT);
	check_after(0, add("libwork.so", "table", 0), PROBE_REFUSED);
	ck_assert_int_eq(view.fault, PROBE_FAULT_DATA);
	ck_assert_uint_eq(n_events, 0);
	event_error = -EACCES; /* of the price */
	event_error_pid = (uint32_t)getpid();
	check_after(0, add(path, "count_words", 0), PROBE_FAILED);
	ck_assert_int_eq(view.error, -EACCES);
	ck_assert_uint_eq(n_open((uint32_t)one.pid), 0);
	event_error = -ESRCH; /* it has ended meanwhile; the other one has not */
	event_error_pid = (uint32_t)one.pid;
	probe = add(path, "count_words", 0);
	check_after(0, probe, PROBE_COUNTING);
	ck_assert_int_eq(view.processes[0].state, PROBED_ENDED);
	check_process(1, other.pid, 22, PROBED_COUNTING);
	ck_assert_uint_eq(n_open((uint32_t)other.pid), 2);
	prober_remove(prober, probe);
	round_after(0);
	ck_assert_uint_eq(n_open(0), 0);
	event_error = -EINVAL; /* nothing stays */
	event_error_pid = (uint32_t)other.pid;
	check_after(0, add(path, "twice", 0), PROBE_FAILED);
	ck_assert_int_eq(view.error, -EINVAL);
	ck_assert_int_eq(view.processes[0].state, PROBED_NOT);
	ck_assert_uint_eq(n_open(0), 0);
	close_prober();
}

START_TEST(as_many_processes_are_probed_as_there_is_room_for)
{
	static struct probe_target targets[PROBE_PROCESSES_MAX + 1];
	struct probe *probe;

	open_prober();
	start_all(PROBE_PROCESSES_MAX + 1);
	for (unsigned i = 0; i <= PROBE_PROCESSES_MAX; i++)
		targets[i] = (struct probe_target){ (uint32_t)children[i].pid, 7, false };
	probe = add(path, "count_words", 0);
	target(targets, PROBE_PROCESSES_MAX + 1);
	check_after(0, probe, PROBE_CROWDED);
	ck_assert(view.n_mapped == PROBE_PROCESSES_MAX + 1 && n_events == 0);
	target(targets, PROBE_PROCESSES_MAX);
	check_after(60000, probe, PROBE_COUNTING);
	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++)
		check_process(i, children[i].pid, 7, PROBED_COUNTING);
	ck_assert_uint_eq(n_events, 2 + 2 * PROBE_PROCESSES_MAX);
	hits[5].hits = 10;
	target(targets + 1, PROBE_PROCESSES_MAX);
	check_after(60000, probe, PROBE_COUNTING); /* the last one gets the number of the first */
	check_process(0, children[PROBE_PROCESSES_MAX].pid, 7, PROBED_COUNTING);
	ck_assert_uint_eq(hits[5].hits, 10);
	target(targets, PROBE_PROCESSES_MAX + 1);
	check_after(60000, probe, PROBE_CROWDED);
	ck_assert_uint_eq(n_open(0), 0);
	close_prober();
}

/* --- Functions of a process. */

/* How often the list has it in the file; provider "": a function. */
static unsigned n_listed(const struct listed_functions *functions, const char *provider, const char *name)
{
	const char *texts = functions->texts.bytes;
	unsigned n = 0;

	for (size_t i = 0; i < functions->n; i++) {
		const struct listed_function *listed = &functions->list[i];

		n += strcmp(texts + functions->files[listed->file], path) == 0 &&
		     strcmp(texts + listed->provider, provider) == 0 &&
		     strcmp(texts + listed->name, name) == 0;
	}
	return n;
}

/* It is asked for so much later, and read; starts: is it read then? */
static void update_list(struct function_list *list, uint32_t pid, uint64_t start_ticks, unsigned ms,
			bool reads)
{
	unsigned n_begun = threads.n_begun;

	script_ns += ms * MS;
	function_list_update(list, pid, start_ticks, ms == 0);
	ck_assert_uint_eq(threads.n_begun - n_begun, reads);
	if (!reads)
		return;
	round_after(0);
	function_list_update(list, pid, start_ticks, false);
}

START_TEST(functions_are_those_of_the_files_that_are_mapped)
{
	static const struct {
		const char *provider, *name;
		unsigned n;
	} cases[] = {
		{ "", "count_words", 1 }, { "", "twice", 1 },       { "", "both", 1 },
		{ "", "table", 0 },       { "", "open", 0 },        { "", "outside", 0 },
		{ "work", "begin", 1 },   { "other", "begin", 1 },  { "work", "both", 1 },
		{ "", "begin", 0 },       { "work", "count_words", 0 },
	};
	struct function_list list = { .clock = &script, .threads = &threads.threads };
	struct env env;
	uint32_t pid;

	write_library();
	start_all(1);
	pid = (uint32_t)one.pid;
	hold_threads(&threads, &env);
	update_list(&list, 0, 0, 0, false); /* of no process */
	ck_assert(!list.known);
	update_list(&list, pid, 11, 10, true);
	ck_assert(list.known && list.now.error == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && list.now.n_left_out == 0; i++)
		ck_assert_msg(n_listed(&list.now, cases[i].provider, cases[i].name) == cases[i].n, "%s:%s",
			      cases[i].provider, cases[i].name);
	order(&one, 'u');
	update_list(&list, pid, 11, 1980, false); /* it was read just now */
	update_list(&list, pid, 11, 20, true);
	ck_assert(list.known && list.now.n > 0);
	ck_assert_uint_eq(n_listed(&list.now, "", "count_words"), 0);
	order(&one, 'm');
	function_list_update(&list, pid, 12, false); /* another one that has its number */
	ck_assert(!list.known && list.search);
	round_after(0);
	function_list_update(&list, pid, 12, true);
	ck_assert(list.known);
	if (list.now.n_left_out == 0)
		ck_assert_uint_eq(n_listed(&list.now, "", "count_words"), 1);
	end_ordered_child(&one);
	update_list(&list, pid, 12, 3000, true);
	ck_assert_int_lt(list.now.error, 0); /* it has ended */
	ck_assert_uint_eq(list.now.n, 0);
	function_list_close(&list);
}
