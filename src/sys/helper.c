/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A spawner forks helpers; panetop sends them addresses of batches of jobs, and they answer at the end of
 * each. Batches and jobs lie in memory that was mapped before the first fork, so that it has the same
 * addresses everywhere. What a helper has not begun when a job holds it up, panetop takes back.
 */
#include <config.h>

#include "sys/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/machine.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define SHARED_BYTES ((size_t)64 << 20) /* of addresses; memory is what is in use */
#define HELPERS_MAX 32                  /* of a team */
#define IDLE_MAX 2                      /* of them, between jobs */
#define CHILDREN_MAX 256                /* of the spawner */
#define BATCH_MAX 16                    /* jobs */
#define HELD_UP_NS UINT64_C(5000000)    /* a helper that runs a job for so long may be blocked */
#define RUNS_NS UINT64_C(1000000000)    /* … unless it runs */
#define LATE_NS UINT64_C(100000000)     /* another team asks for nothing of the same thing */
#define STUCK_NS UINT64_C(5000000000)
#define STOP_NS 100000000
#define STOP_TRIES 500
#define END_TRIES 10
#define END_MS 5
#define OPENERS_MAX 8                   /* for each thread */
#define OPEN_NS UINT64_C(500000000)     /* samples of code wait for it */
#define COPY_BYTES_MAX ((off_t)512 << 20)
#define COPY_PART ((size_t)64 << 10)
#define SMALLEST 6 /* blocks are powers of two from 64 bytes */
#define N_SIZES 26

/* Magic numbers that linux/magic.h does not have. */
#define VBOX_SUPER_MAGIC 0x786f4256
#define LUSTRE_SUPER_MAGIC 0x0bd00bd0

struct jobs {
	struct helper_job *first, **last;
};

/* Who changes next has jobs from there on: the helper one more, or panetop all that are left. */
struct batch {
	_Atomic unsigned next;
	_Atomic pid_t helper; /* who runs it */
	unsigned count;
	struct helper_job *jobs[BATCH_MAX]; /* NULL: panetop has it again */
};

/* After a job with a descriptor, and at the end of a batch. */
struct answer {
	unsigned job; /* whose descriptor it is */
	bool is_last;
};

struct helper {
	int socket;
	struct batch *batch;
	bool is_busy;
};

struct helper_team {
	uint64_t uses;
	struct helper list[HELPERS_MAX];
	unsigned count, most;
	struct jobs waiting, finished;
	int epoll;
};

/* lock protects all but bytes, spawner and pid, which change before there is a second thread. */
static struct {
	pthread_mutex_t lock;
	char *bytes; /* NULL: not mapped */
	size_t used;
	void *unused[N_SIZES]; /* the first bytes of each lead to the next */
	int spawner;           /* socket; -1: there is none */
	pid_t pid;
	bool has_spawned;
	struct helper *running; /* of all teams, also closed ones */
	size_t n_running, capacity;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .spawner = -1 };

static bool is_helper;
static struct root root_of_helper = { .fd = AT_FDCWD };

const struct root *helper_root(const struct root *own)
{
	return is_helper ? &root_of_helper : own;
}

static bool is_shared(const void *memory)
{
	const char *at = memory;

	return shared.bytes && at >= shared.bytes && at < shared.bytes + SHARED_BYTES;
}

/* A block has its size in front of it. */
static char *take_block(unsigned class)
{
	size_t bytes = (size_t)1 << (class + SMALLEST);
	char *block = NULL;

	pthread_mutex_lock(&shared.lock);
	if (class < N_SIZES && shared.unused[class]) {
		block = shared.unused[class];
		shared.unused[class] = *(void **)(void *)block;
	} else if (shared.bytes && class < N_SIZES && bytes <= SHARED_BYTES - shared.used) {
		block = shared.bytes + shared.used;
		shared.used += bytes;
	}
	pthread_mutex_unlock(&shared.lock);
	return block;
}

void *helper_alloc(size_t size)
{
	unsigned class = 0;
	char *block;

	while (size + sizeof(max_align_t) > (size_t)1 << (class + SMALLEST))
		class ++;
	block = take_block(class);
	if (!block)
		return alloc_zeroed(1, size);
	*(unsigned *)(void *)block = class;
	return memset(block + sizeof(max_align_t), 0, size);
}

