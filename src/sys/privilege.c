/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of privileges; raising and lowering them in a thread, and limiting a thread. */
#include <config.h>

#include "sys/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/span.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

#define ROW(of, takes, in, what) \
	.use = PRIVILEGE_##of, .capability = takes, .call = in, .gives = what
#define ACT_ROW(of, takes, in, what) ROW(of, takes, in, what), .acts = true
#define OPTION_ROW(of, takes, in, what) ROW(of, takes, in, what), .of_option = true
#define LENT_ROW(of, takes, in, what) ROW(of, takes, in, what), .lent = true

const struct privilege_row privilege_rows[] = {
	{ ROW(HIDDEN, CAP_SYS_PTRACE, "/proc/PID", N_("processes of other users, hidden by hidepid")) },
	{ ROW(IO, CAP_SYS_PTRACE, "/proc/PID/io", N_("I/O of processes of other users")) },
	{ ROW(IO, CAP_DAC_READ_SEARCH, "/proc/PID/io", N_("I/O of processes of other users")) },
	{ ROW(MAPS, CAP_SYS_PTRACE, "/proc/PID/maps, smaps",
	      N_("memory regions of processes of other users")) },
	{ ROW(DETAILS, CAP_SYS_PTRACE, "/proc/PID/fd, cwd, exe, environ",
	      N_("open files, directories and environment of processes of other users")) },
	{ ROW(DETAILS, CAP_DAC_READ_SEARCH, "/proc/PID/fd, environ, syscall",
	      N_("open files and environment of processes of other users")) },
	{ ROW(PAGEMAP, CAP_SYS_PTRACE, "/proc/PID/pagemap", N_("pages of processes of other users")) },
	{ ROW(PAGEMAP, CAP_DAC_READ_SEARCH, "/proc/PID/pagemap", N_("pages of processes of other users")) },
	{ ROW(PAGEMAP, CAP_SYS_ADMIN, "/proc/PID/pagemap", N_("page frame numbers")) },
	{ ROW(MEMORY, CAP_SYS_PTRACE, "/proc/PID/mem", N_("page contents of processes of other users")) },
	{ ROW(MEMORY, CAP_DAC_READ_SEARCH, "/proc/PID/mem",
	      N_("page contents of processes of other users")) },
	{ ROW(NODE, CAP_SYS_PTRACE, "move_pages(2)", N_("NUMA nodes of pages of other users")) },
	{ ROW(FILES, CAP_DAC_READ_SEARCH, "energy_uj, /proc/kpage*",
	      N_("energy counters, page frame flags")) },
	{ ROW(PERF, CAP_PERFMON, "perf_event_open(2)", N_("events and counters of all processes and CPUs")) },
	{ ROW(PERF, CAP_SYS_ADMIN, "perf_event_open(2)",
	      N_("events and counters where the kernel does not accept cap_perfmon")) },
	{ ROW(RINGS, CAP_IPC_LOCK, "mmap(2) of perf events",
	      N_("rings that hold all events between two reads")) },
	{ ROW(TRACING, CAP_DAC_READ_SEARCH, "tracing/events",
	      N_("arguments of started programs, tracepoints by name")) },
	{ ROW(TRACING, CAP_SYS_ADMIN, "fsopen(2)", N_("tracepoints where tracefs is not mounted")) },
	{ ROW(BPF, CAP_BPF, "bpf(2)",
	      N_("time in interrupts, arguments of all programs, run times of many processes")) },
	{ ROW(BPF, CAP_PERFMON, "bpf(2)",
	      N_("time in interrupts, arguments of all programs, run times of many processes")) },
	{ ROW(BPF, CAP_SYS_ADMIN, "bpf(2)", N_("the same where the kernel does not know cap_bpf")) },
	{ ROW(BPF, CAP_SYS_RESOURCE, "setrlimit(2)",
	      N_("the same before Linux 5.11, where it takes locked memory")) },
	{ ROW(PROBES, CAP_PERFMON, "uprobes", N_("calls of functions of programs")) },
	{ ROW(PROBES, CAP_SYS_ADMIN, "uprobes",
	      N_("the same where the kernel does not accept cap_perfmon for it")) },
	{ ROW(SYMBOLS, CAP_SYSLOG, "/proc/kallsyms", N_("names of functions of the kernel")) },
	{ ROW(KERNEL_LOG, CAP_SYSLOG, "/dev/kmsg", N_("which process was killed at a memory limit")) },
	{ ROW(NETLINK, CAP_NET_ADMIN, "netlink(7)", N_("exited processes: exit records, proc connector")) },
	{ ROW(NAMESPACES, CAP_SYS_ADMIN, "setns(2)",
	      N_("sockets of containers: those in other network namespaces")) },
	{ ROW(REAL_TIME, CAP_SYS_NICE, "sched_setattr(2)", N_("real-time priority for measuring threads")) },
	{ ROW(LOCK, CAP_IPC_LOCK, "mlock(2), mlockall(2)", N_("memory locked while latency is measured")) },
	{ ROW(AWAKE, CAP_DAC_OVERRIDE, "/dev/cpu_dma_latency",
	      N_("no deep idle states with --cpu-dma-latency")) },
	{ LENT_ROW(HEALTH, CAP_SYS_RAWIO, "smartctl(8)", N_("health of ATA and SCSI disks")) },
	{ LENT_ROW(HEALTH, CAP_SYS_ADMIN, "smartctl(8)", N_("health of NVMe disks")) },
	{ LENT_ROW(HEALTH, CAP_DAC_READ_SEARCH, "smartctl(8)", N_("the device files of disks")) },
	{ ACT_ROW(SIGNAL, CAP_KILL, "pidfd_send_signal(2)", N_("signals to processes of other users")) },
	{ ACT_ROW(NICE, CAP_SYS_NICE, "setpriority(2)", N_("priorities of processes of other users")) },
	{ ACT_ROW(MARKS, CAP_DAC_OVERRIDE, "/proc/PID/clear_refs",
		  N_("clearing write marks and accessed bits of processes of other users")) },
	{ ACT_ROW(DROP_CACHES, PRIVILEGE_USER_0, "/proc/sys/vm/drop_caches", N_("dropping caches")) },
	{ ACT_ROW(RESCTRL, CAP_DAC_OVERRIDE, "/sys/fs/resctrl",
		  N_("a monitoring group of resctrl for one of the user's processes")) },
	{ OPTION_ROW(TREE, CAP_DAC_READ_SEARCH, "--root", N_("files of another root, for user 0")) },
	{ OPTION_ROW(TREE, CAP_SYS_PTRACE, "--root", N_("files of another root, for user 0")) },
	{ OPTION_ROW(WRITE, CAP_DAC_OVERRIDE, "--write",
		     N_("files in directories of other users, for user 0")) },
	{ OPTION_ROW(WRITE, CAP_FOWNER, "--write", N_("files in directories of other users, for user 0")) },
	{ OPTION_ROW(WRITE, CAP_CHOWN, "--write", N_("the owner of the file that is replaced, for user 0")) },
};

