//! The stable JSON of `diff`. Values are per what `unit` says; a number that cannot be said is null.

use analysis::{ComparedRow, Comparison, Effect, Execution, side_facts};
use serde_json::{Value, json};

use crate::json_report::SCHEMA;

/// `rows_name`: "functions" or "lines".
pub fn object(comparison: &Comparison, rows: &[ComparedRow], rows_name: &str) -> Value {
    let (base, new) = (comparison.base_total(), comparison.new_total());
    let lost = |side: &analysis::Analyzed| profile::summarize(side.profile()).lost;
    let whole = comparison.whole();
    let [base_runs, new_runs] = comparison.executions();
    let facts = side_facts(comparison);
    let mut object = json!({
        "schema": SCHEMA,
        "sentence": whole.sentence,
        "base": base.value,
        "new": new.value,
        "totalSamples": base.samples + new.samples,
        "totalCpuNs": base.value + new.value,
        "lostSamples": lost(comparison.base()) + lost(comparison.new_run()),
        "baseSamples": base.samples,
        "newSamples": new.samples,
        "verdict": whole.verdict.word(),
        "change": number(whole.change),
        "low": number(whole.low),
        "high": number(whole.high),
        "unit": format!("{} per {}", comparison.unit(), comparison.per()),
        "smallestDetectable": number(whole.smallest_detectable),
        "matchedShare": comparison.matched_share(),
        "method": whole.method,
        "warnings": comparison.warnings(),
        "baseExecutions": executions(&base_runs),
        "newExecutions": executions(&new_runs),
        "facts": facts.iter().map(|fact| json!({
            "what": fact.what, "base": fact.base, "new": fact.new, "differs": fact.differs(),
        })).collect::<Vec<Value>>(),
    });
    object[rows_name] = rows.iter().map(entry).collect();
    object
}

fn executions(executions: &[(Execution, f64)]) -> Value {
    (executions.iter())
        .map(|(one, value)| {
            json!({
                "wallNs": one.wall_ns,
                "userNs": one.user_ns,
                "systemNs": one.system_ns,
                "work": if one.work > 0.0 { json!(one.work) } else { Value::Null },
                "samples": one.samples,
                "warmUp": one.warm_up,
                "value": value,
            })
        })
        .collect()
}

fn entry(row: &ComparedRow) -> Value {
    let [base, new] = row.measured();
    let effect = row.effect();
    json!({
        "name": row.name,
        "module": row.module,
        "file": row.file,
        "line": row.line,
        "baseLine": row.base_line,
        "base": base.value,
        "new": new.value,
        "change": number(effect.change),
        "low": number(effect.low),
        "high": number(effect.high),
        "differenceLow": number(effect.difference_low),
        "differenceHigh": number(effect.difference_high),
        "qValue": number(effect.q),
        "verdict": row.verdict.word(),
        "about": if row.about_self { "self" } else { "total" },
        "self": effect_of(&row.effects.self_),
        "total": effect_of(&row.effects.total),
        "note": row.note,
        "contribution": number(row.contribution),
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

fn effect_of(effect: &Effect) -> Value {
    json!({
        "change": number(effect.change),
        "low": number(effect.low),
        "high": number(effect.high),
        "pValue": number(effect.p),
        "qValue": number(effect.q),
        "verdict": effect.verdict.word(),
    })
}

/// JSON has no NaN. Six digits are more than any of these is known to, and the same on every machine.
fn number(number: f64) -> Value {
    if !number.is_finite() {
        return Value::Null;
    }
    format!("{number:.5e}")
        .parse()
        .map_or(Value::Null, |rounded: f64| json!(rounded))
}
