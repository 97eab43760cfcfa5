/* The user-space half of bpf/walk.h: memory and tables come from the caller, and nothing outside them is read. Compiled
 * once for each machine whose stacks are walked, here on any machine. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#undef __noinline
#define __noinline __attribute__((noinline))
#define barrier_value(v) ((void)0)

#ifdef __TARGET_ARCH_arm64
#define OF_MACHINE(name) name##_aarch64
#else
#define OF_MACHINE(name) name##_x86_64
#endif
#define search_rule OF_MACHINE(search_rule) /* not static: see there */

#include "records.h"
#include "walk.h"

#define CACHE_SIZE 2048

/* Mirrored by lib.rs. */
struct walk_sources {
	/* Copies the process's bytes; false when not all of them are known. */
	bool (*read)(void *reader, u64 address, void *to, size_t size);
	void *reader;
	const struct mapping_table *table;
	const u64 *pages;
	u64 page_count;
	const u32 *rows;
	u64 row_count;
	const struct unwind_rule *rules;
	u64 rule_count;
	/* Gives the mapping at an address that the table does not have; null: the table is complete. */
	bool (*find)(void *finder, u64 address, struct mapping *found);
	void *finder;
};

/* How a walk ended. Mirrored by lib.rs. */
struct walk_ended {
	u64 frame_pointer; /* of the last frame */
	u8 end;            /* enum stack_end */
	bool on_other_stack; /* the last frame's caller is on another stack, which could not be read */
};

struct user_walk {
	struct walk walk; /* first: the functions below get a pointer to it */
	const struct walk_sources *sources;
	struct mapping found; /* the last one beyond the table */
	struct known_rule cache[CACHE_SIZE];
};

static const struct walk_sources *sources_of(struct walk *w)
{
	return ((struct user_walk *)w)->sources;
}

static __always_inline bool copy_user(struct walk *w, void *to, u32 size, u64 address)
{
	const struct walk_sources *s = sources_of(w);
	return s->read(s->reader, address, to, size);
}

static __always_inline const struct mapping_table *mapping_table_of(struct walk *w)
{
	return sources_of(w)->table;
}

static __always_inline bool check_mapping(struct walk *w, u32 number, const struct mapping *m)
{
	(void)m;
	*checked_word(w, number) |= bit_of_mapping(number); /* tables are right here */
	return true;
}

static __always_inline const struct mapping *mapping_beyond_table(struct walk *w, u64 address)
{
	const struct walk_sources *s = sources_of(w);
	struct mapping *found = &((struct user_walk *)w)->found;
	return s->find && s->find(s->finder, address, found) ? found : 0;
}

static __always_inline const u64 *page_at(struct walk *w, u32 index)
{
	const struct walk_sources *s = sources_of(w);
	return index < s->page_count ? &s->pages[index] : 0;
}

static __always_inline u32 row_at(struct walk *w, u32 index)
{
	const struct walk_sources *s = sources_of(w);
	return index < s->row_count ? s->rows[index] : 0;
}

static __always_inline const struct unwind_rule *rule_at(struct walk *w, u32 number)
{
	const struct walk_sources *s = sources_of(w);
	return number < s->rule_count ? &s->rules[number] : 0;
}

static __always_inline struct known_rule *known_rule_at(struct walk *w, u64 ip)
{
	u32 hash = (u32)(ip ^ ip >> 11) * 0x9e3779b1u >> 21; /* 11 bits */
	return &((struct user_walk *)w)->cache[hash];
}

static __always_inline enum code_read code_before(struct walk *w, u64 address, u64 *bytes)
{
	return copy_user(w, bytes, sizeof(*bytes), address - sizeof(*bytes)) ? CODE_READ : CODE_UNKNOWN;
}

size_t OF_MACHINE(lineheat_walk_state_size)(void)
{
	return sizeof(struct user_walk);
}

/* registers are REGISTERS, frames has room for USER_FRAMES_MAX. Returns how many there are. state is zeroed before its
 * first use. */
size_t OF_MACHINE(lineheat_walk)(struct user_walk *state, const struct walk_sources *sources, const u64 *registers,
				 u64 ip, bool exact_ip, u64 *frames, struct walk_ended *ended)
{
	struct walk *w = &state->walk;
	state->sources = sources;
	memcpy(w->registers, registers, sizeof(w->registers));
	w->ip = ip;
	w->has_table = true;
	w->generation = sources->table->generation;
	w->kernel_frames = 0;
	w->user_frames_wanted = USER_FRAMES_MAX;
	begin_walk(w, exact_ip);
	while (walk_frame(w))
		;
	memcpy(frames, w->out.frames, w->user_frames * sizeof(u64));
	ended->frame_pointer = w->registers[REG_FP];
	ended->end = w->end;
	/* Only a step by a rule ends as unreadable: the rule is the last frame's. */
	ended->on_other_stack = w->end == STACK_END_UNREADABLE && w->rule.cfa_kind == CFA_OTHER_STACK;
	return w->user_frames;
}

/* What code an address lies in. Mirrored by chain.rs. */
enum code_kind { CODE_NOT_MAPPED, CODE_INNER, CODE_OUTERMOST };

/* By the sources of the last walk. */
u8 OF_MACHINE(lineheat_code_kind)(struct user_walk *state, u64 address)
{
	s32 number = search_rule(&state->walk, address);
	if (number == NO_MAPPING)
		return CODE_NOT_MAPPED;
	const struct unwind_rule *rule = number < 0 ? 0 : rule_at(&state->walk, number);
	return rule && rule->cfa_kind == CFA_END ? CODE_OUTERMOST : CODE_INNER;
}