const unsigned n_privilege_rows = sizeof(privilege_rows) / sizeof(privilege_rows[0]);

uint64_t privilege_acting(uint64_t uses)
{
	uint64_t acting = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++)
		acting |= privilege_rows[i].acts ? PRIVILEGE_BIT(privilege_rows[i].use) : 0;
	return uses & acting;
}

static const struct privilege_calls real_calls = { capget, capset, setgroups, setresuid, prctl };

/* Of the process; written before there is a second thread. */
static const struct privilege_calls *kernel_calls = &real_calls;
static bool raises;             /* only what is raised is effective */
static bool has_perfmon = true; /* since Linux 5.8 */
static bool bpf_takes_locked_memory;
static bool perf_takes_admin;   /* perf events need CAP_SYS_ADMIN */
static const char *perf_remedy; /* N_(), where that is not permitted; else NULL */
static bool hidden;             /* proc hides processes of other users */
static uint64_t root_can_have = ~UINT64_C(0);

/*
 * Of root that lacks a capability, as in a container: those that it has and that do instead; 0: none is
 * missing. Without CAP_SYS_PTRACE it may look at processes that have no more than what is effective here.
 */
static struct {
	uint64_t of_ptrace, of_search;
} instead;

#define AS_OWNER (UINT64_C(1) << 63) /* among what was raised: files are read as the owner of a process */