char *helper_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(helper_alloc(size), text, size);
}

void helper_free(void *memory)
{
	unsigned class;
	char *block;

	if (!is_shared(memory)) {
		free(memory);
		return;
	}
	block = (char *)memory - sizeof(max_align_t);
	class = *(unsigned *)(void *)block;
	pthread_mutex_lock(&shared.lock);
	*(void **)(void *)block = shared.unused[class];
	shared.unused[class] = block;
	pthread_mutex_unlock(&shared.lock);
}

static bool run_batch(int socket, struct batch *batch)
{
	unsigned count = batch->count, at = atomic_fetch_add(&batch->next, 1), next;
	struct answer answer = { .is_last = at >= count };
	bool is_open = !answer.is_last || descriptor_message_send(socket, &answer, sizeof(answer), -1) == 0;

	atomic_store(&batch->helper, getpid());
	for (; is_open && at < count; at = next) {
		struct helper_job *job = batch->jobs[at];
		int fd;

		job->fd = -1;
		atomic_store(&job->since_ns, real_mono_ns());
		job->run(job);
		fd = job->fd; /* the job is panetop's next */
		atomic_store(&job->has_run, true);
		next = atomic_fetch_add(&batch->next, 1);
		answer = (struct answer){ .job = at, .is_last = next >= count };
		if (fd >= 0 || answer.is_last)
			is_open = descriptor_message_send(socket, &answer, sizeof(answer), fd) == 0;
		descriptor_close(fd);
	}
	return is_open;
}

/* A helper ends when panetop has closed the other end. */
static _Noreturn void serve(int socket, uint64_t uses)
{
	struct batch *batch;
	int none;

	privilege_limit(uses);
	prctl(PR_SET_NAME, "panetop-helper");
	while (descriptor_message_receive(socket, &batch, sizeof(batch), 0, &none) == sizeof(batch) &&
	       run_batch(socket, batch))
		;
	_exit(0);
}

static unsigned reap(pid_t *children, unsigned count)
{
	for (unsigned i = 0; i < count;) {
		if (waitpid(children[i], NULL, WNOHANG) == 0)
			i++;
		else
			children[i] = children[--count];
	}
	return count;
}

/* A child that the kernel holds ends when the kernel lets it go. */
static _Noreturn void end_all(pid_t *children, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		kill(children[i], SIGKILL);
	for (int tries = 0; (count = reap(children, count)) > 0 && tries < END_TRIES; tries++)
		poll(NULL, 0, END_MS);
	_exit(0);
}

static void note_child(int signal)
{
	(void)signal;
}

static _Noreturn void spawn_until_the_end(int socket)
{
	struct pollfd polled = { .fd = socket, .events = POLLIN };
	pid_t children[CHILDREN_MAX], child;
	unsigned count = 0;
	uint64_t uses;
	sigset_t none;
	int fd;

	sigemptyset(&none);
	for (;;) {
		count = reap(children, count);
		if (ppoll(&polled, 1, NULL, &none) <= 0)
			continue;
		if (descriptor_message_receive(socket, &uses, sizeof(uses), 0, &fd) != sizeof(uses))
			end_all(children, count);
		if (fd < 0)
			continue;
		child = count < CHILDREN_MAX ? fork() : -1;
		if (child == 0) {
			close(socket);
			serve(fd, uses);
		}
		if (child > 0)
			children[count++] = child;
		close(fd);
	}
}

