// The menu of a frame or row: what can be done with it, beside the pointer or the selection. Keys as in every menu.
import { html, nothing } from 'lit';
import { rendered } from './rendered.ts';

export interface MenuItem {
  readonly label: string;
  readonly keys: string; // that do the same without the menu
  act(): void;
}

/** Items between which a line is drawn. */
export type MenuGroup = readonly MenuItem[];

export interface MenuPlace {
  readonly x: number; // of the window, CSS pixels
  readonly y: number;
}

const EDGE = 4; // pixels that stay free beside the menu

let close: (() => void) | undefined;

/** Opens the menu in place of one that is open. The focus goes into it and, when it closes, back. */
export function openContextMenu(label: string, { x, y }: MenuPlace, groups: readonly MenuGroup[]) {
  close?.();
  const before = document.activeElement;
  const choose = (item: MenuItem) => {
    shut();
    item.act();
  };
  const itemOf = (item: MenuItem) => html`
    <button type="button" role="menuitem" tabindex="-1" @click=${() => choose(item)}
      ><span class="menu-label">${item.label}</span><span class="menu-keys" aria-hidden="true">${item.keys}</span></button>`;
  const shown = groups.filter((group) => group.length > 0);
  const menu = rendered(html`
    <div class="menu" role="menu" aria-label=${label} @keydown=${(event: KeyboardEvent) => key(event)}
      @contextmenu=${(event: Event) => event.preventDefault()}
      >${shown.map((group, at) => [at > 0 ? html`<div class="menu-line" role="separator"></div>` : nothing, group.map(itemOf)])}</div>`);
  const buttons = [...menu.querySelectorAll('button')];
  const shut = () => {
    if (close !== shut) return;
    close = undefined;
    leaving.abort();
    menu.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const key = (event: KeyboardEvent) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % buttons.length,
      ArrowUp: (Math.max(at, 0) - 1 + buttons.length) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) buttons[next]!.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') shut();
    else if (event.key !== 'Enter' && event.key !== ' ') {
      const letter = event.key.toLowerCase();
      const named = (button: HTMLElement) => button.textContent?.trim().toLowerCase().startsWith(letter) ?? false;
      const found = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)].find(named);
      if (letter.length === 1) found?.focus();
    }
    event.stopPropagation(); // the page's own keys mean nothing under the menu
    if (event.key !== 'Enter' && event.key !== ' ') event.preventDefault(); // those two press the button
  };

  const leaving = new AbortController();
  const { signal } = leaving;
  const pressed = (event: Event) => {
    if (!event.composedPath().includes(menu)) shut();
  };
  window.addEventListener('pointerdown', pressed, { capture: true, signal });
  window.addEventListener('wheel', pressed, { capture: true, signal });
  window.addEventListener('resize', shut, { signal });
  window.addEventListener('blur', shut, { signal });

  document.body.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(EDGE, Math.min(x, window.innerWidth - width - EDGE))}px`;
  menu.style.top = `${Math.max(EDGE, Math.min(y, window.innerHeight - height - EDGE))}px`;
  close = shut;
  buttons[0]?.focus();
}
