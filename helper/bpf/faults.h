/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Page faults of followed threads, by two events of each thread: those that the kernel could serve from memory, and those that it had
 * to read for. Loaded only where faults are wanted. Uses the state of take_sample, as take_switch does.
 */
#pragma once

#include "sampled_events.h"

#define FAULTING_MAX 16384

/* The id of a sample. Events that children inherit have no cookie to know it by: each kind has a program. */
enum fault_kind { FAULT_MINOR, FAULT_MAJOR, FAULT_KINDS };

/* By thread: those that no sample stands for yet. */
struct thread_faults {
	u64 task;
	u32 pid;
	u32 unsent[FAULT_KINDS];
	u32 sent[FAULT_KINDS]; /* those that one stands for */
	u32 reserved;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FAULTING_MAX);
	__type(key, u32);
	__type(value, struct thread_faults);
} faulting_threads SEC(".maps");

static __noinline void send_unsent_faults(struct thread_faults *f, u32 tid, const char *comm)
{
	for (u32 kind = 0; kind < FAULT_KINDS; kind++) {
		struct sample_head head = {.pid = f->pid, .tid = tid, .kind = SAMPLE_FAULT, .value = 1, .weight = f->unsent[kind], .id = kind};
		if (head.weight && !send_rest(&head, comm))
			add_to(COUNTER_LOST_FAULTS, head.weight);
		f->unsent[kind] = 0;
	}
}

static __always_inline struct thread_faults *faults_of(struct task_struct *task, u32 tid)
{
	struct thread_faults *f = bpf_map_lookup_elem(&faulting_threads, &tid);
	if (f && f->task == (u64)task)
		return f;
	if (f)
		send_unsent_faults(f, tid, 0); /* of an earlier thread of this number */
	struct thread_faults new = {.task = (u64)task, .pid = process_number_of(task)};
	bpf_map_update_elem(&faulting_threads, &tid, &new, BPF_ANY);
	return bpf_map_lookup_elem(&faulting_threads, &tid);
}

static __always_inline bool send_fault(struct bpf_perf_event_data *ctx, struct task_struct *task, const struct followed_process *followed,
				       u32 kind, u32 weight, u64 now_ns)
{
	u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &zero);
	if (!w || !regs)
		return false;
	struct sample_head *head = &w->out.head;
	describe_task(head, task, now_ns);
	head->kind = SAMPLE_FAULT;
	head->value = 1;
	head->weight = weight;
	head->id = kind;
	bool in_kernel = are_of_kernel(&ctx->regs), exact_ip = true;
	w->kernel_frames = 0;
	if (in_kernel) {
		exact_ip = take_saved_registers(regs, (void *)bpf_task_pt_regs(task));
		take_kernel_stack(ctx, w);
	} else {
		*regs = ctx->regs;
	}
	bool is_sent = send_stack(task, followed, w, regs, in_kernel, exact_ip);
	head->id = 0;
	return is_sent;
}

static __always_inline int take_fault(struct bpf_perf_event_data *ctx, enum fault_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct followed_process *followed = followed_process_of(task);
	if (!followed)
		return 0;
	if (!may_look_into(task)) {
		note_hidden(followed);
		count(COUNTER_FAULTS_NOT_ALLOWED);
		return 0;
	}
	count(COUNTER_FAULTS);
	u32 tid = number_of(task);
	u64 now_ns = bpf_ktime_get_ns();
	if (task->flags & PF_EXITING) { /* what is unsent of it may have been sent */
		if (!send_fault(ctx, task, followed, kind, 1, now_ns))
			count(COUNTER_LOST_FAULTS);
		return 0;
	}
	struct thread_faults *f = faults_of(task, tid);
	if (!f) {
		count(COUNTER_LOST_FAULTS); /* so many threads */
		return 0;
	}
	u32 *unsent = &f->unsent[kind];
	++*unsent;
	/* Each of the others reads from a disk. */
	if (kind == FAULT_MINOR && !is_to_be_walked(SAMPLED_FAULTS, 1, is_behind(*unsent, f->sent[kind]), now_ns))
		return 0;
	if (send_fault(ctx, task, followed, kind, *unsent, now_ns)) {
		f->sent[kind] += *unsent;
		*unsent = 0;
	}
	return 0;
}

SEC("perf_event")
int take_minor_fault(struct bpf_perf_event_data *ctx)
{
	return take_fault(ctx, FAULT_MINOR);
}

SEC("perf_event")
int take_major_fault(struct bpf_perf_event_data *ctx)
{
	return take_fault(ctx, FAULT_MAJOR);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(send_faults_at_exit, struct task_struct *task)
{
	u32 tid = number_of(task);
	struct thread_faults *f = bpf_map_lookup_elem(&faulting_threads, &tid);
	if (!f || f->task != (u64)task)
		return 0;
	send_unsent_faults(f, tid, task->comm);
	bpf_map_delete_elem(&faulting_threads, &tid);
	return 0;
}

static long send_faults_of(void *map, const u32 *tid, struct thread_faults *f, void *unused)
{
	u32 number = *tid;
	send_unsent_faults(f, number, name_of((struct task_struct *)f->task, number));
	return 0;
}

/* Once, when sampling has ended. */
SEC("syscall")
int send_rest_of_faults(void *unused)
{
	bpf_for_each_map_elem(&faulting_threads, send_faults_of, 0, 0);
	return 0;
}
