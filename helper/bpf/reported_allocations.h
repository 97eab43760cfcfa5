/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Allocations that a program samples itself: Go's heap profiler, and probes otel_memory:alloc and otel_memory:free. A place in the
 * program's code says where its numbers are (struct allocation_place); the cookie of its probe is its index.
 *
 * An allocation is joined with its free by the address of its block, of which a keyed hash leaves the kernel. Loaded only where a
 * program with such places may run.
 */
#pragma once

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ALLOCATION_PLACES_MAX);
	__type(key, u32);
	__type(value, struct allocation_place);
} allocation_places SEC(".maps");

/* By thread: the block that Go is about to free. What was no sample stays until the thread frees the next one. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u32);
} blocks_freed SEC(".maps");

/* A program that a followed process executes may have such places: the sampler looks at once. */
const volatile bool execs_are_urgent = false;

/* Nothing is sent: the ring's reader is woken. */
static __always_inline void wake_at_exec(void)
{
	void *nothing = execs_are_urgent ? bpf_ringbuf_reserve(&samples, sizeof(u64), 0) : 0;
	if (nothing)
		bpf_ringbuf_discard(nothing, BPF_RB_FORCE_WAKEUP);
}

/* Drawn before loading. */
const volatile u64 address_keys[2] = {};

/* Never 0, and none that the preloaded library gives: it counts from 1. */
#define HASHED_ID (1U << 31)

static __always_inline u32 id_of_block(u64 address)
{
	u64 h = (address ^ address_keys[0]) * (address_keys[1] | 1);
	h = (h ^ h >> 32) * (address_keys[0] | 1);
	return h >> 33 | HASHED_ID;
}

static __always_inline bool read_register(struct task_struct *task, u8 which, u64 *value)
{
	const u64 *saved = (void *)bpf_task_pt_regs(task);
	if (which >= sizeof(struct pt_regs) / sizeof(u64))
		return false;
	return bpf_probe_read_kernel(value, sizeof(*value), saved + which) == 0;
}

static __always_inline bool read_word(struct task_struct *task, u64 pc, const struct operand *o, u64 *value)
{
	u64 address = pc;
	switch (o->source) {
	case OPERAND_CONSTANT:
		*value = o->offset;
		return true;
	case OPERAND_REGISTER:
		return read_register(task, o->reg, value);
	case OPERAND_MEMORY:
		if (!read_register(task, o->reg, &address))
			return false;
		break;
	case OPERAND_NEAR_CODE:
		break;
	default:
		return false;
	}
	/* More than the number has may lie behind the end of its page. */
	u32 last = o->bytes - 1;
	barrier_value(last);
	*value = 0;
	return bpf_probe_read_user(value, (last & 7) + 1, (void *)(address + o->offset)) == 0;
}

static __always_inline bool read_operand(struct task_struct *task, u64 pc, const struct operand *o, u64 *value)
{
	if (!read_word(task, pc, o, value))
		return false;
	u32 unused = (64 - 8 * o->bytes) & 63;
	*value <<= unused;
	*value = o->is_signed ? (u64)((s64)*value >> unused) : *value >> unused;
	return true;
}

/* The place of the probe, if the process may be looked into and passing it means something. */
static __always_inline const struct allocation_place *place_passed(struct pt_regs *ctx, struct task_struct *task)
{
	if (!visible_process_of(task))
		return 0;
	u32 index = bpf_get_attach_cookie(ctx);
	const struct allocation_place *place = bpf_map_lookup_elem(&allocation_places, &index);
	return place && !(place->flags_clear & flags_of(ctx)) ? place : 0;
}

/* Where the role is of an allocation. */
static __always_inline void take_reported_allocation(struct pt_regs *ctx, struct task_struct *task, const struct allocation_place *place)
{
	u64 pc = pc_of(ctx), address = 0, weight = 0;
	struct allocation a = {
		.kind = place->role == PLACE_GO_ALLOCATION ? SAMPLE_GO_ALLOCATION : SAMPLE_REPORTED_ALLOCATION,
		.points = 1,
	};
	bool is_read = read_operand(task, pc, &place->address, &address) && read_operand(task, pc, &place->size, &a.size) &&
		       read_operand(task, pc, &place->weight, &weight);
	if (!is_read) {
		count_preemptibly(COUNTER_LOST_ALLOCATIONS);
		return;
	}
	a.id = id_of_block(address);
	a.weight = weight > 0xffffffff ? 0xffffffff : weight;
	take_allocation_of(ctx, task, &a);
}

static __always_inline void take_reported_free(struct pt_regs *ctx, struct task_struct *task, const struct allocation_place *place)
{
	u64 thread = bpf_get_current_pid_tgid(), address = 0;
	if (place->role == PLACE_GO_FREE) {
		const u32 *noted = bpf_map_lookup_elem(&blocks_freed, &thread);
		if (noted)
			send_free(task, *noted);
		else
			count_preemptibly(COUNTER_LOST_FREES);
		bpf_map_delete_elem(&blocks_freed, &thread);
		return;
	}
	if (!read_operand(task, pc_of(ctx), &place->address, &address)) {
		count_preemptibly(COUNTER_LOST_FREES);
		return;
	}
	u32 id = id_of_block(address);
	if (place->role == PLACE_GO_FREE_BEGINS)
		bpf_map_update_elem(&blocks_freed, &thread, &id, BPF_ANY);
	else
		send_free(task, id);
}

/* One program for all places of a file: so they are one link, which takes long to end. */
PROBE_PROGRAM(take_report)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct allocation_place *place = place_passed(ctx, task);
	if (!place)
		return 0;
	if (place->role == PLACE_GO_ALLOCATION || place->role == PLACE_ALLOCATION)
		take_reported_allocation(ctx, task, place);
	else
		take_reported_free(ctx, task, place);
	return 0;
}
