/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks for files, maps them, and keeps those that were used last, as it does the maps of processes. Names of
 * C++ come from libiberty, which is left by a jump where the name is long enough, or a timer of CPU time has
 * expired; the functions with a callback keep all that they need on the stack.
 */
#include <config.h>

#include "topic/profile/code_files.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/code/elf_file.h"
#include "kernel/pid/maps.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/profile_files.h"
#include "topic/trace/kernel_names.h"

#ifdef HAVE_IBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#define SYMBOL_MAX ((size_t)1024)
#define TIME_US 10000 /* of CPU time; a usual name takes 5 */

enum way_out { NAME_LONG = 1, NAME_LATE };

static sigjmp_buf way_out;
static volatile sig_atomic_t is_timed;

static void on_timer(int number)
{
	(void)number;
	if (is_timed)
		siglongjmp(way_out, NAME_LATE);
}

void cxx_names_open(void)
{
	const struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_NODEFER };
	sigset_t set;

	sigaction(SIGVTALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGVTALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void set_timer(long us)
{
	const struct itimerval times = { .it_value.tv_usec = us };

	setitimer(ITIMER_VIRTUAL, &times, NULL);
}

static void take(const char *text, size_t length, void *context)
{
	struct buffer *name = context;
	size_t room = CXX_NAME_MAX - name->length;

	buffer_add(name, text, length < room ? length : room);
	if (length > room)
		siglongjmp(way_out, NAME_LONG);
}

bool cxx_name(const char *symbol, struct buffer *name)
{
	int done;

	buffer_empty(name);
	if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) > SYMBOL_MAX)
		return false;
	buffer_reserve(name, CXX_NAME_MAX + 1); /* nothing is allocated, where it is jumped out of */
	switch (sigsetjmp(way_out, 0)) {
	case 0:
		set_timer(TIME_US);
		is_timed = 1;
		done = cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_TYPES, take, name);
		break;
	case NAME_LONG:
		done = 1;
		break;
	default:
		done = 0;
	}
	is_timed = 0;
	set_timer(0);
	return done;
}

#else

void cxx_names_open(void)
{
}

bool cxx_name(const char *symbol, struct buffer *name)
{
	(void)symbol;
	buffer_empty(name);
	return false;
}

#endif

#define SPACES_MAX 2048 /* processes */
#define MAPS_MAX 4096   /* of a process, with code */

/* Forgets half of them, those that ended first, then those that were not used for the longest time. */
static void make_room(struct code_spaces *spaces)
{
	uint64_t limit = spaces->uses - SPACES_MAX / 2,
		 ended_limit = spaces->uses - 1; /* a caller has the last */
	uint32_t n = 0;

	hash_clear(&spaces->by_pid);
	for (size_t i = 0; i < spaces->n; i++) {
		struct code_space *space = &spaces->list[i];

		if (space->used < (space->ended ? ended_limit : limit)) {
			free(space->maps);
			continue;
		}
		hash_add(&spaces->by_pid, hash_u64(space->pid), n);
		spaces->list[n++] = *space;
	}
	spaces->n = n;
}

struct code_space *code_spaces_get(struct code_spaces *spaces, uint32_t pid)
{
	struct code_space *space;
	uint32_t at;

	HASH_FIND(at, &spaces->by_pid, hash_u64(pid), spaces->list[at].pid == pid);
	if (at == HASH_NONE) {
		if (spaces->n >= SPACES_MAX)
			make_room(spaces);
		at = (uint32_t)spaces->n;
		*VECTOR_ADD(spaces->list, spaces->n, spaces->capacity) = (struct code_space){ .pid = pid };
		hash_add(&spaces->by_pid, hash_u64(pid), at);
	}
	space = &spaces->list[at];
	space->used = ++spaces->uses;
	return space;
}

/* The first map that ends behind the address. */
static size_t place_of(const struct code_space *space, uint64_t address)
{
	size_t at;

	VECTOR_BOUND(at, space->n_maps, space->maps[at].end <= address);
	return at;
}

