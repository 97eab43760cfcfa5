//! A call path that is named from outside, as the node of a flame graph at its end shows it.

use std::collections::HashMap;

use crate::analyzed::Analyzed;
use crate::frames::FunctionOf;
use crate::named_functions::{NamedFunction, marked_among};
use name_patterns::Unknown;

pub(crate) struct CallPath {
    /// By function.
    pub role: Vec<OnPath>,
    /// What the names of the path stand for, outermost first; not empty.
    pub names: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnPath {
    /// It has this name of the path.
    Named(u32),
    /// The path says nothing of it: it may be anywhere on it.
    LeftOut,
    Elsewhere,
}

impl CallPath {
    /// # Errors
    /// A sentence, when the path is empty.
    pub fn of(
        analyzed: &Analyzed,
        functions: &[FunctionOf],
        path: &[NamedFunction],
        left_out: &[NamedFunction],
        unknown: &mut Vec<Unknown>,
    ) -> Result<CallPath, String> {
        if path.is_empty() {
            return Err("The call path to focus on names no function.".to_owned());
        }
        let mut number_of: HashMap<NamedFunction, u32> = HashMap::new();
        let mut names = Vec::with_capacity(path.len());
        for named in path {
            let next = number_of.len() as u32;
            names.push(*number_of.entry(named.clone()).or_insert(next));
        }
        let mut is_there = vec![false; number_of.len()];
        let is_left_out = marked_among(analyzed, functions, left_out);
        let mut role_of = |(function, is_left_out): (&FunctionOf, bool)| {
            if is_left_out {
                return OnPath::LeftOut;
            }
            let [name, module] = [function.name, function.module].map(|id| analyzed.text(id));
            match number_of.get(&NamedFunction::new(name, module)) {
                Some(&number) => {
                    is_there[number as usize] = true;
                    OnPath::Named(number)
                }
                None => OnPath::Elsewhere,
            }
        };
        let role = (functions.iter().zip(is_left_out))
            .map(&mut role_of)
            .collect();
        let missing = (path.iter().zip(&names)).find(|(_, number)| !is_there[**number as usize]);
        if let Some((named, _)) = missing {
            let known = functions
                .iter()
                .map(|function| analyzed.text(function.name));
            unknown.push(Unknown::name("function", &named.name, known));
        }
        Ok(CallPath { role, names })
    }
}
