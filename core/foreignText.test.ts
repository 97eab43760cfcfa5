import assert from 'node:assert/strict';
import test from 'node:test';
import { entryText, markdownText, messageText, visibleLines, visibleText } from './foreignText.ts';

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
test('nothing of a name is a link in a notification', () => {
  // What the editor takes for one (linkedText.ts).
  const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
  for (const evil of ['[a](command:x)', '[a](COMMAND:x "t")', '[[a]](file:///x)', '[a](https://e.example)'])
    assert.doesNotMatch(messageText(`${evil}${evil} has ended`), link);
  assert.equal(messageText('T& operator[](int) [clone]'), 'T& operator[](int) [clone]');
});
test('a log keeps its lines and shows the rest', () => {
  assert.equal(visibleLines('a\x1b[0m\n\tb\r'), 'a\\x1b[0m\n  b\\x0d');
});
test('nothing of a name is an icon in a list', () => assert.equal(entryText('a $(flame)\x07'), 'a \\$(flame)\\x07'));
