// Reads how many tests ran from what test runners print.
// A result is { passed, failed, skipped: [reason, …] }.

/** TAP of Node's runner, subtests included: the totals stand in the closing comments. */
export function countsOfTap(tap) {
  const total = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  const skipped = [...tap.matchAll(/^\s*ok \d+ - (.*?) # SKIP ?(.*)$/gm)].map(
    ([, name, reason]) => `${name}: ${reason || 'no reason given'}`,
  );
  return { passed: total('pass'), failed: total('fail') + total('cancelled'), skipped };
}

/**
 * `cargo test -- --show-output`. libtest knows no skipping while running, so a test that cannot run here prints
 * `SKIPPED: REASON` and returns; it is counted as skipped, not as passed.
 */
export function countsOfCargo(output) {
  const result = { passed: 0, failed: 0, skipped: [] };
  for (const [, passed, failed] of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)) {
    result.passed += Number(passed);
    result.failed += Number(failed);
  }
  for (const [, name] of output.matchAll(/^test (.+?) \.\.\. ignored/gm)) result.skipped.push(`${name}: ignored`);
  let name = '';
  for (const line of output.split('\n')) {
    name = /^---- (.+) stdout ----$/.exec(line)?.[1] ?? name;
    const [, reason] = /^SKIPPED: (.+)$/.exec(line) ?? [];
    if (!reason) continue;
    result.skipped.push(`${name}: ${reason}`);
    result.passed -= 1;
  }
  return result;
}

/** Why a suite's result is not good enough, or undefined. On CI only a machine that cannot record excuses a skip. */
export function verdict({ passed, failed, skipped, ended }, { ci }) {
  if (failed > 0) return `${failed} failed`;
  if (!ended) return 'the runner failed';
  if (passed === 0 && skipped.length === 0) return 'ran no test';
  const inexcusable = skipped.filter((reason) => !/this machine cannot record/.test(reason));
  if (ci && inexcusable.length > 0) return `skipped on CI: ${inexcusable.join('; ')}`;
  return undefined;
}
