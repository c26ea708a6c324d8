/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "disk_health": what disks say of their own health. Helpers ask: registers that the kernel shows, else
 * smartctl(8); a device seldom, and none that sleeps.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/attribute.h"
#include "sys/helper.h"
#include "topic/disk/disk_list.h"
#include "topic/disk/smart.h"
#include "topic/sensor/sensors.h"
#include "topic/topic.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define ASK_NS (300 * NS_PER_SECOND)     /* a device is asked no more often */
#define ANSWER_NS (10 * NS_PER_SECOND)   /* then smartctl is killed */
#define ANSWER_BYTES ((size_t)256 << 10) /* a tenth of it is usual */
#define ASKED_MAX 4                      /* devices at once */
#define FIRST_WAIT_MS 200                /* of the first sample … */
#define ONCE_WAIT_MS 1000                /* … where it is the only one */
#define NAME_MAX_DISK 32
#define DEVICES "/dev/"
#define SMARTCTL "smartctl"
#define ASLEEP 3 /* exit status for -n: no other is both of its bits */

/* A question and its answer, in memory that is shared with helpers. */
struct health_job {
	struct helper_job job;
	struct health *of; /* not for helpers; NULL: the device is gone */
	const struct root *root; /* borrowed; a helper has its own */
	const struct machine_calls *calls;
	char device[sizeof(DEVICES) + NAME_MAX_DISK];
	const char *name;       /* behind DEVICES in device */
	char program[PATH_MAX]; /* empty: none can be asked */
	bool in_flight, is_asleep, by_kernel;
	int error; /* of smartctl; -errno */
	struct smart smart;
};

struct health {
	struct health_list *list;
	struct health_job *job; /* of helper_alloc() */
	struct smart smart;
	uint64_t asked_ns; /* 0: never */
	uint64_t tick;     /* when the device was last there */
	bool answered, is_asleep, has_news;
	int error;         /* see health_job */
	size_t sensor;     /* its temperature in the list of sensors; SIZE_MAX: none there */
};

struct health_list {
	struct env *env; /* borrowed */
	struct disk_list *disks;
	struct helper_team *team;
	struct health **list; /* owned */
	size_t count, capacity, n_in_flight;
	bool waited;
	bool changed; /* devices came */
};

/* Of the topic: sensors close with it, while the list stays. */
struct health_state {
	struct health_list *list;
	struct sensors *sensors;
	unsigned long generation; /* of the sensors that sensor of a device is an index of; 0: none */
};

/* Disks that keep data themselves, not those of a hypervisor, a network or a file. */
static bool is_real(const char *name)
{
	static const char *const prefixes[] = { "nvme", "sd", "hd", "mmcblk" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return strlen(name) < NAME_MAX_DISK && !strchr(name, '/');
	return false;
}

static bool is_card(const char *name)
{
	return strncmp(name, "mmcblk", 6) == 0;
}

/* A file of the device; its length, or -errno. */
static long read_place(const struct health_job *job, const struct root *root, const char *place, char *text,
		       size_t room)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/block/%s/device/%s", job->name, place);
	return attribute_at(root, path, text, room);
}

static bool is_suspended(const struct health_job *job, const struct root *root)
{
	static const char *const places[] = { "power/runtime_status",
					      "device/power/runtime_status" }; /* of the PCI device of NVMe */
	char text[32];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (read_place(job, root, places[i], text, sizeof(text)) > 0 &&
		    strncmp(text, "suspend", 7) == 0)
			return true;
	return false;
}

/* "0x01 0x02". */
static uint64_t hex_of(struct span *text)
{
	uint64_t value;

	*text = span_trimmed(*text);
	return span_take_start(text, "0x") && span_hex(text, &value) ? value : 0;
}

static uint64_t register_of(const struct health_job *job, const struct root *root, const char *name,
			    uint64_t *second)
{
	char text[64];
	long length = read_place(job, root, name, text, sizeof(text));
	struct span rest = span_of(text, length > 0 ? (size_t)length : 0);
	uint64_t first = hex_of(&rest);

	if (second)
		*second = hex_of(&rest);
	return first;
}

/* eMMC has them since Linux 4.11, UFS since 5.18, below the host of its SCSI devices. */
static bool ask_kernel(struct health_job *job, const struct root *root)
{
#define UFS "../../../health_descriptor/"
	uint64_t life_b = 0, life_a, end;

	if (is_card(job->name)) {
		life_a = register_of(job, root, "life_time", &life_b);
		end = register_of(job, root, "pre_eol_info", NULL);
	} else {
		life_a = register_of(job, root, UFS "life_time_estimation_a", NULL);
		life_b = register_of(job, root, UFS "life_time_estimation_b", NULL);
		end = register_of(job, root, UFS "eol_info", NULL);
	}
	job->smart = smart_of_registers(life_a, life_b, end);
	return job->smart.state != SMART_UNKNOWN;
}

