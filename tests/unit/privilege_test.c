/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of raising and dropping privileges, with a kernel that may lie; most need root. */
#include "rig.h"

#include <grp.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kernel/pid/pid_stat.h"
#include "sys/perf_ring.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

#define NOBODY 65534
#define BIT(capability) (UINT64_C(1) << (capability))

/* A kernel that reports success and does nothing, or refuses. */
static bool capset_lies, setresuid_lies, prctl_lies, confines;

static bool has_own_sets; /* the kernel has these, whatever is written */
static struct __user_cap_data_struct own_sets[2], written_sets[2];

static int read_sets(cap_user_header_t header, cap_user_data_t data)
{
	if (!has_own_sets)
		return capget(header, data);
	memcpy(data, own_sets, sizeof(own_sets));
	return 0;
}

static int write_sets(cap_user_header_t header, const cap_user_data_t data)
{
	memcpy(written_sets, data, sizeof(written_sets));
	return capset_lies || has_own_sets ? 0 : capset(header, data);
}

static int set_groups(size_t n_groups, const gid_t *groups)
{
	errno = EPERM;
	return confines ? -1 : setgroups(n_groups, groups);
}

static int set_users(uid_t real, uid_t effective, uid_t saved)
{
	return setresuid_lies ? 0 : setresuid(real, effective, saved);
}

static int control(int option, ...)
{
	unsigned long argument;
	va_list list;

	va_start(list, option);
	argument = va_arg(list, unsigned long);
	va_end(list);
	if (prctl_lies && option == PR_SET_NO_NEW_PRIVS)
		return 0;
	errno = EPERM;
	return confines && option == PR_CAPBSET_DROP ? -1 : prctl(option, argument, 0UL, 0UL, 0UL);
}

static const struct privilege_calls calls = { read_sets, write_sets, set_groups, set_users, control };
static const struct privilege_kernel scripted = { "6.1", CAP_LAST_CAP + 1, &calls };

/* Before Linux 5.8. */
static const struct privilege_kernel old = { "5.4.0", CAP_PERFMON, &calls };
static const struct privilege_kernel *kernel; /* NULL: the one that runs */

/* Every test is a process of its own, which may give up what it likes. */
static void need_root(uint64_t capabilities)
{
	struct privilege_state state;

	privilege_query(&state);
	if (!is_root() || (state.sets.permitted & capabilities) != capabilities)
		skip_test("this takes root with its capabilities");
}

/* As with file capabilities: nobody, with these permitted and nothing effective. */
static void become_nobody(uint64_t permitted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .permitted = (uint32_t)permitted },
						  { .permitted = (uint32_t)(permitted >> 32) } };

	ck_assert_int_eq(prctl(PR_SET_KEEPCAPS, 1UL, 0UL, 0UL, 0UL), 0);
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
	ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
	ck_assert_int_eq(capset(&header, data), 0);
	ck_assert_int_eq(privilege_open(kernel), 0);
}

static struct privilege_state look(void)
{
	struct privilege_state state;

	privilege_query(&state);
	return state;
}

/* Opens, drops, and looks. */
static struct privilege_state drop(struct privilege_plan plan)
{
	const char *what;

	ck_assert_int_eq(privilege_open(kernel), 0);
	ck_assert_int_eq(privilege_drop(&plan, &what), 0);
	return look();
}

static void check_sets(uint64_t permitted, uint64_t effective)
{
	ck_assert_uint_eq(look().sets.permitted, permitted);
	ck_assert_uint_eq(look().sets.effective, effective);
}

static uint64_t uses_of_all_topics(void)
{
	/* of options, not of a topic */
	uint64_t uses = PRIVILEGE_BIT(PRIVILEGE_TREE) | PRIVILEGE_BIT(PRIVILEGE_WRITE);

	for (unsigned i = 0; i < n_topics; i++)
		uses |= topics[i]->uses | topics[i]->opening_uses | topics[i]->setting_uses;
	return uses;
}

