/* What this machine takes for a BPF program that does nothing, and for one that asks the kernel for a stack by frame
 * pointers, both at a sampling timer: measure of machines, with nothing of ours in it. Prints nanoseconds a run.
 *
 *   yardstick    (as root, with kernel.bpf_stats_enabled)
 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 14
#define STACK_BYTES 1024
#define CALLS 12 /* main and the function at the bottom are frames, too */

static int bpf(int command, union bpf_attr *attr) {
  int result = syscall(SYS_bpf, command, attr, sizeof *attr);
  if (result >= 0) return result;
  perror("bpf");
  exit(1);
}

static int map(void) {
  union bpf_attr attr = {.map_type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_size = 4, .value_size = STACK_BYTES, .max_entries = 1};
  return bpf(BPF_MAP_CREATE, &attr);
}

static int program(const struct bpf_insn *instructions, unsigned count) {
  union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_PERF_EVENT, .insn_cnt = count};
  attr.insns = (uintptr_t)instructions;
  attr.license = (uintptr_t) "Dual MIT/GPL";
  return bpf(BPF_PROG_LOAD, &attr);
}

#define INSTRUCTION(c, d, s, o, i) ((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define SET(d, i) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define COPY(d, s) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define CALL(f) INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int empty_program(void) {
  struct bpf_insn code[] = {SET(BPF_REG_0, 0), EXIT};
  return program(code, sizeof code / sizeof *code);
}

/* `flags` as bpf_get_stack takes them. */
static int stack_program(int flags) {
  struct bpf_insn code[] = {
      COPY(BPF_REG_6, BPF_REG_1),
      INSTRUCTION(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0),
      COPY(BPF_REG_2, BPF_REG_10),
      INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
      INSTRUCTION(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map()),
      INSTRUCTION(0, 0, 0, 0, 0),
      CALL(BPF_FUNC_map_lookup_elem),
      INSTRUCTION(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 5, 0),
      COPY(BPF_REG_1, BPF_REG_6),
      COPY(BPF_REG_2, BPF_REG_0),
      SET(BPF_REG_3, STACK_BYTES),
      SET(BPF_REG_4, flags),
      CALL(BPF_FUNC_get_stack),
      SET(BPF_REG_0, 0),
      EXIT,
  };
  return program(code, sizeof code / sizeof *code);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* More than the second level of caches holds: between two samples a program at work pushes out what the sampler used. */
static uint64_t worked_on[1 << 20];
static int with_calls;

__attribute__((noinline)) static uint64_t work(uint64_t until) {
  uint64_t x = 1;
  char bytes[512];
  while (now_ns() < until)
    for (int i = 0; i < 1000; i++) {
      x = x * 6364136223846793005u + 1;
      worked_on[x >> 44] += x;
      if (with_calls) syscall(SYS_getrandom, bytes, sizeof bytes, 0);
    }
  return x;
}

__attribute__((noinline)) static uint64_t descend(int depth, uint64_t until) {
  volatile uint64_t kept = depth > 1 ? descend(depth - 1, until) : work(until); /* volatile: no tail call */
  return kept + depth;
}

/* Nanoseconds a run of the program, while this process works for two seconds. */
static double measured(int program) {
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .sample_period = 1000000};
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) < 0) {
    perror("perf event");
    exit(1);
  }
  descend(CALLS, now_ns() + 2000000000ull);
  close(event);
  struct bpf_prog_info info = {0};
  union bpf_attr ask = {.info = {.bpf_fd = program, .info_len = sizeof info, .info = (uintptr_t)&info}};
  bpf(BPF_OBJ_GET_INFO_BY_FD, &ask);
  return info.run_cnt ? (double)info.run_time_ns / info.run_cnt : 0;
}

int main(void) {
  double empty = measured(empty_program()), user = measured(stack_program(BPF_F_USER_STACK));
  with_calls = 1;
  double kernel = measured(stack_program(0));
  printf("{\"emptyNs\":%.0f,\"userStackNs\":%.0f,\"kernelStackNs\":%.0f}\n", empty, user, kernel);
}
