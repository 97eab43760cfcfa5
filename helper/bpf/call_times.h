/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * How long the calls of chosen functions take. A call begins at the probe that counts it, and ends at a probe on one of the
 * function's returns or tail calls. The stack pointer at its start says which call it is: it is the same at the end, and nothing
 * that is called later on this stack can have it before. A call that an exception, longjmp or the end of its thread has cut off is
 * dropped when the stack pointer shows that its frame is gone: it never gets a length.
 *
 * Calls that have begun are kept by thread, so no program that preempts this one has the same. Loaded only where lengths are wanted.
 */
#pragma once

#define OPEN_CALLS_MAX 128 /* a power of two */

struct open_call {
	u64 sp; /* when it began: where its return address is */
	u64 since_ns;
	u64 function;
};

/* With descending stack pointers. */
struct open_calls {
	u64 count;
	struct open_call calls[OPEN_CALLS_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct open_calls);
} open_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TIMED_FUNCTIONS_MAX);
	__type(key, u32);
	__type(value, struct call_times);
} times_of_calls SEC(".maps");

const volatile bool latency_wanted = false;

/* The innermost call that has begun; a copy of it. False: there is none. */
static __always_inline bool last_open_call(const struct open_calls *open, struct open_call *call)
{
	u64 count = open->count;
	if (!count)
		return false;
	*call = open->calls[(count - 1) & (OPEN_CALLS_MAX - 1)];
	return true;
}

/* Those whose frames the stack pointer has left: they have not ended by a return. `sp`: all below it, with itself if
 * `is_reused`. */
static __always_inline void drop_open_calls(struct open_calls *open, u64 sp, bool is_reused)
{
	for (int i = 0; i < OPEN_CALLS_MAX; i++) {
		struct open_call call;
		if (!last_open_call(open, &call) || call.sp >= sp + is_reused)
			return;
		open->count--;
		u32 function = call.function;
		struct call_times *times = bpf_map_lookup_elem(&times_of_calls, &function);
		if (times)
			__sync_fetch_and_add(&times->unfinished, 1);
	}
}

static __always_inline void begin_call(struct task_struct *task, u32 function, u64 sp)
{
	struct call_times *times = bpf_map_lookup_elem(&times_of_calls, &function);
	if (!times || times->is_over)
		return;
	struct open_calls *open = bpf_task_storage_get(&open_calls, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (open)
		drop_open_calls(open, sp, true);
	if (!open || open->count >= OPEN_CALLS_MAX) {
		__sync_fetch_and_add(&times->no_room, 1);
		return;
	}
	struct open_call *call = &open->calls[open->count & (OPEN_CALLS_MAX - 1)];
	open->count++;
	call->sp = sp;
	call->function = function;
	/* Last, so that the work above is in no length. */
	call->since_ns = bpf_ktime_get_ns();
}

/* Several threads raise it at once; who is overtaken so often has met as many higher values. */
#define RAISES_MAX 32
static __always_inline void raise(u64 *highest, u64 value)
{
	for (int i = 0; i < RAISES_MAX; i++) {
		u64 old = *(volatile u64 *)highest;
		if (old >= value || __sync_val_compare_and_swap(highest, old, value) == old)
			return;
	}
}

static __always_inline u32 highest_bit(u64 value)
{
	u32 bit = 0;
	for (u32 half = 32; half; half /= 2) {
		if (value >> half) {
			value >>= half;
			bit += half;
		}
	}
	return bit;
}

/* The last one has all that is longer, too. */
static __always_inline u32 bucket_of(u64 ns)
{
	if (ns < 8)
		return ns;
	u32 bit = highest_bit(ns);
	u32 bucket = (bit - 2) * 8 + ((ns >> (bit - 3)) & 7);
	return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

/* `is_priced`: only what this costs is of interest (calls.h). */
static __always_inline int end_at(struct pt_regs *ctx, bool is_priced)
{
	u64 now_ns = bpf_ktime_get_ns();
	u64 cookie = bpf_get_attach_cookie(ctx);
	if (KIND_OF_PLACE(cookie) == PLACE_LEFT_IF && !jump_is_taken(ctx, DETAIL_OF_PLACE(cookie)))
		return 0;
	struct task_struct *task = bpf_get_current_task_btf();
	struct open_calls *open = bpf_task_storage_get(&open_calls, task, 0, 0);
	if (!open)
		return 0;
	u64 sp = sp_of(ctx);
	drop_open_calls(open, sp, false);
	struct open_call call;
	u32 function = CALL_OF_PLACE(cookie);
	if (!last_open_call(open, &call) || call.sp != sp || call.function != function)
		return 0; /* it began before the recording, or there was no room for it */
	open->count--;
	struct call_times *times = bpf_map_lookup_elem(&times_of_calls, &function);
	if (!times || !(may_look_into(task) || is_priced))
		return 0;
	u64 ns = now_ns - call.since_ns;
	u32 bucket = bucket_of(ns);
	if (bucket >= LATENCY_BUCKETS)
		return 0;
	__sync_fetch_and_add(&times->buckets[bucket], 1);
	__sync_fetch_and_add(&times->sum, ns);
	raise(&times->longest, ns);
	raise(&times->shortest, ~ns);
	return 0;
}

PROBE_PROGRAM(end_call)
{
	return end_at(ctx, false);
}

PROBE_PROGRAM(price_end)
{
	return end_at(ctx, true);
}
