// Which problems of runs the user was told of in this workspace: each is news once.
import type { Memento } from 'vscode';

const MEMORY = 'lineheat.toldProblems';
const REMEMBERED_MAX = 200;

export class ToldProblems {
  constructor(private readonly memory: Memento) {}

  /** Whether the user has not been told yet; from now on they have. */
  isNews(key: string): boolean {
    const told = this.memory.get<string[]>(MEMORY, []);
    if (told.includes(key)) return false;
    void this.memory.update(MEMORY, [key, ...told].slice(0, REMEMBERED_MAX));
    return true;
  }
}