/* Of each thread: its sets, as the kernel has them. */
static _Thread_local bool known;
static _Thread_local struct privilege_sets own;
static _Thread_local bool as_owner;

int privilege_read_sets(struct privilege_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (kernel_calls->capget(&header, data) < 0)
		return -errno;
	*sets = (struct privilege_sets){
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << 32,
		.effective = data[0].effective | (uint64_t)data[1].effective << 32,
		.inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32,
	};
	return 0;
}

static bool has_sets(const struct privilege_sets *sets)
{
	struct privilege_sets found;

	return privilege_read_sets(&found) == 0 && memcmp(&found, sets, sizeof(found)) == 0;
}

int privilege_write_sets(const struct privilege_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i] = (struct __user_cap_data_struct){
			.permitted = (uint32_t)(sets->permitted >> 32 * i),
			.effective = (uint32_t)(sets->effective >> 32 * i),
			.inheritable = (uint32_t)(sets->inheritable >> 32 * i),
		};
	if (system_call_kills(SYS_capset)) {
		if (!has_sets(sets))
			return -EPERM;
	} else if (kernel_calls->capset(&header, data) < 0) {
		return -errno;
	}
	own = *sets;
	known = true;
	return 0;
}

bool privilege_applies(const struct privilege_row *row)
{
	if (row->use == PRIVILEGE_HIDDEN)
		return hidden;
	if (row->use == PRIVILEGE_PERF)
		return row->capability == CAP_PERFMON ? has_perfmon : perf_takes_admin;
	if (row->capability == CAP_SYS_RESOURCE)
		return bpf_takes_locked_memory;
	if (row->use == PRIVILEGE_BPF)
		return (row->capability != CAP_SYS_ADMIN) == has_perfmon;
	return true;
}

static uint64_t capabilities_of(uint64_t uses, bool with_others)
{
	uint64_t capabilities = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++) {
		const struct privilege_row *row = &privilege_rows[i];

		if (!(uses & PRIVILEGE_BIT(row->use)) || row->capability == PRIVILEGE_USER_0 ||
		    !privilege_applies(row))
			continue;
		capabilities |= UINT64_C(1) << row->capability;
		if (with_others && row->capability == CAP_SYS_PTRACE)
			capabilities |= instead.of_ptrace;
		if (with_others && row->capability == CAP_DAC_READ_SEARCH)
			capabilities |= instead.of_search;
	}
	return capabilities;
}

uint64_t privilege_capabilities(uint64_t uses)
{
	return capabilities_of(uses, true);
}

void privilege_perf_takes_admin(void)
{
	struct privilege_sets sets;

	perf_takes_admin = true;
	if (privilege_read_sets(&sets) < 0 || (sets.permitted & UINT64_C(1) << CAP_SYS_ADMIN))
		return;
	perf_remedy = has_perfmon
			      ? N_("run it as root, or: sysctl kernel.perf_event_paranoid=2 (above 2 this "
				   "kernel asks for cap_sys_admin instead of cap_perfmon)")
			      : N_("run it as root, give it the capability cap_sys_admin (cap_perfmon came "
				   "with Linux 5.8), or: sysctl kernel.perf_event_paranoid=0");
}

