import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, newestRelease } from '../kernel-matrix/archive.mjs';
import { sectionsOf } from '../kernel-matrix/sections.mjs';
import { judge, tableOf } from '../kernel-matrix/verdict.mjs';
import { guestPackages, missingPackages } from '../steps/system-packages.mjs';

test('versions are compared by their numbers', () => {
  const sorted = [
    '6.12.117+deb12-cloud-amd64',
    '6.1.0-9-cloud-amd64',
    '6.12.9+deb12-cloud-amd64',
    '6.1.0-56-cloud-amd64',
  ];
  assert.deepEqual(sorted.sort(compareVersions), [
    '6.1.0-9-cloud-amd64',
    '6.1.0-56-cloud-amd64',
    '6.12.9+deb12-cloud-amd64',
    '6.12.117+deb12-cloud-amd64',
  ]);
});

test('the newest cloud kernel of a series is chosen among packages of other series and flavours', () => {
  const names = [
    'linux-image-6.1.0-9-cloud-amd64',
    'linux-image-6.1.0-56-cloud-amd64',
    'linux-image-6.1.0-57-amd64',
    'linux-image-6.1.0-58-cloud-amd64-dbg',
    'linux-image-6.12.117+deb12-cloud-amd64',
    'linux-image-7.0.3+deb13-cloud-amd64',
    'linux-image-7.3.4+deb13-cloud-amd64',
    'linux-image-7.4~rc2-cloud-amd64',
    'linux-image-6.12.90+deb12-arm64-16k',
    'linux-image-6.12.117+deb12-cloud-arm64',
    '',
  ];
  assert.equal(newestRelease(names, '6.1', 'cloud-amd64'), '6.1.0-56-cloud-amd64');
  assert.equal(newestRelease(names, '7', 'cloud-amd64'), '7.3.4+deb13-cloud-amd64');
  assert.equal(newestRelease(names, '6.12', 'arm64-16k'), '6.12.90+deb12-arm64-16k');
  assert.equal(newestRelease(names, '6.18', 'cloud-amd64'), undefined);
});

test('what guests need is asked for apart from what building needs', () => {
  const missing = missingPackages({ packages: guestPackages, has: (name) => name === 'cpio', exists: () => true });
  assert.deepEqual(
    missing.map((item) => item.name),
    ['qemu-system-x86', 'qemu-system-arm', 'busybox-static', 'util-linux'],
  );
});

const printed = (name, text, status) => `@ begin ${name}\n${text}\n\n@ end ${name} ${status}\n`;

test('sections are told apart, with what they printed and how they ended', () => {
  const text = `noise\n${printed('release', '6.1.0-56', 0)}${printed('a.b', '@ begin nothing\n{}', 3)}@ begin cut\n`;
  assert.deepEqual(sectionsOf(text), {
    release: { text: '6.1.0-56', status: 0 },
    'a.b': { text: '@ begin nothing\n{}', status: 3 },
  });
});

const refusal = 'this kernel is Linux 5.10.0-46, but Lineheat needs Linux 6.1 or newer: it lacks bpf_loop';

test('a kernel that is too old must be refused in clear words', () => {
  const sections = (text, status) =>
    ['root', 'user', 'bare'].flatMap((who) => [
      printed(`${who}.doctor`, text, status),
      printed(`${who}.hot_line.record`, text, status),
    ]);
  const judged = (text, status) => judge([printed('release', '5.10.0-46', 0), ...sections(text, status)].join(''));
  const kept = (verdict) => verdict.promises.filter((promise) => promise.ok).length;
  assert.equal(kept(judged(refusal, 3)), 12);
  assert.equal(kept(judged(refusal, 0)), 0);
  assert.equal(kept(judged('libbpf: prog take_sample: failed to load: -EINVAL', 3)), 0);
});

test('a guest that printed nothing keeps no promise', () => {
  const { promises, figures } = judge(printed('release', '6.1.0-56', 0));
  assert.equal(promises.filter((promise) => promise.ok).length, 0);
  assert.deepEqual(figures, { root: {}, user: {}, bare: {} });
});

test('a few stacks that are cut at the start are allowed, a share of all is not', () => {
  const whole = (stackEnds) => {
    const amounts = { totalSamples: 100, lostSamples: 0, stackEnds };
    const report = (rows) => JSON.stringify({ ...amounts, ...rows });
    const printedByGuest = [
      printed('release', '7.3.4', 0),
      printed('root.hot_line.functions', report({ functions: [{ name: 'spend', module: 'hot_line' }] }), 0),
      printed('root.hot_line.lines', report({ lines: [{ file: '/src/hot_line.c', line: 11 }] }), 0),
    ];
    const { promises } = judge(printedByGuest.join(''));
    return promises.find((promise) => promise.what === "root, C: stacks reach the thread's start").ok;
  };
  assert.equal(whole({ root: 90, 'no-mapping': 10 }), true);
  assert.equal(whole({ root: 89, 'no-mapping': 11 }), false);
  assert.equal(whole({ 'no-rule': 5 }), false);
});

test('the table has a row for each kernel and user', () => {
  const figures = {
    root: { hot_line: { samples: 981, whole: 1 }, kernelNamed: true },
    user: { hot_line: { samples: 12, whole: 0.5 }, kernelNamed: false },
  };
  const table = tableOf([
    { release: '5.10.0-46', promises: [{ ok: true }], figures: {} },
    { release: '6.1.0-56', promises: [{ ok: true }, { ok: false }], figures },
  ]);
  const rows = table.split('\n');
  assert.match(rows[1], /^5\.10\.0-46 +root, user, bare +refused .* 1 of 1$/);
  assert.match(rows[2], /^6\.1\.0-56 +root +981 samples, 100\.0 % whole +not recorded .* named +1 of 2$/);
  assert.match(rows[3], /^ +user +12 samples, 50\.0 % whole .* unnamed$/);
});
