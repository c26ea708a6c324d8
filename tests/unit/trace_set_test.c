/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sets of programs and their maps, over a kernel that the test plays: it needs no rights. */
#include "rig.h"

#include "core/unknown.h"
#include "sys/bpf/syscall.h"
#include "topic/trace/trace.h"

#define OPENED_MAX 256

/* --- What the kernel was asked for, and what it says. */

struct opened_map {
	int fd;
	bool is_shared;
	enum bpf_map_type type;
	size_t key_bytes, value_bytes, n;
};

struct listed {
	const void *keys, *values;
	size_t n;
	size_t at_once; /* entries that one call gives at most; … */
	size_t bucket;  /* … it fails with less room */
	int error;
};

static struct {
	struct opened_map maps[OPENED_MAX];
	unsigned n_maps;
	int given[OPENED_MAX]; /* descriptors */
	unsigned n_given;
	enum bpf_prog_type types[TRACE_PROGRAMS_MAX];
	unsigned n_programs, n_attached, n_iterated, n_run, n_values;
	char attached[64];
	uint64_t attached_id;
	int map_error, shared_error, load_error, attach_error, iterate_error, run_error, value_error, next_fd;
	struct listed hash;
	const void *value;
	size_t value_bytes;
	unsigned good_after; /* the value is right from this look at it on */
	const void *right_value;
	uint64_t removed, set_key, set_value, misses;
	uint32_t used; /* descriptor of a map or program */
} kernel;

static int give(int error)
{
	int fd = error ? error : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ck_assert_uint_lt(kernel.n_given, OPENED_MAX);
		kernel.given[kernel.n_given++] = fd;
	}
	return fd;
}

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Memory of those that are shared is that of a file. */
static long make_map(const union bpf_attr *attr)
{
	bool is_shared = attr->map_flags & BPF_F_MMAPABLE;
	int fd = give(is_shared ? kernel.shared_error : kernel.map_error);

	if (fd >= 0 && is_shared) {
		int file = memfd_create("map", MFD_CLOEXEC);

		ck_assert_int_eq(ftruncate(file, (off_t)attr->value_size * attr->max_entries), 0);
		dup3(file, fd, O_CLOEXEC);
		close(file);
	}
	kernel.maps[kernel.n_maps++] = (struct opened_map){ fd, is_shared, attr->map_type, attr->key_size,
							    attr->value_size, attr->max_entries };
	return fd;
}

static long load_program(const union bpf_attr *attr)
{
	ck_assert_str_eq(attr->prog_name, "panetop");
	ck_assert_uint_gt(attr->insn_cnt, 0);
	if (kernel.n_programs < TRACE_PROGRAMS_MAX)
		kernel.types[kernel.n_programs] = attr->prog_type;
	kernel.n_programs++;
	return give(kernel.load_error);
}

static int attach(void)
{
	int next = kernel.next_fd;

	kernel.n_attached++;
	kernel.next_fd = -1;
	return next >= 0 ? dup2(kernel.given[0], next) : give(kernel.attach_error);
}

static int attach_by_id(int program_fd, uint64_t id)
{
	(void)program_fd;
	kernel.attached_id = id;
	return attach();
}

static long attach_raw(const union bpf_attr *attr)
{
	const char *tracepoint = at(attr->raw_tracepoint.name);

	snprintf(kernel.attached, sizeof(kernel.attached), "%s", tracepoint);
	return strcmp(tracepoint, "absent") == 0 ? -ENOENT : attach();
}

static const struct opened_map *opened_map(uint32_t fd)
{
	for (unsigned i = kernel.n_maps; i > 0; i--)
		if (kernel.maps[i - 1].fd == (int)fd)
			return &kernel.maps[i - 1];
	ck_abort_msg("map %u is not open", fd);
}

static uint64_t number_of(const void *bytes, size_t n)
{
	return n == sizeof(uint32_t) ? *(const uint32_t *)bytes : *(const uint64_t *)bytes;
}

static long set_value(const union bpf_attr *attr)
{
	const struct opened_map *map = opened_map(attr->map_fd);

	kernel.set_key = number_of(at(attr->key), map->key_bytes);
	kernel.set_value = number_of(at(attr->value), map->value_bytes);
	return -E2BIG;
}

static long get_value(const union bpf_attr *attr)
{
	kernel.n_values++;
	if (kernel.value_error)
		return kernel.value_error;
	memcpy(at(attr->value), kernel.n_values >= kernel.good_after ? kernel.right_value : kernel.value,
	       kernel.value_bytes);
	return 0;
}

