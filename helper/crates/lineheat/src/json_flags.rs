//! Whether a command prints JSON, and in which form.

use clap::ValueEnum;

#[derive(clap::Args, Clone, Default)]
pub struct JsonFlags {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Version of the JSON object: 1 has selfNs and totalNs whatever the unit, 2 has self and total and names measure and unit
    #[arg(long, value_name = "N", value_enum, default_value_t, requires = "json")]
    pub schema: Schema,
}

/// Additions to a form are allowed; a change of meaning makes a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Schema {
    #[default]
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
}

impl Schema {
    pub fn number(self) -> u32 {
        match self {
            Schema::One => 1,
            Schema::Two => 2,
        }
    }
}
