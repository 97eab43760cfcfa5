// How a suite runs inside the extension host: one test after the other, one line each.
import assert from 'node:assert/strict';

export type Tests = Readonly<Record<string, () => Promise<void>>>;

/** Runs every test, prints one line each, and throws when any failed. */
export async function runInOrder(tests: Tests): Promise<void> {
  const failed: string[] = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`not ok - ${name}\n${error instanceof Error ? error.stack : error}`);
    }
  }
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${Object.keys(tests).length} failed: ${failed.join('; ')}`);
}

/** Tabs appear a moment after the call that opens them. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    if (await condition()) return;
    await pause(100);
  }
  assert.fail(`${what} did not come within 10 s`);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whole numbers below a limit, the same ones at each run (Park and Miller, 1988). */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}