const struct code_map *code_space_find(const struct code_space *space, uint64_t address)
{
	size_t at = place_of(space, address);

	return at < space->n_maps && space->maps[at].start <= address ? &space->maps[at] : NULL;
}

static void insert(struct code_space *space, size_t at, const struct code_map *map)
{
	VECTOR_RESERVE(space->maps, space->n_maps + 1, space->capacity);
	memmove(space->maps + at + 1, space->maps + at, (space->n_maps - at) * sizeof(*map));
	space->maps[at] = *map;
	space->n_maps++;
}

/* What is left of the maps on both sides stays. */
static void cut_out(struct code_space *space, uint64_t start, uint64_t end)
{
	size_t at = place_of(space, start);

	while (at < space->n_maps && space->maps[at].start < end) {
		struct code_map old = space->maps[at], rest = old;

		memmove(space->maps + at, space->maps + at + 1, (space->n_maps - at - 1) * sizeof(old));
		space->n_maps--;
		if (old.start < start) {
			rest.end = start;
			insert(space, at++, &rest);
		}
		if (old.end > end) {
			rest = old;
			rest.offset += end - old.start;
			rest.start = end;
			insert(space, at++, &rest);
		}
	}
}

void code_space_add(struct code_space *space, const struct code_map *map)
{
	if (map->start >= map->end || space->n_maps + 2 > MAPS_MAX)
		return;
	cut_out(space, map->start, map->end);
	insert(space, place_of(space, map->start), map);
}

void code_space_clear(struct code_space *space)
{
	space->n_maps = 0;
	space->is_whole = space->ended = false;
}

void code_spaces_fork(struct code_spaces *spaces, uint32_t parent, uint32_t child)
{
	struct code_space from = *code_spaces_get(spaces, parent);
	struct code_space *of_child = code_spaces_get(spaces, child);

	code_space_clear(of_child);
	of_child->use = (struct code_use){ 0 };
	VECTOR_RESERVE(of_child->maps, from.n_maps, of_child->capacity);
	if (from.n_maps > 0)
		memcpy(of_child->maps, from.maps, from.n_maps * sizeof(*from.maps));
	of_child->n_maps = from.n_maps;
	of_child->is_whole = from.is_whole;
}

void code_spaces_end(struct code_spaces *spaces, uint32_t pid)
{
	code_spaces_get(spaces, pid)->ended = true;
}

void code_spaces_free(struct code_spaces *spaces)
{
	for (size_t i = 0; i < spaces->n; i++)
		free(spaces->list[i].maps);
	free(spaces->list);
	hash_free(&spaces->by_pid);
	*spaces = (struct code_spaces){ 0 };
}

#define OPEN_MAX 256                        /* files that are mapped and have names, at a time */
#define RECORDS_MAX 65536                   /* files that are known by their path */
#define PATHS_MAX ((size_t)16 << 20)        /* bytes of these paths */
#define FILE_BYTES_MAX ((size_t)1 << 30)    /* of one file … */
#define MAPPED_MAX ((size_t)3 << 30)        /* … of all … */
#define LINES_BYTES_MAX ((size_t)512 << 20) /* … and of those whose lines are looked up */
#define UNPACKED_MAX ((uint64_t)256 << 20)  /* what a file with lines may become in memory */
#define NAMES_BYTES_MAX ((size_t)256 << 20) /* names of all files */
#define UNREADABLE_NS UINT64_C(60000000000) /* then a file is tried again */
#define JITS_MAX 64
#define JIT_NS UINT64_C(2000000000) /* between two looks into a map of a JIT for what is not in it … */
#define JIT_TIMES 20                /* … and as many times as a look takes */
#define MAPS_BYTES_MAX ((size_t)16 << 20)
#define JIT_BYTES_MAX ((size_t)64 << 20)
#define VDSO_PATH "[vdso]"
#define KERNEL_FILE "(kernel)"
#define UNKNOWN "(unknown)"
#define DEBUG_ROOT "/usr/lib/debug/"

