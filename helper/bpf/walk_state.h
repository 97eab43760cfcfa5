/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * What a walk knows and reads, on any machine. Included by a machine's walk_*.h, which first says how many registers it
 * has (REGISTERS, by DWARF number) and what it follows from frame to frame beside fp and sp (struct followed).
 */
#pragma once

#define FRAMES_MAX (KERNEL_FRAMES_MAX + USER_FRAMES_MAX)

/*
 * A piece of the user stack, copied at once: one call instead of one or two a frame. It serves some five frames.
 */
#define WINDOW_WORDS 64
#define NO_WINDOW (1ULL << 63) /* no user address is near */

/* Where the present frame's value of a register is, unless at an address. */
#define IN_REGISTER 0ULL
#define LOST_REGISTER 1ULL
/* A frame pointer that is not to be found: no aligned address. */
#define LOST_FRAME_POINTER 1ULL

struct walk {
	u32 state; /* which one of those that a CPU has this is */
	u64 registers[REGISTERS]; /* by DWARF number; only fp and sp are right beyond the leaf */
	u64 ip;
	struct followed followed;
	u64 context;      /* registers of the interrupted frame in its signal frame; right while exact_ip and not leaf */
	u32 table;        /* slot in mapping_tables */
	u32 last_mapping; /* where the previous frame was found, or the last sample's leaf: neighbours are likely in the same module */
	u32 sequence;     /* number of the address space, by which `checked` holds */
	u64 checked[CHECKED_WORDS]; /* mappings of the table that are known to be right, a bit for each */
	u32 leaf_mapping;
	bool has_table;
	bool rows_missing; /* a frame lies in a file whose rows may still come */
	bool beyond_table; /* the last search found nothing in the table: not to be kept by its generation */
	bool exact_ip;    /* leaf or interrupted by a signal: ip itself, not the call before it */
	bool leaf;
	u8 end;
	u32 user_frames;
	u32 kernel_frames;
	u32 user_frames_wanted; /* at most USER_FRAMES_MAX */
	u64 generation;   /* of the mapping table */
	struct unwind_rule rule; /* of the present frame */
	u64 window_start; /* address of window[0] */
	u64 window[WINDOW_WORDS];
	struct {
		struct sample_head head;
		u64 frames[FRAMES_MAX];
	} out;
};

/* A rule that was searched for before, by return address. */
struct known_rule {
	u64 ip;
	u64 generation_and_mapping; /* of the table, and (low eight bits) which of its mappings holds ip */
	struct unwind_rule rule;
};

/* Supplied by the includer; each may fail (false, null). */
static __always_inline bool copy_user(struct walk *w, void *to, u32 size, u64 address);
static __always_inline const struct mapping_table *mapping_table_of(struct walk *w);
/* Whether the process has this mapping of the table now; if so, it is marked as checked. */
static __always_inline bool check_mapping(struct walk *w, u32 number, const struct mapping *m);
/* A mapping that the table does not have (yet). */
static __always_inline const struct mapping *mapping_beyond_table(struct walk *w, u64 address);
static __always_inline const u64 *page_at(struct walk *w, u32 index);
static __always_inline u32 row_at(struct walk *w, u32 index);
static __always_inline const struct unwind_rule *rule_at(struct walk *w, u32 number);
static __always_inline struct known_rule *known_rule_at(struct walk *w, u64 ip);
/* The eight bytes of code before an address, the nearest in the highest byte. CODE_UNKNOWN: it was not recorded. */
enum code_read { CODE_READ, CODE_UNREADABLE, CODE_UNKNOWN };
static __always_inline enum code_read code_before(struct walk *w, u64 address, u64 *bytes);

static __always_inline bool read_user(struct walk *w, u64 address, u64 *value)
{
	return copy_user(w, value, sizeof(*value), address);
}

/* Reads the word at `address` of the stack. The words of one frame are best asked for from the lowest up. */
static __always_inline bool read_stack(struct walk *w, u64 address, u64 *value)
{
	u64 offset = address - w->window_start;
	barrier_value(offset);
	if (offset > sizeof(w->window) - 8) {
		if (!copy_user(w, w->window, sizeof(w->window), address)) {
			w->window_start = NO_WINDOW; /* the stack ends, or a page of it is not there */
			return read_user(w, address, value);
		}
		w->window_start = address;
		offset = 0;
	}
	__builtin_memcpy(value, (char *)w->window + offset, sizeof(*value));
	return true;
}
