// What is made from protocol/record-options.json is committed, since readers and tools need it there; it must be fresh.
import { recordOptionProblems } from '../record-options/outputs.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';

/** @throws Sentence with every stale file, or with what is wrong in the table. */
export function checkRecordOptions() {
  const problems = recordOptionProblems();
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(async () => checkRecordOptions());