const char *privilege_perf_remedy(void)
{
	return perf_remedy;
}

static bool has_ids(uid_t user, gid_t group)
{
	uid_t users[3];
	gid_t groups[3];

	if (getresuid(&users[0], &users[1], &users[2]) < 0 ||
	    getresgid(&groups[0], &groups[1], &groups[2]) < 0)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (users[i] != user || groups[i] != group)
			return false;
	return true;
}

/*
 * Sets user and group, real, effective and saved, and with set_groups also the list of groups to this one
 * group; keeps permitted capabilities. Groups first: without user 0 they could not be changed.
 */
static int become(uid_t user, gid_t group, bool set_groups)
{
	gid_t found;
	int error = 0;

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    (set_groups && kernel_calls->setgroups(1, &group) < 0) || setresgid(group, group, group) < 0 ||
	    kernel_calls->setresuid(user, user, user) < 0)
		error = -errno;
	else if (!has_ids(user, group) || (set_groups && (getgroups(1, &found) != 1 || found != group)))
		error = -ENOTRECOVERABLE;
	return prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0 && !error ? -errno : error;
}

/* What cap_get_bound() or cap_get_ambient() say of all. */
static uint64_t set_of(int (*get)(cap_value_t capability))
{
	uint64_t set = 0;

	for (int capability = 0; capability < cap_max_bits(); capability++)
		set |= (uint64_t)(get(capability) == 1) << capability;
	return set;
}

/* From now on nothing is effective but what is raised: for a process without user 0. */
static void raise_on_demand(void)
{
	raises = true;
	instead.of_ptrace = instead.of_search = 0;
}

int privilege_open(const struct privilege_kernel *kernel)
{
	struct utsname name;
	const struct privilege_kernel running = { uname(&name) == 0 ? name.release : "", cap_max_bits(),
						  &real_calls };
	struct privilege_sets sets;
	unsigned major, minor;
	int error = 0;

	kernel = kernel ? kernel : &running;
	kernel_calls = kernel->calls;
	has_perfmon = kernel->n_capabilities > CAP_PERFMON;
	bpf_takes_locked_memory = sscanf(kernel->release, "%u.%u", &major, &minor) == 2 &&
				  (major < 5 || (major == 5 && minor < 11));
	if (!has_perfmon)
		privilege_perf_takes_admin();
	if (geteuid() == 0 && getuid() != 0)
		error = become(getuid(), getgid(), false);
	if (!error)
		error = privilege_read_sets(&sets);
	if (error)
		return error;
	/* newer ones than the kernel knows give nothing here */
	root_can_have = set_of(cap_get_bound) | ~UINT64_C(0) << cap_max_bits();
	if (geteuid() == 0) {
		instead.of_ptrace = sets.permitted >> CAP_SYS_PTRACE & 1 ? 0 : sets.permitted;
		instead.of_search = sets.permitted >> CAP_DAC_READ_SEARCH & 1
					    ? 0
					    : sets.permitted & UINT64_C(1) << CAP_DAC_OVERRIDE;
		return 0;
	}
	sets.effective = 0;
	error = privilege_write_sets(&sets);
	raise_on_demand();
	return error;
}

void privilege_hide_processes(void)
{
	hidden = true;
}

/* The capabilities of these uses that are effective all the time. */
static uint64_t effective(uint64_t uses)
{
	const uint64_t hiding = PRIVILEGE_BIT(PRIVILEGE_HIDDEN), trees = PRIVILEGE_BIT(PRIVILEGE_TREE);

	if (raises)
		return privilege_capabilities(uses & hiding);
	return capabilities_of(uses, false) | privilege_capabilities(uses & (hiding | trees));
}

