// A sweep on the page: one line chart, one table of all cells, and the functions that grow with a parameter. A click opens
// the run of a cell; two cells that are ticked are compared.
import * as l10n from '@vscode/l10n';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, nothing, render, type TemplateResult } from 'lit';
import { durationText } from '../../core/numbersAsText.ts';
import { cellText, type ShownSweep, spreadText } from '../../core/sweepMessages.ts';
import type { ShowSweepMessage } from '../../core/webviewMessages.ts';
import type { Host } from './host.ts';
import { rendered } from './rendered.ts';
import { sweepChart } from './sweepChart.ts';

const GROWING_MAX = 30;

export function sweepPage(host: Host, { title, sweep, panel }: ShowSweepMessage): HTMLElement {
  host.save({ panel });
  const page = rendered(html`<div class="page sweep-page"></div>`);
  const missing = sweep.cells - sweep.rows.length;
  const facts = [
    missing > 0
      ? l10n.t('{0} cells, {1} not recorded', sweep.rows.length, missing)
      : l10n.t('{0} cells', sweep.rows.length),
    sweep.value && l10n.t('the mean is the {0}', sweep.value),
  ];
  let ticked: readonly number[] = []; // in the order of choice: of three the first goes
  const open = (index: number) => host.send({ type: 'openCell', index });
  const tick = (index: number) => {
    ticked = ticked.includes(index) ? ticked.filter((other) => other !== index) : [...ticked, index].slice(-2);
    draw();
  };
  const compare = () => {
    const [base, later] = [...ticked].sort((a, b) => a - b);
    if (base !== undefined && later !== undefined) host.send({ type: 'compareCells', base, new: later });
  };
  const draw = () =>
    render(
      html`
        <header class="header">
          <div class="header-words">
            <h1 class="title">${title}</h1>
            <p class="subtitle">${facts.filter(Boolean).join(' · ')}</p>
          </div>
        </header>
        <main class="sweep-main" tabindex="0">
          ${sweepChart(sweep, open)}
          ${cellTable(sweep, ticked, { open, tick })}
          <vscode-button class="sweep-compare" secondary ?disabled=${ticked.length !== 2} @click=${compare}
            >${ticked.length === 2 ? l10n.t('Compare the two cells') : l10n.t('Tick two cells to compare them')}</vscode-button>
          ${sweep.growing.length > 0 ? growing(sweep) : nothing}
        </main>`,
      page,
    );
  draw();
  return page;
}

interface CellEvents {
  readonly open: (index: number) => void;
  readonly tick: (index: number) => void;
}

function cellTable(sweep: ShownSweep, ticked: readonly number[], { open, tick }: CellEvents): TemplateResult {
  const rows = sweep.rows.map((row, index) => {
    const [first = '', ...others] = row.values;
    return html`
      <tr class=${row.best ? 'best' : row.likeBest ? 'like-best' : ''}>
        <td><input type="checkbox" aria-label=${l10n.t('Compare {0}', cellText(sweep, row))}
          .checked=${ticked.includes(index)} @change=${() => tick(index)}></td>
        <th scope="row"><button type="button" class="sweep-open" title=${l10n.t('Open this run')} @click=${() => open(index)}
          >${first}</button></th>
        ${others.map((value) => html`<td>${value}</td>`)}
        <td class="numeric">${row.runs}</td>
        ${spreadCell('of-wall', spreadText(row.meanWallNs, row.sdWallNs))}
        ${spreadCell('of-cpu', spreadText(row.meanCpuNs, row.sdCpuNs))}
        <td>${row.best ? l10n.t('★ best') : row.likeBest ? l10n.t('≈ like the best') : ''}</td>
      </tr>`;
  });
  return html`
    <table class="sweep-table" aria-label=${l10n.t('Cells')}>
      <thead><tr>
        <td></td>
        ${sweep.parameters.map((name) => html`<th scope="col">${name}</th>`)}
        <th scope="col" class="numeric">${l10n.t('runs')}</th>
        <th scope="col" class="numeric">${l10n.t('wall time')}</th>
        <th scope="col" class="numeric of-cpu">${l10n.t('CPU time')}</th>
        <td></td>
      </tr></thead>
      <tbody>${rows}</tbody>
    </table>`;
}

/** Where the page is narrow, the part in brackets goes below the rest. */
function spreadCell(column: 'of-wall' | 'of-cpu', text: string): TemplateResult {
  const [amount = '', share] = text.split(' (');
  const inBrackets = share === undefined ? nothing : html` <span>${`(${share}`}</span>`;
  return html`<td class="numeric spread ${column}"><span>${amount}</span>${inBrackets}</td>`;
}

/** Functions whose own CPU time follows a parameter. */
function growing({ growing: functions, parameters }: ShownSweep): TemplateResult {
  const several = parameters.length > 1;
  const rows = functions.slice(0, GROWING_MAX).map(
    ({ name, parameter, exponent, cpuNs }) => html`
      <tr>
        <th scope="row" class="sweep-function" title=${name}>${name}</th>
        ${several ? html`<td>${parameter}</td>` : nothing}
        <td>${l10n.t('{0} to the power of {1}', parameter, exponent.toFixed(2))}</td>
        <td class="numeric">${durationText(Math.min(...cpuNs))}</td>
        <td class="numeric">${durationText(Math.max(...cpuNs))}</td>
      </tr>`,
  );
  return html`
    <h2 class="sweep-title">${l10n.t('Functions whose own CPU time follows a parameter')}</h2>
    <table class="sweep-table" aria-label=${l10n.t('Growing functions')}>
      <thead><tr>
        <th scope="col">${l10n.t('function')}</th>
        ${several ? html`<th scope="col">${l10n.t('parameter')}</th>` : nothing}
        <th scope="col">${l10n.t('grows with')}</th>
        <th scope="col" class="numeric">${l10n.t('least')}</th>
        <th scope="col" class="numeric">${l10n.t('most')}</th>
      </tr></thead>
      <tbody>${rows}</tbody>
    </table>`;
}
