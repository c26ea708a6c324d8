/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the groups of resctrl and reads their files; it changes nothing there. */
#include <config.h>

#include "topic/cache/cache_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/mounts.h"
#include "sys/attribute.h"

#define TASKS_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define SCHEMATA_BYTES_MAX ((size_t)1024 * 1024)
#define CPUS "sys/devices/system/cpu"

static const char *const event_files[N_CACHE_EVENTS] = {
	[CACHE_OCCUPANCY] = "llc_occupancy",
	[CACHE_TOTAL] = "mbm_total_bytes",
	[CACHE_LOCAL] = "mbm_local_bytes",
};

int cache_mounted(struct env *env)
{
	int error = !env_exists(env, CACHE_ROOT) ? -ENODEV : !env_exists(env, CACHE_INFO) ? -ENOENT : 0;

	if (error)
		env_note_failure(env, CACHE_ROOT, error);
	return error;
}

/* A path of the group: "sys/fs/resctrl/web/schemata". False: it is too long, in a made-up tree. */
static bool path_of(char path[CACHE_PATH_MAX], const char *group, const char *file)
{
	int length = snprintf(path, CACHE_PATH_MAX, CACHE_ROOT "%s%s%s%s", *group ? "/" : "", group,
			      *file ? "/" : "", file);

	return length > 0 && length < CACHE_PATH_MAX;
}

static void close_domain(struct cache_tree *tree, struct cache_domain *domain)
{
	for (unsigned event = 0; event < N_CACHE_EVENTS; event++)
		attribute_close(&domain->files[event], tree->env);
}

static void close_group(struct cache_tree *tree, struct cache_group *group)
{
	for (size_t i = 0; i < group->n_domains; i++)
		close_domain(tree, &group->domains[i]);
	attribute_close(&group->mode_file, tree->env);
	free(group->domains);
	free(group->path);
}

/* "36608K" */
static bool parse_size(struct span text, uint64_t *bytes)
{
	return span_u64(&text, bytes) && span_char(&text, 'K') && span_length(text) == 0 &&
	       !__builtin_mul_overflow(*bytes, UINT64_C(1024), bytes);
}

static void add_size(struct cache_tree *tree, const char *cpu, unsigned index)
{
	char path[CACHE_PATH_MAX], text[64];
	struct cache_size size;
	uint64_t level;
	long length;

	snprintf(path, sizeof(path), CPUS "/%s/cache/index%u/level", cpu, index);
	if (attribute_once_u64(tree->env, path, &level) < 0 || level < 2 || level > 3)
		return;
	snprintf(path, sizeof(path), CPUS "/%s/cache/index%u/id", cpu, index);
	size.level = (unsigned)level;
	if (attribute_once_u64(tree->env, path, &size.id) < 0 ||
	    cache_tree_bytes(tree, size.level, size.id) != U64_UNKNOWN)
		return;
	snprintf(path, sizeof(path), CPUS "/%s/cache/index%u/size", cpu, index);
	length = attribute_once(tree->env, path, text, sizeof(text));
	if (length > 0 && parse_size(span_of(text, (size_t)length), &size.bytes))
		*VECTOR_ADD(tree->sizes, tree->n_sizes, tree->sizes_capacity) = size;
}

