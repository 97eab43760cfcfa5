/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Who ends the waits of followed threads, and where it was then. The program runs at each wake-up of the whole machine, so the first
 * thing that it asks is whether a thread is woken whose wait is recorded. What it finds goes out with the end of that wait.
 *
 * It runs with interrupts off, and no non-maskable one wakes anybody: its walks have a state of their own on each CPU. Loaded only where
 * wake-ups are wanted.
 */
#pragma once

#define STATE_OF_WAKERS (STATE_OF_EVENTS + ALLOCATION_STATES + 1)
#define PF_KTHREAD 0x00200000

/* Most wake-ups from interrupts are known by fewer functions of the kernel. */
#define WAKER_FRAMES 64

/* 5,000 walks a second on a CPU. */
#define WAKER_WALKS_EVERY_NS 100000000
#define WAKER_WALKS 500

struct waker_walks {
	u64 since_ns;
	u32 done;
	u32 reserved;
	volatile u64 here; /* numbers once they are read from here: with pointers, the verifier lets nobody calculate */
	volatile u64 top;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct waker_walks);
} waker_walks SEC(".maps");

/* Interrupts of the kernel have a stack of their own, and so has what they put off. `context`: on the stack of the kernel that runs. */
static __always_inline bool is_on_interrupt_stack(struct waker_walks *walks, struct task_struct *task, const void *context)
{
	walks->here = (u64)context;
	walks->top = (u64)bpf_task_pt_regs(task);
	u64 here = walks->here, stack = (u64)task->stack;
	return here < stack || here >= walks->top;
}

static __always_inline enum woken_by kind_of(struct task_struct *task, struct task_struct *woken, bool is_visible)
{
	if (task->flags & PF_KTHREAD)
		return WOKEN_BY_KERNEL;
	bool is_ending = task->flags & PF_EXITING;
	/* Of a child that ends, the sampler may have heard before its parent does. */
	bool is_ours = followed_process_of(task) || (is_ending && task->real_parent->tgid == woken->tgid);
	if (!is_ours || !is_visible)
		return WOKEN_BY_PROCESS;
	return is_ending ? WOKEN_BY_EXIT : WOKEN_BY_THREAD;
}

static __always_inline bool is_walk_left(struct waker_walks *walks, u64 now_ns)
{
	if (now_ns - walks->since_ns >= WAKER_WALKS_EVERY_NS) {
		walks->since_ns = now_ns;
		walks->done = 0;
	}
	return walks->done++ < WAKER_WALKS;
}

#define WAKER_IS_SHOWN (1 << 16)

/* `kinds`: as in the sample, and whether the task is shown: of others, nothing goes out but that it ran. False: there was no room. (What
 * is known is not asked again: the stacks of all functions here have 512 bytes together.) */
static __noinline bool send_waker(void *context, struct task_struct *task, u32 woken, u64 now_ns, u32 kinds)
{
	u32 state = STATE_OF_WAKERS;
	struct walk *w = bpf_map_lookup_elem(&walks, &state);
	const struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &state);
	if (!w || !regs)
		return false;
	w->state = state;
	struct sample_head *head = &w->out.head;
	enum woken_by of_task = kinds >> 8 & 0xff;
	describe_task(head, task, now_ns);
	if (!(kinds & WAKER_IS_SHOWN)) {
		head->pid = head->tid = 0;
		__builtin_memset(head->comm, 0, sizeof(head->comm));
	}
	head->form = FORM_STACK;
	head->kind = SAMPLE_WAKE_UP;
	head->points = 0;
	head->value = kinds & ~WAKER_IS_SHOWN;
	head->weight = 1;
	head->id = woken;
	w->kernel_frames = 0;
	w->user_frames = 0;
	w->end = STACK_END_ROOT;
	if ((kinds & 0xff) == WOKEN_BY_INTERRUPT || of_task == WOKEN_BY_KERNEL) {
		s64 bytes = bpf_get_stack(context, w->out.frames, WAKER_FRAMES * sizeof(u64), 0);
		w->kernel_frames = bytes > 0 ? (u64)bytes / 8 : 0;
	}
	if (of_task == WOKEN_BY_THREAD)
		walk_user_stack(w, regs, !are_of_syscall(regs, (void *)bpf_task_pt_regs(task)));
	u64 size = complete_stack(w), wake = is_to_be_woken(now_ns, state) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	return bpf_ringbuf_output(&samples, &w->out, size, wake) == 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(note_waker, struct task_struct *woken)
{
	u32 zero = 0, state = STATE_OF_WAKERS, tid = number_of(woken);
	struct thread_waits *of = waits_of(woken, tid);
	if (!of)
		return 0;
	struct task_struct *task = bpf_get_current_task_btf();
	struct waker_walks *walks_done = bpf_map_lookup_elem(&waker_walks, &zero);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &state);
	u64 switches = woken->nvcsw + woken->nivcsw, arrived = 0;
	if (has_sched_info())
		arrived = woken->sched_info.last_arrival;
	/* It may be about to wait, and then does not; its last wait keeps who ended that. Or it waits, and take_switch is not done yet. */
	bool is_running = switches == of->last.given_up + of->last.taken_away && arrived != of->last.arrived;
	struct woken *by = &of->woken[switches & 1];
	bool was_woken = by->switches == switches && by->arrived == arrived;
	if (!walks_done || !regs || is_running || was_woken || (u64)task == of->last.task || !may_look_into(woken))
		return 0;
	bool is_visible = may_look_into(task);
	const struct pt_regs *saved = (void *)bpf_task_pt_regs(task);
	enum woken_by of_task = kind_of(task, woken, is_visible);
	bool is_interrupt = is_on_interrupt_stack(walks_done, task, ctx);
	take_saved_registers(regs, saved);
	s32 syscall = syscall_of(regs, saved);
	/* The others do not get what they wait for: they end. */
	if (of_task == WOKEN_BY_THREAD && syscall == SYSCALL_EXIT_GROUP)
		of_task = WOKEN_BY_EXIT;
	/* What has interrupted code of the user, an interrupt or a fault, runs where its system calls do. The kernel's functions tell. An
	 * interrupt that was held back during a system call finds the registers as that left them, but for its number. */
	bool may_be_interrupt = syscall < 0 && !(task->flags & (PF_KTHREAD | PF_EXITING));
	enum woken_by kind = of_task;
	if (is_interrupt || may_be_interrupt)
		kind = WOKEN_BY_INTERRUPT;
	u32 shown = of_task == WOKEN_BY_KERNEL || is_visible ? WAKER_IS_SHOWN : 0;
	u64 now_ns = bpf_ktime_get_ns();
	bool is_sent = is_walk_left(walks_done, now_ns) && send_waker(ctx, task, tid, now_ns, kind | of_task << 8 | shown);
	by->switches = switches;
	by->arrived = arrived;
	by->sample_ns = is_sent ? now_ns : 0;
	by->by = is_sent || is_interrupt || !may_be_interrupt ? kind : WOKEN_BY_UNKNOWN;
	by->waker = kind == of_task && is_visible && !(task->flags & PF_KTHREAD) ? number_of(task) : 0;
	return 0;
}
