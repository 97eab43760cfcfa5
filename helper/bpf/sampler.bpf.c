// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * Takes a sample of the running task: kernel stack by the kernel's own walk, user stack by CFI rows that user space
 * has prepared (records.h), by frame pointers where no row covers the pc.
 *
 * The state of a walk lives in a per-CPU map, not on the BPF stack: the verifier then checks one step instead of all
 * steps (2,760 instructions instead of 390,500, 17 ms to load instead of 836). perf_event programs do not interrupt
 * each other on a CPU, so one state per CPU is enough.
 */
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "records.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Keeps clang from deriving a bound that the verifier cannot follow. */
#define barrier_value(v) asm volatile("" : "+r"(v))

enum { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REGISTERS = 16 };

struct walk {
	u64 registers[REGISTERS]; /* by DWARF number; only rsp and rbp are right beyond the leaf */
	u64 ip;
	u32 table;        /* slot in mapping_tables */
	u32 last_mapping; /* where the previous frame was found: neighbours are likely in the same module */
	bool has_table;
	bool exact_ip;    /* leaf or interrupted by a signal: ip itself, not the call before it */
	bool leaf;
	u8 end;
	u32 user_frames;
	u64 user[USER_FRAMES_MAX];
	u64 kernel[KERNEL_FRAMES_MAX];
	struct {
		struct sample_head head;
		u64 frames[KERNEL_FRAMES_MAX + 1 + USER_FRAMES_MAX];
	} out;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, u32);
	__type(value, u64);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} samples SEC(".maps");

/* Thread group id → slot in mapping_tables. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, u32);
	__type(value, u32);
} process_tables SEC(".maps");

/* The following are written by user space through mmap. Sizes of the last three are set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, PROCESSES_MAX);
	__type(key, u32);
	__type(value, struct mapping_table);
} mapping_tables SEC(".maps");

/* First row (low half) and number of rows (high half) of a 64 KiB page. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} pages SEC(".maps");

/* Two rows an element, since elements are padded to 8 bytes. A row: offset in its page (low 16 bits), rule (high 16). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, struct unwind_rule);
} rules SEC(".maps");

static __always_inline void count(u32 which)
{
	u64 *value = bpf_map_lookup_elem(&counters, &which);
	if (value)
		*value += 1;
}

static __always_inline bool read_user(u64 address, u64 *value)
{
	return bpf_probe_read_user(value, sizeof(*value), (void *)address) == 0;
}

static __always_inline bool contains(const struct mapping *m, u64 address)
{
	return m && m->start <= address && address < m->end;
}

/* The mapping that holds `address`, or null. */
static __noinline const struct mapping *find_mapping(struct walk *w, u64 address)
{
	u32 slot = w->table;
	const struct mapping_table *table = bpf_map_lookup_elem(&mapping_tables, &slot);
	if (!table)
		return 0;
	const struct mapping *last = &table->mappings[w->last_mapping & (MAPPINGS_MAX - 1)];
	if (contains(last, address))
		return last;
	u32 low = 0, high = table->count; /* the answer is the last start ≤ address, in [low, high) */
	for (int i = 0; i < 9; i++) {     /* 2^8 = MAPPINGS_MAX */
		if (low + 1 >= high)
			break;
		u32 middle = (low + high) / 2;
		if (table->mappings[middle & (MAPPINGS_MAX - 1)].start <= address)
			low = middle;
		else
			high = middle;
	}
	low &= MAPPINGS_MAX - 1;
	w->last_mapping = low;
	const struct mapping *found = &table->mappings[low];
	return low < table->count && contains(found, address) ? found : 0;
}

static __always_inline u32 row_at(u32 index)
{
	u32 pair = index >> 1;
	u64 *two = bpf_map_lookup_elem(&rows, &pair);
	if (!two)
		return 0;
	return index & 1 ? *two >> 32 : (u32)*two;
}

/* The rule in force at `vaddr` of a module, or null. */
static __noinline const struct unwind_rule *find_rule(u32 first_page, u32 page_count, u64 vaddr)
{
	u64 page = vaddr >> PAGE_SHIFT;
	if (page >= page_count)
		return 0;
	u32 index = first_page + (u32)page;
	u64 *entry = bpf_map_lookup_elem(&pages, &index);
	if (!entry)
		return 0;
	u32 low = (u32)*entry, high = low + (*entry >> 32);
	u32 offset = vaddr & ((1 << PAGE_SHIFT) - 1);
	if (low >= high)
		return 0;
	for (int i = 0; i < 17; i++) { /* at most 2^16 rows in a page */
		if (low + 1 >= high)
			break;
		u32 middle = low + (high - low) / 2;
		if ((row_at(middle) & 0xffff) <= offset)
			low = middle;
		else
			high = middle;
	}
	u32 rule = row_at(low) >> 16;
	return bpf_map_lookup_elem(&rules, &rule);
}

