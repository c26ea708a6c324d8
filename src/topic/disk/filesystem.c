/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "filesystem": space and inodes of what is mounted. Helpers ask, as a dead server never answers. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/mounts.h"
#include "sys/device_poll.h"
#include "topic/topic.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define ASK_NS (2 * NS_PER_SECOND)  /* file systems are asked so often */
#define LATE_NS (5 * NS_PER_SECOND) /* without an answer that a notice tells */
#define OLD_NS (10 * NS_PER_SECOND) /* an answer that says nothing about growth any more */

/* Growth is that of the last minutes: a point every PAST_NS. */
#define PAST_NS (10 * NS_PER_SECOND)
#define PAST_MAX 31
#define GROWTH_NS (60 * NS_PER_SECOND) /* less is noise */
#define FULL_SECONDS_MAX 86400         /* what five minutes say about the next day says nothing */

struct filesystem_row {
	const char *mount, *device, *type, *mode;
	uint64_t total_bytes, used_bytes, available_bytes, inodes_total, inodes_used;
	double used_ratio, inodes_used_ratio, growth_bytes_per_second, full_in_seconds, age_seconds;
};

#define INFO "/proc/self/mountinfo "
#define COL(field, ...) COLUMN_OF(struct filesystem_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(mount, KEY, NONE, N_("mount"), 16,
	    N_("where it is mounted; mounted several times: the whole, at its shortest path"),
	    INFO "field 5"),
	COL(device, LABEL, NONE, N_("device"), 12,
	    N_("what is mounted: a device, a server's directory, a name"), INFO "source", .rank = 2),
	COL(type, LABEL, NONE, N_("type"), 8, N_("type of file system"), INFO "type", .rank = 3),
	COL(mode, LABEL, NONE, N_("mode"), 4, N_("rw; ro: read-only, so that it cannot fill up"),
	    INFO "super options, options of all its mounts", .rank = 5),
	COL(total_bytes, GAUGE, BYTES, N_("total"), 7, N_("its size"), "statvfs(3) f_blocks * f_frsize"),
	COL(used_bytes, GAUGE, BYTES, N_("used"), 7, N_("space in use"),
	    "statvfs(3) (f_blocks - f_bfree) * f_frsize"),
	COL(available_bytes, GAUGE, BYTES, N_("avail"), 7,
	    N_("what users other than root can still write; free space may be reserved for root"),
	    "statvfs(3) f_bavail * f_frsize"),
	COL(used_ratio, GAUGE, RATIO, N_("%use"), 5, N_("share in use of what users can use, as df shows it"),
	    "used / (used + avail)"),
	COL(inodes_total, GAUGE, COUNT, N_("inodes"), 9,
	    N_("how many files it can have; unknown: there is no such limit"), "statvfs(3) f_files",
	    .rank = 4),
	COL(inodes_used, GAUGE, COUNT, N_("iused"), 9, N_("files that it has"),
	    "statvfs(3) f_files - f_ffree", .rank = 4),
	COL(inodes_used_ratio, GAUGE, RATIO, N_("%iuse"), 5, N_("share of its inodes in use"),
	    "(f_files - f_ffree) / (f_files - f_ffree + f_favail)", .rank = 2),
	COL(growth_bytes_per_second, GAUGE, BYTES_PER_SECOND, N_("growth/s"), 9,
	    N_("change of the space in use, over the last minutes; unknown in the first minute"),
	    "change of used over up to 5 min / time", .rank = 1),
	COL(full_in_seconds, GAUGE, SECONDS, N_("full in"), 8,
	    N_("when it is full if it goes on growing like this; unknown unless it grows steadily, and "
	       "beyond a day"), "avail / growth", .whole = true, .rank = 1),
	COL(age_seconds, GAUGE, SECONDS, N_("age"), 7,
	    N_("age of the numbers: up to 2 s, more where it answers late"), "panetop", .rank = 6,
	    .hidden = true),
};

static const struct schema schema = {
	.name = "filesystem",
	.is_public = true,
	.help = N_("file systems: space, inodes, growth"),
	.none = N_("no file systems: none is mounted that stores data, or their list cannot be read"),
	SCHEMA_ROWS(struct filesystem_row, columns),
};

/* Unknown numbers: it failed, or has not answered yet. */
struct space {
	uint64_t total, used, available, inodes, inodes_used, inodes_available;
};

