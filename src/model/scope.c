/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Membership is kept by pid and start. What is true of a process by itself (its user, its control group) is
 * looked at in each sample; to be in a tree is inherited at the first sight, and stays, whoever the parent is
 * later.
 */
#include <config.h>

#include "model/scope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/typed_name.h"
#include "core/vector.h"
#include "kernel/cgroup.h"

static const char *const kinds[N_SCOPE_KINDS] = {
	[SCOPE_PROCESSES] = "pid", [SCOPE_TREE] = "tree",       [SCOPE_USER] = "user",
	[SCOPE_GROUP] = "cgroup",  [SCOPE_SERVICE] = "service", [SCOPE_CONTAINER] = "container",
};

static const char expected[] =
	N_("use pid=LIST, tree=PID, user=NAME, cgroup=PATH, service=NAME or container=NAME|ID");

static bool refuse(char *why, size_t room, const char *text)
{
	snprintf(why, room, "%s", text);
	return false;
}

static bool check(struct scope_term *term, char *why, size_t room)
{
	const char *text = term->text;
	size_t length = strlen(text);

	switch (term->kind) {
	case SCOPE_TREE:
		return span_whole_number(text, 1, INT32_MAX, &term->pid) ||
		       refuse(why, room, _("use the number of a process"));
	case SCOPE_GROUP:
		if (*text != '/')
			return refuse(why, room,
				      _("use a path as in /proc/PID/cgroup, such as /system.slice"));
		while (length > 1 && text[length - 1] == '/')
			term->text[--length] = '\0';
		return true;
	case SCOPE_SERVICE:
		return !strchr(text, '/') ||
		       refuse(why, room, _("use the name of a unit, such as nginx; a path is cgroup=PATH"));
	case SCOPE_CONTAINER:
		return !strchr(text, '/') ||
		       refuse(why, room, _("use a name or an ID; a path is cgroup=PATH"));
	default:
		return true;
	}
}

bool scope_term_set(struct scope_term *term, enum scope_kind kind, const char *value, char *why, size_t room)
{
	memset(term, 0, sizeof(*term));
	term->kind = kind;
	if (!*value)
		return refuse(why, room, _("the value must not be empty"));
	if (strlen(value) >= sizeof(term->text))
		return refuse(why, room, _("it is too long"));
	strcpy(term->text, value);
	return check(term, why, room);
}

bool scope_term_parse(struct scope_term *term, const char *text, char *why, size_t room)
{
	struct near_name near = { 0 };
	struct span rest = span_text(text), word;

	if (!span_until(&rest, '=', &word)) {
		snprintf(why, room, _("what is it? Write service=%s, user=%s ...; %s"), text, text,
			 _(expected));
		return false;
	}
	near.typed = word;
	for (unsigned kind = 0; kind < N_SCOPE_KINDS; kind++) {
		if (typed_is(word, kinds[kind]))
			return scope_term_set(term, (enum scope_kind)kind, rest.at, why, room);
		near_name_try(&near, kinds[kind]);
	}
	if (near.name)
		snprintf(why, room, _("did you mean %s=%s? %s"), near.name, rest.at, _(expected));
	else
		snprintf(why, room, "%s", _(expected));
	return false;
}

void scope_term_choose(struct scope_term *term, enum scope_kind kind, uint64_t pid, double start_seconds)
{
	memset(term, 0, sizeof(*term));
	term->kind = kind;
	term->pid = pid;
	term->has_start = true;
	term->start_seconds = start_seconds;
	snprintf(term->text, sizeof(term->text), "%llu", (unsigned long long)pid);
}

void scope_term_write(const struct scope_term *term, char *text, size_t room)
{
	snprintf(text, room, "%s=%s", kinds[term->kind], term->text);
}

