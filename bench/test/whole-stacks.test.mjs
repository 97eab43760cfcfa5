// Which stacks of other profilers count as whole.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeStacks } from '../outermost-frames.mjs';
import { outermostFrames } from '../perf-stacks.mjs';

const shares = (...names) => wholeStacks(names.map((outermost) => ({ outermost, count: 1 })));

test('a stack that reaches the start of a thread is whole, in each profiler’s spelling', () => {
  const whole = [
    ['main', '__libc_start_call_main'],
    ['__libc_start_main@@GLIBC_2.34', '[unknown]'],
    ['start_thread', 'clone3'],
    ['start', '_libc_start_main_impl'],
    ['main.main.func1', 'runtime.goexit.abi0'],
  ];
  assert.deepEqual(shares(...whole), { total: 5, whole: 5, toMain: 5 });
});

test('a stack that ends elsewhere is not, and one that ends in main is counted apart', () => {
  const ended = [['__memcmp_evex_movbe'], ['start_job', '[unknown]'], ['rg::run', 'rg::main'], ['domain', 'mainly']];
  assert.deepEqual(shares(...ended), { total: 4, whole: 0, toMain: 1 });
});

test('the outermost frames of perf’s script: kernel frames and samples of nothing else are left out', () => {
  const script = [
    '\tffffffff81000000 do_syscall_64 ([kernel.kallsyms])',
    '\t    7f0012345678 read (/lib/libc.so.6)',
    '\t    55d000001234 Vec<(u8, u8)>::read (in place) (/bin/program)',
    '\t    55d000001000 _start (/bin/program)',
    '',
    '\tffffffff81000010 begin_new_exec ([kernel.kallsyms])',
    '',
    '\t    55d000001300 alone (/bin/program)',
    '',
  ].join('\n');
  assert.deepEqual(outermostFrames(script), [
    { outermost: ['Vec<(u8, u8)>::read (in place)', '_start'], count: 1 },
    { outermost: ['alone'], count: 1 },
  ]);
});
