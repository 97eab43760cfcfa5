/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * The few kernel types and constants that the sampler needs, instead of a generated vmlinux.h: a build machine needs no
 * BTF this way, and a reader sees everything that is relied on. Structures read through CO-RE carry
 * preserve_access_index, so that libbpf moves each field to where the running kernel has it; the others are kernel ABI.
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u16 __sum16;

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
enum { false = 0, true = 1 };

/* include/uapi/linux/bpf.h: numbers fixed by the kernel's ABI. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1, BPF_F_MMAPABLE = 1 << 10, BPF_RB_AVAIL_DATA = 0, BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#ifdef __TARGET_ARCH_arm64
#include "registers_aarch64.h"
#else
#include "registers_x86_64.h"
#endif

/* Context of a perf_event program (include/uapi/linux/bpf_perf_event.h). */
struct bpf_perf_event_data {
	struct pt_regs regs;
	u64 sample_period;
	u64 addr;
};

/* Context of a program at a raw tracepoint (include/uapi/linux/bpf.h). */
struct bpf_raw_tracepoint_args {
	u64 args[0];
};

struct mm_struct;
struct cred;
struct pid;
struct sched_entity {
	u64 sum_exec_runtime;
} __attribute__((preserve_access_index));
/* Empty where the kernel does not keep it (CONFIG_SCHED_INFO). Times are those of the run queue's clock. */
struct sched_info {
	u64 run_delay;    /* waited for a CPU, ns */
	u64 last_arrival; /* when it got its CPU */
	u64 last_queued;  /* since when it waits for one; 0: it does not */
} __attribute__((preserve_access_index));
struct task_struct {
	s32 pid;
	s32 tgid;
	struct mm_struct *mm;
	const struct cred *real_cred;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct pid *thread_pid;
	struct sched_entity se;
	struct sched_info sched_info;
	u64 start_boottime;
	unsigned int __state; /* 0: it can run */
	unsigned int flags;
	int exit_state; /* 0: it lives */
	void *stack;    /* in the kernel, its lower end */
	unsigned long nvcsw;  /* how often it gave up its CPU */
	unsigned long nivcsw; /* how often that was taken from it */
	unsigned in_execve : 1;
	unsigned in_iowait : 1;
	char comm[16];
} __attribute__((preserve_access_index));

/* Context of a task iterator. */
struct bpf_iter_meta;
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

/* A kernel whose verifier notes this also lets a program call global functions while it keeps its CPU. */
struct bpf_prog_aux {
	bool might_sleep;
} __attribute__((preserve_access_index));