static const struct space nothing_known = { U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN,
					    U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };

struct filesystem {
	struct device_poll poll;
	uint64_t mount_id, device;
	char *point, *source, *type;
	bool read_only, whole; /* whole: not only a directory of it */
	bool hidden;           /* something else is mounted over it */
	bool answered;
	struct space answer, space;  /* the helper's; the last one that is complete */
	uint64_t asked_ns, known_ns; /* ticks: of the last question, and of the one that space answers */
	struct past {
		uint64_t ns, used;
	} past[PAST_MAX]; /* ascending */
	unsigned n_past;
};

struct state {
	char *text; /* the list of mounts that these are from */
	size_t length, room;
	struct filesystem **list;
	size_t n_list, capacity;
	uint64_t asked_ns; /* 0: never */
};

/* Types that never store data, or that are mounted by being asked. */
static bool is_pseudo(const struct mount_info *info)
{
	static const char *const types[] = {
		"autofs",     "binder",     "binfmt_misc", "bpf",     "cgroup",      "cgroup2",
		"configfs",   "debugfs",    "devpts",      "fusectl", "fuse.portal", "functionfs",
		"mqueue",     "nfsd",       "nsfs",        "proc",    "pstore",      "resctrl",
		"rpc_pipefs", "securityfs", "selinuxfs",   "smackfs", "sysfs",       "tracefs",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_is(info->type, types[i]))
			return true;
	/* the space of an overlay is that of another file system; as the root it is all that is seen */
	return span_is(info->type, "overlay") && !span_is(info->point, "/");
}

