/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Numbers of processes and threads. The kernel's own (those of the initial PID namespace) mean nothing inside a
 * container: everything here speaks of a process by its number in the sampler's PID namespace, as perf events, /proc and
 * the engine do there.
 */
#pragma once

struct pid_namespace;
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one for each namespace from the initial one down to its own */
} __attribute__((preserve_access_index));

/* The sampler's PID namespace and how many there are above it. Written once, before anything is attached. */
u32 own_level;
u64 own_namespace;

static __always_inline struct upid number_at_level(const struct pid *pid, u32 level)
{
	struct upid number = {};
	const void *numbers = (const void *)pid + bpf_core_field_offset(struct pid, numbers);
	if (pid && level <= BPF_CORE_READ(pid, level))
		bpf_core_read(&number, sizeof(number), numbers + (u64)level * sizeof(number));
	return number;
}

/* `pid` in our namespace, where the kernel itself calls it `number`; 0: it has no number there. */
static __always_inline u32 number_in_namespace(u32 number, const struct pid *pid)
{
	if (!own_level)
		return number;
	struct upid own = number_at_level(pid, own_level);
	return (u64)own.ns == own_namespace ? own.nr : 0;
}

/* The number of the thread (of the process, if it is the first one). Of tasks that the verifier knows as such: their fields
 * are read without a helper, of which each costs as much as a frame of the walk. */
static __always_inline u32 number_of(struct task_struct *task)
{
	return number_in_namespace(task->pid, task->thread_pid);
}

static __always_inline u32 process_number_of(struct task_struct *task)
{
	return number_in_namespace(task->tgid, task->group_leader->thread_pid);
}

/* To be run once by the sampler itself. */
SEC("syscall")
int learn_own_namespace(void *unused)
{
	const struct pid *own = BPF_CORE_READ(bpf_get_current_task_btf(), thread_pid);
	own_level = BPF_CORE_READ(own, level);
	own_namespace = (u64)number_at_level(own, own_level).ns;
	return 0;
}
