// Elements from lit's templates. What stands in a template is ours; every value in it becomes text, an attribute, a property
// or a listener, never markup. `scripts/checks/banned-code.mjs` forbids lit's directives that make markup of a text.
import { render, type TemplateResult } from 'lit';

/** The one element of a template, not on the page yet. */
export function rendered<Made extends Element = HTMLElement>(template: TemplateResult): Made {
  const holder = document.createDocumentFragment();
  render(template, holder);
  return holder.firstElementChild as Made;
}
