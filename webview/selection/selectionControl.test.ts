import assert from 'node:assert/strict';
import test from 'node:test';
import {
  EMPTY_SELECTION,
  type SelectedMessage,
  type SelectionPageMessage,
  type ShownSelection,
} from '../../core/selectionMessages.ts';
import { SelectionControl } from './selectionControl.ts';

const upTo = (toNs: number): ShownSelection => ({ ...EMPTY_SELECTION, times: [{ fromNs: 0, toNs }] });
const selected = (
  selection: ShownSelection,
  preview: boolean,
  more: Partial<SelectedMessage> = {},
): SelectedMessage => ({
  ...{
    type: 'selected',
    selection,
    preview,
    samples: 1,
    value: 1,
    runSamples: 2,
    runValue: 2,
    unit: '',
    notice: '',
    runtimes: [],
  },
  ...{ canUndo: false, canRedo: false, ...more },
});
const fresh = () => {
  const sent: SelectionPageMessage[] = [];
  return { sent, control: new SelectionControl({ send: (message) => sent.push(message), changed: () => {} }) };
};

test('a drag shows what it is at, whatever the host has got to', () => {
  const { sent, control } = fresh();
  for (const toNs of [1, 2, 3]) control.preview(upTo(toNs));
  control.received(selected(upTo(1), true));
  assert.deepEqual(control.selection, upTo(3));
  assert.deepEqual(sent, [
    { type: 'select', selection: upTo(1), preview: true },
    { type: 'select', selection: upTo(3), preview: true },
  ]);
  control.received(selected(upTo(3), true));
  assert.ok(control.isPreview);
  assert.deepEqual(control.committed, EMPTY_SELECTION);
});
test('a commit during the last step of a drag is sent after it', () => {
  const { sent, control } = fresh();
  control.preview(upTo(1));
  control.preview(upTo(2));
  control.commit();
  control.received(selected(upTo(1), true));
  assert.deepEqual(sent.at(-1), { type: 'select', selection: upTo(2), preview: false });
  control.received(selected(upTo(2), false, { canUndo: true }));
  assert.deepEqual([control.isPreview, control.committed], [false, upTo(2)]);
});
test('dropping a preview sends what is committed', () => {
  const { sent, control } = fresh();
  control.received(selected(upTo(9), false));
  assert.equal(control.dropPreview(), false);
  control.preview(upTo(1));
  control.received(selected(upTo(1), true));
  assert.equal(control.dropPreview(), true);
  assert.deepEqual(sent.at(-1), { type: 'select', selection: upTo(9), preview: false });
});
test('undo first drops a preview, then asks, and only when there is something', () => {
  const { sent, control } = fresh();
  control.undo();
  control.redo();
  assert.deepEqual(sent, []);
  control.received(selected(EMPTY_SELECTION, false, { canUndo: true, canRedo: true }));
  control.preview(upTo(1));
  control.undo();
  control.received(selected(upTo(1), true, { canUndo: true }));
  control.received(selected(EMPTY_SELECTION, false, { canUndo: true, canRedo: true }));
  control.undo();
  control.redo();
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['select', 'select', 'undoSelection', 'redoSelection'],
  );
});
test('what another part of the editor selects is taken over', () => {
  const { control } = fresh();
  control.received(selected(upTo(5), false, { canUndo: true }));
  assert.deepEqual([control.selection, control.committed], [upTo(5), upTo(5)]);
});
