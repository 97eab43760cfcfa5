// How far one turn of the wheel zooms or pans, whatever unit the event speaks in.

type Wheel = Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode' | 'shiftKey'>;

const LINE = 16; // CSS pixels
const PAGE = 400;

const pixelsOf = (delta: number, mode: number): number => delta * (mode === 1 ? LINE : mode === 2 ? PAGE : 1);

/** How many times narrower the view gets; a pinch comes as many small steps. */
export function zoomFactor({ deltaY, deltaMode }: Wheel): number {
  const pixels = pixelsOf(deltaY, deltaMode);
  return 2 ** (-pixels * (Math.abs(pixels) < 20 ? 0.02 : 0.004));
}

/** By how much of the width the view moves; 0: the wheel is meant for the scroller. */
export function panFactor({ deltaX, deltaY, deltaMode, shiftKey }: Wheel, width: number): number {
  const sideways = shiftKey && deltaX === 0 ? deltaY : deltaX;
  if (sideways === 0 || width <= 0 || (!shiftKey && Math.abs(deltaY) > Math.abs(sideways))) return 0;
  return pixelsOf(sideways, deltaMode) / width;
}
