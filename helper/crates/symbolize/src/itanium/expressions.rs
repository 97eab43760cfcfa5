//! Expressions in template arguments and decltype (section 5.1.6 of the ABI).

use super::operators::{Kind, operator_of};
use super::parser::{Parser, ScopesOfExpressions};
use super::tree::{FoldForm, List, Node, NodeId};

impl Parser<'_> {
    pub fn expression(&mut self) -> Option<NodeId> {
        self.deeper(|parser| match (parser.peek(), parser.peek_after(1)) {
            (b'L', _) => parser.literal(),
            (b'T', _) => parser.template_parameter(),
            (b'f', b'p') => parser.function_parameter(),
            (b'f', b'L') if parser.peek_after(2).is_ascii_digit() => parser.function_parameter(),
            (b'f', b'l' | b'r' | b'L' | b'R') => parser.fold(),
            (b's', b'r') => parser.scoped_expression(),
            (b'o', b'n') => {
                parser.taken(2)?;
                parser.unresolved_name()
            }
            (b'0'..=b'9', _) => parser.unresolved_name(),
            (b'i', b'l') => {
                parser.taken(2)?;
                let values = parser.until_end(Parser::expression)?;
                let in_braces = true;
                Some(parser.add(Node::Values { values, in_braces }))
            }
            (b't', b'l') => {
                parser.taken(2)?;
                let of = parser.type_()?;
                let values = parser.until_end(Parser::expression)?;
                Some(parser.add(Node::BracedOf { of, values }))
            }
            (b'u', b'0'..=b'9') => parser.vendor_expression(),
            (b'g', b's') => {
                parser.taken(2)?;
                let name = parser.expression()?;
                Some(parser.add(Node::Global(name)))
            }
            _ => parser.operation(),
        })
    }

    fn function_parameter(&mut self) -> Option<NodeId> {
        if self.accepted("fpT") {
            return Some(self.add(Node::Text("this")));
        }
        if self.accepted("fL") {
            self.number()?;
            self.wanted("p")?;
        } else {
            self.wanted("fp")?;
        }
        self.cv_qualifiers();
        let number = self.sequence_number()?;
        Some(self.add(Node::FunctionParameter(number + 1)))
    }

    fn fold(&mut self) -> Option<NodeId> {
        let direction = self.taken(2)?;
        let operator = operator_of(self.taken(2)?)?;
        let first = self.expression()?;
        let form = match direction {
            "fl" => FoldForm::UnaryLeft(first),
            "fr" => FoldForm::UnaryRight(first),
            _ => FoldForm::Binary(first, self.expression()?),
        };
        Some(self.add(Node::Fold { operator, form }))
    }

    /// `sr`: a name in a type, or in one of several scopes one within the other.
    fn scoped_expression(&mut self) -> Option<NodeId> {
        self.wanted("sr")?;
        let names = self.scopes != ScopesOfExpressions::Type;
        let scope = if names && self.peek().is_ascii_digit() {
            self.levels(None)?
        } else if self.scopes == ScopesOfExpressions::Names && self.accepted("N") {
            let first = self.type_()?;
            self.levels(Some(first))?
        } else {
            self.type_()?
        };
        let name = self.unresolved_base()?;
        let nested = self.add(Node::Nested { scope, name });
        self.arguments_of(nested)
    }

    /// Simple names, one within the other, up to `E`.
    fn levels(&mut self, first: Option<NodeId>) -> Option<NodeId> {
        let mut scope = first;
        while !self.accepted("E") {
            let level = match (scope, self.peek()) {
                (Some(name), b'I') => self.arguments_of(name)?,
                (scope, _) => {
                    let name = self.source_name()?;
                    match scope {
                        Some(scope) => self.add(Node::Nested { scope, name }),
                        None => name,
                    }
                }
            };
            scope = Some(level);
        }
        scope
    }

    fn arguments_of(&mut self, name: NodeId) -> Option<NodeId> {
        if self.peek() != b'I' {
            return Some(name);
        }
        let arguments = self.template_arguments()?;
        Some(self.add(Node::Template { name, arguments }))
    }

    /// The last part of a name that depends on template parameters.
    fn unresolved_name(&mut self) -> Option<NodeId> {
        let name = self.unresolved_base()?;
        self.arguments_of(name)
    }

    fn unresolved_base(&mut self) -> Option<NodeId> {
        Some(match self.peek() {
            b'd' if self.starts_with("dn") => {
                self.taken(2)?;
                let of = match self.peek() {
                    b'0'..=b'9' => {
                        let name = self.source_name()?;
                        self.arguments_of(name)?
                    }
                    _ => self.type_()?,
                };
                self.add(Node::Destructor(of))
            }
            b'o' if self.accepted("on") => self.operator_name()?,
            b'0'..=b'9' => self.source_name()?,
            _ => self.operator_name()?,
        })
    }

    fn vendor_expression(&mut self) -> Option<NodeId> {
        self.wanted("u")?;
        let name = self.source_name()?;
        let arguments = self.until_end(Parser::template_argument)?;
        Some(self.add(Node::VendorExpression { name, arguments }))
    }

    fn operation(&mut self) -> Option<NodeId> {
        if self.accepted("sp") {
            let pattern = self.expression()?;
            return Some(self.add(Node::Expansion(pattern)));
        }
        if self.accepted("sZ") {
            let pack = self.expression()?;
            return Some(self.add(Node::PackLength(pack)));
        }
        if self.accepted("sP") {
            let arguments = self.until_end(Parser::template_argument)?;
            let pack = self.add(Node::ArgumentPack(arguments));
            return Some(self.add(Node::PackLength(pack)));
        }
        if self.accepted("cv") {
            return self.conversion();
        }
        let operator = operator_of(self.taken(2)?)?;
        let node = match (operator.kind, operator.code) {
            (Kind::Unary, _) => {
                let operand = self.expression()?;
                Node::Unary { operator, operand }
            }
            (Kind::Binary, "dt" | "pt") => {
                let left = self.expression()?;
                let right = self.member()?;
                Node::Binary {
                    operator,
                    left,
                    right,
                }
            }
            (Kind::Binary, _) => {
                let (left, right) = (self.expression()?, self.expression()?);
                Node::Binary {
                    operator,
                    left,
                    right,
                }
            }
            (Kind::Other, "pp" | "mm") => {
                let is_prefix = self.accepted("_");
                let operand = self.expression()?;
                match is_prefix {
                    true => Node::Unary { operator, operand },
                    false => Node::Postfix { operator, operand },
                }
            }
            (Kind::Other, "cl") => {
                let function = self.expression()?;
                let arguments = self.until_end(Parser::expression)?;
                Node::Call {
                    function,
                    arguments,
                }
            }
            (Kind::Other, "qu") => Node::Conditional {
                condition: self.expression()?,
                then: self.expression()?,
                otherwise: self.expression()?,
            },
            (Kind::Other, "cc" | "dc" | "rc" | "sc") => {
                let (to, value) = (self.type_()?, self.expression()?);
                Node::NamedCast {
                    operator,
                    to,
                    value,
                }
            }
            (Kind::Other, "at" | "st" | "ti") => {
                let operand = self.type_()?;
                Node::Unary { operator, operand }
            }
            (Kind::Other, "tr") => Node::Text("throw"),
            (Kind::Other, "nw" | "na") => {
                let place = self.new_placement()?;
                let of = self.type_()?;
                let values = self.new_values()?;
                Node::New {
                    operator,
                    place,
                    of,
                    values,
                }
            }
            _ => return None,
        };
        Some(self.add(node))
    }

    /// What `.` or `->` leads to.
    fn member(&mut self) -> Option<NodeId> {
        match (self.peek(), self.peek_after(1)) {
            (b'0'..=b'9', _) | (b'd', b'n') | (b'o', b'n') => self.unresolved_name(),
            _ => self.expression(),
        }
    }

    fn conversion(&mut self) -> Option<NodeId> {
        let was_in = std::mem::replace(&mut self.in_conversion, false);
        let to = self.type_();
        self.in_conversion = was_in;
        let to = to?;
        let value = if self.accepted("_") {
            let values = self.until_end(Parser::expression)?;
            let in_braces = false;
            self.add(Node::Values { values, in_braces })
        } else {
            self.expression()?
        };
        Some(self.add(Node::Cast { to, value }))
    }

    fn new_placement(&mut self) -> Option<List> {
        let mut place = Vec::new();
        while !self.accepted("_") {
            place.push(self.expression()?);
        }
        Some(self.tree.add_list(&place))
    }

    fn new_values(&mut self) -> Option<Option<List>> {
        if self.accepted("E") {
            return Some(None);
        }
        if self.accepted("pi") {
            return Some(Some(self.until_end(Parser::expression)?));
        }
        if self.starts_with("il") {
            let value = self.expression()?;
            self.wanted("E")?;
            return Some(Some(self.tree.add_list(&[value])));
        }
        None
    }
}
