// A sweep on the page: one line chart, one table of all cells, and the functions that grow with a parameter. A click opens
// the run of a cell; two cells that are ticked are compared.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import type { VscodeButton } from '@vscode-elements/elements/dist/vscode-button/index.js';
import { durationText } from '../../core/numbersAsText.ts';
import { cellText, type ShownSweep, spreadText } from '../../core/sweepMessages.ts';
import type { ShowSweepMessage } from '../../core/webviewMessages.ts';
import { element } from './elements.ts';
import type { Host } from './host.ts';
import { sweepChart } from './sweepChart.ts';

const GROWING_MAX = 30;

export function sweepPage(host: Host, { title, sweep, panel }: ShowSweepMessage): HTMLElement {
  host.save({ panel });
  const open = (index: number) => host.send({ type: 'openCell', index });
  const missing = sweep.cells - sweep.rows.length;
  const facts = [
    `${sweep.rows.length} cells${missing > 0 ? `, ${missing} not recorded` : ''}`,
    sweep.value && `the mean is the ${sweep.value}`,
  ].filter(Boolean);
  const head = element(
    'header',
    { class: 'header' },
    element(
      'div',
      { class: 'header-words' },
      element('h1', { class: 'title' }, title),
      element('p', { class: 'subtitle' }, facts.join(' · ')),
    ),
  );
  return element(
    'div',
    { class: 'page sweep-page' },
    head,
    element(
      'main',
      { class: 'sweep-main', tabindex: 0 },
      sweepChart(sweep, open),
      ...cellTable(sweep, host, open),
      ...growing(sweep),
    ),
  );
}

function cellTable(sweep: ShownSweep, host: Host, open: (index: number) => void): HTMLElement[] {
  const chosen: number[] = []; // in the order of choice: the first is the base
  const compare: VscodeButton = document.createElement('vscode-button');
  compare.className = 'sweep-compare';
  compare.secondary = true;
  const tell = () => {
    compare.textContent = chosen.length === 2 ? 'Compare the two cells' : 'Tick two cells to compare them';
    compare.disabled = chosen.length !== 2;
  };
  tell();
  compare.addEventListener('click', () => {
    const [base, later] = [...chosen].sort((a, b) => a - b);
    if (base !== undefined && later !== undefined) host.send({ type: 'compareCells', base, new: later });
  });
  const boxes: HTMLInputElement[] = [];
  const tick = (index: number) => {
    const at = chosen.indexOf(index);
    if (at >= 0) chosen.splice(at, 1);
    else chosen.push(index);
    if (chosen.length > 2) boxes[chosen.shift()!]!.checked = false;
    tell();
  };
  const head = element(
    'tr',
    {},
    element('td', {}),
    ...sweep.parameters.map((name) => element('th', { scope: 'col' }, name)),
    ...['runs', 'wall time'].map((text) => element('th', { scope: 'col', class: 'numeric' }, text)),
    element('th', { scope: 'col', class: 'numeric of-cpu' }, 'CPU time'),
    element('td', {}),
  );
  const rows = sweep.rows.map((row, index) => {
    const box = element('input', { type: 'checkbox', 'aria-label': `Compare ${cellText(sweep, row)}` });
    boxes[index] = box;
    box.addEventListener('change', () => tick(index));
    const link = element(
      'button',
      { type: 'button', class: 'sweep-open', title: 'Open this run' },
      row.values[0] ?? '',
    );
    link.addEventListener('click', () => open(index));
    const rank = row.best ? '★ best' : row.likeBest ? '≈ like the best' : '';
    return element(
      'tr',
      { class: row.best ? 'best' : row.likeBest ? 'like-best' : '' },
      element('td', {}, box),
      element('th', { scope: 'row' }, link),
      ...row.values.slice(1).map((value) => element('td', {}, value)),
      element('td', { class: 'numeric' }, String(row.runs)),
      spreadCell('of-wall', spreadText(row.meanWallNs, row.sdWallNs)),
      spreadCell('of-cpu', spreadText(row.meanCpuNs, row.sdCpuNs)),
      element('td', {}, rank),
    );
  });
  return [
    element(
      'table',
      { class: 'sweep-table', 'aria-label': 'Cells' },
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    ),
    compare,
  ];
}

/** Where the page is narrow, the part in brackets goes below the rest. */
function spreadCell(column: 'of-wall' | 'of-cpu', text: string): HTMLElement {
  const [amount = '', share] = text.split(' (');
  const parts = share === undefined ? [] : [' ', element('span', {}, `(${share}`)];
  return element('td', { class: `numeric spread ${column}` }, element('span', {}, amount), ...parts);
}

/** Functions whose own CPU time follows a parameter. */
function growing({ growing: functions, parameters }: ShownSweep): HTMLElement[] {
  if (functions.length === 0) return [];
  const words = ['function', ...(parameters.length > 1 ? ['parameter'] : []), 'grows with'];
  const rows = functions
    .slice(0, GROWING_MAX)
    .map(({ name, parameter, exponent, cpuNs }) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row', class: 'sweep-function', title: name }, name),
        ...(parameters.length > 1 ? [element('td', {}, parameter)] : []),
        element('td', {}, `${parameter} to the power of ${exponent.toFixed(2)}`),
        element('td', { class: 'numeric' }, durationText(Math.min(...cpuNs))),
        element('td', { class: 'numeric' }, durationText(Math.max(...cpuNs))),
      ),
    );
  const head = element(
    'tr',
    {},
    ...words.map((text) => element('th', { scope: 'col' }, text)),
    ...['least', 'most'].map((text) => element('th', { scope: 'col', class: 'numeric' }, text)),
  );
  return [
    element('h2', { class: 'sweep-title' }, 'Functions whose own CPU time follows a parameter'),
    element(
      'table',
      { class: 'sweep-table', 'aria-label': 'Growing functions' },
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    ),
  ];
}
