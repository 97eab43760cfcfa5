// The runs of a command that was run several times, as a table that unfolds.
import { repeatHeads, type ShownRepeat } from '../../core/webviewMessages.ts';
import { element } from './elements.ts';

export function repeatsTable(executions: readonly ShownRepeat[]): HTMLElement {
  const warmUps = executions.filter(({ warmUp }) => warmUp).length;
  const outliers = executions.filter(({ outlier }) => outlier).length;
  const summary = [
    `${executions.length - warmUps} runs of the command`,
    warmUps > 0 ? `after ${warmUps} to warm up` : '',
    outliers > 0 ? `${outliers} ${outliers === 1 ? 'outlier' : 'outliers'}` : '',
  ];
  const head = element(
    'tr',
    {},
    ...repeatHeads.map((text, at) => element('th', { scope: 'col', class: at === 0 ? '' : 'numeric' }, text)),
    element('td', {}),
  );
  const rows = executions.map(({ cells, warmUp, outlier }) =>
    element(
      'tr',
      { class: outlier ? 'differs' : warmUp ? 'warm-up' : '' },
      ...cells.map((text, at) =>
        at === 0 ? element('th', { scope: 'row' }, text) : element('td', { class: 'numeric' }, text),
      ),
      element('td', {}, outlier ? '◇ outlier' : ''),
    ),
  );
  return element(
    'details',
    { class: 'comparison-facts' },
    element('summary', {}, summary.filter(Boolean).join(' · ')),
    element('table', { class: 'facts-table' }, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}
