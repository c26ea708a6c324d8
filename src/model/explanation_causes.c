/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins what changed of a resource with the processes that changed the same way: the causes. The other
 * lines follow them.
 */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "model/explanation_study.h"

#define USERS_MAX 3     /* lines below a cause */
#define USERS_SHARE 0.1 /* of the largest one's change, at least */

/* A change of a resource, and those who have a part in it. */
struct cause {
	const struct study_part *part;
	const struct study_part *users[USERS_MAX]; /* the largest first */
	unsigned n_users;
};

struct causes {
	struct study *study;
	struct cause *all;
	size_t n, capacity;
	bool *placed; /* of each line */
};

static double rank_of(const struct study *study, const struct study_part *part)
{
	return study->out->lines[part->line].rank;
}

static const char *topic_of(const struct study *study, const struct study_part *part)
{
	return study->out->lines[part->line].topic;
}

/*
 * What is about this resource: of the first topic in the list of series, as the others follow from it, what
 * changed most. A rise comes before a fall.
 */
static bool is_better(const struct study *study, const struct study_part *part, const struct study_part *best)
{
	if (!best)
		return true;
	if (part->rose != best->rose)
		return part->rose;
	return strcmp(topic_of(study, part), topic_of(study, best)) == 0 && part->size > best->size;
}

static void add_cause(struct causes *causes, const struct study_part *part)
{
	*VECTOR_ADD(causes->all, causes->n, causes->capacity) = (struct cause){ .part = part };
	causes->placed[part->line] = true;
}

/* Who changed a resource most where all of it did not change, as on a machine that was busy before. */
static const struct study_part *largest_rise(const struct causes *causes, int resource)
{
	const struct study *study = causes->study;
	const struct study_part *most = NULL;

	for (size_t i = 0; i < study->n_parts; i++) {
		const struct study_part *part = &study->parts[i];

		if ((int)part->resource == resource && part->rose && !causes->placed[part->line] &&
		    (!most || part->size > most->size))
			most = part;
	}
	return most;
}

static void find_causes(struct causes *causes)
{
	const struct study *study = causes->study;

	for (int resource = EXPLAINED_ALONE; resource < EXPLAINED_OTHER; resource++) {
		const struct study_part *best = NULL;

		for (size_t i = 0; i < study->n_parts; i++) {
			const struct study_part *part = &study->parts[i];

			if (!part->whole || (int)part->resource != resource)
				continue;
			if (resource == EXPLAINED_ALONE)
				add_cause(causes, part);
			else if (is_better(study, part, best))
				best = part;
		}
		if (!best && resource != EXPLAINED_ALONE)
			best = largest_rise(causes, resource);
		if (best)
			add_cause(causes, best);
	}
}

/* The rows were compared over the time since the first departure: what changed before is not theirs. */
static bool is_user(const struct causes *causes, const struct study_part *part, const struct cause *cause)
{
	const struct study_part *whole = cause->part;

	return whole->whole && whole->n_since <= causes->study->n_since + 1 && !part->whole &&
	       part->resource == whole->resource && part->rose == whole->rose &&
	       !causes->placed[part->line];
}

static void find_users(struct causes *causes, struct cause *cause)
{
	const struct study *study = causes->study;
	double least = 0;

	while (cause->n_users < USERS_MAX) {
		const struct study_part *most = NULL;

		for (size_t i = 0; i < study->n_parts; i++)
			if (is_user(causes, &study->parts[i], cause) &&
			    (!most || study->parts[i].size > most->size))
				most = &study->parts[i];
		if (!most || most->size < least)
			return;
		if (cause->n_users == 0)
			least = USERS_SHARE * most->size;
		cause->users[cause->n_users++] = most;
		causes->placed[most->line] = true;
	}
}

/* 0: within ten seconds of the moment, 1: within twenty, 2: forty, … */
static int distance_of(const struct explained_line *line)
{
	return line->away_seconds > 10 ? 1 + ilogb(fmin(line->away_seconds, 1e9) / 10) : 0;
}

/* What is nearer to the moment first, then what has users, then by rank. */
static bool comes_before(const struct causes *causes, const struct cause *cause, const struct cause *other)
{
	const struct explained_line *lines = causes->study->out->lines;
	int one = distance_of(&lines[cause->part->line]), two = distance_of(&lines[other->part->line]);

	if (one != two)
		return one < two;
	if ((cause->n_users > 0) != (other->n_users > 0))
		return cause->n_users > 0;
	return rank_of(causes->study, cause->part) > rank_of(causes->study, other->part);
}

/* Of those that have not been taken. */
static struct cause *next_cause(const struct causes *causes)
{
	struct cause *next = NULL;

	for (size_t i = 0; i < causes->n; i++) {
		struct cause *cause = &causes->all[i];

		if (cause->part && (!next || comes_before(causes, cause, next)))
			next = cause;
	}
	return next;
}

static int by_importance(const void *left, const void *right)
{
	const struct explained_line *one = left, *other = right;

	if (one->related != other->related)
		return other->related - one->related;
	if (distance_of(one) != distance_of(other))
		return distance_of(one) - distance_of(other);
	return (one->rank < other->rank) - (one->rank > other->rank);
}

/* Marks the lines that are about the resource of the first cause. */
static void relate(const struct study *study, enum explained_resource first)
{
	for (size_t i = 0; i < study->n_parts && first != EXPLAINED_ALONE; i++)
		study->out->lines[study->parts[i].line].related |= study->parts[i].resource == first;
}

static void order(const struct causes *causes, struct explained_line *ordered)
{
	struct explanation *out = causes->study->out;
	struct cause *cause = next_cause(causes);
	size_t n = 0;

	if (cause)
		relate(causes->study, cause->part->resource);
	for (; cause; cause = next_cause(causes)) {
		ordered[n++] = out->lines[cause->part->line];
		for (unsigned i = 0; i < cause->n_users; i++) {
			ordered[n] = out->lines[cause->users[i]->line];
			ordered[n++].below = true;
		}
		cause->part = NULL;
	}
	out->n_causes = n;
	for (size_t i = 0; i < out->n_lines; i++)
		if (!causes->placed[i])
			ordered[n++] = out->lines[i];
	qsort(ordered + out->n_causes, n - out->n_causes, sizeof(*ordered), by_importance);
	memcpy(out->lines, ordered, n * sizeof(*ordered));
}

void study_causes(struct study *study)
{
	size_t n_lines = study->out->n_lines;
	struct causes causes = { .study = study };
	struct explained_line *ordered;

	if (n_lines == 0)
		return;
	causes.placed = alloc_zeroed(n_lines, sizeof(*causes.placed));
	ordered = alloc_zeroed(n_lines, sizeof(*ordered));
	find_causes(&causes);
	for (size_t i = 0; i < causes.n; i++)
		find_users(&causes, &causes.all[i]);
	order(&causes, ordered);
	free(ordered);
	free(causes.all);
	free(causes.placed);
}