/* A name without a suffix of its own is that of a service. */
static bool has_unit_suffix(struct span name)
{
	static const char *const suffixes[] = {
		".service", ".scope", ".slice", ".socket", ".mount", ".swap"
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (span_take_end(&name, suffixes[i]))
			return true;
	return false;
}

/* For people, translated: "user bob", "nginx.service". */
static void describe_term(const struct scope_term *term, char *text, size_t room)
{
	switch (term->kind) {
	case SCOPE_PROCESSES:
		snprintf(text, room, strchr(term->text, ',') ? _("processes %s") : _("process %s"),
			 term->text);
		break;
	case SCOPE_TREE:
		snprintf(text, room, _("tree of %s"), term->text);
		break;
	case SCOPE_USER:
		snprintf(text, room, _("user %s"), term->text);
		break;
	case SCOPE_SERVICE:
		snprintf(text, room, "%s%s", term->text,
			 has_unit_suffix(span_text(term->text)) ? "" : ".service");
		break;
	case SCOPE_CONTAINER:
		snprintf(text, room, _("container %s"), term->text);
		break;
	default:
		snprintf(text, room, "%s", term->text);
	}
}

/* "nginx" means "nginx.service" of systemd, and "openrc.nginx" of OpenRC. */
static bool is_unit(const struct cgroup_name *group, const char *name)
{
	size_t length = strlen(name);

	if (group->kind == CGROUP_GROUP)
		return strncmp(group->name, "openrc.", 7) == 0 && strcmp(group->name + 7, name) == 0;
	if (group->kind != CGROUP_UNIT && group->kind != CGROUP_SLICE && group->kind != CGROUP_SCOPE)
		return false;
	if (has_unit_suffix(span_text(name)))
		return strcmp(group->name, name) == 0;
	return strncmp(group->name, name, length) == 0 && strcmp(group->name + length, ".service") == 0;
}

/* By its beginning, or by a name that has been learned for it. */
static bool is_meant_id(const struct scope_term *term, struct span id)
{
	size_t length = strspn(term->text, "0123456789abcdef");
	bool is = length >= SCOPE_DIGITS_MIN && term->text[length] == '\0' && span_starts(id, term->text);

	for (unsigned i = 0; i < term->n_ids && !is; i++)
		is = span_starts(id, term->ids[i]);
	return is;
}

/* By its ID, or by a name that is in the path; "machine-NAME.scope" is of systemd-nspawn. */
static bool is_container(const struct cgroup_name *group, const struct scope_term *term)
{
	struct span rest = span_text(group->name);
	const char *name = term->text;

	if (group->kind == CGROUP_CONTAINER)
		return span_length(group->id) > 0 ? is_meant_id(term, group->id)
						  : strcmp(group->name, name) == 0;
	if (group->kind != CGROUP_SCOPE || !span_starts(rest, "machine-"))
		return false;
	rest.at += strlen("machine-");
	rest.end -= strlen(".scope");
	return span_is(rest, name);
}

bool scope_path_is_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	if (length <= 1)
		return *path == '/';
	return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Of the group, or of one above it. */
static bool is_named(const struct scope_term *term, struct span path)
{
	struct cgroup_name name;

	cgroup_name_parse(path, &name);
	return term->kind == SCOPE_SERVICE ? is_unit(&name, term->text) : is_container(&name, term);
}

bool scope_term_has_group(const struct scope_term *term, const char *path)
{
	if (term->kind == SCOPE_GROUP)
		return scope_path_is_below(path, term->text);
	for (const char *at = path; *at; at++)
		if (at > path && (at[1] == '/' || at[1] == '\0') &&
		    is_named(term, span_of(path, (size_t)(at + 1 - path))))
			return true;
	return false;
}

bool scope_term_of_group(struct scope_term *term, enum scope_kind kind, const char *path)
{
	struct cgroup_name name;
	char why[TEXT_MAX];

	for (size_t length = strlen(path); length > 1; length--) {
		if (path[length] != '\0' && path[length] != '/')
			continue;
		cgroup_name_parse(span_of(path, length), &name);
		/* slices are groups of services, and are found by their paths */
		if (kind == SCOPE_CONTAINER ? name.kind == CGROUP_CONTAINER
					    : name.kind == CGROUP_UNIT || name.kind == CGROUP_SCOPE)
			return scope_term_set(term, kind, name.name, why, sizeof(why));
	}
	return false;
}

bool scope_term_learn(struct scope_term *term, struct span path, const char *name)
{
	struct cgroup_name group;

	if (term->kind != SCOPE_CONTAINER || strcmp(term->text, name) != 0)
		return false;
	cgroup_name_parse(path, &group);
	if (group.kind != CGROUP_CONTAINER || span_length(group.id) < SCOPE_ID_DIGITS ||
	    is_meant_id(term, group.id))
		return false;
	if (term->n_ids == SCOPE_IDS_MAX)
		memmove(term->ids[0], term->ids[1], sizeof(term->ids) - sizeof(term->ids[0]));
	else
		term->n_ids++;
	memcpy(term->ids[term->n_ids - 1], group.id.at, SCOPE_ID_DIGITS);
	return true;
}

bool scope_term_has_user(const struct scope_term *term, uint64_t uid, const char *user)
{
	struct span rest = span_text(term->text), item;
	uint64_t number;

	for (unsigned i = 0; i < term->n_users; i++)
		if (term->users[i] == uid)
			return true;
	while (term->n_users == 0 && span_item(&rest, &item)) {
		if (user && span_is(item, user))
			return true;
		if (uid != U64_UNKNOWN && span_is_u64(item, &number) && number == uid)
			return true;
	}
	return false;
}

#define SAME_SECONDS 0.021       /* starts are in hundredths, and those of events come a little later */
#define PAST_MAX ((size_t)65536) /* then the older half is forgotten */
#define DEPTH_MAX 256            /* of a tree; deeper processes are seen in the next sample */

bool scope_add(struct scope *scope, const struct scope_term *term)
{
	if (scope->n_terms == SCOPE_TERMS_MAX)
		return false;
	memcpy(&scope->terms[scope->n_terms++], term, sizeof(*term));
	scope_forget(scope);
	return true;
}

void scope_forget(struct scope *scope)
{
	scope->epoch++;
	scope->groups_epoch++;
	scope->n_alive = scope->n_next = scope->n_past = scope->n_old = scope->n_members = 0;
	scope->n_bound = 0;
	scope->tasks_seconds = 0;
	scope->has_looked = false;
	scope->unknown = 0;
	hash_clear(&scope->by_pid);
}

void scope_clear(struct scope *scope)
{
	scope->n_terms = 0;
	scope_forget(scope);
}

void scope_free(struct scope *scope)
{
	free(scope->alive);
	free(scope->next);
	free(scope->past);
	hash_free(&scope->by_pid);
	*scope = (struct scope){ 0 };
}

bool scope_needs_groups(const struct scope *scope)
{
	for (unsigned i = 0; scope && i < scope->n_terms; i++)
		if (scope_term_is_of_group(&scope->terms[i]))
			return true;
	return false;
}

void scope_learn(struct scope *scope, struct span path, const char *name)
{
	for (unsigned i = 0; i < scope->n_terms; i++)
		scope->groups_epoch += scope_term_learn(&scope->terms[i], path, name) ? 1 : 0;
}

bool scope_has_group(const struct scope *scope, const char *path)
{
	bool has = true;

	for (unsigned i = 0; i < scope->n_terms; i++)
		has &= !scope_term_is_of_group(&scope->terms[i]) ||
		       (path && scope_term_has_group(&scope->terms[i], path));
	return has;
}

bool scope_tops_group(const struct scope *scope, const char *path)
{
	char above[SCOPE_TEXT_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!scope_has_group(scope, path))
		return false;
	if (!slash || slash[1] == '\0' || length >= sizeof(above))
		return true;
	memcpy(above, length > 0 ? path : "/", length > 0 ? length : 1);
	above[length > 0 ? length : 1] = '\0';
	return !scope_has_group(scope, above);
}

bool scope_is_of_groups(const struct scope *scope)
{
	bool is = scope_is_set(scope);

	for (unsigned i = 0; is && i < scope->n_terms; i++)
		is = scope_term_is_of_group(&scope->terms[i]);
	return is;
}

const struct scope_term *scope_find(const struct scope *scope, enum scope_kind kind)
{
	for (unsigned i = 0; scope && i < scope->n_terms; i++)
		if (scope->terms[i].kind == kind)
			return &scope->terms[i];
	return NULL;
}

static void join(const struct scope *scope, const char *between,
		 void (*write)(const struct scope_term *term, char *text, size_t room), char *text,
		 size_t room)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned i = 0; i < scope->n_terms && used + strlen(between) < room; i++) {
		used += (size_t)snprintf(text + used, room - used, "%s", i > 0 ? between : "");
		write(&scope->terms[i], text + used, room - used);
		used += strlen(text + used);
	}
}

