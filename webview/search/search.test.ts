import assert from 'node:assert/strict';
import test from 'node:test';
import { readFlameGraph } from '../content/flameGraph.ts';
import { randomGraph } from '../test/contents.ts';
import { drawn } from '../test/parse.ts';
import { type Matcher, matcherOf, matchesIn, NO_QUERY, type Query } from './search.ts';

const matcher = (query: Partial<Query>) => matcherOf({ ...NO_QUERY, ...query }) as Matcher;
const graph = drawn(`
main 10
  Parse 20
    lex 5
    Parse 15
  emit 50`);

test('a word is found anywhere, in any case', () => {
  assert.ok(matcher({ text: 'arse' })('Parse'));
  assert.ok(matcher({ text: 'PARSE' })('parse'));
  assert.ok(!matcher({ text: 'PARSE', matchCase: true })('parse'));
});
test('a word is not a pattern unless it is said to be', () => {
  assert.ok(!matcher({ text: 'p.rse' })('parse'));
  assert.ok(matcher({ text: '^p.rse$', regex: true })('Parse'));
});
test('a wrong pattern is told, an empty query finds nothing', () => {
  assert.equal(typeof matcherOf({ text: '(', regex: true, matchCase: false }), 'string');
  assert.equal(matcherOf(NO_QUERY), undefined);
});
test('all nodes of a matching function are found, wherever they are', () =>
  assert.deepEqual(matchesIn(graph, matcher({ text: 'parse' })).nodes, [2, 4]));
test('the module is searched too', () => assert.equal(matchesIn(graph, matcher({ text: 'shop' })).nodes.length, 5));
test('the root is never found', () => assert.deepEqual(matchesIn(graph, matcher({ text: 'all' })).nodes, []));
test('each of twenty thousand names is tested once, however many nodes have it', () => {
  const large = readFlameGraph(randomGraph(100_000, 100_000).graph);
  const tested: string[] = [];
  const { nodes } = matchesIn(large, (text) => {
    tested.push(text);
    return text.includes('hash');
  });
  assert.ok(nodes.length > 1000, `${nodes.length} nodes`);
  assert.equal(tested.length, new Set(tested).size);
  assert.ok(tested.length > 10_000 && tested.length <= large.frames.strings.length, `${tested.length} tests`);
});
