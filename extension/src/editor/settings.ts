// The user's settings, read when they are needed.
import os from 'node:os';
import * as vscode from 'vscode';
import { demanglingOf, type OpenOptions } from '../engine/openProfiles.ts';
import { sourcePrefixes } from '../engine/sourcePrefixes.ts';
import type { MarkChoice } from '../heat/marks.ts';
import { chosenBySettings, type RecordSettings } from '../recording/recordOptions.ts';
import { clamp } from '../recording/settingValues.ts';

export interface HeatSettings extends MarkChoice {
  readonly show: boolean;
  readonly inlineFigures: boolean;
  /** Column of the figures; 0: right behind the text. */
  readonly alignColumn: number;
  readonly background: boolean;
  readonly overviewRuler: boolean;
  readonly hover: boolean;
  readonly codeLenses: boolean;
}

export function heatSettings(scope?: vscode.Uri): HeatSettings {
  const heat = vscode.workspace.getConfiguration('lineheat.heat', scope);
  return {
    show: heat.get('show', true),
    threshold: clamp(heat.get('threshold', 1), 0, 100) / 100,
    by: heat.get('by') === 'self' ? 'self' : 'total',
    inlineFigures: heat.get('inlineFigures', true),
    alignColumn: clamp(heat.get('alignColumn', 0), 0, 500),
    background: heat.get('background', true),
    overviewRuler: heat.get('overviewRuler', true),
    hover: heat.get('hover', true),
    codeLenses: heat.get('codeLenses', true),
  };
}

/** How runs are opened now: names as the user wants them, sources looked for in the open folders and by the user's map of paths. */
export function openOptions(): OpenOptions {
  const local = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const folders = new Map(local.map(({ name, uri }) => [name, uri.fsPath]));
  const settings = vscode.workspace.getConfiguration('lineheat');
  return {
    workspaceFolders: local.map(({ uri }) => uri.fsPath),
    demangle: demanglingOf(settings.get('demangle')),
    sourcePrefixes: sourcePrefixes(settings.get('sourcePathMap'), { folders, userHome: os.homedir() }),
  };
}

/** Fires when runs that are open would be opened in another way now. */
export function onDidChangeOpenOptions(listen: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      const settings = ['lineheat.sourcePathMap', 'lineheat.demangle'];
      if (settings.some((name) => event.affectsConfiguration(name))) listen();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(listen),
  );
}

/** What makes the engine speak to other machines is the user's own choice: a folder's settings are not even looked at. */
export function recordSettings(): RecordSettings {
  const record = vscode.workspace.getConfiguration('lineheat.record');
  return chosenBySettings({
    get: (key) => record.get<unknown>(key),
    ofUser: (key) => record.inspect<unknown>(key)?.globalValue,
  });
}
