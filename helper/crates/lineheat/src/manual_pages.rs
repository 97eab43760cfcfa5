//! Manual pages for packages, from the command line's own description: `lineheat.1`, and `lineheat-NAME.1` for each command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

/// Write the manual pages into a folder
#[derive(clap::Args)]
pub struct Args {
    /// Folder that exists
    folder: PathBuf,
}

pub fn run(args: &Args, command: Command) -> ExitCode {
    match write_pages(command, &args.folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("lineheat: {}: {e}", args.folder.display());
            ExitCode::from(3)
        }
    }
}

fn write_pages(command: Command, folder: &Path) -> io::Result<()> {
    let mut whole = command.disable_help_subcommand(true);
    whole.build();
    let commands = whole.get_subcommands().filter(|c| !c.is_hide_set());
    for command in commands.chain([&whole]) {
        let mut page = Vec::new();
        let man = write_page(command, &mut page)?;
        std::fs::write(folder.join(man.get_filename()), page)?;
    }
    Ok(())
}

fn write_page(command: &Command, page: &mut Vec<u8>) -> io::Result<Man> {
    let man = Man::new(command.clone())
        .source(concat!("Lineheat ", env!("CARGO_PKG_VERSION")))
        .manual("Lineheat");
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.get_subcommands().any(|c| !c.is_hide_set()) {
        man.render_subcommands_section(page)?;
    }
    let text = command.get_after_help().map(ToString::to_string);
    after_help(text.as_deref().unwrap_or_default()).to_writer(page)?;
    Ok(man)
}

/// What `--help` closes with: examples, `COMMAND  what it does` indented below a heading, and paragraphs beside them.
fn after_help(text: &str) -> Roff {
    let mut page = Roff::new();
    let mut is_among_notes = false;
    for line in text.lines() {
        if let Some(example) = line.strip_prefix("  ") {
            let (command, what) = example.split_once("  ").unwrap_or((example, ""));
            page.control("TP", []).text([bold(command.trim())]);
            page.text([roman(what.trim())]);
            is_among_notes = false;
        } else if let Some(heading) = line.strip_suffix(':') {
            page.control("SH", [heading.to_uppercase().as_str()]);
        } else if line.is_empty() {
            page.control("PP", []);
        } else {
            if !is_among_notes {
                page.control("SH", ["NOTES"]);
            }
            page.text([roman(line)]);
            is_among_notes = true;
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn there_is_a_page_for_each_visible_command() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(Cli::command(), folder.path()).unwrap();
        let page = |name: &str| std::fs::read_to_string(folder.path().join(name));
        for command in Cli::command().get_subcommands() {
            let name = format!("lineheat-{}.1", command.get_name());
            assert_eq!(page(&name).is_ok(), !command.is_hide_set(), "{name}");
        }
        assert!(page("lineheat.1").unwrap().contains("lineheat\\-record(1)"));
    }

    #[test]
    fn an_example_is_a_command_with_what_it_does_below_it() {
        let page = after_help("Examples:\n  lineheat x -- y   does\n  lineheat z\n\nMore.");
        let expected = ".SH EXAMPLES\n.TP\n\\fBlineheat x \\-\\- y\\fR\ndoes\n.TP\n\\fBlineheat z\\fR\n\n.PP\n.SH NOTES\nMore.\n";
        assert_eq!(page.to_roff(), expected);
    }
}
