/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * What followed processes allocate. The engine preloads a library (crates/preload) that calls an empty function for each sample of
 * the allocated bytes, and another one when such memory is freed: these programs run there. Which bytes are sampled is decided in
 * the process, so nothing runs for all other allocations.
 *
 * Unlike programs on events, these can be preempted, by each other too, and interrupted by events: each run takes a state of its
 * CPU for its walk and gives it back. Loaded only where allocations are wanted.
 */
#pragma once

/* So many may be in the middle of a walk on a CPU. They have the numbers from STATE_OF_EVENTS + 1 on. */
#define ALLOCATION_STATES 4

/* The states in use, by CPU and number. As many as there are: set before loading. An entry is made by one program alone; an atomic
 * operation on a number would take instructions that older compilers do not make. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} states_in_use SEC(".maps");

static __always_inline u32 key_of_state(u32 state)
{
	return bpf_get_smp_processor_id() * ALLOCATION_STATES + state - 1;
}

/* STATE_OF_EVENTS: all are in use. */
static __always_inline u32 take_state(void)
{
	u32 yes = 1;
	for (u32 state = 1; state <= ALLOCATION_STATES; state++) {
		u32 key = key_of_state(state);
		if (bpf_map_update_elem(&states_in_use, &key, &yes, BPF_NOEXIST) == 0)
			return state;
	}
	return STATE_OF_EVENTS;
}

static __always_inline void give_back_state(u32 state)
{
	u32 key = key_of_state(state);
	bpf_map_delete_elem(&states_in_use, &key);
}

static __always_inline void count_preemptibly(u32 which)
{
	u64 *value = bpf_map_lookup_elem(&counters, &which);
	if (value)
		__sync_fetch_and_add(value, 1);
}

/* The process of the running task, if it is followed and may be looked into. */
static __always_inline struct followed_process *visible_process_of(struct task_struct *task)
{
	struct followed_process *followed = followed_process_of(task);
	if (!followed || may_look_into(task))
		return followed;
	note_hidden(followed);
	count_preemptibly(COUNTER_ALLOCATIONS_NOT_ALLOWED);
	return 0;
}

/* A sampled allocation. */
struct allocation {
	u8 kind;
	u8 points;
	u32 id;
	u64 size;
	u32 weight;
};

static __always_inline bool send_allocation(const struct pt_regs *ctx, struct task_struct *task, u32 state, const struct allocation *a)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &state);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &state);
	if (!w || !regs)
		return false;
	*regs = *ctx;
	w->state = state;
	struct sample_head *head = &w->out.head;
	describe_task(head, task, bpf_ktime_get_ns());
	head->form = FORM_STACK;
	head->kind = a->kind;
	head->id = a->id;
	head->value = a->size;
	head->weight = a->weight;
	head->points = a->points;
	w->kernel_frames = 0;
	walk_user_stack(w, regs, true);
	u64 wake = is_to_be_woken(head->time_ns, state) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	return bpf_ringbuf_output(&samples, &w->out, complete_stack(w), wake) == 0;
}

/* With the stack of the running task, if there is a state for its walk. */
static __always_inline void take_allocation_of(struct pt_regs *ctx, struct task_struct *task, const struct allocation *a)
{
	u32 state = take_state();
	if (state == STATE_OF_EVENTS) {
		count_preemptibly(COUNTER_LOST_ALLOCATIONS);
		return;
	}
	if (!send_allocation(ctx, task, state, a))
		count_preemptibly(COUNTER_LOST_ALLOCATIONS);
	give_back_state(state);
}

static __always_inline void send_free(struct task_struct *task, u32 id)
{
	struct sample_head *head = bpf_ringbuf_reserve(&samples, sizeof(*head), 0);
	if (!head) {
		count_preemptibly(COUNTER_LOST_FREES);
		return;
	}
	__builtin_memset(head, 0, sizeof(*head));
	head->time_ns = bpf_ktime_get_ns();
	head->pid = process_number_of(task);
	head->tid = number_of(task);
	head->form = FORM_FREE;
	head->kind = SAMPLE_ALLOCATION;
	head->id = id;
	bpf_ringbuf_submit(head, BPF_RB_NO_WAKEUP);
}

/* lineheat_allocated(id, size, weight, points) of the preloaded library. */
PROBE_PROGRAM(take_allocation)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (!visible_process_of(task))
		return 0;
	u64 points = fourth_argument_of(ctx);
	struct allocation a = {
		.kind = SAMPLE_ALLOCATION,
		.points = points > 0xff ? 0xff : points,
		.id = first_argument_of(ctx),
		.size = second_argument_of(ctx),
		.weight = third_argument_of(ctx),
	};
	take_allocation_of(ctx, task, &a);
	return 0;
}

/* lineheat_freed(id). */
PROBE_PROGRAM(take_free)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (!visible_process_of(task))
		return 0;
	send_free(task, first_argument_of(ctx));
	return 0;
}
