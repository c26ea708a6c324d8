/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts counts by their words, so that those of a process and call are neighbours, and sums them. Where the
 * kernel does not count, a thread reads /proc/PID/task/TID/syscall again and again; the files stay open.
 */
#include <config.h>

#include "topic/call/call_counts.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/error_name.h"
#include "core/histogram.h"
#include "core/vector.h"
#include "kernel/pid/pid_syscall.h"
#include "sys/bpf/program.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define ERRORS_MAX 6 /* that are named */
#define BUCKETS_MASK ((UINT64_C(1) << BPF_CALL_ERROR_SHIFT) - 1)
#define NUMBER_MASK 0xffffU
#define N_BUCKETS ((HISTOGRAM_BUCKETS >> BPF_CALL_BUCKET_SHIFT) + 2) /* the first one: not timed */

#if defined(__x86_64__)
#define FOREIGN_PREFIX "i386:"
#elif defined(__aarch64__)
#define FOREIGN_PREFIX "arm:"
#elif defined(__i386__)
#define FOREIGN_PREFIX "x86-64:"
#elif defined(__arm__)
#define FOREIGN_PREFIX "arm64:"
#else
#define FOREIGN_PREFIX "compat:"
#endif

/* From linux/errno.h of the kernel: programs see EINTR, or the call again. */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

static uint32_t error_of(const struct call_count *count)
{
	return count->word >> BPF_CALL_ERROR_SHIFT & BPF_CALL_ERROR_MAX;
}

static int by_word(const void *a, const void *b)
{
	uint64_t one = ((const struct call_count *)a)->word, other = ((const struct call_count *)b)->word;

	return (one > other) - (one < other);
}

size_t call_counts_sort(struct call_count *counts, size_t n)
{
	size_t n_sums = 0;

	if (n == 0)
		return 0;
	qsort(counts, n, sizeof(*counts), by_word);
	for (size_t i = 1; i < n; i++) {
		struct call_count *sum = &counts[n_sums];

		if (counts[i].word != sum->word) {
			counts[++n_sums] = counts[i];
			continue;
		}
		sum->count += counts[i].count;
		sum->sum_ns += counts[i].sum_ns;
		sum->more += counts[i].more;
		sum->in_burst += counts[i].in_burst;
		sum->most_ns = counts[i].most_ns > sum->most_ns ? counts[i].most_ns : sum->most_ns;
	}
	return n_sums + 1;
}

const struct call_count *call_counts_find(const struct call_count *counts, size_t n, uint64_t word)
{
	const struct call_count wanted = { .word = word };

	return n > 0 ? bsearch(&wanted, counts, n, sizeof(*counts), by_word) : NULL;
}

bool call_counts_next(const struct call_count *counts, size_t n, size_t *at, struct call_sum *sum)
{
	double more = 0, more_errors = 0;
	uint64_t of;

	if (*at >= n)
		return false;
	counts += *at;
	of = counts->word >> BPF_CALL_NUMBER_SHIFT;
	*sum = (struct call_sum){ .pid = (uint32_t)(counts->word >> BPF_CALL_PROCESS_SHIFT),
				  .number = of & NUMBER_MASK,
				  .counts = counts };
	for (; *at < n && counts[sum->n].word >> BPF_CALL_NUMBER_SHIFT == of; (*at)++) {
		const struct call_count *count = &counts[sum->n++];

		sum->calls += count->count;
		sum->errors += error_of(count) ? count->count : 0;
		more += count->more;
		more_errors += error_of(count) ? count->more : 0;
		sum->in_burst += count->in_burst;
		sum->timed += (count->word & BUCKETS_MASK) ? count->count : 0;
		sum->sum_ns += count->sum_ns;
		sum->most_ns = count->most_ns > sum->most_ns ? count->most_ns : sum->most_ns;
	}
	sum->calls += (uint64_t)more;
	sum->errors += (uint64_t)more_errors;
	return true;
}

