// The part of protocol/wire.proto that the table of record options makes: the last fields of RecordRequest.
import { wireFields } from './table.mjs';

const SECTION = /(\n {2}\/\/ What a user chooses: made from record-options[.]json .*\n)((?: {2}\S.*\n)*)(\})/;

/** @returns {string} the contract with these options */
export function contractText(options, contract) {
  if (!SECTION.test(contract)) throw new Error('protocol/wire.proto has no section for record-options.json.');
  const fields = options.flatMap(wireFields).sort((a, b) => a.number - b.number);
  const declared = fields.map(({ type, field, number }) => `${type} ${field} = ${number};`);
  const width = Math.max(...declared.map(({ length }) => length));
  const lines = fields.map(({ comment }, at) => `  ${declared[at].padEnd(width)}  // ${comment}\n`);
  return contract.replace(SECTION, (_, head, __, end) => head + lines.join('') + end);
}
