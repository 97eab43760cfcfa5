// A measure of the engine as texts and pages have it.
import { visibleText } from '../../../core/foreignText.ts';
import { familyOf, type ShownMeasure } from '../../../core/measureText.ts';
import type { ValueType } from '../../../core/wire.ts';

export const shownMeasure = ({ type, unit, family, complete, detail }: ValueType): ShownMeasure => ({
  type: visibleText(type),
  unit: visibleText(unit),
  family: familyOf(family),
  isComplete: complete,
  isDetail: detail,
});