static void reset_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, noted = { .sa_handler = note_child };
	sigset_t blocked;

	for (int signal = 1; signal < SIGRTMIN; signal++)
		sigaction(signal, &usual, NULL);
	sigaction(SIGCHLD, &noted, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Nothing of the terminal, of the caller's pipes and of the directory it was started in is kept. */
static _Noreturn void become_spawner(int socket, const char *root)
{
	is_helper = true;
	setsid();
	reset_signals();
	if (socket > 0)
		descriptors_close(0, socket - 1);
	descriptors_close(socket + 1, INT_MAX);
	if (open("/dev/null", O_RDWR) == 0 && dup(0) == 1)
		dup(0); /* for libraries that write messages */
	if (root_open(&root_of_helper, root) < 0 || fchdir(root_of_helper.fd) < 0)
		_exit(1);
	close(root_of_helper.fd);
	root_of_helper.fd = AT_FDCWD;
	prctl(PR_SET_NAME, "panetop-helper");
	spawn_until_the_end(socket);
}

int helper_start(const char *root)
{
	int ends[2];
	void *bytes;
	pid_t pid;

	if (shared.spawner >= 0)
		return 0;
	if (!shared.bytes) {
		bytes = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (bytes == MAP_FAILED)
			return -errno;
		madvise(bytes, SHARED_BYTES, MADV_DONTDUMP);
		shared.bytes = bytes;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_spawner(ends[1], root);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -errno;
	}
	shared.spawner = ends[0];
	shared.pid = pid;
	shared.has_spawned = false;
	return 0;
}

void helper_stop(void)
{
	const struct timespec pause = { .tv_nsec = STOP_NS / STOP_TRIES };

	if (shared.spawner < 0)
		return;
	if (!shared.has_spawned)
		kill(shared.pid, SIGKILL); /* it may not have begun yet */
	close(shared.spawner);
	shared.spawner = -1;
	for (int tries = 0; tries < STOP_TRIES && waitpid(shared.pid, NULL, WNOHANG) == 0; tries++)
		nanosleep(&pause, NULL);
}

static void jobs_clear(struct jobs *jobs)
{
	jobs->first = NULL;
	jobs->last = &jobs->first;
}

static void jobs_add(struct jobs *jobs, struct helper_job *job)
{
	job->next = NULL;
	*jobs->last = job;
	jobs->last = &job->next;
}

static struct helper_job *jobs_take(struct jobs *jobs)
{
	struct helper_job *job = jobs->first;

	if (job) {
		jobs->first = job->next;
		if (!jobs->first)
			jobs->last = &jobs->first;
	}
	return job;
}

struct helper_team *helper_team_open(uint64_t uses, unsigned most)
{
	struct helper_team *team = alloc_zeroed(1, sizeof(*team));

	team->uses = uses;
	team->most = most < HELPERS_MAX ? most : HELPERS_MAX;
	jobs_clear(&team->waiting);
	jobs_clear(&team->finished);
	team->epoll = shared.spawner >= 0 ? epoll_create1(EPOLL_CLOEXEC) : -1;
	return team;
}

/* The one that its helper runs now; NULL: none. Under lock. */
static const struct helper_job *job_of(const struct batch *batch)
{
	for (unsigned i = 0; i < batch->count; i++)
		if (batch->jobs[i] && !atomic_load(&batch->jobs[i]->has_run))
			return batch->jobs[i];
	return NULL;
}

/* A job of a team that was closed may have ended, and its memory stays with it. Under lock. */
static void forget_ended(void)
{
	for (size_t i = 0; i < shared.n_running; i++) {
		struct helper *helper = &shared.running[i];
		struct answer answer;
		int fd = -1;

		if (helper->socket < 0 || descriptor_message_receive(helper->socket, &answer, sizeof(answer),
								     MSG_DONTWAIT, &fd) == -EAGAIN)
			continue;
		descriptor_close(fd);
		close(helper->socket);
		shared.running[i--] = shared.running[--shared.n_running];
	}
}

static bool is_waited_for(uint64_t thing)
{
	uint64_t now_ns = real_mono_ns();
	bool found = false;

	if (thing == 0)
		return false;
	pthread_mutex_lock(&shared.lock);
	forget_ended();
	for (size_t i = 0; i < shared.n_running; i++) {
		const struct helper_job *job = job_of(shared.running[i].batch);

		found |= job && job->thing == thing && now_ns >= atomic_load(&job->since_ns) + LATE_NS;
	}
	pthread_mutex_unlock(&shared.lock);
	return found;
}

unsigned helper_count_stuck(const char **name)
{
	uint64_t now_ns = real_mono_ns();
	unsigned count = 0;

	*name = NULL;
	pthread_mutex_lock(&shared.lock);
	forget_ended();
	for (size_t i = 0; i < shared.n_running; i++) {
		const struct helper_job *job = job_of(shared.running[i].batch);

		if (!job || now_ns < atomic_load(&job->since_ns) + STUCK_NS)
			continue;
		count++;
		if (job->name)
			*name = job->name;
	}
	pthread_mutex_unlock(&shared.lock);
	return count;
}

/* As many jobs as have room. False: it has ended. */
static bool give(struct helper *helper, struct jobs *jobs)
{
	struct batch *batch = helper->batch;
	uint64_t now_ns = real_mono_ns();
	struct helper_job *job;

	for (batch->count = 0; batch->count < BATCH_MAX && (job = jobs_take(jobs)); batch->count++) {
		atomic_store(&job->since_ns, now_ns);
		atomic_store(&job->has_run, false);
		batch->jobs[batch->count] = job;
	}
	atomic_store(&batch->next, 0);
	helper->is_busy = true;
	pthread_mutex_lock(&shared.lock);
	*VECTOR_ADD(shared.running, shared.n_running, shared.capacity) =
		(struct helper){ .socket = -1, .batch = batch };
	pthread_mutex_unlock(&shared.lock);
	return descriptor_message_send(helper->socket, &batch, sizeof(batch), -1) == 0;
}

static struct helper *spawn(struct helper_team *team)
{
	struct helper *helper = &team->list[team->count];
	struct epoll_event event = { .events = EPOLLIN };
	struct batch *batch;
	int ends[2], error;

	if (team->count == team->most || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return NULL;
	batch = helper_alloc(sizeof(*batch));
	pthread_mutex_lock(&shared.lock);
	error = descriptor_message_send(shared.spawner, &team->uses, sizeof(team->uses), ends[1]);
	shared.has_spawned = true;
	pthread_mutex_unlock(&shared.lock);
	close(ends[1]);
	event.data.fd = ends[0];
	if (error || !is_shared(batch) || epoll_ctl(team->epoll, EPOLL_CTL_ADD, ends[0], &event) < 0) {
		close(ends[0]);
		helper_free(batch);
		return NULL;
	}
	*helper = (struct helper){ .socket = ends[0], .batch = batch };
	team->count++;
	return helper;
}

/* Under lock. */
static void take_result(struct helper_team *team, struct batch *batch, unsigned index, int fd, bool dropped)
{
	struct helper_job *job = batch->jobs[index];

	batch->jobs[index] = NULL;
	job->fd = fd;
	job->dropped = dropped;
	jobs_add(&team->finished, job);
}

/* Of the jobs that have run; at the end also the one that its helper ended in. Under lock. */
static void take_results(struct helper_team *team, struct batch *batch, bool is_over)
{
	for (unsigned i = 0; i < batch->count; i++) {
		const struct helper_job *job = batch->jobs[i];
		bool is_complete = job && atomic_load(&job->has_run) && job->fd < 0; /* no answer has more */

		if (is_complete || (job && is_over))
			take_result(team, batch, i, -1, !is_complete);
	}
}

/* What it has not begun. */
static void take_back(struct helper_team *team, struct helper *helper)
{
	struct batch *batch = helper->batch;
	unsigned first = atomic_exchange(&batch->next, BATCH_MAX);

	pthread_mutex_lock(&shared.lock);
	for (unsigned i = first; i < batch->count; i++) {
		jobs_add(&team->waiting, batch->jobs[i]);
		batch->jobs[i] = NULL;
	}
	take_results(team, batch, false);
	pthread_mutex_unlock(&shared.lock);
}

static void end_batch(struct helper_team *team, struct helper *helper)
{
	pthread_mutex_lock(&shared.lock);
	for (size_t i = 0; i < shared.n_running; i++)
		if (shared.running[i].batch == helper->batch)
			shared.running[i--] = shared.running[--shared.n_running];
	take_results(team, helper->batch, true);
	pthread_mutex_unlock(&shared.lock);
	helper->is_busy = false;
}

static void end_helper(struct helper_team *team, struct helper *helper)
{
	if (helper->is_busy) {
		if (atomic_load(&helper->batch->next) > 0) /* else all are dropped */
			take_back(team, helper);
		end_batch(team, helper);
	}
	helper_free(helper->batch);
	close(helper->socket);
	*helper = team->list[--team->count];
}

/*
 * Has its job taken so long that the rest should not wait for it? Where it runs, another one would be no
 * faster.
 */
static bool is_held_up(const struct helper *helper, uint64_t now_ns)
{
	pid_t pid = atomic_load(&helper->batch->helper); /* 0: it has not begun */
	const struct helper_job *job;
	uint64_t ns = 0;

	pthread_mutex_lock(&shared.lock);
	job = job_of(helper->batch);
	if (job && now_ns > atomic_load(&job->since_ns))
		ns = now_ns - atomic_load(&job->since_ns);
	pthread_mutex_unlock(&shared.lock);
	return ns >= RUNS_NS || (ns >= HELD_UP_NS && pid != 0 && !child_runs(pid));
}

/* Where all that run a job seem to be blocked, one that is idle, or another one. NULL: wait. */
static struct helper *free_helper(struct helper_team *team)
{
	struct helper *idle = NULL;
	uint64_t now_ns = real_mono_ns();

	for (unsigned i = 0; i < team->count; i++)
		if (!team->list[i].is_busy)
			idle = &team->list[i];
		else if (!is_held_up(&team->list[i], now_ns))
			return NULL;
	return idle ? idle : spawn(team);
}

static void dispatch(struct helper_team *team)
{
	uint64_t now_ns = real_mono_ns();
	struct helper *helper;

	for (unsigned i = 0; i < team->count; i++)
		if (team->list[i].is_busy && is_held_up(&team->list[i], now_ns))
			take_back(team, &team->list[i]);
	while (team->waiting.first && (helper = free_helper(team)))
		if (!give(helper, &team->waiting))
			end_helper(team, helper); /* it was killed */
}

bool helper_submit(struct helper_team *team, struct helper_job *job)
{
	job->dropped = false;
	if (team->epoll < 0 || !is_shared(job)) {
		job->fd = -1;
		job->run(job);
		job->done(job);
		return true;
	}
	if (is_waited_for(job->thing))
		return false;
	jobs_add(&team->waiting, job);
	dispatch(team);
	return true;
}

/* Takes the answers of a helper. False when it has ended. */
static bool receive(struct helper_team *team, struct helper *helper)
{
	struct answer answer;
	ssize_t length;
	int fd;

	while ((length = descriptor_message_receive(helper->socket, &answer, sizeof(answer), MSG_DONTWAIT,
						    &fd)) == sizeof(answer)) {
		if (fd >= 0) {
			pthread_mutex_lock(&shared.lock);
			take_result(team, helper->batch, answer.job, fd, false);
			pthread_mutex_unlock(&shared.lock);
		}
		if (answer.is_last) {
			end_batch(team, helper);
			return true;
		}
	}
	return length == -EAGAIN;
}

/* Waits until a helper answers. */
static void receive_all(struct helper_team *team, int wait_ms)
{
	struct epoll_event events[HELPERS_MAX];
	int n = epoll_wait(team->epoll, events, HELPERS_MAX, wait_ms);
	unsigned n_idle = 0;

	for (int i = 0; i < n; i++) {
		unsigned k = 0;

		while (k < team->count && team->list[k].socket != events[i].data.fd)
			k++;
		if (k < team->count && !receive(team, &team->list[k]))
			end_helper(team, &team->list[k]);
	}
	for (unsigned i = team->count; i-- > 0 && !team->waiting.first;)
		if (!team->list[i].is_busy && ++n_idle > IDLE_MAX)
			end_helper(team, &team->list[i]);
}

/* Hands on what waits. */
static void collect(struct helper_team *team, int wait_ms)
{
	struct helper_job *job;

	receive_all(team, wait_ms);
	dispatch(team);
	while ((job = jobs_take(&team->finished)))
		job->done(job);
}

void helper_collect(struct helper_team *team)
{
	if (team->epoll >= 0)
		collect(team, 0);
}

/* Does a job wait behind another one, or its result before one that hangs? */
static bool has_more(const struct helper_team *team)
{
	bool has = team->waiting.first;

	for (unsigned i = 0; i < team->count; i++) {
		const struct batch *batch = team->list[i].batch;
		unsigned left = 0;

		for (unsigned k = 0; k < batch->count; k++)
			left += batch->jobs[k] != NULL;
		has |= team->list[i].is_busy && left > 1;
	}
	return has;
}

void helper_wait(struct helper_team *team, uint64_t until_ns)
{
	uint64_t now_ns = real_mono_ns(), look_ns = has_more(team) ? now_ns + HELD_UP_NS : UINT64_MAX;

	if (look_ns > until_ns)
		look_ns = until_ns;
	if (team->finished.first)
		look_ns = now_ns;
	if (team->epoll >= 0)
		collect(team, look_ns > now_ns ? (int)((look_ns - now_ns + 999999) / 1000000) : 0);
}

void helper_team_close(struct helper_team *team)
{
	struct helper_job *job;

	if (!team)
		return;
	if (team->epoll >= 0)
		receive_all(team, 0);
	for (unsigned i = team->count; i-- > 0;)
		if (team->list[i].is_busy)
			take_back(team, &team->list[i]);
		else
			end_helper(team, &team->list[i]);
	/* What is still running keeps its socket: its end is noted there. */
	pthread_mutex_lock(&shared.lock);
	for (unsigned i = 0; i < team->count; i++)
		for (size_t k = 0; k < shared.n_running; k++)
			if (shared.running[k].batch == team->list[i].batch)
				shared.running[k].socket = team->list[i].socket;
	pthread_mutex_unlock(&shared.lock);
	while ((job = jobs_take(team->finished.first ? &team->finished : &team->waiting))) {
		job->dropped = true;
		job->done(job);
	}
	descriptor_close(team->epoll);
	free(team);
}

static pthread_key_t team_key;
static pthread_once_t team_once = PTHREAD_ONCE_INIT;

static void close_team(void *team)
{
	helper_team_close(team);
}

static void make_key(void)
{
	pthread_key_create(&team_key, close_team);
}

/* Of this thread. */
static struct helper_team *own_team(void)
{
	const uint64_t uses = PRIVILEGE_BIT(PRIVILEGE_MAPS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN);
	struct helper_team *team;

	pthread_once(&team_once, make_key);
	team = pthread_getspecific(team_key);
	if (!team) {
		team = helper_team_open(uses, OPENERS_MAX);
		pthread_setspecific(team_key, team);
	}
	return team;
}

static void note_opened(struct helper_job *job)
{
	job->ended = true;
	if (!job->left)
		return;
	descriptor_close(job->fd);
	helper_free(job);
}

int helper_open(struct helper_job *job)
{
	struct helper_team *team = own_team();
	uint64_t until_ns = real_mono_ns() + OPEN_NS;
	int fd = -EBUSY;

	helper_collect(team); /* what was late */
	job->done = note_opened;
	if (helper_submit(team, job)) {
		while (!job->ended && real_mono_ns() < until_ns)
			helper_wait(team, until_ns);
		fd = !job->ended ? -ETIMEDOUT : job->dropped ? -EIO : job->error ? job->error : job->fd;
	}
	job->left = fd == -ETIMEDOUT && !job->ended;
	if (!job->left)
		helper_free(job);
	return fd;
}

bool helper_is_served(int fd)
{
	static const uint32_t servers[] = {
		FUSE_SUPER_MAGIC, NFS_SUPER_MAGIC,  CIFS_SUPER_MAGIC,  SMB2_SUPER_MAGIC, SMB_SUPER_MAGIC,
		V9FS_MAGIC,       CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC,   AFS_FS_MAGIC,     CODA_SUPER_MAGIC,
		VBOX_SUPER_MAGIC, LUSTRE_SUPER_MAGIC,
	};
	struct statfs found;

	if (fstatfs(fd, &found) < 0)
		return true;
	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
		if ((uint32_t)found.f_type == servers[i])
			return true;
	return false;
}

int helper_copy(int fd)
{
	int copy = memfd_create("panetop-copy", MFD_CLOEXEC), error = copy < 0 ? -errno : 0;
	char bytes[COPY_PART];
	off_t at = 0;
	ssize_t length = 1;

	for (; !error && length > 0 && at < COPY_BYTES_MAX; at += length) {
		length = pread(fd, bytes, sizeof(bytes), at);
		if (length < 0 || (length > 0 && write(copy, bytes, (size_t)length) != length))
			error = -EIO;
	}
	close(fd);
	if (!error && lseek(copy, 0, SEEK_SET) == 0)
		return copy;
	descriptor_close(copy);
	return error;
}

int descriptor_message_send(int socket, const void *bytes, size_t length, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = length };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *header;

		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t descriptor_message_receive(int socket, void *bytes, size_t room, int flags, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { .iov_base = bytes, .iov_len = room };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	const struct cmsghdr *header;
	ssize_t length;

	*fd = -1;
	do {
		length = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return length;
}