static long list_entries(union bpf_attr *attr)
{
	const struct listed *hash = &kernel.hash;
	const struct opened_map *map = opened_map(attr->batch.map_fd);
	size_t from = attr->batch.in_batch ? *(uint64_t *)at(attr->batch.in_batch) : 0, n;

	if (hash->error)
		return hash->error;
	if (attr->batch.count < hash->bucket)
		return -ENOSPC;
	n = hash->n - from < hash->at_once ? hash->n - from : hash->at_once;
	ck_assert_uint_le(n, attr->batch.count);
	if (n > 0) {
		memcpy(at(attr->batch.keys), (const char *)hash->keys + from * map->key_bytes,
		       n * map->key_bytes);
		memcpy(at(attr->batch.values), (const char *)hash->values + from * map->value_bytes,
		       n * map->value_bytes);
	}
	*(uint64_t *)at(attr->batch.out_batch) = from + n;
	attr->batch.count = (uint32_t)n;
	return from + n < hash->n ? 0 : -ENOENT;
}

/* bpf(2), which gives -errno. */
static long call(enum bpf_cmd command, union bpf_attr *attr)
{
	switch (command) {
	case BPF_MAP_CREATE:
		return make_map(attr);
	case BPF_PROG_LOAD:
		return load_program(attr);
	case BPF_RAW_TRACEPOINT_OPEN:
		return attach_raw(attr);
	case BPF_PROG_TEST_RUN:
		kernel.n_run++;
		kernel.used = attr->test.prog_fd;
		return kernel.run_error;
	case BPF_LINK_CREATE:
		kernel.n_iterated++;
		kernel.used = attr->link_create.prog_fd;
		return give(kernel.iterate_error);
	case BPF_ITER_CREATE:
		return give(0); /* it gives nothing to read */
	case BPF_OBJ_GET_INFO_BY_FD:
		((struct bpf_prog_info *)at(attr->info.info))->recursion_misses = kernel.misses;
		return 0;
	case BPF_MAP_LOOKUP_BATCH:
		return list_entries(attr);
	case BPF_MAP_UPDATE_ELEM:
		kernel.used = attr->map_fd;
		return set_value(attr);
	case BPF_MAP_LOOKUP_ELEM:
		kernel.used = attr->map_fd;
		return get_value(attr);
	case BPF_MAP_DELETE_ELEM:
		kernel.used = attr->map_fd;
		memcpy(&kernel.removed, at(attr->key), sizeof(kernel.removed));
		return 0;
	default:
		ck_abort_msg("bpf(%d)", (int)command);
	}
}

static const struct bpf_calls calls = { call, attach_by_id };

/* --- Plans, and a machine with 4 CPUs. */

static struct rig rig;
static const struct sample_request request;

static void open_machine_of_4(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.next_fd = -1;
	rig_open(&rig, "readers", NULL);
	rig_make(&rig, "sys/devices/system/cpu");
	rig_put(&rig, "sys/devices/system/cpu/possible", "0-1,3\n");
	rig.env.live = true;
	rig.env.counting = NULL; /* as the kernel does */
	rig.env.bpf = &calls;
}

/* All that was given was closed. */
static void close_machine_of_4(void)
{
	for (unsigned i = 0; i < kernel.n_given; i++)
		ck_assert_int_eq(fcntl(kernel.given[i], F_GETFD), -1);
	rig_close(&rig);
}

static void work(struct bpf_assembler *as)
{
	(void)as;
}

#define BITS_OF(map) BPF_MAP_BIT(BPF_MAP_##map)

static struct bpf_shape shape;
static struct bpf_program program;
static struct trace_plan plan;

/* Of one program, of a shape that has these maps. */
static void make_plan(unsigned maps)
{
	shape = (struct bpf_shape){ .maps = maps, .work = work };
	if (maps & BITS_OF(ENTRIES))
		shape.entries = BPF_ENTRIES_COUNTS;
	program = (struct bpf_program){
		.name = "test", .tracepoint = "sched_switch", .does = &shape, .n_keys = 1
	};
	plan = (struct trace_plan){
		.topic = "tracing", .programs = &program, .n_programs = 1, .n_words = 3, .n_entries_max = 500
	};
}

static void open_plan(struct trace_set *set, int error)
{
	trace_open(set, &rig.env, &request, &plan);
	ck_assert_int_eq(set->error, error);
	ck_assert_uint_eq(trace_opened(&rig.env)->n, error == 0);
}

static const struct opened_map *map_of(const struct trace_set *set, enum bpf_map map)
{
	for (unsigned i = kernel.n_maps; i > 0; i--)
		if (kernel.maps[i - 1].fd == set->maps[map])
			return &kernel.maps[i - 1];
	ck_abort_msg("no map %u", map);
}

static void check_form(const struct trace_set *set, enum bpf_map map, struct opened_map form)
{
	const struct opened_map *opened = map_of(set, map);

	ck_assert_msg(opened->is_shared == form.is_shared && (form.is_shared || opened->type == form.type) &&
			      opened->key_bytes == form.key_bytes &&
			      opened->value_bytes == form.value_bytes && opened->n == form.n,
		      "%u: %u %zu %zu %zu %d", map, opened->type, opened->key_bytes, opened->value_bytes,
		      opened->n, opened->is_shared);
	ck_assert_int_eq(set->memory[map] != NULL, form.is_shared);
}