/* Types that are full as they are made. */
static bool is_image(const struct mount_info *info)
{
	static const char *const types[] = { "cramfs",        "erofs",           "iso9660", "romfs",
					     "squashfs",      "fuse.squashfuse", "fuse.snapfuse",
					     "fuse.fuseiso" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (span_is(info->type, types[i]))
			return true;
	return false;
}

static uint64_t times(uint64_t count, uint64_t size)
{
	uint64_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? U64_UNKNOWN : bytes;
}

static struct space space_of(const struct statvfs *found)
{
	uint64_t size = found->f_frsize ? found->f_frsize : found->f_bsize;
	struct space space = {
		.total = times(found->f_blocks, size),
		.used = times(u64_less(found->f_blocks, found->f_bfree), size),
		/* a negative number where only root's reserve is left */
		.available = found->f_bavail > found->f_blocks ? 0 : times(found->f_bavail, size),
		.inodes = found->f_files,
		.inodes_used = u64_less(found->f_files, found->f_ffree),
		.inodes_available = found->f_favail,
	};

	if (found->f_files == 0)
		space.inodes = space.inodes_used = space.inodes_available = U64_UNKNOWN;
	return space;
}

/* Where the path leads to another mount, that one hides this one. */
static void ask(struct device_poll *poll)
{
	struct filesystem *filesystem = (struct filesystem *)poll;
	uint64_t mount_id = poll->calls->mount_at(filesystem->point);
	struct statvfs found;

	filesystem->answer = nothing_known;
	filesystem->hidden = mount_id != UINT64_MAX && mount_id != filesystem->mount_id;
	if (!filesystem->hidden && poll->calls->space(filesystem->point, &found) == 0)
		filesystem->answer = space_of(&found);
}

static void note_past(struct filesystem *filesystem)
{
	unsigned count = filesystem->n_past;

	if (filesystem->space.used == U64_UNKNOWN ||
	    (count > 0 && filesystem->known_ns < filesystem->past[count - 1].ns + PAST_NS))
		return;
	if (count == PAST_MAX)
		memmove(filesystem->past, filesystem->past + 1, --count * sizeof(filesystem->past[0]));
	filesystem->past[count] = (struct past){ filesystem->known_ns, filesystem->space.used };
	filesystem->n_past = count + 1;
}

static void answered(struct device_poll *poll)
{
	struct filesystem *filesystem = (struct filesystem *)poll;

	filesystem->space = filesystem->answer;
	filesystem->known_ns = filesystem->asked_ns;
	filesystem->answered = true;
	note_past(filesystem);
}

static void free_filesystem(struct device_poll *poll)
{
	struct filesystem *filesystem = (struct filesystem *)poll;

	helper_free(filesystem->point);
	free(filesystem->source);
	free(filesystem->type);
	helper_free(filesystem);
}

/* Mounts of one server are asked one after the other, so that it can stop only one helper. */
static char *poll_key(const struct filesystem *filesystem)
{
	const char *source = filesystem->source, *end = strstr(source, ":/");
	char *key;

	if (!end && source[0] == '/' && source[1] == '/')
		end = strchr(source + 2, '/');
	key = alloc_text(end ? source : filesystem->point);
	if (end)
		key[end - source] = '\0';
	return key;
}

static struct filesystem *new_filesystem(struct env *env, const struct mount_info *info)
{
	struct filesystem *filesystem = helper_alloc(sizeof(*filesystem));
	char *key, *point;

	filesystem->poll = (struct device_poll){ .read = ask, .finished = answered, .free = free_filesystem };
	filesystem->mount_id = info->id;
	filesystem->device = info->device;
	filesystem->read_only = !info->is_written;
	filesystem->whole = span_is(info->root, "/");
	point = mountinfo_text(info->point);
	filesystem->point = helper_text(point);
	free(point);
	filesystem->source = mountinfo_text(info->source);
	filesystem->type = mountinfo_text(info->type);
	filesystem->space = nothing_known;
	key = poll_key(filesystem);
	filesystem->poll.job.thing = info->device;
	device_poll_open(&filesystem->poll, env, key);
	filesystem->poll.job.name = filesystem->point;
	free(key);
	return filesystem;
}

/* The mounts to show: of those that can be seen one of each file system. */
struct chosen {
	struct mount_info *mounts;
	size_t count, capacity;
	struct hash by_point, by_device;
};

static uint64_t hash_point(uint64_t parent, struct span point)
{
	return hash_bytes(hash_u64(parent), point);
}

/* What is mounted at this place of a mount; HASH_NONE: nothing. */
static uint32_t mount_at(const struct chosen *chosen, uint64_t parent, struct span point)
{
	uint32_t at;

	HASH_FIND(at, &chosen->by_point, hash_point(parent, point),
		  chosen->mounts[at].parent == parent && span_same(chosen->mounts[at].point, point));
	return at;
}

static void add_mount(struct chosen *chosen, const struct mount_info *info)
{
	uint32_t at = mount_at(chosen, info->parent, info->point);

	if (at != HASH_NONE) {
		chosen->mounts[at] = *info;
		return;
	}
	hash_add(&chosen->by_point, hash_point(info->parent, info->point), (uint32_t)chosen->count);
	*VECTOR_ADD(chosen->mounts, chosen->count, chosen->capacity) = *info;
}

/* Is another one mounted on a directory above it? It came later: one from before would be its parent. */
static bool is_cut_off(const struct chosen *chosen, const struct mount_info *info)
{
	struct span above = info->point;

	while (span_length(above) > 1) {
		while (above.end[-1] != '/')
			above.end--;
		if (span_length(above) > 1)
			above.end--; /* the slash */
		if (mount_at(chosen, info->parent, above) != HASH_NONE)
			return true;
	}
	return false;
}

/* Leaves those that a path leads to: what is mounted on one that is cut off is so, too. */
static void choose_visible(struct chosen *chosen)
{
	bool *hidden = alloc_zeroed(chosen->count + 1, sizeof(*hidden)), more = true;
	struct hash by_id = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		hash_add(&by_id, hash_u64(chosen->mounts[i].id), (uint32_t)i);
		hidden[i] = is_cut_off(chosen, &chosen->mounts[i]);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < chosen->count; i++) {
			uint32_t at;

			HASH_FIND(at, &by_id, hash_u64(chosen->mounts[i].parent),
				  chosen->mounts[at].id == chosen->mounts[i].parent);
			if (!hidden[i] && at != HASH_NONE && hidden[at])
				hidden[i] = more = true;
		}
	}
	for (size_t i = 0; i < chosen->count; i++) {
		const struct mount_info *info = &chosen->mounts[i];

		hidden[i] |= info->id != info->parent && mount_at(chosen, info->id, info->point) != HASH_NONE;
	}
	for (size_t i = 0; i < chosen->count; i++)
		if (!hidden[i])
			chosen->mounts[count++] = chosen->mounts[i];
	chosen->count = count;
	hash_free(&by_id);
	free(hidden);
}

