// DuckDB in Python, as its makers publish it.
import { spawnSync } from 'node:child_process';
import { Sentence } from '../../scripts/steps/report.mjs';
import { source } from './build-folder.mjs';

/** The command that runs queries for so many seconds. `log`: the file that gets the time of each. */
export function duckdb(seconds, { log }) {
  const found = spawnSync('python3', ['-c', 'import duckdb']);
  if (found.status !== 0)
    throw new Sentence('The Python module duckdb is needed and not here: python3 -m pip install duckdb');
  return ['python3', source('duckdb-queries.py'), String(seconds), log];
}
