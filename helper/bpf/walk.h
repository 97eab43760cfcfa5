/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * The walk of a user stack: from registers and rows (records.h) to return addresses. One code for two places: the BPF
 * program of sampler.bpf.c, where it reads maps and the stack of the running task, and user space (crates/walk), where
 * it reads recorded registers and stack bytes, can be tested and fuzzed, and serves recordings without privilege.
 *
 * What differs between machines is in walk_x86_64.h and walk_aarch64.h, the state and what the includer supplies in
 * walk_state.h. The includer defines the integer types, bool, __always_inline, __noinline and barrier_value(), and
 * __TARGET_ARCH_arm64 (as libbpf does) for aarch64.
 */
#pragma once

#ifdef __TARGET_ARCH_arm64
#include "walk_aarch64.h"
#else
#include "walk_x86_64.h"
#endif

static __always_inline bool contains(const struct mapping *m, u64 address)
{
	return m && m->start <= address && address < m->end;
}

/*
 * All bits if a ≤ b, else none; a below 2^63, and a b that is not is less than any. Searches choose their half by it instead of by a branch: the verifier
 * follows each side of each branch.
 */
static __always_inline u32 if_at_most(u64 a, u64 b)
{
	u64 difference = b - a;
	barrier_value(difference);
	return (u32)(difference >> 63) - 1;
}

static __always_inline u64 bit_of_mapping(u32 number)
{
	return 1ULL << (number & 63);
}

static __always_inline u64 *checked_word(struct walk *w, u32 number)
{
	return &w->checked[number / 64 & (CHECKED_WORDS - 1)];
}

static __always_inline bool is_checked(struct walk *w, u32 number)
{
	return *checked_word(w, number) & bit_of_mapping(number);
}

/* The mapping of the table that holds `address`, or null; its number is w->last_mapping. */
static __noinline const struct mapping *find_mapping(struct walk *w, u64 address)
{
	const struct mapping_table *table = mapping_table_of(w);
	if (!table)
		return 0;
	u32 number = w->last_mapping & (MAPPINGS_MAX - 1);
	if (number >= table->count || !contains(&table->mappings[number], address)) {
		u32 low = 0, count = (u32)table->count; /* the answer is the last start ≤ address, in [low, low + count) */
		for (int i = 0; i < 9; i++) { /* 2^8 = MAPPINGS_MAX */
			u32 half = count / 2;
			low += half & if_at_most(table->mappings[(low + half) & (MAPPINGS_MAX - 1)].start, address);
			count -= half;
		}
		number = low & (MAPPINGS_MAX - 1);
		w->last_mapping = number;
		if (number >= table->count || !contains(&table->mappings[number], address))
			return 0;
	}
	return &table->mappings[number];
}

/* What search_rule() gives instead of the number of a rule. */
#define NO_ROW -1
#define NO_MAPPING -2

/* The number of the rule in force at `vaddr` of a module, or NO_ROW. */
static __noinline s32 find_rule(struct walk *w, const struct mapping *m, u64 vaddr)
{
	u64 page = vaddr >> PAGE_SHIFT;
	if (page >= m->page_count) {
		w->rows_missing |= !m->page_count && m->first_page != NO_PAGES;
		return NO_ROW;
	}
	const u64 *entry = page_at(w, m->first_page + (u32)page);
	if (!entry)
		return NO_ROW;
	u32 low = (u32)*entry, count = *entry >> 32; /* the answer is the last offset ≤ this one, in [low, low + count) */
	u32 offset = vaddr & ((1 << PAGE_SHIFT) - 1);
	if (count == 0)
		return NO_ROW;
	for (int i = 0; i <= PAGE_SHIFT && count > 1; i++) { /* at most one row a byte */
		u32 half = count / 2;
		low += half & if_at_most(row_at(w, low + half) & 0xffff, offset);
		count -= half;
	}
	return row_at(w, low) >> 16;
}

/*
 * The number of the rule in force at `ip`. Not static: the verifier then checks it once by itself instead of within
 * each state of the walk, which halves the time to load.
 */
