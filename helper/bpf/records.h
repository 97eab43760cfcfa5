/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * What crosses the border between the BPF program and user space: layouts and codes, mirrored by crates/records.
 */
#pragma once

#define KERNEL_FRAMES_MAX 127 /* kernel.perf_event_max_stack by default */
#define USER_FRAMES_MAX 2048  /* a stack deeper than what was asked for keeps its leaf side and ends as STACK_END_CUT */
#define KERNEL_NAME_MAX 512   /* KSYM_NAME_LEN */
#define MAPPINGS_MAX 256      /* executable mappings of one process */
#define PROCESSES_MAX 1024    /* mapping tables, shared by forked children until they map something */
#define PAGE_SHIFT 12         /* rows are found by 4 KiB page of the module's vaddr: some 100 rows, six steps of search */

/* How the walk of a user stack ended. */
enum stack_end {
	STACK_END_ROOT = 0,       /* the thread's start: return address undefined by CFI, or a null frame pointer */
	STACK_END_CUT = 1,        /* as many frames as were asked for */
	STACK_END_NO_MAPPING = 2, /* pc in no mapping that we know (yet), no usable frame pointer */
	STACK_END_NO_RULE = 3,    /* CFI of a form that is not supported */
	STACK_END_UNREADABLE = 4, /* stack page not readable at interrupt time */
	STACK_END_BROKEN = 5,     /* the stack would shrink: rows and stack disagree */
	STACK_END_NOT_64_BIT = 6, /* 32-bit code: only its pc is kept */
	STACK_ENDS = 7,
};

/* Per-CPU counts. taken == kept + all losses. */
enum counter {
	COUNTER_TAKEN = 0,
	COUNTER_KEPT = 1,
	COUNTER_LOST_RING_FULL = 2,
	COUNTER_LOST_NO_SCRATCH = 3,
	COUNTER_LOST_NOT_ALLOWED = 4,     /* of a program that the invoker may not look into */
	COUNTER_PROGRAMS_NOT_ALLOWED = 5, /* programs that were such from their exec on: the kernel ends their sampling */
	COUNTER_PROCESSES_NOT_FOLLOWED = 6, /* children for which there was no room */
	COUNTER_LOST_WAITS = 7,    /* for which there was no room, in the list of threads or in the ring buffer; no samples */
	COUNTER_LOST_WAIT_NS = 8,  /* of them, as far as it is known how long they were */
	COUNTER_THREADS_NOT_RUN = 9, /* threads that were off the CPU from the beginning to the end; no samples */
	COUNTER_LOST_ALLOCATIONS = 10, /* samples of them for which there was no room, in the ring buffer or to walk the stack */
	COUNTER_LOST_FREES = 11,
	COUNTER_ALLOCATIONS_NOT_ALLOWED = 12, /* samples of them, of programs that the invoker may not look into */
	COUNTER_CALLS_NOT_ALLOWED = 13, /* of chosen functions, in programs that the invoker may not look into */
	COUNTER_FAULTS = 14,             /* page faults that were seen */
	COUNTER_LOST_FAULTS = 15,        /* for which there was no room in the list of threads or in the ring buffer */
	COUNTER_FAULTS_NOT_ALLOWED = 16, /* of programs that the invoker may not look into */
	COUNTER_SYSCALLS = 17,           /* system calls that were seen */
	COUNTER_LOST_SYSCALLS = 18,
	COUNTER_SYSCALLS_NOT_ALLOWED = 19,
	COUNTER_SKIPPED_SYSCALLS = 20, /* for which the kernel ran no program: the sampler knows */
	COUNTERS = 21,
};

