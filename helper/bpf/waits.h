/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * How long followed threads are off the CPU, and where. An event of each thread runs take_switch when the thread loses its CPU,
 * and nothing runs when it gets one again: at the next switch, the time that has passed less the time that the thread ran is
 * the time that it waited.
 *
 * The stack goes out when a wait begins, its length when it is known: at the thread's next switch, at its exit, or when sampling
 * ends. Of more switches than walks are allowed for, the length goes out with the place (wait_places.h): totals stay exact.
 *
 * Loaded only where waits are wanted. Its walks use the state of take_sample: of two programs on events, the kernel runs one at a
 * time on a CPU (bpf_prog_active), and interrupts are off in a switch.
 */
#pragma once

#include "wait_places.h"
#include "kernel_stacks.h"

#define WAITING_MAX 16384
#define PF_EXITING 4

/* A thread that is off the CPU, or was when it was last heard of. */
struct waiting {
	u64 task;         /* whose: its number may have been another's before */
	u64 since_ns;     /* CLOCK_MONOTONIC */
	u64 ran_ns;       /* se.sum_exec_runtime then */
	u64 run_delay_ns; /* sched_info.run_delay then */
	u64 arrived;      /* sched_info.last_arrival then: another one when it has run again */
	u64 given_up;     /* nvcsw and nivcsw: which switch this was */
	u64 taken_away;
	u64 place; /* 0: not known, or the stack was sent */
	u32 pid;
	s32 syscall;
	u8 was_preempted;
	u8 waits_for_disk;
	u8 waits_for_owner;
	u8 has_stack;
	u32 holder;    /* of the lock that is waited for; 0: not known */
	u64 holder_at; /* as in struct wait_end */
};

/* Who ended a wait. Which one it was is known by how often the thread had lost a CPU then, and when it had got its last one. */
struct woken {
	u64 switches;
	u64 arrived;
	u64 sample_ns; /* as in struct wait_end */
	u32 waker;
	u8 by; /* enum woken_by */
	u8 reserved[3];
};

/* Waits of a thread that ended and were not sent yet: all of them at one place, and alike but for their length. */
struct ended_waits {
	u64 since_ns;
	u64 until_ns;
	u64 waited_ns;
	u64 queued_ns;
	u64 place;
	u64 cause; /* the rest of what a wait_end has */
	u64 holder_at;
	u32 holder;
	u32 pid;
	u32 waits; /* 0: there are none */
	u32 waker;
	u64 woken_ns;
	u64 woken_by;
};

/* Those that began within that time are sent together, if none is as long. */
#define SENT_TOGETHER_NS 10000000
/* A thread under load waits at a few places in turns. The first is for those that are sent alone. */
#define ENDED_PLACES 4

struct thread_waits {
	struct waiting last;
	struct last_place place;
	struct woken woken[2]; /* of a wait, by its number; in the other one, that of the wait before it (wakers.h) */
	struct ended_waits ended[ENDED_PLACES];
};
static const struct thread_waits no_waits;

/* By thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAITING_MAX);
	__type(key, u32);
	__type(value, struct thread_waits);
} waiting_threads SEC(".maps");

/* From the clock of run queues to CLOCK_MONOTONIC; 0: not known yet. Both go at nearly the same speed, and it is learnt again at
 * every switch. */
s64 from_run_queue_clock;

/* When no more samples are taken. Written by user space; 0: not yet. */
u64 sampling_ended_ns;

static __always_inline bool has_sched_info(void)
{
	return bpf_core_field_exists(((struct sched_info *)0)->last_arrival);
}

/* The waits of the thread of that number, if it is that of this task. */
static __always_inline struct thread_waits *waits_of(struct task_struct *task, u32 tid)
{
	struct thread_waits *of = bpf_map_lookup_elem(&waiting_threads, &tid);
	return of && of->last.task == (u64)task ? of : 0;
}

static __always_inline void lose_waits(u32 waits, u64 ns)
{
	add_to(COUNTER_LOST_WAITS, waits);
	add_to(COUNTER_LOST_WAIT_NS, ns);
}