START_TEST(the_table_holds_what_topics_use)
{
	uint64_t in_table = 0;

	for (unsigned i = 0; i < n_privilege_rows; i++) {
		const struct privilege_row *row = &privilege_rows[i];

		in_table |= PRIVILEGE_BIT(row->use);
		ck_assert(*row->call && *row->gives);
	}
	ck_assert_uint_eq(in_table, PRIVILEGE_BIT(N_PRIVILEGE_USES) - 2);
	ck_assert_uint_eq(uses_of_all_topics(), in_table);
}

START_TEST(uses_that_act)
{
	uint64_t all = PRIVILEGE_BIT(N_PRIVILEGE_USES) - 2;
	uint64_t acting = PRIVILEGE_BIT(PRIVILEGE_SIGNAL) | PRIVILEGE_BIT(PRIVILEGE_NICE) |
			  PRIVILEGE_BIT(PRIVILEGE_MARKS) | PRIVILEGE_BIT(PRIVILEGE_DROP_CACHES) |
			  PRIVILEGE_BIT(PRIVILEGE_RESCTRL);

	ck_assert_uint_eq(privilege_acting(all), acting);
	ck_assert_uint_eq(privilege_acting(PRIVILEGE_BIT(PRIVILEGE_IO)), 0);
	ck_assert_uint_eq(privilege_capabilities(PRIVILEGE_BIT(PRIVILEGE_DROP_CACHES)), 0);
	ck_assert_uint_eq(privilege_capabilities(PRIVILEGE_BIT(PRIVILEGE_IO)),
			  BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH));
}

START_TEST(raised_and_lowered)
{
	const uint64_t both = BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH);
	uint64_t outer, inner;

	need_root(both);
	become_nobody(both | BIT(CAP_KILL));
	ck_assert_uint_eq(look().sets.effective, 0);
	outer = privilege_raise(PRIVILEGE_IO);
	ck_assert_uint_eq(outer, both);
	ck_assert_uint_eq(look().sets.effective, both);
	inner = privilege_raise(PRIVILEGE_MAPS); /* what is there already is not its own to lower */
	ck_assert_uint_eq(inner, 0);
	privilege_lower(inner);
	ck_assert_uint_eq(look().sets.effective, both);
	errno = EXDEV;
	privilege_lower(outer);
	ck_assert_int_eq(errno, EXDEV);
	check_sets(both | BIT(CAP_KILL), 0);
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_NETLINK), 0); /* not permitted */
	ck_assert(privilege_may(PRIVILEGE_SIGNAL) && !privilege_may(PRIVILEGE_NETLINK));
}

START_TEST(root_raises_nothing)
{
	struct privilege_state before = look(), after;

	need_root(0);
	ck_assert_int_eq(privilege_open(kernel), 0);
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_IO), 0);
	after = look();
	ck_assert_mem_eq(&after.sets, &before.sets, sizeof(before.sets));
}

/* As in a container: root with these capabilities, and no way to others. */
static void become_root_with(uint64_t capabilities)
{
	struct privilege_sets sets = { .permitted = capabilities, .effective = capabilities };

	need_root(capabilities | BIT(CAP_SETPCAP));
	for (int capability = 0; capability < cap_max_bits(); capability++)
		if (!(capabilities >> capability & 1))
			ck_assert_int_eq(cap_drop_bound(capability), 0);
	ck_assert_int_eq(privilege_write_sets(&sets), 0);
	ck_assert_int_eq(privilege_open(kernel), 0);
}

static uid_t user_of_files(void)
{
	char line[128];
	unsigned user = 0;
	FILE *status = fopen("/proc/thread-self/status", "r");

	ck_assert_ptr_nonnull(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "Uid: %*u %*u %*u %u", &user) == 1)
			break;
	fclose(status);
	return user;
}

#define OF_CONTAINERS                                                                                        \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_KILL) | BIT(CAP_SETUID) | BIT(CAP_SETGID))

