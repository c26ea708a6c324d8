/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of cases. */
#include <config.h>

#include "case_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/buffer.h"
#include "suite.h"

#define CASES_MAX 1024
#define WIDTH 108 /* of what is written */
#define ARGUMENTS_MAX 9

struct case_file case_file;

static const char *folder;
static void (*run_lines)(size_t first);
static struct arena copies;
static struct {
	char *path, *name;
} cases[CASES_MAX];
static int n_cases;
static char **arguments; /* of "do"; NULL: these are no lines of steps */

void refuse_case(const char *format, ...)
{
	char why[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(why, sizeof(why), format, list);
	va_end(list);
	ck_abort_msg("%s:%u: %s", case_file.path, case_file.here ? case_file.here->number : 0, why);
}

void load_cases(const char *path)
{
	struct case_file *file = &case_file;
	unsigned number = 1;

	snprintf(file->path, sizeof(file->path), "%s", path);
	free(file->text);
	file->text = read_test_file(path + strlen("tests/"));
	file->here = NULL;
	file->n_lines = 0;
	for (char *at = file->text, *newline; *at; at = newline + 1, number++) {
		newline = at + strcspn(at, "\n");
		if (*at != '\t' || file->n_lines == 0) {
			file->lines = alloc_resize(file->lines, file->n_lines + 1, sizeof(*file->lines));
			file->lines[file->n_lines++] = (struct case_line){ number, at };
		} else {
			at[-1] = '\n'; /* it goes on */
		}
		if (!*newline)
			break;
		*newline = '\0';
	}
}

static void store(void)
{
	FILE *output = fopen(test_path(case_file.path + strlen("tests/")), "w");

	if (!output)
		refuse_case("it cannot be written");
	for (size_t i = 0; i < case_file.n_lines; i++)
		fprintf(output, "%s\n", case_file.lines[i].text);
	fclose(output);
}

bool begins_with_word(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0 && text[strlen(word)] == ' ';
}

char *take_word(char **text)
{
	char *word = *text;

	*text += strcspn(*text, " ");
	if (**text)
		*(*text)++ = '\0';
	return word;
}

void join_lines(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '\t')
			*to++ = *text == '\n' ? ' ' : *text;
	*to = '\0';
}

/* In lines of this width, but for words that are longer. */
void change_case_line(const char *text)
{
	struct buffer out = { 0 };
	size_t width = 0, length;
	const char *newline;

	for (; *text; text += length) {
		length = 1 + strcspn(text + 1, " ");
		if (width > 0 && width + length > WIDTH && *text == ' ')
			buffer_text(&out, "\n\t"), text++, length--, width = 8;
		buffer_add(&out, text, length);
		newline = memchr(text, '\n', length);
		width = newline ? length - (size_t)(newline - text) : width + length;
	}
	buffer_char(&out, '\0');
	case_file.here->text = out.bytes;
	case_file.is_changed = true;
}

size_t find_case(const char *kind, const char *name)
{
	for (size_t i = 0; i < case_file.n_lines; i++) {
		const char *text = case_file.lines[i].text;

		if (begins_with_word(text, kind) && strcmp(text + strlen(kind) + 1, name) == 0)
			return i + 1;
	}
	refuse_case("there is no %s %s", kind, name);
}

/* The text of a line, with arguments in place of $1 … $9, which are empty without one. */
static char *with_arguments(const char *text)
{
	struct buffer out = { 0 };
	char *kept;

	for (; *text; text++) {
		unsigned number = *text == '$' ? (unsigned)(text[1] - '1') : ARGUMENTS_MAX;

		if (*text == '\\' && text[1])
			buffer_char(&out, *text++);
		if (!arguments || number >= ARGUMENTS_MAX)
			buffer_char(&out, *text);
		else
			buffer_text(&out, arguments[number] ? arguments[number] : ""), text++;
	}
	buffer_char(&out, '\0');
	kept = memcpy(arena_take(&copies, out.length), out.bytes, out.length);
	buffer_free(&out);
	return kept;
}

static void run_steps(char *text, void (*run)(char *text))
{
	const char *name = take_word(&text);
	char *own[ARGUMENTS_MAX] = { NULL }, **before = arguments;

	for (unsigned i = 0; i < ARGUMENTS_MAX && *text; i++)
		own[i] = take_word(&text);
	arguments = own;
	run_case_lines(find_case("steps", name), run);
	arguments = before;
}

void run_case_lines(size_t first, void (*run)(char *text))
{
	for (size_t i = first; i < case_file.n_lines; i++) {
		const char *text = case_file.lines[i].text;

		if (begins_with_word(text, "case") || begins_with_word(text, "steps"))
			return;
		case_file.here = &case_file.lines[i];
		snprintf(suite_place, sizeof(suite_place), "%s:%u: ", case_file.path, case_file.here->number);
		if (begins_with_word(text, "do"))
			run_steps(with_arguments(text) + strlen("do "), run);
		else if (*text && *text != '#')
			run(with_arguments(text));
	}
}

static void run_case(int i)
{
	load_cases(cases[i].path);
	run_lines(find_case("case", cases[i].name));
	if (case_file.is_changed)
		store();
	arena_free(&copies);
}

static void add_cases_of(const char *name)
{
	char path[sizeof(case_file.path)];

	snprintf(path, sizeof(path), "tests/%s/%s", folder, name);
	load_cases(path);
	for (size_t i = 0; i < case_file.n_lines && n_cases < CASES_MAX; i++) {
		if (!begins_with_word(case_file.lines[i].text, "case"))
			continue;
		cases[n_cases].path = alloc_text(case_file.path);
		cases[n_cases].name = alloc_text(case_file.lines[i].text + strlen("case "));
		suite_add_numbered(cases[n_cases].name, run_case, __FILE__, n_cases);
		n_cases++;
	}
}

void add_cases(const char *of, void (*run)(size_t first))
{
	folder = of;
	run_lines = run;
	for_each_test_file(of, add_cases_of);
}

/* How many words it has, and how far they are the same. */
static size_t likeness(const char *text, const char *words)
{
	size_t like = 0, same = 0;
	const char *whole = textf(" %s ", text);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		like += strstr(whole, textf(" %.*s ", (int)length, at)) ? 1000 : 0;
		at += length;
	}
	while (text[same] && text[same] == words[same])
		same++;
	return like + same;
}

const char *nearest_line(const char *text, char *const *lines, size_t n_lines)
{
	const char *found = n_lines > 0 ? lines[0] : NULL;
	size_t most = 0;

	for (size_t i = 0; i < n_lines; i++) {
		size_t like = likeness(lines[i], text);

		if (like > most) {
			most = like;
			found = lines[i];
		}
	}
	return found;
}
