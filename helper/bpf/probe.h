/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * A program of a probe, on the stack of the thread that it runs in. From Linux 6.13 on (arm64: 6.17), a program that uses 64 bytes of
 * stack or more has one of its CPU instead, since the kernel takes it that no other thread runs the program there in the midst of it.
 * That is so for programs of events. Those of probes can be preempted: the next thread would overwrite the variables of the first one,
 * which then goes on with them, up to a fault of the kernel. A program that contains a tail call is left on the thread's stack.
 */
#pragma once

/* Nothing is ever in it. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} no_programs SEC(".maps");

/* False, which the verifier knows: the call is not in what runs. */
const volatile bool calls_a_program = false;

/*
 * Newer kernels let a program keep its CPU. Otherwise, another thread may have it in the midst of a walk, and find all states for walks
 * in use.
 */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

static __always_inline bool keep_cpu(void)
{
	if (!bpf_core_field_exists(struct bpf_prog_aux, might_sleep) || !bpf_preempt_disable || !bpf_preempt_enable)
		return false;
	bpf_preempt_disable();
	return true;
}

static __always_inline void give_up_cpu(bool is_kept)
{
	if (is_kept)
		bpf_preempt_enable();
}

/* SEC("uprobe.multi") int name(struct pt_regs *ctx), whose body follows. */
#define PROBE_PROGRAM(name)                                         \
	static __always_inline int run_##name(struct pt_regs *ctx); \
	SEC("uprobe.multi") int name(struct pt_regs *ctx)           \
	{                                                           \
		if (calls_a_program)                                \
			bpf_tail_call(ctx, &no_programs, 0);        \
		bool keeps = keep_cpu();                            \
		run_##name(ctx);                                    \
		give_up_cpu(keeps);                                 \
		return 0;                                           \
	}                                                           \
	static __always_inline int run_##name(struct pt_regs *ctx)
