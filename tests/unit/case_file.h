/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of cases: in tests/FOLDER/NAME.txt "case NAME" begins a test, whose lines follow up to the next one.
 * "do NAME [ARGUMENT]..." are the lines of "steps NAME", in which $1 is the first argument. # begins a
 * comment; a line that begins with a tab goes on with the one above.
 */
#ifndef PANETOP_TESTS_CASE_FILE_H
#define PANETOP_TESTS_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A line with those that it goes on with, whose newlines and tabs are in its text. */
struct case_line {
	unsigned number; /* of its first one */
	char *text;
};

/* The file that is loaded, and the line that is looked at. */
extern struct case_file {
	char path[128], *text; /* text: what the lines were taken from */
	struct case_line *lines, *here;
	size_t n_lines;
	bool is_changed; /* a line: the file is stored when its case ends */
} case_file;

/* Each case in a folder below tests is a test: run is called with its first line. */
void add_cases(const char *folder, void (*run)(size_t first));

void load_cases(const char *path);

/* The line behind "KIND NAME". */
size_t find_case(const char *kind, const char *name);

/* Runs lines up to the next case: each in a copy that stays as long as the case. */
void run_case_lines(size_t first, void (*run)(char *text));

/* Ends the test with where it is, and why. */
void refuse_case(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The line that is looked at becomes this, wrapped. */
void change_case_line(const char *text);

/* Is this the first word of text, and not its last? */
bool begins_with_word(const char *text, const char *word);

/* The first word of text, and where the second one begins. */
char *take_word(char **text);

/* In place: what was in several lines, parted by blanks. */
void join_lines(char *text);

/* Of these lines the one that is most like text; NULL: there is none. */
const char *nearest_line(const char *text, char *const *lines, size_t n_lines);

#endif