static void collect(void *context, const char *name)
{
	struct cache_tree *tree = context;

	buffer_add(&tree->names, name, strlen(name) + 1);
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static int list(struct cache_tree *tree, const char *path)
{
	int error;

	buffer_empty(&tree->names);
	tree->n_sorted = 0;
	error = listing_each_directory(tree->env, path, collect, tree);
	for (size_t at = 0; at < tree->names.length; at += strlen(tree->names.bytes + at) + 1)
		*VECTOR_ADD(tree->sorted, tree->n_sorted, tree->sorted_capacity) = tree->names.bytes + at;
	if (tree->n_sorted > 0)
		qsort(tree->sorted, tree->n_sorted, sizeof(*tree->sorted), compare);
	return error;
}

static void find_sizes(struct cache_tree *tree)
{
	list(tree, CPUS);
	for (size_t i = 0; i < tree->n_sorted; i++) {
		uint64_t cpu;

		if (strncmp(tree->sorted[i], "cpu", 3) != 0 ||
		    !span_is_u64(span_text(tree->sorted[i] + 3), &cpu))
			continue;
		for (unsigned index = 2; index <= 3; index++)
			add_size(tree, tree->sorted[i], index);
	}
}

uint64_t cache_tree_bytes(const struct cache_tree *tree, unsigned level, uint64_t id)
{
	for (size_t i = 0; i < tree->n_sizes; i++)
		if (tree->sizes[i].level == level && tree->sizes[i].id == id)
			return tree->sizes[i].bytes;
	return U64_UNKNOWN;
}

static uint64_t read_mask(struct env *env, const char *resource)
{
	static const char *const kinds[] = { "", "DATA" };
	uint64_t mask = U64_UNKNOWN;

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && mask == U64_UNKNOWN; i++) {
		char path[CACHE_PATH_MAX], text[64];
		long length;

		snprintf(path, sizeof(path), CACHE_INFO "/%s%s/cbm_mask", resource, kinds[i]);
		length = attribute_once(env, path, text, sizeof(text));
		if (length > 0)
			resctrl_mask(span_of(text, (size_t)length), &mask);
	}
	return mask;
}

static bool has_option(struct env *env, const char *option)
{
	struct mount_info mount;
	struct span text;

	if (env_read(env, env_file(env, "proc/self/mountinfo"), &text) < 0)
		return false;
	while (mountinfo_next(&text, &mount))
		if (span_is(mount.type, "resctrl") && span_list_has(mount.options, option))
			return true;
	return false;
}

/* Of the first CPU: all are of one vendor. */
static bool is_of_amd(struct env *env)
{
	char bytes[1024];
	long length = attribute_once(env, "proc/cpuinfo", bytes, sizeof(bytes));
	struct span text = span_of(bytes, length > 0 ? (size_t)length : 0), line, key, vendor;

	while (span_line(&text, &line))
		if (span_starts(line, "vendor_id") && span_until(&line, ':', &key) &&
		    span_word(&line, &vendor))
			return span_is(vendor, "AuthenticAMD") || span_is(vendor, "HygonGenuine");
	return false;
}

/* Are its L3 caches divided among NUMA nodes (SNC)? The firmware decides that. */
static bool has_nodes(struct cache_tree *tree)
{
	char path[CACHE_PATH_MAX];
	uint64_t id;

	list(tree, CACHE_ROOT "/mon_data");
	for (size_t i = 0; i < tree->n_sorted; i++) {
		if (!resctrl_domain(span_text(tree->sorted[i]), "mon_L3_", &id))
			continue;
		snprintf(path, sizeof(path), CACHE_ROOT "/mon_data/%s", tree->sorted[i]);
		list(tree, path);
		break;
	}
	for (size_t i = 0; i < tree->n_sorted; i++)
		if (resctrl_domain(span_text(tree->sorted[i]), "mon_sub_L3_", &id))
			return true;
	return false;
}

int cache_tree_open(struct cache_tree *tree, struct env *env)
{
	int error = cache_mounted(env);

	if (error)
		return error;
	tree->env = env;
	tree->l2_mask = read_mask(env, "L2");
	tree->l3_mask = read_mask(env, "L3");
	tree->bandwidth = has_option(env, "mba_MBps") ? CACHE_MIB_PER_SECOND
			  : is_of_amd(env)            ? CACHE_EIGHTHS_OF_GB_PER_SECOND
						      : CACHE_PERCENT;
	tree->has_nodes = has_nodes(tree);
	find_sizes(tree);
	return 0;
}

void cache_tree_close(struct cache_tree *tree)
{
	for (size_t i = 0; i < tree->n_groups; i++)
		close_group(tree, &tree->groups[i]);
	free(tree->groups);
	free(tree->others);
	free(tree->sizes);
	free(tree->sorted);
	free(tree->ids);
	buffer_free(&tree->text);
	buffer_free(&tree->names);
}

