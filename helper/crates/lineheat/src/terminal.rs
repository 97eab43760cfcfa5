//! What the terminal can show: colour or none, our own marks in Unicode or ASCII, and how many columns.

use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use rustix::termios::tcgetwinsize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// Colour on a terminal that supports it (NO_COLOR, CLICOLOR and TERM=dumb are respected)
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    pub color: bool,
    pub unicode: bool,
    /// `None`: unbounded, as in a pipe or file.
    pub width: Option<usize>,
}

/// What a piece of text is; the terminal's own palette gives the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// What matters less.
    Faint,
    Warning,
    /// A tenth of all samples and more.
    Hot,
    Warm,
    Mild,
    Slower,
    Faster,
}

impl Terminal {
    /// As in a pipe.
    #[cfg(test)]
    pub const PLAIN: Terminal = Terminal {
        color: false,
        unicode: false,
        width: None,
    };

    pub fn of_stdout(choice: ColorChoice) -> Terminal {
        Terminal::of(&io::stdout(), choice)
    }

    pub fn of_stderr() -> Terminal {
        Terminal::of(&io::stderr(), ColorChoice::Auto)
    }

    fn of(stream: &(impl IsTerminal + AsFd), choice: ColorChoice) -> Terminal {
        let is_terminal = stream.is_terminal();
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused =
                    set("NO_COLOR").is_some() || set("CLICOLOR").is_some_and(|value| value == "0");
                !refused && (forced || (is_terminal && !dumb))
            }
        };
        let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(set)
            .is_some_and(|locale| {
                let locale = locale.to_string_lossy().to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8")
            });
        Terminal {
            color,
            unicode: is_terminal && !dumb && utf8,
            width: if is_terminal {
                window_width(stream)
            } else {
                None
            },
        }
    }

    /// `text` in the colour of `style`, or as it is.
    pub fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => return text.to_owned(),
            Style::Faint => "2",
            Style::Warning => "33",
            Style::Hot => "1;38;5;208",
            Style::Warm => "38;5;215",
            Style::Mild => "38;5;110",
            Style::Slower => "1;38;5;208",
            Style::Faster => "1;38;5;75",
        };
        if self.color && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn window_width(terminal: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Writes to stdout; a reader that has gone away (`| head`) is no failure.
pub fn print(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            failure(&format!("Cannot write the output: {error}."))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Says on stderr why something could not be read; exit status 3.
pub fn failure(message: &str) -> ExitCode {
    eprintln!("lineheat: {}", crate::terminal_text::visible(message));
    ExitCode::from(3)
}
