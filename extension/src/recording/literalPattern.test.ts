import assert from 'node:assert/strict';
import { test } from 'node:test';

import { literalPattern } from './literalPattern.ts';

test('what has a meaning in a pattern means itself', () => {
  assert.equal(literalPattern('Ledger::book'), 'Ledger::book');
  assert.equal(literalPattern('operator*'), 'operator\\*');
  assert.equal(literalPattern('a?b\\c'), 'a\\?b\\\\c');
  assert.equal(literalPattern('/x/'), '\\/x/');
  assert.equal(literalPattern('operator/'), 'operator/');
});
