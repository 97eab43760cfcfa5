/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * x86-64: registers, calls and signal frames as a walk (walk.h) meets them. rbx and r13 are followed beside rsp and
 * rbp: OCaml, glibc's lazy binding and others compute their CFAs from them.
 */
#pragma once

/* DWARF numbers. */
enum { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R13 = 13, REGISTERS = 16 };
#define REG_FP REG_RBP
#define REG_SP REG_RSP

struct followed {
	u64 rbx_at; /* where the present frame's value is: an address, IN_REGISTER or LOST_REGISTER */
	u64 r13_at;
};

#include "walk_state.h"

/* Whether the last of these eight bytes end a call (Intel SDM 2A, CALL: E8 and FF /2). */
static __always_inline bool ends_with_call(u64 code)
{
#define BYTE_BEFORE(n) ((u8)(code >> (8 * (8 - (n)))))
#define INDIRECT_CALL_BEFORE(n) (BYTE_BEFORE(n) == 0xff && (BYTE_BEFORE((n) - 1) & 0x38) == 0x10)
	return BYTE_BEFORE(5) == 0xe8 || INDIRECT_CALL_BEFORE(2) || INDIRECT_CALL_BEFORE(3) || INDIRECT_CALL_BEFORE(4) ||
	       INDIRECT_CALL_BEFORE(6) || INDIRECT_CALL_BEFORE(7);
}

static __always_inline u64 without_signature(u64 address)
{
	return address;
}

/* struct ucontext lies at rsp; its registers start at 40 (arch/x86/include/uapi/asm/sigcontext.h): r8 to r15, rdi, rsi,
 * rbp, rbx, rdx, rax, rcx, rsp, rip. Four bits for each DWARF number. */
#define CONTEXT_FROM_SP 40
#define CONTEXT_INDEXES 0x76543210fa89becdULL
#define CONTEXT_IP 16

static __always_inline u64 in_context(u64 context, u32 reg)
{
	return context + 8 * (CONTEXT_INDEXES >> (4 * (reg & 15)) & 15);
}

static __always_inline void follow_leaf(struct walk *w)
{
	w->followed.rbx_at = IN_REGISTER;
	w->followed.r13_at = IN_REGISTER;
}

static __always_inline void follow_frame_pointer_only(struct walk *w)
{
	w->followed.rbx_at = LOST_REGISTER;
	w->followed.r13_at = LOST_REGISTER;
}

static __always_inline void follow_context(struct walk *w, u64 context)
{
	w->followed.rbx_at = in_context(context, REG_RBX);
	w->followed.r13_at = in_context(context, REG_R13);
}

static __always_inline void follow_rule(struct walk *w, const struct unwind_rule *rule, u64 cfa)
{
	u32 rbx_slot = rule->saved_slots & 15, r13_slot = rule->saved_slots >> 4;
	if (rbx_slot)
		w->followed.rbx_at = rbx_slot == SLOT_LOST ? LOST_REGISTER : cfa - 8 * rbx_slot;
	if (r13_slot)
		w->followed.r13_at = r13_slot == SLOT_LOST ? LOST_REGISTER : cfa - 8 * r13_slot;
}

static __always_inline u64 followed_at(struct walk *w, u32 reg)
{
	if (reg == REG_RBX)
		return w->followed.rbx_at;
	if (reg == REG_R13)
		return w->followed.r13_at;
	return LOST_REGISTER;
}

static __always_inline bool returns_by_register(const struct unwind_rule *rule)
{
	return rule->cfa_kind == CFA_RETURN_IN_REGISTER;
}

static __always_inline u32 return_register(const struct unwind_rule *rule)
{
	return rule->extra & (REGISTERS - 1);
}

/* From the CFA. */
static __always_inline s64 return_offset(const struct unwind_rule *rule)
{
	(void)rule;
	return -8;
}

static __always_inline bool return_is_signed(const struct unwind_rule *rule)
{
	(void)rule;
	return false;
}

/* What a signal handler calls returns as from any call. */
static __always_inline bool call_is_injected(const struct unwind_rule *rule)
{
	(void)rule;
	return false;
}

static __always_inline void leave_injected(struct walk *w, u64 cfa)
{
	(void)w, (void)cfa;
}

static __always_inline bool find_sp(struct walk *w, const struct unwind_rule *rule, u64 *sp)
{
	(void)rule;
	*sp = w->registers[REG_SP];
	return true;
}

/* Whether the CFA may be rsp itself: where the return address is in a register. */
static __always_inline bool frame_may_be_empty(struct walk *w)
{
	return w->leaf;
}
