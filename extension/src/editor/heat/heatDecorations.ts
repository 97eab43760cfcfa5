// Draws marks: a figure behind the line, a tint, a mark in the overview ruler. One decoration type a style.
import * as vscode from 'vscode';
import { colouredFamilies, type Mark, type MarkStyle } from '../../heat/marks.ts';
import type { HeatSettings } from '../settings.ts';

interface StyleColours {
  readonly foreground: string;
  readonly background?: string;
}

const LEVELS = [1, 2, 3, 4, 5] as const;
const coloursOf = (name: string): StyleColours => ({
  foreground: `lineheat.${name}Foreground`,
  background: `lineheat.${name}Background`,
});

/** Contributed colours (package.json, `colors`). A style without a background says too little to be tinted. */
const styleColours: ReadonlyMap<MarkStyle, StyleColours> = new Map<MarkStyle, StyleColours>([
  [0, { foreground: 'lineheat.figureForeground' }],
  ...LEVELS.map((level): [MarkStyle, StyleColours] => [level, coloursOf(`level${level}`)]),
  ...colouredFamilies.flatMap((family) =>
    LEVELS.map((level): [MarkStyle, StyleColours] => [`${family}${level}`, coloursOf(`${family}${level}`)]),
  ),
  // Without a background: it is no heat. Drawn last, it stands behind the figure of the same line.
  ['waits', { foreground: 'lineheat.waiting4Foreground' }],
  ['slower', { foreground: 'lineheat.slowerForeground', background: 'lineheat.slowerBackground' }],
  ['faster', { foreground: 'lineheat.fasterForeground', background: 'lineheat.fasterBackground' }],
  ['unclear', { foreground: 'lineheat.figureForeground' }],
]);

const FIGURE_GAP = 3; // characters between the text and its figure

export class HeatDecorations implements vscode.Disposable {
  private readonly types = new Map<MarkStyle, vscode.TextEditorDecorationType>();

  constructor(private readonly settings: HeatSettings) {}

  draw(editor: vscode.TextEditor, marks: readonly Mark[]): void {
    for (const style of styleColours.keys()) {
      const ofStyle = marks.filter((mark) => mark.style === style);
      // A type is made when it is first needed, so a run never costs those of a comparison.
      if (ofStyle.length === 0 && !this.types.has(style)) continue;
      const options = ofStyle.flatMap((mark) => this.option(editor, mark));
      editor.setDecorations(this.type(style), options);
    }
  }

  dispose(): void {
    for (const type of this.types.values()) type.dispose();
    this.types.clear();
  }

  private type(style: MarkStyle): vscode.TextEditorDecorationType {
    const known = this.types.get(style);
    if (known) return known;
    const { foreground, background } = styleColours.get(style)!;
    const options: vscode.DecorationRenderOptions = {
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    };
    if (background && this.settings.background) options.backgroundColor = new vscode.ThemeColor(background);
    if (background && this.settings.overviewRuler) {
      options.overviewRulerColor = new vscode.ThemeColor(foreground);
      options.overviewRulerLane = vscode.OverviewRulerLane.Center;
    }
    const type = vscode.window.createTextEditorDecorationType(options);
    this.types.set(style, type);
    return type;
  }

  private option(editor: vscode.TextEditor, mark: Mark): vscode.DecorationOptions[] {
    if (mark.line > editor.document.lineCount) return [];
    const { range, text, isEmptyOrWhitespace } = editor.document.lineAt(mark.line - 1);
    const option: vscode.DecorationOptions = { range: new vscode.Range(range.end, range.end) };
    if (this.settings.inlineFigures && !isEmptyOrWhitespace) {
      const gap = Math.max(FIGURE_GAP, this.settings.alignColumn - displayWidth(text, tabSize(editor)));
      const color = new vscode.ThemeColor(styleColours.get(mark.style)!.foreground);
      option.renderOptions = {
        after: { contentText: mark.text, color, margin: `0 0 0 ${gap}ch`, fontStyle: 'normal' },
      };
    }
    return [option];
  }
}

function tabSize(editor: vscode.TextEditor): number {
  return typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
}

function displayWidth(text: string, tab: number): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? tab - (width % tab) : 1;
  return width;
}