/* It looks at the power mode before it asks for anything that would make a disk turn. */
static int ask_smartctl(struct health_job *job, char *bytes)
{
	const char *const words[] = { job->program, "--json=c", "-n", "standby,3", "-i", "-H", "-A",
				      "-l", "error", "-l", "ssd", job->device, NULL };
	int status = 0;
	ssize_t length;

	length = job->calls->program_output(words, PRIVILEGE_BIT(PRIVILEGE_HEALTH), ANSWER_NS, bytes,
					    ANSWER_BYTES, &status);
	if (length < 0)
		return (int)length;
	job->is_asleep = WIFEXITED(status) && WEXITSTATUS(status) == ASLEEP;
	return job->is_asleep || smart_parse(bytes, (size_t)length, &job->smart) ? 0 : -EBADMSG;
}

/* In a helper. */
static void ask_disk(struct helper_job *helper_job)
{
	struct health_job *job = (struct health_job *)helper_job;
	const struct root *root = helper_root(job->root);
	char *bytes;

	job->smart = smart_unknown();
	job->is_asleep = is_suspended(job, root);
	job->by_kernel = !job->is_asleep && ask_kernel(job, root);
	if (job->is_asleep || job->by_kernel || is_card(job->name) || !*job->program)
		return;
	bytes = malloc(ANSWER_BYTES);
	job->error = bytes ? ask_smartctl(job, bytes) : -ENOMEM;
	free(bytes);
}

/* What it said before it slept stands, but for its temperature. */
static void take_answer(struct health *health, const struct health_job *job)
{
	health->answered = health->has_news = true;
	health->is_asleep = job->is_asleep;
	health->error = job->error;
	if (!job->is_asleep)
		health->smart = job->smart;
	health->smart.celsius = job->is_asleep ? NAN : job->smart.celsius;
}

static void answer_came(struct helper_job *helper_job)
{
	struct health_job *job = (struct health_job *)helper_job;

	job->in_flight = false;
	if (!job->of) {
		helper_free(job);
		return;
	}
	job->of->list->n_in_flight--;
	if (job->job.dropped) { /* its helper was killed */
		job->smart = smart_unknown();
		job->error = -ETIMEDOUT;
	}
	take_answer(job->of, job);
}

static const char *program_of(const struct env *env)
{
	static const char *const paths[] = { "/usr/sbin/" SMARTCTL, "/usr/bin/" SMARTCTL };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (env_exists(env, paths[i] + 1))
			return paths[i];
	return NULL;
}

/* Why smartctl cannot be asked about a device with this path (NULL: any); rights are seen when it starts. */
static int lacks(const struct env *env, const char *device)
{
	if (!env->live)
		return -EXDEV;
	if (env->in_snap)
		return -ENOTSUP;
	if (!program_of(env))
		return -ENOENT;
	return device && !env_exists(env, device + 1) ? -ENXIO : 0;
}

static void submit_question(struct health *health, uint64_t now_ns)
{
	struct health_list *list = health->list;
	struct health_job *job = health->job;

	health->asked_ns = now_ns;
	job->error = lacks(list->env, job->device);
	snprintf(job->program, sizeof(job->program), "%s", job->error ? "" : program_of(list->env));
	job->in_flight = true;
	list->n_in_flight++;
	helper_submit(list->team, &job->job);
}

static bool is_due(const struct health *health, uint64_t now_ns)
{
	return !health->job->in_flight && (health->asked_ns == 0 || now_ns - health->asked_ns >= ASK_NS);
}

static void ask_due(struct health_list *list, uint64_t now_ns)
{
	for (size_t i = 0; i < list->count && list->n_in_flight < ASKED_MAX; i++)
		if (is_due(list->list[i], now_ns))
			submit_question(list->list[i], now_ns);
}

/* A sample has what comes at once. */
static void wait_first(struct health_list *list, bool once, uint64_t now_ns)
{
	int steps = (once ? ONCE_WAIT_MS : FIRST_WAIT_MS) / 10;

	for (; list->n_in_flight > 0 && steps > 0; steps--) {
		helper_wait(list->team, env_mono_ns(list->env) + NS_PER_SECOND / 100);
		ask_due(list, now_ns);
	}
}

