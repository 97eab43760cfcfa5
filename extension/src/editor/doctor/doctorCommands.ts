// Commands of the doctor: its page, and the permission to record.
import * as vscode from 'vscode';
import type { Commands } from '../commandTable.ts';
import { inform, warn } from '../notifications.ts';
import type { DoctorPage } from './doctorPage.ts';
import { changePermission, type PermissionChange } from './permissionSetup.ts';

export interface DoctorCommandParts {
  readonly enginePath: () => string;
  readonly doctor: Pick<DoctorPage, 'open' | 'commandOf'>;
}

export function doctorCommands({ doctor, enginePath }: DoctorCommandParts): Commands {
  const permission = async (change: PermissionChange) => {
    const exitCode = await changePermission(enginePath(), change);
    const { canRecord, withPrivilege } = await doctor.open();
    if (exitCode !== 0) void warn(vscode.l10n.t('The permission was not changed, or only in part: see the terminal.'));
    else if (change === 'install' && withPrivilege) void inform(vscode.l10n.t('This user can record now.'));
    return { exitCode, canRecord };
  };

  return {
    doctor: async () => ({ canRecord: (await doctor.open()).canRecord }),
    'doctor.copy': async (id) => {
      const command = doctor.commandOf(id);
      if (command !== undefined) await vscode.env.clipboard.writeText(command);
    },
    setUpPermission: () => permission('install'),
    removePermission: () => permission('uninstall'),
  };
}
