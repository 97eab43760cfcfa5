// The user's settings, read when they are needed.
import * as vscode from 'vscode';
import type { MarkChoice } from '../heat/marks.ts';

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

export interface RecordSettings {
  readonly sampleHz: number;
  /** 0: until the program ends or is stopped. */
  readonly durationS: number;
}

export function recordSettings(): RecordSettings {
  const record = vscode.workspace.getConfiguration('lineheat.record');
  return {
    sampleHz: Math.round(clamp(record.get('sampleRate', 999), 1, 20_000)),
    durationS: clamp(record.get('durationLimit', 0), 0, 86_400 * 7),
  };
}

/** A setting may hold anything that JSON can say. */
function clamp(value: unknown, low: number, high: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, low), high) : low;
}
