/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoder and decoder of what was unwound. */
#include <config.h>

#include "topic/profile/profile_results.h"

#include <string.h>

static void put(struct buffer *out, const void *value, size_t size)
{
	buffer_add(out, value, size);
}

static void put_text(struct buffer *out, struct span text)
{
	uint16_t length =
		(uint16_t)(span_length(text) < PROFILE_NAME_MAX ? span_length(text) : PROFILE_NAME_MAX);

	put(out, &length, sizeof(length));
	put(out, text.at, length);
}

static void put_kind(struct buffer *out, enum profile_result_kind kind)
{
	buffer_char(out, (char)kind);
}

void profile_results_function(struct buffer *out, struct span name, struct span file, struct span path,
			      enum profile_names names)
{
	put_kind(out, PROFILE_RESULT_FUNCTION);
	buffer_char(out, (char)names);
	put_text(out, name);
	put_text(out, file);
	put_text(out, path);
}

void profile_results_node(struct buffer *out, uint32_t parent, uint32_t function)
{
	put_kind(out, PROFILE_RESULT_NODE);
	put(out, &parent, sizeof(parent));
	put(out, &function, sizeof(function));
}

void profile_results_line(struct buffer *out, uint32_t function, uint32_t line, struct span source)
{
	put_kind(out, PROFILE_RESULT_LINE);
	put(out, &function, sizeof(function));
	put(out, &line, sizeof(line));
	put_text(out, source);
}

void profile_results_count(struct buffer *out, const struct profile_count *count)
{
	put_kind(out, PROFILE_RESULT_COUNT);
	put(out, count, sizeof(*count));
}

void profile_results_fork(struct buffer *out, uint32_t pid, uint32_t parent)
{
	put_kind(out, PROFILE_RESULT_FORK);
	put(out, &pid, sizeof(pid));
	put(out, &parent, sizeof(parent));
}

void profile_results_again(struct buffer *out)
{
	put_kind(out, PROFILE_RESULT_AGAIN);
}

void profile_results_state(struct buffer *out, const struct profile_state *state)
{
	put_kind(out, PROFILE_RESULT_STATE);
	put(out, state, sizeof(*state));
}

static bool eat_text(struct span *rest, struct span *text)
{
	uint16_t length;

	if (!span_eat(rest, &length, sizeof(length)) || length > PROFILE_NAME_MAX ||
	    length > span_length(*rest))
		return false;
	*text = span_of(rest->at, length);
	rest->at += length;
	return true;
}

static bool eat_function(struct span *rest, struct profile_result *result)
{
	uint8_t names;

	if (!span_eat(rest, &names, sizeof(names)) || names >= N_PROFILE_NAMES ||
	    !eat_text(rest, &result->name) || !eat_text(rest, &result->file) ||
	    !eat_text(rest, &result->path))
		return false;
	result->names = (enum profile_names)names;
	return true;
}

static bool eat_result(struct span *rest, struct profile_result *result)
{
	switch (result->kind) {
	case PROFILE_RESULT_FUNCTION:
		return eat_function(rest, result);
	case PROFILE_RESULT_NODE:
		return span_eat(rest, &result->parent, sizeof(result->parent)) &&
		       span_eat(rest, &result->function, sizeof(result->function));
	case PROFILE_RESULT_LINE:
		return span_eat(rest, &result->function, sizeof(result->function)) &&
		       span_eat(rest, &result->line, sizeof(result->line)) && eat_text(rest, &result->name);
	case PROFILE_RESULT_COUNT:
		return span_eat(rest, &result->count, sizeof(result->count));
	case PROFILE_RESULT_FORK:
		return span_eat(rest, &result->pid, sizeof(result->pid)) &&
		       span_eat(rest, &result->parent_pid, sizeof(result->parent_pid));
	case PROFILE_RESULT_AGAIN:
		return true;
	case PROFILE_RESULT_STATE:
		return span_eat(rest, &result->state, sizeof(result->state));
	}
	return false;
}

bool profile_results_next(struct span *message, struct profile_result *result)
{
	struct span rest = *message;
	uint8_t kind;

	*result = (struct profile_result){ .kind = PROFILE_RESULT_STATE };
	if (!span_eat(&rest, &kind, sizeof(kind)) || kind > PROFILE_RESULT_STATE)
		return false;
	result->kind = (enum profile_result_kind)kind;
	if (!eat_result(&rest, result))
		return false;
	*message = rest;
	return true;
}
