/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * x86-64: the registers of an interrupted thread as the kernel has them.
 */
#pragma once

/* As saved on entry to the kernel (arch/x86/include/uapi/asm/ptrace.h). */
struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

static __always_inline u64 pc_of(const struct pt_regs *r)
{
	return r->ip;
}

static __always_inline u64 sp_of(const struct pt_regs *r)
{
	return r->sp;
}

static __always_inline u64 frame_pointer_of(const struct pt_regs *r)
{
	return r->bp;
}

/* Whether a word of the kernel's stack is this return address. */
static __always_inline bool are_same_code(u64 word, u64 address)
{
	return word == address;
}

/* The privilege level is in the low bits of the code segment. */
static __always_inline bool are_of_kernel(const struct pt_regs *r)
{
	return (r->cs & 3) == 0;
}

static __always_inline bool are_of_64_bit_code(const struct pt_regs *r)
{
	return r->cs == 0x33; /* __USER_CS */
}

/* A syscall leaves its own return address in rcx and the flags in r11 (SYSCALL, Intel SDM 2B). `saved`: where the kernel
 * has them. */
static __always_inline bool are_of_syscall(const struct pt_regs *r, const struct pt_regs *saved)
{
	(void)saved;
	return r->cx == r->ip && r->r11 == r->flags;
}

/* x86 has a second table of system calls, for programs of 32 bits and for int 0x80 in any other. */
#define TS_COMPAT 2
struct thread_info {
	unsigned long flags;
	u32 status;
} __attribute__((preserve_access_index));
/* What the kernel keeps of a thread that has hit a probe. */
struct uprobe_task {
	unsigned long vaddr;     /* of the instruction that is being stepped … */
	unsigned long xol_vaddr; /* … and of its copy; 0: none is */
} __attribute__((preserve_access_index));
struct task_struct___x86 {
	struct thread_info thread_info;
	struct uprobe_task *utask;
} __attribute__((preserve_access_index));

/* Whether the system call of the running task is one of that table. */
static __always_inline bool is_compat_syscall(const void *task)
{
	return BPF_CORE_READ((const struct task_struct___x86 *)task, thread_info.status) & TS_COMPAT;
}

#define SYSCALL_FUTEX 202
#define SYSCALL_EXIT_GROUP 231

/* The number of the system call that they entered the kernel with, and its first argument. `saved`: as above. */
static __always_inline s32 syscall_of(const struct pt_regs *r, const struct pt_regs *saved)
{
	(void)saved;
	return (s32)r->orig_ax;
}

static __always_inline u64 first_argument_of(const struct pt_regs *r)
{
	return r->di;
}

/* The others, of a function of the program. */
static __always_inline u64 second_argument_of(const struct pt_regs *r)
{
	return r->si;
}

static __always_inline u64 third_argument_of(const struct pt_regs *r)
{
	return r->dx;
}

static __always_inline u64 fourth_argument_of(const struct pt_regs *r)
{
	return r->cx;
}

static __always_inline u32 flags_of(const struct pt_regs *r)
{
	return r->flags;
}

/* Whether a conditional jump is taken. Conditions come in pairs, of which the odd one is the opposite (Intel SDM 2A, appendix
 * B.1.4). */
static __always_inline bool jump_is_taken(const struct pt_regs *r, u32 condition)
{
	u64 flags = r->flags;
	bool carry = flags & 1, parity = flags & 4, zero = flags & 0x40, sign = flags & 0x80, overflow = flags & 0x800;
	bool is_so;
	switch (condition >> 1 & 7) {
	case 0: is_so = overflow; break;
	case 1: is_so = carry; break;
	case 2: is_so = zero; break;
	case 3: is_so = carry || zero; break;
	case 4: is_so = sign; break;
	case 5: is_so = parity; break;
	case 6: is_so = sign != overflow; break;
	default: is_so = zero || sign != overflow; break;
	}
	return is_so != (condition & 1);
}

/* By DWARF number. */
static __always_inline void take_registers(u64 *to, const struct pt_regs *r)
{
	to[0] = r->ax;
	to[1] = r->dx;
	to[2] = r->cx;
	to[3] = r->bx;
	to[4] = r->si;
	to[5] = r->di;
	to[6] = r->bp;
	to[7] = r->sp;
	to[8] = r->r8;
	to[9] = r->r9;
	to[10] = r->r10;
	to[11] = r->r11;
	to[12] = r->r12;
	to[13] = r->r13;
	to[14] = r->r14;
	to[15] = r->r15;
}

#define BREAKPOINT 0xcc
#define INSTRUCTION_BYTES_MAX 16
/* TIF_UPROBE: a breakpoint was met, and the kernel has not looked yet which. Bit 12, and 8 since Linux 6.18 (asm-generic/thread_info_tif.h). */
#define MET_BREAKPOINT (1 << 12 | 1 << 8)

/* Where a thread that is at a probe would be without it. The breakpoint leaves the pc behind itself, and an instruction that the kernel
 * cannot emulate is stepped in a copy, for which nobody has rows. `r`: of the user's code. */
static __always_inline void leave_probe(struct pt_regs *r, const void *task, bool in_kernel)
{
	const struct task_struct___x86 *own = task;
	const struct uprobe_task *at = BPF_CORE_READ(own, utask);
	if (!at)
		return;
	u64 copy = BPF_CORE_READ(at, xol_vaddr), behind = r->ip - copy;
	u8 code;
	if (copy) {
		if (behind < INSTRUCTION_BYTES_MAX)
			r->ip = BPF_CORE_READ(at, vaddr) + behind;
	} else if (in_kernel && bpf_probe_read_user(&code, sizeof(code), (void *)(r->ip - 1)) == 0 && code == BREAKPOINT) {
		/* Else the kernel is at work on it, or has emulated it: a push, then, which leaves a stack that was aligned for a call
		 * (System V ABI, 3.2.2). */
		if ((BPF_CORE_READ(own, thread_info.flags) & MET_BREAKPOINT) || (r->sp & 15) == 8)
			r->ip--;
	}
}
