//! What the compiler makes for classes and functions: tables, thunks, guards (section 5.1.4 of the ABI).

use super::parser::Parser;
use super::tree::{Node, NodeId};

impl Parser<'_> {
    pub fn special_name(&mut self) -> Option<NodeId> {
        for (code, before) in [
            ("TV", "vtable for "),
            ("TT", "VTT for "),
            ("TI", "typeinfo for "),
            ("TS", "typeinfo name for "),
            ("TF", "typeinfo fn for "),
        ] {
            if self.accepted(code) {
                let of = self.type_()?;
                return Some(self.add(Node::Special { before, of }));
            }
        }
        for (code, before) in [
            ("TH", "TLS init function for "),
            ("TW", "TLS wrapper function for "),
            ("GV", "guard variable for "),
        ] {
            if self.accepted(code) {
                let of = self.name()?.id;
                return Some(self.add(Node::Special { before, of }));
            }
        }
        for (code, before) in [
            ("GA", "hidden alias for "),
            ("GTt", "transaction clone for "),
            ("GTn", "non-transaction clone for "),
        ] {
            if self.accepted(code) {
                let of = self.encoding()?;
                return Some(self.add(Node::Special { before, of }));
            }
        }
        if self.accepted("TA") {
            let of = self.template_argument()?;
            let before = "template parameter object for ";
            return Some(self.add(Node::Special { before, of }));
        }
        if self.accepted("GR") {
            let of = self.name()?.id;
            let number = self.reference_temporary_number()?;
            return Some(self.add(Node::ReferenceTemporary { of, number }));
        }
        if self.accepted("TC") {
            let within = self.type_()?;
            self.number()?;
            self.wanted("_")?;
            let of = self.type_()?;
            return Some(self.add(Node::ConstructionVtable { of, within }));
        }
        let before = if self.accepted("Tc") {
            self.call_offset()?;
            self.call_offset()?;
            "covariant return thunk to "
        } else if self.starts_with("Th") {
            self.taken(1)?;
            self.call_offset()?;
            "non-virtual thunk to "
        } else if self.starts_with("Tv") {
            self.taken(1)?;
            self.call_offset()?;
            "virtual thunk to "
        } else {
            return None;
        };
        let of = self.encoding()?;
        Some(self.add(Node::Special { before, of }))
    }

    fn call_offset(&mut self) -> Option<()> {
        if self.accepted("h") {
            self.offset()?;
            return self.wanted("_");
        }
        self.wanted("v")?;
        self.offset()?;
        self.wanted("_")?;
        self.offset()?;
        self.wanted("_")
    }

    fn offset(&mut self) -> Option<()> {
        self.accepted("n");
        self.number().map(drop)
    }

    /// Counted in base 36, with or without the closing underscore that older compilers left out.
    fn reference_temporary_number(&mut self) -> Option<usize> {
        let place = self.place();
        while matches!(self.peek(), b'0'..=b'9' | b'A'..=b'Z') {
            self.taken(1)?;
        }
        let digits = self.since(&place)?;
        self.accepted("_");
        match digits {
            "" => Some(0),
            digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1),
        }
    }
}
