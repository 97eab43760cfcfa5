//! The stable JSON of `diff`, in both forms. Values are per what `unit` says; a number that cannot be said is null.

use analysis::{Amount, ComparedRow, Comparison, Normalisation, side_facts};
use serde::Serialize;
use serde_json::Value;

use crate::diff_sides::Sides;
use crate::json_flags::Schema;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Diff<'a> {
    schema: u32,
    sentence: &'a str,
    base: u64,
    new: u64,
    /// Null, as every count: the files do not say.
    total_samples: Option<u64>,
    /// Form 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_cpu_ns: Option<u64>,
    /// Form 2: what is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<&'a str>,
    lost_samples: u64,
    base_samples: Option<u64>,
    new_samples: Option<u64>,
    verdict: &'a str,
    change: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    unit: String,
    smallest_detectable: Option<f64>,
    matched_share: f64,
    method: &'a str,
    /// In words; absent: everything.
    #[serde(skip_serializing_if = "str::is_empty")]
    selection: &'a str,
    /// Of parts of one run: what the base and the new side are called in sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    sides: Option<[&'static str; 2]>,
    warnings: Vec<String>,
    base_executions: Vec<Execution>,
    new_executions: Vec<Execution>,
    facts: Vec<Fact<'a>>,
    #[serde(flatten)]
    rows: Rows<'a>,
}

/// The name of the variant is the key of the rows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Rows<'a> {
    Functions(Vec<Row<'a>>),
    Lines(Vec<Row<'a>>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Execution {
    wall_ns: u64,
    user_ns: u64,
    system_ns: u64,
    /// Null: unknown.
    work: Option<f64>,
    samples: u64,
    warm_up: bool,
    value: f64,
}

/// What is known of both sides, such as their kernel.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fact<'a> {
    what: &'a str,
    base: &'a str,
    new: &'a str,
    differs: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    module: &'a str,
    file: &'a str,
    line: u32,
    base_line: u32,
    base: u64,
    new: u64,
    change: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    difference_low: Option<f64>,
    difference_high: Option<f64>,
    q_value: Option<f64>,
    verdict: &'a str,
    /// What the verdict and the figures above are about: "self" or "total".
    about: &'a str,
    #[serde(rename = "self")]
    self_: Effect,
    total: Effect,
    note: &'a str,
    contribution: Option<f64>,
    base_self: u64,
    new_self: u64,
    base_total: u64,
    new_total: u64,
    base_samples: Option<u64>,
    new_samples: Option<u64>,
    self_samples: Option<u64>,
    total_samples: Option<u64>,
    /// Form 1, as the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    self_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_ns: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Effect {
    change: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    p_value: Option<f64>,
    q_value: Option<f64>,
    verdict: &'static str,
    /// Of each side, for a test of a row with too few samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_executions: Option<u64>,
}

/// A comparison, and the form in which it is asked for.
pub struct JsonDiff<'a> {
    pub comparison: &'a Comparison,
    pub sides: &'a Sides,
    pub schema: Schema,
}