uint64_t privilege_raise(enum privilege_use use)
{
	struct privilege_sets sets;
	uint64_t more;

	if (!raises && !instead.of_ptrace && !instead.of_search)
		return 0;
	known = known || privilege_read_sets(&own) == 0;
	if (!known)
		return 0;
	more = privilege_capabilities(PRIVILEGE_BIT(use)) & own.permitted & ~own.effective;
	sets = own;
	sets.effective |= more;
	return more && privilege_write_sets(&sets) == 0 ? more : 0;
}

void privilege_lower(uint64_t raised)
{
	struct privilege_sets sets = own;
	int error = errno;

	if (!raised)
		return;
	if (raised & AS_OWNER) {
		setfsuid(geteuid()); /* which makes capabilities of files effective */
		setfsgid(getegid());
		as_owner = false;
	}
	sets.effective &= ~raised;
	if (privilege_write_sets(&sets) < 0)
		abort(); /* the kernel never refuses this */
	errno = error;
}

/* Of another user, as whom this thread may read. */
static bool find_owner(uint32_t pid, struct stat *owner)
{
	const uint64_t becomes = UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return (own.effective & becomes) == becomes && !system_call_kills(SYS_setfsuid) &&
	       !system_call_kills(SYS_setfsgid) && stat(path, owner) == 0 && owner->st_uid != 0;
}

uint64_t privilege_raise_for(enum privilege_use use, uint32_t pid)
{
	uint64_t raised = privilege_raise(use);
	struct stat owner;

	if (!instead.of_ptrace || use == PRIVILEGE_NONE || as_owner || !find_owner(pid, &owner))
		return raised;
	setfsgid(owner.st_gid);
	setfsuid(owner.st_uid);
	as_owner = true;
	return raised | AS_OWNER;
}

bool privilege_may(enum privilege_use use)
{
	uint64_t wanted = privilege_capabilities(PRIVILEGE_BIT(use));
	struct privilege_sets sets;

	return privilege_read_sets(&sets) == 0 && (sets.permitted & wanted) == wanted;
}

/* What these uses lend to programs. */
static uint64_t lent(uint64_t uses)
{
	uint64_t capabilities = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++)
		if (privilege_rows[i].lent && (uses & PRIVILEGE_BIT(privilege_rows[i].use)))
			capabilities |= UINT64_C(1) << privilege_rows[i].capability;
	return capabilities;
}

void privilege_lend(uint64_t uses)
{
	uint64_t capabilities = lent(uses);

	for (int capability = 0; capability < cap_max_bits() && CAP_AMBIENT_SUPPORTED(); capability++)
		if (capabilities >> capability & 1)
			cap_set_ambient(capability, CAP_SET);
}

int privilege_end_lending(void)
{
	struct privilege_sets sets;
	int error = privilege_read_sets(&sets);

	if (error || !sets.inheritable)
		return error;
	sets.inheritable = 0;
	return privilege_write_sets(&sets);
}

int privilege_limit(uint64_t uses)
{
	struct privilege_sets sets;
	int error = privilege_read_sets(&sets);

	if (error)
		return error;
	own = sets;
	known = true;
	sets.permitted &= privilege_capabilities(uses);
	sets.effective &= effective(uses);
	sets.inheritable &= ~lent(~UINT64_C(0)) | lent(uses);
	return memcmp(&sets, &own, sizeof(sets)) == 0 ? 0 : privilege_write_sets(&sets);
}

void privilege_query(struct privilege_state *state)
{
	*state = (struct privilege_state){
		.bounding = set_of(cap_get_bound),
		.ambient = set_of(cap_get_ambient),
		.user = geteuid(),
		.group = getegid(),
		.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
	};
	privilege_read_sets(&state->sets);
}

void privilege_name(int capability, char *name, size_t room)
{
	char *known_name = cap_to_name(capability);

	snprintf(name, room, "%s", known_name ? known_name : "");
	cap_free(known_name);
}