/* --- Maps. */

START_TEST(maps_have_their_forms)
{
	static const struct {
		enum bpf_map map;
		struct opened_map form;
	} cases[] = {
		{ BPF_MAP_ENTRIES, { 0, false, BPF_MAP_TYPE_HASH, 24, sizeof(struct bpf_entry), 500 } },
		{ BPF_MAP_STARTS, { 0, false, BPF_MAP_TYPE_HASH, 8, 8, 500 } },
		{ BPF_MAP_START_SLOTS, { 0, false, BPF_MAP_TYPE_ARRAY, 4, 16, 1024 } },
		{ BPF_MAP_HISTOGRAMS, { 0, true, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct bpf_phases), 500 } },
		{ BPF_MAP_NUMBERS, { 0, false, BPF_MAP_TYPE_ARRAY, 4, 8, 1 } },
		{ BPF_MAP_MARKS, { 0, false, BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1 } },
		{ BPF_MAP_READERS, { 0, false, BPF_MAP_TYPE_LRU_HASH, 8, sizeof(struct bpf_reader), 4096 } },
		{ BPF_MAP_WALK, { 0, true, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct bpf_walk), 1 } },
		{ BPF_MAP_RECORDS, { 0, false, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(union bpf_sent), 1 } },
		{ BPF_MAP_RINGS, { 0, false, BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 4 } },
		{ BPF_MAP_WANTED, { 0, false, BPF_MAP_TYPE_HASH, 8, 8, 16384 } },
		{ BPF_MAP_HITS, { 0, true, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct bpf_hits), 500 } },
		{ BPF_MAP_WAITERS, { 0, false, BPF_MAP_TYPE_HASH, 16, sizeof(struct bpf_waiter), 16384 } },
		{ BPF_MAP_STACKS, { 0, false, BPF_MAP_TYPE_STACK_TRACE, 4, 256, 4096 } },
		{ BPF_MAP_BEFORE, { 0, false, BPF_MAP_TYPE_HASH, 8, 256, 2048 } },
	};

	open_machine_of_4();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_set set;

		make_plan(BPF_MAP_BIT(cases[i].map));
		kernel.n_maps = 0;
		open_plan(&set, 0);
		check_form(&set, cases[i].map, cases[i].form);
		ck_assert_uint_eq(kernel.n_maps, 2); /* it, and what the program knows of itself */
		ck_assert_int_eq(kernel.maps[1].type, BPF_MAP_TYPE_PERCPU_ARRAY);
		ck_assert_uint_eq(kernel.maps[1].value_bytes, sizeof(struct bpf_self));
		ck_assert_uint_eq(kernel.maps[1].n, 1);
		for (unsigned map = 0; map < N_BPF_MAPS; map++)
			ck_assert(map == (unsigned)cases[i].map || set.maps[map] == -1);
		trace_close(&set);
	}
	close_machine_of_4();
}

/* Of a shape that counts it only looks there. */
START_TEST(starts_have_the_keys_of_their_shape)
{
	static const struct {
		enum bpf_entries_are entries;
		unsigned start_words;
		bool keeps_newest;
		struct opened_map form;
	} cases[] = {
		{ BPF_ENTRIES_NONE, 0, false, { 0, false, BPF_MAP_TYPE_HASH, 16, 8, 500 } },
		{ BPF_ENTRIES_COUNTS, 0, false, { 0, false, BPF_MAP_TYPE_HASH, 8, 8, 500 } },
		{ BPF_ENTRIES_PHASES, 0, false, { 0, false, BPF_MAP_TYPE_HASH, 8, 8, 8192 } },
		{ BPF_ENTRIES_NONE, 3, true, { 0, false, BPF_MAP_TYPE_LRU_HASH, 24, 8, 8192 } },
	};

	open_machine_of_4();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_set set;

		make_plan(BITS_OF(STARTS));
		program.n_keys = 2;
		shape.entries = cases[i].entries;
		shape.start_words = cases[i].start_words;
		shape.keeps_newest = cases[i].keeps_newest;
		open_plan(&set, 0);
		check_form(&set, BPF_MAP_STARTS, cases[i].form);
		trace_close(&set);
	}
	close_machine_of_4();
}

