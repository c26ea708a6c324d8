/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the fields that a user has named in the format of a tracepoint, and describes the program. */
#include <config.h>

#include "topic/tracepoint/tracepoint_plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "kernel/trace_format.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "topic/served_mounts.h"
#include "topic/trace/trace_scope.h"

#define FORMAT_BYTES 16384
#define NAMES_BYTES ((size_t)128 * 1024) /* at first */
#define NAME_BYTES 64
#define LIST_BYTES ((size_t)600) /* of names in a message */
#define NAMES_BYTES_MAX ((size_t)8 * 1024 * 1024)

int tracepoint_list_open(struct tracepoint_list *list, struct env *env)
{
	*list = (struct tracepoint_list){ .tracefs = tracing_open(env) };
	return list->tracefs < 0 ? list->tracefs : 0;
}

void tracepoint_list_close(struct tracepoint_list *list)
{
	descriptor_close(list->tracefs);
	free(list->names);
	free(list->format);
	*list = (struct tracepoint_list){ .tracefs = -1 };
}

int tracepoint_list_test(struct env *env)
{
	struct tracepoint_list list;
	int error = tracepoint_list_open(&list, env);

	tracepoint_list_close(&list);
	return error;
}

int tracepoint_list_names(struct tracepoint_list *list, struct span *names)
{
	long length = list->names ? (long)list->length : (long)list->capacity;

	while (!list->names || ((size_t)length == list->capacity && list->capacity < NAMES_BYTES_MAX)) {
		list->capacity = list->capacity ? 2 * list->capacity : NAMES_BYTES;
		list->names = alloc_resize(list->names, list->capacity, 1);
		length = tracefs_read(list->tracefs, "available_events", list->names, list->capacity);
		if (length < 0) {
			free(list->names);
			list->names = NULL;
			return (int)length;
		}
		list->length = (size_t)length;
	}
	*names = span_of(list->names, list->length);
	return 0;
}

int tracepoint_list_format(struct tracepoint_list *list, struct span group, struct span event,
			   struct span *format)
{
	char path[512];
	long length;

	if (!list->format)
		list->format = alloc_zeroed(FORMAT_BYTES, 1);
	if (snprintf(path, sizeof(path), "events/%.*s/%.*s/format", (int)span_length(group), group.at,
		     (int)span_length(event), event.at) >= (int)sizeof(path))
		return -ENOENT;
	length = tracefs_read(list->tracefs, path, list->format, FORMAT_BYTES);
	if (length < 0)
		return (int)length;
	*format = span_of(list->format, (size_t)length);
	return 0;
}

/* The name among those tried that is nearest; its text is kept. */
struct nearest {
	struct near_name near;
	char text[NAME_BYTES];
};

static void try_name(struct nearest *nearest, struct span name)
{
	char text[NAME_BYTES];

	if (snprintf(text, sizeof(text), "%.*s", (int)span_length(name), name.at) >= (int)sizeof(text))
		return;
	near_name_try(&nearest->near, text);
	if (nearest->near.name == text)
		nearest->near.name = strcpy(nearest->text, text);
}

/* Whole names only. */
static void cut_list(struct buffer *list)
{
	if (list->length <= LIST_BYTES)
		return;
	for (list->length = LIST_BYTES; list->bytes[list->length] != ' ';)
		list->length--;
	buffer_text(list, " …");
}

void tracepoint_list_refuse(struct tracepoint_list *list, const char *group, const char *event, char *why,
			    size_t room)
{
	struct nearest near_group = { .near = { .typed = span_text(group) } },
		       near_event = { .near = { .typed = span_text(event) } };
	struct buffer events = { 0 };
	struct span names = { 0 }, line, name;

	tracepoint_list_names(list, &names);
	while (span_line(&names, &line)) {
		if (!span_until(&line, ':', &name))
			continue;
		try_name(&near_group, name);
		if (!span_is(name, group))
			continue;
		try_name(&near_event, line);
		buffer_print(&events, " %.*s", (int)span_length(line), line.at);
	}
	cut_list(&events);
	if (near_event.near.name)
		snprintf(why, room, _("no tracepoint %s:%s; did you mean %s:%s?"), group, event, group,
			 near_event.near.name);
	else if (events.length > 0)
		snprintf(why, room, _("no tracepoint %s:%s; there are:%.*s"), group, event,
			 (int)events.length, events.bytes);
	else if (near_group.near.name)
		snprintf(why, room, _("no group of tracepoints %s; did you mean %s?"), group,
			 near_group.near.name);
	else
		snprintf(why, room, _("no group of tracepoints %s; panetop -t tracepoint lists them all"),
			 group);
	buffer_free(&events);
}

