/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hides who uses a machine, and where it is in a network, in a text that others will read. */
#ifndef PANETOP_OUTPUT_REPORT_HIDDEN_NAMES_H
#define PANETOP_OUTPUT_REPORT_HIDDEN_NAMES_H

#include "core/buffer.h"

/*
 * Appends the text, without the users in paths and units (the name behind /home/, the number in
 * user-1000.slice) and without addresses of IP and of interfaces. A * stands for each. The buffer gets a text
 * that ends in NUL, which is not counted.
 */
void hidden_names_add(struct buffer *out, const char *text);

#endif
