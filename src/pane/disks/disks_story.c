/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow before partial writes, small requests, saturation and queues: each sentence has its threshold here. */
#include <config.h>

#include "pane/disks/disks_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"

#define REQUESTS_ENOUGH 10.0 /* per second: means over fewer say little */
#define SLOWER 5.0           /* times the others of its kind */
#define SLOW_SECONDS 0.010
#define LOAD_ALIKE 1.25     /* times the requests of each of the others, at most */
#define PARTIAL_WRITES 20.0 /* per second */
#define SMALL_BYTES 16384.0
#define SMALL_WRITES 50.0 /* per second */
#define MERGED_RARELY 0.2
#define BUSY 0.9
#define WAITING 1.0     /* requests in the kernel, on the mean */
#define AT_DEVICE 0.5   /* … and at the device, at most */
#define QUEUE_SHORT 2.0 /* of a device that serves more at once */

static double requests(const struct disk_facts *disk)
{
	return (isnan(disk->reads) ? 0 : disk->reads) + (isnan(disk->writes) ? 0 : disk->writes);
}

/* Of reads and writes; NaN without requests. */
static double mean_wait(const struct disk_facts *disk)
{
	double reads = disk->reads > 0 && disk->read_wait >= 0 ? disk->reads * disk->read_wait : 0;
	double writes = disk->writes > 0 && disk->write_wait >= 0 ? disk->writes * disk->write_wait : 0;

	return requests(disk) > 0 ? (reads + writes) / requests(disk) : NAN;
}

/* A device that waits far longer than all others of its kind, with no more to do than they have. */
static bool tell_slow(const struct disk_facts *disks, size_t n_disks, size_t index, char *text, size_t room)
{
	const struct disk_facts *disk = &disks[index];
	double wait = mean_wait(disk), others = 0, least_requests = INFINITY;
	char own[VALUE_TEXT_MAX], theirs[VALUE_TEXT_MAX];
	unsigned long n_others = 0;

	for (size_t i = 0; i < n_disks; i++) {
		if (i == index || strcmp(disks[i].kind, disk->kind) != 0 ||
		    requests(&disks[i]) < REQUESTS_ENOUGH)
			continue;
		n_others++;
		others = fmax(others, mean_wait(&disks[i]));
		least_requests = fmin(least_requests, requests(&disks[i]));
	}
	if (n_others == 0 || requests(disk) < REQUESTS_ENOUGH || !(wait >= SLOW_SECONDS) ||
	    !(wait >= SLOWER * others) || requests(disk) > LOAD_ALIKE * least_requests)
		return false;
	snprintf(
		text, room,
		P_("%s is slow: %s a request; %lu other device of its kind takes at most %s, at a similar or "
		   "higher load.",
		   "%s is slow: %s a request; %lu others of its kind take at most %s, at a similar or higher "
		   "load.",
		   n_others),
		disk->device, amount_text(own, UNIT_SECONDS, wait), n_others,
		amount_text(theirs, UNIT_SECONDS, others));
	return true;
}

/* Writes smaller than its block: it reads the block, changes it, and writes it, unless it can do without. */
static bool tell_partial(const struct disk_facts *disks, size_t n_disks, size_t index, char *text,
			 size_t room)
{
	const struct disk_facts *disk = &disks[index];
	char written[VALUE_TEXT_MAX], block[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];

	(void)n_disks;
	if (!(disk->writes >= PARTIAL_WRITES) || !(disk->write_bytes < disk->block_bytes))
		return false;
	snprintf(text, room,
		 _("%s gets %s writes/s of %s in the mean, smaller than its block of %s: it may have to read "
		   "blocks before it writes them."),
		 disk->device, rate_short(rate, disk->writes), size_text(written, disk->write_bytes),
		 size_text(block, disk->block_bytes));
	return true;
}

static bool tell_small(const struct disk_facts *disks, size_t n_disks, size_t index, char *text, size_t room)
{
	const struct disk_facts *disk = &disks[index];
	char rate[VALUE_TEXT_MAX], size[VALUE_TEXT_MAX];

	(void)n_disks;
	if (!(disk->writes >= SMALL_WRITES) || !(disk->write_bytes <= SMALL_BYTES) ||
	    !(disk->merged_ratio < MERGED_RARELY) || !(disk->busy_ratio >= BUSY) ||
	    !(disk->writes > disk->reads))
		return false;
	snprintf(text, room,
		 _("%s is busy with %s writes/s of only %s, %.0f %% merged: small writes in random places."),
		 disk->device, rate_short(rate, disk->writes), size_text(size, disk->write_bytes),
		 100 * disk->merged_ratio);
	return true;
}

