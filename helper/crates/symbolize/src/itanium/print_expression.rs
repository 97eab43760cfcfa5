//! Expressions as text, with the parentheses of GNU c++filt.

use super::operators::Operator;
use super::printer::{Printer, Result};
use super::tree::{FoldForm, List, LiteralForm, Node, NodeId};

impl Printer<'_, '_> {
    pub fn expression(&mut self, id: NodeId) -> Result {
        match self.tree.node(id) {
            Node::Literal {
                of,
                digits,
                is_negative,
            } => self.literal(of, digits, is_negative),
            Node::FunctionParameter(number) => self.put(&format!("{{parm#{number}}}")),
            Node::Unary { operator, operand } => self.unary(operator, operand),
            Node::Postfix { operator, operand } => {
                self.subexpression(operand)?;
                self.put(operator.text)
            }
            Node::Binary {
                operator,
                left,
                right,
            } => self.binary(operator, left, right),
            Node::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.subexpression(condition)?;
                self.put("?")?;
                self.subexpression(then)?;
                self.put(" : ")?;
                self.subexpression(otherwise)
            }
            Node::Call {
                function,
                arguments,
            } => {
                self.callee(function)?;
                self.in_parentheses(arguments)
            }
            Node::Cast { to, value } => {
                self.put("(")?;
                self.write(to)?;
                self.put(")")?;
                self.subexpression(value)
            }
            Node::NamedCast {
                operator,
                to,
                value,
            } => {
                self.put(operator.text)?;
                self.put("<")?;
                self.write(to)?;
                self.put(">(")?;
                self.write(value)?;
                self.put(")")
            }
            Node::Values { values, in_braces } => match in_braces {
                true => self.in_braces(values),
                false => self.write_list(values),
            },
            Node::BracedOf { of, values } => {
                self.write(of)?;
                self.in_braces(values)
            }
            Node::New {
                operator,
                place,
                of,
                values,
            } => {
                self.put(operator.text)?;
                if !self.tree.list(place).is_empty() {
                    self.put(" ")?;
                    self.in_parentheses(place)?;
                }
                self.put(" ")?;
                self.write(of)?;
                match values {
                    Some(values) => self.in_parentheses(values),
                    None => Ok(()),
                }
            }
            Node::PackLength(pack) => {
                let pack = self.find_pack_or_own(pack)?;
                let length = pack.map_or(0, |pack| self.tree.list(pack).len());
                self.put(&length.to_string())
            }
            Node::Fold { operator, form } => self.fold(operator, form),
            Node::VendorExpression { name, arguments } => {
                self.write(name)?;
                self.in_parentheses(arguments)
            }
            // All other nodes are names and types.
            _ => Ok(()),
        }
    }

    fn find_pack_or_own(&mut self, id: NodeId) -> Result<Option<List>> {
        match self.tree.node(id) {
            Node::ArgumentPack(pack) => Ok(Some(pack)),
            _ => self.find_pack(id),
        }
    }

    fn literal(&mut self, of: NodeId, digits: &str, is_negative: bool) -> Result {
        let sign = if is_negative { "-" } else { "" };
        let form = match self.tree.node(of) {
            Node::Builtin(builtin) => builtin.literal,
            _ => LiteralForm::Typed,
        };
        match (form, digits) {
            (LiteralForm::Suffix(suffix), _) => self.put(&format!("{sign}{digits}{suffix}")),
            (LiteralForm::Bool, "0") => self.put("false"),
            (LiteralForm::Bool, "1") => self.put("true"),
            (LiteralForm::Float, _) => {
                self.put("(")?;
                self.write(of)?;
                self.put(&format!("){sign}[{digits}]"))
            }
            _ => {
                self.put("(")?;
                self.write(of)?;
                self.put(&format!("){sign}{digits}"))
            }
        }
    }

    fn unary(&mut self, operator: &Operator, operand: NodeId) -> Result {
        if operator.code == "ad"
            && let Node::Encoding(encoding) = self.tree.node(operand)
            && let Node::Nested { .. } = self.tree.node(encoding.name)
            && encoding.parameters.is_some()
        {
            // The address of a member function is its name.
            self.put(operator.text)?;
            return self.subexpression(encoding.name);
        }
        self.put(operator.text)?;
        if matches!(operator.code, "st" | "nx") {
            self.put("(")?;
            self.write(operand)?;
            return self.put(")");
        }
        self.subexpression(operand)
    }

    fn binary(&mut self, operator: &Operator, left: NodeId, right: NodeId) -> Result {
        // Or `>` would end template arguments.
        let is_greater = operator.code == "gt";
        if is_greater {
            self.put("(")?;
        }
        self.subexpression(left)?;
        if operator.code == "ix" {
            self.put("[")?;
            self.write(right)?;
            self.put("]")?;
        } else {
            self.put(operator.text)?;
            self.subexpression(right)?;
        }
        if is_greater {
            self.put(")")?;
        }
        Ok(())
    }

    fn callee(&mut self, function: NodeId) -> Result {
        if let Node::Encoding(encoding) = self.tree.node(function) {
            return self.subexpression(encoding.name);
        }
        self.subexpression(function)
    }

    fn fold(&mut self, operator: &Operator, form: FoldForm) -> Result {
        let sign = operator.text;
        self.put("(")?;
        match form {
            FoldForm::UnaryLeft(pack) => {
                self.put("...")?;
                self.put(sign)?;
                self.subexpression(pack)?;
            }
            FoldForm::UnaryRight(pack) => {
                self.subexpression(pack)?;
                self.put(sign)?;
                self.put("...")?;
            }
            FoldForm::Binary(left, right) => {
                self.subexpression(left)?;
                self.put(&format!("{sign}...{sign}"))?;
                self.subexpression(right)?;
            }
        }
        self.put(")")
    }

    /// In parentheses, unless it is one word.
    pub fn subexpression(&mut self, id: NodeId) -> Result {
        let node = match self.tree.node(id) {
            // A variable is its name.
            Node::Encoding(encoding) if encoding.parameters.is_none() => {
                self.tree.node(encoding.name)
            }
            node => node,
        };
        let is_simple = matches!(
            node,
            Node::Text(_)
                | Node::Nested { .. }
                | Node::FunctionParameter(_)
                | Node::Values {
                    in_braces: true,
                    ..
                }
                | Node::BracedOf { .. }
        );
        if is_simple {
            return self.write(id);
        }
        self.put("(")?;
        self.write(id)?;
        self.put(")")
    }

    fn in_parentheses(&mut self, list: List) -> Result {
        self.put("(")?;
        self.write_list(list)?;
        self.put(")")
    }

    fn in_braces(&mut self, list: List) -> Result {
        self.put("{")?;
        self.write_list(list)?;
        self.put("}")
    }
}