/* Frees it, or leaves the job to the helper that runs it. */
static void drop_health(struct health *health)
{
	health->job->of = NULL;
	if (health->job->in_flight)
		health->list->n_in_flight--;
	else
		helper_free(health->job);
	free(health);
}

static struct health *find_health(const struct health_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i]->job->name, name) == 0)
			return list->list[i];
	return NULL;
}

static struct health *add_health(struct health_list *list, const char *name)
{
	struct health *health = alloc_zeroed(1, sizeof(*health));
	struct health_job *job = helper_alloc(sizeof(*job));

	*health = (struct health){ .list = list, .job = job, .smart = smart_unknown(), .sensor = SIZE_MAX };
	job->job.run = ask_disk;
	job->job.done = answer_came;
	job->job.name = job->device;
	job->of = health;
	job->root = &list->env->root;
	job->calls = list->env->calls;
	snprintf(job->device, sizeof(job->device), DEVICES "%s", name);
	job->name = job->device + strlen(DEVICES);
	*VECTOR_ADD(list->list, list->count, list->capacity) = health;
	return health;
}

/* Parts of a card have no registers of their own. */
static bool is_asked(const struct disk *disk)
{
	return disk->used && disk_counts_for_groups(disk) && is_real(disk->name) &&
	       !(is_card(disk->name) && (strstr(disk->name, "boot") || strstr(disk->name, "rpmb")));
}

static void update_devices(struct health_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->disks->count; i++) {
		const struct disk *disk = &list->disks->disks[i];
		struct health *health = is_asked(disk) ? find_health(list, disk->name) : NULL;

		if (!health && is_asked(disk)) {
			health = add_health(list, disk->name);
			list->changed = true;
		}
		if (health)
			health->tick = list->env->tick;
	}
	for (size_t i = 0; i < list->count; i++)
		if (list->list[i]->tick == list->env->tick)
			list->list[count++] = list->list[i];
		else
			drop_health(list->list[i]);
	list->count = count;
}

/* The last part of where a link leads: "nvme0", "0:0:0:0". False: there is none. */
static bool link_of(const struct env *env, const char *path, char *name, size_t room)
{
	char target[PATH_MAX];
	ssize_t length = root_read_link(&env->root, path, target, sizeof(target) - 1);
	const char *slash;

	if (length <= 0)
		return false;
	target[length] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, room, "%.*s", (int)room - 1, slash ? slash + 1 : target);
	return true;
}

/* The first temperature of the chip that belongs to it, by nvme or drivetemp. */
static size_t find_sensor(const struct sensors *sensors, const char *device)
{
	char path[PATH_MAX], own[NAME_MAX_DISK * 2], other[NAME_MAX_DISK * 2];

	snprintf(path, sizeof(path), "sys/block/%s/device", device);
	if (!link_of(sensors->env, path, own, sizeof(own)))
		return SIZE_MAX;
	for (size_t i = 0; i < sensors->n_chips; i++) {
		const struct sensor_chip *chip = &sensors->chips[i];

		snprintf(path, sizeof(path), "%.200s/device", chip->path);
		if (chip->is_zone ||
		    (strcmp(chip->name, "nvme") != 0 && strcmp(chip->name, "drivetemp") != 0) ||
		    !link_of(sensors->env, path, other, sizeof(other)) || strcmp(own, other) != 0)
			continue;
		for (size_t k = chip->first; k < chip->first + chip->n_sensors; k++)
			if (sensors->list[k].kind == SENSOR_TEMPERATURE)
				return k;
	}
	return SIZE_MAX;
}

/*
 * What hwmon has, where it was read in this tick: for the topic of temperatures, or for devices that have
 * answered, so that the spin-down of disks is not put off by more questions than those.
 */
static void update_temperatures(struct health_state *state)
{
	struct health_list *list = state->list;
	struct sensors *sensors = state->sensors;
	bool read = sensors->tick == list->env->tick && (sensors->asked & 1U << SENSOR_TEMPERATURE);
	bool news = false;

	for (size_t i = 0; i < list->count; i++)
		news |= list->list[i]->has_news && !list->list[i]->is_asleep;
	if (news && !read)
		sensors_read(sensors, SENSOR_TEMPERATURE);
	if (!news && !read)
		return;
	for (size_t i = 0; i < list->count; i++) {
		struct health *health = list->list[i];
		double value;

		if (list->changed || state->generation != sensors->generation)
			health->sensor = find_sensor(sensors, health->job->name);
		value = health->sensor < sensors->n_sensors ? sensors->list[health->sensor].value : NAN;
		if (!isnan(value) && !health->is_asleep && (read || health->has_news))
			health->smart.celsius = value;
		health->has_news = false;
	}
	list->changed = false;
	state->generation = sensors->generation;
}

