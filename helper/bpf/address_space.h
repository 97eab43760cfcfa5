/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * The second way to find what is mapped at an address: the kernel's own tree of the process's areas. User space learns
 * of an exec or dlopen when it next gets to run, which in a storm of short processes is after their end; the tree is
 * right at once.
 *
 * The tree is a maple tree (Linux 6.1, lib/maple_tree.c): nodes of sorted pivots and slots, aligned to 256 bytes, their
 * type in the low bits of the pointer to them. It is read without its lock: an interrupt cannot wait. Nodes and areas
 * are freed by RCU, never under a running BPF program, and what is read is checked by the area itself, which says what it
 * covers. bpf_find_vma() would take the lock, gives one area an interrupt, and none while the lock is held.
 */
#pragma once

struct maple_tree {
	void *ma_root;
} __attribute__((preserve_access_index));
struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
} __attribute__((preserve_access_index));
struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
} __attribute__((preserve_access_index));

struct super_block {
	u32 s_dev;
} __attribute__((preserve_access_index));
struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
} __attribute__((preserve_access_index));
struct dentry {
	struct inode *d_inode;
} __attribute__((preserve_access_index));
struct path {
	struct dentry *dentry;
} __attribute__((preserve_access_index));
struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));
/* What overlayfs maps: a file of the layer below, with the path that the user knows behind it (Linux 6.5). */
struct backing_file {
	struct path user_path;
} __attribute__((preserve_access_index));

typedef struct {
	void *vdso;
} __attribute__((preserve_access_index)) mm_context_t;
struct mm_struct {
	struct maple_tree mm_mt;
	mm_context_t context;
} __attribute__((preserve_access_index));
/* Changes with the areas: Linux 6.4, and 6.13, where it is odd while they are being changed. */
struct mm_struct___number {
	int mm_lock_seq;
} __attribute__((preserve_access_index));
struct seqcount_any {
	u32 sequence;
} __attribute__((preserve_access_index));
struct mm_struct___seqcount {
	struct seqcount_any mm_lock_seq;
} __attribute__((preserve_access_index));
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	struct file *vm_file;
} __attribute__((preserve_access_index));

/* The kernel counts offsets in its pages: 4 KiB, on aarch64 also 16 or 64. Set before loading. */
const volatile u32 kernel_page_shift = 12;

enum { MAPLE_LEAF_64 = 1, MAPLE_RANGE_64 = 2, MAPLE_ARANGE_64 = 3 };
static __always_inline u32 node_type(u64 entry)
{
	return entry >> 3 & 15;
}

#define MAPLE_NODE_BYTES 256
#define MAPLE_NODE_WORDS (MAPLE_NODE_BYTES / 8)
#define MAPLE_HEIGHT_MAX 6 /* 10^6 areas; a process has at most 65,530 (vm.max_map_count) */

/* Areas that were found in the present walk: most stacks go through three modules. */
#define AREAS_MAX 4

struct area_search {
	u64 node[MAPLE_NODE_WORDS];
	u64 last_wake_ns;
	u32 areas;
	u32 unknown_files; /* met in the present walk */
	struct mapping found[AREAS_MAX];
};

/* One for each state of a walk. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct area_search);
} area_searches SEC(".maps");

/* Files whose rows are known, by the numbers that mapping records have. Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_MAX);
	__type(key, struct file_id);
	__type(value, struct file_rows);
} files SEC(".maps");

/*
 * What the node `entry` of the tree has for `address`: a node below it or, in a leaf, an area; 0: it could not be read.
 * Not static, like other functions here: the verifier then checks it once, not at each call.
 */
__noinline u64 slot_of_node(u64 entry, u64 address, u32 state)
{
	struct area_search *s = bpf_map_lookup_elem(&area_searches, &state);
	if (!s)
		return 0;
	u32 first_pivot, first_slot;
	if (node_type(entry) == MAPLE_ARANGE_64) {
		first_pivot = bpf_core_field_offset(struct maple_arange_64, pivot) / 8;
		first_slot = bpf_core_field_offset(struct maple_arange_64, slot) / 8;
	} else {
		first_pivot = bpf_core_field_offset(struct maple_range_64, pivot) / 8;
		first_slot = bpf_core_field_offset(struct maple_range_64, slot) / 8;
	}
	if (bpf_probe_read_kernel(s->node, sizeof(s->node), (void *)(entry & ~(u64)(MAPLE_NODE_BYTES - 1))) != 0)
		return 0;
	/*
	 * The slot of the first pivot ≥ address: as many as there are smaller ones. Unused pivots are 0; what follows
	 * the pivots of a short node are kernel addresses. Without branches, since the verifier follows each.
	 */
	u64 at = 0;
	for (u32 i = 0; i < 15; i++) {
		u64 pivot = s->node[(first_pivot + i) & (MAPLE_NODE_WORDS - 1)];
		u64 smaller = (pivot >> 1) - (address >> 1), used = pivot | -pivot; /* pivots are odd: the last byte of a page */
		barrier_value(smaller);
		barrier_value(used);
		at += (smaller & used) >> 63;
	}
	return s->node[(first_slot + at) & (MAPLE_NODE_WORDS - 1)];
}

