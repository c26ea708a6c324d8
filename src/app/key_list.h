/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --keys: the keys of the screen, and the views of each pane. The manual is made of it. */
#ifndef PANETOP_APP_KEY_LIST_H
#define PANETOP_APP_KEY_LIST_H

void print_keys(void);

#endif