void privilege_names(uint64_t capabilities, char *names, size_t room)
{
	size_t length = 0;

	*names = '\0';
	for (int capability = 0; capability < 64 && length + 1 < room; capability++) {
		if (!(capabilities >> capability & 1))
			continue;
		if (length > 0)
			names[length++] = ',';
		privilege_name(capability, names + length, room - length);
		length += strlen(names + length);
	}
}

uint64_t privilege_named(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	uint64_t capabilities = 0;

	for (text = strstr(text, "cap_"); text; text = strstr(text + 1, "cap_")) {
		char name[64];
		cap_value_t capability;

		snprintf(name, sizeof(name), "%.*s", (int)strspn(text, letters), text);
		if (cap_from_name(name, &capability) == 0)
			capabilities |= UINT64_C(1) << capability;
	}
	return capabilities;
}

/* "--cap-add SYS_PTRACE --cap-add BPF", as docker and podman have it. */
static void cap_add_flags(uint64_t capabilities, char *flags, size_t room)
{
	size_t length = 0;

	*flags = '\0';
	for (int capability = 0; capability < 64 && length < room; capability++) {
		char name[64];

		if (!(capabilities >> capability & 1))
			continue;
		privilege_name(capability, name, sizeof(name));
		for (char *at = name; *at; at++)
			*at = ascii_upper(*at);
		length += (size_t)snprintf(flags + length, room - length, "%s--cap-add %s",
					   length > 0 ? " " : "", name + strlen("CAP_"));
	}
}

/* The profiles of containers allow the calls of these only with the capability, or not at all. */
#define WITH_CALLS (UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN)

const char *privilege_remedy_for_root(uint64_t capabilities, char text[PRIVILEGE_REMEDY_BYTES])
{
	uint64_t lacking = capabilities & ~root_can_have;
	char flags[PRIVILEGE_REMEDY_BYTES / 2];

	if (!lacking)
		return NULL;
	cap_add_flags(lacking, flags, sizeof(flags));
	snprintf(text, PRIVILEGE_REMEDY_BYTES,
		 system_calls_filtered() && (lacking & WITH_CALLS)
			 ? _("start the container with %s, and a seccomp profile that allows it: even root "
			     "lacks it here (a service: CapabilityBoundingSet=)")
			 : _("start the container with %s: even root lacks it here (a service: "
			     "CapabilityBoundingSet=)"),
		 flags);
	return text;
}

/* Drops privileges in the order that the kernel demands, and verifies the result. */

struct drop {
	const struct privilege_plan *plan;
	struct privilege_sets before, after;
	uid_t user;
	gid_t group;
	bool to_invoker, bounded;
	const char *what; /* the current call */
};

static bool read_id(const char *name, uint32_t *id)
{
	const char *value = secure_getenv(name);
	uint64_t number;

	if (!value || !span_whole_number(value, 0, UINT32_MAX - 1, &number))
		return false;
	*id = (uint32_t)number;
	return true;
}

/* The user who called sudo, if it was not root itself. */
static bool find_invoker(uid_t *user, gid_t *group)
{
	return getuid() == 0 && geteuid() == 0 && read_id("SUDO_UID", user) && read_id("SUDO_GID", group) &&
	       *user != 0;
}

uid_t privilege_caller(void)
{
	uid_t user;
	gid_t group;

	return find_invoker(&user, &group) ? user : getuid();
}

/* All of what is lent, or nothing, where no program could be started with all of it. */
static uint64_t lendable(const struct drop *drop)
{
	uint64_t wanted = lent(drop->plan->uses);

	return (wanted & drop->before.permitted & root_can_have) == wanted ? wanted : 0;
}

/*
 * Needs CAP_SETPCAP, and no confinement as in a snap; otherwise only no_new_privs prevents that an exec gains
 * privileges. Nothing becomes inheritable later that is not in it.
 */