/* Not inline, so that each program has one. */
static __noinline void send_ended(struct ended_waits *ended, struct task_struct *task, u32 tid)
{
	if (!ended->waits)
		return;
	struct wait_end *end = bpf_ringbuf_reserve(&samples, sizeof(*end), 0);
	if (!end) {
		lose_waits(ended->waits, ended->waited_ns);
		ended->waits = 0;
		return;
	}
	__builtin_memset(end, 0, sizeof(*end));
	end->head.time_ns = ended->since_ns;
	end->head.pid = ended->pid;
	end->head.tid = tid;
	end->head.form = FORM_WAIT_END;
	end->head.kind = SAMPLE_WAIT;
	end->head.value = ended->waited_ns;
	end->head.weight = ended->waits;
	bpf_probe_read_kernel(end->head.comm, sizeof(end->head.comm), task->comm);
	end->span_ns = ended->until_ns - ended->since_ns;
	end->place = ended->place;
	end->queued_ns = ended->queued_ns;
	__builtin_memcpy(&end->syscall, &ended->cause, sizeof(ended->cause));
	end->holder = ended->holder;
	end->holder_at = ended->holder_at;
	end->waker = ended->waker;
	end->woken_ns = ended->woken_ns;
	end->woken_by = ended->woken_by;
	bpf_ringbuf_submit(end, BPF_RB_NO_WAKEUP);
	ended->waits = 0;
}
_Static_assert(__builtin_offsetof(struct wait_end, holder_at) - __builtin_offsetof(struct wait_end, syscall) == 8, "that is a cause");

static __always_inline void send_all_ended(struct thread_waits *of, struct task_struct *task, u32 tid)
{
	for (u32 i = 0; i < ENDED_PLACES; i++)
		send_ended(&of->ended[i], task, tid);
}

static __always_inline void lose_all_ended(const struct thread_waits *of)
{
	for (u32 i = 0; i < ENDED_PLACES; i++)
		lose_waits(of->ended[i].waits, of->ended[i].waited_ns);
}

/* What a wait_end has of how a wait came to be. */
static __always_inline u64 cause_of(const struct waiting *w)
{
	return (u32)w->syscall | (u64)w->was_preempted << 32 | (u64)w->waits_for_disk << 40 | (u64)w->waits_for_owner << 48 |
	       (u64)w->has_stack << 56;
}

/* Who ended the wait. One that could run all the time was not waited for. */
static __always_inline struct woken waker_of(const struct thread_waits *of)
{
	u64 switches = of->last.given_up + of->last.taken_away;
	const struct woken *woken = &of->woken[switches & 1];
	struct woken none = {};
	return !of->last.was_preempted && woken->switches == switches && woken->arrived == of->last.arrived ? *woken : none;
}

/* The last wait of a thread has ended. `run_delay_ns`: of the thread now. Those that are charged to a place, of which there are very
 * many, are sent together, unless somebody is known to have held them up, or where they were ended. */
static __always_inline void end_wait(struct thread_waits *of, struct task_struct *task, u32 tid, u64 waited_ns, u64 run_delay_ns)
{
	const struct waiting *w = &of->last;
	u64 queued_ns = run_delay_ns - w->run_delay_ns, cause = cause_of(w);
	/* The scheduler's clock is not quite ours. */
	if (w->was_preempted || queued_ns > waited_ns)
		queued_ns = waited_ns;
	struct woken woken = waker_of(of);
	bool may_be_several = w->place && !w->holder && !woken.sample_ns && waited_ns < SENT_TOGETHER_NS;
	u32 which = may_be_several ? 1 + (u32)mixed(cause, w->place) % (ENDED_PLACES - 1) : 0;
	barrier_value(which);
	struct ended_waits *ended = &of->ended[which & (ENDED_PLACES - 1)];
	bool are_alike = ended->waits && ended->place == w->place && ended->cause == cause && ended->waker == woken.waker && ended->woken_by == woken.by;
	if (!are_alike || w->since_ns - ended->since_ns >= SENT_TOGETHER_NS) {
		send_ended(ended, task, tid);
		ended->since_ns = w->since_ns;
		ended->waited_ns = 0;
		ended->queued_ns = 0;
		ended->place = w->place;
		ended->cause = cause;
		ended->pid = w->pid;
		ended->holder = w->holder;
		ended->holder_at = w->holder_at;
		ended->waker = woken.waker;
		ended->woken_ns = woken.sample_ns;
		ended->woken_by = woken.by;
	}
	ended->until_ns = w->since_ns + waited_ns;
	ended->waited_ns += waited_ns;
	ended->queued_ns += queued_ns;
	ended->waits++;
	if (!may_be_several)
		send_ended(ended, task, tid);
}

