//! Names of kernel functions. Addresses stay in this process: what leaves it are ids and names.

use std::collections::HashMap;

/// The kernel functions met so far, numbered from 1 in order of appearance.
#[derive(Default)]
pub struct KernelSymbols {
    ids_by_address: HashMap<u64, u32>,
    ids_by_name: HashMap<String, u32>,
}

/// The number that stands for a kernel function without a name.
const UNNAMED: u32 = 0;

impl KernelSymbols {
    /// The id of the function at `address`, and its name when the function is met for the first time. `name_of` is
    /// asked once for each address.
    pub fn id_of(
        &mut self,
        address: u64,
        name_of: impl FnOnce(u64) -> Option<String>,
    ) -> (u32, Option<String>) {
        if let Some(id) = self.ids_by_address.get(&address) {
            return (*id, None);
        }
        // An address that the kernel cannot name is printed as a number, which must not leave.
        let name = name_of(address).filter(|name| !name.starts_with("0x"));
        let (id, new_name) = match name {
            None => (UNNAMED, None),
            Some(name) => match self.ids_by_name.get(&name) {
                Some(id) => (*id, None),
                None => {
                    let id = self.ids_by_name.len() as u32 + 1;
                    self.ids_by_name.insert(name.clone(), id);
                    (id, Some(name))
                }
            },
        };
        self.ids_by_address.insert(address, id);
        (id, new_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_told_once_whatever_its_addresses() {
        let mut symbols = KernelSymbols::default();
        let name = |name: &str| Some(name.to_string());
        assert_eq!(symbols.id_of(16, |_| name("do_one")), (1, name("do_one")));
        assert_eq!(symbols.id_of(17, |_| name("do_one")), (1, None));
        assert_eq!(
            symbols.id_of(32, |_| name("helper [module]")),
            (2, name("helper [module]"))
        );
        assert_eq!(symbols.id_of(16, |_| panic!("asked again")), (1, None));
    }

    #[test]
    fn an_address_without_a_name_stays_here() {
        let mut symbols = KernelSymbols::default();
        assert_eq!(
            symbols.id_of(16, |_| Some("0xffffffff81000000".into())),
            (0, None)
        );
        assert_eq!(symbols.id_of(17, |_| None), (0, None));
    }
}
