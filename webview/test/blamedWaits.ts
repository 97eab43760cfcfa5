// Waiting time by what caused it, as the engine sends it: for tests of the page.
import { wire } from '../../core/wire.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { shopFunctions, shopGraph } from './shop.ts';

const strings = [
  '', 'hold', '/src/turns.c', 'put', '/src/queue.c', 'take_turn', 'main', 'get', 'turns',
  'a timer', 'another process, feeder', 'lock', 'condition, pipe', 'sleep', 'run queue', 'network', 'condition',
] as const; // biome-ignore format: a word a place is easier to count
const id = (text: (typeof strings)[number]) => strings.indexOf(text);

/** Function, file and line. */
type At = readonly [name: (typeof strings)[number], file: (typeof strings)[number], line: number];
const NOWHERE: At = ['', '', 0];

const frames = (rows: readonly At[]) => ({
  strings: [...strings],
  name: rows.map(([name]) => id(name)),
  module: rows.map(([name]) => (name ? id('turns') : 0)),
  file: rows.map(([, file]) => id(file)),
  line: rows.map(([, , line]) => line),
  kind: rows.map(() => 0),
});

export const LACK = 'Only lock holders are known. To see what ended the other waits, record with --wakeups.';

/** A line that held a lock, one that ended waits at three lines, a timer, another process, nobody that is known, and idle threads. */
export const blameContent = (lack = ''): Uint8Array =>
  wire.BlameTable.encode({
    causes: frames([['hold', '/src/turns.c', 7], ['put', '/src/queue.c', 36], NOWHERE, NOWHERE, NOWHERE, NOWHERE]),
    waiting: frames([
      ['take_turn', '/src/turns.c', 12],
      ['get', '/src/queue.c', 20],
      ['hold', '/src/turns.c', 7],
      ['get', '/src/queue.c', 24],
      NOWHERE,
      ['main', '/src/turns.c', 90],
    ]),
    waited: [2_000_000_000, 1_000_000_000, 600_000_000, 300_000_000, 100_000_000, 5_000_000_000],
    ...{ waitCount: [400, 120, 800, 3, 90, 2], threads: [4, 3, 4, 1, 5, 1], evidence: [0, 1, 2, 2, 2, 3] },
    endedBy: [0, 0, id('a timer'), id('another process, feeder'), 0, 0],
    reasons: (['lock', 'condition, pipe', 'sleep', 'network', 'run queue', 'condition'] as const).map(id),
    lines: [1, 4, 1, 1, 1, 1],
    topLines: frames([
      ['take_turn', '/src/turns.c', 12],
      ['get', '/src/queue.c', 20],
      ['get', '/src/queue.c', 24],
    ]),
    ...{ topRow: [0, 1, 1], topWaited: [2_000_000_000, 700_000_000, 200_000_000] },
    ...{ total: 4_000_000_000, lack },
  }).finish();

export const LOCK_NOTE = '2.00 s waiting for a lock held at hold (turns.c:7)';

/** A run with waits, and a sentence on a lock in its head. */
export async function showWaitingRun(panel: PanelPage) {
  const cpu = { type: 'cpu', unit: 'nanoseconds', family: 'cpu' } as const;
  const wait = { type: 'wait', unit: 'nanoseconds', family: 'waiting', isComplete: true } as const;
  await panel.post(showRun({ values: [cpu, wait], hasLocks: true, lockNote: LOCK_NOTE }));
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
}

/** The same, after a click on that sentence. */
export async function showCauses(panel: PanelPage) {
  await showWaitingRun(panel);
  await panel.page.getByRole('button', { name: LOCK_NOTE }).click();
  await panel.postView('blame', blameContent(LACK));
}
