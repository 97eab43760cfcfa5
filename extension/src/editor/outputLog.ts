// The output channel "Lineheat": what went wrong, for whoever looks. Foreign text in it is shown, not obeyed.
import * as vscode from 'vscode';
import { visibleLines } from '../../../core/foreignText.ts';

export class OutputLog implements vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Lineheat', { log: true });

  info(text: string): void {
    this.channel.info(visibleLines(text));
  }

  warn(text: string): void {
    this.channel.warn(visibleLines(text));
  }

  error(text: string): void {
    this.channel.error(visibleLines(text));
  }

  show(): void {
    this.channel.show();
  }

  dispose(): void {
    this.channel.dispose();
  }
}
