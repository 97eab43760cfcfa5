//! Measures as the contract has them.

use profile::{Family, MeasureInfo, Nature};
use wire::ValueType;
use wire::value_type;

pub fn on_wire(of: &MeasureInfo) -> ValueType {
    ValueType {
        r#type: of.name.clone(),
        unit: of.unit.clone(),
        samples_unknown: !of.is_counted(),
        complete: of.is_complete,
        nature: match of.nature {
            Nature::Sampled => value_type::Nature::Sampled,
            Nature::Weighted => value_type::Nature::Weighted,
            Nature::Exact => value_type::Nature::Exact,
        }
        .into(),
        family: match of.family {
            Family::Other => value_type::Family::Other,
            Family::Cpu => value_type::Family::Cpu,
            Family::Waiting => value_type::Family::Waiting,
            Family::Memory => value_type::Family::Memory,
            Family::Calls => value_type::Family::Calls,
        }
        .into(),
    }
}
