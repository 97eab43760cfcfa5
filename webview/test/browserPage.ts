// The real bundle in a real Chromium, in a page like the editor's: strict CSP, theme variables on the root element and
// an `acquireVsCodeApi` that records what the page says. The test plays the extension host.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { TRANSLATIONS_META } from '../../core/translations.ts';
import type { HostMessage, PageMessage, ShowMessage, ViewKind } from '../../core/webviewMessages.ts';
import { type TestTheme, themes } from './themes.ts';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const ORIGIN = 'https://page.test';
const CSP = `default-src 'none'; script-src 'nonce-n1'; style-src ${ORIGIN}; font-src ${ORIGIN}; img-src ${ORIGIN}`;

const html = (translations: PageOptions['translations']) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CSP}">
<link rel="stylesheet" href="${ORIGIN}/panel.css">${translationsMeta(translations)}<title>Lineheat</title></head>
<body><script nonce="n1" src="${ORIGIN}/host.js"></script><script nonce="n1" src="${ORIGIN}/panel.js"></script></body></html>`;

/** Plays the editor's side inside the page; the state survives a reload as it does in the editor. */
const HOST_SCRIPT = `
  window.sent = []; window.violations = []; window.errors = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
  window.addEventListener('error', (event) => window.errors.push(String(event.message)));
  let given = false;
  window.acquireVsCodeApi = () => {
    if (given) throw new Error('acquireVsCodeApi was called twice');
    given = true;
    return {
      postMessage: (message) => { window.sent.push(message); window.answer?.(message); },
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: (state) => { sessionStorage.setItem('state', JSON.stringify(state)); },
    };
  };
`;

let bundled: Promise<Map<string, string>> | undefined;

/** The bundle, made once for all tests of a process. */
async function bundle(): Promise<Map<string, string>> {
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['webview/panel.ts'],
    outdir: 'dist/webview',
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return new Map(result.outputFiles.map((file) => [path.basename(file.path), file.text]));
}

export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      // Pages share a process, see `contextOf`.
      ...['--process-per-site', '--renderer-process-limit=1'],
    ],
  });
}

const contexts = new WeakMap<Browser, Promise<BrowserContext>>();

/**
 * Where the pages of a browser are. To start a process for each costs more than most tests do in it, so a page that stays open
 * keeps theirs. Nothing goes from one page to the next: state is in
 * `sessionStorage`, which each page has for itself, and `faults` names what is kept anywhere else.
 */
function contextOf(browser: Browser): Promise<BrowserContext> {
  const known = contexts.get(browser);
  if (known) return known;
  const made = browser.newContext().then(async (context) => {
    const keeper = await context.newPage();
    await keeper.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await keeper.goto(`${ORIGIN}/`);
    return context;
  });
  contexts.set(browser, made);
  return made;
}

export interface PageOptions {
  readonly theme?: TestTheme;
  readonly width?: number;
  readonly height?: number;
  readonly reducedMotion?: boolean;
  /** The bundle that the host writes into the page; none in English. */
  readonly translations?: Readonly<Record<string, string>>;
}

const translationsMeta = (bundle: PageOptions['translations']): string =>
  bundle
    ? `<meta name="${TRANSLATIONS_META}" content="${JSON.stringify(bundle).replace(/[&"'<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)}">`
    : '';

/** A page with the bundle loaded; it has said `ready`. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<PanelPage> {
  bundled ??= bundle();
  const files = await bundled;
  const context = await contextOf(browser);
  const page = await context.newPage();
  await page.setViewportSize({ width: options.width ?? 1200, height: options.height ?? 700 });
  await page.emulateMedia({ reducedMotion: options.reducedMotion === false ? 'no-preference' : 'reduce' });
  const stray: string[] = [];
  await page.route('**/*', (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === '') return route.fulfill({ contentType: 'text/html', body: html(options.translations) });
    if (name === 'host.js') return route.fulfill({ contentType: 'text/javascript', body: HOST_SCRIPT });
    const body = files.get(name);
    if (body === undefined && name !== 'favicon.ico') stray.push(route.request().url());
    if (body === undefined) return route.fulfill({ status: 404, body: '' });
    return route.fulfill({ contentType: name.endsWith('.css') ? 'text/css' : 'text/javascript', body });
  });
  const panel = new PanelPage(page, stray);
  await panel.load(options.theme ?? themes.dark);
  return panel;
}

