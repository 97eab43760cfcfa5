// npm run generate: writes what is made from protocol/record-options.json, which is committed, and then core/generated/wire.js and
// wire.d.ts from protocol/wire.proto and what it imports: protobufjs static code, so that no reader needs eval. Those are not
// committed, and not written when both are newer than the contract and this script. With --wire nothing else is made.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { staleOutputs } from './record-options/outputs.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const protocol = path.join(root, 'protocol');
const contract = path.join(protocol, 'wire.proto');
const folder = path.join(root, 'core/generated');
const script = path.join(folder, 'wire.js');
const types = path.join(folder, 'wire.d.ts');

/** Writes the wire code when it is missing or older than what it is made from. */
export function generateWire() {
  const parts = fs.readdirSync(protocol).filter((name) => name.endsWith('.proto'));
  const inputs = [...parts.map((name) => path.join(protocol, name)), fileURLToPath(import.meta.url)].map(
    (file) => fs.statSync(file).mtimeMs,
  );
  const outputs = [script, types].map((file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Math.min(...outputs) > Math.max(...inputs)) return;

  fs.mkdirSync(folder, { recursive: true });
  const bin = (name) => path.join(root, 'node_modules/.bin', name);
  const options = ['-t', 'static-module', '-w', 'es6', '--force-number', '--no-create', '--no-verify', '--no-convert'];
  options.push('--no-delimited', '--no-service', '--no-typeurl');
  const code = execFileSync(bin('pbjs'), [...options, contract], { encoding: 'utf8', maxBuffer: 64 << 20 });

  // Values of the contract stay below 2^53, so plain numbers hold them. protobufjs decides at load, hence before the code.
  const runtime = /^import .*\$protobuf.* from .*;$/m;
  if (!runtime.test(code)) throw new Error('pbjs wrote no import of its runtime: generate.mjs must learn the new form');
  fs.writeFileSync(script, code.replace(runtime, '$&\n$protobuf.util.Long = undefined;\n$protobuf.configure();'));
  execFileSync(bin('pbts'), ['-o', types, script], { stdio: 'inherit' });
}

/** Writes the committed files that the table of record options makes, where they are stale. */
function generateRecordOptions() {
  for (const { file, text } of staleOutputs()) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
    console.log(`${file} was made from protocol/record-options.json.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--wire')) generateRecordOptions();
  generateWire();
}
