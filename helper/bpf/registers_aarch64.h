/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * aarch64: the registers of an interrupted thread as the kernel has them.
 */
#pragma once

/* struct user_pt_regs (arch/arm64/include/uapi/asm/ptrace.h), with which the kernel's own structure begins. */
struct pt_regs {
	u64 regs[31], sp, pc, pstate;
};

/* The kernel's own. */
struct pt_regs___kernel {
	s32 syscallno;
} __attribute__((preserve_access_index));

static __always_inline u64 pc_of(const struct pt_regs *r)
{
	return r->pc;
}

static __always_inline u64 sp_of(const struct pt_regs *r)
{
	return r->sp;
}

static __always_inline u64 frame_pointer_of(const struct pt_regs *r)
{
	return r->regs[29];
}

/* Whether a word of the kernel's stack is this return address: it may be signed. */
static __always_inline bool are_same_code(u64 word, u64 address)
{
	return (word ^ address) << 16 == 0;
}

/* PSTATE as saved: the exception level in bits 2 and 3, 32-bit code in bit 4 (Arm ARM, C5.2.19 SPSR_EL1). */
static __always_inline bool are_of_kernel(const struct pt_regs *r)
{
	return r->pstate & 0xf;
}

static __always_inline bool are_of_64_bit_code(const struct pt_regs *r)
{
	return !(r->pstate & 0x1f);
}

/* `saved`: where the kernel has them, with the number of the syscall; -1: none. */
static __always_inline bool are_of_syscall(const struct pt_regs *r, const struct pt_regs *saved)
{
	(void)r;
	return BPF_CORE_READ((const struct pt_regs___kernel *)saved, syscallno) >= 0;
}

#define SYSCALL_FUTEX 98
#define SYSCALL_EXIT_GROUP 94

/* The number of the system call that they entered the kernel with, and its first argument. `saved`: as above. */
static __always_inline s32 syscall_of(const struct pt_regs *r, const struct pt_regs *saved)
{
	(void)r;
	return BPF_CORE_READ((const struct pt_regs___kernel *)saved, syscallno);
}

/* Programs of 32 bits have other numbers. */
#define TIF_32BIT (1 << 22)
struct thread_info {
	unsigned long flags;
} __attribute__((preserve_access_index));
struct task_struct___arm64 {
	struct thread_info thread_info;
} __attribute__((preserve_access_index));

/* Whether the system call of the running task has such a number. */
static __always_inline bool is_compat_syscall(const void *task)
{
	return BPF_CORE_READ((const struct task_struct___arm64 *)task, thread_info.flags) & TIF_32BIT;
}

static __always_inline u64 first_argument_of(const struct pt_regs *r)
{
	return r->regs[0];
}

/* The others, of a function of the program. */
static __always_inline u64 second_argument_of(const struct pt_regs *r)
{
	return r->regs[1];
}

static __always_inline u64 third_argument_of(const struct pt_regs *r)
{
	return r->regs[2];
}

static __always_inline u64 fourth_argument_of(const struct pt_regs *r)
{
	return r->regs[3];
}

static __always_inline u32 flags_of(const struct pt_regs *r)
{
	return r->pstate;
}

/* Calls are not timed on this machine (crates/probe-places). */
static __always_inline bool jump_is_taken(const struct pt_regs *r, u32 condition)
{
	(void)r;
	(void)condition;
	return false;
}

/* By DWARF number: x0 to x30, then sp. */
static __always_inline void take_registers(u64 *to, const struct pt_regs *r)
{
	for (int i = 0; i < 31; i++)
		to[i] = r->regs[i];
	to[31] = r->sp;
}

/* The pc stays at a breakpoint, and no instruction is stepped: calls are not timed on this machine. */
static __always_inline void leave_probe(struct pt_regs *r, const void *task, bool in_kernel)
{
	(void)r;
	(void)task;
	(void)in_kernel;
}
