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
test('each sample counts once, however often its stack matches', () => {
  const { nodes, share } = matchesIn(graph, matcher({ text: 'parse' }));
  assert.deepEqual([nodes, share], [[2, 4], 0.4]);
});
test('the module is searched too', () => assert.equal(matchesIn(graph, matcher({ text: 'shop' })).share, 1));
test('a comparison has a share on each side', () => {
  const both = matchesIn(drawn('a 30 10\nb 10 30', true), matcher({ text: 'a', matchCase: true }));
  assert.ok(both.newShare !== undefined && Math.abs(both.share - 0.75) < 1e-9 && Math.abs(both.newShare - 0.25) < 1e-9);
});
test('twenty thousand names are searched in a moment', () => {
  const large = readFlameGraph(randomGraph(100_000, 100_000).graph);
  const began = performance.now();
  const { nodes } = matchesIn(large, matcher({ text: 'hash' }));
  const took = performance.now() - began;
  assert.ok(nodes.length > 1000 && took < 300, `${nodes.length} nodes in ${took} ms`);
});
