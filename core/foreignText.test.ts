import assert from 'node:assert/strict';
import test from 'node:test';
import { markdownText, visibleText } from './foreignText.ts';

test('what cannot be seen is shown as an escape', () => {
  assert.equal(visibleText('a\x1b[31mb\nc'), 'a\\x1b[31mb\\x0ac');
  assert.equal(visibleText('x\u202eevil\u2066'), 'x\\u202eevil\\u2066');
  assert.equal(visibleText('\ud800'), '\\ud800');
});
test('ordinary names stay as they are', () => {
  assert.equal(visibleText('std::map<int, Größe 漢字 😀>::find'), 'std::map<int, Größe 漢字 😀>::find');
});
test('a long name is cut', () => assert.equal(visibleText('x'.repeat(600)).length, 512));
test('nothing of a name is Markdown, HTML or a link', () => {
  const evil = '[a](command:x) <img src=x> `b` *c* https://e.example &lt;';
  assert.doesNotMatch(markdownText(evil), /[[\]()<>`*:/]/);
});
