/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error messages about conditions, of an option or of a line of a file. */
#ifndef PANETOP_APP_CONDITION_MESSAGE_H
#define PANETOP_APP_CONDITION_MESSAGE_H

#include "model/rule.h"

/* The index of its topic; n_topics: there is none of this name. */
unsigned condition_topic(struct span name);

/* Each prints a message about what is wrong in "what", and returns the exit status 2. */
int condition_refuse_topic(const char *what, struct span name);
int condition_refuse_syntax(const char *what, enum condition_error error, struct span wrong);
int condition_refuse_binding(const char *what, enum condition_error error, const struct condition *condition,
			     struct span wrong);

#endif
