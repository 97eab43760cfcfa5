import assert from 'node:assert/strict';
import test from 'node:test';
import { graphSizeText } from './graphSize.ts';

test('one frame is one, and many are many', () => {
  assert.equal(graphSizeText(1, 1, 0), '1 frame, 1 deep');
  assert.equal(graphSizeText(0, 0, 0), '0 frames, 0 deep');
  assert.equal(graphSizeText(1234, 17, 0), '1,234 frames, 17 deep');
  assert.equal(graphSizeText(1, 1, 1), '1 frame, 1 deep; 1 tiny frame folded into its caller');
  assert.equal(graphSizeText(2, 2, 1), '2 frames, 2 deep; 1 tiny frame folded into its caller');
  assert.equal(graphSizeText(1, 1, 1500), '1 frame, 1 deep; 1,500 tiny frames folded into their callers');
  assert.equal(graphSizeText(96, 11, 3), '96 frames, 11 deep; 3 tiny frames folded into their callers');
});