/* How to get from a frame to its caller. One of at most 65536; layout shared with crates/unwind. */
enum cfa_kind {
	CFA_NONE = 0,   /* no row covers this pc: follow the frame pointer */
	CFA_END = 1,    /* the return address is undefined: outermost frame */
	CFA_REG = 2,    /* CFA = reg + cfa_offset */
	CFA_DEREF = 3,  /* CFA = *(reg + cfa_offset) + extra, without TAKEN_FROM_CODE */
	CFA_PLT = 4,    /* x86-64: CFA = rsp + cfa_offset + ((rip & 15) >= extra ? 8 : 0) */
	CFA_SIGNAL = 5, /* kernel-made signal frame: registers from its ucontext */
	CFA_UNSUPPORTED = 6,
	CFA_DOUBLE_DEREF = 7,       /* CFA = *(*(reg + cfa_offset) + extra) + fp_offset; the frame pointer is unchanged */
	CFA_RETURN_IN_REGISTER = 8, /* as CFA_REG; the return address is still in register `extra`: leaf only */
	CFA_OTHER_STACK = 9,        /* as CFA_REG, but the caller may run on any other stack; 0 in reg: outermost frame */
	CFA_CALLER_IN_REGISTERS = 10, /* the caller's sp is in reg, its fp in register fp_offset, its pc in register extra: leaf only */
	CFA_CLONE = 11, /* as CFA_REG; 0 in register `extra`: a new thread, whose outermost frame this is */
};
enum fp_kind {
	FP_SAME = 0,
	FP_AT_CFA = 1, /* *(CFA + fp_offset) */
	FP_AT_FP = 2,  /* *(fp + fp_offset) */
	FP_LOST = 3,   /* not to be found */
};
/* A bit of `extra` in CFA_REG and CFA_DEREF, which is even otherwise: no compiler has said so, but instructions were read. */
#define TAKEN_FROM_CODE 1
#define SLOT_LOST 15
struct unwind_rule {
	u8 cfa_kind;
	u8 cfa_register; /* DWARF number */
	u8 fp_kind;
	u8 saved_slots; /* rbx (low four bits) and r13: 0 unchanged, n at CFA - 8 * n, or SLOT_LOST; aarch64's are its own */
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
	u32 page_count; /* 0: no rows are known: none yet, or none ever (first_page is NO_PAGES) */
};
#define NO_PAGES 0xffffffff
_Static_assert(sizeof(struct mapping) == 32, "mirrored by crates/records");

/* Mappings in ascending order of start. */
struct mapping_table {
	u64 generation; /* of no other table, earlier or later; not 0 */
	u64 count;
	struct mapping mappings[MAPPINGS_MAX];
};
_Static_assert(sizeof(struct mapping_table) == 16 + 32 * MAPPINGS_MAX, "mirrored by crates/records");

#define CHECKED_WORDS (MAPPINGS_MAX / 64)
/* Which table a process has, and what the BPF program has checked of it. */
struct process_table {
	u32 slot;
	u32 sequence;                    /* as long as the address space has this number … */
	u64 checked[CHECKED_WORDS];      /* … these mappings are right, a bit for each */
	u32 last_leaf;                   /* the mapping of the last sample's leaf: the next one's is likely the same */
	u32 reserved;
};
_Static_assert(sizeof(struct process_table) == 48, "written by the sampler");

/* A file by the numbers that mapping records have. */
struct file_id {
	u32 device_major;
	u32 device_minor;
	u64 inode;
};
_Static_assert(sizeof(struct file_id) == 16, "mirrored by crates/records");
#define VDSO_INODE 1 /* on device 0:0: the vDSO is no file */

/* Functions whose calls are counted. */
#define CALLED_FUNCTIONS_MAX 4096

/* How long the calls of a function took, in nanoseconds. A bucket holds one value below 8, then an eighth of a power of two. */
#define TIMED_FUNCTIONS_MAX 1024 /* by number, the first of those above */
#define LATENCY_BUCKETS 320
struct call_times {
	u64 buckets[LATENCY_BUCKETS];
	u64 sum;
	u64 longest;
	u64 shortest;   /* its complement, so that 0 is none */
	u64 unfinished; /* calls whose frames were gone when something else was called or returned there */
	u64 no_room;    /* calls for which there was no room among those that had begun */
	u64 is_over;    /* written by user space: no more calls are timed */
};
_Static_assert(sizeof(struct call_times) == 8 * (LATENCY_BUCKETS + 6), "mirrored by crates/records");