struct code_file {
	uint64_t device, inode, key;
	uint64_t again_ns; /* when it is tried again; 0: it could be read */
	struct span path, base;
	bool is_vdso, was_asked, has_names, has_rules, has_lines;
	struct span bytes; /* mapped; empty: it cannot be read, or was not used for some time */
	struct elf_file elf;
	struct symbols symbols;
	enum profile_names names;
	struct frame_rules *rules;  /* NULL: none */
	struct source_lines *lines; /* NULL: none; of … */
	struct span with_lines;     /* … this, mapped for them alone: libelf writes there */
	uint64_t used;
};

struct jit {
	uint32_t pid;
	struct symbols symbols;
	uint64_t again_ns, used;
};

/* Up to the end of its section headers, with which the kernel lays it out. */
static struct span find_vdso(void)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) header;

	if (!start)
		return (struct span){ 0 };
	memcpy(&header, start, sizeof(header));
	return span_of(start, header.e_shoff + (size_t)header.e_shnum * header.e_shentsize);
}

void code_files_open(struct code_files *files, const struct machine_clock *clock, int channel,
		     struct code_work *work)
{
	*files = (struct code_files){ .clock = clock, .channel = channel, .work = work, .vdso = find_vdso() };
	if (getrandom(&files->seed, sizeof(files->seed), GRND_NONBLOCK) < 0)
		files->seed = HASH_SEED;
	file_maps_open();
	cxx_names_open();
}

struct span code_files_keep_text(struct code_files *files, struct span text)
{
	return span_of(arena_copy(&files->kept, text.at, span_length(text)), span_length(text));
}

static struct span base_of(struct span path)
{
	const char *slash = memrchr(path.at, '/', span_length(path));

	return slash ? span_of(slash + 1, (size_t)(path.end - slash - 1)) : path;
}

static bool has_room_for(struct code_files *files, const struct code_use *use, size_t bytes)
{
	bool has_room = code_use_may_add(use->n_files, files->n, RECORDS_MAX) &&
			files->kept_bytes + bytes <= PATHS_MAX;

	files->are_full |= !has_room;
	return has_room;
}

uint32_t code_files_place(struct code_files *files, struct code_use *use, uint64_t device, uint64_t inode,
			  struct span path)
{
	bool is_vdso = span_is(path, VDSO_PATH);
	uint64_t hash = hash_bytes(files->seed ^ inode, path);
	uint32_t at;

	if (!is_vdso && (inode == 0 || span_length(path) == 0 || *path.at != '/'))
		return CODE_NO_FILE;
	HASH_FIND(at, &files->by_path, hash,
		  files->list[at].inode == inode && span_same(files->list[at].path, path));
	if (at != HASH_NONE || !has_room_for(files, use, span_length(path)))
		return at == HASH_NONE ? CODE_NO_FILE : at;
	at = (uint32_t)files->n;
	path = code_files_keep_text(files, path);
	files->kept_bytes += span_length(path);
	use->n_files++;
	*VECTOR_ADD(files->list, files->n, files->capacity) = (struct code_file){
		.device = device,
		.inode = inode,
		.key = hash_bytes(hash_u64(inode), path),
		.path = path,
		.base = base_of(path),
		.is_vdso = is_vdso,
	};
	hash_add(&files->by_path, hash, at);
	return at;
}

static void unmap(struct code_files *files, struct span bytes)
{
	files->mapped_bytes -= span_length(bytes);
	file_unmap(bytes);
}

static void close_file(struct code_files *files, struct code_file *file)
{
	frame_rules_close(file->rules);
	source_lines_close(file->lines);
	files->lines_bytes -= span_length(file->with_lines);
	unmap(files, file->with_lines);
	files->names_bytes -= symbols_bytes(&file->symbols);
	symbols_free(&file->symbols);
	if (!file->is_vdso)
		unmap(files, file->bytes);
	file->rules = NULL;
	file->lines = NULL;
	file->bytes = file->with_lines = (struct span){ 0 };
	file->was_asked = file->has_names = file->has_rules = file->has_lines = false;
	files->n_open--;
}

