/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights beyond those of the user: what needs which, raised around the call that needs it, and given up. */
#ifndef PANETOP_SYS_PRIVILEGE_H
#define PANETOP_SYS_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a capability is used for: a call, or a few of a kind. privilege_rows tells which it takes. */
enum privilege_use {
	PRIVILEGE_NONE,
	PRIVILEGE_HIDDEN,
	PRIVILEGE_FILES,
	PRIVILEGE_IO,
	PRIVILEGE_MAPS,
	PRIVILEGE_PAGEMAP,
	PRIVILEGE_MEMORY,
	PRIVILEGE_NODE,
	PRIVILEGE_PERF,
	PRIVILEGE_RINGS,
	PRIVILEGE_TRACING,
	PRIVILEGE_NETLINK,
	PRIVILEGE_REAL_TIME,
	PRIVILEGE_LOCK,
	PRIVILEGE_AWAKE,
	PRIVILEGE_SIGNAL,
	PRIVILEGE_NICE,
	PRIVILEGE_MARKS,
	PRIVILEGE_DROP_CACHES,
	PRIVILEGE_TREE,
	N_PRIVILEGE_USES
};

/* A set of uses. */
#define PRIVILEGE_BIT(use) (UINT64_C(1) << (use))

#define PRIVILEGE_USER_0 (-1) /* in place of a capability: only user 0 may, whatever it is capable of */

struct privilege_row {
	enum privilege_use use;
	int capability;    /* CAP_SYS_PTRACE … */
	const char *call;  /* the kernel's name of what it is raised for, not translated */
	const char *gives; /* N_() */
	bool acts;         /* changes something of the machine, on the user's word */
};

extern const struct privilege_row privilege_rows[];
extern const unsigned n_privilege_rows;

/* Sets of capabilities, bit N for capability N. */
struct privilege_sets {
	uint64_t permitted, effective, inheritable;
};

/* The capabilities that these uses take on this kernel. */
uint64_t privilege_capabilities(uint64_t uses);

/* Is the row of use on this machine? Not where proc hides nothing, or perf events take another capability. */
bool privilege_is_of_use(const struct privilege_row *row);

/* Of these uses the ones that act. */
uint64_t privilege_acting(uint64_t uses);

/*
 * First of all: for a user who is not root nothing is effective from here on but what is raised, and what
 * was started setuid root goes on as who started it. 0 or -errno.
 */
int privilege_open(void);

/* proc hides processes of others: what it takes to see them stays effective. Before privilege_give_up(). */
void privilege_hide_processes(void);

/* CAP_PERFMON does not open perf events on this machine, CAP_SYS_ADMIN does. Before privilege_give_up(). */
void privilege_perf_takes_admin(void);

/* What to do where that is why they are refused, N_(); NULL where it is not. */
const char *privilege_perf_remedy(void);

/*
 * Makes effective in this thread what the use takes, as far as it is permitted. What it gives goes to
 * privilege_lower(), which leaves errno alone. For root, to whom all that is permitted is effective, and for
 * those to whom nothing is permitted, neither makes a system call.
 */
uint64_t privilege_raise(enum privilege_use use);
void privilege_lower(uint64_t raised);

/* Are the capabilities of the use permitted to this thread? */
bool privilege_may(enum privilege_use use);

/* From here on this thread has no more than these uses take. 0, or -errno when it cannot be confirmed. */
int privilege_keep(uint64_t uses);

struct privilege_plan {
	uint64_t uses;    /* whose capabilities are kept */
	bool for_command; /* a program will be started that is to have what the user has */
	bool goes_back;   /* under sudo the user who called it takes over */
};

/*
 * Gives up, before there is a second thread, all that the plan does not name: permitted and inheritable
 * capabilities, bounding and ambient set, user 0 and its groups if another user called it by sudo, and the
 * gaining of rights by exec. What a command has to inherit is left. Then reads all of it back, and tries to
 * regain it. 0, or -errno with the call that failed in *what.
 */
int privilege_give_up(const struct privilege_plan *plan, const char **what);

/* How the process stands. */
struct privilege_state {
	struct privilege_sets sets;
	uint64_t bounding, ambient;
	uid_t user;
	gid_t group;
	bool no_new_privs;
};

void privilege_look(struct privilege_state *state);

/* "cap_sys_ptrace"; of a set the names with commas between, cut off at room. */
void privilege_name(int capability, char *name, size_t room);
void privilege_names(uint64_t capabilities, char *names, size_t room);

#endif
