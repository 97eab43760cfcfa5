// Which request for a timeline is which.
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';

/** The same for a request that has come back with its properties in another order. */
export const requestKey = ({
  fromNs,
  toNs,
  columns,
  first,
  count,
  order,
  tinted,
  value,
}: ShownTimelineRequest): string =>
  JSON.stringify([fromNs, toNs, columns, first, count, order, tinted?.name, tinted?.module, value]);