static int open_list(void *state, const struct sample *sample)
{
	struct health_list *list = state;

	list->env = sample->env;
	list->team = helper_team_open(PRIVILEGE_BIT(PRIVILEGE_HEALTH), ASKED_MAX);
	return 0;
}

static int update_list(void *state, const struct sample *sample)
{
	struct health_list *list = state;
	uint64_t now_ns = env_mono_ns(list->env);

	helper_collect(list->team);
	update_devices(list);
	ask_due(list, now_ns);
	if (!list->waited)
		wait_first(list, sample->request->once, now_ns);
	list->waited = true;
	return 0;
}

static void close_list(void *state)
{
	struct health_list *list = state;

	helper_team_close(list->team);
	for (size_t i = 0; i < list->count; i++)
		drop_health(list->list[i]);
	free(list->list);
}

/* It stays, so that who leaves a pane and comes back asks no device again. */
static const struct reader health_reader = {
	.name = "health of disks",
	.state_size = sizeof(struct health_list),
	.reads = READINGS(READING(struct health_list, disks, &disk_reader)),
	.open = open_list,
	.update = update_list,
	.close = close_list,
	.stays = true,
};

struct health_row {
	const char *device, *state, *reason;
	double wear_ratio, spare_ratio, power_on_seconds, celsius;
	uint64_t media_errors, unsafe_shutdowns;
};

#define COL(field, ...) COLUMN_OF(struct health_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(device, KEY, NONE, N_("device"), 10,
	    N_("disk that keeps data itself: NVMe, ATA, SCSI, USB, eMMC, UFS"), "/proc/diskstats"),
	COL(state, LABEL, NONE, N_("health"), 7,
	    N_("good; worn: its rated endurance or its spare blocks are nearly used up; failing: by its own "
	       "judgement, or it warns of more than its temperature; unknown"),
	    "columns of this table, smartctl smart_status, critical_warning", .words = true),
	COL(wear_ratio, GAUGE, RATIO, N_("wear"), 5,
	    N_("used share of its rated endurance, of eMMC and UFS in steps of 10 %: the middle; above 100 % "
	       "where it goes on"),
	    "smartctl endurance_used, percentage_used, attributes; /sys/block/*/device/life_time"),
	COL(spare_ratio, GAUGE, RATIO, N_("spare"), 5, N_("share of its spare blocks that are left"),
	    "smartctl spare_available, available_spare", .rank = 2),
	COL(media_errors, GAUGE, COUNT, N_("errors"), 7,
	    N_("data that could not be read, in its whole life; ATA: the most of its reallocated, pending "
	       "and uncorrectable sectors"),
	    "smartctl media_errors, attributes 5, 187, 197, 198, scsi_error_counter_log"),
	COL(unsafe_shutdowns, GAUGE, COUNT, N_("unsafe"), 7, N_("losses of power without warning"),
	    "smartctl unsafe_shutdowns, attributes", .rank = 3),
	COL(power_on_seconds, GAUGE, SECONDS, N_("on"), 8, N_("time with power, in its whole life"),
	    "smartctl power_on_time", .rank = 2, .whole = true),
	COL(celsius, GAUGE, CELSIUS, N_("temp"), 6,
	    N_("temperature: that of the topic temperature where both are there; unknown while it sleeps"),
	    "/sys/class/hwmon, smartctl temperature", .rank = 1),
	COL(reason, LABEL, NONE, N_("reason"), 26, N_("why it is not good, or not known"),
	    "smartctl, panetop", .words = true, .optional = true),
};

static const struct schema schema = {
	.name = "disk_health",
	.is_public = true,
	.help = N_("health of disks: wear, errors, and what they say themselves; asked every 5 min"),
	.none = N_("no disk that reports its health: virtual disks have none of their own"),
	SCHEMA_ROWS(struct health_row, columns),
};

static const char *state_name(enum smart_state state)
{
	static const char *const names[] = { [SMART_UNKNOWN] = N_("unknown"), [SMART_GOOD] = N_("good"),
					     [SMART_WORN] = N_("worn"), [SMART_FAILING] = N_("failing") };

	return names[state];
}

/* Of what every question needs, not of an answer. */
static bool is_lack(int error)
{
	return error == -ENOENT || error == -EPERM || error == -ENXIO || error == -ENOTSUP || error == -EXDEV;
}

