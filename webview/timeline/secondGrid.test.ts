import assert from 'node:assert/strict';
import test from 'node:test';
import { COLUMNS_LIMIT } from '../../core/selectionMessages.ts';
import { chooseCell, movedCursor, NO_CHOICE } from './cellChoice.ts';
import { SecondCells, SHADES, shadeOf } from './secondCells.ts';
import {
  CELL_NS,
  cellAt,
  cellsOf,
  gridFor,
  gridWidth,
  nearestCell,
  piecesOf,
  placeOf,
  ROW_HEIGHT,
  ROWS,
  rangeOfCells,
  secondsInView,
  secondTicks,
} from './secondGrid.ts';
import { secondAction } from './secondKeys.ts';

const SECOND = 1e9;
const MIDDLE = ROW_HEIGHT / 2;

test('a column is a second and a row 20 ms of it', () => {
  const grid = gridFor(10 * SECOND, 200); // 20 pixels a second
  assert.equal(cellAt(grid, 0, MIDDLE), 0);
  assert.equal(cellAt(grid, 45, 7 * ROW_HEIGHT + MIDDLE), 2 * ROWS + 7);
  assert.deepEqual(rangeOfCells(10 * SECOND, 2 * ROWS + 7, 2 * ROWS + 7), { fromNs: 2.14e9, toNs: 2.16e9 });
  assert.equal(cellAt(grid, 45, ROWS * ROW_HEIGHT), undefined);
  assert.equal(cellAt(grid, 201, MIDDLE), undefined);
  for (const cell of [0, 49, 50, 123, 499]) {
    const { x, y } = placeOf(grid, cell);
    assert.equal(cellAt(grid, x + 1, y + MIDDLE), cell);
  }
});

test('behind the end of the recording there is no cell, and the last one is cut there', () => {
  const endNs = 1.05 * SECOND; // 52 cells and a half
  const grid = gridFor(endNs, 48);
  assert.equal(cellsOf(endNs), 53);
  assert.equal(cellAt(grid, 30, 2 * ROW_HEIGHT + MIDDLE), 52);
  assert.equal(cellAt(grid, 30, 3 * ROW_HEIGHT + MIDDLE), undefined);
  assert.equal(nearestCell(grid, 500, 500), 52);
  assert.equal(nearestCell(grid, -5, -5), 0);
  assert.deepEqual(rangeOfCells(endNs, 52, 50), { fromNs: SECOND, toNs: endNs });
});

test('a long run is scrolled, a short one is not stretched without bound', () => {
  assert.equal(gridFor(SECOND, 1000).secondWidth, 24);
  const long = gridFor(43_200 * SECOND, 1000);
  assert.equal(gridWidth(long), 129_600);
  const [first, end] = secondsInView(long, 3000, 1000);
  assert.deepEqual([first, end], [1000, 1334]);
  assert.deepEqual(secondsInView(gridFor(10 * SECOND, 200), 0, 200), [0, 10]);
});

test('pieces cover what is in view once, each of cells of the same length and within the limit', () => {
  for (const endNs of [5, SECOND, 79.99 * SECOND, 80 * SECOND, 80.015 * SECOND, 1000 * SECOND + 7]) {
    const cells = cellsOf(endNs);
    const pieces = piecesOf(endNs, [0, Math.ceil(endNs / SECOND)]);
    const seen = new Set<number>();
    for (const { firstCell, columns, fromNs, toNs } of pieces) {
      assert.ok(columns >= 1 && columns <= COLUMNS_LIMIT);
      assert.equal(fromNs, firstCell * CELL_NS);
      assert.ok(toNs <= endNs && (toNs - fromNs === columns * CELL_NS || columns === 1));
      for (let cell = firstCell; cell < firstCell + columns; cell++) {
        assert.ok(!seen.has(cell));
        seen.add(cell);
      }
    }
    assert.equal(seen.size, cells, `${endNs} ns`);
  }
  const some = piecesOf(1000 * SECOND, [170, 330]);
  assert.deepEqual(
    some.map(({ firstCell }) => firstCell / ROWS),
    [160, 240, 320],
  );
});

test('labels are round seconds with room between them', () => {
  assert.deepEqual(secondTicks(gridFor(10 * SECOND, 240), [0, 10]), [0, 5]);
  assert.deepEqual(secondTicks(gridFor(1000 * SECOND, 300), [95, 205]), [100, 150, 200]);
});

