// Mouse, wheel and touch on the graph, through d3-zoom: Ctrl+wheel and pinch zoom, dragging pans, Shift+wheel pans
// sideways; the plain wheel is left to the scroller.
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import { panned, type Span, WIDTH_MIN } from './span.ts';

export interface GestureTarget {
  readonly canvas: HTMLCanvasElement;
  readonly scroller: HTMLElement;
  width(): number; // of the canvas, CSS pixels
  span(): Span;
  /** The user moved the view; `lasting` once per gesture, at its start. */
  moved(span: Span, lasting: boolean): void;
}

/** Listens for gestures. Returns what tells d3-zoom of a span that something else has set. */
export function followGestures(target: GestureTarget): (span: Span) => void {
  const { canvas, scroller } = target;
  const selection = select(canvas);
  let telling = false;
  let fresh = false;
  const behaviour = zoom<HTMLCanvasElement, unknown>()
    .filter((event: Event) => {
      if (event instanceof WheelEvent) return event.ctrlKey || event.metaKey;
      return !(event instanceof MouseEvent) || event.button === 0;
    })
    .wheelDelta((event) => {
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
      return -pixels * (Math.abs(pixels) < 20 ? 0.02 : 0.004); // a pinch comes as many small steps
    })
    .clickDistance(4)
    .extent(() => [
      [0, 0],
      [target.width(), 1],
    ])
    .constrain((transform) => transform) // spans are kept inside by themselves
    .scaleExtent([1, 1 / WIDTH_MIN])
    .on('start', () => {
      fresh = true;
    })
    .on('zoom', (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      if (telling) return;
      const { sourceEvent } = event;
      if (sourceEvent instanceof MouseEvent && !(sourceEvent instanceof WheelEvent)) {
        scroller.scrollTop -= sourceEvent.movementY;
      }
      const span = spanOfTransform(event.transform, target.width());
      target.moved(span, fresh);
      fresh = false;
      tell(target.span());
    });
  const tell = (span: Span) => {
    telling = true;
    behaviour.transform(selection, transformOf(span, target.width()));
    telling = false;
  };
  selection.call(behaviour).on('dblclick.zoom', null);

  canvas.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey || event.metaKey) return;
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (sideways === 0 || (!event.shiftKey && Math.abs(event.deltaY) > Math.abs(sideways))) return;
      event.preventDefault();
      target.moved(panned(target.span(), sideways / target.width()), false);
      tell(target.span());
    },
    { passive: false },
  );
  return tell;
}

function spanOfTransform(transform: ZoomTransform, width: number): Span {
  const spanWidth = Math.min(1, 1 / transform.k);
  const left = -transform.x / (transform.k * width);
  return { left: Math.min(1 - spanWidth, Math.max(0, left)), width: spanWidth };
}

const transformOf = (span: Span, width: number): ZoomTransform =>
  zoomIdentity.translate((-span.left / span.width) * width, 0).scale(1 / span.width);