export class PanelPage {
  readonly page: Page;
  /** What was asked for beside the bundle. */
  private readonly stray: readonly string[];
  constructor(page: Page, stray: readonly string[]) {
    this.page = page;
    this.stray = stray;
  }

  async load(theme: TestTheme) {
    await this.page.goto(`${ORIGIN}/`);
    await this.setTheme(theme);
  }

  /** As the editor does it: variables on the root element, a class on the body. */
  async setTheme({ bodyClass, variables }: TestTheme) {
    await this.page.evaluate(
      ([name, entries]) => {
        document.documentElement.removeAttribute('style');
        for (const [key, value] of entries) document.documentElement.style.setProperty(`--vscode-${key}`, value);
        document.body.className = name;
      },
      [bodyClass, Object.entries(variables)] as const,
    );
  }

  async post(message: HostMessage) {
    if (message.type !== 'view' && message.type !== 'timeline') {
      await this.page.evaluate((sent) => window.postMessage(sent, '*'), message);
      return;
    }
    const { content, ...rest } = message;
    const encoded = Buffer.from(content).toString('base64');
    await this.page.evaluate(
      ([head, base64]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        window.postMessage({ ...head, content: bytes.buffer }, '*');
      },
      [rest, encoded] as const,
    );
    await this.settle();
  }

  async postView(view: ViewKind, content: Uint8Array, value = 0) {
    await this.post({ type: 'view', view, value, content: Uint8Array.from(content).buffer });
  }

  /** Waits until what was posted is handled and drawn. */
  async settle() {
    await this.page.evaluate(
      () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0)),
    );
  }

  sent(): Promise<PageMessage[]> {
    return this.page.evaluate(() => (window as unknown as { sent: PageMessage[] }).sent);
  }

  async lastSent(): Promise<PageMessage | undefined> {
    return (await this.sent()).at(-1);
  }

  /** What the page did that it must not: CSP violations, uncaught errors, requests, what the next page would find. */
  async faults(): Promise<string[]> {
    const inPage = await this.page.evaluate(() => {
      const { violations, errors } = window as unknown as { violations: string[]; errors: string[] };
      const shared = localStorage.length > 0 || document.cookie !== '' ? ['keeps what other pages see'] : [];
      return [...violations, ...errors, ...shared];
    });
    return [...inPage, ...this.stray];
  }

  /** The colour of the canvas at a place, `r,g,b`. */
  pixel(x: number, y: number): Promise<string> {
    return this.page.evaluate(
      ([left, top]) => {
        const canvas = document.querySelector<HTMLCanvasElement>('.graph canvas')!;
        const data = canvas.getContext('2d')!.getImageData(left * devicePixelRatio, top * devicePixelRatio, 1, 1).data;
        return `${data[0]},${data[1]},${data[2]}`;
      },
      [x, y] as const,
    );
  }

  /** Text of what the selection's tree item says. */
  async selectedItem(): Promise<string> {
    return (await this.page.locator('[role=treeitem][aria-selected=true]').textContent()) ?? '';
  }

  async screenshot(name: string) {
    const folder = path.join(root, 'artifacts/webview');
    fs.mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
  }

  async close() {
    await this.page.close();
  }
}

/** The words of an element as they are read: blanks between cells are one. */
export const wordsOf = async (element: Locator): Promise<string> =>
  ((await element.textContent()) ?? '').replace(/\s+/g, ' ').trim();

export const showRun = (more: Partial<ShowMessage> = {}): ShowMessage => ({
  type: 'show',
  panel: 'run:1',
  subject: 'run',
  title: 'shop',
  runs: [{ name: 'shop', facts: ['21 Nov 2026, 14:02', '3.20 s', '3,182 samples', 'no samples lost', 'a1b2c3d'] }],
  problems: [],
  values: [{ type: 'cpu', unit: 'nanoseconds', family: 'cpu' }],
  defaultValue: 0,
  ...more,
});

export const showComparison = (more: Partial<ShowMessage> = {}): ShowMessage => ({
  ...showRun(),
  panel: 'comparison:1',
  subject: 'comparison',
  title: 'shop: base against new',
  runs: [
    { name: 'before the hash map', facts: ['21 Nov 2026, 14:02', '3.20 s', '3,182 samples', 'a1b2c3d'] },
    { name: 'hash map', facts: ['21 Nov 2026, 14:09', '2.41 s', '2,390 samples', 'e4f5a6b'] },
  ],
  ...more,
});
