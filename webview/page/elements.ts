// Making page elements without markup: text is always text.

type Attributes = Record<string, string | number | boolean>;

/** An element with a class, attributes and children; a string child is text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element with attributes. */
export function svgElement(tag: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** A 16-pixel line icon in the colour of the text around it. */
export function icon(path: string, slot?: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  if (slot) svg.setAttribute('slot', slot);
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

export const icons = {
  graph: 'M2 3.5h12M2 7.5h8M2 11.5h4',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6',
  both: 'M2.5 3.5h11v9h-11zM8 3.5v9',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  reset: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.4v.8',
  chevron: 'M6 4l4 4-4 4',
};