static void choose_one_of_each(struct chosen *chosen)
{
	size_t count = chosen->count;

	chosen->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct mount_info info = chosen->mounts[i];
		uint32_t at;

		if (is_pseudo(&info))
			continue;
		info.is_written &= !is_image(&info);
		HASH_FIND(at, &chosen->by_device, hash_u64(info.device),
			  chosen->mounts[at].device == info.device);
		if (at == HASH_NONE) {
			hash_add(&chosen->by_device, hash_u64(info.device), (uint32_t)chosen->count);
			chosen->mounts[chosen->count++] = info;
		} else {
			struct mount_info *other = &chosen->mounts[at];
			bool is_written = other->is_written || info.is_written;
			bool whole = span_is(info.root, "/");

			/* the one that shows all of it, at the shortest path */
			if (whole != span_is(other->root, "/")
				    ? whole
				    : span_length(info.point) < span_length(other->point))
				*other = info;
			other->is_written = is_written;
		}
	}
}

/* The one that is asked already, which keeps its past: taken out of the list; NULL: none. */
static struct filesystem *take_old(struct filesystem **old, size_t count, size_t *next,
				   const struct mount_info *info)
{
	for (size_t i = 0; i < count; i++) {
		struct filesystem **at = &old[(*next + i) % count], *found = *at;

		if (found && found->mount_id == info->id && found->device == info->device &&
		    found->read_only == !info->is_written) {
			*at = NULL;
			*next = (*next + i + 1) % count;
			return found;
		}
	}
	return NULL;
}

static void drop_all(struct filesystem **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i])
			device_poll_drop(&list[i]->poll);
	free(list);
}

static void list_mounts(struct state *state, struct env *env, struct span text)
{
	struct chosen chosen = { 0 };
	struct filesystem **old = state->list;
	size_t n_old = state->n_list, next = 0;
	struct mount_info info;

	while (mountinfo_next(&text, &info))
		add_mount(&chosen, &info);
	choose_visible(&chosen);
	choose_one_of_each(&chosen);
	state->list = NULL;
	state->n_list = state->capacity = 0;
	for (size_t i = 0; i < chosen.count; i++) {
		struct filesystem *found = take_old(old, n_old, &next, &chosen.mounts[i]);

		*VECTOR_ADD(state->list, state->n_list, state->capacity) =
			found ? found : new_filesystem(env, &chosen.mounts[i]);
	}
	drop_all(old, n_old);
	hash_free(&chosen.by_point);
	hash_free(&chosen.by_device);
	free(chosen.mounts);
}

/* Lists them again if something was mounted, unmounted or remounted. */
static void update_list(struct state *state, struct env *env, struct span text)
{
	size_t length = span_length(text);

	if (state->text && length == state->length && memcmp(state->text, text.at, length) == 0)
		return;
	VECTOR_RESERVE(state->text, length + 1, state->room);
	memcpy(state->text, text.at, length);
	state->length = length;
	list_mounts(state, env, text);
}

/* Asks each that was not asked in this tick, unless another one of its server still is. */
static bool ask_more(struct state *state, uint64_t now_ns)
{
	bool asked = false;

	for (size_t i = 0; i < state->n_list; i++) {
		struct filesystem *filesystem = state->list[i];

		uint64_t before_ns = filesystem->asked_ns;

		if (filesystem->poll.in_flight || before_ns == now_ns)
			continue;
		filesystem->asked_ns = now_ns;
		device_poll_submit(&filesystem->poll);
		if (filesystem->poll.in_flight || filesystem->known_ns == now_ns)
			asked = true;
		else
			filesystem->asked_ns = before_ns;
	}
	return asked;
}

static void ask_all(struct state *state, struct env *env, uint64_t now_ns)
{
	if (state->asked_ns > 0 && now_ns < state->asked_ns + ASK_NS)
		return;
	state->asked_ns = now_ns;
	while (ask_more(state, now_ns))
		device_poll_wait(env);
}

static double rate_between(const struct past *from, const struct past *to)
{
	return ((double)to->used - (double)from->used) / ((double)(to->ns - from->ns) / 1e9);
}