/* The area (struct vm_area_struct *) that holds `address` in the tree with this root, or 0; it may be another one or gone
 * by now: see the caller. */
__noinline u64 look_up_area(u64 root, u64 address, u32 state)
{
	u64 entry = root;
	if ((entry & 3) != 2) /* no node: an empty tree */
		return 0;
	for (int height = 0; height < MAPLE_HEIGHT_MAX; height++) {
		u32 type = node_type(entry);
		if (type != MAPLE_ARANGE_64 && type != MAPLE_RANGE_64 && type != MAPLE_LEAF_64)
			return 0;
		entry = slot_of_node(entry, address, state);
		if (type == MAPLE_LEAF_64)
			return entry;
	}
	return 0;
}

static __always_inline struct vm_area_struct *area_at(struct mm_struct *mm, u64 address, u32 state)
{
	return (struct vm_area_struct *)look_up_area((u64)BPF_CORE_READ(mm, mm_mt.ma_root), address, state);
}

/* What the running task has mapped at `address`; 0: nothing. */
static __always_inline struct vm_area_struct *own_area_at(u64 address, u32 state)
{
	struct mm_struct *mm = BPF_CORE_READ(bpf_get_current_task_btf(), mm);
	struct vm_area_struct *area = mm ? area_at(mm, address, state) : 0;
	bool is_in = area && address >= BPF_CORE_READ(area, vm_start) && address < BPF_CORE_READ(area, vm_end);
	return is_in ? area : 0;
}

static __always_inline const struct file_rows *rows_of_inode(struct inode *inode)
{
	u32 device = BPF_CORE_READ(inode, i_sb, s_dev);
	struct file_id id = {
		.device_major = device >> 20,
		.device_minor = device & 0xfffff,
		.inode = BPF_CORE_READ(inode, i_ino),
	};
	return bpf_map_lookup_elem(&files, &id);
}

/*
 * Mapping records have the numbers of the inode that the user knows. Which bit of f_mode marks a backing file differs
 * between kernels, so a file that is not known by its own inode is taken for one: were it none, what is read behind it
 * would have to name a known file by chance.
 */
static __noinline const struct file_rows *rows_of_file(struct file *file)
{
	const struct file_rows *rows = rows_of_inode(BPF_CORE_READ(file, f_inode));
	if (!rows && bpf_core_type_exists(struct backing_file))
		rows = rows_of_inode(BPF_CORE_READ((struct backing_file *)file, user_path.dentry, d_inode));
	return rows;
}

static __always_inline const struct file_rows *rows_of_vdso(void)
{
	struct file_id id = {.inode = VDSO_INODE};
	return bpf_map_lookup_elem(&files, &id);
}

/* Completes `m`, of which start and end are known, by the rows of its file. */
static __always_inline void add_rows(struct mapping *m, const struct file_rows *rows, u64 file_offset)
{
	m->first_page = NO_PAGES;
	for (int i = 0; i < FILE_SEGMENTS_MAX; i++) {
		const struct file_segment *segment = &rows->segments[i];
		if (file_offset < segment->first || file_offset >= segment->end)
			continue;
		m->bias = m->start - (file_offset + segment->to_rows);
		m->first_page = rows->first_page;
		m->page_count = rows->page_count;
		return;
	}
}

