/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notices on standard error, each of them once. */
#ifndef PANETOP_APP_NOTICE_PRINTER_H
#define PANETOP_APP_NOTICE_PRINTER_H

#include "core/buffer.h"
#include "model/frame.h"

/* All zero: nothing was told yet. */
struct told {
	struct buffer texts; /* NUL after each; digits are one */
};

void told_notices(struct told *told, const struct frame *frame);
void told_free(struct told *told);

#endif
