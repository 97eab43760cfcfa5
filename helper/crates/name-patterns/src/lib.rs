//! Names as a user writes them: one name, or a pattern of many.

use regex::{Regex, RegexBuilder};

/// A name, a glob with `*` and `?`, or a regular expression between slashes. In a glob, a backslash makes the next of these
/// letters, or a backslash, mean itself: `operator\\*`.
#[derive(Debug, Clone)]
pub struct NamePattern {
    text: String,
    regex: Regex,
}

const REGEX_BYTES_MAX: usize = 1 << 20;
const SUGGESTED_MAX: usize = 5;
/// What has a meaning of its own in a pattern.
const SPECIAL: [char; 4] = ['*', '?', '\\', '/'];

impl NamePattern {
    /// # Errors
    /// A sentence, when a regular expression is none.
    pub fn new(text: &str) -> Result<NamePattern, String> {
        NamePattern::starting_at(text, "^")
    }

    /// Of paths: a name or glob means their ends, too, by whole folders.
    ///
    /// # Errors
    /// A sentence, when a regular expression is none.
    pub fn of_paths(text: &str) -> Result<NamePattern, String> {
        NamePattern::starting_at(text, "(?:^|/)")
    }

    /// `start`: where a name or glob begins, as a regular expression.
    fn starting_at(text: &str, start: &str) -> Result<NamePattern, String> {
        let between = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'));
        let source = match between {
            Some(regex) if !regex.is_empty() => regex.to_owned(),
            _ => of_glob(text, start),
        };
        let regex = (RegexBuilder::new(&source).size_limit(REGEX_BYTES_MAX))
            .build()
            .map_err(|error| format!("{text} is no regular expression: {}", reason(&error)))?;
        Ok(NamePattern {
            text: text.to_owned(),
            regex,
        })
    }

    /// By name, whether it is meant: those that are the text itself, else those that fit. `None`: no name is.
    pub fn found<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> Option<Vec<bool>> {
        let is_some = |found: &Vec<bool>| found.contains(&true);
        let exactly: Vec<bool> = names.clone().map(|name| name == self.text).collect();
        Some(exactly).filter(is_some).or_else(|| {
            let fitting = names.map(|name| self.regex.is_match(name)).collect();
            Some(fitting).filter(is_some)
        })
    }
}

/// What was asked for by a name or number that the profile does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    pub asked: String,
    /// Says so; names that look like it are told.
    pub sentence: String,
}

impl Unknown {
    /// `what`: such as "function"; `names`: those that there are.
    pub fn name<'a>(what: &str, asked: &str, names: impl Iterator<Item = &'a str>) -> Unknown {
        Unknown {
            asked: asked.to_owned(),
            sentence: sentence(what, asked, names),
        }
    }
}

/// Names that look like what was asked for, the nearest first, as a list; `None`: there are none.
pub fn similar<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let similar = similar_of(asked, &sorted(names));
    (!similar.is_empty()).then(|| listed(&similar))
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn similar_of<'a>(asked: &str, all: &[&'a str]) -> Vec<&'a str> {
    let wanted = asked.trim_matches(['*', '/', '?']).to_lowercase();
    let mut similar: Vec<&str> = (all.iter().copied())
        .filter(|name| name.to_lowercase().contains(&wanted))
        .collect();
    if similar.is_empty() {
        similar = misspelt(&wanted, all);
    } else {
        similar.sort_by_key(|name| name.len());
    }
    similar
}

fn listed(names: &[&str]) -> String {
    let more = match names.len() > SUGGESTED_MAX {
        true => " …",
        false => "",
    };
    format!(
        "{}{more}",
        names[..names.len().min(SUGGESTED_MAX)].join(", ")
    )
}

fn sentence<'a>(what: &str, asked: &str, names: impl Iterator<Item = &'a str>) -> String {
    let all = sorted(names);
    let similar = similar_of(asked, &all);
    let (which, from) = match similar.is_empty() {
        false => ("Similar names", similar),
        true => ("Names", all),
    };
    if from.is_empty() {
        return format!("This profile does not name a {what}.");
    }
    format!("No {what} is called {asked}. {which}: {}.", listed(&from))
}

/// More names are not compared letter by letter.
const COMPARED_MAX: usize = 50_000;