const counts = (samples: readonly number[]) => {
  const own = Uint32Array.from(samples);
  const none = new Uint32Array(samples.length);
  const all = {
    pid: 0,
    tid: 0,
    process: '',
    thread: '',
    samples: 9,
    value: 9,
    own,
    library: none,
    kernel: none,
    tinted: undefined,
    waits: undefined,
  };
  const range = { endNs: SECOND, fromNs: 0, toNs: SECOND };
  const rest = {
    full: 20,
    cpus: 1,
    trackCount: 1,
    tracks: [],
    executions: [],
    samplesWithoutTime: 0,
    shows: 'samples' as const,
    memory: undefined,
  };
  return { ...range, ...rest, columns: samples.length, all };
};

test('a cell is as strong as its samples, quiet outside of the selection, and nothing before it has come', () => {
  const cells = new SecondCells();
  const [piece] = piecesOf(2 * SECOND, [0, 2]);
  assert.equal(cells.at(3), undefined);
  assert.ok(!cells.has(piece!));
  cells.receive(piece!, counts([0, 1, 10, ...Array(97).fill(5)]));
  assert.ok(cells.has(piece!));
  assert.deepEqual(cells.at(2), { own: 10, library: 0, kernel: 0 });
  const shades = Uint32Array.from({ length: SHADES }, (_, at) => 100 + at);
  const colours = { nothing: 1, empty: 2, shades, quiet: shades.map((shade) => shade + 1000) };
  const pixels = new Uint32Array(3 * ROWS);
  cells.fill(pixels, [0, 3], 2 * SECOND, undefined, colours);
  const at = (second: number, row: number) => pixels[row * 3 + second];
  assert.deepEqual([at(0, 0), at(0, 2), at(0, 3), at(2, 0)], [2, 100 + SHADES - 1, 100 + SHADES / 2, 1]);
  assert.ok(at(0, 1)! < at(0, 3)!);
  cells.fill(pixels, [0, 3], 2 * SECOND, [{ fromNs: 40_000_001, toNs: SECOND }], colours);
  assert.deepEqual([at(0, 1)! > 1000, at(0, 2), at(1, 0)! > 1000], [true, 100 + SHADES - 1, true]);
  assert.equal(shadeOf(1, 1), SHADES - 1);
});

test('the second cell ends the range that the first began, in either order', () => {
  const first = chooseCell(NO_CHOICE, 70);
  assert.deepEqual(first, { choice: { cursor: 70, start: 70 } });
  const second = chooseCell(movedCursor(first.choice, -50, 100), 20);
  assert.deepEqual(second, { choice: { cursor: 20, start: undefined }, range: [70, 20] });
  assert.deepEqual(rangeOfCells(9 * SECOND, 70, 20), { fromNs: 0.4e9, toNs: 1.42e9 });
});

test('the cursor begins at the first cell and stays on the map', () => {
  assert.equal(movedCursor(NO_CHOICE, 50, 100).cursor, 0);
  assert.equal(movedCursor({ cursor: 98, start: 3 }, 50, 100).cursor, 99);
  assert.deepEqual(movedCursor({ cursor: 98, start: 3 }, -500, 100), { cursor: 0, start: 3 });
});

test('keys move by cells and seconds, and Enter keeps a preview that is finished', () => {
  const key = (text: string, more: object = {}) => ({
    ...{ key: text, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
    ...more,
  });
  assert.deepEqual(secondAction(key('ArrowRight'), false), { kind: 'move', cells: 50 });
  assert.deepEqual(secondAction(key('ArrowRight', { ctrlKey: true }), false), { kind: 'move', cells: 500 });
  assert.deepEqual(secondAction(key('ArrowUp'), false), { kind: 'move', cells: -1 });
  assert.deepEqual(secondAction(key('Enter'), false), { kind: 'choose' });
  assert.deepEqual(secondAction(key('Enter'), true), { kind: 'commit' });
  assert.deepEqual(secondAction(key(' '), true), { kind: 'choose' });
  assert.deepEqual(secondAction(key('Escape'), true), { kind: 'drop' });
  for (const other of [key('x'), key('z', { ctrlKey: true }), key('Enter', { altKey: true })])
    assert.equal(secondAction(other, true), undefined);
});
