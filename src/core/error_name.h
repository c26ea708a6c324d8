/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of errors and signals, as programmers know them: ENOENT, TERM. */
#ifndef PANETOP_CORE_ERROR_NAME_H
#define PANETOP_CORE_ERROR_NAME_H

#define ERROR_NAME_BYTES 24

/* The number where the C library has no name. */
void error_name(int error, char name[ERROR_NAME_BYTES]);

/* Signals by name: sigabbrev_np(3) is not in every C library, and nothing turns a name into a number. */
const char *signal_name(unsigned number); /* "TERM"; NULL for a number without a name */
#define SIGNAL_TEXT_MAX 24
char *signal_text(char text[SIGNAL_TEXT_MAX], int number); /* "SIGTERM", "SIGRTMIN+3" */

#endif
