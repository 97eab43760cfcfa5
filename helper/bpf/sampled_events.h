/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Events that are too many to walk the stack at each: page faults, system calls. All are counted, by thread. From time to time one is
 * walked, and stands for those of its thread and kind since the last one that was: so sums are exact, and only how they are divided
 * among stacks is a matter of chance. What no walk has taken goes out without a stack when the thread ends, or sampling does.
 */
#pragma once

/* What is counted on a CPU: events, or nanoseconds of them. The period is drawn at random around its mean, or events that come in
 * turns would meet it again and again. */
struct sampling {
	u64 since_ns; /* of `walks` */
	u64 period;
	s64 left;
	u32 walks;
	u32 walks_behind; /* not due, see below */
};

enum sampled { SAMPLED_FAULTS, SAMPLED_CALLS, SAMPLED_CALL_NS, SAMPLED_ERRORS, SAMPLED };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SAMPLED);
	__type(key, u32);
	__type(value, struct sampling);
} samplings SEC(".maps");

/* 300 walks a second on a CPU of each; of all together, some 1,000. A window is short, as the events of its rest may have one stack. */
#define SAMPLING_WINDOW_NS 40000000ULL
#define SAMPLING_WALKS 12
#define SAMPLING_PERIOD_MAX (1ULL << 32)

/* As many walks a window as there should be, if events come on as they did. */
static __always_inline void adapt_period(struct sampling *s, u64 now_ns)
{
	u64 passed_ns = now_ns - s->since_ns + 1, period = s->period;
	u64 wanted = period * s->walks * (SAMPLING_WINDOW_NS / SAMPLING_WALKS) / passed_ns;
	if (wanted > period * 4)
		wanted = period * 4;
	if (wanted < period / 4)
		wanted = period / 4;
	if (wanted > SAMPLING_PERIOD_MAX)
		wanted = SAMPLING_PERIOD_MAX;
	s->period = wanted ? wanted : 1;
	s->since_ns = now_ns;
	s->walks = 0;
	s->walks_behind = 0;
}

/* Of the events of one thread and kind, those that no stack stands for may be a sixteenth of the others. Else a thread of few events, beside
 * or after others that made the period large, would have none of its own. One that stands for more than itself is drawn. */
static __always_inline bool is_behind(u32 unsent, u32 sent)
{
	return unsent > sent / 16 && (unsent == 1 || bpf_get_prandom_u32() % 4 == 0);
}

/* Whether the event, which adds so much, is one to be walked. A program that is preempted here by its like may walk once more or less. */
static __always_inline bool is_to_be_walked(enum sampled what, u64 amount, bool is_behind, u64 now_ns)
{
	u32 key = what;
	struct sampling *s = bpf_map_lookup_elem(&samplings, &key);
	if (!s)
		return true;
	if (!s->period) {
		s->period = 1;
		s->since_ns = now_ns;
	}
	s->left -= amount;
	bool is_due = s->left <= 0, is_over = now_ns - s->since_ns >= SAMPLING_WINDOW_NS;
	s->walks += is_due;
	if (is_over || s->walks >= SAMPLING_WALKS)
		adapt_period(s, now_ns);
	/* After a burst of events, its period would leave those of a quiet time without a walk. */
	if (is_due || is_over)
		s->left = s->period == 1 ? 1 : 1 + bpf_get_prandom_u32() % (2 * s->period - 1);
	/* The first one after a pause is no choice of chance. */
	if (!is_due && !is_over && is_behind && s->walks_behind < SAMPLING_WALKS) {
		s->walks_behind++;
		return true;
	}
	return is_due;
}

/* Of a thread, which has these numbers; `comm`: its name, in the kernel. False: there was no room. */
static __noinline bool send_rest(const struct sample_head *of, const char *comm)
{
	struct sample_head *head = bpf_ringbuf_reserve(&samples, sizeof(*head), 0);
	if (!head)
		return false;
	*head = *of;
	head->time_ns = bpf_ktime_get_ns();
	head->form = FORM_REST;
	__builtin_memset(head->comm, 0, sizeof(head->comm));
	if (comm)
		bpf_probe_read_kernel(head->comm, sizeof(head->comm), comm);
	bpf_ringbuf_submit(head, BPF_RB_NO_WAKEUP);
	return true;
}

/* Of a task that was seen before, and may have ended since. */
static __always_inline const char *name_of(struct task_struct *task, u32 tid)
{
	return number_in_namespace(BPF_CORE_READ(task, pid), BPF_CORE_READ(task, thread_pid)) == tid ? task->comm : 0;
}
