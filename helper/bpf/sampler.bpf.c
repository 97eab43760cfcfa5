// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * Takes a sample of the running task: kernel stack by the kernel's own walk, user stack by CFI rows that user space
 * has prepared (records.h), by frame pointers where no row covers the pc.
 *
 * The state of a walk lives in a per-CPU map, not on the BPF stack: the verifier then checks one step instead of all
 * steps (2,760 instructions instead of 390,500 when this was first measured, 17 ms to load instead of 836). Much else
 * here is as it is to keep that number small: it is most of what starting a recording costs. perf_event programs do not interrupt
 * each other on a CPU, so one state per CPU is enough for them; others have more (allocations.h).
 */
/* Keeps clang from deriving a bound that the verifier cannot follow. */
#define barrier_value(v) asm volatile("" : "+r"(v))

#include "kernel_types.h"
#include <bpf/bpf_tracing.h>
#include "records.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#include "walk.h"

/* The state of a walk that is for programs on events. Those of probes, if these are wanted, have the numbers above. */
#define STATE_OF_EVENTS 0

#include "address_space.h"
#include "permission.h"
#include "pid_namespace.h"
#include "stack_copy.h"
#include "followed.h"
#include "cpu_time.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walk);
} walks SEC(".maps");

/* Those of aarch64 are too many for the BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct pt_regs);
} user_registers SEC(".maps");

/*
 * Callers repeat from sample to sample: their rules are kept by return address, which saves the searches, most of the
 * time of a walk. A changed table has another generation, so nothing is ever thrown out of here.
 */
#define CACHE_SETS 4 /* one per-CPU value holds at most 32 KiB */
#define CACHE_SET_SIZE 512
struct known_rules {
	struct known_rule entries[CACHE_SET_SIZE];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CACHE_SETS);
	__type(key, u32);
	__type(value, struct known_rules);
} rule_cache SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, u32);
	__type(value, u64);
} counters SEC(".maps");

#define RING_BYTES (8 << 20)
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} samples SEC(".maps");

/* By process. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, u32);
	__type(value, struct process_table);
} process_tables SEC(".maps");

/* The following are written by user space through mmap. Sizes of the last three are set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, PROCESSES_MAX);
	__type(key, u32);
	__type(value, struct mapping_table);
} mapping_tables SEC(".maps");

/* First row (low half) and number of rows (high half) of a page. */
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

/* Set before loading. */
const volatile u32 user_frames_wanted = USER_FRAMES_MAX;
/* CPU time that a sample stands for. */
const volatile u64 cpu_sample_ns = 0;
/* There are probes in the code of followed processes. */
const volatile bool probes_wanted = false;

static __always_inline void add_to(u32 which, u64 more)
{
	u64 *value = bpf_map_lookup_elem(&counters, &which);
	if (value)
		*value += more;
}

static __always_inline void count(u32 which)
{
	add_to(which, 1);
}

static __always_inline bool copy_user(struct walk *w, void *to, u32 size, u64 address)
{
	return bpf_probe_read_user(to, size, (void *)address) == 0;
}

static __always_inline const struct mapping_table *mapping_table_of(struct walk *w)
{
	u32 slot = w->table;
	return bpf_map_lookup_elem(&mapping_tables, &slot);
}

/* Not inline: old kernels count the stack of all callers together (512 bytes). */
static __noinline void note_checked(struct walk *w, u32 number)
{
	*checked_word(w, number) |= bit_of_mapping(number);
	u32 pid = w->out.head.pid;
	struct process_table *process = bpf_map_lookup_elem(&process_tables, &pid);
	/* Another thread may have changed the areas meanwhile, and its sample begun anew. */
	if (process && process->slot == w->table && process->sequence == w->sequence)
		process->checked[number / 64 & (CHECKED_WORDS - 1)] |= bit_of_mapping(number);
}

static __always_inline bool check_mapping(struct walk *w, u32 number, const struct mapping *m)
{
	bool is_it = is_right(m, w->state);
	if (is_it)
		note_checked(w, number);
	return is_it;
}

static __always_inline const struct mapping *mapping_beyond_table(struct walk *w, u64 address)
{
	return find_area(address, w->state);
}

static __always_inline const u64 *page_at(struct walk *w, u32 index)
{
	return bpf_map_lookup_elem(&pages, &index);
}

static __always_inline u32 row_at(struct walk *w, u32 index)
{
	u32 pair = index >> 1;
	u64 *two = bpf_map_lookup_elem(&rows, &pair);
	if (!two)
		return 0;
	return index & 1 ? *two >> 32 : (u32)*two;
}

static __always_inline const struct unwind_rule *rule_at(struct walk *w, u32 number)
{
	return bpf_map_lookup_elem(&rules, &number);
}

static __always_inline struct known_rule *known_rule_at(struct walk *w, u64 ip)
{
	if (w->state != STATE_OF_EVENTS)
		return 0; /* an event may interrupt a probe: they share nothing that is changed */
	u32 hash = (u32)(ip ^ ip >> 11) * 0x9e3779b1u >> 21; /* 11 bits */
	u32 set = hash / CACHE_SET_SIZE;
	struct known_rules *rules = bpf_map_lookup_elem(&rule_cache, &set);
	return rules ? &rules->entries[hash % CACHE_SET_SIZE] : 0;
}