/* Moves to the caller by the frame pointer chain. */
static __always_inline bool step_by_frame_pointer(struct walk *w, u8 end_otherwise)
{
	u64 fp = w->registers[REG_RBP], caller_fp, caller_ip;
	if (fp == 0 && end_otherwise != STACK_END_NO_MAPPING) {
		w->end = STACK_END_ROOT;
		return false;
	}
	if (fp < w->registers[REG_RSP] || (fp & 7) || !read_user(fp, &caller_fp) || !read_user(fp + 8, &caller_ip) || !caller_ip) {
		w->end = end_otherwise;
		return false;
	}
	w->registers[REG_RSP] = fp + 16;
	w->registers[REG_RBP] = caller_fp;
	w->ip = caller_ip;
	w->exact_ip = false;
	return true;
}

/* The kernel's signal frame: struct ucontext lies at rsp when __restore_rt runs; its general registers start at 40. */
static __always_inline bool step_out_of_signal(struct walk *w)
{
	u64 context = w->registers[REG_RSP] + 40;
	if (!read_user(context + 8 * 16, &w->ip) || !read_user(context + 8 * 10, &w->registers[REG_RBP]) ||
	    !read_user(context + 8 * 15, &w->registers[REG_RSP])) {
		w->end = STACK_END_UNREADABLE;
		return false;
	}
	w->exact_ip = true;
	return true;
}

/* Moves from the current frame to its caller. False: the walk has ended, w->end says how. */
static __always_inline bool step_to_caller(struct walk *w, u64 lookup_ip)
{
	const struct mapping *m = w->has_table ? find_mapping(w, lookup_ip) : 0;
	if (!m)
		return step_by_frame_pointer(w, STACK_END_NO_MAPPING);
	u64 bias = m->bias;
	const struct unwind_rule *rule = find_rule(m->first_page, m->page_count, lookup_ip - bias);
	if (!rule || rule->cfa_kind == CFA_NONE)
		return step_by_frame_pointer(w, STACK_END_NO_RULE);
	if (rule->cfa_kind == CFA_END) {
		w->end = STACK_END_ROOT;
		return false;
	}
	if (rule->cfa_kind == CFA_SIGNAL)
		return step_out_of_signal(w);

	u64 cfa;
	u32 reg = rule->cfa_register;
	if (rule->cfa_kind == CFA_PLT) {
		cfa = w->registers[REG_RSP] + rule->cfa_offset + ((w->ip & 15) >= (u32)rule->extra ? 8 : 0);
	} else if (rule->cfa_kind == CFA_REG || rule->cfa_kind == CFA_DEREF) {
		if (reg != REG_RSP && reg != REG_RBP && !w->leaf) {
			w->end = STACK_END_NO_RULE;
			return false;
		}
		cfa = w->registers[reg & (REGISTERS - 1)] + (s64)rule->cfa_offset;
		if (rule->cfa_kind == CFA_DEREF) {
			if (!read_user(cfa, &cfa)) {
				w->end = STACK_END_UNREADABLE;
				return false;
			}
			cfa += (s64)rule->extra;
		}
	} else {
		w->end = STACK_END_NO_RULE;
		return false;
	}
	if (cfa <= w->registers[REG_RSP] && !(w->leaf && cfa == w->registers[REG_RSP])) {
		w->end = STACK_END_BROKEN;
		return false;
	}
	u64 fp = w->registers[REG_RBP], ip;
	bool readable = read_user(cfa - 8, &ip);
	if (rule->fp_kind == FP_AT_CFA)
		readable &= read_user(cfa + (s64)rule->fp_offset, &fp);
	else if (rule->fp_kind == FP_AT_FP)
		readable &= read_user(fp + (s64)rule->fp_offset, &fp);
	if (!readable) {
		w->end = STACK_END_UNREADABLE;
		return false;
	}
	w->registers[REG_RSP] = cfa;
	w->registers[REG_RBP] = fp;
	w->ip = ip;
	w->exact_ip = false;
	if (ip == 0) {
		w->end = STACK_END_ROOT;
		return false;
	}
	return true;
}

/* One iteration of bpf_loop: keeps the current frame and moves to its caller. 1 ends the loop. */
static long walk_step(u32 iteration, void *unused)
{
	u32 zero = 0;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	if (!w)
		return 1;
	u32 n = w->user_frames;
	if (n >= USER_FRAMES_MAX)
		return 1;
	u64 lookup_ip = w->exact_ip ? w->ip : w->ip - 1;
	w->user[n & (USER_FRAMES_MAX - 1)] = lookup_ip;
	w->user_frames = n + 1;
	bool more = step_to_caller(w, lookup_ip);
	w->leaf = false;
	return more ? 0 : 1;
}

