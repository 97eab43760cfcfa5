// WCAG 2.2 contrast of two colours.
import { rgb } from 'd3-color';

/** 1 … 21; text wants 4.5 or more. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever reads better on the colour: always 4.5 or more. */
export const readableOn = (colour: string): string => (luminance(colour) > 0.179 ? '#000000' : '#ffffff');

function luminance(colour: string): number {
  const { r, g, b } = rgb(colour);
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}