static void close_oldest(struct code_files *files)
{
	struct code_file *oldest = NULL;

	for (size_t i = 0; i < files->n; i++)
		if (files->list[i].was_asked && (!oldest || files->list[i].used < oldest->used))
			oldest = &files->list[i];
	if (oldest)
		close_file(files, oldest);
}

/* The file that is used stays. */
static void trim(struct code_files *files)
{
	while (files->n_open > 1 &&
	       (files->mapped_bytes > MAPPED_MAX || files->lines_bytes > LINES_BYTES_MAX ||
		files->names_bytes > NAMES_BYTES_MAX))
		close_oldest(files);
}

static void let_go(const struct code_file *file)
{
	if (!file->is_vdso && span_length(file->bytes) > 0)
		madvise((void *)(uintptr_t)file->bytes.at, span_length(file->bytes), MADV_DONTNEED);
}

void code_files_let_go(struct code_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->list[i].was_asked)
			let_go(&files->list[i]);
}

static struct span ask_to_map(struct code_files *files, const struct profile_file *wanted, int protection)
{
	int fd = profile_file_ask(files->channel, wanted);
	struct span bytes = { 0 };

	if (fd < 0)
		return bytes;
	bytes = file_map(fd, protection, (protection & PROT_WRITE) ? LINES_BYTES_MAX : FILE_BYTES_MAX);
	files->mapped_bytes += span_length(bytes);
	close(fd);
	return bytes;
}

static void want_mapped(struct profile_file *wanted, const struct code_file *file, uint32_t pid,
			const struct code_map *map)
{
	*wanted = (struct profile_file){ .kind = PROFILE_FILE_MAPPED,
					 .pid = pid,
					 .start = map->start,
					 .end = map->end,
					 .device = file->device,
					 .inode = file->inode };
	span_copy(wanted->path, PATH_MAX, file->path);
}

/* Until then; 0: it is not. */
static uint64_t shunned_until(const struct code_files *files, const struct code_file *file)
{
	for (size_t i = 0; i < files->n_shunned; i++)
		if (files->shunned[i].file == file->key && files->shunned[i].until_ns > files->now_ns)
			return files->shunned[i].until_ns;
	return 0;
}

/* With its bytes, where it can be read. */
static struct code_file *file_of(struct code_files *files, uint32_t pid, const struct code_map *map)
{
	struct code_file *file = &files->list[map->file];
	struct profile_file wanted;

	file->used = ++files->uses;
	if (files->work->file != file->key) /* for who ends this process, when it takes too long */
		span_copy(files->work->path, sizeof(files->work->path), file->path);
	files->work->file = file->key;
	if (file->was_asked && (file->again_ns == 0 || files->now_ns < file->again_ns))
		return file;
	if (file->was_asked)
		close_file(files, file);
	if (files->n_open >= OPEN_MAX)
		close_oldest(files);
	file->was_asked = true;
	files->n_open++;
	want_mapped(&wanted, file, pid, map);
	file->again_ns = shunned_until(files, file);
	if (file->again_ns == 0)
		file->bytes = file->is_vdso ? files->vdso : ask_to_map(files, &wanted, PROT_READ);
	if (span_length(file->bytes) == 0 && file->again_ns == 0)
		file->again_ns = files->now_ns + UNREADABLE_NS;
	trim(files);
	if (!elf_file_parse(&file->elf, file->bytes))
		file->elf = (struct elf_file){ 0 };
	return file;
}

static bool address_in_file(const struct code_file *file, const struct code_map *map, uint64_t address,
			    uint64_t *in_file)
{
	return span_length(file->bytes) > 0 &&
	       elf_file_address(&file->elf, address - map->start + map->offset, in_file);
}

struct frame_rules *code_files_rules(struct code_files *files, uint32_t pid, const struct code_map *map,
				     uint64_t address, uint64_t *bias)
{
	struct code_file *file = file_of(files, pid, map);
	uint64_t in_file;

	if (!address_in_file(file, map, address, &in_file))
		return NULL;
	*bias = address - in_file;
	if (!file->has_rules)
		file->rules = frame_rules_open(file->bytes);
	file->has_rules = true;
	return file->rules;
}