/* Of the sample before, or a new one. */
static struct cache_group *take_group(struct cache_tree *tree, const char *path, uint64_t inode)
{
	struct cache_group *group = VECTOR_ADD(tree->groups, tree->n_groups, tree->capacity);

	for (size_t i = 0; i < tree->n_others; i++) { /* most are where they were */
		struct cache_group *other = &tree->others[(tree->n_groups - 1 + i) % tree->n_others];

		if (!other->path || strcmp(other->path, path) != 0)
			continue;
		if (other->inode != inode)
			break;
		*group = *other;
		*other = (struct cache_group){ 0 };
		group->is_new = false;
		return group;
	}
	*group = (struct cache_group){ .path = alloc_text(path), .inode = inode, .is_new = tree->begun };
	return group;
}

/* The group at this path, unless it went meanwhile; a monitoring group is in the last control group. */
static void add_group(struct cache_tree *tree, const char *path, size_t control)
{
	char full[CACHE_PATH_MAX];
	uint64_t inode, n_links;
	struct cache_group *group;

	if (!path_of(full, path, "") || listing_look(tree->env, full, &inode, &n_links) < 0)
		return;
	group = take_group(tree, path, inode);
	group->control = control;
}

/* Of the control group that was added last. */
static void add_monitors(struct cache_tree *tree)
{
	size_t control = tree->n_groups - 1;
	const char *path = tree->groups[control].path;
	char full[CACHE_PATH_MAX], below[CACHE_PATH_MAX];

	if (!path_of(full, path, CACHE_MONITORS) || list(tree, full) < 0)
		return;
	for (size_t i = 0; i < tree->n_sorted; i++) {
		snprintf(below, sizeof(below), "%s%s" CACHE_MONITORS "/%s", path, *path ? "/" : "",
			 tree->sorted[i]);
		add_group(tree, below, control);
	}
}

static int list_groups(struct cache_tree *tree)
{
	char **controls = NULL;
	size_t n_controls = 0;
	size_t capacity = 0; /* cppcheck-suppress unreadVariable ; VECTOR_ADD reads it */
	int error = list(tree, CACHE_ROOT);

	if (error) {
		env_note_failure(tree->env, CACHE_ROOT, error);
		return error;
	}
	*VECTOR_ADD(controls, n_controls, capacity) = alloc_text("");
	for (size_t i = 0; i < tree->n_sorted; i++)
		if (strcmp(tree->sorted[i], "info") != 0 && strcmp(tree->sorted[i], CACHE_MONITORS) != 0 &&
		    strcmp(tree->sorted[i], "mon_data") != 0)
			*VECTOR_ADD(controls, n_controls, capacity) = alloc_text(tree->sorted[i]);
	for (size_t i = 0; i < n_controls; i++) {
		size_t n_before = tree->n_groups;

		add_group(tree, controls[i], n_before);
		if (tree->n_groups > n_before)
			add_monitors(tree);
		free(controls[i]);
	}
	free(controls);
	return 0;
}

/* What is left of those before was removed. */
static int update_groups(struct cache_tree *tree)
{
	struct cache_group *groups = tree->groups;
	size_t capacity = tree->capacity;
	int error;

	tree->groups = tree->others;
	tree->capacity = tree->others_capacity;
	tree->others = groups;
	tree->others_capacity = capacity;
	tree->n_others = tree->n_groups;
	tree->n_groups = 0;
	error = list_groups(tree);
	for (size_t i = 0; i < tree->n_others; i++)
		if (tree->others[i].path)
			close_group(tree, &tree->others[i]);
	tree->n_others = 0;
	tree->begun = true;
	return error;
}

static bool is_before(const struct cache_domain *one, unsigned level, uint64_t id, uint64_t node)
{
	if (one->level != level)
		return one->level > level; /* L3 first */
	if (one->id != id)
		return one->id < id;
	return node != CACHE_NO_NODE && (one->node == CACHE_NO_NODE || one->node < node);
}

