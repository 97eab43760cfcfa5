import assert from 'node:assert/strict';
import test from 'node:test';
import { OpeningOrder } from './openingOrder.ts';

/** Profiles are names here; each is opened when the test says so. */
function profiles() {
  const [opened, dropped, waiting]: [string[], string[], Map<string, (failure?: Error) => void>] = [[], [], new Map()];
  let shown: string | undefined;
  const order = new OpeningOrder<string>({
    current: () => shown,
    show: async (name) => {
      shown = name;
    },
    drop: (name) => dropped.push(name),
  });
  const open = (name: string) =>
    order.open(name, () => {
      opened.push(name);
      return new Promise((resolve, reject) =>
        waiting.set(name, (failure) => (failure ? reject(failure) : resolve(name))),
      );
    });
  const come = async (name: string, failure?: Error) => {
    await settled();
    waiting.get(name)!(failure);
    await settled();
  };
  return { order, open, come, opened, dropped, shown: () => shown };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what was asked for last is shown, in whatever order they come', async () => {
  const { open, come, dropped, shown } = profiles();
  const both = [open('first'), open('second')];
  await come('second');
  await come('first');
  assert.deepEqual(await Promise.all(both), ['first', 'second']);
  assert.equal(shown(), 'second');
  assert.deepEqual(dropped, ['first']);
});

test('the same profile is opened once when it is asked for again on its way, and anew afterwards', async () => {
  const { open, come, opened } = profiles();
  const both = [open('run'), open('run')];
  await come('run');
  assert.deepEqual(await Promise.all(both), ['run', 'run']);
  assert.deepEqual(opened, ['run']);
  void open('run');
  assert.deepEqual(opened, ['run', 'run']);
});

for (const panelIsFirst of [true, false])
  test(`after a reload the remembered profile is shown, the panel of another ${panelIsFirst ? 'first' : 'last'}`, async () => {
    const { order, open, come, opened, shown } = profiles();
    const restore = () => order.restore(() => open('remembered'));
    const offer = () => order.offer(restore, () => open('panel'));
    const both = panelIsFirst ? [offer(), restore()] : [restore(), offer()];
    await come('remembered');
    await Promise.all(both);
    assert.deepEqual([shown(), opened], ['remembered', ['remembered']]);
  });

test('a panel of the remembered profile does not open it a second time', async () => {
  const { order, open, come, opened } = profiles();
  const restore = () => order.restore(() => open('run'));
  const both = [restore(), order.offer(restore, () => open('run'))];
  await come('run');
  await Promise.all(both);
  assert.deepEqual(opened, ['run']);
});

test('when the remembered profile is gone, the first panel that came back shows its own', async () => {
  const { order, open, come, opened, shown } = profiles();
  const restore = () => order.restore(() => open('gone'));
  const restored = restore().catch(() => {});
  const offers = ['one', 'two'].map((panel) => order.offer(restore, () => open(panel)));
  await come('gone', new Error('deleted'));
  await come('one');
  await Promise.all([restored, ...offers]);
  assert.deepEqual([shown(), opened], ['one', ['gone', 'one']]);
});

test('what the user opens or closes meanwhile wins over what is restored', async () => {
  const { order, open, come, dropped, opened, shown } = profiles();
  const restore = () => order.restore(() => open('remembered'));
  const offered = order.offer(restore, () => open('panel'));
  const chosen = open('chosen');
  await come('remembered');
  await come('chosen');
  await Promise.all([offered, chosen]);
  assert.deepEqual([shown(), dropped, opened], ['chosen', ['remembered'], ['remembered', 'chosen']]);

  const closed = profiles();
  const restoreClosed = () => closed.order.restore(() => closed.open('remembered'));
  const lateOffer = closed.order.offer(restoreClosed, () => closed.open('panel'));
  closed.order.decline();
  await closed.come('remembered');
  await lateOffer;
  assert.deepEqual([closed.shown(), closed.opened], [undefined, ['remembered']]);
});
