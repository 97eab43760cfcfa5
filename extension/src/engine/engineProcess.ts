// One running `lineheat serve`: bytes in, replies out, and one word when it ends. Knows no request.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { decodeReply, type Reply } from '../../../core/wire.ts';
import { FrameReader, frame } from './frames.ts';

export interface EngineProcessEvents {
  onReply(reply: Reply): void;
  /** Once, also when the process could not be started; `why` is a clause such as "it was killed by SIGKILL". */
  onEnd(why: string): void;
  onLog(line: string): void;
}

export class EngineProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly reader = new FrameReader();
  private ended = false;
  private protocolError: string | undefined;

  constructor(
    command: string,
    args: readonly string[],
    private readonly events: EngineProcessEvents,
  ) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], shell: false });
    this.child.on('error', (error) => this.end(l10n.t('it cannot be started: {0}', error.message)));
    this.child.on('close', (code, signal) => this.end(endText(code, signal)));
    // A write to a process that just ended fails here; `close` tells the story.
    this.child.stdin.on('error', (error) => this.events.onLog(`engine input: ${error.message}`));
    this.child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line) this.events.onLog(`engine: ${line}`);
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  send(payload: Uint8Array): void {
    if (!this.ended) this.child.stdin.write(frame(payload));
  }

  /** Ends it by closing its input, and by force when it is still there after `graceMs`. */
  stop(graceMs = 2000): void {
    if (this.ended) return;
    this.child.stdin.end();
    const timer = setTimeout(() => this.kill(), graceMs);
    this.child.once('close', () => clearTimeout(timer));
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private read(chunk: Buffer): void {
    if (this.protocolError !== undefined) return;
    try {
      for (const payload of this.reader.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
        this.events.onReply(decodeReply(payload));
    } catch (error) {
      // Nothing after a frame that cannot be read can be trusted: a new process is cheaper than a guess.
      this.protocolError = l10n.t('it sent a message that violates the protocol ({0})', (error as Error).message);
      this.kill();
    }
  }

  private end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    this.events.onEnd(this.protocolError ?? why);
  }
}

function endText(code: number | null, signal: NodeJS.Signals | null): string {
  // The kernel ends a process so that wants more memory than there is; one that is refused it aborts.
  if (signal === 'SIGKILL' || signal === 'SIGABRT')
    return l10n.t('it was killed by {0}, probably because memory ran out', signal);
  return signal ? l10n.t('it was killed by {0}', signal) : l10n.t('it exited with code {0}', String(code));
}
