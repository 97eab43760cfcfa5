// A table of up to a hundred thousand rows of which only those in view exist. Grid roles, sorting with aria-sort, keys,
// one selected row. What the cells show is the columns' business.
import { html } from 'lit';
import { isMenuKey } from '../graph/graphKeys.ts';
import { icon, icons } from '../page/icons.ts';
import { rendered } from '../page/rendered.ts';
import { type FunctionAction, functionAction } from '../selection/transformKeys.ts';

export const TABLE_ROW_HEIGHT = 22; // CSS pixels, as in the editor's own lists
const SPARE_ROWS = 4; // kept beyond the edges of the view
const SMALL_STEP = 1;

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export interface TableColumn {
  readonly id: string;
  readonly title: string;
  readonly hint: string; // what the column means, in a sentence
  readonly numeric: boolean;
  readonly isSecondPlace?: boolean; // a place of its own to go to
  /** The rows' natural order in this column, ascending. */
  compare(a: number, b: number): number;
  /** Fills a cell that is empty but for what the last row left in it. */
  fill(cell: HTMLElement, row: number): void;
}

export interface TableEvents {
  selected(row: number): void;
  /** `second`: Shift was held, or the click was on the second place of a row that has two. */
  open(row: number, aside: boolean, second: boolean): void;
  sorted(sort: Sort): void;
  /** Space, or a click on the row's checkbox. Undefined: rows have none. */
  readonly toggled?: (row: number) => void;
  /** Undefined: rows are no functions. */
  readonly functions?: FunctionEvents;
  /** A menu was asked for, at a place of the window. Undefined: there is none. */
  readonly menu?: (row: number, place: { readonly x: number; readonly y: number }) => void;
}

/** What is done with the function of a row. */
export interface FunctionEvents {
  copy(row: number): void;
  copyStack(row: number): void;
  hide(row: number): void;
  callers(row: number): void;
  /** Undefined: stacks cannot be changed here. */
  readonly transform: ((row: number, action: FunctionAction) => void) | undefined;
}

interface RowElements {
  readonly row: HTMLElement;
  readonly cells: readonly HTMLElement[];
}

/** The rows in `order`, sorted; equal ones keep the engine's order. */
export function sortedRows(order: Uint32Array, columns: readonly TableColumn[], sort: Sort): Uint32Array {
  const column = columns.find(({ id }) => id === sort.column);
  if (!column) return order.slice();
  const sign = sort.descending ? -1 : 1;
  return order.slice().sort((a, b) => sign * column.compare(a, b) || a - b);
}

/** Puts rows in order, as `sortedRows` does. */
export type Arrange = (rows: Uint32Array, columns: readonly TableColumn[], sort: Sort) => Uint32Array;

export class VirtualTable {
  readonly #head: HTMLElement;
  readonly #body = rendered(html`<div class="table-body" role="rowgroup"></div>`);
  readonly #scroller: HTMLElement;
  readonly #empty: HTMLElement;
  readonly element: HTMLElement;
  readonly #id: string;
  readonly #columns: readonly TableColumn[];
  readonly #events: TableEvents;
  readonly #arrange: Arrange;
  readonly #headers = new Map<string, HTMLElement>();
  readonly #pool: RowElements[] = [];
  #order: Uint32Array; // rows shown, in order
  #visible: Uint32Array; // rows that the filter lets through
  #sort: Sort;
  #selected = -1; // row
  #frame = 0;

  constructor(setup: {
    id: string;
    label: string;
    count: number;
    columns: readonly TableColumn[];
    sort: Sort;
    emptyText: string;
    arrange?: Arrange;
    events: TableEvents;
  }) {
    this.#id = setup.id;
    this.#columns = setup.columns;
    this.#events = setup.events;
    this.#arrange = setup.arrange ?? sortedRows;
    this.#sort = setup.sort;
    this.#visible = Uint32Array.from({ length: setup.count }, (_, row) => row);
    this.#order = this.#visible;
    for (const column of setup.columns) this.#headers.set(column.id, this.#headerOf(column));
    this.#empty = rendered(html`<div class="table-empty" hidden>${setup.emptyText}</div>`);
    this.#head = rendered(
      html`<div class="table-head" role="row" aria-rowindex="1">${[...this.#headers.values()]}</div>`,
    );
    this.#scroller = rendered(html`
      <div class="table-scroller"><div role="rowgroup" class="table-heads">${this.#head}</div>${this.#body}${this.#empty}</div>`);
    this.element = rendered(html`
      <div class="table ${setup.id}" role="grid" tabindex="0" aria-label=${setup.label} aria-colcount=${setup.columns.length}
        >${this.#scroller}</div>`);
    this.#listen();
    this.#rearrange();
  }