double call_sum_percentile(const struct call_sum *sum, double percent)
{
	uint64_t buckets[N_BUCKETS] = { 0 }, count = 0;
	unsigned bucket, last;
	double end_ns;

	if (sum->timed == 0)
		return NAN;
	for (size_t i = 0; i < sum->n; i++)
		buckets[(sum->counts[i].word & BUCKETS_MASK) % N_BUCKETS] += sum->counts[i].count;
	for (bucket = 1; bucket < N_BUCKETS - 1; bucket++) {
		count += buckets[bucket];
		if ((double)count >= (double)sum->timed * percent / 100)
			break;
	}
	last = (bucket << BPF_CALL_BUCKET_SHIFT) - 1;
	end_ns = last < HISTOGRAM_BUCKETS - 1 ? (double)histogram_to_ns(0, last) : (double)sum->most_ns;
	return fmin(end_ns, (double)sum->most_ns) / 1e9;
}

struct error_count {
	uint32_t error;
	uint64_t count;
};

/* The most are kept, the greatest first. */
static size_t count_errors(const struct call_sum *sum, struct error_count errors[ERRORS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sum->n;) {
		struct error_count found = { .error = error_of(&sum->counts[i]) };
		size_t at;

		for (; i < sum->n && error_of(&sum->counts[i]) == found.error; i++)
			found.count += sum->counts[i].count + (uint64_t)sum->counts[i].more;
		if (found.error == 0)
			continue;
		for (at = n; at > 0 && errors[at - 1].count < found.count; at--)
			if (at < ERRORS_MAX)
				errors[at] = errors[at - 1];
		if (at >= ERRORS_MAX)
			continue;
		errors[at] = found;
		n += n < ERRORS_MAX;
	}
	return n;
}

void call_sum_errors(const struct call_sum *sum, char *text, size_t room)
{
	struct error_count errors[ERRORS_MAX];
	size_t n = count_errors(sum, errors), length = 0;

	*text = '\0';
	for (size_t i = 0; i < n && length < room; i++) {
		bool is_restart = errors[i].error >= RESTART_FIRST && errors[i].error <= RESTART_LAST;
		char name[ERROR_NAME_BYTES];

		error_name((int)errors[i].error, name);
		length += (size_t)snprintf(text + length, room - length, "%s%s %llu", i ? ", " : "",
					   is_restart ? "interrupted" : name,
					   (unsigned long long)errors[i].count);
	}
}

void call_name(uint32_t number, char name[CALL_NAME_BYTES])
{
	const struct pid_syscall call = { .number = number };
	uint32_t bare = number & ~BPF_CALL_FOREIGN;
	const char *known = bare == BPF_CALL_NONE       ? "(sigreturn)"
			    : bare == BPF_CALL_ODD      ? "(invalid)"
			    : number & BPF_CALL_FOREIGN ? NULL
							: pid_syscall_name(&call);

	if (known)
		snprintf(name, CALL_NAME_BYTES, "%s", known);
	else
		snprintf(name, CALL_NAME_BYTES, "%s%u", number & BPF_CALL_FOREIGN ? FOREIGN_PREFIX : "",
			 bare);
}

#define LOOK_NS UINT64_C(20000000)
#define THREADS_MAX 256
#define COUNTS_MAX 4096
#define TEXT_BYTES 256

struct looked_at {
	uint32_t pid, tid;
	uint64_t start_ticks; /* of the process */
	int file;
	bool seen; /* in this tick */
};

struct call_looks {
	struct env *env;
	struct machine_thread *looker;
	_Atomic uint32_t looker_tid; /* which is always in the call that looks */
	pthread_mutex_t lock;        /* of all that follows */
	struct looked_at *threads;
	size_t n_threads, thread_capacity;
	struct call_count *counts;
	size_t n_counts, count_capacity;
	struct hash by_word; /* of counts */
	uint64_t looked_ns;
};