/* The thread loses its CPU again: only now it is known how long it ran, and so how long it waited before. */
static __always_inline void end_at_next_switch(struct thread_waits *of, struct task_struct *task, u32 tid, u64 now_ns)
{
	const struct waiting *w = &of->last;
	u64 passed_ns = now_ns - w->since_ns, ran_ns = task->se.sum_exec_runtime - w->ran_ns;
	u64 waited_ns = passed_ns > ran_ns ? passed_ns - ran_ns : 0, run_delay_ns = 0;
	if (has_sched_info()) {
		run_delay_ns = task->sched_info.run_delay;
		from_run_queue_clock = w->since_ns + waited_ns - task->sched_info.last_arrival;
	}
	end_wait(of, task, tid, waited_ns, run_delay_ns);
}

/* Mutexes of glibc have their owner behind the word that is waited for; it counts if it is a thread that has been seen. */
static __always_inline void note_owner(struct waiting *now, const struct pt_regs *regs)
{
	u32 owner = 0;
	if (bpf_probe_read_user(&owner, sizeof(owner), (void *)(first_argument_of(regs) + 8)) != 0)
		return;
	struct thread_waits *of_owner = bpf_map_lookup_elem(&waiting_threads, &owner);
	if (!of_owner || of_owner->last.pid != now->pid)
		return;
	now->waits_for_owner = true;
	now->holder = owner;
	struct task_struct *task = (struct task_struct *)of_owner->last.task;
	if (has_sched_info() && BPF_CORE_READ(task, sched_info.last_arrival) == of_owner->last.arrived)
		now->holder_at = of_owner->last.has_stack ? of_owner->last.since_ns : of_owner->last.place;
}

/* Notes that the running task, which is followed, loses its CPU, and sends its stack. */
SEC("perf_event")
int take_switch(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0;
	struct task_struct *task = bpf_get_current_task_btf();
	struct followed_process *followed = followed_process_of(task);
	u32 tid = number_of(task);
	u64 now_ns = bpf_ktime_get_ns();
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &zero);
	struct walks_left *left = walks_left_at(now_ns);
	if (!followed || !tid || !w || !regs || !left)
		return 0;
	struct thread_waits *before = bpf_map_lookup_elem(&waiting_threads, &tid);
	if (!may_look_into(task)) {
		note_hidden(followed);
		if (before)
			lose_all_ended(before);
		bpf_map_delete_elem(&waiting_threads, &tid);
		return 0;
	}
	struct waiting now = {
		.task = (u64)task,
		.since_ns = now_ns,
		.ran_ns = task->se.sum_exec_runtime,
		.given_up = task->nvcsw,
		.taken_away = task->nivcsw,
		.pid = process_number_of(task),
		.syscall = -1,
		.was_preempted = task->__state == 0,
	};
	if (before && before->last.task == now.task) {
		/* A thread that began while its process was attached to may have an event of its own and one of its parent's. */
		if (before->last.given_up == now.given_up && before->last.taken_away == now.taken_away)
			return 0;
		/* It may have been about to sleep. */
		now.was_preempted |= before->last.taken_away != now.taken_away;
		end_at_next_switch(before, task, tid, now_ns);
	}
	if (task->flags & PF_EXITING) {
		if (before)
			send_all_ended(before, task, tid);
		bpf_map_delete_elem(&waiting_threads, &tid);
		return 0;
	}
	if (has_sched_info()) {
		now.run_delay_ns = task->sched_info.run_delay;
		now.arrived = task->sched_info.last_arrival;
		if (now.was_preempted && task->sched_info.last_queued)
			from_run_queue_clock = now.since_ns - task->sched_info.last_queued;
	}
	const struct pt_regs *saved = (void *)bpf_task_pt_regs(task);
	bool exact_ip = take_saved_registers(regs, saved);
	if (probes_wanted)
		leave_probe(regs, task, true);
	if (!exact_ip && !now.was_preempted && are_of_64_bit_code(regs)) {
		now.syscall = syscall_of(regs, saved);
		if (now.syscall == SYSCALL_FUTEX)
			note_owner(&now, regs);
	}
	now.waits_for_disk = BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait);
	u64 registers = mixed(mixed(now.syscall, pc_of(regs)), sp_of(regs));
	u64 fingerprint = fingerprint_of(w, before ? &before->place : 0, now.pid, registers, sp_of(regs));
	struct wait_place *known = fingerprint ? bpf_map_lookup_elem(&wait_places, &fingerprint) : 0;
	enum how_to_find how = how_to_find(left, known, fingerprint);
	if (how == FIND_BY_WALK) {
		struct sample_head *head = &w->out.head;
		describe_task(head, task, now_ns);
		head->kind = SAMPLE_WAIT;
		head->value = fingerprint;
		head->weight = 1;
		head->id = now.holder;
		take_kernel_stack_of_wait(ctx, w, saved, mixed(now.syscall, exact_ip ? 0 : pc_of(regs)));
		now.has_stack = send_stack(task, followed, w, regs, true, exact_ip);
		if (now.has_stack && fingerprint)
			note_place(known, fingerprint);
	} else if (how == FIND_BY_PLACE) {
		now.place = fingerprint;
	}
	/* Nobody else writes what is there for this thread, and an update of the map takes longer. */
	if (!before && bpf_map_update_elem(&waiting_threads, &tid, &no_waits, BPF_ANY) == 0)
		before = bpf_map_lookup_elem(&waiting_threads, &tid);
	if (before)
		before->last = now;
	else
		lose_waits(1, 0); /* so many threads */
	return 0;
}

