// The target's terminal: what it prints is shown, what the user types goes to it, and its size follows the panel.
import * as vscode from 'vscode';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TargetTerminalEvents {
  onInput(bytes: Uint8Array): void;
  onSize(size: TerminalSize): void;
  /** The user closed the terminal. */
  onClose(): void;
}

const OPEN_TIMEOUT_MS = 1500;
const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };

export class TargetTerminal {
  private readonly output = new vscode.EventEmitter<string>();
  private readonly decoder = new TextDecoder('utf-8');
  private readonly encoder = new TextEncoder();
  private readonly terminal: vscode.Terminal;
  private ended = false;
  private closed = false;
  /** Output before the terminal is on screen would be dropped. */
  private waiting: string[] | undefined = [];
  private readonly opened: Promise<TerminalSize>;

  constructor(name: string, events: TargetTerminalEvents) {
    let open: (size: TerminalSize) => void = () => {};
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    const pty: vscode.Pseudoterminal = {
      onDidWrite: this.output.event,
      open: (size) => {
        for (const text of this.waiting ?? []) this.output.fire(text);
        this.waiting = undefined;
        open(size ?? DEFAULT_SIZE);
      },
      close: () => {
        this.closed = true;
        if (!this.ended) events.onClose();
      },
      handleInput: (text) => {
        if (!this.ended) events.onInput(this.encoder.encode(text));
      },
      setDimensions: (size) => {
        if (!this.ended) events.onSize(size);
      },
    };
    this.terminal = vscode.window.createTerminal({
      name,
      pty,
      iconPath: new vscode.ThemeIcon('flame'),
      isTransient: true,
    });
    this.terminal.show(true);
  }

  /** The size once it is on screen; a default when it does not get there in time. */
  size(): Promise<TerminalSize> {
    const timeout = new Promise<TerminalSize>((resolve) => setTimeout(resolve, OPEN_TIMEOUT_MS, DEFAULT_SIZE));
    return Promise.race([this.opened, timeout]);
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /** Brings it to the front, unless the user closed it. */
  reveal(): void {
    this.terminal.show();
  }

  write(bytes: Uint8Array): void {
    this.show(this.decoder.decode(bytes, { stream: true }));
  }

  /** A last line of ours; afterwards the terminal only shows what was. */
  end(sentence: string): void {
    this.ended = true;
    this.show(`\r\n\x1b[2m${sentence}\x1b[0m\r\n`);
  }

  private show(text: string): void {
    if (this.waiting) this.waiting.push(text);
    else this.output.fire(text);
  }
}
