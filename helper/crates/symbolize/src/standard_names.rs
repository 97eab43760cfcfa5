//! C++ names as a programmer writes them: `std::string` instead of its expansion, default template arguments left out.
//! Only arguments that are the library's defaults go, so two different types never get one name.

const DEPTH_MAX: usize = 64;

/// Inline namespaces that version the standard libraries (libstdc++'s new strings, libc++).
const VERSION_NAMESPACES: [&str; 2] = ["std::__cxx11::", "std::__1::"];

/// Templates over `char` that have a name of their own.
const NAMED: [(&str, &str); 7] = [
    ("std::basic_string<char>", "std::string"),
    ("std::basic_string_view<char>", "std::string_view"),
    ("std::basic_ostream<char>", "std::ostream"),
    ("std::basic_istream<char>", "std::istream"),
    ("std::basic_ifstream<char>", "std::ifstream"),
    ("std::basic_ofstream<char>", "std::ofstream"),
    ("std::basic_regex<char>", "std::regex"),
];

/// The short form of a demangled C++ name; the name itself when its brackets do not match.
pub fn shorten(name: &str) -> String {
    if !name.contains("std::") {
        return name.to_owned();
    }
    let mut plain = name.to_owned();
    for namespace in VERSION_NAMESPACES {
        plain = plain.replace(namespace, "std::");
    }
    shorten_arguments(&plain, 0).unwrap_or_else(|| name.to_owned())
}

/// Rewrites every `<…>` of the text. None: too deep, or a bracket that nothing closes.
fn shorten_arguments(text: &str, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = next_template(rest) {
        let (head, tail) = rest.split_at(open);
        out.push_str(head);
        let (arguments, length) = split_arguments(&tail[1..])?;
        let arguments: Vec<String> = (arguments.iter())
            .map(|a| shorten_arguments(a.trim(), depth + 1))
            .collect::<Option<_>>()?;
        let kept = &arguments[..count_without_defaults(&arguments)];
        out.push('<');
        out.push_str(&kept.join(", "));
        out.push('>');
        rest = &tail[1 + length..];
        for (long, short) in NAMED {
            if out.ends_with(long) {
                out.truncate(out.len() - long.len());
                out.push_str(short);
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Where the next template argument list opens; `operator<` and its kind open none.
fn next_template(text: &str) -> Option<usize> {
    let opens = |at: &usize| {
        let before = text[..*at].trim_end_matches(['<', '=']);
        !before.ends_with("operator") || text[..*at].ends_with("operator<<") // operator<< <char, …>
    };
    let mut from = 0;
    loop {
        let at = from + text[from..].find('<')?;
        if opens(&at) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The arguments up to the matching `>`, and the length up to and with it.
fn split_arguments(text: &str) -> Option<(Vec<&str>, usize)> {
    let bytes = text.as_bytes();
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'>' if at > 0 && bytes[at - 1] == b'-' => {} // ->
            b'>' if depth == 0 => {
                arguments.push(&text[start..at]);
                return Some((arguments, at + 1));
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                arguments.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// How many arguments are left when trailing defaults go.
fn count_without_defaults(arguments: &[String]) -> usize {
    let Some(first) = arguments.first() else {
        return 0;
    };
    let is_default = |argument: &String| {
        argument.starts_with("std::allocator<")
            || ["less", "equal_to", "hash", "default_delete", "char_traits"]
                .iter()
                .any(|of| *argument == format!("std::{of}<{first}>"))
    };
    let mut count = arguments.len();
    while count > 1 && is_default(&arguments[count - 1]) {
        count -= 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::shorten;

    const STRING: &str =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";

    #[test]
    fn strings_and_containers_are_called_as_they_are_written() {
        let map = format!(
            "std::map<{STRING}, std::vector<int, std::allocator<int> >, std::less<{STRING} >, \
             std::allocator<std::pair<{STRING} const, std::vector<int, std::allocator<int> > > > >::operator[]"
        );
        assert_eq!(
            shorten(&map),
            "std::map<std::string, std::vector<int>>::operator[]"
        );
        let set = "std::unordered_map<int, Foo, std::hash<int>, std::equal_to<int>, \
            std::allocator<std::pair<int const, Foo> > >::find";
        assert_eq!(shorten(set), "std::unordered_map<int, Foo>::find");
    }

    #[test]
    fn what_is_no_default_stays() {
        for name in [
            "std::set<int, std::greater<int>>::insert",
            "std::map<int, Foo, std::less<void>>::find",
            "std::vector<int, Arena<int>>::push_back",
            "foo<Bar, std::less<Baz>>",
        ] {
            assert_eq!(shorten(name), name);
        }
    }

    #[test]
    fn operators_arrows_and_functions_are_no_brackets() {
        for name in [
            "std::operator<",
            "std::less<int>::operator()",
            "std::unique_ptr<Foo>::operator->",
            "std::function<void (int, std::string)>::operator()",
            "std::__invoke<main::{lambda(int)#1}>",
            "std::operator<<",
            "std::strong_ordering::operator<=>",
        ] {
            assert_eq!(shorten(name), name);
        }
        let stream = "std::operator<< <std::char_traits<char> >";
        assert_eq!(shorten(stream), "std::operator<< <std::char_traits<char>>");
    }

    #[test]
    fn a_name_that_cannot_be_read_stays_as_it_is() {
        for name in ["std::vector<int", "std::a>b", "std::x<(>"] {
            assert_eq!(shorten(name), name);
        }
        let deep = format!("std::{}", "a<".repeat(100));
        assert_eq!(shorten(&deep), deep);
    }
}