START_TEST(entries_and_slots_have_what_is_counted)
{
	static const size_t bytes[] = { [BPF_ENTRIES_COUNTS] = sizeof(struct bpf_entry),
					[BPF_ENTRIES_TIMES] = sizeof(struct bpf_times),
					[BPF_ENTRIES_PHASES] = 8 };

	open_machine_of_4();
	for (enum bpf_entries_are are = BPF_ENTRIES_COUNTS; are <= BPF_ENTRIES_PHASES; are++) {
		const uint64_t *slots;
		struct trace_set set;

		make_plan(BITS_OF(ENTRIES));
		shape.entries = are;
		plan.slots = true;
		open_plan(&set, 0);
		check_form(&set, BPF_MAP_ENTRIES,
			   (struct opened_map){ 0, false, BPF_MAP_TYPE_HASH, 24, bytes[are], 500 });
		check_form(&set, BPF_MAP_SLOTS,
			   (struct opened_map){ 0, true, BPF_MAP_TYPE_ARRAY, 4, 24 + bytes[are], 1024 });
		slots = set.memory[BPF_MAP_SLOTS];
		for (size_t i = 0; i < 1024; i++) {
			ck_assert_uint_eq(slots[i * (3 + bytes[are] / 8)], BPF_SLOT_FREE);
			ck_assert_uint_eq(slots[i * (3 + bytes[are] / 8) + 1], 0);
		}
		trace_close(&set);
	}
	close_machine_of_4();
}

START_TEST(only_slots_may_be_absent)
{
	struct trace_set set;

	open_machine_of_4();
	kernel.shared_error = -EINVAL;
	make_plan(BITS_OF(ENTRIES));
	plan.slots = true;
	open_plan(&set, 0);
	ck_assert_int_lt(set.maps[BPF_MAP_SLOTS], 0);
	ck_assert(trace_read(&set));
	trace_close(&set);
	make_plan(BITS_OF(HISTOGRAMS));
	open_plan(&set, -EINVAL);
	trace_close(&set);
	kernel.map_error = -ENOMEM;
	make_plan(BITS_OF(ENTRIES));
	open_plan(&set, -ENOMEM);
	trace_close(&set);
	make_plan(0);
	open_plan(&set, -ENOMEM); /* of what it knows of itself */
	trace_close(&set);
	close_machine_of_4();
}

/* --- Programs. */

START_TEST(programs_are_attached_by_their_kind)
{
	struct trace_set set;

	open_machine_of_4();
	make_plan(0);
	open_plan(&set, 0);
	ck_assert_str_eq(kernel.attached, "sched_switch");
	ck_assert_int_eq(kernel.types[0], BPF_PROG_TYPE_RAW_TRACEPOINT);
	trace_close(&set);
	shape.at_code = true;
	open_plan(&set, 0);
	ck_assert_int_eq(kernel.types[1], BPF_PROG_TYPE_KPROBE);
	trace_close(&set);
	shape.at_code = false;
	shape.is_run = true;
	open_plan(&set, 0);
	trace_close(&set);
	shape.is_run = false;
	shape.iterates = true;
	open_plan(&set, 0);
	ck_assert_uint_eq(kernel.n_iterated, 1);
	ck_assert_int_eq(trace_iterate(&set), 0);
	ck_assert_uint_eq(kernel.n_iterated, 2);
	ck_assert_int_eq((int)kernel.used, set.running[0].loaded);
	kernel.iterate_error = -EIO;
	ck_assert_int_eq(trace_iterate(&set), -EIO);
	trace_close(&set);
	open_plan(&set, -EIO);
	ck_assert_uint_eq(kernel.n_attached, 1);
	ck_assert_uint_eq(kernel.n_run, 0);
	close_machine_of_4();
}

START_TEST(tracepoints_with_fields_are_attached_by_number)
{
	struct trace_set set;

	open_machine_of_4();
	rig_make(&rig, "sys/kernel/tracing/events/irq/irq_entry");
	make_plan(0);
	program.tracepoint = "irq:irq_entry";
	open_plan(&set, -ENOENT);
	rig_put(&rig, "sys/kernel/tracing/events/irq/irq_entry/id", "x\n");
	open_plan(&set, -ENODATA);
	rig_put(&rig, "sys/kernel/tracing/events/irq/irq_entry/id", "4711\n");
	open_plan(&set, 0);
	ck_assert_uint_eq(kernel.attached_id, 4711);
	ck_assert_int_eq(kernel.types[2], BPF_PROG_TYPE_TRACEPOINT);
	trace_close(&set);
	close_machine_of_4();
}

/* A number of a record is read where its format has it. */
START_TEST(fields_are_those_of_the_format)
{
	struct trace_set set;

	open_machine_of_4();
	rig_make(&rig, "sys/kernel/tracing/events/irq/irq_entry");
	rig_put(&rig, "sys/kernel/tracing/events/irq/irq_entry/id", "4711\n");
	make_plan(BITS_OF(ENTRIES));
	shape = bpf_count;
	plan.n_words = 1;
	program.tracepoint = "irq:irq_entry";
	program.n_keys = 1;
	program.keys[0] = (struct bpf_part){ .is = BPF_PART_FIELD, .name = "irq" };
	open_plan(&set, -ENOENT);
	rig_put(&rig, "sys/kernel/tracing/events/irq/irq_entry/format",
		"\tfield:int other;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:char irq[8];\toffset:12;\tsize:8;\tsigned:0;\n");
	open_plan(&set, -ENODATA);
	rig_put(&rig, "sys/kernel/tracing/events/irq/irq_entry/format",
		"\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n");
	open_plan(&set, 0);
	trace_close(&set);
	close_machine_of_4();
}