static int drop_bounding(struct drop *drop)
{
	const uint64_t changes_bound = UINT64_C(1) << CAP_SETPCAP;
	struct privilege_sets sets = drop->before;
	int error;

	sets.effective |= changes_bound & sets.permitted;
	sets.inheritable = lendable(drop);
	error = privilege_write_sets(&sets);
	drop->bounded = !error && (sets.permitted & changes_bound) &&
			kernel_calls->prctl(PR_CAPBSET_DROP, 0UL, 0, 0, 0) == 0;
	for (int capability = 1; drop->bounded && !error && capability < cap_max_bits(); capability++)
		error = kernel_calls->prctl(PR_CAPBSET_DROP, (unsigned long)capability, 0, 0, 0) < 0 ? -errno
												     : 0;
	return error;
}

/* A command inherits the ambient set, which is a subset of the permitted set. */
static int keep_sets(struct drop *drop)
{
	uint64_t uses = drop->plan->uses;

	drop->after.permitted = privilege_capabilities(uses);
	drop->after.effective = effective(uses) & drop->before.permitted;
	drop->after.inheritable = lendable(drop);
	if (drop->plan->for_command) {
		struct privilege_state state;

		privilege_query(&state);
		drop->after.permitted |= state.ambient;
		drop->after.inheritable = drop->before.inheritable;
	}
	drop->after.permitted &= drop->before.permitted;
	return privilege_write_sets(&drop->after);
}

static int drop_all(struct drop *drop)
{
	bool all = !drop->plan->for_command;
	int error = 0;

	drop->what = "PR_CAPBSET_DROP";
	if (all)
		error = drop_bounding(drop);
	if (!error && all && CAP_AMBIENT_SUPPORTED()) {
		drop->what = "PR_CAP_AMBIENT_CLEAR_ALL";
		error = cap_reset_ambient() < 0 ? -errno : 0;
	}
	if (!error && drop->to_invoker) {
		drop->what = "setgroups, setresgid, setresuid";
		error = become(drop->user, drop->group, true);
		drop->to_invoker = geteuid() != 0;
		if (!error)
			raise_on_demand();
		else if (error == -EPERM || error == -EINVAL)
			error = 0; /* by a confinement, too: it stays root, with fewer capabilities */
	}
	if (!error) {
		drop->what = "capset";
		error = keep_sets(drop);
	}
	if (!error && all) {
		drop->what = "PR_SET_NO_NEW_PRIVS";
		error = kernel_calls->prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
	}
	return error;
}

static bool is_dropped(struct drop *drop)
{
	bool all = !drop->plan->for_command;
	struct privilege_state found;

	privilege_query(&found);
	drop->what = "capget";
	if (memcmp(&found.sets, &drop->after, sizeof(found.sets)) != 0)
		return false;
	drop->what = "PR_CAPBSET_READ";
	if (drop->bounded && found.bounding != 0)
		return false;
	drop->what = "PR_CAP_AMBIENT_IS_SET";
	if (all && found.ambient != 0)
		return false;
	drop->what = "PR_GET_NO_NEW_PRIVS";
	return !all || found.no_new_privs;
}

int privilege_drop(const struct privilege_plan *plan, const char **what)
{
	struct drop drop = { .plan = plan, .what = "capget" };
	int error = privilege_read_sets(&drop.before);

	drop.to_invoker = plan->to_invoker && find_invoker(&drop.user, &drop.group);
	if (!error)
		error = drop_all(&drop);
	if (!error && !is_dropped(&drop))
		error = -ENOTRECOVERABLE;
	*what = drop.what;
	return error;
}

/* Which system calls a filter answers by ending the process: a child makes each of them, with nonsense. */

