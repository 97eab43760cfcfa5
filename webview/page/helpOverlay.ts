// The overlay that lists every key. A modal dialog: the browser keeps the focus inside and gives it back after.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import type { VscodeButton } from '@vscode-elements/elements/dist/vscode-button/index.js';
import { helpGroups } from '../graph/graphKeys.ts';
import { element } from './elements.ts';

export function helpOverlay(compared: boolean): HTMLDialogElement {
  const close: VscodeButton = document.createElement('vscode-button');
  close.textContent = 'Close';
  close.secondary = true;
  const groups = helpGroups.map(({ title, rows }) =>
    element(
      'section',
      {},
      element('h3', {}, title),
      ...rows.map(([keys, what]) =>
        element('div', { class: 'help-row' }, element('kbd', {}, keys), element('span', {}, what)),
      ),
    ),
  );
  const dialog = element(
    'dialog',
    { class: 'help', 'aria-label': 'Keys and colours' },
    element('div', { class: 'help-groups' }, ...groups, compared ? comparedLegend() : legend()),
    element('div', { class: 'help-foot' }, close),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close(); // the backdrop
  });
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation(); // the page's own keys mean nothing under the overlay
    if (event.key === '?') dialog.close();
  });
  return dialog;
}

const legendRow = (kind: string, text: string) =>
  element('div', { class: 'help-row' }, element('span', { class: `swatch swatch-${kind}` }), element('span', {}, text));

const legend = () =>
  element(
    'section',
    {},
    element('h3', {}, 'Colours'),
    legendRow('module', 'one hue a module, shades by function'),
    legendRow('inlined', 'paler, no gap above: inlined into its caller'),
    legendRow('kernel', 'kernel'),
    legendRow('folded', 'calls too narrow to draw; click zooms in'),
  );

const comparedLegend = () =>
  element(
    'section',
    {},
    element('h3', {}, 'Colours and marks'),
    legendRow('more', '▲ costs more CPU time, + new'),
    legendRow('less', '▼ costs less CPU time, − gone'),
    legendRow('same', 'unchanged'),
    legendRow('few', 'not beyond noise, or too few samples to compare'),
    legendRow('mark', 'notch at the foot: where the base’s part ends'),
  );
