/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints notices on standard error, each of them once. */
#ifndef PANETOP_APP_NOTICE_PRINTER_H
#define PANETOP_APP_NOTICE_PRINTER_H

#include "core/buffer.h"
#include "model/frame.h"

/* All zero: nothing printed yet. */
struct notice_printer {
	struct buffer texts; /* ended by NUL each; numbers replaced by # */
};

void notice_printer_print(struct notice_printer *printer, const struct notice *notice);
void notice_printer_free(struct notice_printer *printer);

#endif
