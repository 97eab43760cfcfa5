/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Where threads wait, without a walk: a thread that waits very often does so at few places. A place is known by a fingerprint of
 * the user's registers and of the return addresses above the stack pointer: without these, a helper that all callers wait in
 * would be one place. A place that is known has the stack that was last walked there; it is walked again now and then, and always
 * once two different stacks were found.
 */
#pragma once

/* A walk and what becomes of it take some ten microseconds: 1,000 of them a second are 1 % of a CPU. */
#define WALKS_EVERY_NS 100000000
#define WALKS_AT_ONCE 100
/* If so many switches came in the time before that most are charged by place anyway. */
#define BUSY_SWITCHES 500
#define WALKS_AT_ONCE_BUSY 20
/* Beyond these, of places that are not known well enough. */
#define MORE_WALKS_AT_ONCE 400
#define WALKED_AGAIN_EVERY 64
struct walks_left {
	u64 since_ns;
	u32 of_any;
	u32 of_unknown;
	u32 switches;
	u32 reserved;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walks_left);
} walks_of_waits SEC(".maps");

struct wait_place {
	u64 stack; /* a hash of it */
	u32 seen;  /* how often, without a walk */
	u32 is_several;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct wait_place);
} wait_places SEC(".maps");

static __always_inline u64 mixed(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Words above the stack pointer, at most as many as a walk's window has. */
#define FINGERPRINT_WORDS 32
_Static_assert(FINGERPRINT_WORDS <= WINDOW_WORDS, "they are read there");

/* The place where a thread last waited. */
struct last_place {
	u64 near_code; /* a hash of all that may be code, which is found faster than what is */
	u64 fingerprint;
};

struct code_words {
	struct walk *walk;
	u64 fingerprint;
};

/* More than most frames reach: what points there is no code. */
#define NEAR_STACK_BYTES (1 << 20)

/* One iteration of bpf_loop: data differs from time to time, so only what lies in code counts. */
static long add_word_in_code(u32 iteration, struct code_words *c)
{
	u64 word = c->walk->window[iteration & (WINDOW_WORDS - 1)];
	if (word && find_mapping(c->walk, word))
		c->fingerprint = mixed(c->fingerprint, word);
	return 0;
}

/* Of where the running task waits: `registers` is a hash of those of user space and the system call. 0: it is not known what of the process is code. Not static: the
 * verifier then checks it once, not in each state of the caller. */
__noinline u64 fingerprint_of(struct walk *w, struct last_place *last, u32 pid, u64 registers, u64 sp)
{
	if (!w)
		return 0;
	const struct process_table *process = bpf_map_lookup_elem(&process_tables, &pid);
	if (!process)
		return 0;
	w->table = process->slot;
	w->last_mapping = 0;
	const struct mapping_table *table = mapping_table_of(w);
	if (!table || !table->count || bpf_probe_read_user(w->window, FINGERPRINT_WORDS * sizeof(u64), (void *)sp) != 0)
		return 0;
	/* From the first mapping with code to the end of the last one: most data lies elsewhere. */
	u64 start = table->mappings[0].start;
	u64 bytes = table->mappings[(table->count - 1) & (MAPPINGS_MAX - 1)].end - start;
	registers = mixed(mixed(registers, table->generation), pid);
	u64 near_code = registers;
	for (u32 i = 0; i < FINGERPRINT_WORDS; i++) {
		u64 word = w->window[i];
		if (word - start >= bytes || word - sp < NEAR_STACK_BYTES)
			w->window[i] = 0;
		else
			near_code = mixed(near_code, word);
	}
	if (last && last->near_code == near_code)
		return last->fingerprint;
	struct code_words words = {.walk = w, .fingerprint = registers};
	bpf_loop(FINGERPRINT_WORDS, add_word_in_code, &words, 0);
	words.fingerprint |= 1;
	if (last) {
		last->near_code = near_code;
		last->fingerprint = words.fingerprint;
	}
	return words.fingerprint;
}

static __always_inline struct walks_left *walks_left_at(u64 now_ns)
{
	u32 zero = 0;
	struct walks_left *left = bpf_map_lookup_elem(&walks_of_waits, &zero);
	if (!left)
		return 0;
	if (now_ns - left->since_ns >= WALKS_EVERY_NS) {
		left->since_ns = now_ns;
		left->of_any = left->switches > BUSY_SWITCHES ? WALKS_AT_ONCE_BUSY : WALKS_AT_ONCE;
		left->of_unknown = MORE_WALKS_AT_ONCE;
		left->switches = 0;
	}
	left->switches++;
	return left;
}

enum how_to_find { FIND_BY_WALK, FIND_BY_PLACE, FIND_NOT };

static __always_inline enum how_to_find how_to_find(struct walks_left *left, struct wait_place *known, u64 fingerprint)
{
	if (left->of_any) {
		left->of_any--;
		return FIND_BY_WALK;
	}
	if (!fingerprint)
		return FIND_NOT;
	bool is_one = known && !known->is_several;
	if (is_one && ++known->seen % WALKED_AGAIN_EVERY)
		return FIND_BY_PLACE;
	if (left->of_unknown) {
		left->of_unknown--;
		return FIND_BY_WALK;
	}
	return is_one ? FIND_BY_PLACE : FIND_NOT;
}

#define HASHED_FRAMES_MAX 128

/* One iteration of bpf_loop, over the user's frames. */
static long add_frame(u32 iteration, u64 *stack)
{
	u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	if (!w || iteration >= w->user_frames)
		return 1;
	u32 at = w->kernel_frames + iteration;
	if (at >= FRAMES_MAX)
		return 1;
	*stack = mixed(*stack, w->out.frames[at]);
	return 0;
}

/* The stack that was just walked is that of the place. */
static __always_inline void note_place(struct wait_place *known, u64 fingerprint)
{
	u64 stack = 0;
	bpf_loop(HASHED_FRAMES_MAX, add_frame, &stack, 0);
	if (known) {
		known->is_several |= known->stack != stack;
		known->stack = stack;
		return;
	}
	struct wait_place new = {.stack = stack};
	bpf_map_update_elem(&wait_places, &fingerprint, &new, BPF_ANY);
}
