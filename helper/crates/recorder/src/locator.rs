//! What finds the stack and the thread of a sample, for the kinds of samples that count something of their own there.

use records::SampleRecord;

use super::address_spaces::AddressSpaces;
use super::modules::Modules;
use super::stacks::CountedStacks;

/// Of the samples of one execution.
pub struct Locator<'a> {
    /// As in [`CountedStacks::add`].
    pub repetition: u32,
    pub stacks: &'a mut CountedStacks,
    pub spaces: &'a AddressSpaces,
    pub modules: &'a Modules,
}

impl Locator<'_> {
    /// As [`CountedStacks::locate`].
    pub fn locate(&mut self, sample: SampleRecord) -> (Option<u32>, u32) {
        (self.stacks).locate(sample, self.repetition, self.spaces, self.modules)
    }
}
