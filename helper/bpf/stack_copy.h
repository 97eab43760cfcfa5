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
	struct mm_struct *mm = BPF_CORE_READ(bpf_get_current_task_btf(), mm);
	if (!mm)
		return 0;
	struct vm_area_struct *area = area_at(mm, address);
	if (!area)
		return 0;
	u64 start = BPF_CORE_READ(area, vm_start), end = BPF_CORE_READ(area, vm_end);
	return start <= address && address < end ? end - address : 0;
}

/* As much of the stack as is sent. Pages that were never touched are not there: they are zero, as the program would find
 * them. One lies between the first frame of most programs and their arguments, and the first is one where a large frame
 * has just been made. */
static __always_inline bool copy_stack(struct copy_room *room, u64 sp)
{
	u64 size = mapped_from(sp), offset = 0;
	if (size > COPY_BYTES_MAX)
		size = COPY_BYTES_MAX;
	room->copy.bytes = size;
	for (int i = 0; i < COPIED_PAGES_MAX && offset < size; i++) {
		u64 length = PAGE_BYTES - ((sp + offset) & (PAGE_BYTES - 1));
		barrier_value(offset);
		if (offset >= COPY_BYTES_MAX)
			break;
		bpf_probe_read_user(room->copy.stack + offset, length, (void *)(sp + offset)); /* zero where it fails */
		offset += length;
	}
	return size > 0;
}
