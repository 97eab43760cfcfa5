//! The source text of a function, as far as the run saved it.

use std::collections::HashMap;

use crate::analyzed::Analyzed;
use crate::frames::FunctionId;

/// Longer bodies are cut: the beginning tells enough.
const LINES_MAX: usize = 400;

/// Its lines, without indentation and without empty ones: from its definition to the definition of the next function that
/// was sampled, or to the closing brace in the first column. `None`: the text or the definition is not known.
pub(crate) fn function_text(run: &Analyzed, function: FunctionId) -> Option<Vec<&str>> {
    let (first, last) = extent(run, function)?;
    let text = &run.saved_text(run.text(run.function(function).file))?.text;
    let lines: Vec<&str> = (text.lines())
        .skip(first as usize - 1)
        .take((last - first) as usize + 1)
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    (!lines.is_empty()).then_some(lines)
}

/// First and last line.
pub(crate) fn extent(run: &Analyzed, function: FunctionId) -> Option<(u32, u32)> {
    let known = run.function(function);
    if known.line == 0 {
        return None;
    }
    let text = &run.saved_text(run.text(known.file))?.text;
    let next = (run.functions().iter())
        .filter(|other| other.file == known.file && other.line > known.line)
        .map(|other| other.line - 1)
        .min()
        .unwrap_or(u32::MAX);
    let mut last = known.line;
    for (line, text) in (known.line..).zip(text.lines().skip(known.line as usize - 1)) {
        if line > next || (line - known.line) as usize >= LINES_MAX {
            break;
        }
        last = line;
        // Indented code (methods, modules) has none: there the next function is the bound.
        if line > known.line && text.starts_with('}') {
            break;
        }
    }
    Some((known.line, last))
}

/// Part of the lines that both have, in any order; 0 of two empty texts.
pub(crate) fn text_likeness<Line: AsRef<str>>(a: &[Line], b: &[Line]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    a.iter()
        .for_each(|line| *left.entry(line.as_ref()).or_default() += 1);
    let common = (b.iter())
        .filter(|line| match left.get_mut(line.as_ref()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count();
    2.0 * common as f64 / (a.len() + b.len()).max(1) as f64
}
