//! What a sample tells, and how much of it.

use crate::bytes::{Body, Fields};
use crate::layout::SampleKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worth {
    pub kind: SampleKind,
    /// Of one event, in the unit of the kind.
    pub value: u64,
    /// How many such events the sample stands for.
    pub weight: u32,
    /// Of an allocation: how many samples it counts as, at most 255. Its weight is more where these are farther apart.
    pub points: u8,
    /// Of an allocation: by which its free is known, unique in its process; 0: its free is not seen. Of others: see [`SampleKind`].
    pub id: u32,
}

/// CPU time that one sample stands for.
pub fn period_ns(sample_hz: u32) -> u64 {
    1_000_000_000 / u64::from(sample_hz.max(1))
}

impl Worth {
    /// Of a sample that stands for so much CPU time.
    pub fn of_cpu(ns: u64) -> Worth {
        Worth {
            kind: SampleKind::Cpu,
            value: ns,
            weight: 1,
            points: 0,
            id: 0,
        }
    }

    /// Of a wait that begins at this place; 0: none.
    pub fn of_open_wait(place: u64) -> Worth {
        Worth {
            kind: SampleKind::Wait,
            value: place,
            weight: 1,
            points: 0,
            id: 0,
        }
    }

    /// Of all events that it stands for.
    pub fn total(self) -> u64 {
        self.value.saturating_mul(self.weight.into())
    }

    pub(crate) fn write(self, body: Body) -> Body {
        let body = body.u8(self.kind as u8).u64(self.value);
        body.u32(self.weight).u8(self.points).u32(self.id)
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<Worth> {
        Some(Worth {
            kind: SampleKind::from_code(f.u8()?)?,
            value: f.u64()?,
            weight: f.u32()?,
            points: f.u8()?,
            id: f.u32()?,
        })
    }
}
