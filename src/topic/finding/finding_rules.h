/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is out of the ordinary: the rules of findings. */
#ifndef PANETOP_TOPIC_FINDING_FINDING_RULES_H
#define PANETOP_TOPIC_FINDING_FINDING_RULES_H

#include "model/finding.h"

extern const struct finding_rule finding_rules[];
extern const unsigned n_finding_rules;

/* What a rule or a setting of one that had this name is called; NULL: it has that name, or none. */
const char *finding_name_now(const char *name);

#endif