__noinline s32 search_rule(struct walk *w, u64 ip)
{
	if (!w)
		return NO_MAPPING;
	const struct mapping *m = w->has_table ? find_mapping(w, ip) : 0;
	if (m && !is_checked(w, w->last_mapping) && !check_mapping(w, w->last_mapping, m))
		m = 0;
	w->beyond_table = !m;
	if (!m)
		m = mapping_beyond_table(w, ip);
	return m ? find_rule(w, m, ip - m->bias) : NO_MAPPING;
}

/* Ends the walk. */
static __always_inline bool end_walk(struct walk *w, u8 end)
{
	w->end = end;
	return false;
}

/* Whether a call ends at `address`. A frame pointer that is none leads anywhere. */
static __noinline bool may_return_to(struct walk *w, u64 address)
{
	u64 code;
	enum code_read read = code_before(w, address, &code);
	if (read != CODE_READ)
		return read == CODE_UNKNOWN;
	return ends_with_call(code);
}

/* Whether `address` is in executable memory without a file: made at run time. */
static __noinline bool is_made_at_run_time(struct walk *w, u64 address)
{
	const struct mapping *m = w->has_table ? find_mapping(w, address) : 0;
	return m && m->first_page == NO_PAGES;
}

/* Interpreters made at run time (the JVM's) return to where no call is: within such code, frames in order are enough. */
static __always_inline bool may_return_within_run_time_code(struct walk *w, u64 caller_fp, u64 caller_ip)
{
	return caller_fp > w->registers[REG_FP] && !(caller_fp & 7) && is_made_at_run_time(w, w->ip) && is_made_at_run_time(w, caller_ip);
}

/* Moves to the caller by the frame pointer chain. */
static __always_inline bool step_by_frame_pointer(struct walk *w, u8 end_otherwise)
{
	u64 fp = w->registers[REG_FP], caller_fp, caller_ip;
	/* The outermost frame has a frame pointer of 0 (System V ABI, 3.4.1). In a leaf without a row, 0 may be any value. */
	if (fp == 0 && !w->leaf && end_otherwise != STACK_END_NO_MAPPING)
		return end_walk(w, STACK_END_ROOT);
	if (fp < w->registers[REG_SP] || (fp & 7) || !read_stack(w, fp, &caller_fp) || !read_stack(w, fp + 8, &caller_ip) || !caller_ip)
		return end_walk(w, end_otherwise);
	if (!may_return_to(w, without_signature(caller_ip)) && !may_return_within_run_time_code(w, caller_fp, without_signature(caller_ip)))
		return end_walk(w, end_otherwise);
	w->registers[REG_SP] = fp + 16;
	w->registers[REG_FP] = caller_fp;
	follow_frame_pointer_only(w);
	w->ip = without_signature(caller_ip);
	w->exact_ip = false;
	return true;
}

/* The kernel's signal frame lies at sp when the handler has returned. */
static __always_inline bool step_out_of_signal(struct walk *w)
{
	u64 context = w->registers[REG_SP] + CONTEXT_FROM_SP;
	if (!read_user(w, context + 8 * CONTEXT_IP, &w->ip) ||
	    !read_user(w, in_context(context, REG_FP), &w->registers[REG_FP]) ||
	    !read_user(w, in_context(context, REG_SP), &w->registers[REG_SP]))
		return end_walk(w, STACK_END_UNREADABLE);
	w->context = context;
	follow_context(w, context);
	w->exact_ip = true;
	return true;
}

/* The value of any register in the present frame. False: it is not known. */
static __noinline bool other_register(struct walk *w, u32 reg, u64 *value)
{
	u64 at = IN_REGISTER;
	if (!w->leaf)
		at = w->exact_ip ? in_context(w->context, reg) : followed_at(w, reg);
	if (at == LOST_REGISTER)
		return false;
	*value = w->registers[reg & (REGISTERS - 1)];
	return at == IN_REGISTER || read_user(w, at, value);
}

