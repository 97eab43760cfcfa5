//! The combinations of the parameters, and the command of each.

use profile::run;

/// More would be a mistake of a comma.
const CELLS_MAX: usize = 1000;

/// A name that the command contains in braces, and the values that take its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub values: Vec<String>,
}

/// One combination: a value for each parameter, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub parameters: Vec<(String, String)>,
}

/// `threads=1,2,4`.
///
/// # Errors
/// A sentence: what was wanted.
pub fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let wanted = || {
        format!("'{text}' is not a parameter: expected NAME=VALUE,VALUE…, such as threads=1,2,4")
    };
    let (name, values) = text.split_once('=').ok_or_else(wanted)?;
    let is_name = |name: &str| {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        !name.is_empty() && name.chars().all(fits)
    };
    let values: Vec<String> = values.split(',').map(str::to_owned).collect();
    if !is_name(name) || values.iter().any(String::is_empty) {
        return Err(wanted());
    }
    let mut distinct = values.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < values.len() {
        return Err(format!(
            "parameter {name} has the same value twice; use --repeat to execute each combination several times"
        ));
    }
    Ok(Parameter {
        name: name.to_owned(),
        values,
    })
}

/// All combinations; the last parameter changes fastest.
///
/// # Errors
/// A sentence, when a name is there twice, there is no parameter, or there are too many combinations.
pub fn cells(parameters: &[Parameter]) -> Result<Vec<Cell>, String> {
    if parameters.is_empty() {
        return Err("a sweep needs a parameter, such as --set threads=1,2,4".to_owned());
    }
    let mut names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!(
            "parameter {} is set twice; give all its values in one --set",
            twice[0]
        ));
    }
    let count = parameters
        .iter()
        .fold(1usize, |n, p| n.saturating_mul(p.values.len()));
    if !(1..=CELLS_MAX).contains(&count) {
        return Err(format!(
            "there are {count} combinations; a sweep can have 1 to {CELLS_MAX}"
        ));
    }
    let mut cells = vec![Vec::new()];
    for parameter in parameters {
        let longer = |cell: &Vec<(String, String)>| {
            let with = |value: &String| {
                let mut cell = cell.clone();
                cell.push((parameter.name.clone(), value.clone()));
                cell
            };
            parameter.values.iter().map(with).collect::<Vec<_>>()
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    Ok(cells
        .into_iter()
        .map(|parameters| Cell { parameters })
        .collect())
}

/// `text` with `{name}` replaced by the value of that name; other braces stay.
pub fn replaced(text: &str, cell: &Cell) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = cell.parameters.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name.as_str())?.strip_prefix('}')?;
            Some((value, after))
        });
        match value {
            Some((value, after)) => {
                result.push_str(value);
                rest = after;
            }
            None => {
                result.push('{');
                rest = &rest[1..];
            }
        }
    }
    result + rest
}

/// # Errors
/// A sentence, when a parameter is used nowhere in `texts`: all its values would give the same.
pub fn check_use<'a>(
    parameters: &[Parameter],
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), String> {
    let unused = parameters.iter().find(|parameter| {
        let place = format!("{{{}}}", parameter.name);
        !texts.clone().any(|text| text.contains(&place))
    });
    match unused {
        None => Ok(()),
        Some(Parameter { name, .. }) => Err(format!(
            "neither the command's arguments nor --env contain {{{name}}}, so all values of {name} would give the same command; for example, add --{name} {{{name}}} to the command"
        )),
    }
}

impl Cell {
    /// "threads=1 chunk=5000".
    pub fn name(&self) -> String {
        let words = self
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        words.collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn wire(&self) -> Vec<run::Parameter> {
        let parameter = |(name, value): &(String, String)| run::Parameter {
            name: name.clone(),
            value: value.clone(),
        };
        self.parameters.iter().map(parameter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_combinations_the_last_parameter_fastest() {
        let parameters = ["threads=1,2", "chunk=5,6,7"].map(|text| parse_parameter(text).unwrap());
        let names: Vec<String> = cells(&parameters).unwrap().iter().map(Cell::name).collect();
        assert_eq!(names[..2], ["threads=1 chunk=5", "threads=1 chunk=6"]);
        assert_eq!((names.len(), names[5].as_str()), (6, "threads=2 chunk=7"));
    }

    #[test]
    fn only_known_names_in_braces_are_replaced() {
        let parameters = ["n=3", "name=a{n}b"].map(|text| parse_parameter(text).unwrap());
        let cell = &cells(&parameters).unwrap()[0];
        assert_eq!(
            replaced("{n}-{name}-{x}-{{n}}-{", cell),
            "3-a{n}b-{x}-{3}-{"
        );
    }

    #[test]
    fn mistakes_are_named() {
        for text in ["threads", "=1", "a=1,,2", "a b=1"] {
            assert!(
                parse_parameter(text)
                    .unwrap_err()
                    .contains("expected NAME=VALUE"),
                "{text}"
            );
        }
        assert!(
            parse_parameter("n=1,1")
                .unwrap_err()
                .contains("the same value twice")
        );
        let n = parse_parameter("n=1,2").unwrap();
        assert!(
            cells(&[n.clone(), n.clone()])
                .unwrap_err()
                .contains("set twice")
        );
        assert!(cells(&[]).unwrap_err().contains("needs a parameter"));
        let used = check_use(&[n], ["--n", "5"].into_iter());
        assert!(used.unwrap_err().contains("nor --env contain {n}"));
    }
}