void scope_write(const struct scope *scope, char *text, size_t room)
{
	join(scope, " & ", scope_term_write, text, room);
}

void scope_describe(const struct scope *scope, char *text, size_t room)
{
	join(scope, ", ", describe_term, text, room);
}

static bool is_same_start(double one, double other)
{
	return isnan(one) || isnan(other) || fabs(one - other) < SAME_SECONDS;
}

static unsigned all_bits(const struct scope *scope)
{
	return (1U << scope->n_terms) - 1;
}

static struct scope_entry *find_in(struct scope_entry *list, size_t count, uint64_t pid)
{
	size_t at;

	VECTOR_BOUND(at, count, list[at].pid < pid);
	return at < count && list[at].pid == pid ? &list[at] : NULL;
}

/* The newest of the past that this may be, from this index on. */
static struct scope_entry *find_past(const struct scope *scope, uint64_t pid, double start_seconds,
				     size_t from)
{
	uint32_t folded = hash_fold(hash_u64(pid)), at;
	struct scope_entry *newest = NULL;
	size_t slot = folded;

	while ((at = hash_next(&scope->by_pid, folded, &slot)) != HASH_NONE) {
		struct scope_entry *entry = &scope->past[at];

		if (at >= from && entry->pid == pid && is_same_start(entry->start_seconds, start_seconds) &&
		    (!newest || newest < entry))
			newest = entry;
	}
	return newest;
}

