/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Kernel stacks of threads that lose their CPU. The kernel's own walk takes longer than that of the user stack, and such stacks
 * repeat: a few system calls, each by few ways. So those that the kernel found are kept, with the places of their return addresses
 * above the stack pointer. Where all of these are found again, the stack is the same.
 */
#pragma once

/* Powers of two. Deeper stacks are walked each time. */
#define KEPT_FRAMES 32
#define KEPT_STACKS 32
#define READ_WORDS 256

struct kept_stack {
	u64 key;
	u32 frames; /* the innermost is in the key */
	u16 words[KEPT_FRAMES]; /* where the return address lies, from the stack pointer on */
	u64 addresses[KEPT_FRAMES];
};
struct kernel_stacks {
	u32 next; /* frame that is looked for. In here, the verifier takes it for any number, and checks one iteration */
	volatile u64 end; /* a number once it is read from here: with pointers, the verifier lets nobody calculate */
	u32 words; /* that were read of this stack; behind them are others' */
	u64 read[READ_WORDS];
	struct kept_stack kept[KEPT_STACKS];
};
/* One value holds at most 32 KiB. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kernel_stacks);
} kernel_stacks SEC(".maps");

struct kernel_walk {
	struct kernel_stacks *stacks;
	struct kept_stack *kept;
};

/* Masked last: Linux 6.12 forgets the bound of a number when one that was computed from it is compared. */
static __always_inline u32 masked(u32 number, u32 mask)
{
	barrier_value(number);
	return number & mask;
}

/* One iteration of bpf_loop, over frames. 1 ends the loop. The outermost frame is not looked for: only one function calls the one
 * below it, and its place varies where the kernel begins its stacks at random (CONFIG_RANDOMIZE_KSTACK_OFFSET). */
static long is_frame_there(u32 iteration, struct kernel_walk *k)
{
	u32 frame = iteration + 1;
	if (frame + 1 >= k->kept->frames)
		return 1;
	frame = masked(frame, KEPT_FRAMES - 1);
	u32 word = masked(k->kept->words[frame], READ_WORDS - 1);
	if (word >= k->stacks->words || !are_same_code(k->stacks->read[word], k->kept->addresses[frame]))
		return 1;
	k->stacks->next = frame + 1;
	return 0;
}

/* One iteration of bpf_loop, over words. */
static long find_frame(u32 word, struct kernel_walk *k)
{
	u32 frame = k->stacks->next;
	if (frame + 1 >= k->kept->frames || word >= k->stacks->words)
		return 1;
	frame = masked(frame, KEPT_FRAMES - 1);
	word = masked(word, READ_WORDS - 1);
	k->kept->words[frame] = word;
	k->stacks->next = frame + are_same_code(k->stacks->read[word], k->kept->addresses[frame]);
	return 0;
}

/* Of the running task, into `w`; `sp`: its stack pointer in the kernel. `key` is not 0. Not static: the verifier then checks it once,
 * not in each state of the caller. */
__noinline int take_kept_stack(struct walk *w, u64 sp, u64 key)
{
	u32 zero = 0;
	struct kernel_walk k = {.stacks = bpf_map_lookup_elem(&kernel_stacks, &zero)};
	if (!w || !k.stacks)
		return false;
	u64 bytes = k.stacks->end - sp;
	barrier_value(bytes);
	if (bytes > sizeof(k.stacks->read))
		bytes = sizeof(k.stacks->read);
	k.kept = &k.stacks->kept[key >> 32 & (KEPT_STACKS - 1)];
	k.stacks->next = 1;
	k.stacks->words = bytes / 8;
	if (bpf_probe_read_kernel(k.stacks->read, bytes, (void *)sp) != 0 || k.kept->key != key)
		return false;
	bpf_loop(KEPT_FRAMES, is_frame_there, &k, 0);
	if (k.stacks->next + 1 != k.kept->frames)
		return false;
	bpf_probe_read_kernel(w->out.frames, sizeof(k.kept->addresses), k.kept->addresses);
	w->kernel_frames = k.kept->frames;
	return true;
}

/* What the kernel has just found, in `w`, where take_kept_stack() has found nothing. */
__noinline int keep_stack(struct walk *w, u64 key)
{
	u32 zero = 0;
	struct kernel_walk k = {.stacks = bpf_map_lookup_elem(&kernel_stacks, &zero)};
	if (!w || !k.stacks)
		return false;
	k.kept = &k.stacks->kept[key >> 32 & (KEPT_STACKS - 1)];
	k.kept->key = 0;
	k.kept->frames = w->kernel_frames;
	if (w->kernel_frames < 2 || w->kernel_frames > KEPT_FRAMES)
		return false;
	bpf_probe_read_kernel(k.kept->addresses, sizeof(k.kept->addresses), w->out.frames);
	k.stacks->next = 1;
	bpf_loop(READ_WORDS, find_frame, &k, 0);
	if (k.stacks->next + 1 == k.kept->frames)
		k.kept->key = key;
	return true;
}

/* Puts the kernel's frames of the running task into `w`, as take_kernel_stack() does. `saved`: its registers in user space, where
 * the kernel's stack begins; `place`: a number for where it waits. */
static __always_inline void take_kernel_stack_of_wait(struct bpf_perf_event_data *ctx, struct walk *w, const struct pt_regs *saved, u64 place)
{
	u32 zero = 0;
	u64 key = mixed(place, pc_of(&ctx->regs)) | 1;
	struct kernel_stacks *stacks = bpf_map_lookup_elem(&kernel_stacks, &zero);
	if (stacks)
		stacks->end = (u64)saved;
	if (take_kept_stack(w, sp_of(&ctx->regs), key))
		return;
	take_kernel_stack(ctx, w);
	keep_stack(w, key);
}
