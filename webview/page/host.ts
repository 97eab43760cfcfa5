// The extension host on the other side of the page: typed messages out, checked messages in, saved view state.
import type { HostMessage, PageMessage } from '../../core/webviewMessages.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

export interface Host {
  send(message: PageMessage): void;
  savedState(): unknown;
  save(state: object): void;
}

/** Connects to the host. May be called once: the editor gives its interface out once. */
export function connect(receive: (message: HostMessage) => void): Host {
  const api = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (typeof message === 'object' && message !== null && 'type' in message) receive(message as HostMessage);
  });
  return {
    send: (message) => api.postMessage(message),
    savedState: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
