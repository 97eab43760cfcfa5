/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Where a stack goes through a file whose rows user space has not made yet, as in the first moments of a program that was
 * started by another, registers and a piece of the stack go out instead: the engine unwinds them when it has the rows, in
 * its memory, and keeps nothing of them.
 *
 * Memory of a process leaves the kernel only here, and only that of processes which the engine itself has started, with
 * what these start. Whoever starts a program may trace it from its first instruction, also where Yama lets nobody trace
 * others (ptrace_scope 1), as long as the invoker may look into it at all (permission.h): take_sample asks that first.
 */
#pragma once

/* Whether the engine wants copies. Set before loading. */
const volatile u32 stack_copies_wanted = 0;

/* The engine: the sampler's parent. Written once, by the sampler's own call. */
u64 engine_task;

SEC("syscall")
int learn_engine(void *unused)
{
	engine_task = (u64)BPF_CORE_READ(bpf_get_current_task_btf(), real_parent, group_leader);
	return 0;
}

#define GENERATIONS_MAX 32

/* Whether the process is the engine, or was started by it or by what it has started. What belongs to root is root's to read. */
static __always_inline bool descends_from_engine(struct task_struct *task)
{
	if (!invoker_uid)
		return true;
	for (int i = 0; i < GENERATIONS_MAX && task; i++) {
		if ((u64)task == engine_task)
			return true;
		task = BPF_CORE_READ(task, real_parent, group_leader);
	}
	return false;
}

#define PAGE_BYTES 4096
#define COPIED_PAGES_MAX (COPY_BYTES_MAX / PAGE_BYTES + 2)

/* Whole pages are copied: the last one may reach beyond what is sent. */
struct copy_room {
	struct stack_copy copy;
	u8 rest_of_page[PAGE_BYTES];
};

/* By CPU; too large for a per-CPU map. As many as there are CPUs: set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct copy_room);
} copy_rooms SEC(".maps");

/* The length of what the running task has mapped from `address` on: its stack, up to its end. */
__noinline u64 mapped_from(u64 address)
{
	struct vm_area_struct *area = own_area_at(address, STATE_OF_EVENTS);
	return area ? BPF_CORE_READ(area, vm_end) - address : 0;
}

/* Copies up to `limit` bytes of what is mapped from `address` on to `offset` of the room, and gives how many. Pages that
 * were never touched are not there: they are zero, as the program would find them. One lies between the first frame of
 * most programs and their arguments, and the first is one where a large frame has just been made. */
__noinline u64 copy_piece(u64 address, u64 offset, u64 limit)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct copy_room *room = bpf_map_lookup_elem(&copy_rooms, &cpu);
	if (!room)
		return 0;
	u64 size = mapped_from(address), copied = 0;
	if (size > limit)
		size = limit;
	for (int i = 0; i < COPIED_PAGES_MAX && copied < size; i++) {
		u64 length = PAGE_BYTES - ((address + copied) & (PAGE_BYTES - 1)), at = offset + copied;
		barrier_value(at);
		if (at >= COPY_BYTES_MAX)
			break;
		bpf_probe_read_user(room->copy.stack + at, length, (void *)(address + copied)); /* zero where it fails */
		copied += length;
	}
	return size;
}

#define VM_EXEC 4

/* Whether the running task may execute what is at `address`. */
static __always_inline bool may_execute(u64 address)
{
	struct vm_area_struct *area = own_area_at(address, STATE_OF_EVENTS);
	return area && BPF_CORE_READ(area, vm_flags) & VM_EXEC;
}

#define FRAME_POINTERS_MAX 32

/* Where frame pointers lead farther than a copy of the stack from `sp` on reaches: a run time that works on a stack of its
 * own, as Go's does, was called from there. 0: nowhere. */
__noinline u64 other_stack(u64 sp, u64 frame_pointer)
{
	for (int i = 0; i < FRAME_POINTERS_MAX; i++) {
		u64 frame[2]; /* the caller's frame pointer, the return address */
		if (frame_pointer & 7 || bpf_probe_read_user(frame, sizeof(frame), (void *)frame_pointer))
			return 0;
		if (frame_pointer - sp >= COPY_BYTES_MAX)
			return may_execute(frame[1]) ? frame_pointer : 0;
		if (frame_pointer - sp >= COPY_BYTES_MAX - OTHER_BYTES_MAX || (frame[0] > sp && frame[0] <= frame_pointer))
			return 0;
		frame_pointer = frame[0];
	}
	return 0;
}

/* As much of the stack as is sent, and of the one below it. */
static __always_inline bool copy_stack(struct stack_copy *copy, u64 sp, u64 frame_pointer)
{
	u64 other = other_stack(sp, frame_pointer);
	u64 size = copy_piece(sp, 0, other ? COPY_BYTES_MAX - OTHER_BYTES_MAX : COPY_BYTES_MAX);
	copy->other_start = other;
	copy->other_bytes = other ? copy_piece(other, size, OTHER_BYTES_MAX) : 0;
	copy->bytes = size + copy->other_bytes;
	return size > 0;
}
