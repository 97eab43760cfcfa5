/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * How much CPU time the followed processes have used, as the kernel's scheduler counts it: what the samples should add
 * up to. A thread's time is final only when its task_struct is freed, some milliseconds after its end: until then it
 * stands among the ended ones.
 */
#pragma once

#define ENDED_MAX 16384

/* By address: never followed once the entry is gone, which is before the task is. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ENDED_MAX);
	__type(key, u64);
	__type(value, u8);
} ended_tasks SEC(".maps");

/* Of threads that were freed and programs that were refused; less what threads had used when sampling began. */
s64 followed_cpu_ns;

static __always_inline void add_cpu_time(struct task_struct *task, s64 sign)
{
	s64 used = BPF_CORE_READ(task, se.sum_exec_runtime);
	__sync_fetch_and_add(&followed_cpu_ns, used * sign);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	u64 address = (u64)task;
	u8 nothing = 0;
	if (followed_thread(task) && bpf_map_update_elem(&ended_tasks, &address, &nothing, BPF_ANY) != 0)
		add_cpu_time(task, 1); /* too many at once: without its last moments */
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	u64 address = (u64)task;
	if (bpf_map_delete_elem(&ended_tasks, &address) == 0)
		add_cpu_time(task, 1);
	return 0;
}

/* -1 when sampling begins, 1 when it has ended. Written by user space. */
s64 cpu_time_sign;

SEC("iter/task")
int add_cpu_times(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	u64 address = (u64)task;
	if (task && !bpf_map_lookup_elem(&ended_tasks, &address) && followed_thread(task))
		add_cpu_time(task, cpu_time_sign);
	return 0;
}

/* Takes them out, as on_free does, which may come any moment: whoever does it adds the time. What was read of a task that was freed in
 * between, and replaced by another one that ended, may be anything; no thread has run for longer than the machine. */
static long add_ended(void *map, const u64 *address, u8 *value, void *unused)
{
	u64 key = *address;
	u64 used = BPF_CORE_READ((struct task_struct *)key, se.sum_exec_runtime);
	if (bpf_map_delete_elem(&ended_tasks, &key) == 0 && used < bpf_ktime_get_boot_ns())
		__sync_fetch_and_add(&followed_cpu_ns, used);
	return 0;
}

/* Once, when sampling has ended, after the living ones. */
SEC("syscall")
int add_ended_cpu_times(void *unused)
{
	bpf_for_each_map_elem(&ended_tasks, add_ended, 0, 0);
	return 0;
}
