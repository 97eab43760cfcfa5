// A page of a run with its timeline, used with pointer and keyboard, for the tests in a real Chromium.
import assert from 'node:assert/strict';
import type { ShownSelection } from '../../core/selectionMessages.ts';
import type { PageMessage } from '../../core/webviewMessages.ts';
import { type PanelPage, showRun } from './browserPage.ts';
import { type FakeHost, type FakeRun, serveRun } from './fakeRun.ts';
import { shopFunctions, shopGraph } from './shop.ts';

export const EIGHT: FakeRun = { threads: 8, seconds: 4 };
export const SECOND = 1e9;

export async function showTimeline(panel: PanelPage, run: FakeRun = EIGHT): Promise<FakeHost> {
  const host = await serveRun(panel.page, run);
  await panel.post(showRun());
  await panel.post(host.first());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.page.locator('.timeline-row').first().waitFor();
  await settled(panel);
  return host;
}

/** Until the questions of now are answered. */
export async function settled(panel: PanelPage) {
  await panel.settle();
  await panel.page.waitForTimeout(60);
  await panel.settle();
}

export type Of<Type extends PageMessage['type']> = Extract<PageMessage, { type: Type }>;
export const allOf = async <Type extends PageMessage['type']>(panel: PanelPage, type: Type): Promise<Of<Type>[]> =>
  (await panel.sent()).filter((message): message is Of<Type> => message.type === type);
export const lastSelect = async (panel: PanelPage) => (await allOf(panel, 'select')).at(-1)!;

export const boxOf = async (panel: PanelPage, where: string) => (await panel.page.locator(where).boundingBox())!;
export const ALL = '.timeline-all .timeline-canvas';
export const THREADS = '.timeline-scroller .timeline-canvas';
/** The middle of a track at a share of the width. */
export async function placeOn(panel: PanelPage, track: number, share: number) {
  const box = await boxOf(panel, track < 0 ? ALL : THREADS);
  return { x: box.x + box.width * share, y: box.y + (track < 0 ? 20 : track * 24 + 12) };
}
export async function drag(panel: PanelPage, track: number, from: number, to: number) {
  const [begin, end] = [await placeOn(panel, track, from), await placeOn(panel, track, to)];
  await panel.page.mouse.move(begin.x, begin.y);
  await panel.page.mouse.down();
  await panel.page.mouse.move(end.x, end.y, { steps: 6 });
  await settled(panel);
  await panel.page.mouse.up();
}
export async function press(panel: PanelPage, ...keys: string[]) {
  for (const key of keys) await panel.page.keyboard.press(key);
  await settled(panel);
}
export const focusTimeline = (panel: PanelPage) => panel.page.locator('.timeline-grid').focus();

export const near = (ns: number | undefined, seconds: number) =>
  assert.ok(Math.abs(ns! / SECOND - seconds) < 0.01, `${ns} is not ${seconds} s`);
export function assertRanges({ times }: ShownSelection, wanted: readonly (readonly [number, number])[]) {
  assert.equal(times.length, wanted.length, JSON.stringify(times));
  wanted.forEach(([from, to], at) => {
    near(times[at]!.fromNs, from);
    near(times[at]!.toNs, to);
  });
}
export const chips = (panel: PanelPage) => panel.page.locator('.selection-chip .selection-text').allTextContents();
