/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of usage and of the run, for people. */
#ifndef PANETOP_CORE_ERROR_MESSAGE_H
#define PANETOP_CORE_ERROR_MESSAGE_H

/* "panetop: what: why" to standard error, one line, cleaned. why is a format. */
void complain(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

#endif