static __always_inline enum code_read code_before(struct walk *w, u64 address, u64 *bytes)
{
	return copy_user(w, bytes, sizeof(*bytes), address - sizeof(*bytes)) ? CODE_READ : CODE_UNREADABLE;
}

/* One iteration of bpf_loop. 1 ends the loop. */
static long walk_step(u32 iteration, u32 *state)
{
	struct walk *w = bpf_map_lookup_elem(&walks, state);
	return w && walk_frame(w) ? 0 : 1;
}

/* Not static: the verifier then checks it once, not where it is called. */
__noinline int walk_stack(u32 state)
{
	return bpf_loop(USER_FRAMES_MAX, walk_step, &state, 0);
}

static __always_inline void begin_walk_from(struct walk *w, const struct pt_regs *r, bool exact_ip)
{
	take_registers(w->registers, r);
	w->ip = pc_of(r);
	begin_walk(w, exact_ip);
}

/* Instead of a walk that was not given all rows. False: nothing was sent. Copies take room from no sample: many CPUs could
 * fill the ring with them. */
static __always_inline bool send_copy(const struct walk *w, const struct pt_regs *regs, bool exact_ip, u64 wake)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct copy_room *room = bpf_map_lookup_elem(&copy_rooms, &cpu);
	if (bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) > RING_BYTES / 2)
		return false;
	if (!room || !copy_stack(&room->copy, sp_of(regs), frame_pointer_of(regs)))
		return false;
	struct stack_copy *copy = &room->copy;
	copy->head = w->out.head;
	copy->head.user_frames = 0;
	copy->head.form = FORM_COPY;
	take_registers(copy->registers, regs);
	copy->ip = pc_of(regs);
	copy->exact_ip = exact_ip;
	bpf_probe_read_kernel(copy->kernel_frames, sizeof(copy->kernel_frames), w->out.frames);
	u64 size = sizeof(*copy) - COPY_BYTES_MAX + copy->bytes;
	barrier_value(size);
	return size <= sizeof(*copy) && bpf_ringbuf_output(&samples, copy, size, wake) == 0;
}

/* The registers with which the running task entered the kernel. Whether its pc is exact, not that behind a system call. */
static __always_inline bool take_saved_registers(struct pt_regs *regs, const struct pt_regs *saved)
{
	if (bpf_probe_read_kernel(regs, sizeof(*regs), saved) != 0)
		__builtin_memset(regs, 0, sizeof(*regs));
	return !are_of_syscall(regs, saved);
}

/* What the head of a record says of the running task. */
static __always_inline void describe_task(struct sample_head *head, struct task_struct *task, u64 time_ns)
{
	head->time_ns = time_ns;
	head->pid = process_number_of(task);
	head->tid = number_of(task);
	__builtin_memcpy(head->comm, task->comm, sizeof(head->comm));
}

/* Walks the user stack of the running task; its process is in the head in `w`. */
static __always_inline void walk_user_stack(struct walk *w, const struct pt_regs *regs, bool exact_ip)
{
	u32 state = w->state;
	w->user_frames_wanted = user_frames_wanted;
	begin_walk_from(w, regs, exact_ip);
	forget_areas(state);
	w->has_table = false;
	enum table_state table_is = TABLE_NONE;
	struct process_table *process = bpf_map_lookup_elem(&process_tables, &w->out.head.pid);
	if (process) {
		w->table = process->slot;
		const struct mapping_table *table = bpf_map_lookup_elem(&mapping_tables, &w->table);
		if (table) {
			table_is = begin_checks(w, process);
			w->has_table = table_is != TABLE_NONE;
			w->generation = table->generation;
			w->last_mapping = process->last_leaf;
		}
	}
	if (are_of_64_bit_code(regs)) {
		walk_stack(state);
		/* A table that cannot be checked may be why it failed. */
		if (table_is == TABLE_UNCHECKED && w->end != STACK_END_ROOT && w->end != STACK_END_CUT && find_area(pc_of(regs), state)) {
			w->has_table = false;
			begin_walk_from(w, regs, exact_ip);
			walk_stack(state);
		}
	} else {
		w->end = STACK_END_NOT_64_BIT;
		if (pc_of(regs) && w->kernel_frames < FRAMES_MAX) {
			w->out.frames[w->kernel_frames] = pc_of(regs);
			w->user_frames = 1;
		}
	}
	if (process && w->has_table && process->last_leaf != w->leaf_mapping)
		process->last_leaf = w->leaf_mapping;
}

/* The size of the record, whose stack was just walked. */
static __always_inline u64 complete_stack(struct walk *w)
{
	struct sample_head *head = &w->out.head;
	head->kernel_frames = w->kernel_frames;
	head->user_frames = w->user_frames;
	head->stack_end = w->end;
	u64 size = sizeof(*head) + ((u64)w->kernel_frames + w->user_frames) * 8;
	barrier_value(size);
	return size > sizeof(w->out) ? sizeof(w->out) : size;
}

