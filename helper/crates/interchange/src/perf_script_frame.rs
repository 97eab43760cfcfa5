//! A frame of `perf script`: `address symbol+offset (module)`, and on the line below it, with `-F +srcline`, its source line.

use profile::KERNEL;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerfFrame<'a> {
    pub address: u64,
    /// "": unknown.
    pub name: &'a str,
    /// "": unknown.
    pub module: &'a str,
    /// "": unknown.
    pub file: &'a str,
    /// 0: unknown.
    pub line: u32,
}

const INLINED: &str = " (inlined)";
/// How wide addresses are printed.
const ADDRESS_WIDTH: usize = 16;
const UNKNOWN: &str = "[unknown]";

impl<'a> PerfFrame<'a> {
    /// Of the line of a frame and the one below it, if that is a source line.
    pub fn of(text: &'a str) -> PerfFrame<'a> {
        let (frame, place) = text.split_once('\n').unwrap_or((text, ""));
        let indent = frame.len() - frame.trim_start().len();
        let frame = without_mark(frame.trim());
        let (word, rest) = frame.split_once(' ').unwrap_or((frame, ""));
        let (address, named) = match u64::from_str_radix(word, 16) {
            // A function may have a name such as `add`.
            Ok(address)
                if indent + word.len() >= ADDRESS_WIDTH
                    || word.contains(|c: char| c.is_ascii_digit()) =>
            {
                (address, rest)
            }
            _ => (0, frame),
        };
        let (name, module) = match module_behind(named) {
            Some((name, module)) => (name, without_offset(module)),
            None => (named, ""),
        };
        let name = without_offset(name.trim());
        let (file, line) = place_of(without_mark(place.trim())).unwrap_or_default();
        PerfFrame {
            address,
            name: if name == UNKNOWN { "" } else { name },
            module: match module {
                UNKNOWN => "",
                module if is_kernel(address, module) => KERNEL,
                module => module,
            },
            file,
            line,
        }
    }
}

/// Into the frame below it.
pub fn is_inlined(text: &str) -> bool {
    text.lines().any(|line| line.trim_end().ends_with(INLINED))
}

fn without_mark(text: &str) -> &str {
    text.strip_suffix(INLINED).unwrap_or(text)
}

/// `name (module)`: names and paths have parentheses of their own.
fn module_behind(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let mut depth = 1;
    let open = inner.bytes().rposition(|byte| {
        depth += match byte {
            b')' => 1,
            b'(' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    let is_apart = open == 0 || inner.as_bytes()[open - 1] == b' ';
    is_apart.then(|| (&text[..open], &inner[open + 1..]))
}

/// `+0x1f` at the end.
fn without_offset(text: &str) -> &str {
    match text.rsplit_once("+0x") {
        Some((name, offset))
            if !name.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => text,
    }
}

fn place_of(text: &str) -> Option<(&str, u32)> {
    // As addr2line writes of loops.
    let text = text.split(" (discriminator").next()?;
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!file.is_empty() && file != "??").then_some((file, line))
}

/// Modules of the kernel are named `[name]`.
fn is_kernel(address: u64, module: &str) -> bool {
    module.starts_with("[kernel")
        || module.starts_with("[guest.kernel")
        || (address >> 63 == 1 && module != "[vsyscall]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_names_modules_and_places() {
        let of = |address, name, module, file, line| PerfFrame {
            address,
            name,
            module,
            file,
            line,
        };
        for (text, expected) in [
            (
                "\t            11c8 grind+0x28 (/src/mill/mill)\n  mill.c:29\n",
                of(0x11c8, "grind", "/src/mill/mill", "mill.c", 29),
            ),
            (
                "\tffffffff813a2413 finish_task_switch.isra.0+0x93 ([kernel.kallsyms])\n  [kernel.kallsyms][ffffffff813a2413]",
                of(
                    0xffff_ffff_813a_2413,
                    "finish_task_switch.isra.0",
                    KERNEL,
                    "",
                    0,
                ),
            ),
            (
                "\tffffffffc0123456 nf_hook+0x1 ([nf_tables])",
                of(0xffff_ffff_c012_3456, "nf_hook", KERNEL, "", 0),
            ),
            (
                "\t    7f0000001234 (anonymous namespace)::f(int, std::less<>)+0x1f (/a b/lib (1).so (deleted))",
                of(
                    0x7f00_0000_1234,
                    "(anonymous namespace)::f(int, std::less<>)",
                    "/a b/lib (1).so (deleted)",
                    "",
                    0,
                ),
            ),
            (
                "\t           d44a3 [unknown] (/usr/lib/libc.so.6)",
                of(0xd44a3, "", "/usr/lib/libc.so.6", "", 0),
            ),
            (
                "\t           d44a3 [unknown] ([unknown])",
                of(0xd44a3, "", "", "", 0),
            ),
            ("\t            1585 work", of(0x1585, "work", "", "", 0)),
            (
                "\t            1585 (/x/own)",
                of(0x1585, "", "/x/own", "", 0),
            ),
            ("\t add (/x/own)", of(0, "add", "/x/own", "", 0)),
            (
                "\t            11c8 crush (inlined)",
                of(0x11c8, "crush", "", "", 0),
            ),
            (
                "\t            11c8 crush\n  mill.c:12 (inlined)",
                of(0x11c8, "crush", "", "mill.c", 12),
            ),
            (
                "\t            11c8 f(int) (/x)\n  ??:0",
                of(0x11c8, "f(int)", "/x", "", 0),
            ),
        ] {
            assert_eq!(PerfFrame::of(text), expected, "{text}");
        }
    }
}