bool code_files_keeps_frame_pointer(struct code_files *files, uint32_t pid, const struct code_map *map)
{
	return span_length(file_of(files, pid, map)->elf.go_table) > 0;
}

/* A file with debug information: by the build, else by its name. */
static struct span ask_for_debug(struct code_files *files, uint32_t pid, const struct code_file *file,
				 int protection)
{
	struct profile_file wanted = { .kind = PROFILE_FILE_DEBUG, .pid = pid };
	const struct elf_file *elf = &file->elf;
	size_t length = span_length(elf->build_id), at;
	struct span bytes = { 0 };

	if (length > 1) {
		at = (size_t)snprintf(wanted.path, sizeof(wanted.path), DEBUG_ROOT ".build-id/%02x/",
				      (unsigned char)elf->build_id.at[0]);
		for (size_t i = 1; i < length; i++)
			at += (size_t)snprintf(wanted.path + at, sizeof(wanted.path) - at, "%02x",
					       (unsigned char)elf->build_id.at[i]);
		snprintf(wanted.path + at, sizeof(wanted.path) - at, ".debug");
		bytes = ask_to_map(files, &wanted, protection);
	}
	if (span_length(bytes) == 0 && span_length(elf->debug_link) > 0) {
		snprintf(wanted.path, sizeof(wanted.path), DEBUG_ROOT "%.*s%.*s",
			 (int)(file->base.at - file->path.at), file->path.at,
			 (int)span_length(elf->debug_link), elf->debug_link.at);
		bytes = ask_to_map(files, &wanted, protection);
	}
	return bytes;
}

static bool read_debug_names(struct code_files *files, uint32_t pid, struct code_file *file)
{
	struct span bytes = ask_for_debug(files, pid, file, PROT_READ);
	struct elf_file debug;
	bool found =
		elf_file_parse(&debug, bytes) && elf_file_functions(&debug, &file->symbols) == ELF_TABLE_ALL;

	unmap(files, bytes);
	return found;
}

static void read_names(struct code_files *files, uint32_t pid, struct code_file *file)
{
	enum elf_table table;

	file->has_names = true;
	if (span_length(file->bytes) == 0)
		return;
	file->symbols.strings = file->bytes;
	table = elf_file_functions(&file->elf, &file->symbols);
	file->names = table == ELF_TABLE_ALL ? PROFILE_NAMES_SYMTAB : PROFILE_NAMES_DYNSYM;
	if (table != ELF_TABLE_ALL && !file->is_vdso) {
		if (read_debug_names(files, pid, file))
			file->names = PROFILE_NAMES_DEBUG;
		else if (go_functions(&file->elf, &file->symbols))
			file->names = PROFILE_NAMES_GO;
	}
	symbols_sort(&file->symbols);
	files->names_bytes += symbols_bytes(&file->symbols);
	let_go(file);
	trim(files);
}

static void close_jit(struct code_files *files, size_t index)
{
	files->names_bytes -= symbols_bytes(&files->jits[index].symbols);
	symbols_free(&files->jits[index].symbols);
	files->jits[index] = files->jits[--files->n_jits];
}

static void close_oldest_jit(struct code_files *files)
{
	size_t oldest = 0;

	for (size_t i = 1; i < files->n_jits; i++)
		if (files->jits[i].used < files->jits[oldest].used)
			oldest = i;
	close_jit(files, oldest);
}

static struct jit *jit_of(struct code_files *files, uint32_t pid)
{
	for (size_t i = 0; i < files->n_jits; i++)
		if (files->jits[i].pid == pid)
			return &files->jits[i];
	if (files->n_jits == JITS_MAX)
		close_oldest_jit(files);
	*VECTOR_ADD(files->jits, files->n_jits, files->jit_capacity) = (struct jit){ .pid = pid };
	return &files->jits[files->n_jits - 1];
}

