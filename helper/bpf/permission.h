/* SPDX-License-Identifier: MIT OR GPL-2.0
 *
 * Whether the one who asked may look into the program that runs now, sample by sample: a program that may be looked into
 * when it is attached to can become another by exec of a setuid file, or protect itself later. The question is that of
 * ptrace(2), in its strictest form: same user in every respect, no capability, dumpable.
 */
#pragma once

/* The user who started the sampler; 0: root, who may look into everything. Set before loading. */
const volatile u32 invoker_uid = 0;

typedef struct {
	u32 val;
} kuid_t;
typedef struct {
	u64 bits; /* two u32 until Linux 6.3 */
} kernel_cap_t;
struct cred {
	kuid_t uid;
	kuid_t suid;
	kuid_t euid;
	kuid_t fsuid;
	kernel_cap_t cap_permitted;
} __attribute__((preserve_access_index));

/* Where it stands that a program is dumpable: in a task (Linux 7), in a bitmap of its own type (6.18), in a number. */
enum task_dumpable { TASK_DUMPABLE_OFF = 0, TASK_DUMPABLE_OWNER = 1 };
struct task_exec_state {
	enum task_dumpable dumpable;
} __attribute__((preserve_access_index));
struct task_struct___exec_state {
	struct task_exec_state *exec_state;
} __attribute__((preserve_access_index));
typedef struct {
	unsigned long __mm_flags[1];
} mm_flags_t;
struct mm_struct___bitmap {
	mm_flags_t flags;
} __attribute__((preserve_access_index));
struct mm_struct___flags {
	unsigned long flags;
} __attribute__((preserve_access_index));
#define MMF_DUMPABLE_MASK 3 /* include/linux/mm_types.h */
#define SUID_DUMP_USER 1

static __always_inline bool is_dumpable(struct task_struct *task)
{
	if (bpf_core_field_exists(((struct task_struct___exec_state *)0)->exec_state)) {
		struct task_exec_state *state = BPF_CORE_READ((struct task_struct___exec_state *)task, exec_state);
		return state && BPF_CORE_READ(state, dumpable) == TASK_DUMPABLE_OWNER;
	}
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	if (!mm)
		return true; /* it is ending: of its memory nothing is left to be looked into */
	unsigned long flags = 0;
	if (bpf_core_field_exists(((struct mm_struct___bitmap *)0)->flags.__mm_flags))
		flags = BPF_CORE_READ((struct mm_struct___bitmap *)mm, flags.__mm_flags[0]);
	else if (bpf_core_field_exists(((struct mm_struct___flags *)0)->flags))
		flags = BPF_CORE_READ((struct mm_struct___flags *)mm, flags);
	return (flags & MMF_DUMPABLE_MASK) == SUID_DUMP_USER; /* not where it stands nowhere that we know */
}

static __always_inline bool may_look_into(struct task_struct *task)
{
	u32 invoker = invoker_uid;
	if (!invoker)
		return true;
	const struct cred *cred = BPF_CORE_READ(task, real_cred);
	u32 others = BPF_CORE_READ(cred, uid.val) ^ invoker;
	others |= BPF_CORE_READ(cred, euid.val) ^ invoker;
	others |= BPF_CORE_READ(cred, suid.val) ^ invoker;
	others |= BPF_CORE_READ(cred, fsuid.val) ^ invoker;
	kernel_cap_t permitted;
	if (bpf_core_read(&permitted, sizeof(permitted), &cred->cap_permitted) != 0)
		return false;
	return !others && !permitted.bits && is_dumpable(task);
}