static const char *reason_of(const struct health *health, struct frame *frame)
{
	if (health->smart.state != SMART_UNKNOWN)
		return frame_text(frame, health->smart.reason);
	if (health->is_asleep)
		return N_("asleep");
	if (!health->answered)
		return N_("no answer yet");
	if (health->error)
		return is_lack(health->error) ? N_("not asked") : N_("no answer");
	return frame_text(frame, health->smart.reason);
}

/* The table of disks shows the state, too. */
static void note_state(const struct health_list *list, const struct health *health)
{
	for (size_t i = 0; i < list->disks->count; i++) {
		struct disk *disk = &list->disks->disks[i];

		if (strcmp(disk->name, health->job->name) != 0)
			continue;
		disk->health = state_name(health->smart.state);
		disk->health_tick = list->env->tick;
	}
}

static void add_row(struct sample *sample, const struct health *health)
{
	const struct smart *smart = &health->smart;
	struct health_row *row = table_add(sample->table);

	row->device = frame_text(sample->frame, health->job->name);
	row->state = state_name(smart->state);
	row->reason = reason_of(health, sample->frame);
	row->wear_ratio = smart->wear_ratio;
	row->spare_ratio = smart->spare_ratio;
	row->media_errors = smart->media_errors;
	row->unsafe_shutdowns = smart->unsafe_shutdowns;
	if (smart->power_on_seconds != U64_UNKNOWN)
		row->power_on_seconds = (double)smart->power_on_seconds;
	row->celsius = smart->celsius;
}

static int sample_health(struct sample *sample)
{
	struct health_state *state = sample->state;
	const struct health_list *list = state->list;
	int error = 0;

	update_temperatures(state);
	for (size_t i = 0; i < list->count; i++) {
		const struct health *health = list->list[i];

		/* cards without registers never report it */
		if (is_card(health->job->name) && health->smart.state == SMART_UNKNOWN)
			continue;
		add_row(sample, health);
		note_state(list, health);
		if (health->smart.state == SMART_UNKNOWN && is_lack(health->error))
			error = health->error;
	}
	if (error && error != -EXDEV)
		frame_notice(sample->frame, schema.name,
			     source_remedy(sample->env, topic_source(sample->topic, SMARTCTL), -error),
			     _("smartctl cannot ask disks for their health: %s"), env_error_text(-error));
	return 0;
}

struct nodes {
	const struct env *env;
	bool any, seen; /* disks that smartctl could ask; and the device file of one of them */
};

static void note_disk(void *context, const char *name)
{
	char path[NAME_MAX_DISK + 8];
	struct nodes *nodes = context;

	if (!is_real(name) || is_card(name))
		return;
	snprintf(path, sizeof(path), "dev/%s", name);
	nodes->any = true;
	nodes->seen |= env_exists(nodes->env, path);
}

static int try_smartctl(struct env *env)
{
	struct nodes nodes = { .env = env };
	int error;

	listing_each_directory(env, "sys/block", note_disk, &nodes);
	if (!nodes.any)
		return -ENODEV;
	error = lacks(env, NULL);
	if (error)
		return error;
	if (!nodes.seen)
		return -ENXIO;
	return privilege_may(PRIVILEGE_HEALTH) ? 0 : -EPERM;
}

const struct topic topic_disk_health = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/diskstats",
		  .gives = N_("disks that may report their health"),
		  .remedies = { { ENOENT,
				  N_("this kernel has no block devices, or a container hides them") } } },
		{ .path = SMARTCTL,
		  .gives = N_("health of NVMe, ATA and SCSI disks"),
		  .optional = true,
		  .test = try_smartctl,
		  .remedies = {
			  { ENOENT, N_("install smartmontools") },
			  { EPERM, N_("run it as root, or give it the capabilities cap_sys_rawio, "
				      "cap_sys_admin and cap_dac_read_search") },
			  { ENXIO, N_("the device files are hidden here: a container needs --device, a "
				      "service PrivateDevices=no and DeviceAllow=") },
			  { ENOTSUP, N_("a snap has no smartctl, and may not ask disks: use the package of "
					"the distribution") },
			  { ENODEV, N_("this machine has no disk that smartctl could ask"), true },
			  { EXDEV, N_("only disks of the running machine can be asked"), true } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_HEALTH),
	.state_size = sizeof(struct health_state),
	.reads = READINGS(READING(struct health_state, list, &health_reader),
			  READING_ON_DEMAND(struct health_state, sensors, &sensor_reader)),
	.sample = sample_health,
};
