/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables that make libraries open files or print, where the program has more rights than its user. */
#ifndef PANETOP_SYS_USER_VARIABLES_H
#define PANETOP_SYS_USER_VARIABLES_H

/* To be called before libraries: removes these variables where the kernel set AT_SECURE. */
void user_variables_open(void);

/* All variables, as panetop got them: for a command. */
char **user_variables(void);

#endif