START_TEST(root_without_ptrace_raises_what_it_has)
{
	uint64_t raised;

	become_root_with(OF_CONTAINERS);
	drop((struct privilege_plan){ .uses = PRIVILEGE_BIT(PRIVILEGE_MAPS) });
	check_sets(OF_CONTAINERS, 0);
	raised = privilege_raise_for(PRIVILEGE_MAPS, (uint32_t)getpid());
	ck_assert_uint_eq(look().sets.effective, OF_CONTAINERS);
	ck_assert_uint_eq(user_of_files(), 0);
	privilege_lower(raised);
	ck_assert_uint_eq(look().sets.effective, 0);
	ck_assert_int_eq(privilege_limit(PRIVILEGE_BIT(PRIVILEGE_NETLINK)), 0);
	ck_assert_uint_eq(look().sets.permitted, 0);
}

START_TEST(root_without_ptrace_reads_files_of_a_user_as_that_user)
{
	uint64_t raised;
	pid_t child;

	become_root_with(OF_CONTAINERS);
	child = fork();
	if (child == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0 ||
		    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
			_exit(1);
		raise(SIGSTOP); /* it ends with this process */
	}
	ck_assert_int_eq(waitpid(child, NULL, WUNTRACED), child);
	ck_assert_int_eq(privilege_limit(PRIVILEGE_BIT(PRIVILEGE_IO)), 0);
	raised = privilege_raise_for(PRIVILEGE_IO, (uint32_t)child);
	ck_assert_uint_eq(user_of_files(), NOBODY);
	ck_assert_uint_eq(privilege_raise_for(PRIVILEGE_IO, (uint32_t)child), 0); /* once is enough */
	errno = EXDEV;
	privilege_lower(raised);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_uint_eq(user_of_files(), 0);
	ck_assert_uint_eq(look().sets.effective, 0);
}

START_TEST(root_without_dac_read_search_overrides)
{
	const uint64_t all = BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_CHOWN);

	become_root_with(all);
	ck_assert_int_eq(privilege_limit(PRIVILEGE_BIT(PRIVILEGE_IO)), 0);
	check_sets(BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_OVERRIDE), BIT(CAP_SYS_PTRACE));
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_FILES), BIT(CAP_DAC_OVERRIDE));
}

START_TEST(what_root_lacks_has_a_flag)
{
	char text[PRIVILEGE_REMEDY_BYTES];

	ck_assert_uint_eq(privilege_named("give it the capabilities cap_bpf, cap_perfmon, or cap_none"),
			  BIT(CAP_BPF) | BIT(CAP_PERFMON));
	ck_assert_ptr_null(privilege_remedy_for_root(BIT(CAP_BPF), text));
	become_root_with(OF_CONTAINERS);
	ck_assert_ptr_null(privilege_remedy_for_root(BIT(CAP_KILL), text));
	ck_assert_str_eq(
		privilege_remedy_for_root(BIT(CAP_KILL) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_PTRACE), text),
		"start the container with --cap-add SYS_PTRACE --cap-add SYSLOG: even root lacks it here "
		"(a service: CapabilityBoundingSet=)");
	ck_assert_str_eq(remedy_for_user("run it as root, or give it the capability cap_syslog"),
			 "start the container with --cap-add SYSLOG: even root lacks it here (a service: "
			 "CapabilityBoundingSet=)");
}

struct seen {
	struct privilege_sets inherited, kept;
	uint64_t raised;
};

static void *in_thread(void *argument)
{
	struct seen *seen = argument;

	seen->inherited = look().sets;
	if (privilege_limit(PRIVILEGE_BIT(PRIVILEGE_PERF)) == 0)
		seen->kept = look().sets;
	seen->raised = privilege_raise(PRIVILEGE_PERF) | privilege_raise(PRIVILEGE_IO);
	return NULL;
}