/* What a probe is for: the cookie of one. */
#define CALL_OF_PLACE(cookie) ((u32)(cookie) & 0xffff)      /* number of the function, or of a place where one was inlined */
#define KIND_OF_PLACE(cookie) ((u32)((cookie) >> 16) & 0xff) /* enum place_kind */
#define DETAIL_OF_PLACE(cookie) ((u32)((cookie) >> 32))
enum place_kind {
	PLACE_COUNTED = 0,
	PLACE_TIMED = 1,      /* detail: how much lower than at the start of the call the stack pointer is */
	PLACE_LEFT = 2,       /* the call ends here */
	PLACE_LEFT_IF = 3,    /* if a jump is taken; detail: its condition (Intel SDM 2A, appendix B.1.4) */
	PLACE_COUNTED_IF = 4, /* if a jump is taken; detail: its condition, or the opposite of it */
};

/* Where a program says itself which of its allocations are samples. */
#define ALLOCATION_PLACES_MAX 256
enum place_role {
	PLACE_GO_ALLOCATION = 0,  /* Go has sampled a block; the weight is the mean distance between samples, in bytes */
	PLACE_GO_FREE_BEGINS = 1, /* of what Go keeps of the block at the address: often, but not always, a sample */
	PLACE_GO_FREE = 2,        /* it was a sample, by the same thread */
	PLACE_ALLOCATION = 3,     /* the weight is how many bytes the sample stands for */
	PLACE_FREE = 4,
};
enum operand_source {
	OPERAND_NONE = 0,
	OPERAND_CONSTANT = 1,  /* the offset itself */
	OPERAND_REGISTER = 2,
	OPERAND_MEMORY = 3,    /* at the register's value and the offset */
	OPERAND_NEAR_CODE = 4, /* at the offset from the instruction */
};
/* A number that such a place has. */
struct operand {
	u8 source;
	u8 reg;       /* index of a word of struct pt_regs */
	u8 bytes;     /* 1 to 8 */
	u8 is_signed;
	u32 reserved;
	s64 offset;
};
struct allocation_place {
	u8 role;
	u8 reserved[3];
	u32 flags_clear; /* passing it means nothing while one of these processor flags is set */
	struct operand address;
	struct operand size;
	struct operand weight;
};
_Static_assert(sizeof(struct allocation_place) == 8 + 3 * 16, "mirrored by crates/records");

/* Files whose rows are known without a mapping table. */
#define FILES_MAX 4096
#define FILE_SEGMENTS_MAX 4
struct file_segment {
	u64 first;   /* file offsets, to the borders of pages */
	u64 end;
	u64 to_rows; /* file offset + to_rows: offset from the vaddr at which first_page begins */
};
struct file_rows {
	u32 first_page;
	u32 page_count;
	struct file_segment segments[FILE_SEGMENTS_MAX];
};
_Static_assert(sizeof(struct file_rows) == 8 + 24 * FILE_SEGMENTS_MAX, "mirrored by crates/records");

/* What a sample is of, which says what its value is. */
enum sample_kind {
	SAMPLE_CPU = 0,  /* ns on a CPU */
	SAMPLE_WAIT = 1, /* ns off the CPU. The stack goes out when the wait begins, its value is the place (0: none), its id the thread that holds the lock (0: none); its end follows (struct wait_end) */
	SAMPLE_ALLOCATION = 2, /* bytes that were asked for; the weight is how many distances between points on the bytes it stands for */
	/* The engine makes more of them, which have the numbers up to 5. */
	SAMPLE_FAULT = 6,         /* one for each page fault; the id says which kind */
	SAMPLE_SYSCALL = 7,       /* ns in system calls, all together; the weight is how many; the id says which */
	SAMPLE_SYSCALL_ERROR = 8, /* one for each system call that failed; the id says which */
	SAMPLE_GO_ALLOCATION = 9, /* bytes; the weight is how many are between samples, on average */
	SAMPLE_REPORTED_ALLOCATION = 10, /* bytes; the weight is how many bytes it stands for */
	SAMPLE_WAKE_UP = 11, /* who ended a wait of the thread with the id; its value: enum woken_by, and << 8 that of the task that ran. In an interrupt, that task may have nothing to do with it */
	SAMPLE_COUNTED = 32, /* events of counter 0; those of the next ones follow */
};

