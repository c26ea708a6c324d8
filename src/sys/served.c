/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A few places, so that a path is looked up by comparing it with each. */
#include <config.h>

#include "sys/served.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/helper.h"

bool served_is_in(const char *path, const char *place)
{
	size_t length = strlen(place);

	return length == 0 ||
	       (strncmp(path, place, length) == 0 && (path[length] == '\0' || path[length] == '/'));
}

void served_add(struct served *served, const char *path, bool by_server, uint64_t device)
{
	*VECTOR_ADD(served->places, served->n_places, served->capacity) =
		(struct served_place){ .path = alloc_text(path), .by_server = by_server, .device = device };
}

void served_free(struct served *served)
{
	for (size_t i = 0; i < served->n_places; i++)
		free(served->places[i].path);
	free(served->places);
	*served = (struct served){ 0 };
}

/* The last mount at the longest path is what is seen. */
static const struct served_place *place_of(const struct served *served, const char *path)
{
	const struct served_place *best = NULL;

	for (size_t i = 0; i < served->n_places; i++)
		if (served_is_in(path, served->places[i].path) &&
		    (!best || strlen(served->places[i].path) >= strlen(best->path)))
			best = &served->places[i];
	return best;
}

bool served_has(const struct served *served, const char *path)
{
	const struct served_place *place = place_of(served, path);

	return place && place->by_server;
}

bool served_by_server(const struct served *served, const char *path)
{
	const struct served_place *place = place_of(served, path);

	return place && place->by_server && place->device != SERVED_BY_DRIVER;
}

struct reading {
	struct helper_job job;
	const struct root *root; /* in panetop */
	bool names;
	char path[];
};

static void add_names(int directory, int copy)
{
	DIR *opened = fdopendir(directory);
	const struct dirent *entry;

	while (opened && (entry = readdir(opened)))
		if (entry->d_name[0] != '.' && write(copy, entry->d_name, strlen(entry->d_name) + 1) < 0)
			break;
	if (opened)
		closedir(opened);
}

static int copy_names(int directory)
{
	int copy = memfd_create("panetop-names", MFD_CLOEXEC);

	if (copy < 0) {
		close(directory);
		return -errno;
	}
	add_names(directory, copy);
	return lseek(copy, 0, SEEK_SET) < 0 ? -errno : copy;
}

static void read_in_helper(struct helper_job *job)
{
	const struct reading *reading = (const struct reading *)job;
	int fd = root_open_at(helper_root(reading->root), reading->path,
			      O_RDONLY | O_NONBLOCK | O_NOCTTY | (reading->names ? O_DIRECTORY : 0));

	if (fd < 0)
		fd = -errno;
	else
		fd = reading->names ? copy_names(fd) : helper_copy(fd);
	job->error = fd < 0 ? fd : 0;
	job->fd = fd < 0 ? -1 : fd;
}

int served_open_thing(const struct root *root, const char *path, bool names, uint64_t thing)
{
	struct reading *reading = helper_alloc(sizeof(*reading) + strlen(path) + 1);

	*reading = (struct reading){ .job = { .run = read_in_helper,
					      .thing = thing },
				     .root = root,
				     .names = names };
	strcpy(reading->path, path);
	reading->job.name = reading->path;
	return helper_open(&reading->job);
}

int served_open(const struct served *served, const struct root *root, const char *path, bool names)
{
	const struct served_place *place = place_of(served, path);

	return served_open_thing(root, path, names, place ? place->device : 0);
}