/* Without the kernel's types a program is loaded without them, unless it needs them. */
START_TEST(types_are_used_where_they_are_there)
{
	struct trace_set set;

	open_machine_of_4();
	make_plan(0);
	program.typed = true;
	open_plan(&set, 0);
	ck_assert_uint_eq(kernel.n_programs, 1);
	ck_assert_str_eq(kernel.attached, "sched_switch");
	trace_close(&set);
	shape.needs_types = true;
	open_plan(&set, -ENOENT);
	program.typed = false;
	open_plan(&set, -ENOENT);
	ck_assert_uint_eq(kernel.n_programs, 1);
	shape.needs_types = false;
	kernel.load_error = -EACCES;
	open_plan(&set, -EACCES);
	ck_assert_uint_eq(kernel.n_programs, 2);
	close_machine_of_4();
}

START_TEST(a_plan_is_opened_whole)
{
	struct bpf_program programs[3];
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(ENTRIES));
	programs[0] = programs[1] = programs[2] = program;
	programs[1].tracepoint = "absent";
	plan.programs = programs;
	plan.n_programs = 3;
	open_plan(&set, -ENOENT);
	ck_assert_uint_eq(set.n_running, 0);
	trace_close(&set);
	programs[1].optional = true;
	open_plan(&set, 0);
	ck_assert_uint_eq(set.n_running, 2);
	ck_assert_ptr_eq(set.running[1].program, &programs[2]);
	trace_stop(&set, &programs[0]);
	ck_assert_uint_eq(set.n_running, 1);
	ck_assert_ptr_eq(set.running[0].program, &programs[2]);
	trace_stop(&set, &programs[1]); /* it does not run */
	ck_assert_uint_eq(set.n_running, 1);
	ck_assert_int_eq(trace_add(&set, &programs[0]), 0);
	ck_assert_int_eq(trace_add(&set, &programs[1]), 0);
	ck_assert_uint_eq(set.n_running, 2);
	ck_assert_ptr_eq(set.running[1].program, &programs[0]);
	kernel.attach_error = -EPERM;
	ck_assert_int_eq(trace_add(&set, &programs[0]), -EPERM);
	ck_assert_uint_eq(set.n_running, 2);
	trace_close(&set);
	programs[0].optional = programs[2].optional = true;
	open_plan(&set, -EPERM); /* only one that is absent is left out */
	close_machine_of_4();
}

/* As where a program was started without a standard input. */
START_TEST(descriptor_0_is_closed_as_others)
{
	int kept = fcntl(0, F_DUPFD_CLOEXEC, 100);
	struct trace_set set;

	open_machine_of_4();
	make_plan(0);
	kernel.next_fd = 0;
	open_plan(&set, 0);
	ck_assert_int_eq(set.running[0].attached, 0);
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);
	trace_close(&set);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	if (kept >= 0) {
		dup2(kept, 0);
		close(kept);
	}
	close_machine_of_4();
}

/* More sets than are listed close as well. */
START_TEST(open_sets_are_listed)
{
	static struct trace_set sets[TRACE_SETS_MAX + 1];
	const struct trace_sets *opened;

	open_machine_of_4();
	make_plan(0);
	for (unsigned i = 0; i <= TRACE_SETS_MAX; i++)
		trace_open(&sets[i], &rig.env, &request, &plan);
	opened = trace_opened(&rig.env);
	ck_assert_uint_eq(opened->n, TRACE_SETS_MAX);
	trace_close(&sets[TRACE_SETS_MAX]);
	ck_assert_uint_eq(opened->n, TRACE_SETS_MAX);
	for (unsigned i = 0; i < TRACE_SETS_MAX; i++)
		ck_assert_ptr_eq(opened->list[i], &sets[i]);
	trace_close(&sets[3]);
	trace_close(&sets[3]);
	ck_assert_uint_eq(opened->n, TRACE_SETS_MAX - 1);
	ck_assert_ptr_eq(opened->list[3], &sets[TRACE_SETS_MAX - 1]);
	for (unsigned i = 0; i < TRACE_SETS_MAX; i++)
		trace_close(&sets[i]);
	ck_assert_uint_eq(opened->n, 0);
	close_machine_of_4();
}

/* --- What they count. */

#define N_ENTRIES 700

static struct {
	uint64_t keys[N_ENTRIES][3];
	struct bpf_entry entries[N_ENTRIES];
} counted;

