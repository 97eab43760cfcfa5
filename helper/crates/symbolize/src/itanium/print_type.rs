//! Types as text. A declarator surrounds what it declares (`void (*)(int)`), so each type has a left and a right part.

use super::printer::{Printer, Result};
use super::tree::{Exceptions, Function, Node, NodeId, Qualifiers, Reference};

/// What decides how a pointer or reference to a type is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    Function,
    Array,
}

impl Printer<'_, '_> {
    pub fn type_left(&mut self, id: NodeId) -> Result {
        match self.tree.node(id) {
            Node::Builtin(builtin) => self.put(builtin.name),
            Node::Qualified { inner, qualifiers } => {
                self.write_left(inner)?;
                let there = self.qualifiers_of(inner)?;
                self.qualifiers(Qualifiers {
                    is_const: qualifiers.is_const && !there.is_const,
                    is_volatile: qualifiers.is_volatile && !there.is_volatile,
                    is_restrict: qualifiers.is_restrict && !there.is_restrict,
                    reference: None,
                })
            }
            Node::Vendor { inner, qualifier } => {
                self.write(inner)?;
                self.put(" ")?;
                self.write(qualifier)
            }
            Node::Pointer(inner) => self.declarator_left(inner, "*"),
            Node::Referenced { inner, kind } => {
                let (inner, kind, depth) = self.collapsed(inner, kind)?;
                self.further_out(depth, |printer| printer.declarator_left(inner, kind.sign()))
            }
            Node::WithWord { inner, word } => {
                self.write(inner)?;
                self.put(word)
            }
            Node::MemberPointer { class, member } => {
                self.write_left(member)?;
                match self.shape(member)? {
                    Shape::Plain => self.put(" ")?,
                    Shape::Function => self.put("(")?,
                    Shape::Array => self.put(" (")?,
                }
                self.write(class)?;
                self.put("::*")
            }
            Node::Array { element, .. } => self.write_left(element),
            Node::Vector { element, length } => {
                self.write(element)?;
                self.put(" __vector(")?;
                self.write(length)?;
                self.put(")")
            }
            Node::Function(function) => {
                self.write_left(function.returns)?;
                match self.ends_within_declarator(function.returns)? {
                    true => Ok(()),
                    false => self.put(" "),
                }
            }
            Node::Decltype(expression) => {
                self.put("decltype (")?;
                self.write(expression)?;
                self.put(")")
            }
            Node::TemplateParameter(number) if self.in_lambda => {
                self.put(&format!("auto:{}", number + 1))
            }
            Node::TemplateParameter(number) => {
                let argument = self.argument(number)?;
                self.around(|printer| printer.write_left(argument))
            }
            Node::ArgumentPack(arguments) => self.write_list(arguments),
            Node::Expansion(pattern) => self.expansion(pattern),
            Node::Elaborated { word, name } => {
                self.put(word)?;
                self.write(name)
            }
            _ => self.expression(id),
        }
    }

    pub fn write_right(&mut self, id: NodeId) -> Result {
        self.deeper(|printer| match printer.tree.node(id) {
            Node::Qualified { inner, .. } => printer.write_right(inner),
            Node::Pointer(inner) => printer.declarator_right(inner),
            Node::MemberPointer { member, .. } => printer.declarator_right(member),
            Node::Referenced { inner, kind } => {
                let (inner, _, depth) = printer.collapsed(inner, kind)?;
                printer.further_out(depth, |printer| printer.declarator_right(inner))
            }
            Node::Array { element, length } => {
                printer.put(if printer.last() == ']' { "[" } else { " [" })?;
                if let Some(length) = length {
                    printer.write(length)?;
                }
                printer.put("]")?;
                printer.write_right(element)
            }
            Node::Function(function) => printer.function_right(&function),
            Node::TemplateParameter(_) if printer.in_lambda => Ok(()),
            Node::TemplateParameter(number) => {
                let argument = printer.argument(number)?;
                printer.around(|printer| printer.write_right(argument))
            }
            _ => Ok(()),
        })
    }

