// The variables of launch.json (`${workspaceFolder}` …) in a value of a configuration.

import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { TargetError } from './target.ts';

/** What variables may stand for, given by the editor. */
export interface LaunchContext {
  readonly workspaceFolder: string;
  readonly folders: ReadonlyMap<string, string>; // name → path, for ${workspaceFolder:name}
  readonly userHome: string;
  readonly activeFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  setting(name: string): unknown;
  /** The text that a command gives, e.g. the launch target of CMake Tools; undefined when it gives none. */
  command(name: string): Promise<string | undefined>;
  /** The user's answer to an input of launch.json; undefined when launch.json has no such input. */
  input(id: string): Promise<string | undefined>;
}

/** `value` with its variables replaced. Throws TargetError for one that nobody knows the value of. */
export async function resolveVariables(value: string, context: LaunchContext): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const found of value.matchAll(/\$\{([^}]*)\}/g)) {
    parts.push(value.slice(end, found.index), await resolveVariable(found[1]!, context));
    end = found.index + found[0].length;
  }
  return parts.join('') + value.slice(end);
}

async function resolveVariable(variable: string, context: LaunchContext): Promise<string> {
  const colon = variable.indexOf(':');
  const name = colon < 0 ? variable : variable.slice(0, colon);
  const argument = colon < 0 ? undefined : variable.slice(colon + 1);
  const value = await (argument === undefined ? plain(name, context) : withArgument(name, argument, context));
  if (value !== undefined) return value;
  throw new TargetError(
    whyUnknown(`\${${variable}}`, name, argument),
    l10n.t('Write the value into the configuration, or choose the executable itself as the target.'),
  );
}

function whyUnknown(variable: string, name: string, argument: string | undefined): string {
  const unknown = l10n.t('The launch configuration uses {0}, a variable that is not known here.', variable);
  if (argument === undefined)
    return FILE_NAMES.has(name) ? l10n.t('The launch configuration uses {0}, but no file is open.', variable) : unknown;
  switch (name) {
    case 'input':
      return l10n.t(
        'The launch configuration uses {0}, but the "inputs" of launch.json have no such input of the type promptString, pickString or command.',
        variable,
      );
    case 'command':
      return l10n.t(
        'The launch configuration uses {0}, but there is no such command, or it returned no text.',
        variable,
      );
    case 'config':
      return l10n.t(
        'The launch configuration uses {0}, but there is no such setting, or it is not a single value.',
        variable,
      );
    case 'workspaceFolder':
      return l10n.t('The launch configuration uses {0}, but no folder of that name is open.', variable);
    default:
      return unknown;
  }
}

const FILE_NAMES = new Set([
  ...['file', 'fileDirname', 'fileBasename', 'fileBasenameNoExtension', 'fileExtname'],
  ...['relativeFile', 'relativeFileDirname'],
]);

function plain(name: string, { workspaceFolder, userHome, activeFile }: LaunchContext): string | undefined {
  switch (name) {
    case 'workspaceFolder':
    case 'workspaceRoot':
    case 'cwd':
      return workspaceFolder;
    case 'workspaceFolderBasename':
      return path.basename(workspaceFolder);
    case 'userHome':
      return userHome;
    case 'pathSeparator':
    case '/':
      return path.sep;
    default:
      return activeFile === undefined ? undefined : ofFile(name, activeFile, workspaceFolder);
  }
}

function ofFile(name: string, file: string, workspaceFolder: string): string | undefined {
  switch (name) {
    case 'file':
      return file;
    case 'fileDirname':
      return path.dirname(file);
    case 'fileBasename':
      return path.basename(file);
    case 'fileBasenameNoExtension':
      return path.parse(file).name;
    case 'fileExtname':
      return path.extname(file);
    case 'relativeFile':
      return path.relative(workspaceFolder, file);
    case 'relativeFileDirname':
      return path.relative(workspaceFolder, path.dirname(file));
    default:
      return undefined;
  }
}

async function withArgument(name: string, argument: string, context: LaunchContext): Promise<string | undefined> {
  switch (name) {
    case 'env':
      return context.env[argument] ?? '';
    case 'config': {
      const value = context.setting(argument);
      return typeof value === 'object' || value === undefined ? undefined : String(value);
    }
    case 'workspaceFolder':
      return context.folders.get(argument);
    case 'command':
      return context.command(argument);
    case 'input':
      return context.input(argument);
    default:
      return undefined;
  }
}
