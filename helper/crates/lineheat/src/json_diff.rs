//! The stable JSON of `diff`. Values are per run; intervals and q-values are null until they are computed.

use analysis::{ComparedRow, Comparison};
use serde_json::{Value, json};

use crate::diff_text::measured;
use crate::json_report::SCHEMA;

/// `rows_name`: "functions" or "lines".
pub fn object(comparison: &Comparison, rows: &[ComparedRow], rows_name: &str) -> Value {
    let (base, new) = (comparison.base_total(), comparison.new_total());
    let lost = |side: &analysis::Analyzed| profile::summarize(side.profile()).lost;
    let mut object = json!({
        "schema": SCHEMA,
        "base": base.value,
        "new": new.value,
        "totalSamples": base.samples + new.samples,
        "totalCpuNs": base.value + new.value,
        "lostSamples": lost(comparison.base()) + lost(comparison.new_run()),
        "baseSamples": base.samples,
        "newSamples": new.samples,
        "verdict": comparison.verdict().word(),
        "change": change(base.value, new.value),
        "low": null,
        "high": null,
        "unit": format!("{} per run", comparison.unit()),
        "smallestDetectable": null,
        "matchedShare": comparison.matched_share(),
        "warnings": comparison.warnings(),
    });
    object[rows_name] = rows.iter().map(entry).collect();
    object
}

fn entry(row: &ComparedRow) -> Value {
    let [base, new] = measured(row);
    json!({
        "name": row.name,
        "module": row.module,
        "file": row.file,
        "line": row.line,
        "baseLine": row.base_line,
        "base": base.value,
        "new": new.value,
        "change": change(base.value, new.value),
        "low": null,
        "high": null,
        "qValue": null,
        "verdict": row.verdict.word(),
        "about": if row.about_self { "self" } else { "total" },
        "baseSelf": row.base.self_.value,
        "newSelf": row.new.self_.value,
        "baseTotal": row.base.total.value,
        "newTotal": row.new.total.value,
        "baseSamples": base.samples,
        "newSamples": new.samples,
        "selfSamples": row.base.self_.samples + row.new.self_.samples,
        "totalSamples": row.base.total.samples + row.new.total.samples,
        "selfNs": row.new.self_.value,
        "totalNs": row.new.total.value,
    })
}

/// Relative; null when there is nothing to relate to.
fn change(base: u64, new: u64) -> Value {
    match base {
        0 => Value::Null,
        base => json!(new as f64 / base as f64 - 1.0),
    }
}
