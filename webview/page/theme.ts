// The editor's theme as plain values, for what CSS cannot reach: the canvas.
import { interpolateLab } from 'd3-interpolate';
import type { Tone } from '../graph/frameColours.ts';

export interface Theme {
  readonly tone: Tone;
  readonly highContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly quietText: string;
  readonly quietFill: string; // boxes that a search leaves out
  readonly foldedFill: string; // runs of boxes too narrow to draw
  readonly border: string; // in high contrast: the outline of every box
  readonly focus: string;
  readonly match: string;
  readonly fontFamily: string;
  readonly fontSize: number; // pixels
}

export function readTheme(): Theme {
  const { classList } = document.body;
  const highContrast = classList.contains('vscode-high-contrast') || classList.contains('vscode-high-contrast-light');
  const light = classList.contains('vscode-light') || classList.contains('vscode-high-contrast-light');
  const style = getComputedStyle(document.body);
  const value = (name: string, otherwise: string) => style.getPropertyValue(`--vscode-${name}`).trim() || otherwise;

  const background = value('editor-background', light ? '#ffffff' : '#1f1f1f');
  const foreground = value('foreground', light ? '#3b3b3b' : '#cccccc');
  const towardsText = interpolateLab(background, foreground);
  const size = Number.parseFloat(value('editor-font-size', '12'));
  return {
    tone: light ? 'light' : 'dark',
    highContrast,
    background,
    foreground,
    quietText: towardsText(0.7),
    quietFill: highContrast ? background : towardsText(0.1),
    foldedFill: towardsText(light ? 0.2 : 0.22),
    border: value('contrastBorder', foreground),
    focus: highContrast ? value('contrastActiveBorder', '#f38518') : value('focusBorder', '#0078d4'),
    match: highContrast ? value('contrastActiveBorder', '#f38518') : light ? '#b35c00' : '#ffb454',
    fontFamily: value('editor-font-family', 'monospace'),
    fontSize: Math.min(13, Math.max(9, size - 1 || 12)),
  };
}

export const reducedMotion = (): boolean =>
  document.body.classList.contains('vscode-reduce-motion') ||
  window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Calls back after each change of the theme: the editor changes the body's class and its custom properties. */
export function onThemeChange(changed: () => void) {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
}
