/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Privileges beyond those of the user: which call needs which, raised around that call, and dropped. */
#ifndef PANETOP_SYS_PRIVILEGE_H
#define PANETOP_SYS_PRIVILEGE_H

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* What capabilities are used for: a call, or a few of a kind. privilege_rows lists what each needs. */
enum privilege_use {
	PRIVILEGE_NONE,
	PRIVILEGE_HIDDEN,
	PRIVILEGE_FILES,
	PRIVILEGE_IO,
	PRIVILEGE_MAPS,
	PRIVILEGE_DETAILS,
	PRIVILEGE_PAGEMAP,
	PRIVILEGE_MEMORY,
	PRIVILEGE_NODE,
	PRIVILEGE_PERF,
	PRIVILEGE_RINGS,
	PRIVILEGE_TRACING,
	PRIVILEGE_BPF,
	PRIVILEGE_PROBES,
	PRIVILEGE_SYMBOLS,
	PRIVILEGE_KERNEL_LOG,
	PRIVILEGE_NETLINK,
	PRIVILEGE_NAMESPACES,
	PRIVILEGE_REAL_TIME,
	PRIVILEGE_LOCK,
	PRIVILEGE_AWAKE,
	PRIVILEGE_HEALTH,
	PRIVILEGE_SIGNAL,
	PRIVILEGE_NICE,
	PRIVILEGE_MARKS,
	PRIVILEGE_DROP_CACHES,
	PRIVILEGE_RESCTRL,
	PRIVILEGE_TREE,
	PRIVILEGE_WRITE,
	N_PRIVILEGE_USES
};

/* A set of uses. */
#define PRIVILEGE_BIT(use) (UINT64_C(1) << (use))

#define PRIVILEGE_USER_0 (-1) /* instead of a capability: needs user 0 */

struct privilege_row {
	enum privilege_use use;
	int capability;    /* CAP_SYS_PTRACE … */
	const char *call;  /* the kernel's name of the call or file, not translated */
	const char *gives; /* N_() */
	bool acts;         /* changes the machine, on request of the user */
	bool of_option;    /* for files that an option names; only kept for user 0 */
	bool lent;         /* to a program that a helper starts; panetop itself makes no such call */
};

extern const struct privilege_row privilege_rows[];
extern const unsigned n_privilege_rows;

/* Sets of capabilities, bit N for capability N. */
struct privilege_sets {
	uint64_t permitted, effective, inheritable;
};

/* The capabilities that these uses need on this kernel. */
uint64_t privilege_capabilities(uint64_t uses);

/* Does the row apply to this machine? Not if proc hides nothing, or perf events need another capability. */
bool privilege_applies(const struct privilege_row *row);

/* The subset of these uses that acts. */
uint64_t privilege_acting(uint64_t uses);

/* Calls that a kernel may refuse, or only seem to make; as the functions of their names. */
struct privilege_calls {
	int (*capget)(cap_user_header_t header, cap_user_data_t sets);
	int (*capset)(cap_user_header_t header, const cap_user_data_t sets);
	int (*setgroups)(size_t n_groups, const gid_t *groups);
	int (*setresuid)(uid_t real, uid_t effective, uid_t saved);
	int (*prctl)(int option, ...);
};

/* What a kernel says of itself. */
struct privilege_kernel {
	const char *release; /* as of uname(2) */
	int n_capabilities;
	const struct privilege_calls *calls; /* borrowed */
};

/*
 * To be called first; kernel: NULL: the one that runs. For a user other than root, only what is raised is
 * effective from now on; a program started setuid root continues as the user who started it. 0 or -errno.
 */
int privilege_open(const struct privilege_kernel *kernel);

/*
 * proc hides processes of other users: the capability to see them stays effective. Before privilege_drop().
 */
void privilege_hide_processes(void);

/* On this machine perf events need CAP_SYS_ADMIN, not CAP_PERFMON. Before privilege_drop(). */
void privilege_perf_takes_admin(void);

/* The remedy, N_(), where this is why perf events are refused; else NULL. */
const char *privilege_perf_remedy(void);

/*
 * Makes effective in this thread what the use needs, as far as it is permitted. Pass the result to
 * privilege_lower(), which keeps errno. For root with CAP_SYS_PTRACE, and for users without capabilities,
 * neither makes a system call.
 */
