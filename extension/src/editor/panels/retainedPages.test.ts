import assert from 'node:assert/strict';
import test from 'node:test';
import { RETAINED_MAX, RetainedPages } from './retainedPages.ts';

/** A panel with a page, and what was asked of the page. */
function opened(pages: RetainedPages, name: string, said: string[]) {
  const listeners: (() => void)[] = [];
  const disposed: (() => void)[] = [];
  const subscription = { dispose: () => {} };
  const panel = {
    visible: true,
    onDidChangeViewState: (listener: (event: never) => void) => {
      listeners.push(listener as () => void);
      return subscription;
    },
    onDidDispose: (listener: (event: never) => void) => {
      disposed.push(listener as () => void);
      return subscription;
    },
  };
  pages.watch(panel as never, {
    release: () => said.push(`release ${name}`),
    restore: () => said.push(`restore ${name}`),
  });
  return {
    show: (visible: boolean) => {
      panel.visible = visible;
      for (const listener of listeners) listener();
    },
    close: () => {
      for (const listener of disposed) listener();
    },
  };
}

test('the pages that were left last keep their memory, and the others show anew', () => {
  const pages = new RetainedPages();
  const said: string[] = [];
  const panels = Array.from({ length: RETAINED_MAX + 2 }, (_, at) => opened(pages, `${at}`, said));
  for (const panel of panels) panel.show(false);
  assert.deepEqual(said, ['release 0', 'release 1']);
  panels[4]!.show(true);
  panels[2]!.show(true);
  assert.equal(said.length, 2);
  panels[0]!.show(true);
  assert.deepEqual(said.slice(2), ['restore 0']);
  panels[0]!.show(false);
  panels[2]!.show(false);
  assert.equal(said.length, 3, 'there was room for both');
});

test('a panel that is closed makes room, and an event of a page that is still hidden counts once', () => {
  const pages = new RetainedPages();
  const said: string[] = [];
  const panels = Array.from({ length: RETAINED_MAX + 1 }, (_, at) => opened(pages, `${at}`, said));
  panels[0]!.show(false);
  panels[0]!.close();
  for (const panel of panels.slice(1)) panel.show(false);
  panels[1]!.show(false);
  assert.deepEqual(said, []);
});