/* A syscall leaves its own return address in rcx and the flags in r11 (SYSCALL, Intel SDM 2B). */
static __always_inline bool is_in_syscall(const struct pt_regs *r)
{
	return r->cx == r->ip && r->r11 == r->flags;
}

static __always_inline void take_registers(struct walk *w, const struct pt_regs *r)
{
	w->registers[REG_RAX] = r->ax;
	w->registers[REG_RDX] = r->dx;
	w->registers[REG_RCX] = r->cx;
	w->registers[REG_RBX] = r->bx;
	w->registers[REG_RSI] = r->si;
	w->registers[REG_RDI] = r->di;
	w->registers[REG_RBP] = r->bp;
	w->registers[REG_RSP] = r->sp;
	w->registers[8] = r->r8;
	w->registers[9] = r->r9;
	w->registers[10] = r->r10;
	w->registers[11] = r->r11;
	w->registers[12] = r->r12;
	w->registers[13] = r->r13;
	w->registers[14] = r->r14;
	w->registers[15] = r->r15;
	w->ip = r->ip;
}

/* Sends the stack of the running task to user space. Runs at the sampling rate while a thread of the target runs on
 * this CPU. A sample that cannot be sent is counted. */
SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0;
	count(COUNTER_TAKEN);
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	if (!w) {
		count(COUNTER_LOST_NO_SCRATCH);
		return 0;
	}
	u64 ids = bpf_get_current_pid_tgid();
	struct sample_head *head = &w->out.head;
	head->time_ns = bpf_ktime_get_ns();
	head->pid = ids >> 32;
	head->tid = (u32)ids;
	bpf_get_current_comm(head->comm, sizeof(head->comm));

	struct pt_regs regs;
	s64 kernel_bytes = 0;
	bool in_kernel = (ctx->regs.cs & 3) == 0;
	if (in_kernel) {
		kernel_bytes = bpf_get_stack(ctx, w->kernel, sizeof(w->kernel), 0);
		struct task_struct *task = bpf_get_current_task_btf();
		if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task)) != 0)
			__builtin_memset(&regs, 0, sizeof(regs));
	} else {
		regs = ctx->regs;
	}
	take_registers(w, &regs);
	w->exact_ip = !(in_kernel && is_in_syscall(&regs));
	w->leaf = true;
	w->end = STACK_END_CUT;
	w->user_frames = 0;
	w->last_mapping = 0;
	u32 *slot = bpf_map_lookup_elem(&process_tables, &head->pid);
	w->has_table = slot != 0;
	if (slot)
		w->table = *slot;
	if (regs.cs == 0x33) { /* __USER_CS: 64-bit code */
		bpf_loop(USER_FRAMES_MAX, walk_step, 0, 0);
	} else {
		w->end = STACK_END_NOT_64_BIT;
		w->user[0] = regs.ip;
		w->user_frames = regs.ip != 0;
	}

	u64 kernel_size = kernel_bytes > 0 ? kernel_bytes : 0;
	u64 user_size = (u64)w->user_frames * 8;
	barrier_value(kernel_size);
	barrier_value(user_size);
	if (kernel_size > KERNEL_FRAMES_MAX * 8)
		kernel_size = KERNEL_FRAMES_MAX * 8;
	if (user_size > USER_FRAMES_MAX * 8)
		user_size = USER_FRAMES_MAX * 8;
	head->kernel_frames = kernel_size / 8;
	head->user_frames = user_size / 8;
	head->stack_end = w->end;
	bpf_probe_read_kernel(w->out.frames, kernel_size, w->kernel);
	bpf_probe_read_kernel((char *)w->out.frames + kernel_size, user_size, w->user);
	u64 size = sizeof(*head) + kernel_size + user_size;
	barrier_value(size);
	if (size > sizeof(w->out))
		size = sizeof(w->out);
	/* User space looks every few milliseconds: no wake-up per sample. */
	if (bpf_ringbuf_output(&samples, &w->out, size, BPF_RB_NO_WAKEUP) == 0)
		count(COUNTER_KEPT);
	else
		count(COUNTER_LOST_RING_FULL);
	return 0;
}

/* A forked child has its parent's mappings: share the table until user space learns of a change. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_pid = parent->tgid, child_pid = child->tgid;
	if (parent_pid == child_pid)
		return 0;
	u32 *slot = bpf_map_lookup_elem(&process_tables, &parent_pid);
	if (!slot)
		return 0;
	u32 copy = *slot;
	bpf_map_update_elem(&process_tables, &child_pid, &copy, BPF_ANY);
	return 0;
}

/* exec replaces the address space: no rows are better than the old program's rows. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	u32 pid = task->tgid;
	bpf_map_delete_elem(&process_tables, &pid);
	return 0;
}
