/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user wants to have counted at a tracepoint: GROUP:EVENT [by KEY[,…]] [sum(FIELD)] [max(FIELD)]
 * [hist(FIELD)] [if FIELD OP VALUE [and …]].
 */
#ifndef PANETOP_MODEL_TRACE_SPEC_H
#define PANETOP_MODEL_TRACE_SPEC_H

#include "model/rule.h"

#define TRACE_SPECS_MAX 8
#define TRACE_SPEC_TEXT_MAX 512
#define TRACE_NAME_MAX 64
#define TRACE_KEYS_MAX 4
#define TRACE_TESTS_MAX 8

/* Compared with memcmp(): all zero before it is filled. */
struct trace_test {
	char field[TRACE_NAME_MAX];
	enum relation relation;
	char value[TRACE_NAME_MAX]; /* without quotes */
};

struct trace_spec {
	char text[TRACE_SPEC_TEXT_MAX]; /* as it was given, without blanks around it */
	char group[TRACE_NAME_MAX], event[TRACE_NAME_MAX];
	char keys[TRACE_KEYS_MAX][TRACE_NAME_MAX];
	unsigned n_keys;
	char sum[TRACE_NAME_MAX], most[TRACE_NAME_MAX], histogram[TRACE_NAME_MAX]; /* fields; "": none */
	struct trace_test tests[TRACE_TESTS_MAX];                                  /* all must hold */
	unsigned n_tests;
};

/* Those of a run; whoever changes them counts epoch up. */
struct trace_specs {
	struct trace_spec list[TRACE_SPECS_MAX];
	unsigned n;
	unsigned epoch;
};

/* False: why, translated, is what is wrong, and what to write. Knows no kernel: names may be of nothing. */
bool trace_spec_parse(struct trace_spec *spec, const char *text, char *why, size_t room);

/* Names of fields of a tracepoint, with blanks between them; others: of no use. */
struct trace_fields {
	const char *numbers, *texts, *others;
};

/* Are its names those of these fields, each where such a field may be? False: as above. */
bool trace_spec_fits(const struct trace_spec *spec, const struct trace_fields *fields, char *why,
		     size_t room);

#endif