uint64_t privilege_raise(enum privilege_use use);
void privilege_lower(uint64_t raised);

/*
 * The same for files of /proc/PID: root without CAP_SYS_PTRACE reads those of another user's process as that
 * user does, until privilege_lower().
 */
uint64_t privilege_raise_for(enum privilege_use use, uint32_t pid);

/*
 * What gives these capabilities where even root cannot have one of them, as in a container: translated, in
 * text. NULL: root can.
 */
#define PRIVILEGE_REMEDY_BYTES 512
const char *privilege_remedy_for_root(uint64_t capabilities, char text[PRIVILEGE_REMEDY_BYTES]);

/* Does this thread have the capabilities that the use needs? */
bool privilege_may(enum privilege_use use);

/* Limits this thread to what these uses need. 0 or -errno. */
int privilege_limit(uint64_t uses);

/*
 * What is lent is inheritable from privilege_drop() on, so that helpers can be started with it; this ends it
 * for panetop itself. 0 or -errno.
 */
int privilege_end_lending(void);

/* In a new process, before its exec: the program gets what these uses lend, as far as this process may. */
void privilege_lend(uint64_t uses);

struct privilege_plan {
	uint64_t uses;    /* whose capabilities are kept */
	bool for_command; /* a command will be started, which inherits what the user has */
	bool to_invoker;  /* under sudo, continue as the user who called it */
};

/*
 * Drops, before there is a second thread, all that the plan does not name: permitted and inheritable
 * capabilities, the ambient set, user 0 and its groups under sudo, and gaining privileges by exec; with
 * CAP_SETPCAP also the bounding set, which gives nothing without gains. Keeps what a command inherits. Then
 * verifies all of it. 0, or -errno with the call that failed in *what: -ENOTRECOVERABLE when a privilege is
 * still held.
 */
int privilege_drop(const struct privilege_plan *plan, const char **what);

/* Who runs panetop: the user who called sudo, else the real one; before and after privilege_drop(). */
uid_t privilege_caller(void);

struct privilege_state {
	struct privilege_sets sets;
	uint64_t bounding, ambient;
	uid_t user;
	gid_t group;
	bool no_new_privs;
};

void privilege_query(struct privilege_state *state);

/* For perf_ring.c: the sets of this thread, by capget(2) and capset(2); 0 or -errno. */
int privilege_read_sets(struct privilege_sets *sets);
int privilege_write_sets(const struct privilege_sets *sets);

/* The capabilities that a text names: "the capability cap_sys_ptrace". */
uint64_t privilege_named(const char *text);

/* "cap_sys_ptrace"; for a set the names, separated by commas and cut at room. */
void privilege_name(int capability, char *name, size_t room);
void privilege_names(uint64_t capabilities, char *names, size_t room);

/* System calls that a filter (seccomp) may forbid by ending the process, as some do to what is newer. */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* To be called first, before there is a second thread: under a filter a child finds out what it survives. */
void system_calls_try(void);

/* Is there a filter? It may also refuse what capabilities allow. */
bool system_calls_filtered(void);

/* Does this one end the process? Only of those that privilege.c lists. */
bool system_call_kills(long number);

/* A call by its function in the C library; where it would end the process -1, and EPERM in errno. */
#define system_call_by(number, function_call)                                                                \
	(system_call_kills(number) ? (errno = EPERM, -1) : (function_call))

/* The same by syscall(2). */
#define system_call(number, ...) system_call_by(number, syscall(number, __VA_ARGS__))

/* A process that parses what others wrote, and can do nothing else. */

/*
 * From now on this process, with all its threads to come, has no capability and gains none, and can use
 * memory and the descriptors that it has and gets: all system calls but these fail with EPERM, so that it
 * opens no file, starts no program and reaches no other process, whoever its user is. 0 or -errno: -EINVAL
 * where the kernel has no filters of system calls (CONFIG_SECCOMP_FILTER), -ENOTSUP on another architecture.
 */
int confine_process(void);

/* Closes all descriptors from first to last. */
void descriptors_close(int first, int last);

/* Variables that make libraries open files or print, where the program has more rights than its user. */

/* To be called before libraries: removes these variables where the kernel set AT_SECURE. */
void user_variables_open(void);

/* All variables, as panetop got them: for a command. */
char **user_variables(void);

#endif
