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
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.4v.8',
};

export const icon = (path: string): TemplateResult =>
  html`<svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d=${path}></path></svg>`;
