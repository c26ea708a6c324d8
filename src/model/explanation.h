/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed around a moment of a recording or of the past: numbers that departed from what they usually
 * were, processes that started, exited or use more, and events by command. It says what and when, never why.
 */
#ifndef PANETOP_MODEL_EXPLANATION_H
#define PANETOP_MODEL_EXPLANATION_H

#include "model/explained.h"
#include "model/source.h"

/*
 * Explains the sample at this index; all zero is an empty explanation. The source is left at another place,
 * and wants other topics. The list of series ends with one without a topic.
 */
void explanation_take(struct explanation *explanation, const struct source *source, size_t index,
		      const struct schema *const *schemas, unsigned n_schemas,
		      const struct explained_series *series);
void explanation_free(struct explanation *explanation);

#endif
