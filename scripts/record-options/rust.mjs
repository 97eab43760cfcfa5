// What the engine needs to know of record options, as Rust: the plain values of a recording, the flags of the command line,
// and how a request is read. The texts are as rustfmt would leave them.
import { commands, flagsOn, literal, madeFrom, wireFields } from './table.mjs';

const rustType = { count: 'u32', switch: 'bool', seconds: 'Option<Duration>' };
/** Its name among the plain values: a duration has no unit in its name. */
const choice = ({ field }) => field.replace(/_s$/, '');
const identifier = (name) => name.replaceAll('-', '_');
const list = (names) => (names.length === 1 ? names[0] : `{${names.join(', ')}}`);

/** @returns {string} helper/crates/recorder/src/choices.rs */
export function choicesText(options) {
  const plain = options.filter(({ isCode }) => !isCode);
  const field = (option) => `    /// ${option.means}\n    pub ${choice(option)}: ${rustType[option.type]},\n`;
  const usual = (option) =>
    option.type === 'seconds' ? 'None' : option.type === 'count' ? literal(option.default) : option.default;
  const counts = plain.filter(({ type }) => type === 'count');
  return `//! What is chosen of a recording by a plain value.
//!
//! ${madeFrom}

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
${plain.map(field).join('')}}

impl Choices {
${counts.map(({ field, max }) => `    pub const ${field.toUpperCase()}_MAX: u32 = ${literal(max)};\n`).join('')}}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
${plain.map((option) => `            ${choice(option)}: ${usual(option)},\n`).join('')}        }
    }
}
`;
}

/** @returns {string} helper/crates/serve/src/requested_choices.rs */
export function requestText(options) {
  const sent = options.filter(({ isCode, wire }) => wire && !isCode);
  const read = (option) => {
    const [{ field, isNegated }] = wireFields(option);
    if (option.type === 'switch') return `${isNegated ? '!' : ''}request.${field}`;
    if (option.type === 'seconds') return `seconds(request.${field})?`;
    return `count(request.${field}, ${choice(option)})?`;
  };
  const bounds = ({ default: usual, min, max, refusal }) => `Counted {
        usual: ${literal(usual)},
        min: ${literal(min)},
        max: ${literal(max)},
        refusal: ${JSON.stringify(refusal)},
    }`;
  const counts = sent.filter(({ type }) => type === 'count');
  return `//! The plain values of a recording that a request asks for.
//!
//! ${madeFrom}

use recorder::Choices;
use wire::RecordRequest;

use super::failure::Failure;
use super::requested_values::{Counted, count, seconds};

pub fn choices(request: &RecordRequest) -> Result<Choices, Failure> {
${counts.map((option) => `    let ${choice(option)} = ${bounds(option)};\n`).join('')}    Ok(Choices {
${sent.map((option) => `        ${choice(option)}: ${read(option)},\n`).join('')}        ..Choices::default()
    })
}
`;
}

/** @returns {string} helper/crates/lineheat/src/record_option_flags.rs */
export function flagsText(options) {
  const groups = { all: 'RecordFlags', ...commands };
  const structs = Object.entries(groups).map(([command, name]) =>
    flagsStruct(name, command, flagsOn(options, command)),
  );
  const code = structs.join('\n');
  const own = ['TimersOf', 'seconds', 'units'].filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return `//! Flags of the commands that record: \`RecordFlags\` of each, and those that only one has.
//!
//! ${madeFrom}

use std::time::Duration;

use recorder::{Choices, work_expression};
use regex::bytes::Regex;

use crate::record_flag_values::${list(own)};

${code}`;
}

function flagsStruct(name, command, flags) {
  if (flags.length === 0) return '';
  const plain = flags.filter(({ option, rust }) => !option.isCode && !rust);
  const value = ({ option, name: flag, isNegated }) =>
    `${choice(option)}: ${isNegated ? '!' : ''}self.${identifier(flag)}`;
  const struct = `${command === 'all' ? '' : `// Of \`lineheat ${command}\` only.\n`}#[derive(clap::Args, Clone)]
pub struct ${name} {
${flags.map(flagField).join('')}}
`;
  if (plain.length === 0) return struct;
  const values = (rest) => `        Choices {
${plain.map((flag) => `            ${value(flag)},\n`).join('')}            ${rest}
        }
`;
  const body =
    command === 'all'
      ? `    pub fn choices(&self) -> Choices {\n${values('..Choices::default()')}    }\n`
      : `    /// Those of all commands with these.\n    pub fn choices(&self, all: &RecordFlags) -> Choices {\n${values('..all.choices()')}    }\n`;
  return `${struct}\nimpl ${name} {\n${body}}\n`;
}

function flagField(flag) {
  const { option, name, help, rust } = flag;
  const comment = help.split('\n').map((line) => `    /// ${line}\n`);
  const type = rust ?? rustType[option.type];
  return `${comment.join('')}    ${attribute(flag)}\n    pub ${identifier(name)}: ${type},\n`;
}

function attribute(flag) {
  const { option, value, rust, parser, group, conflictsWith = [] } = flag;
  const words = ['long'];
  if (value) words.push(`value_name = "${value}"`);
  if (option.type === 'count' && !rust) words.push(`default_value_t = ${literal(option.default)}`);
  if (parser) words.push(`value_parser = ${parser}`);
  else if (option.type === 'count')
    words.push(`value_parser = clap::value_parser!(u32).range(${literal(option.min)}..=${literal(option.max)})`);
  else if (option.type === 'seconds') words.push('value_parser = seconds');
  if (group) words.push(`group = "${group}"`);
  if (conflictsWith.length === 1) words.push(`conflicts_with = "${conflictsWith[0]}"`);
  if (conflictsWith.length > 1)
    words.push(`conflicts_with_all = [${conflictsWith.map((name) => `"${name}"`).join(', ')}]`);
  const line = words.join(', ');
  // rustfmt breaks a list that is longer, unless it holds an expression.
  const isPlain = words.every((word) => /^long$|= ("[^"]*"|\d[\d_]*)$/.test(word));
  return isPlain && line.length > 70
    ? `#[arg(\n${words.map((word) => `        ${word},\n`).join('')}    )]`
    : `#[arg(${line})]`;
}