impl JsonDiff<'_> {
    pub fn functions(&self, rows: &[ComparedRow]) -> Value {
        self.object(Rows::Functions(self.rows(rows)))
    }

    pub fn lines(&self, rows: &[ComparedRow]) -> Value {
        self.object(Rows::Lines(self.rows(rows)))
    }

    fn object(&self, rows: Rows) -> Value {
        let comparison = self.comparison;
        let (base, new) = (comparison.base_total(), comparison.new_total());
        let lost = |side: &analysis::Analyzed| profile::summarize(side.profile()).lost;
        let whole = comparison.whole();
        let [base_runs, new_runs] = comparison.executions();
        let facts = side_facts(comparison);
        crate::json::object(&Diff {
            schema: self.schema.number(),
            sentence: &whole.sentence,
            base: base.value,
            new: new.value,
            total_samples: self.samples_of_both([base, new]),
            total_cpu_ns: self.in_form_1(base.value + new.value),
            measure: (self.schema == Schema::Two).then(|| comparison.value_name()),
            lost_samples: lost(comparison.base()) + lost(comparison.new_run()),
            base_samples: comparison.known_samples(base),
            new_samples: comparison.known_samples(new),
            verdict: whole.verdict.word(),
            change: number(whole.change),
            low: number(whole.low),
            high: number(whole.high),
            unit: format!("{} per {}", comparison.unit(), per_word(comparison)),
            smallest_detectable: number(whole.smallest_detectable),
            matched_share: comparison.matched_share(),
            method: &whole.method,
            selection: &self.sides.selection,
            sides: (self.sides.is_of_parts).then(|| comparison.names().words()),
            warnings: comparison.warnings(),
            base_executions: executions(&base_runs),
            new_executions: executions(&new_runs),
            facts: (facts.iter())
                .map(|fact| Fact {
                    what: fact.what,
                    base: &fact.base,
                    new: &fact.new,
                    differs: fact.differs(),
                })
                .collect(),
            rows,
        })
    }

    fn rows<'b>(&self, rows: &'b [ComparedRow]) -> Vec<Row<'b>> {
        rows.iter().map(|row| self.row(row)).collect()
    }

    fn row<'b>(&self, row: &'b ComparedRow) -> Row<'b> {
        let [base, new] = row.measured();
        let effect = row.effect();
        Row {
            name: &row.name,
            module: &row.module,
            file: &row.file,
            line: row.line,
            base_line: row.base_line,
            base: base.value,
            new: new.value,
            change: number(effect.change),
            low: number(effect.low),
            high: number(effect.high),
            difference_low: number(effect.difference_low),
            difference_high: number(effect.difference_high),
            q_value: number(effect.q),
            verdict: row.verdict.word(),
            about: if row.about_self { "self" } else { "total" },
            self_: (&row.effects.self_).into(),
            total: (&row.effects.total).into(),
            note: &row.note,
            contribution: number(row.contribution),
            base_self: row.base.self_.value,
            new_self: row.new.self_.value,
            base_total: row.base.total.value,
            new_total: row.new.total.value,
            base_samples: self.comparison.known_samples(base),
            new_samples: self.comparison.known_samples(new),
            self_samples: self.samples_of_both([row.base.self_, row.new.self_]),
            total_samples: self.samples_of_both([row.base.total, row.new.total]),
            self_ns: self.in_form_1(row.new.self_.value),
            total_ns: self.in_form_1(row.new.total.value),
        }
    }

    fn samples_of_both(&self, amounts: [Amount; 2]) -> Option<u64> {
        let [base, new] = amounts.map(|amount| self.comparison.known_samples(amount));
        Some(base? + new?)
    }

    fn in_form_1(&self, value: u64) -> Option<u64> {
        (self.schema == Schema::One).then_some(value)
    }
}

/// The unit's name in this JSON, which stays although texts for people say "execution".
fn per_word(comparison: &Comparison) -> &str {
    match comparison.normalisation() {
        Normalisation::Run => "run",
        _ => comparison.per(),
    }
}

fn executions(executions: &[(analysis::Execution, f64)]) -> Vec<Execution> {
    (executions.iter())
        .map(|&(one, value)| Execution {
            wall_ns: one.wall_ns,
            user_ns: one.user_ns,
            system_ns: one.system_ns,
            work: (one.work > 0.0).then_some(one.work),
            samples: one.samples,
            warm_up: one.warm_up,
            value,
        })
        .collect()
}

impl From<&analysis::Effect> for Effect {
    fn from(effect: &analysis::Effect) -> Effect {
        Effect {
            change: number(effect.change),
            low: number(effect.low),
            high: number(effect.high),
            p_value: number(effect.p),
            q_value: number(effect.q),
            verdict: effect.verdict.word(),
            missing_executions: (effect.missing_executions > 0)
                .then_some(effect.missing_executions),
        }
    }
}

/// Six digits are more than any of these is known to, and the same on every machine.
fn number(number: f64) -> Option<f64> {
    if !number.is_finite() {
        return None;
    }
    format!("{number:.5e}").parse().ok()
}