/* Who ended a wait. User space tells interrupts apart, by the kernel's functions. */
enum woken_by {
	WOKEN_BY_UNKNOWN = 0,
	WOKEN_BY_THREAD = 1,    /* one that is followed */
	WOKEN_BY_EXIT = 2,      /* of such a thread */
	WOKEN_BY_PROCESS = 3,   /* one that is not followed, with its name if it may be looked into */
	WOKEN_BY_KERNEL = 4,    /* a thread of the kernel */
	WOKEN_BY_INTERRUPT = 5,
	WOKEN_BY_TIMER = 6,
	WOKEN_BY_DISK = 7,
	WOKEN_BY_NETWORK = 8,
};

/* What follows the head of a record in the ring buffer. */
enum record_form {
	FORM_STACK = 0,    /* the frames */
	FORM_COPY = 1,     /* the rest of struct stack_copy */
	FORM_WAIT_END = 2, /* the rest of struct wait_end */
	FORM_FREE = 3,     /* nothing: memory was freed whose allocation had this id */
	FORM_REST = 4,     /* nothing: events of a thread that no sample stands for */
};

/* Head of a record in the ring buffer. In a sample, kernel frames, then user frames follow, leaf first. */
struct sample_head {
	u64 time_ns; /* CLOCK_MONOTONIC */
	u32 pid;     /* thread group */
	u32 tid;
	u16 kernel_frames;
	u16 user_frames;
	u8 stack_end;
	u8 form; /* enum record_form */
	u8 kind;
	u8 points; /* of an allocation, by which it is sampled: what its part of a sum rests on; at most 255 */
	char comm[16];
	u64 value;  /* of one event, in the unit of the kind */
	u32 weight; /* how many such events the sample stands for */
	u32 id;     /* of an allocation, in its process; 0: its free will not be seen. Of others, see enum sample_kind */
};
_Static_assert(sizeof(struct sample_head) == 56, "mirrored by crates/records");

/* The end of a wait, or of several brief ones of a thread that have no stack and all else alike. In its head, time_ns says when the
 * first began, value how long the thread was off the CPU, and weight how many they are. */
struct wait_end {
	struct sample_head head;
	u64 span_ns; /* from the beginning of the first to the end of the last */
	u64 place; /* where it was, if no stack was sent: that of the last stack of this place. 0: not known */
	u64 queued_ns; /* of value: it could have run, and waited for a CPU */
	s32 syscall;   /* number of the system call that waited; -1: none did */
	u8 was_preempted; /* it could have run all the time */
	u8 waits_for_disk;
	u8 waits_for_owner; /* of the futex: a thread of its process */
	u8 has_stack; /* that was sent when the wait began */
	u64 holder_at; /* where that thread was, if it waited, too: the place, or if its stack was sent, when its wait began. 0: it did not */
	u32 holder;    /* that thread; 0: none */
	u32 waker;     /* the thread that ended the wait; 0: it may not be known, or was none */
	u64 woken_ns;  /* when a sample was sent of it; 0: none was */
	u8 woken_by;   /* enum woken_by */
	u8 reserved[7];
};
_Static_assert(sizeof(struct wait_end) == 56 + 64, "mirrored by crates/sampler");

/* In place of user frames: what user space unwinds once it has the rows. */
#define COPY_BYTES_MAX (126 << 10) /* with all else below 128 KiB, the longest message */
#ifdef __TARGET_ARCH_arm64
#define COPIED_REGISTERS 32
#else
#define COPIED_REGISTERS 16
#endif
#define OTHER_BYTES_MAX (32 << 10) /* of them, where there is a second piece */
struct stack_copy {
	struct sample_head head; /* no user frames; stack_end means nothing */
	u64 registers[COPIED_REGISTERS]; /* by DWARF number */
	u64 ip;
	u32 exact_ip; /* 0: a return address, that of a system call */
	u32 bytes;    /* of both pieces */
	u64 other_start; /* address of the second piece */
	u32 other_bytes; /* 0: there is one piece */
	u32 reserved;
	u64 kernel_frames[KERNEL_FRAMES_MAX];
	u8 stack[COPY_BYTES_MAX]; /* from the stack pointer up, then the second piece; what is beyond `bytes` is not sent */
};
_Static_assert(sizeof(struct stack_copy) == 56 + 8 * (COPIED_REGISTERS + 4 + 127) + COPY_BYTES_MAX, "mirrored by crates/sampler");