/* Number, among those found in the present walk, of the area at `address`, if it is a file or the vDSO; -1 otherwise. */
__noinline int find_area_number(u64 address, u32 state)
{
	struct area_search *s = bpf_map_lookup_elem(&area_searches, &state);
	if (!s)
		return -1;
	for (u32 i = 0; i < AREAS_MAX; i++)
		if (i < s->areas && contains(&s->found[i], address))
			return i;
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	if (!mm)
		return -1;
	struct vm_area_struct *area = area_at(mm, address, state);
	if (!area)
		return -1;
	u64 start = BPF_CORE_READ(area, vm_start), end = BPF_CORE_READ(area, vm_end);
	if (address < start || address >= end)
		return -1;
	const struct file_rows *rows;
	u64 file_offset = 0;
	struct file *file = BPF_CORE_READ(area, vm_file);
	if (file) {
		rows = rows_of_file(file);
		file_offset = (u64)BPF_CORE_READ(area, vm_pgoff) << kernel_page_shift;
	} else if (start == (u64)BPF_CORE_READ(mm, context.vdso)) {
		rows = rows_of_vdso();
	} else {
		return -1;
	}
	u32 slot = s->areas;
	if (slot >= AREAS_MAX)
		slot = 0; /* all are taken: one more than most stacks need */
	s->areas = slot + 1;
	struct mapping *m = &s->found[slot & (AREAS_MAX - 1)];
	m->start = start;
	m->end = end;
	m->bias = 0;
	m->first_page = 0;
	m->page_count = 0;
	if (rows)
		add_rows(m, rows, file_offset);
	else
		s->unknown_files++;
	return slot;
}

/* What the running task has mapped at `address`, if it is a file or the vDSO; with rows, if they are known. */
static __always_inline const struct mapping *find_area(u64 address, u32 state)
{
	struct area_search *s = bpf_map_lookup_elem(&area_searches, &state);
	int number = find_area_number(address, state);
	return s && number >= 0 ? &s->found[number & (AREAS_MAX - 1)] : 0;
}

/*
 * Whether the running task has memory at `address`. While exec replaces the address space, and at the end of a process,
 * the user registers are still those of before, and the stack that they speak of is no more.
 */
__noinline int has_memory_at(u64 address, u32 state)
{
	return own_area_at(address, state) != 0;
}

/* Whether exec is at work: the user registers are those of before until it has ended, the address space is not. */
static __always_inline bool is_in_exec(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) && BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/* Whether the kernel has, or would have, this mapping of the table. Where nothing is mapped, no pc can be. */
static __always_inline bool is_right(const struct mapping *m, u32 state)
{
	const struct mapping *area = find_area(m->start, state);
	if (!area)
		return true;
	return area->bias == m->bias && area->first_page == m->first_page && area->page_count == m->page_count && area->end >= m->end;
}

/* The number of the running task's address space, which changes with its areas. False: this kernel has none. */
static __always_inline bool read_sequence(struct mm_struct *mm, u32 *sequence)
{
	if (bpf_core_field_exists(((struct mm_struct___seqcount *)0)->mm_lock_seq.sequence))
		*sequence = ((struct mm_struct___seqcount *)mm)->mm_lock_seq.sequence;
	else if (bpf_core_field_exists(((struct mm_struct___number *)0)->mm_lock_seq))
		*sequence = ((struct mm_struct___number *)mm)->mm_lock_seq;
	else
		return false;
	return true;
}

enum table_state { TABLE_NONE, TABLE_CHECKED, TABLE_UNCHECKED };

/*
 * Takes over what is known to be right in the process's table. A library may have been unloaded and another put in its
 * place; user space will learn of it, but until then the rows of the first would lead astray. So after each change of the
 * address space a mapping is compared with the kernel's tree when a walk first meets it (check_mapping).
 */
static __always_inline enum table_state begin_checks(struct walk *w, struct process_table *process)
{
	struct mm_struct *mm = bpf_get_current_task_btf()->mm;
	if (!mm)
		return TABLE_NONE;
	if (!read_sequence(mm, &w->sequence)) {
		__builtin_memset(w->checked, 0xff, sizeof(w->checked));
		return TABLE_UNCHECKED;
	}
	if (process->sequence != w->sequence) {
		process->sequence = w->sequence;
		__builtin_memset(process->checked, 0, sizeof(process->checked));
	}
	__builtin_memcpy(w->checked, process->checked, sizeof(w->checked));
	return TABLE_CHECKED;
}

/* To be called at the start of each walk: areas are those of one process at one time. */
static __always_inline void forget_areas(u32 state)
{
	struct area_search *s = bpf_map_lookup_elem(&area_searches, &state);
	if (s) {
		s->areas = 0;
		s->unknown_files = 0;
	}
}

#define WAKE_EVERY_NS 2000000

/* Whether user space should look now: the present walk met a file without rows. Not for each sample of such a file. */
static __always_inline bool is_to_be_woken(u64 now_ns, u32 state)
{
	struct area_search *s = bpf_map_lookup_elem(&area_searches, &state);
	if (!s || !s->unknown_files || now_ns - s->last_wake_ns < WAKE_EVERY_NS)
		return false;
	s->last_wake_ns = now_ns;
	return true;
}
