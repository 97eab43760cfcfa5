/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Events that perf counts for each thread (crates/perf-events/counter_event.rs): page faults, cache misses. A counter of hardware or a
 * clock calls its program once for each period, any other one for each event. Of these, all are walked as long as they are few;
 * of many, the program walks one in a number that varies by chance, and each walk stands for all events of its CPU since the one
 * before: the sum stays exact.
 *
 * A program for each counter, since an inherited event does not keep its cookie. Those that were asked for are loaded. Their walks
 * use the state of take_sample, as those of take_switch do.
 */
#pragma once

#define COUNTERS_OF_EVENTS 8 /* mirrored by crates/records */
#define COUNTED_WINDOW_NS 125000000ULL
#define GAP_MAX (1u << 20)

/* Of one counter on one CPU. */
struct counted {
	u64 events;  /* all that came */
	u64 hidden;  /* of them, in programs that the invoker may not look into */
	u64 lost;    /* of them, in walks for which there was no room */
	u64 pending; /* since the last walk: the next one stands for them */
	u64 walks;
	u64 window_ns; /* since when walks are counted */
	u32 walks_in_window;
	u32 gap;  /* on average one event in so many is walked, a power of two; 0: each */
	u32 left; /* to the next walk */
	u32 longest_gap;
};
_Static_assert(sizeof(struct counted) == 64, "read by the sampler");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS_OF_EVENTS);
	__type(key, u32);
	__type(value, struct counted);
} counted_events SEC(".maps");

/* Walks on a CPU in a window. Set before loading. */
const volatile u32 counted_walks_max = 125;

/* Whether this event is walked. */
static __always_inline bool is_walked(struct counted *of, u64 now_ns)
{
	u64 age_ns = now_ns - of->window_ns;
	if (age_ns >= COUNTED_WINDOW_NS) {
		if (age_ns >= 8 * COUNTED_WINDOW_NS)
			of->gap = of->left = 0;
		else if (of->walks_in_window < counted_walks_max / 2)
			of->gap /= 2;
		of->window_ns = now_ns;
		of->walks_in_window = 0;
	}
	if (of->left > 1) {
		of->left--;
		return false;
	}
	of->walks_in_window++;
	if (of->walks_in_window >= counted_walks_max) {
		of->walks_in_window = 0;
		of->gap = of->gap ? of->gap * 4 : 4;
		if (of->gap > GAP_MAX)
			of->gap = GAP_MAX;
		if (of->gap > of->longest_gap)
			of->longest_gap = of->gap;
	}
	u32 gap = of->gap;
	of->left = gap > 1 ? 1 + (bpf_get_prandom_u32() & (2 * gap - 1)) : 0;
	return true;
}

static __always_inline int take_counted(struct bpf_perf_event_data *ctx, u32 number)
{
	u32 zero = 0;
	struct task_struct *task = bpf_get_current_task_btf();
	struct counted *of = bpf_map_lookup_elem(&counted_events, &number);
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);
	struct pt_regs *regs = bpf_map_lookup_elem(&user_registers, &zero);
	if (!of || !w || !regs)
		return 0;
	u64 events = ctx->sample_period, now_ns = bpf_ktime_get_ns();
	of->events += events;
	struct followed_process *followed = followed_process_of(task);
	if (!followed || !may_look_into(task)) {
		if (followed)
			note_hidden(followed);
		of->hidden += events;
		return 0;
	}
	of->pending += events;
	if (!is_walked(of, now_ns))
		return 0;
	struct sample_head *head = &w->out.head;
	describe_task(head, task, now_ns);
	head->form = FORM_STACK;
	head->kind = SAMPLE_COUNTED + number;
	head->value = of->pending;
	head->weight = 1;
	head->id = 0;
	bool in_kernel = are_of_kernel(&ctx->regs), exact_ip = true;
	w->kernel_frames = 0;
	if (in_kernel) {
		exact_ip = take_saved_registers(regs, (void *)bpf_task_pt_regs(task));
		take_kernel_stack(ctx, w);
	} else {
		*regs = ctx->regs;
	}
	if (probes_wanted)
		leave_probe(regs, task, in_kernel);
	if (send_stack(task, followed, w, regs, in_kernel, exact_ip))
		of->walks++;
	else
		of->lost += of->pending;
	of->pending = 0;
	return 0;
}

#define COUNTER_PROGRAM(number)                                             \
	SEC("perf_event")                                                   \
	int take_counted_##number(struct bpf_perf_event_data *ctx)          \
	{                                                                   \
		return take_counted(ctx, number);                           \
	}
COUNTER_PROGRAM(0)
COUNTER_PROGRAM(1)
COUNTER_PROGRAM(2)
COUNTER_PROGRAM(3)
COUNTER_PROGRAM(4)
COUNTER_PROGRAM(5)
COUNTER_PROGRAM(6)
COUNTER_PROGRAM(7)
