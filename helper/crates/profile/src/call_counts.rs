//! How often functions were called.

use crate::run::CallCounts;

impl CallCounts {
    /// Whether the threads' calls are calls of these functions, and no more than these have; and what was not counted has none.
    pub(crate) fn fit(&self) -> bool {
        let mut left: Vec<u64> = self.functions.iter().map(|of| of.calls).collect();
        let not_counted = |of: &&crate::run::CalledFunction| !of.not_counted.is_empty();
        if self
            .functions
            .iter()
            .filter(not_counted)
            .any(|of| of.calls > 0)
        {
            return false;
        }
        let times = self.functions.iter().flat_map(|of| &of.times);
        if !{ times }.all(|times| times.fits()) {
            return false;
        }
        self.threads.iter().all(|of| {
            let function = left.get_mut(of.function as usize);
            let rest = function.and_then(|left| Some((left.checked_sub(of.calls)?, left)));
            rest.map(|(rest, left)| *left = rest).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::run::{CallCounts, CalledFunction, ThreadCalls};

    #[test]
    fn counts_of_threads_that_say_more_than_those_of_functions_do_not_fit() {
        let function = |calls, not_counted: &str| CalledFunction {
            calls,
            not_counted: not_counted.to_owned(),
            ..CalledFunction::default()
        };
        let thread = |function, calls| ThreadCalls {
            function,
            calls,
            ..ThreadCalls::default()
        };
        let fit = |functions: &[CalledFunction], threads: &[ThreadCalls]| {
            let (functions, threads) = (functions.to_vec(), threads.to_vec());
            CallCounts {
                functions,
                threads,
                price: None,
            }
            .fit()
        };
        let two = [function(5, ""), function(0, "inlined")];
        assert!(fit(&two, &[thread(0, 2), thread(0, 3)]));
        assert!(fit(&two, &[thread(0, 2)]), "there was no room for others");
        assert!(!fit(&two, &[thread(0, 2), thread(0, 4)]));
        assert!(!fit(&two, &[thread(1, 1)]) && !fit(&two, &[thread(2, 0)]));
        assert!(!fit(&[function(1, "inlined")], &[]));
    }
}
