//! Template parameter packs: a pattern is written once for each argument.

use super::printer::{Printer, Result};
use super::tree::{List, Node, NodeId};

impl Printer<'_, '_> {
    /// The pattern once for each argument of the pack in it.
    pub fn expansion(&mut self, pattern: NodeId) -> Result {
        let pack = match self.in_lambda {
            true => None,
            false => self.find_pack(pattern)?,
        };
        let Some(pack) = pack else {
            self.subexpression(pattern)?;
            return self.put("...");
        };
        let before = self.pack_index;
        for index in 0..self.tree.list(pack).len() {
            if index > 0 {
                self.put(", ")?;
            }
            self.pack_index = index;
            self.write(pattern)?;
        }
        self.pack_index = before;
        Ok(())
    }

    /// The first pack that a part of `id` stands for.
    pub fn find_pack(&mut self, id: NodeId) -> Result<Option<List>> {
        self.deeper(|printer| {
            let parts: &[NodeId] = match printer.tree.node(id) {
                Node::TemplateParameter(number) => return Ok(printer.pack(number)),
                Node::Expansion(_) | Node::Lambda { .. } | Node::Encoding(_) => return Ok(None),
                Node::Nested { scope, name } => &[scope, name],
                Node::Template { name, arguments } => {
                    if let Some(pack) = printer.find_pack(name)? {
                        return Ok(Some(pack));
                    }
                    return printer.find_pack_in(arguments);
                }
                Node::Qualified { inner, .. }
                | Node::Referenced { inner, .. }
                | Node::WithWord { inner, .. } => &[inner],
                Node::Vendor { inner, qualifier } => &[inner, qualifier],
                Node::Pointer(inner)
                | Node::Decltype(inner)
                | Node::Global(inner)
                | Node::Conversion(inner)
                | Node::Destructor(inner)
                | Node::Constructor(inner) => &[inner],
                Node::MemberPointer { class, member } => &[class, member],
                Node::Array {
                    element,
                    length: Some(length),
                }
                | Node::Vector { element, length } => &[element, length],
                Node::Array { element, .. } => &[element],
                Node::Function(function) => {
                    if let Some(pack) = printer.find_pack(function.returns)? {
                        return Ok(Some(pack));
                    }
                    return printer.find_pack_in(function.parameters);
                }
                Node::ArgumentPack(arguments) => return printer.find_pack_in(arguments),
                Node::Literal { of, .. } => &[of],
                Node::Unary { operand, .. } | Node::Postfix { operand, .. } => &[operand],
                Node::Binary { left, right, .. } => &[left, right],
                Node::Conditional {
                    condition,
                    then,
                    otherwise,
                } => &[condition, then, otherwise],
                Node::Call {
                    function,
                    arguments,
                } => {
                    if let Some(pack) = printer.find_pack(function)? {
                        return Ok(Some(pack));
                    }
                    return printer.find_pack_in(arguments);
                }
                Node::Cast { to, value } | Node::NamedCast { to, value, .. } => &[to, value],
                Node::Values { values, .. } => return printer.find_pack_in(values),
                Node::BracedOf { of, values } => {
                    if let Some(pack) = printer.find_pack(of)? {
                        return Ok(Some(pack));
                    }
                    return printer.find_pack_in(values);
                }
                _ => return Ok(None),
            };
            for part in parts {
                if let Some(pack) = printer.find_pack(*part)? {
                    return Ok(Some(pack));
                }
            }
            Ok(None)
        })
    }

    fn find_pack_in(&mut self, list: List) -> Result<Option<List>> {
        let tree = self.tree;
        for id in tree.list(list) {
            if let Some(pack) = self.find_pack(*id)? {
                return Ok(Some(pack));
            }
        }
        Ok(None)
    }
}
