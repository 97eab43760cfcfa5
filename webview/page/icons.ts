// Line icons of 16 pixels in the colour of the text around them.
import { html, type TemplateResult } from 'lit';

export const icons = {
  graph: 'M2 3.5h12M2 7.5h8M2 11.5h4',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6',
  both: 'M2.5 3.5h11v9h-11zM8 3.5v9',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  reset: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  options: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M9 3h3v3H9zM4 10h3v3H4z',
  magnifier: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.4 3.4',
  filter: 'M2.5 3.5h11L9.5 8.5v4.5l-3-1.5v-3z',
  undo: 'M3 6.5h6.5a3.5 3.5 0 1 1 0 7H6M5.5 4L3 6.5L5.5 9',
  redo: 'M13 6.5H6.5a3.5 3.5 0 1 0 0 7H10M10.5 4L13 6.5L10.5 9',
  close: 'M4 4l8 8M12 4l-8 8',
  compareRest: 'M2.5 3.5h5v9h-5zM9.5 3.5h4M9.5 8h4M9.5 12.5h4',
  compareRanges: 'M2.5 5h4v6h-4zM9.5 5h4v6h-4zM8 2.5v11',
  clear: 'M2.5 4.5h11M5.5 4.5v-2h5v2M4 4.5l.7 9h6.6l.7-9',
  open: 'M6 4l4 4-4 4',
  byTime: 'M3 13.5V3M7 13.5V6.5M11 13.5V9.5',
  byProcess: 'M2.5 3.5h4v4h-4zM9 5.5h4.5M2.5 9.5h4v4h-4zM9 11.5h4.5',
  seconds: 'M2.5 2.5h3v3h-3zM6.5 2.5h3v3h-3zM10.5 6.5h3v3h-3zM2.5 10.5h3v3h-3zM6.5 6.5h3v3h-3zM10.5 10.5h3v3h-3z',
  tick: 'M3.5 8.5l3 3l6-7',
  dash: 'M4 8h8',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.4v.8',
};

export const icon = (path: string): TemplateResult =>
  html`<svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d=${path}></path></svg>`;
