import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { before, test } from 'node:test';
import { bundle } from '../bundle.mjs';
import { run } from '../steps/command.mjs';
import { advisories, reviewProblems } from '../supply/advisories.mjs';
import { billOfMaterials } from '../supply/bill-of-materials.mjs';
import { bundledPackages, shippedComponents } from '../supply/components.mjs';
import { isAcceptable, licenceProblems, licenceTexts } from '../supply/licences.mjs';

before(bundle);

const component = (licence) => ({ kind: 'npm', name: '@a/b', version: '1.2.3', licence });

test('a licence that nobody reviewed is found', () => {
  assert.deepEqual(licenceProblems([component('MIT')]), []);
  const problems = [component('GPL-3.0-only'), component('')].flatMap((one) => licenceProblems([one]));
  assert.equal(problems.length, 2);
  assert.match(problems[0], /npm @a\/b 1[.]2[.]3 has the licence "GPL-3[.]0-only"/);
  assert.equal(licenceProblems([]).length, 1);
});

test('one alternative of a licence is enough, of two together both are needed', () => {
  assert.ok(isAcceptable('LGPL-2.1-only OR BSD-2-Clause'));
  assert.ok(isAcceptable('(MIT OR GPL-2.0-only) AND Unicode-3.0'));
  assert.ok(isAcceptable('Apache-2.0 WITH LLVM-exception OR GPL-2.0-only'));
  assert.ok(!isAcceptable('MIT AND GPL-2.0-only'));
  assert.ok(!isAcceptable('MIT GPL-2.0-only'));
  assert.ok(!isAcceptable(''));
});

test('what is shipped is listed and has reviewed licences', async () => {
  const components = await shippedComponents();
  for (const name of ['libbpf-rs', 'gimli', 'd3-zoom', 'protobufjs', '@vscode-elements/elements'])
    assert.ok(
      components.some((item) => item.name === name),
      `${name} is not listed`,
    );
  assert.deepEqual(licenceProblems(components), []);
});

test('the bill of materials names each component and is always the same', () => {
  const text = billOfMaterials([component('MIT')], '9.9.9');
  assert.equal(text, billOfMaterials([component('MIT')], '9.9.9'));
  const zlib = { kind: 'deb', name: 'zlib', version: '1:1.2', licence: 'Zlib', distribution: 'debian', release: '12' };
  const [library] = JSON.parse(billOfMaterials([zlib], '9.9.9')).components;
  assert.equal(library.purl, 'pkg:deb/debian/zlib@1%3A1.2');
  const { components, metadata } = JSON.parse(text);
  assert.equal(components[0].purl, 'pkg:npm/%40a/b@1.2.3');
  assert.equal(metadata.component.version, '9.9.9');
});

test('what the sampler links statically is listed in the version that is linked, with its whole licence', async () => {
  const components = await shippedComponents();
  const libraries = components.filter(({ kind }) => kind === 'deb');
  const elfutils = libraries.find(({ name }) => name === 'elfutils');
  assert.ok(elfutils && libraries.some(({ name }) => name === 'zlib'), JSON.stringify(libraries));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const installed = await run('dpkg-query', ['--show', '--showformat=${Version}', 'libelf-dev']);
  assert.equal(elfutils.version, installed.trim());
  const texts = licenceTexts(libraries);
  for (const part of [
    `elfutils ${elfutils.version}`,
    'Red Hat, Inc.',
    'Jean-loup Gailly',
    'LESSER GENERAL PUBLIC LICENSE',
  ])
    assert.ok(texts.includes(part), part);
  // The LGPL takes its terms from the GPL.
  assert.match(texts, /GNU GENERAL PUBLIC LICENSE\s+Version 3/);
  assert.equal(licenceProblems([{ ...elfutils, licence: '' }]).length, 1);
  assert.equal(licenceProblems([component('LGPL-3.0-or-later')]).length, 1);
});

test('only packages are taken from the bundled files', () => {
  assert.deepEqual(bundledPackages(['core/numbers.ts']), []);
  assert.equal(bundledPackages(['node_modules/long/index.js', 'node_modules/long/umd/index.js']).length, 1);
});

test('what is shipped was looked up, and is newer than each advisory that was found', async () => {
  assert.deepEqual(reviewProblems(await shippedComponents()), []);
});

test('a component that nobody looked up is found, and one that is too old', () => {
  const review = { components: { 'npm @a/b': [{ id: 'X-1', fixed: '1.2.10' }] } };
  const found = (version, except = {}) => reviewProblems([{ ...component('MIT'), version }], { review, except });
  assert.deepEqual(found('1.2.3'), ['npm @a/b 1.2.3 has X-1: take 1.2.10 or later.']);
  assert.deepEqual([...found('1.2.10'), ...found('1.10.0')], []);
  assert.deepEqual(found('1.2.3', { 'X-1': 'not reachable in our use' }), []);
  assert.match(reviewProblems([{ ...component('MIT'), name: 'c' }], { review })[0], /^npm c 1[.]2[.]3: look up/);
});

test('advisories are found but for reasoned exceptions, and a database that cannot be asked is said', async () => {
  const server = createServer((request, response) => {
    let question = '';
    request.on('data', (bytes) => {
      question += bytes;
    });
    request.on('end', () => {
      const { queries } = JSON.parse(question);
      const results = queries.map(({ package: { name } }) => (name === '@a/b' ? { vulns: [{ id: 'X-1' }] } : {}));
      response.end(JSON.stringify({ results }));
    });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const components = [component('MIT'), { ...component('MIT'), name: 'c' }];
  assert.deepEqual(await advisories(components, { url }), ['npm @a/b 1.2.3: X-1']);
  assert.deepEqual(await advisories(components, { url, except: { 'X-1': 'not reachable in our use' } }), []);
  server.close();
  await assert.rejects(advisories(components, { url }), /NOT checked: .* cannot be asked/);
});
