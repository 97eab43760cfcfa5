// Whether a key belongs to what has the focus, and not to the page.

/** Keys of an input, or of a list that finds its entries by letters. */
export const isTyping = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some(
      (element) => element instanceof HTMLInputElement || (element as Element).localName === 'vscode-single-select',
    );
