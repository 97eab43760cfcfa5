// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of settings look like that
import assert from 'node:assert/strict';
import test from 'node:test';
import { sourcePrefixes } from './sourcePrefixes.ts';

const context = {
  folders: new Map([
    ['app', '/w/app'],
    ['lib', '/w/lib'],
  ]),
  userHome: '/me',
};

test('prefixes get their variables, and relative places are in the first folder', () => {
  const map = {
    '/build/agent': '${workspaceFolder}',
    '/src/lib': '${workspaceFolder:lib}/src/..',
    '/rustc/abc': '${userHome}/rust',
    '.': 'sub',
    '${workspaceFolder}/old': '/new/',
  };
  assert.deepEqual(sourcePrefixes(map, context), [
    { from: '/build/agent', to: '/w/app' },
    { from: '/src/lib', to: '/w/lib' },
    { from: '/rustc/abc', to: '/me/rust' },
    { from: '.', to: '/w/app/sub' },
    { from: '/w/app/old', to: '/new/' },
  ]);
});

test('what leads nowhere is left out, whatever the setting holds', () => {
  for (const nothing of [undefined, null, 'text', 5, ['/a'], {}])
    assert.deepEqual(sourcePrefixes(nothing, context), []);
  const map = { '/a': 5, '/b': '', '/c': '${workspaceFolder:none}', '/d': '${env:HOME}', '': '/e' };
  assert.deepEqual(sourcePrefixes(map, context), []);
  assert.deepEqual(sourcePrefixes({ '/a': 'sub' }, { folders: new Map(), userHome: '' }), []);
});
