/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * System calls of followed threads: how many, how long, how many failed. The programs run at each system call of the whole machine, so
 * the first thing that they ask is whose it is. They see no argument but the number.
 *
 * Like programs of probes, these can be preempted, by each other too: a walk takes a state of its CPU (allocations.h). What is counted
 * of a thread, only the thread itself changes. Loaded only where system calls are wanted.
 */
#pragma once

#include "sampled_events.h"

#define CALLING_MAX 8192
#define CALL_SLOTS 16 /* a power of two */
#define CALL_PLACES 4 /* where the sums of a call may be: the slot of its number, and those after it */
#define COMPAT_SYSCALL (1 << 16)
#define NO_SYSCALL (-1)

/* Results from here to -1 are errors. */
#define ERRNO_MAX 4095
/* include/linux/errno.h: results that no program sees. A call that a signal has interrupted is made again, or fails with EINTR, which is
 * decided later. */
#define ERESTARTSYS 512
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/* Of one system call, what no sample stands for yet. */
struct call_sums {
	s32 number; /* without `calls`, it means nothing */
	u32 calls;
	u32 errors;
	u32 sent; /* calls that one stands for */
	u64 ns;
};

/* By thread. Where more system calls have the same places than there are, they take turns: the one with the fewest calls goes out. */
struct thread_calls {
	u64 task;
	u64 entered_ns; /* the call that it is in */
	s32 number;     /* of that call; NO_SYSCALL: it is in none */
	u32 pid;
	struct call_sums sums[CALL_SLOTS];
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLING_MAX);
	__type(key, u32);
	__type(value, struct thread_calls);
} calling_threads SEC(".maps");

/* Too large for the BPF stack. */
const struct thread_calls new_thread_calls = {.number = NO_SYSCALL};

static __always_inline void add_preemptibly(u32 which, u64 more)
{
	u64 *value = bpf_map_lookup_elem(&counters, &which);
	if (value)
		__sync_fetch_and_add(value, more);
}

static __noinline void send_call_sums(struct call_sums *sums, u32 pid, u32 tid, const char *comm)
{
	struct sample_head head = {.pid = pid, .tid = tid, .kind = SAMPLE_SYSCALL, .value = sums->ns, .weight = sums->calls, .id = sums->number};
	if ((sums->calls || sums->ns) && !send_rest(&head, comm))
		add_preemptibly(COUNTER_LOST_SYSCALLS, sums->calls);
	head.kind = SAMPLE_SYSCALL_ERROR;
	head.value = 1;
	head.weight = sums->errors;
	if (sums->errors && !send_rest(&head, comm))
		add_preemptibly(COUNTER_LOST_SYSCALLS, sums->errors); /* that they failed */
	sums->calls = sums->errors = 0;
	sums->ns = 0;
}

/* Does not wait for the kernel's stack of loops: one step a slot. */
struct sending {
	u32 tid;
	u32 reserved;
	const char *comm;
};

static long send_slot(u32 slot, struct sending *of)
{
	struct thread_calls *t = bpf_map_lookup_elem(&calling_threads, &of->tid);
	if (!t)
		return 1;
	send_call_sums(&t->sums[slot & (CALL_SLOTS - 1)], t->pid, of->tid, of->comm);
	return 0;
}

static __always_inline void send_calls_of_thread(u32 tid, const char *comm)
{
	struct sending of = {.tid = tid, .comm = comm};
	bpf_loop(CALL_SLOTS, send_slot, &of, 0);
}

static __always_inline struct call_sums *sums_of(struct thread_calls *t, s32 number, u32 tid, const char *comm)
{
	u32 at = 0, fewest = ~0U;
	for (u32 place = 0; place < CALL_PLACES; place++) {
		u32 slot = ((u32)number + place) & (CALL_SLOTS - 1);
		const struct call_sums *there = &t->sums[slot];
		bool is_its_own = there->number == number;
		if (is_its_own || there->calls < fewest) {
			fewest = there->calls;
			at = slot;
		}
		if (is_its_own)
			break;
	}
	barrier_value(at);
	struct call_sums *sums = &t->sums[at & (CALL_SLOTS - 1)];
	if (sums->number != number) {
		send_call_sums(sums, t->pid, tid, comm);
		sums->number = number;
		sums->sent = 0;
	}
	return sums;
}

static __always_inline struct thread_calls *calls_of(struct task_struct *task, u32 tid)
{
	struct thread_calls *t = bpf_map_lookup_elem(&calling_threads, &tid);
	if (t && t->task == (u64)task)
		return t;
	if (t)
		send_calls_of_thread(tid, 0); /* of an earlier thread of this number */
	else if (bpf_map_update_elem(&calling_threads, &tid, &new_thread_calls, BPF_ANY) != 0)
		return 0;
	t = bpf_map_lookup_elem(&calling_threads, &tid);
	if (t) {
		t->task = (u64)task;
		t->number = NO_SYSCALL;
		t->pid = process_number_of(task);
	}
	return t;
}

/* A call that nobody will see return, as exec and exit: it was made. How long it took is known where the thread has ended. */
static __always_inline void end_call_unreturned(struct thread_calls *t, u32 tid, const char *comm, u64 now_ns)
{
	if (t->number == NO_SYSCALL)
		return;
	struct call_sums *sums = sums_of(t, t->number, tid, comm);
	sums->calls++;
	sums->ns += now_ns - t->entered_ns;
	t->number = NO_SYSCALL;
}

