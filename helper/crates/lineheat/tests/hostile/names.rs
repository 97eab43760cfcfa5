//! Names made to steer a terminal, a browser or a shell.

use profile::run::Source;
use profile::{LabelValue, LineOf, MappingOf, Profile, ProfileBuilder, RunInfo};

pub const EVIL_NAMES: [&str; 24] = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1bP$q\"p\x1b\\",
    "\x1b[c\x1b[6n\x1b[2J\x1b[H",
    "\u{9b}2J\u{9d}0;title\u{9c}",
    "bell\x07\x08\x08\x08\x08back",
    "right\rwrong",
    "one row\nlineheat: nothing was lost",
    "\0\x01\x02\x7f",
    "a\u{202e}dlrow\u{202c}b",
    "a\u{2066}b\u{2067}c\u{2068}d\u{2069}e\u{200e}\u{200f}\u{61c}",
    "in\u{200b}visi\u{200d}ble\u{feff}\u{2060}",
    "line\u{2028}paragraph\u{2029}next\u{85}",
    "<img src=x onerror=alert(1)>",
    "<script>fetch('http://evil.example/')</script>",
    "[click](command:workbench.action.terminal.new)",
    "$(touch /tmp/lineheat-evil); `id` | sh",
    "--help",
    "../../../../../../etc/passwd",
    "__proto__",
    "%s%s%n%x",
    "\u{1b}\u{5b}\u{e0041}z\u{300}\u{301}\u{302}\u{303}\u{fff9}tag\u{fffb}",
];

/// A run in which everything that may have a name has this one.
pub fn profile_named(name: &str) -> Profile {
    let mut builder = ProfileBuilder::new(&[(name, name)]);
    let module = builder.add_mapping(MappingOf {
        filename: name,
        build_id: name,
        ..MappingOf::default()
    });
    let function = builder.add_function(name, name, name, 1);
    let line = LineOf {
        function,
        line: 1,
        column: 0,
    };
    let leaf = builder.add_location(Some(module), 1, &[line, line]);
    let root = builder.add_location(Some(module), 2, &[line]);
    let labels = [(name, LabelValue::Text(name))];
    builder.add_sample(&[leaf, root], &[100], &labels);
    builder.set_run(RunInfo {
        format: 1,
        name: name.into(),
        command: vec![name.into(), name.into()],
        cwd: name.into(),
        event: name.into(),
        git_commit: name.into(),
        problems: vec![name.into()],
        sources: vec![Source {
            path: name.into(),
            text: format!("{name}\n{name}\n"),
            ..Source::default()
        }],
        ..RunInfo::default()
    });
    builder.finish()
}

/// The first character that no terminal may get from foreign text: C0 (but for ends of lines), C1, what turns the
/// direction of writing.
pub fn first_unsafe(text: &str) -> Option<char> {
    text.chars().find(|&c| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}