/* Those of trace_context_names, in their order. A field of the tracepoint with the same name comes first. */
static const struct {
	enum bpf_part_is is;
	enum tracepoint_key_is key;
} contexts[] = { { BPF_PART_COMMAND, TRACEPOINT_KEY_TEXT },
		 { BPF_PART_PROCESS, TRACEPOINT_KEY_NUMBER },
		 { BPF_PART_THREAD, TRACEPOINT_KEY_NUMBER },
		 { BPF_PART_CPU, TRACEPOINT_KEY_NUMBER },
		 { BPF_PART_CGROUP, TRACEPOINT_KEY_GROUP } };
#define N_CONTEXTS (sizeof(contexts) / sizeof(contexts[0]))

/* What is made, and from what. */
struct making {
	struct tracepoint_plan *plan;
	const struct trace_spec *spec;
	struct span format;
	char *why;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct making *making, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(making->why, making->room, format, arguments);
	va_end(arguments);
	return false;
}

static bool is_common(const struct trace_field *field)
{
	return span_starts(field->name, TRACE_FIELD_COMMON);
}

static struct bpf_spot spot_of(const struct trace_field *field)
{
	return (struct bpf_spot){
		.is = field->is == TRACE_FIELD_ELSEWHERE ? BPF_SPOT_ELSEWHERE
		      : field->is == TRACE_FIELD_BEHIND  ? BPF_SPOT_BEHIND
							 : BPF_SPOT_HERE,
		.offset = (uint16_t)field->offset,
		.bytes = (uint16_t)field->bytes,
		.value_bytes = (uint8_t)field->value_bytes,
		.is_signed = field->is_signed,
	};
}

static unsigned words_of(size_t bytes)
{
	return (unsigned)((bytes < BPF_KEY_TEXT_MAX ? bytes : BPF_KEY_TEXT_MAX) + sizeof(uint64_t) - 1) /
	       (unsigned)sizeof(uint64_t);
}

static bool part_of_field(struct making *making, const struct trace_field *field, struct bpf_part *part,
			  enum tracepoint_key_is *key)
{
	*part = (struct bpf_part){ .is = BPF_PART_NUMBER, .spot = spot_of(field) };
	*key = field->is == TRACE_FIELD_DEVICE    ? TRACEPOINT_KEY_DEVICE
	       : field->is == TRACE_FIELD_POINTER ? TRACEPOINT_KEY_POINTER
						  : TRACEPOINT_KEY_NUMBER;
	if (trace_field_is_text(field)) {
		*key = TRACEPOINT_KEY_TEXT;
		part->is = BPF_PART_TEXT;
		part->words = words_of(field->is == TRACE_FIELD_TEXT ? field->bytes : BPF_KEY_TEXT_MAX);
	}
	return (field->offset <= INT16_MAX && field->bytes <= INT16_MAX && field->bytes > 0) ||
	       refuse(making, _("%.*s is a field of an unusual size"), (int)span_length(field->name),
		      field->name.at);
}

/* In some formats two fields have the same name: the first one that is of use, or that has a number. */
static bool find_field(const struct making *making, const char *name, bool only_numbers,
		       struct trace_field *field)
{
	struct span rest = making->format;

	while (trace_format_next(&rest, field))
		if (span_is(field->name, name) && !is_common(field) &&
		    (trace_field_is_number(field) || (!only_numbers && trace_field_is_text(field))))
			return true;
	return false;
}

/* What a name in a key or condition means. */
static bool part_of(struct making *making, const char *name, struct bpf_part *part,
		    enum tracepoint_key_is *key)
{
	struct trace_field field;

	if (find_field(making, name, false, &field))
		return part_of_field(making, &field, part, key);
	for (size_t i = 0; i < N_CONTEXTS; i++)
		if (strcmp(trace_context_names[i], name) == 0) {
			*part = (struct bpf_part){ .is = contexts[i].is };
			*key = contexts[i].key;
			if (*key == TRACEPOINT_KEY_TEXT) {
				part->words = BPF_COMMAND_BYTES / sizeof(uint64_t);
				part->spot.bytes = BPF_COMMAND_BYTES;
			}
			return true;
		}
	return false;
}

static bool make_keys(struct making *making)
{
	struct tracepoint_plan *plan = making->plan;
	struct bpf_program *program = &plan->programs[0];

	for (unsigned i = 0; i < making->spec->n_keys; i++)
		if (!part_of(making, making->spec->keys[i], &program->keys[i], &plan->keys[i]))
			return false;
	plan->n_keys = program->n_keys = making->spec->n_keys;
	if (program->n_keys == 0 && !plan->has_bits)
		program->keys[program->n_keys++] = (struct bpf_part){ .is = BPF_PART_CONSTANT };
	return true;
}

