import assert from 'node:assert/strict';
import test from 'node:test';
import { readFlameGraph } from '../content/flameGraph.ts';
import { FrameKind } from '../content/frameTable.ts';
import { graphContent, uncountedGraph } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { contrast, readableOn } from './colourContrast.ts';
import {
  differenceColours,
  GLYPHS,
  glyphOf,
  isQuiet,
  kindOfChange,
  paintSteps,
  SAME,
  tooFewSamples,
} from './difference.ts';
import { familyOf, frameColours, greyPaint, huesOf, type Tone } from './frameColours.ts';

test('contrast is that of WCAG', () => {
  assert.equal(contrast('#000', '#fff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

for (const tone of ['dark', 'light'] as const satisfies Tone[]) {
  test(`every label reads on every colour of a module, ${tone}`, () => {
    for (let module = 0; module < 400; module++) {
      for (const kind of [FrameKind.native, FrameKind.inlined, FrameKind.kernel, FrameKind.unknown]) {
        for (const { fill, text } of familyOf(kind, `lib${module}.so`, tone)) {
          assert.ok(contrast(fill, text) >= 4.5, `${fill} ${text} ${contrast(fill, text)}`);
        }
      }
    }
    assert.ok(contrast(greyPaint(tone).fill, greyPaint(tone).text) >= 4.5);
  });
}

test('every label reads on every step from less to more', () => {
  for (const { fill, text } of paintSteps()) assert.ok(contrast(fill, text) >= 4.5, `${fill} ${text}`);
  for (let grey = 0; grey < 256; grey++) {
    const colour = `rgb(${grey}, ${grey}, ${grey})`;
    assert.ok(contrast(colour, readableOn(colour)) >= 4.5, colour);
  }
});

test('a module is one family of colours, told apart from another', () => {
  const { frames } = drawn('main 1\nhelper 1');
  const dark = frameColours(frames, 'dark');
  assert.deepEqual(dark(1), dark(1));
  assert.notDeepEqual(familyOf(FrameKind.native, 'a.so', 'dark'), familyOf(FrameKind.native, 'b.so', 'dark'));
  assert.notDeepEqual(familyOf(FrameKind.kernel, 'k', 'dark'), familyOf(FrameKind.native, 'k', 'dark'));
  assert.notDeepEqual(familyOf(FrameKind.inlined, 'a', 'dark'), familyOf(FrameKind.native, 'a', 'dark'));
});

test('the five largest modules have hues far from each other, whatever they are called', () => {
  for (let program = 0; program < 500; program++) {
    const modules = Array.from({ length: 7 }, (_, at) => `lib${program * 7 + at}.so`);
    const hues = [...huesOf(modules).values()];
    assert.equal(hues.length, 5);
    for (const [at, hue] of hues.entries())
      for (const other of hues.slice(at + 1)) assert.ok(Math.abs(hue - other) > 60, `${hue} ${other}`);
  }
});

const compared = drawn('more 20 90\nless 80 10\nsame 30 30\nnew 0 40\ngone 50 0\nfew 2 7', true);
const nodes = { more: 1, less: 2, same: 3, new: 4, gone: 5, few: 6 };

test('what came, went, grew or shrank has a glyph of its own', () => {
  const glyph = (node: number) => GLYPHS[kindOfChange(compared, node)];
  assert.equal(Object.values(nodes).slice(0, 5).map(glyph).join(' '), '▲ ▼  + −');
});
/** Paler than the pure colours, which glare on boxes as wide as the view. */
const [MOST_MORE, MOST_LESS] = ['rgb(205, 86, 63)', 'rgb(94, 135, 223)'];

test('the largest changes have the strongest colours, no change is grey', () => {
  const paintOf = differenceColours(compared, 'change');
  assert.equal(paintOf(nodes.more).fill, MOST_MORE);
  assert.equal(paintOf(nodes.less).fill, MOST_LESS);
  assert.equal(paintOf(nodes.same).fill, SAME);
});
test('fewer than ten samples on both sides together are too few', () => {
  assert.ok(tooFewSamples(compared, nodes.few));
  assert.ok(!tooFewSamples(compared, nodes.same));
});

test('where nobody knows the samples no node is drawn as one that has few', () => {
  const tree = { name: 'all', self: 0, children: [{ name: 'few', self: 2, newSelf: 7 }] };
  const graph = readFlameGraph(uncountedGraph(graphContent(tree, true)));
  assert.deepEqual(
    [tooFewSamples(graph, 1), isQuiet(graph, 1, 'change'), glyphOf(graph, 1, 'change')],
    [false, false, '▲'],
  );
});

test('where all events are recorded few are not too few, unless they are compared', () => {
  const complete = { ...drawn('few 2', false), isComplete: true };
  assert.equal(tooFewSamples(complete, 1), false);
  assert.equal(tooFewSamples({ ...complete, isComplete: false }, 1), true);
  assert.equal(tooFewSamples({ ...compared, isComplete: true }, nodes.few), true);
});

const judged = drawn('more 20 90\nless 80 70\nnew 0 40\nnoise 50 55', true, (base, later) => {
  if (base === 0) return { verdict: 3 };
  return { verdict: later - base === 5 ? 0 : later > base ? 1 : 2, change: later / base - 1 };
});
test('what is not beyond noise is quiet and without a mark, unless all changes are asked for', () => {
  const quiet = (mode: 'significance' | 'change') => [1, 2, 3, 4].map((node) => isQuiet(judged, node, mode));
  assert.deepEqual(quiet('significance'), [false, false, false, true]);
  assert.deepEqual(quiet('change'), [false, false, false, false]);
  const glyphs = (mode: 'significance' | 'change') => [1, 2, 3, 4].map((node) => glyphOf(judged, node, mode)).join(' ');
  assert.equal(glyphs('significance'), '▲ ▼ + ');
  assert.equal(glyphs('change'), '▲ ▼ + ▲');
});
test('a significant change is never as pale as no change, however small beside others', () => {
  const small = drawn('huge 0 9000\nless 80 79', true, () => ({ verdict: 2 }));
  const [red, , blue] = rgbOf(differenceColours(small, 'significance')(2).fill);
  assert.ok(blue > red + 20);
});
test('ratios have the strongest colours from four times and a quarter on', () => {
  const paintOf = differenceColours(drawn('four 10 40\nquarter 40 10\nnew 0 1\nsame 3 3', true), 'ratio');
  assert.deepEqual(
    [1, 2, 3, 4].map((node) => paintOf(node).fill),
    [MOST_MORE, MOST_LESS, MOST_MORE, SAME],
  );
});
const rgbOf = (fill: string) => fill.match(/\d+/g)!.map(Number) as [number, number, number];
