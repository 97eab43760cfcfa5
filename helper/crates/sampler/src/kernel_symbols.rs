//! Names of kernel functions. Addresses stay in this process: what leaves it are ids and names.

use std::fs;

/// Function symbols of the kernel and its modules, by address.
#[derive(Default)]
pub struct KernelSymbols {
    addresses: Vec<u64>,
    names: Vec<Box<str>>,
    told: Vec<bool>,
}

impl KernelSymbols {
    /// Reads `/proc/kallsyms`; empty where the kernel hides its addresses.
    pub fn read() -> KernelSymbols {
        Self::parse(&fs::read_to_string("/proc/kallsyms").unwrap_or_default())
    }

    /// Lines are `address type name [module]`; types t, T, w and W are functions.
    fn parse(text: &str) -> KernelSymbols {
        let mut symbols: Vec<(u64, &str)> = text.lines().filter_map(parse_line).collect();
        symbols.sort_by_key(|(address, _)| *address);
        symbols.dedup_by_key(|(address, _)| *address);
        KernelSymbols {
            addresses: symbols.iter().map(|(address, _)| *address).collect(),
            told: vec![false; symbols.len()],
            names: symbols.into_iter().map(|(_, name)| name.into()).collect(),
        }
    }

    /// The id of the function at `address` (0: none), and its name when it is asked for the first time.
    pub fn id_of(&mut self, address: u64) -> (u32, Option<&str>) {
        let Some(index) = self
            .addresses
            .partition_point(|a| *a <= address)
            .checked_sub(1)
        else {
            return (0, None);
        };
        let first = !std::mem::replace(&mut self.told[index], true);
        (index as u32 + 1, first.then(|| &*self.names[index]))
    }
}

fn parse_line(line: &str) -> Option<(u64, &str)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let is_function = matches!(words.next()?, "t" | "T" | "w" | "W");
    let name = words.next()?;
    (is_function && address != 0).then_some((address, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 T _stext
ffffffff81000010 t do_one
ffffffff81000020 D not_code
ffffffffc0000000 t helper\t[module]
";

    #[test]
    fn an_address_belongs_to_the_function_before_it() {
        let mut symbols = KernelSymbols::parse(TEXT);
        assert_eq!(symbols.id_of(0xffff_ffff_8100_0015), (2, Some("do_one")));
        assert_eq!(symbols.id_of(0xffff_ffff_8100_0030), (2, None));
        assert_eq!(symbols.id_of(0xffff_ffff_c000_0001), (3, Some("helper")));
        assert_eq!(symbols.id_of(1), (0, None));
    }

    #[test]
    fn hidden_addresses_give_no_names() {
        let mut symbols = KernelSymbols::parse("0000000000000000 T _stext\n");
        assert_eq!(symbols.id_of(u64::MAX), (0, None));
    }
}
