// An example and a benchmark of a Cargo package, built and run for real from the list of targets.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseFrom } from '../../../scripts/editor/palette.mjs';
import { run } from '../../../scripts/steps/command.mjs';
import { engine } from '../../../scripts/steps/paths.mjs';
import { recorded, savedRuns } from './support/runs.mjs';
import { storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-cargo-'));
for (const inner of ['src', 'examples', 'benches']) mkdirSync(path.join(folder, inner));
const write = (name, text) => writeFileSync(path.join(folder, name), text);
write(
  'Cargo.toml',
  `[package]
name = "sums"
version = "0.1.0"
edition = "2021"

[[bench]]
name = "speed"
harness = false
`,
);
write(
  'src/lib.rs',
  `pub fn harmonic(turns: u64) -> f64 {
    let mut sum = 0.0;
    for i in 1..=turns {
        sum += 1.0 / (i % 7 + 1) as f64 / i as f64;
    }
    sum
}
`,
);
write('examples/show.rs', 'fn main() { println!("{}", sums::harmonic(150_000_000)); }\n');
// Refuses to work unless it is started as Cargo starts a benchmark.
write(
  'benches/speed.rs',
  `fn main() {
    assert!(std::env::args().any(|arg| arg == "--bench"), "started without --bench");
    println!("{}", sums::harmonic(150_000_000));
}
`,
);

const story = storyIn(folder);

const kinds = [
  ['show', 'Cargo example of sums'],
  ['speed', 'Cargo benchmark of sums'],
];
for (const [at, [name, description]] of kinds.entries())
  story(`${description}: built with line tables, run, and its hot line known`, async ({ page, picture }) => {
    await chooseFrom(page, 'Lineheat: Profile This Target', description);
    await recorded(page, folder, at + 1);
    await picture(`cargo-${name}`);
    const file = savedRuns(folder).at(-1);
    const { lines } = JSON.parse(await run(engine, ['report', file, '--lines', '--json']));
    assert.match(`${lines[0].file}:${lines[0].line}`, /src\/lib\.rs:[34]$/);
  });
