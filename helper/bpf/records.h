/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * What crosses the border between the BPF program and user space: layouts and codes, mirrored by crates/records.
 */
#pragma once

#define KERNEL_FRAMES_MAX 127 /* kernel.perf_event_max_stack by default */
#define USER_FRAMES_MAX 512   /* a deeper stack keeps its leaf side and ends as STACK_END_CUT */
#define MAPPINGS_MAX 256      /* executable mappings of one process */
#define PROCESSES_MAX 1024    /* mapping tables, shared by forked children until they map something */
#define PAGE_SHIFT 16         /* rows are found by 64 KiB page of the module's vaddr */

/* How the walk of a user stack ended. */
enum stack_end {
	STACK_END_ROOT = 0,       /* the thread's start: return address undefined by CFI, or a null frame pointer */
	STACK_END_CUT = 1,        /* USER_FRAMES_MAX reached */
	STACK_END_NO_MAPPING = 2, /* pc in no mapping that we know (yet), no usable frame pointer */
	STACK_END_NO_RULE = 3,    /* CFI of a form that is not supported */
	STACK_END_UNREADABLE = 4, /* stack page not readable at interrupt time */
	STACK_END_BROKEN = 5,     /* the stack would shrink: rows and stack disagree */
	STACK_END_NOT_64_BIT = 6, /* 32-bit code: only its pc is kept */
	STACK_ENDS = 7,
};

/* Per-CPU counts. taken == kept + all that follow. */
enum counter {
	COUNTER_TAKEN = 0,
	COUNTER_KEPT = 1,
	COUNTER_LOST_RING_FULL = 2,
	COUNTER_LOST_NO_SCRATCH = 3,
	COUNTERS = 4,
};

/* How to get from a frame to its caller. One of at most 65536; layout shared with crates/unwind. */
enum cfa_kind {
	CFA_NONE = 0,   /* no row covers this pc: follow the frame pointer */
	CFA_END = 1,    /* the return address is undefined: outermost frame */
	CFA_REG = 2,    /* CFA = reg + cfa_offset */
	CFA_DEREF = 3,  /* CFA = *(reg + cfa_offset) + extra */
	CFA_PLT = 4,    /* CFA = rsp + cfa_offset + ((rip & 15) >= extra ? 8 : 0) */
	CFA_SIGNAL = 5, /* kernel-made signal frame: registers from its ucontext */
	CFA_UNSUPPORTED = 6,
};
enum fp_kind {
	FP_SAME = 0,
	FP_AT_CFA = 1, /* *(CFA + fp_offset) */
	FP_AT_FP = 2,  /* *(rbp + fp_offset) */
};
struct unwind_rule {
	u8 cfa_kind;
	u8 cfa_register; /* DWARF number */
	u8 fp_kind;
	u8 reserved;
	s32 cfa_offset;
	s32 fp_offset;
	s32 extra;
};
_Static_assert(sizeof(struct unwind_rule) == 16, "mirrored by crates/records");

/* One executable mapping of a process. */
struct mapping {
	u64 start;
	u64 end;
	u64 bias;       /* address - bias: offset from the vaddr at which first_page begins */
	u32 first_page; /* index into `pages` of the module's first page */
	u32 page_count; /* 0: no rows known */
};
_Static_assert(sizeof(struct mapping) == 32, "mirrored by crates/records");

/* Mappings in ascending order of start. */
struct mapping_table {
	u32 count;
	u32 reserved;
	struct mapping mappings[MAPPINGS_MAX];
};
_Static_assert(sizeof(struct mapping_table) == 8 + 32 * MAPPINGS_MAX, "mirrored by crates/records");

/* Head of a sample in the ring buffer; kernel frames, then user frames follow, leaf first. */
struct sample_head {
	u64 time_ns; /* CLOCK_MONOTONIC */
	u32 pid;     /* thread group */
	u32 tid;
	u16 kernel_frames;
	u16 user_frames;
	u8 stack_end;
	u8 reserved[3];
	char comm[16];
};
_Static_assert(sizeof(struct sample_head) == 40, "mirrored by crates/records");