/* Bytes per second over all that is known of the last minutes; NaN: too little. */
static double growth(const struct filesystem *filesystem)
{
	const struct past now = { filesystem->known_ns, filesystem->space.used };

	if (now.used == U64_UNKNOWN || filesystem->n_past == 0 || now.ns < filesystem->past[0].ns + GROWTH_NS)
		return NAN;
	return rate_between(&filesystem->past[0], &now);
}

/* Did it grow in each third of that time, by what it grew on the whole or nearly so? */
static bool is_steady(const struct filesystem *filesystem, double mean)
{
	unsigned n_past = filesystem->n_past;

	for (unsigned i = 0; i < 3 && n_past > 3; i++) {
		const struct past *from = &filesystem->past[i * (n_past - 1) / 3];
		const struct past *to = &filesystem->past[(i + 1) * (n_past - 1) / 3];
		double rate = rate_between(from, to);

		if (!(rate > mean / 2 && rate < mean * 2))
			return false;
	}
	return mean > 0 && n_past > 3;
}

static void set_future(struct filesystem_row *row, const struct filesystem *filesystem)
{
	double mean = growth(filesystem), seconds;

	row->growth_bytes_per_second = mean;
	if (filesystem->space.available == U64_UNKNOWN || !is_steady(filesystem, mean))
		return;
	seconds = (double)filesystem->space.available / mean;
	if (seconds <= FULL_SECONDS_MAX)
		row->full_in_seconds = seconds;
}

static double ratio(uint64_t used, uint64_t left)
{
	return used == U64_UNKNOWN || left == U64_UNKNOWN || used + left == 0
		       ? NAN
		       : (double)used / ((double)used + (double)left);
}

static void add_row(struct frame *frame, struct table *table, const struct filesystem *filesystem)
{
	struct filesystem_row *row = table_add(table);
	const struct space *space = &filesystem->space;
	uint64_t age_ns = frame->mono_ns - filesystem->known_ns;

	row->mount = frame_text(frame, filesystem->point);
	row->device = frame_text(frame, filesystem->source);
	row->type = frame_text(frame, filesystem->type);
	row->mode = filesystem->read_only ? "ro" : "rw";
	if (!filesystem->answered)
		return;
	row->total_bytes = space->total;
	row->used_bytes = space->used;
	row->available_bytes = space->available;
	row->used_ratio = ratio(space->used, space->available);
	row->inodes_total = space->inodes;
	row->inodes_used = space->inodes_used;
	row->inodes_used_ratio = ratio(space->inodes_used, space->inodes_available);
	row->age_seconds = (double)age_ns / 1e9;
	if (age_ns <= OLD_NS)
		set_future(row, filesystem);
}

/* Without an answer only its source tells: a device or a server's directory, other than "tmpfs" or "none". */
static bool is_shown(const struct filesystem *filesystem)
{
	if (filesystem->answered && filesystem->space.total != U64_UNKNOWN)
		return filesystem->space.total > 0;
	return strpbrk(filesystem->source, "/:") != NULL;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct frame *frame = sample->frame;
	struct env *env = sample->env;
	struct span text;
	int error = env_read(env, env_file_announced(env, "proc/self/mountinfo"), &text);
	bool told = false;

	if (error)
		return error;
	update_list(state, env, text);
	device_poll_collect(env);
	if (env->live)
		ask_all(state, env, frame->mono_ns);
	for (size_t i = 0; i < state->n_list; i++) {
		const struct filesystem *filesystem = state->list[i];
		bool late = filesystem->poll.in_flight && frame->mono_ns > filesystem->asked_ns + LATE_NS;

		if ((filesystem->hidden && !filesystem->poll.in_flight) || !is_shown(filesystem))
			continue;
		add_row(frame, sample->table, filesystem);
		if (late && !told)
			frame_notice(frame, schema.name, N_("its server may be gone; nothing waits for it"),
				     filesystem->answered ? _("%s does not answer: its numbers are old")
							  : _("%s does not answer: its space is unknown"),
				     filesystem->point);
		told |= late;
	}
	return 0;
}

static void close_filesystem(struct sample *sample)
{
	struct state *state = sample->state;

	drop_all(state->list, state->n_list);
	free(state->text);
}

const struct topic topic_filesystem = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/self/mountinfo", .gives = N_("mounted file systems"), .optional = true }),
	.state_size = sizeof(struct state),
	.sample = sample,
	.close = close_filesystem,
};