static bool serves_several(const char *kind)
{
	return strcmp(kind, "nvme") == 0 || strcmp(kind, "ssd") == 0 || strcmp(kind, "virtio") == 0 ||
	       strcmp(kind, "xen") == 0;
}

static bool tell_busy(const struct disk_facts *disks, size_t n_disks, size_t index, char *text, size_t room)
{
	const struct disk_facts *disk = &disks[index];

	(void)n_disks;
	if (!(disk->busy_ratio >= BUSY) || !(disk->queue < QUEUE_SHORT) || !serves_several(disk->kind))
		return false;
	snprintf(text, room,
		 _("%s is busy %.0f %% of the time, with %.1f requests in flight: it serves several at once "
		   "and may "
		   "do more."),
		 disk->device, 100 * disk->busy_ratio, disk->queue);
	return true;
}

/* By Little's law: requests that are somewhere are their rate times how long they are there. */
static bool tell_queue(const struct disk_facts *disks, size_t n_disks, size_t index, char *text, size_t room)
{
	const struct disk_facts *disk = &disks[index];
	double waiting = requests(disk) * disk->queued_wait, served = requests(disk) * disk->device_wait;
	char queued[VALUE_TEXT_MAX], device[VALUE_TEXT_MAX];

	(void)n_disks;
	if (requests(disk) < REQUESTS_ENOUGH || !(waiting >= WAITING) || !(served <= AT_DEVICE))
		return false;
	snprintf(text, room,
		 _("Requests for %s wait %s in the kernel and take %s at the device, which has none for at "
		   "least %.0f %% of the time: the queue is in software, such as a scheduler or a limit."),
		 disk->device, amount_text(queued, UNIT_SECONDS, disk->queued_wait),
		 amount_text(device, UNIT_SECONDS, disk->device_wait), 100 * (1 - served));
	return true;
}

bool disks_user_story(const struct disk_user_facts *user, const struct disk_facts *disk, char *text,
		      size_t room)
{
	char written[VALUE_TEXT_MAX], block[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];

	*text = '\0';
	if (user->reads_bytes > 0 || !(user->requests >= PARTIAL_WRITES) ||
	    !(user->request_bytes < disk->block_bytes))
		return false;
	snprintf(text, room,
		 _("%s (%.0f) only writes, %s/s of %s in the mean, smaller than the block of %s of %s, which "
		   "may have to be read before it is written."),
		 user->command, user->pid, rate_short(rate, user->requests),
		 size_text(written, user->request_bytes), size_text(block, disk->block_bytes), disk->device);
	return true;
}

bool disks_space_story(const struct space_facts *space, const char *mode, char *text, size_t room)
{
	char left[VALUE_TEXT_MAX], used[VALUE_TEXT_MAX];

	*text = '\0';
	if (strcmp(mode, "ro") == 0)
		return false;
	if (space->used_ratio >= space->full_from)
		snprintf(text, room, _("%s is %s full: %s are left."), space->mount,
			 amount_text(used, UNIT_RATIO, space->used_ratio),
			 size_text(left, space->available_bytes));
	else if (space->inodes_used_ratio >= space->inodes_full_from)
		snprintf(text, room, _("%s hardly takes more files: %s of its inodes are in use."),
			 space->mount, amount_text(used, UNIT_RATIO, space->inodes_used_ratio));
	return *text != '\0';
}

static bool (*const rules[])(const struct disk_facts *disks, size_t n_disks, size_t index, char *text,
			     size_t room) = { tell_slow, tell_partial, tell_small, tell_queue, tell_busy };

bool disks_story(const struct disk_facts *disks, size_t n_disks, unsigned index, char *text, size_t room)
{
	for (size_t rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
		for (size_t i = 0; i < n_disks; i++)
			if (rules[rule](disks, n_disks, i, text, room) && index-- == 0)
				return true;
	*text = '\0';
	return false;
}
