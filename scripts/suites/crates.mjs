// All tests of the Rust crates: built with one command, and then run one program after the other.
import path from 'node:path';
import { run } from '../steps/command.mjs';
import { helper } from '../steps/paths.mjs';
import { countsOfCargo } from './counts.mjs';
import { failuresOfCargo } from './failures.mjs';
import { ranToEnd } from './ran-to-end.mjs';

/** Without examples, which clippy compiles, and tests in documentation, of which there are none (`checks/rust-tests.mjs`). */
const build = ['test', '--no-run', '--release', '--locked', '--workspace', '--lib', '--bins', '--tests'];

/**
 * Crates whose `tests/all.rs` is run a module at a time, each in a process of its own: their tests record, and what is recorded
 * beside them changes what they measure. Within a module, the tests that do not wait for each other run together.
 */
const oneByOne = ['lineheat'];

/** Gives { passed, failed, skipped, failures, ended, output }. */
export async function allCrateTests() {
  const { ended, output } = await ranToEnd('cargo', [...build, '--message-format=json-render-diagnostics'], {
    cwd: helper,
  });
  const isMessage = (line) => line.startsWith('{"reason":');
  const lines = output.split('\n');
  const told = lines.filter((line) => !isMessage(line)).join('\n');
  if (!ended) return { passed: 0, failed: 0, skipped: [], failures: [], ended, output: told };
  return ranPrograms(testPrograms(lines.filter(isMessage).map((line) => JSON.parse(line))), told);
}

/** [{ crate, source, folder, program }] of cargo's messages. */
function testPrograms(messages) {
  return messages
    .filter(({ reason, executable, profile }) => reason === 'compiler-artifact' && executable && profile.test)
    .map(({ executable, manifest_path, target }) => {
      const folder = path.dirname(manifest_path);
      return {
        crate: path.basename(folder),
        source: path.relative(folder, target.src_path),
        folder,
        program: executable,
      };
    });
}

/** Runs these, also after one has failed. One that tells no result, or ends otherwise than with 0, is a failure of the suite. */
export async function ranPrograms(programs, before = '') {
  const outputs = [before];
  let ended = programs.length > 0;
  for (const one of programs)
    for (const { title, args } of await partsOf(one)) {
      const ran = await ranToEnd(one.program, [...args, '--show-output'], { cwd: one.folder });
      outputs.push(`     Running ${title} (${path.basename(one.program)})\n${ran.output}`);
      ended &&= ran.ended && /^test result: /m.test(ran.output);
    }
  const output = outputs.join('\n');
  return { ...countsOfCargo(output), failures: failuresOfCargo(output), ended, output };
}

/** How a program is run: once, or once for each of its modules. */
async function partsOf({ crate, source, program, folder }) {
  const title = `${crate}/${source}`;
  if (!oneByOne.includes(crate) || source !== 'tests/all.rs') return [{ title, args: [] }];
  const list = await run(program, ['--list', '--format=terse'], { cwd: folder });
  const modules = new Map();
  for (const [, name, module] of list.matchAll(/^((.+?)::.+): test$/gm))
    modules.set(module, [...(modules.get(module) ?? []), name]);
  return [...modules].map(([module, tests]) => ({ title: `${title}, ${module}`, args: ['--exact', ...tests] }));
}
