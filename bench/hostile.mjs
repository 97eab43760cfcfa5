// Hostile input: 1,000 damaged and invented pprof files through the engine and `go tool pprof`, and 1,000 recordings of
// programs whose debug information, symbols and unwind information are damaged.
import { run } from '../scripts/steps/command.mjs';
import { helper } from '../scripts/steps/paths.mjs';

export const title = 'Hostile input';

export async function measure({ files = 1000, modules = 1000 } = {}) {
  return [...(await profiles(files)), ...(await programs(modules))];
}

async function profiles(count) {
  const told = await tested('hostile', { LINEHEAT_HOSTILE_FILES: String(count), LINEHEAT_HOSTILE_PPROF: 'each' });
  return [
    {
      what: `hostile pprof files through report, annotate, diff and serve: ${told.shown} shown, ${told.refused} refused with their cause`,
      goal: `${count} without hang or panic, none shown that pprof refuses`,
      value: `${told.files}; pprof: ${told.pprofShown} shown, ${told.pprofRefused} refused, ${told.pprofHung} hung, ${told.pprofOver1GB} over 1 GB`,
      ok: told.files === count,
    },
    {
      what: 'CPU time of one command on one of them, at most',
      goal: '≤ 10 s',
      value: `${(told.cpuMs / 1000).toFixed(1)} s`,
      ok: told.cpuMs <= 10_000,
    },
    {
      what: 'memory of one command on one of them, at most',
      goal: '≤ 1 GB',
      value: `${(told.peakBytes / 1e6).toFixed(0)} MB`,
      ok: told.peakBytes <= 2 ** 30,
    },
  ];
}

async function programs(count) {
  const told = await tested('hostile_modules', { LINEHEAT_HOSTILE_MODULES: String(count) });
  return [
    {
      what: `recordings of damaged programs: ${told.samples} samples, ${told.withProblem} with a reason in the run, ${told.withoutNames} without the program's names`,
      goal: `${count} open, no sample lost, the other module's names kept`,
      value: `${told.modules}, ${told.lost} lost`,
      ok: told.modules === count && told.lost === 0,
    },
  ];
}

/** What a test of the engine tells of its figures, as the one line of JSON that it prints. */
async function tested(name, env) {
  const args = ['test', '--release', '--locked', '-p', 'lineheat', '--test', name, '--', '--nocapture'];
  const output = await run('cargo', args, { cwd: helper, env });
  const [line] = /\{"(files|modules)":.*\}/.exec(output) ?? [];
  if (!line) throw new Error(`The test ${name} told no figures:\n${output}`);
  return JSON.parse(line);
}