/* What filters refuse or are too old to know; what every program needs is not asked for. */
static const long calls[] = {
	SYS_bpf,                SYS_capset,            SYS_close_range,       SYS_fsconfig,
	SYS_fsmount,            SYS_fsopen,            SYS_ioprio_get,        SYS_ioprio_set,
	SYS_mlock,              SYS_mlockall,          SYS_move_pages,        SYS_open_by_handle_at,
	SYS_openat2,            SYS_perf_event_open,   SYS_pidfd_open,        SYS_pidfd_send_signal,
	SYS_sched_setaffinity,  SYS_sched_setattr,     SYS_sched_setscheduler, SYS_setfsgid,
	SYS_setfsuid,           SYS_setns,             SYS_setpriority,       SYS_statx,
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static bool filtered, kills[N_CALLS];

/* False: the child has come to the end, or there is none. */
static bool goes_on(volatile size_t *at)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGSYS, SIG_DFL);
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no core file */
		for (; *at < N_CALLS; (*at)++) /* each refuses these arguments before it does anything */
			syscall(calls[*at], -1L, -1L, -1L, -1L, -1L, -1L);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (child < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		return false;
	kills[(*at)++] = true;
	return *at < N_CALLS;
}

void system_calls_try(void)
{
	volatile size_t *at;

	filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
	if (!filtered)
		return;
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return;
	while (goes_on(at))
		;
	munmap((void *)at, sizeof(*at));
}

bool system_calls_filtered(void)
{
	return filtered;
}

bool system_call_kills(long number)
{
	for (size_t i = 0; filtered && i < N_CALLS; i++)
		if (calls[i] == number)
			return kills[i];
	return false;
}

/* Limits a process to memory and descriptors, by a filter of system calls. */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

void descriptors_close(int first, int last)
{
	struct rlimit limit;

	if (first > last || system_call(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) /* before Linux 5.9 */
		return;
	for (int fd = first; fd <= last && (rlim_t)fd < limit.rlim_cur; fd++)
		close(fd);
}

#ifdef ARCHITECTURE

static const int allowed[] = {
	SYS_read,        SYS_readv,        SYS_pread64,        SYS_write,
	SYS_sendto,      SYS_sendmsg,      SYS_recvfrom,       SYS_recvmsg,
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_close,       SYS_fstat,        SYS_newfstatat,     SYS_lseek,
	SYS_mmap,        SYS_munmap,       SYS_mremap,         SYS_mprotect,
	SYS_madvise,     SYS_brk,          SYS_futex,          SYS_clock_gettime,
	SYS_getrandom,   SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall,
	SYS_setitimer,   SYS_sched_yield, SYS_getpid,       SYS_gettid,         SYS_exit,
	SYS_exit_group,
};

#define N_ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

/* newfstatat() finds no file by a name, since it has no directory but that of /: what it says of one is no
 * secret. */
int confine_process(void)
{
	static const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	struct sock_filter code[2 * N_ALLOWED + 6] = {
		BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		refuse,
		BPF_STMT(BPF_LD | BPF_ABS | BPF_W, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = code, .len = 4 };

	for (size_t i = 0; i < N_ALLOWED; i++) {
		code[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[program.len++] = refuse;
	if (privilege_limit(0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

#else

int confine_process(void)
{
	return -ENOTSUP;
}

#endif

/*
 * ncurses reads terminal types from where TERMINFO and HOME point; libpfm prints and reads as its variables
 * say. glibc ignores its own under AT_SECURE.
 */

static char **of_user; /* NULL: environ */

static bool is_distrusted(const char *variable)
{
	static const char *const beginnings[] = {
		"HOME=", "TERMINFO=", "TERMINFO_DIRS=", "TERMPATH=", "TERMCAP=", "LIBPFM_",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

void user_variables_open(void)
{
	size_t count = 0, kept = 0;
	char **trusted;

	if (!getauxval(AT_SECURE))
		return;
	while (environ[count])
		count++;
	trusted = alloc_zeroed(count + 1, sizeof(*trusted));
	for (size_t i = 0; i < count; i++)
		if (!is_distrusted(environ[i]))
			trusted[kept++] = environ[i];
	of_user = environ;
	environ = trusted;
}

char **user_variables(void)
{
	return of_user ? of_user : environ;
}