/* How long a wait was that no switch ends: until its thread last got a CPU, at the latest until `last_ns`. */
static __always_inline u64 waited_until(const struct waiting *w, u64 arrived, u64 last_ns)
{
	u64 end_ns = last_ns;
	if (arrived != w->arrived && from_run_queue_clock)
		end_ns = arrived + from_run_queue_clock;
	if (end_ns > last_ns)
		end_ns = last_ns;
	return end_ns > w->since_ns ? end_ns - w->since_ns : 0;
}

static __always_inline void end_without_switch(struct thread_waits *of, struct task_struct *task, u32 tid, u64 last_ns)
{
	const struct waiting *w = &of->last;
	u64 arrived = w->arrived, run_delay_ns = 0;
	if (has_sched_info()) {
		arrived = BPF_CORE_READ(task, sched_info.last_arrival);
		run_delay_ns = BPF_CORE_READ(task, sched_info.run_delay);
	}
	end_wait(of, task, tid, waited_until(w, arrived, last_ns), run_delay_ns);
	send_all_ended(of, task, tid);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(end_wait_at_exit, struct task_struct *task)
{
	u32 tid = number_of(task);
	struct thread_waits *of = waits_of(task, tid);
	if (!of)
		return 0;
	if (followed_thread(task) && may_look_into(task))
		end_without_switch(of, task, tid, bpf_ktime_get_ns());
	else
		lose_all_ended(of);
	bpf_map_delete_elem(&waiting_threads, &tid);
	return 0;
}

static long end_open_wait(void *map, const u32 *tid, struct thread_waits *of, void *unused)
{
	struct task_struct *task = (struct task_struct *)of->last.task;
	/* A thread that has executed another program has the number of its process since then. */
	if (number_in_namespace(BPF_CORE_READ(task, pid), BPF_CORE_READ(task, thread_pid)) == *tid) {
		end_without_switch(of, task, *tid, sampling_ended_ns);
	} else {
		lose_waits(1, 0);
		lose_all_ended(of);
	}
	bpf_map_delete_elem(&waiting_threads, tid); /* it may exit any moment */
	return 0;
}

/* Before that, over all tasks: threads that have never lost a CPU, and could not run. Nobody has seen where they wait. */
SEC("iter/task")
int count_threads_not_run(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	if (!task || !followed_thread(task) || task->exit_state || (u64)task->group_leader == engine_task)
		return 0;
	if (task->__state != 0 && !waits_of(task, number_of(task)))
		count(COUNTER_THREADS_NOT_RUN);
	return 0;
}

/* Once, when sampling has ended. */
SEC("syscall")
int end_open_waits(void *unused)
{
	bpf_for_each_map_elem(&waiting_threads, end_open_wait, 0, 0);
	return 0;
}