START_TEST(a_thread_keeps_its_own)
{
	const uint64_t all = BIT(CAP_SYS_PTRACE) | BIT(CAP_PERFMON);
	struct seen seen = { .raised = 0 };
	pthread_t thread;
	uint64_t raised;

	need_root(all);
	become_nobody(all);
	raised = privilege_raise(PRIVILEGE_MAPS); /* a thread that begins now has it, too, until it keeps */
	ck_assert_int_eq(pthread_create(&thread, NULL, in_thread, &seen), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(seen.inherited.effective, BIT(CAP_SYS_PTRACE));
	ck_assert_uint_eq(seen.kept.effective, 0);
	ck_assert_uint_eq(seen.kept.permitted, BIT(CAP_PERFMON));
	ck_assert_uint_eq(seen.raised, BIT(CAP_PERFMON));
	ck_assert_uint_eq(look().sets.effective, BIT(CAP_SYS_PTRACE)); /* the other one did not change it */
	privilege_lower(raised);
	check_sets(all, 0);
}

START_TEST(hidden_processes_stay_seen)
{
	need_root(BIT(CAP_SYS_PTRACE));
	become_nobody(BIT(CAP_SYS_PTRACE));
	privilege_hide_processes();
	drop((struct privilege_plan){ .uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN) });
	ck_assert_uint_eq(look().sets.effective, BIT(CAP_SYS_PTRACE));
}

START_TEST(root_gives_up)
{
	struct privilege_state state;

	need_root(BIT(CAP_NET_ADMIN) | BIT(CAP_SETPCAP));
	state = drop((struct privilege_plan){ .uses = PRIVILEGE_BIT(PRIVILEGE_NETLINK) });
	check_sets(BIT(CAP_NET_ADMIN), BIT(CAP_NET_ADMIN));
	ck_assert_uint_eq(state.sets.inheritable | state.bounding | state.ambient, 0);
	ck_assert(state.no_new_privs && state.user == 0);
}

static void call_by_sudo(const char *user)
{
	setenv("SUDO_UID", user, 1);
	setenv("SUDO_GID", "65534", 1);
}

/* What a program that is lent rights has, of those that its parent has dropped. */
static uint64_t lent_to_a_program(void)
{
	const char *const words[] = { "/bin/sed", "-n", "s/^CapEff:\t*//p", "/proc/self/status", NULL };
	char text[32] = "";
	int status;

	ck_assert_int_eq(program_output(words, PRIVILEGE_BIT(PRIVILEGE_HEALTH), UINT64_C(60000000000), text,
					sizeof(text) - 1, &status), 17);
	return strtoull(text, NULL, 16);
}

#define HEALTH (BIT(CAP_SYS_RAWIO) | BIT(CAP_SYS_ADMIN) | BIT(CAP_DAC_READ_SEARCH))

START_TEST(a_program_gets_what_is_lent)
{
	const struct privilege_plan plan = { .uses = PRIVILEGE_BIT(PRIVILEGE_HEALTH) |
						     PRIVILEGE_BIT(PRIVILEGE_NETLINK),
					     .to_invoker = true };

	need_root(HEALTH | BIT(CAP_NET_ADMIN) | BIT(CAP_SETPCAP) | BIT(CAP_SETUID) | BIT(CAP_SETGID));
	call_by_sudo("65534");
	ck_assert_uint_eq(drop(plan).user, NOBODY);
	ck_assert_uint_eq(lent_to_a_program(), HEALTH);
	check_sets(HEALTH | BIT(CAP_NET_ADMIN), 0);
	ck_assert_int_eq(privilege_end_lending(), 0);
	ck_assert_uint_eq(look().sets.inheritable, 0);
	ck_assert_uint_eq(lent_to_a_program(), 0);
}

START_TEST(root_lends_no_more)
{
	need_root(HEALTH | BIT(CAP_NET_ADMIN) | BIT(CAP_SETPCAP));
	drop((struct privilege_plan){ .uses = PRIVILEGE_BIT(PRIVILEGE_HEALTH) |
					      PRIVILEGE_BIT(PRIVILEGE_NETLINK) });
	ck_assert_uint_eq(lent_to_a_program(), HEALTH);
	ck_assert_int_eq(privilege_limit(PRIVILEGE_BIT(PRIVILEGE_NETLINK)), 0);
	ck_assert_uint_eq(look().sets.inheritable, 0);
}

