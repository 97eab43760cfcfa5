// What a source file may not be: longer than 500 lines (tests apart), or carrying a mark of unfinished work.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { inRoot, root } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';

const longest = 500;
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`);

/** The problems of one file's text. */
export function shapeProblems(file, text) {
  const problems = [];
  const lines = text.split('\n');
  const isTest = /[.]test[.]|(^|\/)tests?\//.test(file);
  if (!isTest && lines.length > longest)
    problems.push(`${file} has ${lines.length} lines, more than ${longest}: split it by idea.`);
  const at = lines.findIndex((line) => unfinished.test(line));
  if (at >= 0) problems.push(`${file}:${at + 1} carries a mark of unfinished work: finish it, or file it elsewhere.`);
  return problems;
}

export function checkFileShapes() {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = list
    .split('\n')
    .filter((file) => /[.](rs|ts|mjs|cjs|c|h|proto|cpp|hpp)$/.test(file) && existsSync(inRoot(file)));
  if (files.length === 0) throw new Sentence('No source file was found: nothing was checked.');
  const problems = files.flatMap((file) => shapeProblems(file, readFileSync(inRoot(file), 'utf8')));
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(async () => checkFileShapes());
