// What a lying engine may say: replies of every kind, mutated, as frames of protocol/wire.proto.
import { Buffer } from 'node:buffer';
import { decodeReply, wire } from '../../../core/wire.ts';
import { evilNames } from '../../../webview/test/evilNames.ts';
import { seededRandom } from '../api/inOrder.ts';

export const FRAMES = 10_000;

/** What an engine may say, one of each kind, for the mutations to begin with. */
function plausible(source: string) {
  const summary = { path: source, name: 'a', command: ['a'], target: 'a', samples: 9, wallNs: 9, end: 'exited' };
  const place = { function: evilNames[0]!, path: source, line: 1 };
  const lines = {
    line: [1, 2],
    selfSamples: [5, 1],
    totalSamplesOfLine: [9, 1],
    selfValue: [5, 1],
    changed: [false, true],
  };
  const functions = [{ name: evilNames[1]!, line: 1, selfSamples: 9, totalSamples: 20, totalValue: 9, function: 0 }];
  const fileHeat = { totalSamples: 9, totalValue: 9, unit: 'cpu', ...lines, totalValueOfLine: [9, 1], functions };
  const files = [
    { recordedPath: '/etc/passwd', path: '/etc/passwd', totalSamples: 9 },
    { path: source, totalSamples: 9 },
  ];
  const checks = evilNames
    .slice(0, 9)
    .map((name, at) => ({ id: name, title: name, state: at, detail: name, command: name }));
  const effects = { change: [0.1, -0.2], low: [0, -1], high: [1, 0], q: [0.1, 0.9], verdict: [1, 4] };
  const differences = { baseSelf: [5, 1], newSelf: [9, 0], baseTotalOfLine: [9, 1], newTotalOfLine: [9, 0] };
  const fileDifference = {
    baseTotal: 20,
    newTotal: 30,
    line: [1, 2],
    ...differences,
    baseSamples: [20, 3],
    newSamples: [30, 0],
    verdict: [1, 4],
    changed: [false, true],
    selfEffects: effects,
    totalEffects: effects,
    functions: [
      {
        name: evilNames[6]!,
        line: 1,
        baseTotal: 9,
        newTotal: 20,
        totalEffect: { change: 1, verdict: 1 },
        note: evilNames[7]!,
      },
    ],
  };
  const execution = { wallNs: 9, userNs: 9, samples: 9, value: 9, outlier: true };
  const whole = {
    sentence: evilNames[0]!,
    verdict: 1,
    per: evilNames[1]!,
    method: evilNames[2]!,
    baseExecutions: [execution, execution],
    newExecutions: [execution],
    normalisations: [1, 2, 9],
    facts: [{ what: evilNames[3]!, base: evilNames[4]!, new: '', differs: true }],
    commitsBetween: [evilNames[5]!],
  };
  const explained = { name: evilNames[0]!, path: '/etc/passwd', line: 1, lines: [{ newLine: 1, text: evilNames[1]! }] };
  const sweepRow = { path: '/etc/passwd', values: [evilNames[2]!], runs: 2, meanWallNs: 9, best: true };
  const callers = [{ place, samples: 3, value: 9 }];
  return [
    { runOpened: { run: 1, summary, values: [{ type: 'cpu', unit: 'ns' }], files, problems: [...evilNames] } },
    { runOpened: { run: 1, summary, files } },
    { fileHeat },
    { fileHeat: { ...fileHeat, notice: evilNames[2]! } },
    { lineDetail: { selfSamples: 9, runTotalValue: 9, unit: evilNames[3]!, callers, callees: callers } },
    { runs: { runs: [summary, { ...summary, problem: evilNames[4]! }] } },
    { doctor: { checks, canRecord: true } },
    { location: { recordedPath: '/etc/passwd', path: '/etc/passwd', line: 1 } },
    { view: { content: new Uint8Array(99) } },
    { source: { found: true, text: evilNames.join('\n') } },
    { recordingEnded: { runPath: '/etc/passwd', run: summary } },
    { failure: { kind: wire.Failure.Kind.INTERNAL, message: evilNames.join(), advice: '\n  sudo rm -rf /' } },
    { processes: { processes: [{ pid: 1, name: evilNames[5]! }] } },
    { comparisonOpened: { comparison: 1, base: summary, new: summary, files } },
    { comparisonOpened: { comparison: 1, base: summary, new: summary, files, ...whole } },
    { fileDifference },
    { explanation: { netChange: -9, churn: 20, functions: [explained] } },
    { sweepTable: { parameters: [evilNames[3]!], rows: [sweepRow], value: evilNames[4]! } },
  ].map((reply) => wire.Reply.encode({ id: 1, final: true, ...reply }).finish());
}

/**
 * Frames with their lengths, all of which can be decoded: what cannot ends the engine, which has a test of its own.
 * `source` is a file that they speak of.
 */
export function mutatedFrames(source: string): Uint8Array {
  const random = seededRandom(7);
  const good = plausible(source);
  const parts: Uint8Array[] = [];
  while (parts.length < 2 * FRAMES) {
    const bytes = Uint8Array.from(good[random(good.length)]!);
    for (let flips = random(8); flips > 0; flips--) bytes[random(bytes.length)] = random(256);
    const cut = random(5) === 0 ? bytes.subarray(0, 1 + random(bytes.length)) : bytes;
    try {
      decodeReply(cut);
    } catch {
      continue;
    }
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, cut.length, true);
    parts.push(length, cut);
  }
  return new Uint8Array(Buffer.concat(parts));
}
