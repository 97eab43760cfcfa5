//! Sums over samples, as tables keep them.

/// How often something was sampled, and what those samples are worth in the unit of the measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub samples: u64,
    pub value: u64,
}

impl Amount {
    pub(crate) fn add(&mut self, other: Amount) {
        self.samples = self.samples.saturating_add(other.samples);
        self.value = self.value.saturating_add(other.value);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    pub self_: Amount,
    pub total: Amount,
}

/// By call path, what its own samples add up to, and those of it with all below it.
pub(crate) type AmountsOfPaths = (Vec<Amount>, Vec<Amount>);

pub(crate) struct Tally {
    pub total: Amount,
    pub functions: Vec<Amounts>,
    pub places: Vec<Amounts>,
}

/// What views of source files need besides.
pub(crate) struct FileTally {
    /// By function: the sums of all functions with its definition, such as the instances of a template.
    pub definitions: Vec<Amounts>,
    pub files: Vec<Amounts>,
}
