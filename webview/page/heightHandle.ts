// A line below a part of the page that changes its height: dragged, or moved by the arrow keys.
import { html } from 'lit';
import { rendered } from './rendered.ts';

const KEY_STEP = 24; // CSS pixels

export interface HeightTarget {
  height(): number; // CSS pixels, as the part has it now
  limits(): { readonly least: number; readonly most: number };
  changed(height: number): void;
}

export function heightHandle(label: string, target: HeightTarget): HTMLElement {
  const handle = rendered(
    html`<div class="height-handle" role="separator" tabindex="0" aria-orientation="horizontal" aria-label=${label}></div>`,
  );
  const set = (height: number) => {
    const { least, most } = target.limits();
    target.changed(Math.round(Math.min(most, Math.max(least, height))));
    tell();
  };
  const tell = () => {
    const { least, most } = target.limits();
    handle.setAttribute('aria-valuemin', String(Math.round(least)));
    handle.setAttribute('aria-valuemax', String(Math.round(Math.max(least, most))));
    handle.setAttribute('aria-valuenow', String(Math.round(target.height())));
  };
  let pressed: { readonly y: number; readonly height: number } | undefined;
  handle.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    pressed = { y: event.clientY, height: target.height() };
  });
  handle.addEventListener('pointermove', (event) => {
    if (pressed) set(pressed.height + event.clientY - pressed.y);
  });
  for (const end of ['pointerup', 'pointercancel'])
    handle.addEventListener(end, () => {
      pressed = undefined;
    });
  handle.addEventListener('keydown', (event) => {
    const { least, most } = target.limits();
    const to: Record<string, number> = {
      ArrowUp: target.height() - KEY_STEP,
      ArrowDown: target.height() + KEY_STEP,
      Home: least,
      End: most,
    };
    const height = to[event.key];
    if (height === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(height);
  });
  handle.addEventListener('focus', tell);
  tell();
  return handle;
}