static __always_inline int note_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct followed_process *followed = followed_process_of(task);
	if (!followed)
		return 0;
	if (!may_look_into(task)) {
		note_hidden(followed);
		count_preemptibly(COUNTER_SYSCALLS_NOT_ALLOWED);
		return 0;
	}
	u32 tid = number_of(task);
	count_preemptibly(COUNTER_SYSCALLS);
	struct thread_calls *t = calls_of(task, tid);
	if (!t) {
		count_preemptibly(COUNTER_LOST_SYSCALLS); /* so many threads */
		return 0;
	}
	u64 now_ns = bpf_ktime_get_ns();
	end_call_unreturned(t, tid, task->comm, t->entered_ns);
	s32 number = (s32)ctx->args[1];
	t->number = is_compat_syscall(task) ? number | COMPAT_SYSCALL : number;
	t->entered_ns = now_ns;
	return 0;
}

/* What a stack is to stand for. */
enum { WITH_CALLS = 1, WITH_NS = 2, WITH_ERRORS = 4 };

/* Sends the stack of the running task with what it stands for. */
static __noinline void send_syscall(struct task_struct *task, struct call_sums *sums, u64 now_ns, u32 with)
{
	bool calls = with & WITH_CALLS, ns = with & WITH_NS;
	u32 state = take_state();
	if (state == STATE_OF_EVENTS)
		return; /* all are in use: what is unsent stays so */
	struct walk *w = bpf_map_lookup_elem(&walks, &state);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &state);
	if (w && regs) {
		w->state = state;
		bool exact_ip = take_saved_registers(regs, (void *)bpf_task_pt_regs(task));
		struct sample_head *head = &w->out.head;
		describe_task(head, task, now_ns);
		head->form = FORM_STACK;
		head->points = 0;
		head->id = sums->number;
		w->kernel_frames = 0;
		walk_user_stack(w, regs, exact_ip);
		u64 size = complete_stack(w), wake = is_to_be_woken(now_ns, state) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
		if (calls || ns) {
			head->kind = SAMPLE_SYSCALL;
			head->weight = calls ? sums->calls : 0;
			head->value = ns ? sums->ns : 0;
			if (bpf_ringbuf_output(&samples, &w->out, size, wake) == 0) {
				if (calls) {
					sums->sent += sums->calls;
					sums->calls = 0;
				}
				if (ns)
					sums->ns = 0;
			}
		}
		if (with & WITH_ERRORS) {
			head->kind = SAMPLE_SYSCALL_ERROR;
			head->weight = sums->errors;
			head->value = 1;
			if (bpf_ringbuf_output(&samples, &w->out, size, wake) == 0)
				sums->errors = 0;
		}
	}
	give_back_state(state);
}

static __always_inline bool is_error(s64 result)
{
	return result < 0 && result >= -ERRNO_MAX && (result > -ERESTARTSYS || result < -ERESTART_RESTARTBLOCK);
}

SEC("raw_tp/sys_enter")
int enter_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	return note_enter(ctx);
}

static __always_inline int note_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (!followed_process_of(task))
		return 0;
	u32 tid = number_of(task);
	struct thread_calls *t = bpf_map_lookup_elem(&calling_threads, &tid);
	/* A new thread returns from a call that its creator made; others from one that began before the recording. */
	if (!t || t->task != (u64)task || t->number == NO_SYSCALL || !may_look_into(task))
		return 0;
	u64 now_ns = bpf_ktime_get_ns(), took_ns = now_ns - t->entered_ns;
	bool failed = is_error((s64)ctx->args[1]);
	struct call_sums *sums = sums_of(t, t->number, tid, task->comm);
	t->number = NO_SYSCALL;
	sums->calls++;
	sums->errors += failed;
	sums->ns += took_ns;
	u32 with = 0;
	if (is_to_be_walked(SAMPLED_CALLS, 1, is_behind(sums->calls, sums->sent), now_ns))
		with |= WITH_CALLS;
	if (is_to_be_walked(SAMPLED_CALL_NS, took_ns, false, now_ns))
		with |= WITH_NS;
	if (failed && is_to_be_walked(SAMPLED_ERRORS, 1, false, now_ns))
		with |= WITH_ERRORS;
	if (with)
		send_syscall(task, sums, now_ns, with);
	return 0;
}

SEC("raw_tp/sys_exit")
int exit_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	return note_exit(ctx);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(send_syscalls_at_exit, struct task_struct *task)
{
	u32 tid = number_of(task);
	struct thread_calls *t = bpf_map_lookup_elem(&calling_threads, &tid);
	if (!t || t->task != (u64)task)
		return 0;
	end_call_unreturned(t, tid, task->comm, bpf_ktime_get_ns());
	send_calls_of_thread(tid, task->comm);
	bpf_map_delete_elem(&calling_threads, &tid);
	return 0;
}

static long send_syscalls_of(void *map, const u32 *tid, struct thread_calls *t, void *unused)
{
	u32 number = *tid;
	const char *comm = name_of((struct task_struct *)t->task, number);
	end_call_unreturned(t, number, comm, sampling_ended_ns > t->entered_ns ? sampling_ended_ns : t->entered_ns);
	send_calls_of_thread(number, comm);
	return 0;
}

/* Once, when sampling has ended. */
SEC("syscall")
int send_rest_of_syscalls(void *unused)
{
	bpf_for_each_map_elem(&calling_threads, send_syscalls_of, 0, 0);
	return 0;
}
