/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of errors, as programmers know them: ENOENT. */
#ifndef PANETOP_CORE_ERROR_NAME_H
#define PANETOP_CORE_ERROR_NAME_H

#define ERROR_NAME_BYTES 24

/* The number where the C library has no name. */
void error_name(int error, char name[ERROR_NAME_BYTES]);

#endif
