// Pointer and wheel on the tracks: dragging selects, Ctrl+wheel zooms, Shift+wheel and the wheel's other axis pan. The plain wheel
// is left to the scroller.
import { panFactor, zoomFactor } from './wheelSteps.ts';

const CLICK_DISTANCE = 3; // pixels that a click may move

export interface GestureEvents {
  /** A drag began at a place, CSS pixels from the left edge of the tracks and the top of the element. */
  began(place: Place, adding: boolean): void;
  moved(x: number): void;
  ended(): void;
  clicked(place: Place): void;
  doubleClicked(place: Place): void;
  /** The pointer is over it without a button; undefined: it has left. */
  hovered(place: Place | undefined): void;
  zoomed(factor: number, at: number): void; // at: 0 … 1 of the width
  panned(by: number): void; // of the width
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly clientX: number;
  readonly clientY: number;
}

/** Listens on an element whose width is that of the tracks. */
export function followPointer(element: HTMLElement, events: GestureEvents) {
  let pressed: { readonly place: Place; readonly adding: boolean } | undefined;
  let dragging = false;

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressed = { place: placeOf(element, event), adding: event.shiftKey };
    dragging = false;
    element.setPointerCapture(event.pointerId);
    events.hovered(undefined);
  });
  element.addEventListener('pointermove', (event) => {
    const place = placeOf(element, event);
    if (!pressed) {
      events.hovered(place);
      return;
    }
    if (!dragging && Math.abs(place.x - pressed.place.x) <= CLICK_DISTANCE) return;
    if (!dragging) events.began(pressed.place, pressed.adding);
    dragging = true;
    events.moved(place.x);
  });
  element.addEventListener('pointerup', (event) => {
    if (!pressed) return;
    if (dragging) events.ended();
    else events.clicked(placeOf(element, event));
    pressed = undefined;
  });
  element.addEventListener('pointercancel', () => {
    if (pressed && dragging) events.ended();
    pressed = undefined;
  });
  element.addEventListener('pointerleave', () => events.hovered(undefined));
  element.addEventListener('dblclick', (event) => events.doubleClicked(placeOf(element, event)));
  element.addEventListener(
    'wheel',
    (event) => {
      const { width } = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        events.zoomed(zoomFactor(event), Math.max(0, placeOf(element, event).x / Math.max(1, width)));
        return;
      }
      const by = panFactor(event, width);
      if (by === 0) return;
      event.preventDefault();
      events.panned(by);
    },
    { passive: false },
  );
}

function placeOf(element: HTMLElement, { clientX, clientY }: MouseEvent): Place {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top, clientX, clientY };
}