void code_files_forget_jit(struct code_files *files, uint32_t pid)
{
	for (size_t i = 0; i < files->n_jits; i++)
		if (files->jits[i].pid == pid) {
			close_jit(files, i);
			return;
		}
}

static void read_jit(struct code_files *files, struct jit *jit)
{
	struct profile_file wanted = { .kind = PROFILE_FILE_JIT, .pid = jit->pid };
	struct span bytes = ask_to_map(files, &wanted, PROT_READ);

	files->names_bytes -= symbols_bytes(&jit->symbols);
	symbols_free(&jit->symbols);
	if (span_length(bytes) == 0)
		return;
	jit->symbols.later_wins = true;
	perf_map_functions(bytes, &jit->symbols);
	symbols_sort(&jit->symbols);
	files->names_bytes += symbols_bytes(&jit->symbols);
	unmap(files, bytes);
}

static const char *jit_name(struct code_files *files, uint32_t pid, uint64_t address)
{
	struct jit *jit = jit_of(files, pid);
	const char *found;
	uint64_t now_ns = clock_mono_ns(files->clock), wait_ns;
	uint64_t offset;

	jit->used = ++files->uses;
	found = symbols_find(&jit->symbols, address, &offset);
	if (found || now_ns < jit->again_ns)
		return found;
	while (files->n_jits > 1 && files->names_bytes > NAMES_BYTES_MAX)
		close_oldest_jit(files);
	jit = jit_of(files, pid);
	read_jit(files, jit);
	wait_ns = JIT_TIMES * (clock_mono_ns(files->clock) - now_ns);
	jit->again_ns = now_ns + (wait_ns > JIT_NS ? wait_ns : JIT_NS);
	return symbols_find(&jit->symbols, address, &offset);
}

void code_files_unknown_name(struct code_name *name)
{
	*name = (struct code_name){ .name = span_text(UNKNOWN),
				    .file = span_text(UNKNOWN),
				    .path = span_text("") };
}

void code_files_unknown_callers(struct code_name *name)
{
	code_files_unknown_name(name);
	name->name = span_text("(callers unknown)");
}

/* "postgres+0x3a1c0" */
static void name_by_place(struct code_files *files, const struct code_file *file, uint64_t address,
			  struct code_name *name)
{
	buffer_empty(&files->text);
	buffer_add(&files->text, file->base.at, span_length(file->base));
	buffer_print(&files->text, "+0x%" PRIx64, address);
	name->name = span_of(files->text.bytes, files->text.length);
}

void code_files_name(struct code_files *files, uint32_t pid, const struct code_map *map, uint64_t address,
		     struct code_name *name)
{
	struct code_file *file;
	const char *found;
	uint64_t in_file, offset, start;
	bool is_in_file;

	code_files_unknown_name(name);
	if (map->file == CODE_NO_FILE) {
		found = jit_name(files, pid, address);
		if (found)
			*name = (struct code_name){ span_text(found), span_text("(JIT)"), span_text(""),
						    PROFILE_NAMES_JIT };
		return;
	}
	file = file_of(files, pid, map);
	if (!file->has_names)
		read_names(files, pid, file);
	*name = (struct code_name){
		.name = name->name, .file = file->base, .path = file->path, .names = file->names
	};
	is_in_file = address_in_file(file, map, address, &in_file);
	found = is_in_file ? symbols_find(&file->symbols, in_file, &offset) : NULL;
	if (found && *found) { /* empty: the file was cut short */
		name->name = span_of(found, strnlen(found, SYMBOL_NAME_MAX));
		return;
	}
	name->names = PROFILE_NAMES_NONE;
	if (is_in_file && elf_file_start(&file->elf, in_file, &start))
		name_by_place(files, file, start, name);
	else /* not even the starts of functions are known: all code of the file is one row */
		name->name = span_text("(no name)");
}

