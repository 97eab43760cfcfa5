/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * The processes that are followed: those that were attached to and what they have started. Of no other process may the
 * sampler pass anything on. What the kernel reports of all processes (mappings, forks, execs) reaches the sampler some
 * milliseconds late; here stands whether the invoker was allowed to look into the process at that time.
 */
#pragma once

#define FOLLOWED_MAX 16384

struct followed_process {
	u64 task;        /* its first thread, if that is known: never followed, only read and compared */
	u64 born_ns;     /* of that thread: with its number, it tells the process from a later one */
	u64 since_ns;    /* CLOCK_MONOTONIC, as the following */
	u64 executed_ns; /* its last exec of a program that may be looked into; 0: none */
	u64 refused_ns;  /* its first exec of one that may not; 0: none */
	u64 hidden_ns;   /* when a sample first found it hidden, since it was last looked at; 0: none did */
	u32 is_ours;     /* the engine has started it, or what has started it (stack_copy.h) */
	u32 only_thread; /* the one thread of it that is followed, with what it starts; 0: all */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FOLLOWED_MAX);
	__type(key, u32);
	__type(value, struct followed_process);
} followed_processes SEC(".maps");

static __always_inline void identify(struct followed_process *f, struct task_struct *first_thread)
{
	f->task = (u64)first_thread;
	f->born_ns = BPF_CORE_READ(first_thread, start_boottime);
}

static __always_inline bool includes_thread(const struct followed_process *f, struct task_struct *thread)
{
	return !f->only_thread || f->only_thread == number_of(thread);
}

/* Of the thread's process, if it is that very one and the thread is followed; else 0. */
static __always_inline struct followed_process *followed_process_of(struct task_struct *thread)
{
	u32 process = process_number_of(thread);
	struct followed_process *f = bpf_map_lookup_elem(&followed_processes, &process);
	if (!f || f->born_ns != thread->group_leader->start_boottime)
		return 0;
	return includes_thread(f, thread) ? f : 0;
}

/* Whether the thread is followed and has not become one that may not be looked into. */
static __always_inline bool followed_thread(struct task_struct *thread)
{
	const struct followed_process *f = followed_process_of(thread);
	return f && f->refused_ns <= f->executed_ns;
}

/* A process has the number of an earlier one that was followed: it is not that one. False: there is no room for it. */
static __always_inline bool follow_child(struct task_struct *parent, u32 child, struct task_struct *first_thread)
{
	u32 parent_number = process_number_of(parent);
	const struct followed_process *of_parent = bpf_map_lookup_elem(&followed_processes, &parent_number);
	if (!of_parent || !includes_thread(of_parent, parent)) {
		bpf_map_delete_elem(&followed_processes, &child);
		return true;
	}
	struct followed_process f = {.since_ns = bpf_ktime_get_ns(), .is_ours = of_parent->is_ours};
	if (!may_look_into(first_thread))
		f.refused_ns = f.since_ns;
	identify(&f, first_thread);
	return bpf_map_update_elem(&followed_processes, &child, &f, BPF_ANY) == 0;
}

/* The program of a process is another from now on. Whether that one may be looked into; true: or it is not ours. */
static __always_inline bool note_exec(u32 process, struct task_struct *first_thread)
{
	struct followed_process *f = bpf_map_lookup_elem(&followed_processes, &process);
	if (!f)
		return true;
	identify(f, first_thread);
	bool allowed = may_look_into(first_thread);
	if (allowed)
		f->executed_ns = bpf_ktime_get_ns();
	else if (!f->refused_ns)
		f->refused_ns = bpf_ktime_get_ns();
	return allowed;
}

static __always_inline void note_hidden(struct followed_process *f)
{
	if (!f->hidden_ns)
		f->hidden_ns = bpf_ktime_get_ns();
}

/* For user space: a process to look at, and what was found. */
enum { STANDING_UNKNOWN = 0, STANDING_SEEN = 1, STANDING_HIDDEN = 2 };
u32 process_to_look_at;
struct followed_process standing_of_process;

/* A process loses its struct pid when its parent has waited for it, which is before its credentials are freed. */
static __always_inline bool is_the_one(const struct followed_process *f, struct task_struct *task, u32 process)
{
	const struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 number = number_in_namespace(BPF_CORE_READ(task, pid), pid);
	return BPF_CORE_READ(task, start_boottime) == f->born_ns && number == process && pid;
}

/* Whether the process may be looked into now; one that has ended is not asked about. What samples, forks and execs have
 * found before goes with the answer. */
SEC("syscall")
int look_at_process(void *unused)
{
	u32 process = process_to_look_at;
	struct followed_process *f = bpf_map_lookup_elem(&followed_processes, &process);
	if (!f)
		return STANDING_UNKNOWN;
	standing_of_process = *f;
	struct task_struct *task = (struct task_struct *)f->task;
	bool is_hidden = task && !may_look_into(task);
	/* Asked last: of a task that was freed meanwhile, all that was read means nothing. */
	bool is_there = task && is_the_one(f, task, process);
	is_hidden &= is_there;
	if (is_there && !is_hidden)
		f->hidden_ns = 0;
	return is_hidden ? STANDING_HIDDEN : STANDING_SEEN;
}

/* For the processes that were attached to: run once over all tasks after that. */
SEC("iter/task")
int identify_followed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	if (!task || task->pid != task->tgid)
		return 0;
	u32 process = number_of(task);
	struct followed_process *f = bpf_map_lookup_elem(&followed_processes, &process);
	if (f && !f->task) {
		identify(f, task);
		f->is_ours = descends_from_engine(task);
	}
	return 0;
}