/* Adds it where it is new. */
static struct cache_domain *domain_of(struct cache_tree *tree, struct cache_group *group, unsigned level,
				      uint64_t id, uint64_t node)
{
	struct cache_domain *domain;
	size_t at;

	VECTOR_BOUND(at, group->n_domains, is_before(&group->domains[at], level, id, node));
	domain = at < group->n_domains ? &group->domains[at] : NULL;
	if (!domain || domain->level != level || domain->id != id || domain->node != node) {
		VECTOR_RESERVE(group->domains, group->n_domains + 1, group->capacity);
		domain = &group->domains[at];
		memmove(domain + 1, domain, (group->n_domains++ - at) * sizeof(*domain));
		*domain = (struct cache_domain){ .level = level, .id = id, .node = node };
	}
	if (domain->tick != tree->env->tick) {
		domain->mask = domain->code_mask = domain->allocated_bytes = U64_UNKNOWN;
		domain->bandwidth = U64_UNKNOWN;
		domain->monitored = false;
		domain->tick = tree->env->tick;
	}
	return domain;
}

static unsigned level_of(enum resctrl_resource resource)
{
	return resource == RESCTRL_L2 || resource == RESCTRL_L2_DATA || resource == RESCTRL_L2_CODE ? 2 : 3;
}

static void set_share(struct cache_tree *tree, struct cache_group *group, const struct resctrl_share *share)
{
	struct cache_domain *domain;
	uint64_t number;

	if (share->resource == RESCTRL_OTHER)
		return;
	domain = domain_of(tree, group, level_of(share->resource), share->domain, CACHE_NO_NODE);
	if (share->resource == RESCTRL_BANDWIDTH)
		domain->bandwidth = span_is_u64(share->value, &number) ? number : U64_UNKNOWN;
	else if (share->resource == RESCTRL_L2_CODE || share->resource == RESCTRL_L3_CODE)
		resctrl_mask(share->value, &domain->code_mask);
	else
		resctrl_mask(share->value, &domain->mask);
}

/* With CDP it is the part for data, as the ways are. */
static void set_size(struct cache_tree *tree, struct cache_group *group, const struct resctrl_share *share)
{
	struct cache_domain *domain;
	uint64_t bytes;

	if (share->resource == RESCTRL_OTHER || share->resource == RESCTRL_BANDWIDTH ||
	    share->resource == RESCTRL_L2_CODE || share->resource == RESCTRL_L3_CODE ||
	    !span_is_u64(share->value, &bytes))
		return;
	domain = domain_of(tree, group, level_of(share->resource), share->domain, CACHE_NO_NODE);
	domain->allocated_bytes = bytes;
}

static void read_shares(struct cache_tree *tree, struct cache_group *group, const char *file,
			void (*set)(struct cache_tree *tree, struct cache_group *group,
				    const struct resctrl_share *share))
{
	struct resctrl_shares shares = { 0 };
	struct resctrl_share share;
	char path[CACHE_PATH_MAX];

	buffer_empty(&tree->text);
	if (!path_of(path, group->path, file) ||
	    attribute_text(tree->env, path, SCHEMATA_BYTES_MAX, &tree->text) < 0)
		return;
	shares.rest = span_of(tree->text.bytes, tree->text.length);
	while (resctrl_share_next(&shares, &share))
		set(tree, group, &share);
}

static void read_mode(struct cache_tree *tree, struct cache_group *group)
{
	char path[CACHE_PATH_MAX];

	group->mode[0] = '\0';
	if (!group->mode_file.path && path_of(path, group->path, "mode"))
		attribute_open(&group->mode_file, path);
	if (attribute_read(&group->mode_file, tree->env, group->mode, sizeof(group->mode)) < 0)
		group->mode[0] = '\0';
}

static void read_tasks(struct cache_tree *tree, struct cache_group *group, bool wanted)
{
	char path[CACHE_PATH_MAX];

	group->n_tasks = U64_UNKNOWN;
	buffer_empty(&tree->text);
	if (!wanted || !path_of(path, group->path, "tasks") ||
	    attribute_text(tree->env, path, TASKS_BYTES_MAX, &tree->text) < 0)
		return;
	group->n_tasks = 0;
	for (size_t i = 0; i < tree->text.length; i++)
		group->n_tasks += tree->text.bytes[i] == '\n';
}