static void try_lines(struct code_files *files, struct code_file *file, struct span bytes)
{
	struct elf_file elf;

	if (elf_file_parse(&elf, bytes) && elf.unpacked_bytes <= UNPACKED_MAX)
		file->lines = source_lines_open(NULL, bytes);
	if (!file->lines) {
		unmap(files, bytes);
		return;
	}
	file->with_lines = bytes;
	files->lines_bytes += span_length(bytes);
	trim(files);
}

static void open_lines(struct code_files *files, uint32_t pid, struct code_file *file,
		       const struct code_map *map)
{
	const int protection = PROT_READ | PROT_WRITE;
	struct profile_file wanted;

	file->has_lines = true;
	if (span_length(file->bytes) == 0 || file->is_vdso)
		return;
	want_mapped(&wanted, file, pid, map);
	try_lines(files, file, ask_to_map(files, &wanted, protection));
	if (!file->lines)
		try_lines(files, file, ask_for_debug(files, pid, file, protection));
}

bool code_files_line(struct code_files *files, uint32_t pid, const struct code_map *map, uint64_t address,
		     struct source_line *line)
{
	struct code_file *file;
	uint64_t in_file;

	if (map->file == CODE_NO_FILE)
		return false;
	file = file_of(files, pid, map);
	if (!file->has_lines)
		open_lines(files, pid, file, map);
	return file->lines && address_in_file(file, map, address, &in_file) &&
	       source_lines_find(file->lines, in_file, line);
}

/* Its text is long: it is read in parts. */
static void read_kernel_names(struct code_files *files)
{
	struct profile_file wanted = { .kind = PROFILE_FILE_KERNEL };
	int fd = profile_file_ask(files->channel, &wanted);
	struct kernel_text *text;
	struct span lines;

	files->has_kernel = true;
	files->kernel_error = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	text = alloc_zeroed(1, sizeof(*text));
	while (kernel_text_read(text, fd, &lines))
		kernel_text_add(&files->kernel, lines);
	free(text);
	close(fd);
	symbols_sort(&files->kernel);
	if (files->kernel.count == 0)
		files->kernel_error = -EPERM;
}

void code_files_kernel_name(struct code_files *files, uint64_t address, struct code_name *name)
{
	const char *found;
	uint64_t offset;

	if (!files->has_kernel)
		read_kernel_names(files);
	found = symbols_find(&files->kernel, address, &offset);
	*name = (struct code_name){ .name = found ? span_text(found) : span_text(KERNEL_FILE),
				    .file = span_text(KERNEL_FILE),
				    .path = span_text(""),
				    .names = found ? PROFILE_NAMES_KERNEL : PROFILE_NAMES_NONE };
}

struct span code_files_shown_name(struct code_files *files, const struct code_name *kept)
{
	bool is_symbol = kept->names != PROFILE_NAMES_NONE && kept->names != PROFILE_NAMES_KERNEL;

	return is_symbol && cxx_name(kept->name.at, &files->text)
		       ? span_of(files->text.bytes, files->text.length)
		       : kept->name;
}

void code_files_forget(struct code_files *files)
{
	while (files->n_open > 0)
		close_oldest(files);
	while (files->n_jits > 0)
		close_jit(files, 0);
	files->n = files->kept_bytes = 0;
	hash_clear(&files->by_path);
	arena_free(&files->kept);
	files->are_full = false;
}

void code_files_read_maps(struct code_files *files, struct code_space *space)
{
	struct profile_file wanted = { .kind = PROFILE_FILE_MAPS, .pid = space->pid };
	int fd = profile_file_ask(files->channel, &wanted);
	struct buffer text = { 0 };
	struct maps_region region;
	struct span rest;

	if (fd < 0)
		return;
	if (buffer_read(&text, fd, MAPS_BYTES_MAX) == 0) {
		rest = span_of(text.bytes, text.length);
		while (maps_next(&rest, &region)) {
			struct code_map map = { region.start, region.end, region.offset, 0 };

			if (region.permissions.at[2] != 'x')
				continue;
			map.file = code_files_place(files, &space->use, region.device, region.inode,
						    region.path);
			code_space_add(space, &map);
		}
	}
	close(fd);
	buffer_free(&text);
}