/* What is known of the process; an event since the last look is newer than that. NULL: nothing. */
static struct scope_entry *find(const struct scope *scope, uint64_t pid, double start_seconds)
{
	struct scope_entry *entry = find_past(scope, pid, start_seconds, scope->n_old);

	if (!entry)
		entry = find_in(scope->alive, scope->n_alive, pid);
	if (!entry || !is_same_start(entry->start_seconds, start_seconds))
		entry = find_past(scope, pid, start_seconds, 0);
	return entry;
}

static void forget_older_half(struct scope *scope)
{
	size_t dropped = scope->n_past / 2;

	memmove(scope->past, scope->past + dropped, (scope->n_past - dropped) * sizeof(*scope->past));
	scope->n_past -= dropped;
	scope->n_old = scope->n_old > dropped ? scope->n_old - dropped : 0;
	hash_clear(&scope->by_pid);
	for (size_t i = 0; i < scope->n_past; i++)
		hash_add(&scope->by_pid, hash_u64(scope->past[i].pid), (uint32_t)i);
}

static void add_past(struct scope *scope, const struct scope_entry *entry)
{
	if (scope->n_past == PAST_MAX)
		forget_older_half(scope);
	hash_add(&scope->by_pid, hash_u64(entry->pid), (uint32_t)scope->n_past);
	*VECTOR_ADD(scope->past, scope->n_past, scope->past_capacity) = *entry;
}