/* Computes the canonical frame address. False: the walk has ended. */
static __always_inline bool find_cfa(struct walk *w, const struct unwind_rule *rule, u64 *cfa)
{
	u32 reg = rule->cfa_register;
	u8 kind = rule->cfa_kind;
	u64 value;
	bool own_stack = reg == REG_SP || reg == REG_FP;
	if (reg == REG_SP) {
		if (!find_sp(w, rule, &value))
			return end_walk(w, STACK_END_NO_RULE);
	} else if (reg == REG_FP) {
		value = w->registers[REG_FP];
	} else if (!other_register(w, reg, &value)) {
		return end_walk(w, STACK_END_NO_RULE);
	}
	if (kind == CFA_CLONE) {
		u64 result;
		if (other_register(w, rule->extra, &result) && result == 0)
			return end_walk(w, STACK_END_ROOT);
	}
	if (kind == CFA_OTHER_STACK) {
		if (value == 0)
			return end_walk(w, STACK_END_ROOT);
		own_stack = false;
	}
	value += (s64)rule->cfa_offset;
	if (kind == CFA_PLT) {
		value += (w->ip & 15) >= (u32)rule->extra ? 8 : 0;
	} else if (kind == CFA_DEREF || kind == CFA_DOUBLE_DEREF) {
		own_stack = false;
		if (!read_stack(w, value, &value))
			return end_walk(w, STACK_END_UNREADABLE);
		value += (s64)(rule->extra & ~TAKEN_FROM_CODE);
		if (kind == CFA_DOUBLE_DEREF) {
			if (!read_user(w, value, &value))
				return end_walk(w, STACK_END_UNREADABLE);
			value += (s64)rule->fp_offset;
		}
	}
	/* A stack shrinks from frame to frame, unless the code is known to change to another. */
	u64 sp = w->registers[REG_SP];
	if (own_stack && value <= sp && !(frame_may_be_empty(w) && value == sp))
		return end_walk(w, STACK_END_BROKEN);
	if (value & 7) /* nothing aligned can be pushed at an odd place: rows and stack disagree */
		return end_walk(w, STACK_END_BROKEN);
	*cfa = value;
	return true;
}

/* longjmp has loaded its caller's registers, and describes them before it jumps. */
static __always_inline bool step_by_registers(struct walk *w, const struct unwind_rule *rule)
{
	u64 sp, fp, ip;
	if (!other_register(w, rule->cfa_register, &sp) || !other_register(w, rule->fp_offset, &fp) ||
	    !other_register(w, rule->extra, &ip))
		return end_walk(w, STACK_END_NO_RULE);
	if (sp & 7)
		return end_walk(w, STACK_END_BROKEN);
	w->registers[REG_SP] = sp;
	w->registers[REG_FP] = fp;
	follow_frame_pointer_only(w);
	w->ip = ip;
	w->exact_ip = false; /* behind the call of setjmp */
	return true;
}

static __always_inline bool is_taken_from_code(const struct unwind_rule *rule)
{
	return (rule->cfa_kind == CFA_REG || rule->cfa_kind == CFA_DEREF) && (rule->extra & TAKEN_FROM_CODE);
}

/* Whether a call ends at `address`, or code begins there that is returned to without a call: that behind a signal handler, and the end of a thread. */
static __always_inline bool leads_to_caller(struct walk *w, u64 address)
{
	s32 number = search_rule(w, address - 1);
	if (number == NO_MAPPING)
		return false;
	if (may_return_to(w, address))
		return true;
	const struct unwind_rule *rule = number < 0 ? 0 : rule_at(w, number);
	return rule && (rule->cfa_kind == CFA_SIGNAL || rule->cfa_kind == CFA_END);
}

/* Whether what is known is of this address, and of a mapping that is still there. */
static __always_inline bool is_known(struct walk *w, const struct known_rule *known, u64 ip)
{
	u64 tag = known->generation_and_mapping;
	return known->ip == ip && tag >> 8 == w->generation && is_checked(w, tag & 0xff);
}

