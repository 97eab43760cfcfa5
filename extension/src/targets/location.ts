// Where a target comes from, written beside it when a workspace has more than one place.
import path from 'node:path';
import { visibleText } from '../../../core/foreignText.ts';
import type { Target } from './target.ts';

export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
}

/** The name of the folder when several are open, and the place of `folder` inside it: `server/tools`. */
export function locationOf(folder: string, root: WorkspaceFolder, roots: number): string {
  const inside = path.relative(root.path, folder);
  return visibleText([roots > 1 ? root.name : '', inside].filter(Boolean).join('/'));
}

/** The target with the place in front of its description; unchanged where the place says nothing. */
export function locatedTarget(target: Target, location: string): Target {
  return location ? { ...target, description: `${location}: ${target.description}` } : target;
}