/* Is it the process that the number means? The first one that is seen with it. */
static bool is_bound(struct scope *scope, const struct scope_process *process)
{
	for (unsigned i = 0; i < scope->n_bound; i++) {
		struct scope_bound *bound = &scope->bound[i];

		if (bound->pid != process->pid)
			continue;
		if (isnan(bound->start_seconds))
			bound->start_seconds = process->start_seconds;
		return is_same_start(bound->start_seconds, process->start_seconds);
	}
	if (scope->n_bound < SCOPE_BOUND_MAX)
		scope->bound[scope->n_bound++] = (struct scope_bound){ process->pid, process->start_seconds };
	return true;
}

static bool is_chosen(struct scope *scope, const struct scope_term *term, const struct scope_process *process)
{
	return term->has_start ? term->pid == process->pid &&
					 is_same_start(term->start_seconds, process->start_seconds)
			       : is_bound(scope, process);
}

/* A number means one process; a name means any. */
static bool is_listed(struct scope *scope, const struct scope_term *term, const struct scope_process *process)
{
	struct span list = span_text(term->text), word;
	uint64_t number;

	while (span_item(&list, &word)) {
		bool of_pid = span_is_u64(word, &number);

		if (of_pid ? number == process->pid && is_chosen(scope, term, process)
			   : process_pattern_matches(word, process->pid, process->name, process->program))
			return true;
	}
	return false;
}

enum verdict { IS_OUT, IS_IN, ASKS_PARENT, LACKS };

static enum verdict judge(struct scope *scope, const struct scope_term *term,
			  const struct scope_process *process)
{
	switch (term->kind) {
	case SCOPE_PROCESSES:
		return is_listed(scope, term, process) ? IS_IN : IS_OUT;
	case SCOPE_TREE:
		return process->pid == term->pid && is_chosen(scope, term, process) ? IS_IN
		       : process->parent_pid == U64_UNKNOWN                         ? LACKS
										    : ASKS_PARENT;
	case SCOPE_USER:
		if (process->uid == U64_UNKNOWN && !process->user)
			return LACKS;
		return scope_term_has_user(term, process->uid, process->user) ? IS_IN : IS_OUT;
	default:
		if (!process->group)
			return LACKS;
		return scope_term_has_group(term, process->group) ? IS_IN : IS_OUT;
	}
}

/* Of what is unknown the parent decides, as children are born where their parents are. */
static struct scope_entry assess(struct scope *scope, const struct scope_process *process, unsigned *lacks)
{
	struct scope_entry entry = { .pid = process->pid,
				     .parent_pid = process->parent_pid,
				     .start_seconds = process->start_seconds };

	*lacks = 0;
	for (unsigned i = 0; i < scope->n_terms; i++) {
		enum verdict verdict = judge(scope, &scope->terms[i], process);

		entry.bits |= verdict == IS_IN ? 1U << i : 0;
		entry.asks |= verdict == ASKS_PARENT || verdict == LACKS ? 1U << i : 0;
		*lacks |= verdict == LACKS ? 1U << i : 0;
	}
	return entry;
}

void scope_begin(struct scope *scope)
{
	scope->n_next = 0;
	scope->unknown = all_bits(scope);
}

void scope_look(struct scope *scope, const struct scope_process *process)
{
	unsigned lacks;
	struct scope_entry entry = assess(scope, process, &lacks);
	const struct scope_entry *before = find(scope, entry.pid, entry.start_seconds);

	scope->unknown &= lacks;
	if (entry.asks && before) { /* what was inherited once stays */
		entry.bits |= entry.asks & before->bits;
		entry.asks = 0;
	}
	*VECTOR_ADD(scope->next, scope->n_next, scope->next_capacity) = entry;
}

/* The parent as this look has it; else as it was: it may have ended. */
static struct scope_entry *parent_in(const struct scope *scope, const struct scope_entry *entry)
{
	struct scope_entry *parent = NULL;