/* Puts the kernel's frames of the running task into `w`. */
static __always_inline void take_kernel_stack(struct bpf_perf_event_data *ctx, struct walk *w)
{
	s64 bytes = bpf_get_stack(ctx, w->out.frames, KERNEL_FRAMES_MAX * sizeof(u64), 0);
	w->kernel_frames = bytes > 0 ? (u64)bytes / 8 : 0;
}

/* Walks the user stack of the running task and sends it with the kernel's frames, behind the head that stands in `w`. `regs`: those
 * of the user's code. False: there was no room in the ring. */
static __always_inline bool send_stack(struct task_struct *current_task, const struct followed_process *followed, struct walk *w,
				       const struct pt_regs *regs, bool in_kernel, bool exact_ip)
{
	struct sample_head *head = &w->out.head;
	walk_user_stack(w, regs, exact_ip);
	if (in_kernel && w->end != STACK_END_ROOT && (is_in_exec(current_task) || (w->user_frames < 3 && !has_memory_at(sp_of(regs), STATE_OF_EVENTS)))) {
		w->user_frames = 0;
		w->end = STACK_END_ROOT;
		w->rows_missing = false;
	}
	u64 size = complete_stack(w);
	/* User space looks every few milliseconds: no wake-up per sample. */
	u64 wake = is_to_be_woken(head->time_ns, STATE_OF_EVENTS) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	if (stack_copies_wanted && w->rows_missing && followed->is_ours && send_copy(w, regs, exact_ip, wake))
		return true;
	return bpf_ringbuf_output(&samples, &w->out, size, wake) == 0;
}

/* Sends the stack of the running task to user space, if the task is followed. Runs at the sampling rate on every CPU, or
 * while a thread of the target runs. A sample that cannot be sent is counted. */
SEC("perf_event")
int take_sample(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0;
	struct task_struct *current_task = bpf_get_current_task_btf();
	struct followed_process *followed = followed_process_of(current_task);
	if (!followed)
		return 0;
	count(COUNTER_TAKEN);
	if (!may_look_into(current_task)) {
		note_hidden(followed);
		count(COUNTER_LOST_NOT_ALLOWED);
		return 0;
	}
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &zero);
	if (!w || !regs) {
		count(COUNTER_LOST_NO_SCRATCH);
		return 0;
	}
	struct sample_head *head = &w->out.head;
	describe_task(head, current_task, bpf_ktime_get_ns());
	head->kind = SAMPLE_CPU;
	head->value = cpu_sample_ns;
	head->weight = 1;
	head->id = 0;

	bool in_kernel = are_of_kernel(&ctx->regs), exact_ip = true;
	w->kernel_frames = 0;
	if (in_kernel) {
		exact_ip = take_saved_registers(regs, (void *)bpf_task_pt_regs(current_task));
		take_kernel_stack(ctx, w);
	} else {
		*regs = ctx->regs;
	}
	if (probes_wanted)
		leave_probe(regs, current_task, in_kernel);
	count(send_stack(current_task, followed, w, regs, in_kernel, exact_ip) ? COUNTER_KEPT : COUNTER_LOST_RING_FULL);
	return 0;
}

#include "waits.h"
#include "counters.h"
#include "probe.h"
#include "allocations.h"
#include "reported_allocations.h"
#include "calls.h"
#include "faults.h"
#include "syscalls.h"
#include "wakers.h"

/* A forked child is followed as its parent is, and has its mappings: it shares the table until user space learns of a
 * change. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (parent->tgid == child->tgid)
		return 0;
	u32 parent_number = process_number_of(parent), child_number = number_of(child);
	if (!child_number)
		return 0; /* in no namespace that we see */
	if (!follow_child(parent, child_number, child))
		count(COUNTER_PROCESSES_NOT_FOLLOWED);
	const struct process_table *table = bpf_map_lookup_elem(&process_tables, &parent_number);
	if (!table)
		return 0;
	struct process_table copy = {.slot = table->slot};
	bpf_map_update_elem(&process_tables, &child_number, &copy, BPF_ANY);
	return 0;
}

/* exec replaces the address space: no rows are better than the old program's rows. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	u32 process = process_number_of(task);
	bool was_followed = followed_thread(task);
	if (!note_exec(process, task)) {
		count(COUNTER_PROGRAMS_NOT_ALLOWED);
		if (was_followed)
			add_cpu_time(task, 1); /* of the programs before it */
	} else if (was_followed) {
		wake_at_exec();
	}
	bpf_map_delete_elem(&process_tables, &process);
	return 0;
}

/*
 * Names a kernel address: run from user space, once for each new address. The kernel's own list in /proc costs some
 * 80 ms of CPU to read, and shows addresses to nobody without more privilege than sampling takes.
 */
u64 address_to_name;
char name_of_address[KERNEL_NAME_MAX];

SEC("syscall")
int name_address(void *unused)
{
	return bpf_snprintf(name_of_address, sizeof(name_of_address), "%ps", &address_to_name, sizeof(address_to_name));
}
