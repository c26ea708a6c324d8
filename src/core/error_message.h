/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of usage and of the run, for people. */
#ifndef PANETOP_CORE_ERROR_MESSAGE_H
#define PANETOP_CORE_ERROR_MESSAGE_H

/*
 * "panetop: what: why" to standard error, one line, cleaned. why is a format. Never waits: a line that
 * standard error does not take now is kept; a line for which there is no room is dropped and counted.
 */
void error_message(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Sends the lines that were kept, as far as standard error takes them now, and then how many were dropped. */
void error_message_retry(void);

/* A signal has asked for the end: error_message_close() no longer waits for as long as it takes. */
void error_message_hurry(void);

/* The end of the program: waits until standard error has taken what was kept, or a signal comes. */
void error_message_close(void);

#endif
