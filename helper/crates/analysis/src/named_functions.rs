//! Functions that are named from outside, as a view shows them: by name and module.

use std::collections::HashSet;

use crate::analyzed::Analyzed;
use crate::frames::FunctionOf;

/// Longer names are cut for drawing only.
const NAME_LIMIT: usize = 1024;

/// As in a [`crate::FrameTable`]: very long texts are cut.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NamedFunction {
    pub name: String,
    pub module: String,
}

impl NamedFunction {
    pub fn new(name: &str, module: &str) -> NamedFunction {
        NamedFunction {
            name: shortened(name).into_owned(),
            module: shortened(module).into_owned(),
        }
    }
}

/// By function, whether it is among those named. Several can have one name: they differ in their files.
pub(crate) fn marked(analyzed: &Analyzed, named: &[NamedFunction]) -> Vec<bool> {
    marked_among(analyzed, analyzed.functions(), named)
}

/// The same by the functions of changed call paths.
pub(crate) fn marked_among(
    analyzed: &Analyzed,
    functions: &[FunctionOf],
    named: &[NamedFunction],
) -> Vec<bool> {
    let wanted: HashSet<&NamedFunction> = named.iter().collect();
    (functions.iter())
        .map(|function| {
            !wanted.is_empty()
                && wanted.contains(&NamedFunction::new(
                    analyzed.text(function.name),
                    analyzed.text(function.module),
                ))
        })
        .collect()
}

/// A very long text is cut.
pub(crate) fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= NAME_LIMIT {
        return text.into();
    }
    let end = (0..=NAME_LIMIT)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    format!("{}…", &text[..end]).into()
}
