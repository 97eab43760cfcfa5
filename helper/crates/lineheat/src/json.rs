//! `--json`: what a command prints, as typed structs. Keys are printed sorted, whatever the order of the fields, and a number that is NaN or infinite as null.

use serde::Serialize;
use serde_json::Value;

/// Of objects that have one form only.
pub const SCHEMA: u32 = 1;

pub fn object(fields: &impl Serialize) -> Value {
    serde_json::to_value(fields).expect("every key is text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_a_number_that_json_has_not_is_null() {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields {
            wall_ns: f64,
            absent: Option<u64>,
            share: f64,
            best: f64,
        }
        let fields = Fields {
            wall_ns: 0.5,
            absent: None,
            share: f64::NAN,
            best: f64::INFINITY,
        };
        assert_eq!(
            object(&fields).to_string(),
            r#"{"absent":null,"best":null,"share":null,"wallNs":0.5}"#
        );
    }
}