    fn function_right(&mut self, function: &Function) -> Result {
        self.put("(")?;
        self.write_list(function.parameters)?;
        self.put(")")?;
        self.qualifiers(function.qualifiers)?;
        match function.exceptions {
            Exceptions::Unsaid => {}
            Exceptions::None => self.put(" noexcept")?,
            Exceptions::NoneIf(condition) => {
                self.put(" noexcept(")?;
                self.write(condition)?;
                self.put(")")?;
            }
            Exceptions::Throws(types) => {
                self.put(" throw(")?;
                self.write_list(types)?;
                self.put(")")?;
            }
        }
        self.write_right(function.returns)
    }

    fn declarator_left(&mut self, inner: NodeId, sign: &str) -> Result {
        self.write_left(inner)?;
        match self.shape(inner)? {
            Shape::Plain => {}
            Shape::Function => self.put("(")?,
            Shape::Array => self.put(" (")?,
        }
        self.put(sign)
    }

    fn declarator_right(&mut self, inner: NodeId) -> Result {
        if self.shape(inner)? != Shape::Plain {
            self.put(")")?;
        }
        self.write_right(inner)
    }

    fn shape(&mut self, id: NodeId) -> Result<Shape> {
        self.deeper(|printer| match printer.tree.node(id) {
            Node::Function(_) => Ok(Shape::Function),
            Node::Array { .. } => Ok(Shape::Array),
            Node::Qualified { inner, .. } => printer.shape(inner),
            Node::TemplateParameter(_) if printer.in_lambda => Ok(Shape::Plain),
            Node::TemplateParameter(number) => {
                let argument = printer.argument(number)?;
                printer.around(|printer| printer.shape(argument))
            }
            _ => Ok(Shape::Plain),
        })
    }

    /// What a type has already when it is qualified again: `T const` of `T = int const`.
    fn qualifiers_of(&mut self, id: NodeId) -> Result<Qualifiers> {
        self.deeper(|printer| match printer.tree.node(id) {
            Node::Qualified { qualifiers, .. } => Ok(qualifiers),
            Node::TemplateParameter(number) if !printer.in_lambda => {
                let argument = printer.argument(number)?;
                printer.around(|printer| printer.qualifiers_of(argument))
            }
            _ => Ok(Qualifiers::default()),
        })
    }

    /// Whether the left part of a return type ends where the function's name follows at once: `void (*`.
    pub fn ends_within_declarator(&mut self, id: NodeId) -> Result<bool> {
        self.deeper(|printer| match printer.tree.node(id) {
            Node::Pointer(inner) | Node::Referenced { inner, .. } => Ok(printer.shape(inner)?
                != Shape::Plain
                || printer.ends_within_declarator(inner)?),
            Node::MemberPointer { member, .. } => Ok(printer.shape(member)? != Shape::Plain),
            Node::TemplateParameter(number) if !printer.in_lambda => {
                let argument = printer.argument(number)?;
                printer.around(|printer| printer.ends_within_declarator(argument))
            }
            _ => Ok(false),
        })
    }

    /// References to references are one reference: `T&&` of `T = int&` is `int&`. The last number says how many scopes
    /// further out the result stands.
    fn collapsed(&mut self, inner: NodeId, kind: Reference) -> Result<(NodeId, Reference, usize)> {
        self.deeper(|printer| match printer.tree.node(inner) {
            Node::Referenced {
                inner,
                kind: inner_kind,
            } => {
                let both = match (kind, inner_kind) {
                    (Reference::RValue, Reference::RValue) => Reference::RValue,
                    _ => Reference::LValue,
                };
                printer.collapsed(inner, both)
            }
            Node::TemplateParameter(number) if !printer.in_lambda => {
                let argument = printer.argument(number)?;
                let (id, kind, depth) =
                    printer.around(|printer| printer.collapsed(argument, kind))?;
                Ok((id, kind, depth + 1))
            }
            _ => Ok((inner, kind, 0)),
        })
    }
}
