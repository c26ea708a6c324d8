/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on standard error, for people. */
#ifndef PANETOP_SYS_ERROR_MESSAGE_H
#define PANETOP_SYS_ERROR_MESSAGE_H

/*
 * Prints "panetop: what: why" on standard error as one cleaned line; what may be NULL, why is a format. Never
 * waits: a line that standard error does not take now is kept; without room it is dropped and counted.
 */
void error_message(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* All messages so far, a line each without the name of the program; empty: none. */
const char *error_message_log(void);

/* Sends the kept lines, as far as standard error takes them now, then the number of dropped lines. */
void error_message_retry(void);

/* At the end of the program: waits for at most a second until standard error has taken the kept lines. */
void error_message_close(void);

#endif