  get sort(): Sort {
    return this.#sort;
  }

  /** Shows the given rows only; undefined shows all `count`. */
  setVisible(rows: Uint32Array) {
    this.#visible = rows;
    this.#rearrange();
    this.#scroller.scrollTop = 0;
  }

  /** Selects a row without telling anyone, and brings it into view. -1 selects none. */
  select(row: number) {
    this.#selected = row;
    const at = this.#order.indexOf(row);
    if (at >= 0) this.#bringIntoView(at);
    this.draw();
  }

  /** Selects a row where it is. */
  keepSelected(row: number) {
    this.#selected = row;
    this.draw();
  }

  get scrollTop(): number {
    return this.#scroller.scrollTop;
  }
  set scrollTop(pixels: number) {
    this.#scroller.scrollTop = pixels;
  }

  draw() {
    this.#frame ||= requestAnimationFrame(() => this.#drawNow());
  }

  #headerOf(column: TableColumn): HTMLElement {
    return rendered(html`
      <div role="columnheader" class=${cellClass(column)} aria-sort="none"
        ><button type="button" title=${column.hint} tabindex="-1" @click=${() => this.#sortBy(column)}
          >${column.title}${icon(icons.down)}</button></div>`);
  }

  #sortBy(column: TableColumn) {
    const again = this.#sort.column === column.id;
    this.#sort = { column: column.id, descending: again ? !this.#sort.descending : column.numeric };
    this.#rearrange();
    this.#scroller.scrollTop = 0;
    this.#events.sorted(this.#sort);
  }

  #rearrange() {
    this.#order = this.#arrange(this.#visible, this.#columns, this.#sort);
    for (const [id, header] of this.#headers) {
      const here = id === this.#sort.column;
      header.setAttribute('aria-sort', here ? (this.#sort.descending ? 'descending' : 'ascending') : 'none');
    }
    this.element.setAttribute('aria-rowcount', String(this.#order.length + 1));
    this.#body.style.height = `${this.#order.length * TABLE_ROW_HEIGHT}px`;
    this.#empty.hidden = this.#order.length > 0;
    this.draw();
  }

  #drawNow() {
    this.#frame = 0;
    const { scrollTop, clientHeight } = this.#scroller;
    const first = Math.max(0, Math.floor(scrollTop / TABLE_ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(this.#order.length, Math.ceil((scrollTop + clientHeight) / TABLE_ROW_HEIGHT) + SPARE_ROWS);
    let used = 0;
    for (let at = first; at < last; at++) this.#fillRow(this.#rowElements(used++), at);
    for (let spare = used; spare < this.#pool.length; spare++) this.#pool[spare]!.row.hidden = true;
    const at = this.#order.indexOf(this.#selected);
    if (at >= first && at < last) this.element.setAttribute('aria-activedescendant', this.#rowId(this.#selected));
    else this.element.removeAttribute('aria-activedescendant');
  }

  #fillRow({ row: shown, cells }: RowElements, at: number) {
    const row = this.#order[at]!;
    shown.hidden = false;
    shown.id = this.#rowId(row);
    shown.dataset.row = String(row);
    shown.style.transform = `translateY(${at * TABLE_ROW_HEIGHT}px)`;
    shown.setAttribute('aria-rowindex', String(at + 2));
    shown.setAttribute('aria-selected', String(row === this.#selected));
    for (const [i, column] of this.#columns.entries()) column.fill(cells[i]!, row);
  }

  #rowElements(index: number): RowElements {
    const known = this.#pool[index];
    if (known) return known;
    const cells = this.#columns.map((column) => rendered(html`<div role="gridcell" class=${cellClass(column)}></div>`));
    const made = { row: rendered(html`<div role="row" class="table-row">${cells}</div>`), cells };
    this.#body.append(made.row);
    this.#pool.push(made);
    return made;
  }

  #rowId(row: number): string {
    return `${this.#id}-${row}`;
  }

  #listen() {
    this.#scroller.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.#scroller);
    this.#body.addEventListener('click', (event) => {
      const row = rowUnder(event);
      if (row === undefined) return;
      this.#choose(row);
      const ticked = event.target instanceof Element && event.target.closest('[role=checkbox]');
      if (ticked && this.#events.toggled) this.#events.toggled(row);
      else this.#events.open(row, event.altKey, isOnSecondPlace(event));
    });
    this.element.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      const row = rowUnder(event);
      if (row === undefined || !this.#events.menu) return;
      this.element.focus({ preventScroll: true });
      this.#choose(row);
      this.#events.menu(row, { x: event.clientX, y: event.clientY });
    });
    this.element.addEventListener('keydown', (event) => {
      if (this.#act(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
  }

  #choose(row: number) {
    this.#selected = row;
    this.draw();
    this.#events.selected(row);
  }

  #act(event: KeyboardEvent): boolean {
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / TABLE_ROW_HEIGHT) - 2);
    const command = event.ctrlKey || event.metaKey;
    const { functions, menu, toggled } = this.#events;
    const act = functions && functionKey(event, functions);
    if (act) return this.#withSelected(act);
    if (toggled && event.key === ' ') return this.#withSelected(toggled);
    if (menu && isMenuKey(event)) return this.#withSelected((row) => menu(row, this.#menuPlace(row)));
    if (event.key === 'F12' || event.key === 'Enter') {
      return this.#withSelected((row) => this.#events.open(row, event.altKey, event.shiftKey));
    }
    const steps: Record<string, number> = {
      ArrowDown: SMALL_STEP,
      ArrowUp: -SMALL_STEP,
      PageDown: page,
      PageUp: -page,
      Home: -this.#order.length,
      End: this.#order.length,
    };
    const step = steps[event.key];
    if (step === undefined || command || event.altKey || this.#order.length === 0) return false;
    const from = this.#order.indexOf(this.#selected);
    const to = from < 0 ? 0 : Math.min(this.#order.length - 1, Math.max(0, from + step));
    this.#bringIntoView(to);
    this.#choose(this.#order[to]!);
    return true;
  }

  #withSelected(act: (row: number) => void): boolean {
    if (this.#selected < 0) return false;
    act(this.#selected);
    return true;
  }

  #menuPlace(row: number) {
    const shown = this.#pool.find((one) => !one.row.hidden && one.row.dataset.row === String(row));
    const { left, top, bottom } = (shown?.row ?? this.element).getBoundingClientRect();
    return { x: left + TABLE_ROW_HEIGHT, y: shown ? bottom : top + TABLE_ROW_HEIGHT };
  }

  #bringIntoView(at: number) {
    const top = at * TABLE_ROW_HEIGHT;
    const room = this.#scroller.clientHeight - this.#head.offsetHeight - TABLE_ROW_HEIGHT;
    if (top < this.#scroller.scrollTop) this.#scroller.scrollTop = top;
    else if (top > this.#scroller.scrollTop + room) this.#scroller.scrollTop = top - room;
  }
}

/** What a key does with the function of the selected row; undefined: nothing. */
function functionKey(event: KeyboardEvent, functions: FunctionEvents): ((row: number) => void) | undefined {
  const { copy, copyStack, hide, callers, transform } = functions;
  const action = transform && functionAction(event);
  if (action) return (row) => transform(row, action);
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) return key === 'c' ? (event.shiftKey ? copyStack : copy) : undefined;
  if (event.altKey) return undefined;
  return key === 'h' ? hide : key === 'c' ? callers : undefined;
}

const cellClass = ({ id, numeric, isSecondPlace }: TableColumn): string =>
  `cell cell-${id}${numeric ? ' numeric' : ''}${isSecondPlace ? ' second-place' : ''}`;

const isOnSecondPlace = ({ target }: Event): boolean => target instanceof Element && !!target.closest('.second-place');

function rowUnder(event: Event): number | undefined {
  const row =
    event.target instanceof Element ? event.target.closest<HTMLElement>('.table-row')?.dataset.row : undefined;
  return row === undefined ? undefined : Number(row);
}
