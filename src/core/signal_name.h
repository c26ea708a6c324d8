/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals by name: sigabbrev_np(3) is not in every C library, and nothing turns a name into a number. */
#ifndef PANETOP_CORE_SIGNAL_NAME_H
#define PANETOP_CORE_SIGNAL_NAME_H

const char *signal_name(unsigned number); /* "TERM"; NULL for a number without a name */
#define SIGNAL_TEXT_MAX 24
char *signal_text(char text[SIGNAL_TEXT_MAX], int number); /* "SIGTERM", "SIGRTMIN+3" */

#endif