START_TEST(what_is_missing_is_not_lent)
{
	const char *const words[] = { "/bin/true", NULL };
	char bytes[8];
	int status;

	need_root(HEALTH);
	become_nobody(BIT(CAP_SYS_ADMIN) | BIT(CAP_DAC_READ_SEARCH));
	ck_assert_int_eq(program_output(words, PRIVILEGE_BIT(PRIVILEGE_HEALTH), 1, bytes, sizeof(bytes),
					&status), -EPERM);
}

START_TEST(a_command_inherits)
{
	struct privilege_state before = look(), state;

	need_root(BIT(CAP_NET_RAW));
	state = drop((struct privilege_plan){ .for_command = true });
	ck_assert_uint_eq(state.sets.permitted, before.ambient);
	ck_assert_uint_eq(state.sets.inheritable, before.sets.inheritable);
	ck_assert_uint_eq(state.bounding, before.bounding);
	ck_assert(state.no_new_privs == before.no_new_privs);
}

START_TEST(back_to_the_user_of_sudo)
{
	const struct privilege_plan plan = { .uses = PRIVILEGE_BIT(PRIVILEGE_MAPS), .to_invoker = true };
	struct privilege_state state;
	gid_t groups[4];

	need_root(BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_SYS_PTRACE));
	call_by_sudo("65534");
	state = drop(plan);
	ck_assert(state.user == NOBODY && state.group == NOBODY && getuid() == NOBODY);
	ck_assert_int_eq(getgroups(4, groups), 1);
	ck_assert_uint_eq(groups[0], NOBODY);
	check_sets(BIT(CAP_SYS_PTRACE), 0);
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_MAPS), BIT(CAP_SYS_PTRACE));
	ck_assert_int_ne((int)syscall(SYS_setresuid, 0, 0, 0), 0);
}

START_TEST(not_back_to_nonsense)
{
	static const char *const users[] = { "0", "", "-1", "12x", "4294967295", "99999999999" };
	const struct privilege_plan plan = { .to_invoker = true };

	need_root(0);
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		call_by_sudo(users[i]);
		ck_assert_uint_eq(drop(plan).user, 0);
		ck_assert_uint_eq(look().group, 0);
	}
	call_by_sudo("65534");
	unsetenv("SUDO_GID");
	ck_assert_uint_eq(drop(plan).user, 0);
}

/* As under AppArmor in a snap: root may neither leave its bounding set nor become somebody else. */
START_TEST(what_is_refused_is_left)
{
	const struct privilege_plan plan = { .uses = PRIVILEGE_BIT(PRIVILEGE_NETLINK), .to_invoker = true };
	struct privilege_state before = look(), state;

	need_root(BIT(CAP_SETPCAP) | BIT(CAP_NET_ADMIN));
	call_by_sudo("65534");
	kernel = &scripted;
	confines = true;
	state = drop(plan);
	ck_assert_uint_eq(state.user, 0);
	ck_assert_uint_eq(state.bounding, before.bounding);
	check_sets(BIT(CAP_NET_ADMIN), BIT(CAP_NET_ADMIN));
	ck_assert(state.no_new_privs);
}

/* What privilege_drop() reports when the kernel lies; each needs its own process. */
static void lied_to(bool *lie, bool to_invoker, const char *by)
{
	const struct privilege_plan plan = { .to_invoker = to_invoker };
	const char *what;

	need_root(BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_CHOWN));
	call_by_sudo("65534");
	ck_assert_int_eq(privilege_open(&scripted), 0);
	*lie = true;
	ck_assert_int_eq(privilege_drop(&plan, &what), -ENOTRECOVERABLE);
	ck_assert_ptr_nonnull(strstr(what, by));
}

START_TEST(capabilities_are_read_back)
{
	lied_to(&capset_lies, false, "capget");
}

START_TEST(the_user_is_read_back)
{
	lied_to(&setresuid_lies, true, "setresuid");
}

START_TEST(no_new_privs_is_read_back)
{
	lied_to(&prctl_lies, false, "NO_NEW_PRIVS");
}

