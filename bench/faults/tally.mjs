// Counts what a fault did to a set of recordings, as a row of the measurements.

/**
 * One fault that was injected: `problems` are sentences on what was not as it should be; empty: survived.
 * `lostMs` is the time before the fault that was not saved, when it was measured.
 */
export const outcome = ({ problems = [], taken = 0, kept = 0, lost = 0, lostMs }) => ({
  problems,
  taken,
  kept,
  lost,
  lostMs,
});

/** The row of one fault from its outcomes. */
export function row(id, what, outcomes) {
  const survived = outcomes.filter(({ problems }) => problems.length === 0).length;
  const sum = (name) => outcomes.reduce((total, one) => total + one[name], 0);
  const times = outcomes.map(({ lostMs }) => lostMs).filter(Number.isFinite);
  const worst = times.length > 0 ? `; at most ${(Math.max(0, ...times) / 1000).toFixed(2)} s not saved` : '';
  const samples =
    sum('taken') > 0 ? `; ${sum('taken')} samples taken, ${sum('kept')} kept, ${sum('lost')} shown as lost` : '';
  for (const { problems } of outcomes) for (const problem of problems) console.log(`  ${id}: ${problem}`);
  return {
    what: `${id} ${what}`,
    goal: 'all survived, every loss shown',
    value: `${survived} of ${outcomes.length} survived${samples}${worst}`,
    ok: outcomes.length > 0 && survived === outcomes.length,
  };
}