/* Of sum, max and hist; without a name nothing is set. */
static bool make_number(struct making *making, const char *name, struct bpf_part *part, bool *has)
{
	enum tracepoint_key_is key;
	struct trace_field field;

	if (name[0] == '\0')
		return true;
	return *has = find_field(making, name, true, &field) && part_of_field(making, &field, part, &key);
}

static bool parse_number(const char *text, uint64_t *number)
{
	bool is_negative = text[0] == '-';
	struct span digits = span_text(text + is_negative);

	if (span_starts(digits, "0x")) {
		digits.at += 2;
		return !is_negative && span_hex(&digits, number) && span_length(digits) == 0;
	}
	if (!span_is_u64(digits, number) || (is_negative && *number > (uint64_t)INT64_MAX + 1))
		return false;
	*number = is_negative ? -*number : *number;
	return true;
}

/* "8:0" */
static bool parse_device(const char *text, uint64_t *number)
{
	struct span rest = span_text(text);
	uint64_t major, minor;

	if (!span_u64(&rest, &major) || !span_char(&rest, ':') || !span_u64(&rest, &minor) ||
	    span_length(rest) > 0 || major > UINT32_MAX >> TRACE_DEVICE_MINOR_BITS ||
	    minor >> TRACE_DEVICE_MINOR_BITS)
		return false;
	*number = major << TRACE_DEVICE_MINOR_BITS | minor;
	return true;
}

static bool make_number_test(struct making *making, const struct trace_test *from, struct bpf_test *test,
			     enum tracepoint_key_is key)
{
	bool is_negative = from->value[0] == '-', is_signed = test->part.spot.is_signed;

	if (!(key == TRACEPOINT_KEY_DEVICE && parse_device(from->value, &test->number)) &&
	    !parse_number(from->value, &test->number))
		return refuse(making, _("%s is a number, '%s' is not"), from->field, from->value);
	if (is_negative && !is_signed)
		return refuse(making, _("%s is never below 0"), from->field);
	if (!is_negative && is_signed && test->number > INT64_MAX)
		return refuse(making, _("%s is never as large as %s"), from->field, from->value);
	return true;
}

static bool make_text_test(struct making *making, const struct trace_test *from, struct bpf_test *test)
{
	struct bpf_part *part = &test->part;
	size_t length = strlen(from->value);
	bool is_here = part->spot.bytes > 0 && part->spot.is == BPF_SPOT_HERE;

	if (from->relation != RELATION_EQUAL && from->relation != RELATION_NOT_EQUAL)
		return refuse(making, _("%s is a text: compare it by == or !="), from->field);
	if (is_here && length > part->spot.bytes)
		return refuse(making, _("'%s' is longer than %s, which has %u bytes"), from->value,
			      from->field, part->spot.bytes);
	if (part->is == BPF_PART_TEXT && part->words > words_of(length + 1))
		part->words = words_of(length + 1);
	memcpy(test->text, from->value, length);
	return true;
}

static bool make_tests(struct making *making)
{
	static const enum bpf_relation relations[] = {
		[RELATION_LESS] = BPF_LESS,       [RELATION_LESS_EQUAL] = BPF_LESS_EQUAL,
		[RELATION_GREATER] = BPF_GREATER, [RELATION_GREATER_EQUAL] = BPF_GREATER_EQUAL,
		[RELATION_EQUAL] = BPF_EQUAL,     [RELATION_NOT_EQUAL] = BPF_NOT_EQUAL,
	};
	struct bpf_table_parts *table = &making->plan->table;

	for (unsigned i = 0; i < making->spec->n_tests; i++) {
		const struct trace_test *from = &making->spec->tests[i];
		struct bpf_test *test = &table->tests[i];
		enum tracepoint_key_is key;

		test->relation = relations[from->relation];
		if (!part_of(making, from->field, &test->part, &key))
			return false;
		if (key == TRACEPOINT_KEY_TEXT ? !make_text_test(making, from, test)
					       : !make_number_test(making, from, test, key))
			return false;
	}
	table->n_tests = making->spec->n_tests;
	return true;
}