static void count_entries(void)
{
	for (unsigned i = 0; i < N_ENTRIES; i++) {
		counted.keys[i][0] = counted.keys[i][2] = i;
		counted.keys[i][1] = 2 * i;
		counted.entries[i] = (struct bpf_entry){ .count = i, .sum = 3 * i, .most = 5 };
	}
	kernel.hash = (struct listed){ counted.keys, counted.entries, N_ENTRIES, 200, 1, 0 };
}

static void check_entries(const struct trace_set *set)
{
	ck_assert_uint_eq(set->n_entries, N_ENTRIES);
	ck_assert_uint_eq(set->n_read, N_ENTRIES);
	for (unsigned i = 0; i < N_ENTRIES; i++) {
		ck_assert_uint_eq(trace_key(set, i)[1], 2 * i);
		ck_assert_uint_eq(set->values[i].count, i);
		ck_assert_uint_eq(set->values[i].sum, 3 * i);
	}
}

START_TEST(entries_are_read_in_parts)
{
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(ENTRIES));
	open_plan(&set, 0);
	count_entries();
	ck_assert(trace_read(&set));
	check_entries(&set);
	ck_assert_uint_eq(set.room, 256);
	kernel.hash.bucket = 257; /* more than there is room for */
	ck_assert(trace_read(&set));
	check_entries(&set);
	ck_assert_uint_eq(set.room, 512);
	kernel.hash.bucket = 65536;
	kernel.hash.at_once = N_ENTRIES;
	ck_assert(trace_read(&set));
	check_entries(&set);
	ck_assert_uint_eq(set.room, 65536);
	kernel.hash.bucket = 65537; /* it is given up */
	ck_assert(!trace_read(&set));
	ck_assert_uint_eq(set.room, 65536);
	kernel.hash.bucket = 1;
	kernel.hash.error = -EIO;
	ck_assert(!trace_read(&set));
	kernel.hash.error = 0;
	ck_assert(trace_read(&set));
	check_entries(&set);
	trace_close(&set);
	ck_assert(!trace_read(&set)); /* it is closed */
	make_plan(0);
	open_plan(&set, 0);
	ck_assert(!trace_read(&set)); /* it has none */
	ck_assert(!trace_read_waiters(&set));
	trace_close(&set);
	close_machine_of_4();
}

/* Half of them was read while they changed; that is tried a few times. */
START_TEST(times_that_change_are_read_again)
{
	static const struct bpf_times_key keys[] = { { 7, 1 }, { 8, 2 } };
	const struct bpf_times good = { .begun_ns = 10, .since_ns = 17, .spent_ns = { 3, [7] = 4 } };
	struct bpf_times times[2] = { good, good }, *second = &times[1];
	const struct bpf_times bad = { .begun_ns = 10, .since_ns = 18, .spent_ns = { 3, [7] = 4 } };
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(ENTRIES));
	shape.entries = BPF_ENTRIES_TIMES;
	plan.n_words = 2;
	open_plan(&set, 0);
	kernel.hash = (struct listed){ keys, times, 2, 2, 1, 0 };
	kernel.value = &bad;
	kernel.right_value = &good;
	kernel.value_bytes = sizeof(good);
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(kernel.n_values, 0);
	*second = bad;
	kernel.good_after = 3;
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(kernel.n_values, 3);
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_ENTRIES]);
	ck_assert_uint_eq(set.times[1].since_ns, 17);
	kernel.n_values = 0;
	kernel.good_after = 1000;
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(kernel.n_values, 8);
	trace_close(&set);
	close_machine_of_4();
}

START_TEST(waiters_that_change_are_read_again)
{
	static const struct bpf_times_key keys[] = { { 7, 1 }, { 8, 2 } };
	const struct bpf_waiter good = { .begun_ns = 10, .since_ns = 17, .spent_ns = { 3, 1, 3 } };
	const struct bpf_waiter bad = { .begun_ns = 10, .since_ns = 16, .spent_ns = { 3, 1, 3 } };
	const struct bpf_waiter waiters[2] = { good, bad };
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(WAITERS));
	open_plan(&set, 0);
	kernel.hash = (struct listed){ keys, waiters, 2, 2, 1, 0 };
	kernel.value = &bad;
	kernel.right_value = &good;
	kernel.value_bytes = sizeof(good);
	kernel.good_after = 2;
	ck_assert(trace_read_waiters(&set));
	ck_assert_uint_eq(set.waiters.n, 2);
	ck_assert_uint_eq(kernel.n_values, 2);
	ck_assert_uint_eq(((const struct bpf_waiter *)set.waiters.values)[1].since_ns, 17);
	kernel.n_values = 0;
	kernel.good_after = 1000;
	ck_assert(trace_read_waiters(&set));
	ck_assert_uint_eq(kernel.n_values, 8);
	trace_forget_waiter(&set, 1);
	ck_assert_uint_eq(kernel.removed, 8);
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_WAITERS]);
	kernel.hash.error = -EIO;
	ck_assert(!trace_read_waiters(&set));
	trace_close(&set);
	ck_assert(!trace_read_waiters(&set));
	close_machine_of_4();
}

