/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * aarch64: registers, calls and signal frames as a walk (walk.h) meets them. A return address is in the link register
 * until a function stores it, wherever it likes, and may carry a signature (pointer authentication).
 */
#pragma once

/* DWARF numbers. */
enum { REG_FP = 29, REG_LINK = 30, REG_SP = 31, REGISTERS = 32 };

struct followed {
	bool sp_is_lost; /* no more is known than that sp is at least what is in `registers` */
};

#include "walk_state.h"

/* What saved_slots says (crates/unwind/src/aarch64.rs). */
#define RETURN_IN_LINK 0
#define RETURN_AT_CFA 1 /* at CFA + extra */
#define CALL_IS_INJECTED 0x40 /* the caller was interrupted; its link register is at CFA */
#define RETURN_IS_SIGNED 0x80

/*
 * Whether the last of these eight bytes are a call (Arm ARM, C6.2: BL; BLR; BLRAA, BLRAB and their forms without
 * modifier).
 */
static __always_inline bool ends_with_call(u64 code)
{
	u32 last = code >> 32;
	return (last & 0xfc000000) == 0x94000000 || (last & 0xfffffc1f) == 0xd63f0000 || (last & 0xfefff800) == 0xd63f0800;
}

/*
 * Linux gives programs addresses of 48 bits, more only to those that ask mmap for an address above; the signature lies
 * between them and bit 55 (Documentation/arch/arm64/pointer-authentication.rst, memory.rst). So 48 bits are kept where
 * 52 could be used, too: there, bits 48 to 51 of code are 0, elsewhere they belong to the signature. Kernels built for
 * smaller addresses (39 bits, or 47 with pages of 16 KiB) sign lower bits, too: what remains of them is in no mapping.
 */
#define ADDRESS_BITS 48

static __always_inline u64 without_signature(u64 address)
{
	return address & ((1ULL << ADDRESS_BITS) - 1);
}

/*
 * struct rt_sigframe lies at sp: siginfo of 128 bytes, then struct ucontext, whose sigcontext starts at 176 with the
 * fault's address; x0 to x30, sp and pc follow (arch/arm64/include/uapi/asm/ucontext.h, sigcontext.h).
 */
#define CONTEXT_FROM_SP (128 + 176 + 8)
#define CONTEXT_IP 32

static __always_inline u64 in_context(u64 context, u32 reg)
{
	return context + 8 * (reg & (REGISTERS - 1));
}

static __always_inline void follow_leaf(struct walk *w)
{
	w->followed.sp_is_lost = false;
}

/* A frame record lies anywhere in its frame. */
static __always_inline void follow_frame_pointer_only(struct walk *w)
{
	w->followed.sp_is_lost = true;
}

static __always_inline void follow_context(struct walk *w, u64 context)
{
	(void)context;
	w->followed.sp_is_lost = false;
}

/* A frame record of another stack, alone, does not say where the frame ends that it is in. */
static __always_inline void follow_rule(struct walk *w, const struct unwind_rule *rule, u64 cfa)
{
	(void)cfa;
	w->followed.sp_is_lost = rule->cfa_kind == CFA_OTHER_STACK && rule->cfa_offset == 2 * 8;
}

static __always_inline u64 followed_at(struct walk *w, u32 reg)
{
	(void)w, (void)reg;
	return LOST_REGISTER;
}

static __always_inline bool returns_by_register(const struct unwind_rule *rule)
{
	return !(rule->saved_slots & RETURN_AT_CFA);
}

static __always_inline u32 return_register(const struct unwind_rule *rule)
{
	(void)rule;
	return REG_LINK;
}

/* From the CFA. */
static __always_inline s64 return_offset(const struct unwind_rule *rule)
{
	return rule->extra & ~TAKEN_FROM_CODE;
}

static __always_inline bool return_is_signed(const struct unwind_rule *rule)
{
	return rule->saved_slots & RETURN_IS_SIGNED;
}

static __always_inline bool call_is_injected(const struct unwind_rule *rule)
{
	return rule->saved_slots & CALL_IS_INJECTED;
}

/* To the place of the interruption; 16 bytes were pushed there, and the link register into the lowest. */
static __always_inline void leave_injected(struct walk *w, u64 cfa)
{
	w->context = cfa - in_context(0, REG_LINK);
	w->registers[REG_SP] = cfa + 16;
}

/*
 * Where sp is lost, x29 points to the frame's own record (AAPCS64, 6.4.6), if it has one, and the rule says where in
 * the frame that is.
 */
static __always_inline bool find_sp(struct walk *w, const struct unwind_rule *rule, u64 *sp)
{
	*sp = w->registers[REG_SP];
	if (!w->followed.sp_is_lost)
		return true;
	*sp = w->registers[REG_FP] - (s64)rule->fp_offset - (s64)rule->cfa_offset;
	return rule->fp_kind == FP_AT_CFA && !returns_by_register(rule) && return_offset(rule) == (s64)rule->fp_offset + 8;
}

/* Whether the CFA may be sp itself: where the return address may still be in the link register. */
static __always_inline bool frame_may_be_empty(struct walk *w)
{
	return w->leaf || w->exact_ip;
}
