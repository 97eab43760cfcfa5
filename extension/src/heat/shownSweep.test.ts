import assert from 'node:assert/strict';
import test from 'node:test';
import { type RunSummary, wire } from '../../../core/wire.ts';
import { cellName, cellsWanted, groupedRuns, isSweepGroup, sweepName } from './shownSweep.ts';

const run = (path: string, cell?: { sweep: string; cell: number; threads: string }): RunSummary => ({
  ...(new wire.RunSummary() as unknown as RunSummary),
  path,
  name: '',
  target: 'shop',
  sweep: cell
    ? { sweep: cell.sweep, cell: cell.cell, cells: 4, parameters: [{ name: 'threads', value: cell.threads }] }
    : null,
});

test('cells of a sweep are one entry, in the order of the sweep, where the newest stands', () => {
  const runs = [
    run('/new'),
    run('/s2', { sweep: 'S', cell: 2, threads: '4' }),
    run('/between'),
    run('/s1', { sweep: 'S', cell: 1, threads: '1' }),
    run('/t1', { sweep: 'T', cell: 1, threads: '8' }),
  ];
  const shown = groupedRuns(runs).map((entry) =>
    isSweepGroup(entry) ? entry.cells.map(({ path }) => path).join(' ') : entry.path,
  );
  assert.deepEqual(shown, ['/new', '/s1 /s2', '/between', '/t1']);
});
test('a sweep is named by program and parameters, a cell by its values', () => {
  const cells = [run('/s1', { sweep: 'S', cell: 1, threads: '1' })];
  assert.equal(sweepName({ sweep: 'S', cells }), 'shop: threads');
  assert.equal(cellsWanted({ sweep: 'S', cells }), 4);
  assert.equal(cellName(cells[0]!), 'threads=1');
  assert.equal(cellName(run('/a')), 'shop');
});