/* Perf events open with one of these capabilities effective; 0: always. */
static uint64_t perf_events_take;

static int open_event(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		      int leader)
{
	(void)perf, (void)attr, (void)tid, (void)cpu, (void)leader;
	return !perf_events_take || (look().sets.effective & perf_events_take)
		       ? open("/dev/null", O_RDONLY | O_CLOEXEC)
		       : -EACCES;
}

static const struct machine_perf perf_events = { .open = open_event };

#define PARANOID "proc/sys/kernel/perf_event_paranoid"

static void open_paranoid(struct rig *rig)
{
	rig_open(rig, "empty", NULL);
	rig->env.perf = &perf_events;
	rig_make(rig, "proc/sys/kernel");
	ck_assert_int_eq(chmod(rig->root, 0755), 0);
}

/* Kernels of Debian and Ubuntu, old and new, and Linux itself. Up to 2 nothing is tried. */
START_TEST(a_kernel_that_asks_for_more_is_known)
{
	const uint64_t by_admin = BIT(CAP_SYS_ADMIN), by_both = by_admin | BIT(CAP_PERFMON);
	const struct {
		const char *paranoid;
		uint64_t takes;
		bool takes_admin;
	} cases[] = {
		{ "-1\n", by_admin, false },
		{ "2\n", by_admin, false },
		{ "3\n", by_admin, true },
		{ "4\n", by_admin, true },
		{ "3\n", by_both, false },
		{ "4\n", by_both, false },
		{ "3\n", 0, false },
		{ "nonsense\n", by_admin, false },
	};
	struct privilege_state before = look(), after;
	struct rig rig;

	need_root(by_both);
	ck_assert_int_eq(privilege_open(kernel), 0);
	perf_events_take = by_admin;
	open_paranoid(&rig);
	ck_assert(!perf_takes_admin(&rig.env));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig.env.tick++;
		rig_put(&rig, PARANOID, "%s", cases[i].paranoid);
		perf_events_take = cases[i].takes;
		ck_assert_msg(perf_takes_admin(&rig.env) == cases[i].takes_admin, "case %zu", i);
	}
	rig_close(&rig);
	after = look();
	ck_assert_mem_eq(&after.sets, &before.sets, sizeof(before.sets));
}

/* With file capabilities each has to be raised first. */
START_TEST(a_kernel_that_asks_for_more_is_known_to_nobody)
{
	const uint64_t both = BIT(CAP_SYS_ADMIN) | BIT(CAP_PERFMON);
	struct rig rig;

	need_root(both);
	open_paranoid(&rig);
	rig_put(&rig, PARANOID, "3\n");
	become_nobody(both);
	perf_events_take = BIT(CAP_SYS_ADMIN);
	ck_assert(perf_takes_admin(&rig.env));
	perf_events_take = both;
	ck_assert(!perf_takes_admin(&rig.env));
	check_sets(both, 0);
	rig_close(&rig);
}

START_TEST(what_perf_events_take_is_kept)
{
	const struct privilege_plan plan = { .uses = PRIVILEGE_BIT(PRIVILEGE_PERF) };
	const uint64_t both = BIT(CAP_SYS_ADMIN) | BIT(CAP_PERFMON);
	const char *what;

	need_root(both);
	become_nobody(both);
	ck_assert_uint_eq(privilege_capabilities(plan.uses), BIT(CAP_PERFMON));
	privilege_perf_takes_admin();
	ck_assert_int_eq(privilege_drop(&plan, &what), 0);
	ck_assert_uint_eq(look().sets.permitted, both);
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_PERF), both);
	ck_assert_ptr_null(privilege_perf_remedy());
}

/* As --probe and notices say it. */
static const char *remedy_of_counters(int error)
{
	struct env env = { 0 };

	return source_remedy(&env, topic_source(topic_find("counter"), "perf_event_open"), error);
}

