// The long forms of the engine's own tests: what each tells of its figures.
import { run } from '../../scripts/steps/command.mjs';
import { helper } from '../../scripts/steps/paths.mjs';

/** The one line of JSON that a test of the engine prints: of this test program, or its part that has `only` in its name. */
export async function tested(name, env, only = '') {
  const args = ['test', '--release', '--locked', '-p', 'lineheat', '--test', name, '--', '--nocapture', only];
  const output = await run('cargo', args.filter(Boolean), { cwd: helper, env });
  const [line] = /\{"(files|modules|tries)":.*\}/.exec(output) ?? [];
  if (!line) throw new Error(`The test ${name} told no figures:\n${output}`);
  return JSON.parse(line);
}
