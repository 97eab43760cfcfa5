/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * How often followed processes call the functions that were chosen: a probe lies on an instruction that each call of a function
 * passes once (crates/probe-places). Nothing is sampled here and no stack is walked.
 *
 * Programs of probes can be preempted by each other, also on one CPU: every count is added to atomically. Loaded only where
 * calls are wanted.
 */
#pragma once

/* By function, and by place where one was inlined: the number is in the cookie of the probes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, CALLED_FUNCTIONS_MAX);
	__type(key, u32);
	__type(value, u64);
} calls_of_functions SEC(".maps");

struct thread_calls_key {
	u32 function;
	u32 pid;
	u32 tid;
};
_Static_assert(sizeof(struct thread_calls_key) == 12, "read by the sampler");

/* The same, by thread. A thread for which there is no room is in the sum above only. */
#define THREAD_CALLS_MAX 32768
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREAD_CALLS_MAX);
	__type(key, struct thread_calls_key);
	__type(value, u64);
} calls_of_threads SEC(".maps");

static __always_inline void add_call_of_thread(u32 function, struct task_struct *task)
{
	struct thread_calls_key key = {
		.function = function,
		.pid = process_number_of(task),
		.tid = number_of(task),
	};
	u64 *calls = bpf_map_lookup_elem(&calls_of_threads, &key);
	if (!calls) {
		u64 none = 0;
		bpf_map_update_elem(&calls_of_threads, &key, &none, BPF_NOEXIST);
		calls = bpf_map_lookup_elem(&calls_of_threads, &key);
	}
	if (calls)
		__sync_fetch_and_add(calls, 1);
}

#include "call_times.h"

static __always_inline void add_call(struct pt_regs *ctx, struct task_struct *task, u64 cookie)
{
	u32 function = CALL_OF_PLACE(cookie);
	u64 *calls = bpf_map_lookup_elem(&calls_of_functions, &function);
	if (!calls)
		return;
	__sync_fetch_and_add(calls, 1);
	add_call_of_thread(function, task);
	if (latency_wanted && KIND_OF_PLACE(cookie) == PLACE_TIMED)
		begin_call(task, function, sp_of(ctx) + DETAIL_OF_PLACE(cookie));
}

PROBE_PROGRAM(count_call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct followed_process *followed = followed_process_of(task);
	if (!followed)
		return 0;
	u64 cookie = bpf_get_attach_cookie(ctx);
	if (KIND_OF_PLACE(cookie) == PLACE_COUNTED_IF && !jump_is_taken(ctx, DETAIL_OF_PLACE(cookie)))
		return 0;
	if (!may_look_into(task)) {
		note_hidden(followed);
		count_preemptibly(COUNTER_CALLS_NOT_ALLOWED);
		return 0;
	}
	add_call(ctx, task, cookie);
	return 0;
}

/*
 * What a count costs on this machine: the sampler puts these at a function of its own, which it calls before it counts anything else.
 * They ask the same as the program above, and go on whatever the answer is.
 */
PROBE_PROGRAM(price_count)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 is_followed = followed_process_of(task) != 0, is_allowed = may_look_into(task);
	barrier_value(is_followed);
	barrier_value(is_allowed);
	add_call(ctx, task, bpf_get_attach_cookie(ctx));
	return 0;
}