static void add(struct call_looks *looks, uint64_t word, uint64_t ns)
{
	uint32_t at;

	HASH_FIND(at, &looks->by_word, hash_u64(word), looks->counts[at].word == word);
	if (at == HASH_NONE) {
		if (looks->n_counts >= COUNTS_MAX)
			return;
		at = (uint32_t)looks->n_counts;
		*VECTOR_ADD(looks->counts, looks->n_counts, looks->count_capacity) =
			(struct call_count){ .word = word };
		hash_add(&looks->by_word, hash_u64(word), at);
	}
	looks->counts[at].count++;
	looks->counts[at].sum_ns += ns;
}

static void look_at(struct call_looks *looks, const struct looked_at *thread, uint64_t ns)
{
	uint64_t raised = privilege_raise_for(PRIVILEGE_DETAILS, thread->pid), number;
	char bytes[TEXT_BYTES];
	ssize_t length = pread(thread->file, bytes, sizeof(bytes), 0);
	struct pid_syscall call;

	privilege_lower(raised);
	if (length <= 0 || !pid_syscall_parse(span_of(bytes, (size_t)length), &call) || call.running ||
	    call.none)
		return;
	number = call.number < BPF_CALL_ODD ? call.number : BPF_CALL_ODD;
	number |= call.foreign ? BPF_CALL_FOREIGN : 0;
	add(looks, (uint64_t)thread->pid << BPF_CALL_PROCESS_SHIFT | number << BPF_CALL_NUMBER_SHIFT, ns);
}

static uint64_t look_at_all(void *context)
{
	struct call_looks *looks = context;
	uint64_t now_ns, raised;

	if (atomic_load(&looks->looker_tid) == 0)
		atomic_store(&looks->looker_tid, (uint32_t)syscall(SYS_gettid));
	pthread_mutex_lock(&looks->lock);
	raised = privilege_raise(PRIVILEGE_DETAILS);
	now_ns = env_mono_ns(looks->env);
	for (size_t i = 0; i < looks->n_threads && looks->looked_ns > 0; i++)
		look_at(looks, &looks->threads[i], now_ns - looks->looked_ns);
	looks->looked_ns = now_ns;
	privilege_lower(raised);
	pthread_mutex_unlock(&looks->lock);
	return LOOK_NS;
}

static bool is_followed(struct call_looks *looks, const struct process *process, uint32_t tid)
{
	for (size_t i = 0; i < looks->n_threads; i++) {
		struct looked_at *thread = &looks->threads[i];

		if (thread->tid != tid || thread->pid != process->pid ||
		    thread->start_ticks != process->start_ticks)
			continue;
		thread->seen = true;
		return true;
	}
	return false;
}

/* Whether it may be read the first read says, not the opening. False: there is no room for it. */
static bool follow(struct call_looks *looks, const struct process *process, uint32_t tid)
{
	char path[48], bytes[TEXT_BYTES];
	bool may_be_read;
	uint64_t raised;
	int file;

	if (is_followed(looks, process, tid))
		return true;
	snprintf(path, sizeof(path), "task/%u/syscall", tid);
	file = pids_open(looks->env, process->pid, path, O_RDONLY);
	if (file < 0)
		return true;
	raised = privilege_raise_for(PRIVILEGE_DETAILS, process->pid);
	may_be_read = pread(file, bytes, sizeof(bytes), 0) > 0;
	privilege_lower(raised);
	if (may_be_read && looks->n_threads < THREADS_MAX) {
		*VECTOR_ADD(looks->threads, looks->n_threads, looks->thread_capacity) =
			(struct looked_at){ process->pid, tid, process->start_ticks, file, true };
		return true;
	}
	close(file);
	return !may_be_read;
}

static size_t follow_process(struct call_looks *looks, const struct process *process)
{
	const uint32_t *tids;
	size_t n_tids, n_left_out = 0;

	if (pids_threads(looks->env, process->pid, &tids, &n_tids) < 0)
		return 0;
	for (size_t i = 0; i < n_tids; i++)
		if (tids[i] != atomic_load(&looks->looker_tid))
			n_left_out += !follow(looks, process, tids[i]);
	return n_left_out;
}

