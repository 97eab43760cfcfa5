//! What counts of calls lack, and what they cost the program.

use std::time::Duration;

use records::layout::Counter;

use super::call_problem::CallProblem;
use super::problem::Problem;
use crate::evidence::Evidence;
use crate::shown_path::module_name;

pub fn calls_not_allowed(seen: &Evidence) -> Option<Problem> {
    let calls = seen.counters[Counter::CallsNotAllowed as usize];
    (calls > 0).then_some(Problem::Calls(CallProblem::NotAllowed { calls }))
}

pub fn many_calls(seen: &Evidence) -> Option<Problem> {
    let many = seen.calls.many?;
    Some(Problem::Calls(CallProblem::Many {
        from: many.from,
        per_second: many.per_second,
        price_ns: seen.calls.price.map(|price| price.counted_ns),
    }))
}

pub fn calls_without_children(seen: &Evidence) -> Option<Problem> {
    let module = seen.calls.without_children.first()?;
    let module = module_name(&seen.modules.get(*module).path);
    (seen.forks > 0).then_some(Problem::Calls(CallProblem::WithoutChildren { module }))
}

pub fn functions_not_counted(seen: &Evidence) -> Option<Problem> {
    let all = &seen.calls.functions;
    let functions = all.iter().filter(|of| of.not_counted.is_some()).count();
    (functions > 0).then_some(Problem::Calls(CallProblem::LeftOut {
        functions,
        all: all.len(),
    }))
}

pub fn inlined_calls_left_out(seen: &Evidence) -> Option<Problem> {
    let counted = seen.calls.functions.iter();
    let counted = counted.filter(|of| of.not_counted.is_none());
    let (all, places) = counted.fold((0, 0), |(all, places), of| {
        (
            all + of.inlined,
            places + of.uncounted.values().sum::<u32>(),
        )
    });
    (places > 0).then_some(Problem::Calls(CallProblem::InlinedLeftOut { places, all }))
}

pub fn functions_not_timed(seen: &Evidence) -> Option<Problem> {
    let counted = seen.calls.functions.iter();
    let counted: Vec<_> = counted.filter(|of| of.not_counted.is_none()).collect();
    let functions = counted.iter().filter(|of| of.not_timed.is_some()).count();
    (functions > 0).then_some(Problem::Calls(CallProblem::NotTimed {
        functions,
        all: counted.len(),
    }))
}

/// The one that was called most comes first.
pub fn functions_no_longer_timed(seen: &Evidence) -> Option<Problem> {
    let ended = (seen.calls.functions.iter())
        .filter_map(|of| Some((of, of.times.as_ref()?.ended_ns)))
        .filter(|(_, ended_ns)| *ended_ns > 0);
    let ended: Vec<_> = ended.collect();
    let (function, _) = ended.iter().max_by_key(|(of, _)| of.calls)?;
    let first_ns = ended.iter().map(|(_, ended_ns)| *ended_ns).min()?;
    Some(Problem::Calls(CallProblem::NoLongerTimed {
        function: function.name.clone(),
        others: ended.len() - 1,
        from: Duration::from_nanos(first_ns),
        price_ns: seen.calls.price.map(|price| price.timed_ns),
    }))
}

/// Where calls are counted at all. Programs that children execute are among them.
pub fn functions_loaded_later(seen: &Evidence) -> Option<Problem> {
    let asked = !(seen.calls.functions.is_empty() && seen.calls.missing.is_empty());
    let later = (seen.modules.iter().skip(seen.calls.modules))
        .map(|(_, module)| module)
        .filter(|module| asked && module.made_by.is_none() && !module.is_vdso);
    let mut paths = later.map(|module| module_name(&module.path));
    let module = paths.next()?;
    Some(Problem::Calls(CallProblem::LoadedLater {
        module,
        others: paths.count(),
    }))
}

pub fn missing_functions(seen: &Evidence) -> Option<Problem> {
    let patterns = seen.calls.missing.clone();
    (!patterns.is_empty()).then_some(Problem::Calls(CallProblem::Missing { patterns }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{CalledFunction, ManyCalls};
    use records::{CallPrice, CallTimes};

    #[test]
    fn what_counts_lack_and_what_they_cost_is_said() {
        let mut seen = Evidence::default();
        assert_eq!((calls_not_allowed(&seen), many_calls(&seen)), (None, None));
        seen.counters[Counter::CallsNotAllowed as usize] = 3;
        seen.calls.many = Some(ManyCalls {
            from: Duration::from_millis(1500),
            per_second: 250_000.4,
        });
        let sentence = |of: Option<Problem>| of.expect("a problem").sentence();
        assert!(sentence(calls_not_allowed(&seen)).starts_with("3 calls were made by programs"));
        let many = sentence(many_calls(&seen));
        assert!(
            many.contains("up to 250000 times per second") && many.contains("from 1.5 s on"),
            "{many}"
        );
        assert!(many.contains("takes about 1 us of"), "{many}");
        seen.calls.price = Some(CallPrice {
            counted_ns: 740,
            timed_ns: 25_310,
        });
        let many = sentence(many_calls(&seen));
        assert!(many.contains("takes about 0.7 us of"), "{many}");
        seen.calls.functions = vec![CalledFunction {
            times: Some(CallTimes {
                ended_ns: 2_000_000_000,
                ..CallTimes::default()
            }),
            ..CalledFunction::default()
        }];
        let ended = sentence(functions_no_longer_timed(&seen));
        assert!(ended.contains("about 25 us for each call"), "{ended}");
    }
}
