//! The call stacks of samples, where equal ones may share their frames: most samples of a long run repeat one.

/// One stack for each sample.
#[derive(Debug, Clone, Default)]
pub struct Stacks {
    /// Locations of all stacks, one after the other, leaf first.
    frames: Vec<u32>,
    ends: Vec<u32>,
    /// For each sample: the number of its stack.
    numbers: Vec<u32>,
}

impl Stacks {
    /// Of so many samples, all without a frame.
    pub fn empty(samples: usize) -> Stacks {
        Stacks {
            frames: Vec::new(),
            ends: vec![0],
            numbers: vec![0; samples],
        }
    }

    /// Of samples.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Locations of a sample, leaf first.
    pub fn of(&self, sample: usize) -> &[u32] {
        self.numbered(self.numbers[sample])
    }

    /// For each sample the number of its stack, below [`Stacks::kept`]: equal numbers are equal stacks. Equal stacks may
    /// have several numbers.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// How many stacks are kept.
    pub fn kept(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub fn numbered(&self, number: u32) -> &[u32] {
        let start = match number {
            0 => 0,
            number => self.ends[number as usize - 1],
        };
        &self.frames[start as usize..self.ends[number as usize] as usize]
    }

    /// Frames of the stacks of all samples together, shared ones each time.
    pub fn frames(&self) -> usize {
        let depths = (0..self.len()).map(|sample| self.of(sample).len());
        depths.sum()
    }

    pub(crate) fn reserve(&mut self, samples: usize) {
        self.numbers.reserve_exact(samples);
    }

    /// The next sample, with a stack of its own.
    pub(crate) fn push(&mut self, stack: &[u32]) {
        let number = self.keep(stack);
        self.push_numbered(number);
    }

    pub(crate) fn keep(&mut self, stack: &[u32]) -> u32 {
        self.frames.extend_from_slice(stack);
        self.ends.push(self.frames.len() as u32);
        self.ends.len() as u32 - 1
    }

    pub(crate) fn push_numbered(&mut self, number: u32) {
        self.numbers.push(number);
    }
}

impl<'a> FromIterator<&'a [u32]> for Stacks {
    fn from_iter<I: IntoIterator<Item = &'a [u32]>>(all: I) -> Stacks {
        let mut stacks = Stacks::default();
        all.into_iter().for_each(|stack| stacks.push(stack));
        stacks
    }
}

/// Which stacks are shared is no difference.
impl PartialEq for Stacks {
    fn eq(&self, other: &Stacks) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|sample| self.of(sample) == other.of(sample))
    }
}

impl Eq for Stacks {}
