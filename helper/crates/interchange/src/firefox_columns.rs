//! The tables of a Firefox Profiler file: parallel lists, in each thread or, in newer versions, shared by all of them.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use crate::json::{List, NUMBERS_MAX, RECORDS_MAX, too_many};

/// Numbers of all lists of a file together: 4 or 8 bytes each.
const ALL_NUMBERS_MAX: usize = 48_000_000;

#[derive(Deserialize)]
pub struct File<'a> {
    pub meta: Meta,
    #[serde(borrow, default)]
    pub libs: List<Lib<'a>, RECORDS_MAX>,
    #[serde(borrow, default)]
    pub shared: Option<Shared<'a>>,
    #[serde(borrow)]
    pub threads: Threads<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    #[serde(default)]
    pub preprocessed_profile_version: u32,
    #[serde(default)]
    pub sample_units: Option<SampleUnits>,
}

#[derive(Deserialize)]
pub struct SampleUnits {
    #[serde(rename = "threadCPUDelta", default)]
    pub cpu: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lib<'a> {
    #[serde(borrow, default)]
    pub path: Cow<'a, str>,
    #[serde(borrow, default)]
    pub breakpad_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub code_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared<'a> {
    #[serde(borrow, default)]
    pub string_array: Option<Texts<'a>>,
    pub stack_table: Option<StackTable>,
    pub frame_table: Option<FrameTable>,
    pub func_table: Option<FuncTable>,
    pub resource_table: Option<ResourceTable>,
    pub sources: Option<Sources>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread<'a> {
    #[serde(borrow, default)]
    pub name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub process_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub pid: Option<Id<'a>>,
    #[serde(borrow, default)]
    pub tid: Option<Id<'a>>,
    pub samples: Samples,
    #[serde(borrow, default)]
    pub string_array: Option<Texts<'a>>,
    pub stack_table: Option<StackTable>,
    pub frame_table: Option<FrameTable>,
    pub func_table: Option<FuncTable>,
    pub resource_table: Option<ResourceTable>,
}

pub type Texts<'a> = List<Text<'a>, RECORDS_MAX>;

#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// A number, or a text that begins with one.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Id<'a> {
    Number(f64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Samples {
    #[serde(default)]
    pub stack: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub weight: List<Number, NUMBERS_MAX>,
    #[serde(default)]
    pub weight_type: Option<WeightType>,
    #[serde(rename = "threadCPUDelta", default)]
    pub cpu: List<Number, NUMBERS_MAX>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "kebab-case")]
pub enum WeightType {
    #[default]
    Samples,
    TracingMs,
    Bytes,
}

#[derive(Deserialize)]
pub struct StackTable {
    pub frame: List<Index, NUMBERS_MAX>,
    pub prefix: List<Index, NUMBERS_MAX>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTable {
    pub func: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub address: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub inline_depth: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub line: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub column: List<Index, NUMBERS_MAX>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FuncTable {
    pub name: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub resource: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub file_name: List<Index, NUMBERS_MAX>,
    /// Instead of the file's name, in newer versions.
    #[serde(default)]
    pub source: List<Index, NUMBERS_MAX>,
    #[serde(default)]
    pub line_number: List<Index, NUMBERS_MAX>,
}

#[derive(Deserialize)]
pub struct ResourceTable {
    #[serde(default)]
    pub lib: List<Index, NUMBERS_MAX>,
}

#[derive(Deserialize)]
pub struct Sources {
    pub filename: List<Index, NUMBERS_MAX>,
}

/// A number from 0, or none: `null` or -1. In four bytes, for there are many.
#[derive(Clone, Copy)]
pub struct Index(u32);

impl Index {
    pub fn get(self) -> Option<u32> {
        (self.0 != u32::MAX).then_some(self.0)
    }
}

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Index, D::Error> {
        match Option::<i64>::deserialize(deserializer)? {
            None | Some(-1) => Ok(Index(u32::MAX)),
            Some(number) => match u32::try_from(number) {
                Ok(number) if number < u32::MAX => Ok(Index(number)),
                _ => Err(de::Error::custom(format!(
                    "{number} where a number from 0 to 2^32 is expected"
                ))),
            },
        }
    }
}

/// `null` is 0.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        Option::<f64>::deserialize(deserializer).map(|number| Number(number.unwrap_or(0.0)))
    }
}

/// The value of a column at a row, `None` where it has none.
pub fn at<const MAX: usize>(column: &List<Index, MAX>, row: u32) -> Option<u32> {
    column.0.get(row as usize)?.get()
}

/// All of them together are bounded as one is.
pub struct Threads<'a>(pub Vec<Thread<'a>>);

impl Thread<'_> {
    /// In numbers of four bytes.
    fn size(&self) -> usize {
        let texts = self
            .string_array
            .as_ref()
            .map_or(0, |texts| 6 * texts.0.len());
        let stacks = self
            .stack_table
            .as_ref()
            .map_or(0, |table| 2 * table.frame.0.len());
        let frames = self
            .frame_table
            .as_ref()
            .map_or(0, |table| 5 * table.func.0.len());
        let functions = self
            .func_table
            .as_ref()
            .map_or(0, |table| 5 * table.name.0.len());
        let samples = &self.samples;
        let values = samples.stack.0.len() + 2 * (samples.weight.0.len() + samples.cpu.0.len());
        128 + texts + stacks + frames + functions + values
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Threads<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Vec<Thread<'de>>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of threads")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let (mut threads, mut size) = (Vec::<Thread>::new(), 0);
                while let Some(thread) = list.next_element::<Thread>()? {
                    size += thread.size();
                    if size > ALL_NUMBERS_MAX {
                        return Err(too_many(ALL_NUMBERS_MAX));
                    }
                    threads.push(thread);
                }
                Ok(threads)
            }
        }
        deserializer.deserialize_seq(List).map(Threads)
    }
}
