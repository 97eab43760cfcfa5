// The contributed colours of heat: readable in all themes, and those of CPU time, waiting time and memory told apart by everybody.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { lab, rgb } from 'd3-color';
import { contrast } from '../graph/colourContrast.ts';

const BACKGROUNDS = { dark: '#1f1f1f', light: '#ffffff', highContrast: '#000000', highContrastLight: '#ffffff' };
type ThemeName = keyof typeof BACKGROUNDS;
interface Contributed {
  readonly id: string;
  readonly defaults: Readonly<Record<ThemeName, string>>;
}
const { contributes } = JSON.parse(fs.readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  contributes: { colors: readonly Contributed[] };
};
const colourOf = (id: string, theme: ThemeName) =>
  contributes.colors.find((one) => one.id === `lineheat.${id}`)!.defaults[theme];
const FAMILIES = ['level', 'waiting', 'memory'];

/** A colour that lets some of the background through, as it is seen on it. */
function over(colour: string, background: string): string {
  const [front, back] = [rgb(colour), rgb(background)];
  const mixed = (of: 'r' | 'g' | 'b') => front[of] * front.opacity + back[of] * (1 - front.opacity);
  return rgb(mixed('r'), mixed('g'), mixed('b')).formatHex();
}

/** How colours are seen without one kind of cone: Machado, Oliveira and Fernandes 2009, severity 1, in linear RGB. */
const VISION = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

function seen(colour: string, matrix: readonly number[]): string {
  const { r, g, b } = rgb(colour);
  const linear = [r, g, b].map((one) => {
    const share = one / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const channel = (row: number) => {
    const sum = linear.reduce((all, one, at) => all + one * matrix[3 * row + at]!, 0);
    const clamped = Math.min(1, Math.max(0, sum));
    return 255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055);
  };
  return rgb(channel(0), channel(1), channel(2)).formatHex();
}

function distance(a: string, b: string): number {
  const [one, other] = [lab(a), lab(b)];
  return Math.hypot(one.l - other.l, one.a - other.a, one.b - other.b);
}

for (const [theme, background] of Object.entries(BACKGROUNDS) as [ThemeName, string][]) {
  test(`figures of waiting time and memory read on their lines in ${theme}`, () => {
    for (const family of FAMILIES.slice(1))
      for (const level of [1, 2, 3, 4, 5]) {
        const line = over(colourOf(`${family}${level}Background`, theme), background);
        const ratio = contrast(colourOf(`${family}${level}Foreground`, theme), line);
        assert.ok(ratio >= 4.5, `${family}${level}: ${ratio}`);
      }
  });

  test(`hot lines of CPU time, waiting time and memory are told apart without a kind of cone in ${theme}`, () => {
    for (const [name, matrix] of Object.entries(VISION))
      for (const [at, family] of FAMILIES.entries())
        for (const other of FAMILIES.slice(at + 1)) {
          const [a, b] = [family, other].map((one) => seen(colourOf(`${one}5Foreground`, theme), matrix));
          assert.ok(distance(a!, b!) >= 20, `${name}, ${family} and ${other}: ${distance(a!, b!)}`);
        }
  });
}