/* Keys that come often count there; what has a slot stays in the hash, too. */
START_TEST(what_comes_often_gets_a_slot)
{
	static const uint64_t keys[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
	static struct bpf_entry entries[3] = { { 1000, 50, 7 }, { 999, 20, 8 }, { 5000, 30, 9 } };
	uint64_t *slot, *shared;
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(ENTRIES));
	plan.slots = true;
	open_plan(&set, 0);
	shared = set.memory[BPF_MAP_SLOTS];
	ck_assert_uint_ne(bpf_slot(keys[0], 3), bpf_slot(keys[1], 3));
	kernel.hash = (struct listed){ keys, entries, 2, 2, 1, 0 };
	memset(shared + bpf_slot(keys[0], 3) * 6 + 1, 1, 40); /* of who had it before */
	ck_assert(trace_read(&set));
	slot = shared + bpf_slot(keys[0], 3) * 6;
	ck_assert_mem_eq(slot, keys[0], 24);
	ck_assert_uint_eq(slot[3] + slot[4] + slot[5], 0);
	ck_assert_uint_eq(shared[bpf_slot(keys[1], 3) * 6], BPF_SLOT_FREE);
	ck_assert_uint_eq(set.values[0].count, 1000);
	slot[3] = 5;
	slot[4] = 70;
	slot[5] = 6;
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(set.values[0].count, 1005);
	ck_assert_uint_eq(set.values[0].sum, 120);
	ck_assert_uint_eq(set.values[0].most, 7);
	ck_assert_uint_eq(set.values[1].count, 999);
	slot[5] = 8;
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(set.values[0].most, 8);
	slot[2] = 77; /* another key has it, which differs in its last word */
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(set.values[0].count, 1000);
	trace_forget(&set, 0);
	ck_assert_uint_eq(slot[0], 1);
	ck_assert_uint_eq(kernel.removed, 1);
	slot[2] = 3;
	trace_forget(&set, 0);
	ck_assert_uint_eq(slot[0], BPF_SLOT_FREE);
	trace_forget(&set, 1);
	ck_assert_uint_eq(kernel.removed, 4);
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_ENTRIES]);
	trace_close(&set);
	close_machine_of_4();
}

/* All have their slot at once: it has their number. */
START_TEST(phases_have_slots_with_their_number)
{
	static const uint64_t keys[1][3] = { { 1, 2, 3 } };
	static const uint64_t numbers[1] = { 42 };
	struct trace_set set;
	const uint64_t *slot;

	open_machine_of_4();
	make_plan(BITS_OF(ENTRIES) | BITS_OF(HISTOGRAMS));
	shape.entries = BPF_ENTRIES_PHASES;
	plan.slots = true;
	open_plan(&set, 0);
	kernel.hash = (struct listed){ keys, numbers, 1, 1, 1, 0 };
	ck_assert(trace_read(&set));
	slot = (const uint64_t *)set.memory[BPF_MAP_SLOTS] + bpf_slot(keys[0], 3) * 4;
	ck_assert_mem_eq(slot, keys[0], 24);
	ck_assert_uint_eq(slot[3], 42);
	ck_assert_ptr_eq(trace_phases(&set, 0),
			 (const struct bpf_phases *)set.memory[BPF_MAP_HISTOGRAMS] + 42);
	set.phase_numbers[0] = 499;
	ck_assert_ptr_nonnull(trace_phases(&set, 0));
	set.phase_numbers[0] = 500; /* there was no room */
	ck_assert_ptr_null(trace_phases(&set, 0));
	ck_assert(trace_read(&set));
	ck_assert_uint_eq(slot[3], 42);
	ck_assert_uint_eq(set.phase_numbers[0], 42);
	trace_close(&set);
	close_machine_of_4();
}

START_TEST(a_walk_has_ended_or_there_is_none)
{
	struct bpf_walk *walk;
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(WALK));
	shape.is_run = true;
	open_plan(&set, 0);
	walk = set.memory[BPF_MAP_WALK];
	walk->n_processes = 7;
	ck_assert_ptr_null(trace_walk(&set));
	ck_assert_uint_eq(set.n_entries, 0);
	walk->ended = true;
	ck_assert_ptr_eq(trace_walk(&set), walk);
	ck_assert_uint_eq(set.n_entries, 7);
	ck_assert_int_eq((int)kernel.used, set.running[0].loaded);
	kernel.run_error = -EPERM;
	ck_assert_ptr_null(trace_walk(&set));
	trace_close(&set);
	ck_assert_ptr_null(trace_walk(&set));
	ck_assert_uint_eq(kernel.n_run, 3);
	close_machine_of_4();
}

