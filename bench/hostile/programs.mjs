// 1,000 recordings of programs whose debug information, symbols and unwind information are damaged.
import { tested } from './tested.mjs';

export const title = 'Hostile input: damaged programs';

export async function measure({ modules = 1000 } = {}) {
  const told = await tested('all', { LINEHEAT_HOSTILE_MODULES: String(modules) }, 'hostile_modules::');
  return [
    {
      what: `recordings of damaged programs: ${told.samples} samples, ${told.withProblem} with a reason in the run, ${told.withoutNames} without the program's names`,
      goal: `${modules} open, no sample lost, the other module's names kept`,
      value: `${told.modules}, ${told.lost} lost`,
      ok: told.modules === modules && told.lost === 0,
    },
  ];
}