	if (entry->parent_pid != U64_UNKNOWN && entry->parent_pid != entry->pid)
		parent = find_in(scope->next, scope->n_next, entry->parent_pid);
	return parent || entry->parent_pid == U64_UNKNOWN ? parent : find(scope, entry->parent_pid, NAN);
}

/* Climbs until an ancestor knows, then gives its answer to all on the way. A circle of parents has no answer.
 */
static void ask_parents(const struct scope *scope, struct scope_entry *entry)
{
	struct scope_entry *path[DEPTH_MAX], *above = entry;
	unsigned depth = 0, bits;

	while (above && above->asks && depth < DEPTH_MAX) {
		path[depth] = above;
		above = parent_in(scope, path[depth++]);
	}
	bits = above && !above->asks ? above->bits : 0;
	while (depth-- > 0) {
		path[depth]->bits |= path[depth]->asks & bits;
		path[depth]->asks = 0;
		bits = path[depth]->bits;
	}
}

static int compare_pids(const void *one, const void *other)
{
	const struct scope_entry *a = one, *b = other;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static void sort_next(struct scope *scope)
{
	bool sorted = true;

	for (size_t i = 1; i < scope->n_next; i++)
		sorted &= scope->next[i - 1].pid <= scope->next[i].pid;
	if (!sorted)
		qsort(scope->next, scope->n_next, sizeof(*scope->next), compare_pids);
}

/* Members that ended: events and exit records of their children are still to come. */
static void keep_ended(struct scope *scope)
{
	for (size_t i = 0; i < scope->n_alive; i++) {
		const struct scope_entry *entry = &scope->alive[i];
		const struct scope_entry *now = find_in(scope->next, scope->n_next, entry->pid);

		if (entry->bits && !(now && is_same_start(now->start_seconds, entry->start_seconds)))
			add_past(scope, entry);
	}
}

void scope_end(struct scope *scope)
{
	struct scope_entry *swapped = scope->alive;
	size_t capacity = scope->alive_capacity;

	sort_next(scope);
	for (size_t i = 0; i < scope->n_next; i++)
		ask_parents(scope, &scope->next[i]);
	keep_ended(scope);
	scope->alive = scope->next;
	scope->alive_capacity = scope->next_capacity;
	scope->n_alive = scope->n_next;
	scope->next = swapped;
	scope->next_capacity = capacity;
	scope->n_next = 0;
	scope->n_old = scope->n_past;
	scope->n_members = 0;
	for (size_t i = 0; i < scope->n_alive; i++)
		scope->n_members += scope->alive[i].bits == all_bits(scope);
	scope->has_looked = true;
}

/* Of a parent that no look and no event has shown its number is known at least. */
static unsigned parent_bits(const struct scope *scope, const struct scope_process *process)
{
	const struct scope_entry *parent =
		process->parent_pid == U64_UNKNOWN ? NULL : find(scope, process->parent_pid, NAN);
	unsigned bits = 0;

	for (unsigned i = 0; !parent && !scope->has_looked && i < scope->n_terms; i++)
		if (scope->terms[i].kind == SCOPE_TREE && scope->terms[i].pid == process->parent_pid)
			bits |= 1U << i;
	return parent ? parent->bits : bits;
}

void scope_event(struct scope *scope, const struct scope_process *process, bool forked)
{
	const struct scope_entry *before = find(scope, process->pid, forked ? NAN : process->start_seconds);
	unsigned lacks;
	struct scope_entry entry = assess(scope, process, &lacks);

	entry.bits |= entry.asks & (before && !forked ? before->bits : parent_bits(scope, process));
	entry.asks = 0;
	if (before ? before->bits != entry.bits || forked : entry.bits != 0)
		add_past(scope, &entry);
}

bool scope_has(const struct scope *scope, uint64_t pid, double start_seconds)
{
	const struct scope_entry *entry;

	if (!scope_is_set(scope))
		return true;
	entry = find(scope, pid, start_seconds);
	return entry && entry->bits == all_bits(scope);
}