static void drop_unseen(struct call_looks *looks)
{
	for (size_t i = looks->n_threads; i > 0; i--) {
		struct looked_at *thread = &looks->threads[i - 1];

		if (thread->seen)
			continue;
		close(thread->file);
		*thread = looks->threads[--looks->n_threads];
	}
}

static void forget_ended(struct call_looks *looks, const struct process_list *processes)
{
	size_t n_before = looks->n_counts;

	looks->n_counts = 0;
	hash_clear(&looks->by_word);
	for (size_t i = 0; i < n_before; i++) {
		struct call_count count = looks->counts[i];
		uint32_t pid = (uint32_t)(count.word >> BPF_CALL_PROCESS_SHIFT);

		if (!process_list_find(processes, pid) || process_list_find_exited(processes, pid))
			continue;
		looks->counts[looks->n_counts] = count;
		hash_add(&looks->by_word, hash_u64(count.word), (uint32_t)looks->n_counts++);
	}
}

size_t call_looks_follow(struct call_looks *looks, const struct process_list *processes, uint32_t process)
{
	size_t n_left_out = 0;
	uint64_t raised;

	if (!patience_lock(&looks->lock))
		return 0;
	raised = privilege_raise(PRIVILEGE_DETAILS);
	for (size_t i = 0; i < looks->n_threads; i++)
		looks->threads[i].seen = false;
	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *one = processes->all[i];

		if (!process_is_kernel_thread(one) && (process ? one->pid == process : !one->outside))
			n_left_out += follow_process(looks, one); /* threads of the kernel make no calls */
	}
	drop_unseen(looks);
	if (processes->n_exited > 0)
		forget_ended(looks, processes);
	privilege_lower(raised);
	pthread_mutex_unlock(&looks->lock);
	return n_left_out;
}

size_t call_looks_counts(struct call_looks *looks, struct call_count **counts, size_t *capacity)
{
	size_t n;

	if (!patience_lock(&looks->lock))
		return 0;
	n = looks->n_counts;
	VECTOR_RESERVE(*counts, n, *capacity);
	if (n > 0)
		memcpy(*counts, looks->counts, n * sizeof(**counts));
	pthread_mutex_unlock(&looks->lock);
	return n;
}

static void free_looks(void *context)
{
	struct call_looks *looks = context;

	for (size_t i = 0; i < looks->n_threads; i++)
		looks->threads[i].seen = false;
	drop_unseen(looks);
	pthread_mutex_destroy(&looks->lock);
	hash_free(&looks->by_word);
	free(looks->threads);
	free(looks->counts);
	free(looks);
}

struct call_looks *call_looks_open(struct env *env)
{
	static const struct thread_work work = { look_at_all, free_looks, PRIVILEGE_BIT(PRIVILEGE_DETAILS) };
	struct call_looks *looks = alloc_zeroed(1, sizeof(*looks));

	looks->env = env;
	pthread_mutex_init(&looks->lock, NULL);
	looks->looker = thread_start(env->own_threads, &work, looks);
	if (looks->looker)
		return looks;
	free_looks(looks);
	return NULL;
}

void call_looks_close(struct call_looks *looks)
{
	if (looks)
		thread_end(looks->looker, true);
}

bool call_target_update(struct call_target *target, const struct sample_request *request)
{
	struct call_target before = *target;
	bool has_scope = scope_is_set(request->scope);

	*target = (struct call_target){ .is_known = true,
					.process = request->profiled_pid,
					.epoch = has_scope ? request->scope->epoch : 0 };
	if (!target->process && has_scope)
		target->process = wait_scope_process(request);
	target->of_scope = has_scope && !target->process;
	return !before.is_known || before.process != target->process || before.of_scope != target->of_scope ||
	       before.epoch != target->epoch;
}
