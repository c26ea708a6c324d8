/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of Docker, Podman, containerd and CRI-O. Their files are not trusted: names are cut, sizes limited.
 */
#include <config.h>

#include "topic/group/container_name.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/env.h"

#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)
#define LIST_BYTES_MAX ((size_t)4 * 1024 * 1024) /* of all containers of Podman */

#define CONTAINERS_THING (UINT64_MAX - 1) /* no file system has this number */

#define CONTAINERD "run/containerd/io.containerd.runtime.v2.task/"

/* Where a file for one container lies: the id is between the two parts. */
static const struct {
	enum container_engine engine;
	const char *above, *file;
} configs[] = {
	{ ENGINE_DOCKER, "var/lib/docker/containers/", "/config.v2.json" },
	{ ENGINE_CONTAINERD, CONTAINERD "k8s.io/", "/config.json" },
	{ ENGINE_CONTAINERD, CONTAINERD "default/", "/config.json" },
	{ ENGINE_CRIO, "run/containers/storage/overlay-containers/", "/userdata/config.json" },
};

static const char *const podman_lists[] = {
	"var/lib/containers/storage/overlay-containers/containers.json",
	"var/lib/containers/storage/vfs-containers/containers.json",
	"var/lib/containers/storage/btrfs-containers/containers.json",
};

/* By a helper, without raised privileges: it is not a file of the kernel, and may lie anywhere. */
static bool read_text(const struct root *root, const char *path, size_t most, struct buffer *text)
{
	int fd = served_open_thing(root, path, false, CONTAINERS_THING);
	struct stat stat;
	bool fine;

	if (fd < 0)
		return false;
	fine = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size > 0 &&
	       (size_t)stat.st_size <= most && buffer_read(text, fd, most) == 0;
	close(fd);
	return fine;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : NULL;
}

/* The first of two keys that has a text. */
static const char *either(const json_t *object, const char *key, const char *other)
{
	const char *text = text_of(object, key);

	return text ? text : text_of(object, other);
}

static void parse_annotations(const json_t *annotations, struct container_name *out)
{
	const char *pod = either(annotations, "io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name");
	const char *space =
		either(annotations, "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace");
	const char *name =
		either(annotations, "io.kubernetes.cri.container-name", "io.kubernetes.container.name");
	const char *type =
		either(annotations, "io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType");

	if (!name)
		name = text_of(annotations, "nerdctl/name");
	if (pod && type && strcmp(type, "sandbox") == 0)
		name = "sandbox";
	if (name)
		snprintf(out->name, sizeof(out->name), "%s", name);
	if (pod)
		snprintf(out->pod, sizeof(out->pod), "%s%s%s", space ? space : "", space ? "/" : "", pod);
}

bool container_name_parse(const char *text, size_t length, struct container_name *name)
{
	json_t *config = json_loadb(text, length, 0, NULL);
	const char *docker = text_of(config, "Name");

	*name = (struct container_name){ .name = "" };
	if (docker) /* it writes "/web", and has labels in place of annotations */
		snprintf(name->name, sizeof(name->name), "%s", docker + (*docker == '/'));
	parse_annotations(json_object_get(json_object_get(config, "Config"), "Labels"), name);
	parse_annotations(json_object_get(config, "annotations"), name);
	json_decref(config);
	return *name->name != '\0';
}

/* "[{"id": "4f…", "names": ["web"], …}, …]" */
static bool parse_list(const char *text, size_t length, const char *id, struct container_name *name)
{
	json_t *list = json_loadb(text, length, 0, NULL), *entry;
	size_t i;

	*name = (struct container_name){ .name = "" };
	json_array_foreach(list, i, entry)
	{
		const char *found = text_of(entry, "id");
		const char *first = json_string_value(json_array_get(json_object_get(entry, "names"), 0));

		if (found && first && strcmp(found, id) == 0)
			snprintf(name->name, sizeof(name->name), "%s", first);
	}
	json_decref(list);
	return *name->name != '\0';
}

static bool find_in_config(const struct root *root, enum container_engine engine, const char *id,
			   struct buffer *text, struct container_name *name)
{
	char path[256];

	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		if (engine != ENGINE_UNKNOWN && engine != configs[i].engine)
			continue;
		buffer_empty(text);
		snprintf(path, sizeof(path), "%s%s%s", configs[i].above, id, configs[i].file);
		if (read_text(root, path, CONFIG_BYTES_MAX, text) &&
		    container_name_parse(text->bytes, text->length, name))
			return true;
	}
	return false;
}

static bool find_in_list(const struct root *root, const char *id, struct buffer *text,
			 struct container_name *name)
{
	for (size_t i = 0; i < sizeof(podman_lists) / sizeof(podman_lists[0]); i++) {
		buffer_empty(text);
		if (read_text(root, podman_lists[i], LIST_BYTES_MAX, text) &&
		    parse_list(text->bytes, text->length, id, name))
			return true;
	}
	return false;
}

bool container_name_find(const struct root *root, enum container_engine engine, const char *id,
			 struct container_name *name)
{
	struct buffer text = { 0 };
	bool found = find_in_config(root, engine, id, &text, name) ||
		     ((engine == ENGINE_UNKNOWN || engine == ENGINE_PODMAN || engine == ENGINE_CRIO) &&
		      find_in_list(root, id, &text, name));

	buffer_free(&text);
	return found;
}
