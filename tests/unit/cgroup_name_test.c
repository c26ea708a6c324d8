/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and kinds of control groups by their paths. */
#include "suite.h"

#include "kernel/cgroup.h"

#define ID "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
#define UID "0f3c9a52-1b2c-4d5e-8f90-a1b2c3d4e5f6"
#define UID_OF_SLICE "0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6"

static const struct {
	const char *path;
	enum cgroup_kind kind;
	enum container_engine engine;
	const char *name;
} paths[] = {
	{ "/", CGROUP_GROUP, ENGINE_UNKNOWN, "/" },
	{ "", CGROUP_GROUP, ENGINE_UNKNOWN, "/" },
	{ "/system.slice", CGROUP_SLICE, ENGINE_UNKNOWN, "system.slice" },
	{ "/system.slice/ssh.service", CGROUP_UNIT, ENGINE_UNKNOWN, "ssh.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service/", CGROUP_UNIT, ENGINE_UNKNOWN,
	  "getty@tty1.service" },
	{ "/system.slice/dev-disk-by\\x2duuid.swap", CGROUP_UNIT, ENGINE_UNKNOWN, "dev-disk-by-uuid.swap" },
	{ "/a/x\\x00\\x2.service", CGROUP_UNIT, ENGINE_UNKNOWN, "x\\x00\\x2.service" },
	{ "/user.slice/user-1000.slice/session-2.scope", CGROUP_SCOPE, ENGINE_UNKNOWN, "session-2.scope" },
	{ "/a\\x2db", CGROUP_GROUP, ENGINE_UNKNOWN, "a\\x2db" }, /* not systemd's */
	{ "/.service", CGROUP_GROUP, ENGINE_UNKNOWN, ".service" },
	{ "/docker/" ID, CGROUP_CONTAINER, ENGINE_DOCKER, "4f0c1e5a77b2" },
	{ "/system.slice/docker-" ID ".scope", CGROUP_CONTAINER, ENGINE_DOCKER, "4f0c1e5a77b2" },
	{ "/machine.slice/libpod-" ID ".scope", CGROUP_CONTAINER, ENGINE_PODMAN, "4f0c1e5a77b2" },
	{ "/system.slice/web.service/libpod-payload-" ID, CGROUP_CONTAINER, ENGINE_PODMAN, "4f0c1e5a77b2" },
	{ "/libpod_parent/" ID, CGROUP_CONTAINER, ENGINE_PODMAN, "4f0c1e5a77b2" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", CGROUP_SCOPE, ENGINE_UNKNOWN,
	  "libpod-conmon-" ID ".scope" },
	{ "/kubepods/burstable/pod" UID "/" ID, CGROUP_CONTAINER, ENGINE_UNKNOWN, "4f0c1e5a77b2" },
	{ "/kubepods/burstable/pod" UID, CGROUP_POD, ENGINE_UNKNOWN, "0f3c9a521b2c" },
	{ "/a/pod" UID, CGROUP_GROUP, ENGINE_UNKNOWN, "pod" UID },
	{ "/kubepods/podium", CGROUP_GROUP, ENGINE_UNKNOWN, "podium" },
	{ "/kubepods.slice/kubepods-burstable.slice", CGROUP_SLICE, ENGINE_UNKNOWN,
	  "kubepods-burstable.slice" },
	{ "/kubepods.slice/kubepods-pod" UID_OF_SLICE ".slice", CGROUP_POD, ENGINE_UNKNOWN, "0f3c9a521b2c" },
	{ "/kubepods.slice/kubepods-pod" UID_OF_SLICE ".slice/cri-containerd-" ID ".scope", CGROUP_CONTAINER,
	  ENGINE_CONTAINERD, "4f0c1e5a77b2" },
	{ "/kubepods-besteffort-pod" UID_OF_SLICE ".slice:cri-containerd:" ID, CGROUP_CONTAINER,
	  ENGINE_CONTAINERD, "4f0c1e5a77b2" },
	{ "/kubepods.slice/crio-" ID ".scope", CGROUP_CONTAINER, ENGINE_CRIO, "4f0c1e5a77b2" },
	{ "/machine.slice/machine-libpod_pod_" ID ".slice", CGROUP_POD, ENGINE_PODMAN, "4f0c1e5a77b2" },
	{ "/lxc/web", CGROUP_CONTAINER, ENGINE_UNKNOWN, "web" },
	{ "/lxc.payload.web", CGROUP_CONTAINER, ENGINE_UNKNOWN, "web" },
	{ "/lxc.monitor.web", CGROUP_GROUP, ENGINE_UNKNOWN, "lxc.monitor.web" },
	{ "/machine.slice/systemd-nspawn@my\\x2dweb.service", CGROUP_CONTAINER, ENGINE_UNKNOWN, "my-web" },
	{ "/docker/4f0c1e5a77b2", CGROUP_GROUP, ENGINE_UNKNOWN, "4f0c1e5a77b2" }, /* too short for an id */
	{ "/engine/4f0c1e5a77b2d3914f0c1e5a77b2d391", CGROUP_CONTAINER, ENGINE_UNKNOWN, "4f0c1e5a77b2" },
	{ "/docker/" ID "0", CGROUP_GROUP, ENGINE_UNKNOWN, ID "0" },
	{ "/a\nb\xff", CGROUP_GROUP, ENGINE_UNKNOWN, "a\nb\xff" },
	{ "/x\\x4a\\x4A\\x09\\xfF\\xa0\\x01.mount", CGROUP_UNIT, ENGINE_UNKNOWN, "xJJ\t\xff\xa0\001.mount" },
	{ "/x\\x2g\\x@2\\x:0\\y2d\\.timer", CGROUP_UNIT, ENGINE_UNKNOWN, "x\\x2g\\x@2\\x:0\\y2d\\.timer" },
	{ "/a/x.target", CGROUP_UNIT, ENGINE_UNKNOWN, "x.target" },
	{ "/a/x.socket", CGROUP_UNIT, ENGINE_UNKNOWN, "x.socket" },
	{ "/docker/4F0C1E5A77B2D391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391",
	  CGROUP_CONTAINER, ENGINE_DOCKER, "4f0c1e5a77b2" },
	{ "/docker/gf0c1e5a77b2d391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391", CGROUP_GROUP,
	  ENGINE_UNKNOWN, "gf0c1e5a77b2d391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391" "4f0c1e5a77b2d391" },
	{ "/kubepods/pod0f3c9a521b2c4d5e8f90a1b2c3d4e5f6", CGROUP_POD, ENGINE_UNKNOWN, "0f3c9a521b2c" },
	{ "/kubepods/pod0f3c9a521b2c4d5e8f90a1b2c3d4e5f", CGROUP_GROUP, ENGINE_UNKNOWN,
	  "pod0f3c9a521b2c4d5e8f90a1b2c3d4e5f" },
	{ "/kubepods/x/pod" UID, CGROUP_POD, ENGINE_UNKNOWN, "0f3c9a521b2c" },
	{ "/kubepods.slice/nerdctl-" ID ".scope", CGROUP_CONTAINER, ENGINE_CONTAINERD, "4f0c1e5a77b2" },
	{ "/x.slice:crio:" ID, CGROUP_CONTAINER, ENGINE_CRIO, "4f0c1e5a77b2" },
	{ "/lxc.payload/web", CGROUP_CONTAINER, ENGINE_UNKNOWN, "web" },
	{ "/lxc.payload.", CGROUP_GROUP, ENGINE_UNKNOWN, "lxc.payload." },
	{ "/systemd-nspawn@web", CGROUP_GROUP, ENGINE_UNKNOWN, "systemd-nspawn@web" },
};

START_TEST(kinds_and_names_by_path)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct cgroup_name name;

		cgroup_name_parse(span_text(paths[i].path), &name);
		ck_assert_msg(name.kind == paths[i].kind, "%s is a %s", paths[i].path,
			      cgroup_kind_name(name.kind));
		ck_assert_msg(name.engine == paths[i].engine, "%s: engine %d", paths[i].path,
			      (int)name.engine);
		ck_assert_str_eq(name.name, paths[i].name);
	}
}

START_TEST(long_names_are_cut)
{
	char path[5000] = "/";
	struct cgroup_name name;

	memset(path + 1, 'x', sizeof(path) - 2);
	cgroup_name_parse(span_text(path), &name);
	ck_assert_uint_eq(strlen(name.name), CGROUP_NAME_MAX - 1);
	memcpy(path + sizeof(path) - 9, ".service", 9);
	cgroup_name_parse(span_text(path), &name);
	ck_assert_uint_eq(strlen(name.name), CGROUP_NAME_MAX - 1);
	ck_assert_int_eq(name.kind, CGROUP_UNIT);
}
