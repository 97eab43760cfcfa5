// Runs the test files that are named in one process of Node. A process for each, as Node's own runner has it, costs most of
// the time where tests take milliseconds: starting Node and tsx takes half a second of CPU time.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(path.resolve(file)).href);
