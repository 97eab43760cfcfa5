//! Where the code of a debug entry is.

use gimli::{AttributeValue, UnitRef};

use crate::elf::Reader;

/// The attributes of an entry that say so.
#[derive(Default)]
pub(crate) struct CodeRanges {
    low: Option<u64>,
    high: Option<u64>,
    size: Option<u64>,
    list: Option<gimli::RangeListsOffset>,
}

impl CodeRanges {
    /// Takes what an attribute says, if it is one of these.
    pub(crate) fn read<'a>(
        &mut self,
        unit: UnitRef<'_, Reader<'a>>,
        name: gimli::DwAt,
        value: AttributeValue<Reader<'a>>,
    ) -> gimli::Result<()> {
        match (name, value) {
            (gimli::DW_AT_high_pc, AttributeValue::Udata(size)) => self.size = Some(size),
            (gimli::DW_AT_low_pc, value) => self.low = unit.attr_address(value)?,
            (gimli::DW_AT_high_pc, value) => self.high = unit.attr_address(value)?,
            (gimli::DW_AT_ranges, value) => self.list = unit.attr_ranges_offset(value)?,
            _ => {}
        }
        Ok(())
    }

    /// What an attribute says that is an address, or how far behind the entry's start one is.
    pub(crate) fn address<'a>(
        &self,
        unit: UnitRef<'_, Reader<'a>>,
        value: Option<AttributeValue<Reader<'a>>>,
    ) -> gimli::Result<Option<u64>> {
        match value {
            Some(AttributeValue::Udata(behind)) => Ok(self.low.map(|low| low.wrapping_add(behind))),
            Some(value) => unit.attr_address(value),
            None => Ok(None),
        }
    }

    /// Gives start and end of each range that is not empty.
    pub(crate) fn each(
        &self,
        unit: UnitRef<'_, Reader<'_>>,
        mut add: impl FnMut(u64, u64),
    ) -> gimli::Result<()> {
        let mut add_code = |start, end| {
            if start < end {
                add(start, end);
            }
        };
        if let Some(list) = self.list {
            let mut ranges = unit.ranges(list)?;
            while let Some(range) = ranges.next()? {
                add_code(range.begin, range.end);
            }
        } else if let Some(low) = self.low {
            // What a linker threw away begins at the largest address; its end wraps to before it.
            let by_size = self.size.map(|size| low.wrapping_add(size));
            add_code(low, self.high.or(by_size).unwrap_or(0));
        }
        Ok(())
    }
}
