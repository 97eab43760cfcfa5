// Who may import whom in TypeScript. scripts/checks/imports.mjs runs it and refuses folders that are not known here.
const known = ['core', 'extension', 'webview', 'syntaxes', 'scripts', 'bench'];
const test = '[.]test[.](ts|mjs)$|^[a-z]+/(test|bench)/|/testing/';

module.exports = {
  forbidden: [
    {
      name: 'vscode-only-in-editor',
      comment: 'Everything else can be tested without an editor.',
      severity: 'error',
      from: { pathNot: ['^extension/src/editor/', '^extension/src/extension[.]ts$', '^extension/test/'] },
      to: { path: '^(node_modules/@types/)?vscode(/|$)' },
    },
    {
      name: 'core-is-pure',
      comment: 'core/ runs in the extension host and in the webview.',
      severity: 'error',
      from: { path: '^core/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-imports-core',
      severity: 'error',
      from: { path: '^core/', pathNot: test },
      to: { path: '^(extension|webview|syntaxes|scripts|bench)/' },
    },
    {
      name: 'webview-has-no-node',
      comment: 'The webview is a page.',
      severity: 'error',
      from: { path: '^webview/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'webview-imports-core',
      severity: 'error',
      from: { path: '^webview/', pathNot: test },
      to: { path: '^(extension|syntaxes|scripts|bench)/' },
    },
    {
      name: 'extension-imports-core',
      comment: 'What both sides of a panel need stands in core/.',
      severity: 'error',
      from: { path: '^extension/', pathNot: test },
      to: { path: '^(webview|syntaxes|scripts|bench)/' },
    },
    {
      name: 'product-has-no-test-code',
      severity: 'error',
      from: { path: '^(core|extension|webview)/', pathNot: test },
      to: { path: test },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true, viaOnly: { pathNot: 'generated' } } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/generated/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
  known,
};