/* In a PID namespace the kernel's numbers of processes are others. */
static bool names_processes(const struct tracepoint_plan *plan)
{
	const struct bpf_program *program = &plan->programs[0];
	bool any = false;

	for (unsigned i = 0; i < program->n_keys; i++)
		any |= program->keys[i].is == BPF_PART_PROCESS || program->keys[i].is == BPF_PART_THREAD;
	for (unsigned i = 0; i < plan->table.n_tests; i++)
		any |= plan->table.tests[i].part.is == BPF_PART_PROCESS ||
		       plan->table.tests[i].part.is == BPF_PART_THREAD;
	return any;
}

static void make_plan(struct tracepoint_plan *plan, const struct trace_spec *spec, bool of_scope)
{
	struct bpf_program *program = &plan->programs[0];

	snprintf(plan->tracepoint, sizeof(plan->tracepoint), "%s:%s", spec->group, spec->event);
	snprintf(plan->name, sizeof(plan->name), "%s", spec->text);
	program->name = plan->name;
	program->tracepoint = plan->tracepoint;
	program->does = &bpf_table;
	program->table = &plan->table;
	program->by_log2 = plan->has_bits;
	plan->programs[1] = (struct bpf_program)TRACE_SCOPE_FORKS;
	plan->plan = (struct trace_plan){
		.topic = "trace",
		.programs = plan->programs,
		.n_programs = of_scope ? 2 : 1,
		.n_words = bpf_key_words(program) + program->by_log2,
		.n_entries_max = TRACEPOINT_ROWS_MAX,
		.of_wanted = of_scope,
		.by_pid = of_scope || names_processes(plan),
	};
}

void tracepoint_fields(struct span format, enum tracepoint_part part, struct buffer *out)
{
	size_t before = out->length;
	struct trace_field field;

	while (trace_format_next(&format, &field)) {
		enum tracepoint_part is = trace_field_is_number(&field) ? TRACEPOINT_NUMBERS
					  : trace_field_is_text(&field) ? TRACEPOINT_TEXTS
									: TRACEPOINT_OTHERS;

		if (is_common(&field) || is != part)
			continue;
		if (out->length > before)
			buffer_char(out, ' ');
		buffer_add(out, field.name.at, span_length(field.name));
	}
	buffer_char(out, '\0');
}

/* Are all names those of fields? */
static bool fits(struct making *making)
{
	struct buffer names[N_TRACEPOINT_PARTS] = { 0 };
	bool good;

	for (enum tracepoint_part part = 0; part < N_TRACEPOINT_PARTS; part++)
		tracepoint_fields(making->format, part, &names[part]);
	good = trace_spec_fits(making->spec,
			       &(struct trace_fields){ names[TRACEPOINT_NUMBERS].bytes,
						       names[TRACEPOINT_TEXTS].bytes,
						       names[TRACEPOINT_OTHERS].bytes },
			       making->why, making->room);
	for (enum tracepoint_part part = 0; part < N_TRACEPOINT_PARTS; part++)
		buffer_free(&names[part]);
	return good;
}

bool tracepoint_plan_make(struct tracepoint_plan *plan, const struct trace_spec *spec, struct span format,
			  bool of_scope, char *why, size_t room)
{
	struct making making = { .plan = plan, .spec = spec, .format = format, .why = why, .room = room };

	*plan = (struct tracepoint_plan){ 0 };
	if (!fits(&making))
		return false;
	if (!make_number(&making, spec->sum, &plan->programs[0].value, &plan->has_sum) ||
	    !make_number(&making, spec->most, &plan->table.most, &plan->has_most) ||
	    !make_number(&making, spec->histogram, &plan->table.bits, &plan->has_bits) ||
	    !make_keys(&making) || !make_tests(&making))
		return false;
	make_plan(plan, spec, of_scope);
	return true;
}

int tracepoint_plan_find(struct tracepoint_plan *plan, struct tracepoint_list *list,
			 const struct trace_spec *spec, bool of_scope, char *why, size_t room)
{
	struct span format;
	int error = tracepoint_list_format(list, span_text(spec->group), span_text(spec->event), &format);

	if (error && error != -ENOENT)
		return error;
	if (error)
		tracepoint_list_refuse(list, spec->group, spec->event, why, room);
	return error || !tracepoint_plan_make(plan, spec, format, of_scope, why, room) ? -EINVAL : 0;
}

bool tracepoint_check(struct env *env, const struct trace_spec *spec, char *why, size_t room)
{
	static struct tracepoint_plan plan;
	struct tracepoint_list list;
	bool good;

	if (tracepoint_list_open(&list, env) < 0)
		return true;
	good = tracepoint_plan_find(&plan, &list, spec, false, why, room) != -EINVAL;
	tracepoint_list_close(&list);
	return good;
}