START_TEST(what_is_held_is_no_remedy)
{
	need_root(BIT(CAP_PERFMON));
	become_nobody(BIT(CAP_PERFMON));
	ck_assert_ptr_nonnull(strstr(remedy_of_counters(EACCES), "give it the capability cap_perfmon"));
	privilege_perf_takes_admin();
	ck_assert_ptr_nonnull(strstr(remedy_of_counters(EACCES), "sysctl kernel.perf_event_paranoid=2"));
	ck_assert_ptr_nonnull(strstr(remedy_of_counters(EACCES), "cap_sys_admin"));
	ck_assert_ptr_null(strstr(remedy_of_counters(EPERM), "sysctl"));
}

START_TEST(an_old_kernel_knows_no_perfmon)
{
	need_root(BIT(CAP_SYS_ADMIN));
	kernel = &old;
	become_nobody(BIT(CAP_SYS_ADMIN));
	ck_assert_uint_eq(privilege_capabilities(PRIVILEGE_BIT(PRIVILEGE_PERF)), BIT(CAP_SYS_ADMIN));
	ck_assert_uint_eq(privilege_raise(PRIVILEGE_PERF), BIT(CAP_SYS_ADMIN));
	ck_assert_ptr_null(privilege_perf_remedy());
}

START_TEST(an_old_kernel_has_its_own_remedy)
{
	need_root(BIT(CAP_SYS_ADMIN)); /* where root lacks it, there is another remedy */
	kernel = &old;
	become_nobody(0);
	ck_assert_ptr_nonnull(strstr(remedy_of_counters(EACCES), "give it the capability cap_sys_admin"));
}

static void note(void *context, int error)
{
	*(int *)context = error;
}

START_TEST(a_signal_takes_the_right)
{
	char action[64];
	struct pid_stat stat = { 0 };
	struct env env;
	int done = 1, status;
	pid_t child;

	need_root(BIT(CAP_KILL));
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	become_nobody(BIT(CAP_KILL));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	process_find(&env, (uint32_t)child, 0, &stat); /* at 0 there was none: stat is of this one */
	snprintf(action, sizeof(action), "signal %d %d %.6f", SIGKILL, (int)child,
		 process_start_seconds(&env, stat.start_ticks));
	ck_assert_int_eq(kill(child, SIGTERM), -1); /* not without */
	ck_assert_int_eq(process_act(&env, action, note, &done), 0);
	ck_assert_int_eq(done, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_uint_eq(look().sets.effective, 0);
	env_close(&env);
}

START_TEST(before_5_11_maps_of_programs_take_locked_memory)
{
	static const char *const releases[] = { "4.18.0-553.el8.x86_64", "4.9", "5.4.0", "5.10.0-9-amd64",
						"5.11.0", "5.15", "6.1.0", "10.2", "4" };

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		const struct privilege_kernel of_release = { releases[i], CAP_LAST_CAP + 1, &calls };
		uint64_t capabilities;

		ck_assert_int_eq(privilege_open(&of_release), 0);
		capabilities = privilege_capabilities(PRIVILEGE_BIT(PRIVILEGE_BPF));
		ck_assert_msg(((capabilities & BIT(CAP_SYS_RESOURCE)) != 0) == (i < 4), "%s", releases[i]);
	}
}

/* Each in two words of the kernel. */
START_TEST(sets_are_read_and_written_whole)
{
	struct privilege_sets sets;

	has_own_sets = true;
	own_sets[0] = (struct __user_cap_data_struct){ .permitted = 7, .effective = 3, .inheritable = 1 };
	own_sets[1] = (struct __user_cap_data_struct){ .permitted = 96, .effective = 64, .inheritable = 32 };
	ck_assert_int_eq(privilege_open(&scripted), 0);
	ck_assert_int_eq(privilege_read_sets(&sets), 0);
	ck_assert_uint_eq(sets.permitted, UINT64_C(96) << 32 | 7);
	ck_assert_uint_eq(sets.effective, UINT64_C(64) << 32 | 3);
	ck_assert_uint_eq(sets.inheritable, UINT64_C(32) << 32 | 1);
	ck_assert_int_eq(privilege_write_sets(&sets), 0);
	ck_assert_mem_eq(written_sets, own_sets, sizeof(own_sets));
}