/* Unknown is -1. */
static const char *self_text(struct bpf_self self)
{
	return textf("%lld %lld %lld %lld", (long long)self.runs, (long long)self.lost,
		     (long long)self.timed_runs, (long long)self.timed_ns);
}

/* Sums over the four CPUs that are possible. */
START_TEST(what_programs_know_of_themselves)
{
	static const struct bpf_self selves[4] = {
		{ 1, 10, 100, 1000 }, { 2, 20, 200, 2000 }, { 3, 30, 300, 3000 }, { 4, 40, 400, 4000 }
	};
	struct trace_set set;

	open_machine_of_4();
	make_plan(0);
	open_plan(&set, 0);
	ck_assert_uint_eq(set.n_cpus, 4);
	kernel.right_value = selves;
	kernel.value_bytes = sizeof(selves);
	kernel.misses = 5;
	ck_assert_str_eq(self_text(trace_own(&set, 0)), "10 100 1000 10000");
	ck_assert_int_eq((int)kernel.used, set.running[0].self);
	ck_assert_str_eq(self_text(trace_self(&set, 0)), "10 105 1000 10000");
	kernel.value_error = -EIO;
	ck_assert_str_eq(self_text(trace_own(&set, 0)), "-1 -1 -1 -1");
	trace_close(&set);
	close_machine_of_4();
}

START_TEST(maps_that_are_written)
{
	static const uint64_t addresses[BPF_STACK_FRAMES] = { 11, 12 };
	uint64_t frames[BPF_STACK_FRAMES];
	struct trace_set set;

	open_machine_of_4();
	make_plan(BITS_OF(WANTED) | BITS_OF(RINGS) | BITS_OF(STACKS) | BITS_OF(BEFORE));
	open_plan(&set, 0);
	ck_assert_int_eq(trace_want(&set, 7, true), -E2BIG); /* full */
	ck_assert_uint_eq(kernel.set_key, 7);
	ck_assert_uint_eq(kernel.set_value, 0);
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_WANTED]);
	ck_assert_int_eq(trace_want(&set, 8, false), 0);
	ck_assert_uint_eq(kernel.removed, 8);
	ck_assert_int_eq(trace_direct(&set, 3, 55), -E2BIG);
	ck_assert_uint_eq(kernel.set_key, 3);
	ck_assert_uint_eq(kernel.set_value, 55);
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_RINGS]);
	kernel.right_value = addresses;
	kernel.value_bytes = sizeof(addresses);
	ck_assert(trace_stack(&set, 4, frames));
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_STACKS]);
	ck_assert_mem_eq(frames, addresses, sizeof(frames));
	ck_assert(trace_stack_before(&set, 4, frames));
	ck_assert_int_eq((int)kernel.used, set.maps[BPF_MAP_BEFORE]);
	kernel.value_error = -ENOENT;
	ck_assert(!trace_stack(&set, 4, frames));
	ck_assert(!trace_stack_before(&set, 4, frames));
	trace_close(&set);
	close_machine_of_4();
}

START_TEST(notices_say_what_is_missing)
{
	static const struct {
		int error;
		const char *text;
	} cases[] = {
		{ 0, NULL },
		{ -ENOTSUP, NULL },
		{ -EPERM, "BPF: no times: Operation not permitted" },
		{ -EXDEV, "BPF: no times: the kernel's PIDs are others than those of this PID namespace" },
	};
	struct frame *frame = &rig.frames[0];

	open_machine_of_4();
	make_plan(0);
	plan.topic = "interrupt";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trace_set set = { .env = &rig.env, .plan = &plan, .error = cases[i].error };

		frame_clear(frame);
		trace_notice(&set, frame, "no times");
		ck_assert_uint_eq(frame->n_notices, cases[i].text != NULL);
		if (cases[i].text) {
			ck_assert_str_eq(frame->notices[0].text, cases[i].text);
			ck_assert_str_eq(frame->notices[0].topic, "interrupt");
		}
	}
	frame_clear(frame);
	trace_notice(&(const struct trace_set){ .env = &rig.env, .error = -EPERM }, frame, "no times");
	ck_assert_uint_eq(frame->n_notices, 0);
	close_machine_of_4();
}

START_TEST(the_test_counts_and_closes)
{
	open_machine_of_4();
	ck_assert_int_eq(trace_test(&rig.env), 0);
	ck_assert_str_eq(kernel.attached, "sched_switch");
	ck_assert_uint_eq(trace_opened(&rig.env)->n, 0);
	kernel.load_error = -EPERM;
	ck_assert_int_eq(trace_test(&rig.env), -EPERM);
	rig.env.live = false;
	ck_assert_int_eq(trace_test(&rig.env), -ENOTSUP);
	close_machine_of_4();
}