/// Those of nearly the same letters, the nearest first.
fn misspelt<'a>(wanted: &str, all: &[&'a str]) -> Vec<&'a str> {
    let letters = wanted.chars().count();
    let edits_max = match letters {
        0..3 => 0,
        3..6 => 1,
        _ => letters / 4,
    };
    let mut near: Vec<(usize, &str)> = (all.iter().take(COMPARED_MAX))
        .filter(|name| name.chars().count().abs_diff(letters) <= edits_max)
        .map(|name| (edits(wanted, &name.to_lowercase()), *name))
        .filter(|(edits, _)| *edits <= edits_max)
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, name)| name).collect()
}

/// Letters to insert, delete, replace or swap with the next one (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: &Vec<usize> = &before;
                least = least.min(swapped[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// In one line: the library shows the expression with it, too.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large.".to_owned(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("{}.", last.trim_start_matches("error: "))
        }
    }
}

fn of_glob(text: &str, start: &str) -> String {
    let mut source = format!("(?s){start}");
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let literal = match letter {
            '*' => {
                source.push_str(".*");
                continue;
            }
            '?' => {
                source.push('.');
                continue;
            }
            '\\' => rest.next_if(|next| SPECIAL.contains(next)).unwrap_or('\\'),
            letter => letter,
        };
        source.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
    }
    source.push('$');
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, names: &[&str]) -> Option<Vec<bool>> {
        NamePattern::new(pattern)
            .unwrap()
            .found(names.iter().copied())
    }

    #[test]
    fn a_name_comes_before_a_pattern() {
        let names = ["operator*", "operator+", "a.b", "axb"];
        assert_eq!(
            found("operator*", &names).unwrap(),
            [true, false, false, false]
        );
        assert_eq!(found("oper*", &names).unwrap(), [true, true, false, false]);
        assert_eq!(found("a.b", &names).unwrap(), [false, false, true, false]);
        assert_eq!(found("a?b", &names).unwrap(), [false, false, true, true]);
        assert_eq!(
            found("/^a.b$/", &names).unwrap(),
            [false, false, true, true]
        );
        assert_eq!(found("a", &names), None);
    }

    #[test]
    fn a_backslash_makes_a_letter_mean_itself() {
        let names = ["operator*", "operator+", "/x/", r"a\b"];
        let only = |at| Some((0..4).map(|name| name == at).collect::<Vec<bool>>());
        assert_eq!(found(r"operator\*", &names), only(0));
        assert_eq!(found(r"\/x/", &names), only(2));
        assert_eq!(found(r"a\\b", &names), only(3));
        assert_eq!(found(r"a\b", &names), only(3), "a name, or a backslash");
        assert_eq!(found(r"operator\*", &["operator+"]), None);
        assert!(found("operator*", &["operator+"]).is_some());
    }

    #[test]
    fn a_path_is_meant_by_its_end() {
        let names = ["/src/io/file.c", "/src/file.c", "/src/profile.c"];
        let found = |text| {
            NamePattern::of_paths(text)
                .unwrap()
                .found(names.into_iter())
        };
        assert_eq!(found("file.c").unwrap(), [true, true, false]);
        assert_eq!(found("io/*.c").unwrap(), [true, false, false]);
        assert_eq!(found("/src/file.c").unwrap(), [false, true, false]);
        assert_eq!(found("/file/").unwrap(), [true, true, true]);
        assert_eq!(found("src"), None);
    }

    #[test]
    fn a_wrong_expression_is_told_in_one_line() {
        assert_eq!(
            NamePattern::new("/a(b/").unwrap_err(),
            "/a(b/ is no regular expression: unclosed group."
        );
        let large = NamePattern::new(r"/(\w{1000}){1000}/").unwrap_err();
        assert!(
            large.ends_with("is no regular expression: it is too large."),
            "{large}"
        );
    }

    #[test]
    fn what_is_unknown_is_told_with_what_is_near() {
        let names = ["parse_line", "parse", "main"];
        let told = |asked| sentence("function", asked, names.iter().copied());
        assert_eq!(
            told("Parse*"),
            "No function is called Parse*. Similar names: parse, parse_line."
        );
        assert_eq!(
            told("x"),
            "No function is called x. Names: main, parse, parse_line."
        );
        assert_eq!(
            told("prase_lin"),
            "No function is called prase_lin. Similar names: parse_line."
        );
        assert!(NamePattern::new("/(/").is_err());
    }
}