static void read_domain(struct cache_tree *tree, const char *directory, struct cache_domain *domain)
{
	char path[CACHE_PATH_MAX], text[64];

	domain->monitored = true;
	for (unsigned event = 0; event < N_CACHE_EVENTS; event++) {
		struct attribute *file = &domain->files[event];
		long length;

		domain->values[event] = U64_UNKNOWN;
		domain->states[event] = RESCTRL_COUNTED;
		if (!file->path &&
		    snprintf(path, sizeof(path), "%s/%s", directory, event_files[event]) < (int)sizeof(path))
			attribute_open(file, path);
		length = attribute_read(file, tree->env, text, sizeof(text));
		if (length >= 0)
			domain->states[event] =
				resctrl_count(span_of(text, (size_t)length), &domain->values[event]);
		else if (length != -ENOENT) /* that event is not counted by this machine */
			domain->states[event] = RESCTRL_ERROR;
	}
}

static void read_nodes(struct cache_tree *tree, struct cache_group *group, const char *directory, uint64_t id)
{
	char path[CACHE_PATH_MAX];

	if (list(tree, directory) < 0)
		return;
	for (size_t i = 0; i < tree->n_sorted; i++) {
		uint64_t node;

		if (resctrl_domain(span_text(tree->sorted[i]), "mon_sub_L3_", &node) &&
		    snprintf(path, sizeof(path), "%s/%s", directory, tree->sorted[i]) < (int)sizeof(path))
			read_domain(tree, path, domain_of(tree, group, 3, id, node));
	}
}

static void read_monitors(struct cache_tree *tree, struct cache_group *group)
{
	char directory[CACHE_PATH_MAX], path[CACHE_PATH_MAX];
	uint64_t id;

	if (!path_of(directory, group->path, "mon_data") || list(tree, directory) < 0)
		return;
	tree->n_ids = 0;
	for (size_t i = 0; i < tree->n_sorted; i++)
		if (resctrl_domain(span_text(tree->sorted[i]), "mon_L3_", &id))
			*VECTOR_ADD(tree->ids, tree->n_ids, tree->ids_capacity) = id;
	for (size_t i = 0; i < tree->n_ids; i++) {
		if (snprintf(path, sizeof(path), "%s/mon_L3_%02" PRIu64, directory, tree->ids[i]) >=
		    (int)sizeof(path))
			continue;
		read_domain(tree, path, domain_of(tree, group, 3, tree->ids[i], CACHE_NO_NODE));
		if (tree->has_nodes)
			read_nodes(tree, group, path, tree->ids[i]);
	}
}

/* A CPU that goes offline may take the last domain of its cache along. */
static void drop_domains(struct cache_tree *tree, struct cache_group *group)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->n_domains; i++) {
		if (group->domains[i].tick == tree->env->tick)
			group->domains[kept++] = group->domains[i];
		else
			close_domain(tree, &group->domains[i]);
	}
	group->n_domains = kept;
}

static void read_group(struct cache_tree *tree, struct cache_group *group, bool is_control, bool with_tasks)
{
	if (is_control) {
		read_shares(tree, group, "schemata", set_share);
		read_shares(tree, group, "size", set_size);
		read_mode(tree, group);
	}
	read_monitors(tree, group);
	read_tasks(tree, group, with_tasks);
	drop_domains(tree, group);
}

int cache_tree_read(struct cache_tree *tree, bool with_tasks)
{
	int error = cache_mounted(tree->env);

	if (!error)
		error = update_groups(tree);
	for (size_t i = 0; i < tree->n_groups && !error; i++)
		read_group(tree, &tree->groups[i], tree->groups[i].control == i, with_tasks);
	return error;
}

const struct cache_domain *cache_tree_share(const struct cache_tree *tree, const struct cache_group *group,
					    const struct cache_domain *domain)
{
	const struct cache_group *control = &tree->groups[group->control];

	for (size_t i = 0; i < control->n_domains; i++) {
		const struct cache_domain *share = &control->domains[i];

		if (share->level == domain->level && share->id == domain->id && share->node == CACHE_NO_NODE)
			return share;
	}
	return NULL;
}
