//! Options of one command that exclude each other: what each of the two means, and what to do.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// As sentences name it.
const COMMAND: &str = "a command";

/// Two options, and why both together mean nothing.
const WHY: [(&str, &str, &str); 10] = [
    (
        "--wakeups",
        "--no-waiting",
        "--wakeups records who ended each wait, and --no-waiting records no waits",
    ),
    (
        "--unprivileged",
        "--privileged",
        "--privileged never records without privileges, and --unprivileged always does",
    ),
    (
        "--work-from",
        "--work",
        "--work states the units of work, and --work-from reads them from the command's output",
    ),
    (
        "--repeat",
        "--pid",
        "--repeat executes a command again, and --pid records a process that runs already",
    ),
    (
        "--repeat",
        "--process",
        "--repeat executes a command again, and --process records processes that run already",
    ),
    (
        "--repeat",
        "--tree",
        "--repeat executes a command again, and --tree records processes that run already",
    ),
    (
        "--pid",
        COMMAND,
        "--pid records a process that runs already, and a command starts a new one",
    ),
    (
        "--process",
        COMMAND,
        "--process records processes that run already, and a command starts a new one",
    ),
    (
        "--tree",
        COMMAND,
        "--tree records processes that run already, and a command starts a new one",
    ),
    (
        "--json",
        "--markdown",
        "--json prints for scripts, and --markdown for a page",
    ),
];

/// In our words; other mistakes as they are.
pub fn with_what_contradicts(error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::ArgumentConflict {
        return error;
    }
    let first = error.get(ContextKind::InvalidArg).and_then(one);
    let others = error.get(ContextKind::PriorArg).map(all);
    let (Some(first), Some(mut others)) = (first, others.filter(|of| !of.is_empty())) else {
        return error;
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    keep_given(&mut others, &words);
    let command = words.first().filter(|word| !word.starts_with('-'));
    clap::Error::raw(
        ErrorKind::ArgumentConflict,
        sentence(command.map_or("", |word| word), &first, &others),
    )
}

/// Of a group of options, all are named, given or not.
fn keep_given(others: &mut Vec<String>, words: &[String]) {
    let is_given = |option: &String| {
        let mut names = words.iter().map(|word| word.split('=').next());
        names.any(|name| name == Some(option.as_str()))
    };
    if others.iter().any(is_given) {
        others.retain(is_given);
    }
}

fn sentence(command: &str, first: &str, others: &[String]) -> String {
    let help = match command {
        "" => "lineheat --help".to_owned(),
        command => format!("lineheat {command} --help"),
    };
    let said = match others {
        [other] if other == first => format!("{first} was given twice. Give it once."),
        [other] => {
            let is_it = |(one, two, _): &&(&str, &str, &str)| {
                [(*one, *two), (*two, *one)].contains(&(first, other))
            };
            let why = WHY.iter().find(is_it);
            let why = why.map_or_else(String::new, |(.., why)| format!(": {why}"));
            format!("{first} cannot be combined with {other}{why}. Leave out one of them.")
        }
        others => format!(
            "{first} cannot be combined with {}. Leave out {first} or the others.",
            others.join(", ")
        ),
    };
    format!("{said}\n\nFor more information, try '{help}'.\n")
}

fn one(value: &ContextValue) -> Option<String> {
    all(value).into_iter().next()
}

/// As the user writes them: without the names of their values.
fn all(value: &ContextValue) -> Vec<String> {
    let name = |shown: &String| match shown.strip_prefix("--") {
        Some(_) => shown.split([' ', '=']).next().unwrap_or(shown).to_owned(),
        None => COMMAND.to_owned(),
    };
    match value {
        ContextValue::String(shown) => vec![name(shown)],
        ContextValue::Strings(shown) => shown.iter().map(name).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_options_are_refused_with_what_each_means_and_what_to_do() {
        let refused = |first: &str, others: &[&str]| {
            let others: Vec<String> = others.iter().map(|of| (*of).to_owned()).collect();
            sentence("record", first, &others)
        };
        let expected = "--wakeups cannot be combined with --no-waiting: --wakeups records who ended each wait, and --no-waiting records no waits. Leave out one of them.\n";
        assert!(refused("--wakeups", &["--no-waiting"]).starts_with(expected));
        let turned = refused("--no-waiting", &["--wakeups"]);
        assert!(turned.contains("records who ended each wait"), "{turned}");
        let unknown = refused("--a", &["--b"]);
        assert!(
            unknown.starts_with("--a cannot be combined with --b. Leave out one of them.\n"),
            "{unknown}"
        );
        let twice = refused("--freq", &["--freq"]);
        assert!(
            twice.starts_with("--freq was given twice. Give it once.\n"),
            "{twice}"
        );
        let several = refused("--tree", &["--pid", "--process"]);
        assert!(
            several.contains("--pid, --process. Leave out --tree or the others."),
            "{several}"
        );
        assert!(several.contains("lineheat record --help"), "{several}");
        let started = refused("--pid", &[COMMAND]);
        assert!(
            started.starts_with("--pid cannot be combined with a command: --pid records"),
            "{started}"
        );
    }

    #[test]
    fn of_a_group_those_are_named_that_were_given() {
        let of =
            |texts: &[&str]| -> Vec<String> { texts.iter().map(|t| (*t).to_owned()).collect() };
        let mut others = of(&["--pid", "--process", "--tree"]);
        keep_given(&mut others, &of(&["record", "--repeat", "2", "--pid=1"]));
        assert_eq!(others, ["--pid"]);
        keep_given(&mut others, &of(&["record"]));
        assert_eq!(others, ["--pid"], "one is needed for a sentence");
    }
}