/* Moves from the current frame to its caller. False: the walk has ended, w->end says how. */
static __always_inline bool step_to_caller(struct walk *w, u64 lookup_ip)
{
	const struct unwind_rule *found;
	/* Leaf addresses hardly repeat; they would only push the callers out. */
	struct known_rule *known = w->leaf || !w->has_table ? 0 : known_rule_at(w, lookup_ip);
	if (known && is_known(w, known, lookup_ip)) {
		found = &known->rule;
	} else {
		s32 number = search_rule(w, lookup_ip);
		if (w->leaf)
			w->leaf_mapping = w->last_mapping;
		found = number < 0 ? 0 : rule_at(w, number);
		if (!found || found->cfa_kind == CFA_NONE)
			return step_by_frame_pointer(w, number == NO_MAPPING ? STACK_END_NO_MAPPING : STACK_END_NO_RULE);
		if (known && !w->beyond_table) {
			known->ip = lookup_ip;
			known->generation_and_mapping = w->generation << 8 | (w->last_mapping & 0xff);
			known->rule = *found;
		}
	}
	/* A copy, wherever it was found: the verifier checks what follows once for each place. */
	w->rule = *found;
	const struct unwind_rule *rule = &w->rule;
	if (rule->cfa_kind == CFA_END)
		return end_walk(w, STACK_END_ROOT);
	if (rule->cfa_kind == CFA_SIGNAL)
		return step_out_of_signal(w);
	if (rule->cfa_kind == CFA_CALLER_IN_REGISTERS)
		return step_by_registers(w, rule);
	if (rule->cfa_kind == CFA_UNSUPPORTED)
		return end_walk(w, STACK_END_NO_RULE);

	u64 cfa;
	if (!find_cfa(w, rule, &cfa))
		return false;
	u64 fp = w->registers[REG_FP], ip;
	bool readable = true;
	if (rule->fp_kind == FP_AT_CFA) {
		u64 at = cfa + (s64)rule->fp_offset, saved;
		/* Compilers do not say that an epilogue has popped it: a copied stack ends above, and fp has its value. */
		if (read_stack(w, at, &saved))
			fp = saved;
		else
			readable = w->exact_ip && at < w->registers[REG_SP];
	} else if (rule->fp_kind == FP_AT_FP) {
		readable = read_user(w, fp + (s64)rule->fp_offset, &fp);
	} else if (rule->fp_kind == FP_LOST) {
		fp = LOST_FRAME_POINTER;
	}
	if (returns_by_register(rule)) {
		if (!other_register(w, return_register(rule), &ip))
			return end_walk(w, STACK_END_NO_RULE);
	} else {
		readable &= read_stack(w, cfa + return_offset(rule), &ip);
	}
	if (!readable)
		return end_walk(w, STACK_END_UNREADABLE);
	if (is_taken_from_code(rule) && !leads_to_caller(w, without_signature(ip)))
		return end_walk(w, STACK_END_NO_RULE);
	follow_rule(w, rule, cfa);
	w->registers[REG_SP] = cfa;
	w->registers[REG_FP] = fp;
	if (return_is_signed(rule))
		ip = without_signature(ip);
	w->ip = ip;
	w->exact_ip = call_is_injected(rule);
	if (w->exact_ip)
		leave_injected(w, cfa);
	if (ip == 0)
		return end_walk(w, STACK_END_ROOT);
	return true;
}

/* Makes the state ready for registers and ip that are in it already. */
static __always_inline void begin_walk(struct walk *w, bool exact_ip)
{
	w->exact_ip = exact_ip;
	w->leaf = true;
	w->end = STACK_END_CUT;
	w->user_frames = 0;
	w->last_mapping = 0;
	w->rows_missing = false;
	follow_leaf(w);
	w->window_start = NO_WINDOW;
}

/* Keeps the current frame and moves to its caller. False: the walk has ended. */
static __always_inline bool walk_frame(struct walk *w)
{
	u32 n = w->user_frames;
	if (n >= w->user_frames_wanted)
		return false;
	u32 at = w->kernel_frames + n;
	if (at >= FRAMES_MAX)
		return false;
	u64 lookup_ip = w->exact_ip ? w->ip : w->ip - 1;
	w->out.frames[at] = lookup_ip;
	w->user_frames = n + 1;
	bool more = step_to_caller(w, lookup_ip);
	w->leaf = false;
	return more;
}
