// Why there may be no earlier build to compare with: none is to be kept.
import * as vscode from 'vscode';
import { EngineFailure } from '../engine/failure.ts';
import { recordSettings } from './settings.ts';

/** What failed, with the reason and what to do where it is known. */
export function explained(error: unknown): unknown {
  if (!(error instanceof EngineFailure) || error.kind !== 'never-kept' || recordSettings().keepBuilds) return error;
  const advice = vscode.l10n.t(
    'Builds are not kept, because the setting lineheat.record.keepBuilds is off. Turn it on, profile the program, change it, and compare again.',
  );
  return new EngineFailure(error.kind, error.message, advice);
}
