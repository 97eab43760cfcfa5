//! Types and template arguments (sections 5.1.5 and 5.1.6 of the ABI).

use super::parser::Parser;
use super::tree::{
    Builtin, Exceptions, Function, List, LiteralForm, Node, NodeId, Qualifiers, Reference,
};

const fn builtin(name: &'static str, literal: LiteralForm) -> Builtin {
    Builtin { name, literal }
}

/// By the letters after `a`; an empty name stands for no type.
static BUILTINS: [Builtin; 26] = [
    builtin("signed char", LiteralForm::Typed),
    builtin("bool", LiteralForm::Bool),
    builtin("char", LiteralForm::Typed),
    builtin("double", LiteralForm::Float),
    builtin("long double", LiteralForm::Float),
    builtin("float", LiteralForm::Float),
    builtin("__float128", LiteralForm::Float),
    builtin("unsigned char", LiteralForm::Typed),
    builtin("int", LiteralForm::Suffix("")),
    builtin("unsigned int", LiteralForm::Suffix("u")),
    builtin("", LiteralForm::Typed),
    builtin("long", LiteralForm::Suffix("l")),
    builtin("unsigned long", LiteralForm::Suffix("ul")),
    builtin("__int128", LiteralForm::Typed),
    builtin("unsigned __int128", LiteralForm::Typed),
    builtin("", LiteralForm::Typed),
    builtin("", LiteralForm::Typed),
    builtin("", LiteralForm::Typed),
    builtin("short", LiteralForm::Typed),
    builtin("unsigned short", LiteralForm::Typed),
    builtin("", LiteralForm::Typed),
    builtin("void", LiteralForm::Typed),
    builtin("wchar_t", LiteralForm::Typed),
    builtin("long long", LiteralForm::Suffix("ll")),
    builtin("unsigned long long", LiteralForm::Suffix("ull")),
    builtin("...", LiteralForm::Typed),
];

/// Those that begin with `D`.
static MORE_BUILTINS: [(&str, Builtin); 11] = [
    ("Da", builtin("auto", LiteralForm::Typed)),
    ("Dc", builtin("decltype(auto)", LiteralForm::Typed)),
    ("Dd", builtin("decimal64", LiteralForm::Typed)),
    ("De", builtin("decimal128", LiteralForm::Typed)),
    ("Df", builtin("decimal32", LiteralForm::Typed)),
    ("Dh", builtin("half", LiteralForm::Float)),
    ("Di", builtin("char32_t", LiteralForm::Typed)),
    ("Dn", builtin("decltype(nullptr)", LiteralForm::Typed)),
    ("Ds", builtin("char16_t", LiteralForm::Typed)),
    ("Du", builtin("char8_t", LiteralForm::Typed)),
    ("DF16b", builtin("std::bfloat16_t", LiteralForm::Float)),
];

/// `_FloatN` and `_FloatNx`.
static FLOATS: [(&str, Builtin); 7] = [
    ("DF16_", builtin("_Float16", LiteralForm::Float)),
    ("DF32_", builtin("_Float32", LiteralForm::Float)),
    ("DF64_", builtin("_Float64", LiteralForm::Float)),
    ("DF128_", builtin("_Float128", LiteralForm::Float)),
    ("DF32x", builtin("_Float32x", LiteralForm::Float)),
    ("DF64x", builtin("_Float64x", LiteralForm::Float)),
    ("DF128x", builtin("_Float128x", LiteralForm::Float)),
];

impl<'a> Parser<'a> {
    pub fn type_(&mut self) -> Option<NodeId> {
        self.deeper(|parser| {
            if let Some(builtin) = parser.builtin() {
                return Some(parser.add(Node::Builtin(builtin)));
            }
            let (id, is_new) = parser.compound_type()?;
            if is_new {
                parser.remember(id);
            }
            Some(id)
        })
    }

    fn builtin(&mut self) -> Option<&'static Builtin> {
        let first = self.peek();
        if first.is_ascii_lowercase() {
            let builtin = &BUILTINS[usize::from(first - b'a')];
            if builtin.name.is_empty() {
                return None;
            }
            self.taken(1)?;
            return Some(builtin);
        }
        let all = MORE_BUILTINS.iter().chain(&FLOATS);
        let (code, builtin) = all.into_iter().find(|(code, _)| self.starts_with(code))?;
        self.taken(code.len())?;
        Some(builtin)
    }

    /// A type of parts, and whether later parts may refer to it as a whole.
    fn compound_type(&mut self) -> Option<(NodeId, bool)> {
        let first = self.peek();
        let node = match first {
            b'r' | b'V' | b'K' => return Some((self.qualified_type()?, true)),
            b'P' => {
                self.taken(1)?;
                Node::Pointer(self.type_()?)
            }
            b'R' | b'O' => {
                let kind = self.reference_qualifier()?;
                let inner = self.type_()?;
                Node::Referenced { inner, kind }
            }
            b'C' | b'G' => {
                self.taken(1)?;
                let word = if first == b'C' {
                    " _Complex"
                } else {
                    " _Imaginary"
                };
                let inner = self.type_()?;
                Node::WithWord { inner, word }
            }
            b'A' => self.array()?,
            b'M' => {
                self.taken(1)?;
                let (class, member) = (self.type_()?, self.type_()?);
                Node::MemberPointer { class, member }
            }
            b'F' => Node::Function(self.function_type(Exceptions::Unsaid)?),
            b'U' => self.vendor_qualified()?,
            b'u' => return self.vendor_type(),
            b'D' => return self.type_of_two_letters(),
            b'T' => return self.parameter_as_type(),
            b'S' if self.peek_after(1) != b't' => {
                let id = self.abbreviation_or_substitution()?;
                if self.peek() != b'I' {
                    return Some((id, false));
                }
                let arguments = self.template_arguments()?;
                Node::Template {
                    name: id,
                    arguments,
                }
            }
            b'N' | b'Z' | b'S' | b'0'..=b'9' => return Some((self.name()?.id, true)),
            _ => return None,
        };
        Some((self.add(node), true))
    }

    fn qualified_type(&mut self) -> Option<NodeId> {
        let qualifiers = self.cv_qualifiers();
        let place = self.place();
        let exceptions = self.exceptions()?;
        if matches!(self.peek(), b'F') || self.starts_with("Dx") {
            // Of the member functions that a pointer may point to. Without its qualifiers it is no candidate.
            let function = self.function_type(exceptions)?;
            let reference = function.qualifiers.reference;
            return Some(self.add(Node::Function(Function {
                qualifiers: Qualifiers {
                    reference,
                    ..qualifiers
                },
                ..function
            })));
        }
        self.back_to(&place);
        let inner = self.type_()?;
        Some(self.add(Node::Qualified { inner, qualifiers }))
    }

    fn array(&mut self) -> Option<Node<'a>> {
        self.wanted("A")?;
        let length = match self.peek() {
            b'_' => None,
            b'0'..=b'9' => {
                let place = self.place();
                self.number()?;
                let digits = self.since(&place)?;
                Some(self.add(Node::Text(digits)))
            }
            _ => Some(self.expression()?),
        };
        self.wanted("_")?;
        let element = self.type_()?;
        Some(Node::Array { element, length })
    }

    fn vendor_qualified(&mut self) -> Option<Node<'a>> {
        self.wanted("U")?;
        let name = self.source_name()?;
        let qualifier = match self.peek() {
            b'I' => {
                let arguments = self.template_arguments()?;
                self.add(Node::Template { name, arguments })
            }
            _ => name,
        };
        let inner = self.type_()?;
        Some(Node::Vendor { inner, qualifier })
    }

    fn vendor_type(&mut self) -> Option<(NodeId, bool)> {
        self.wanted("u")?;
        let name = self.source_name()?;
        if self.peek() != b'I' {
            return Some((name, true));
        }
        let arguments = self.template_arguments()?;
        Some((self.add(Node::Template { name, arguments }), true))
    }

    fn type_of_two_letters(&mut self) -> Option<(NodeId, bool)> {
        let node = match self.peek_after(1) {
            b't' | b'T' => return Some((self.decltype()?, true)),
            b'p' => {
                self.taken(2)?;
                Node::Expansion(self.type_()?)
            }
            b'v' => {
                self.taken(2)?;
                let length = match self.peek() {
                    b'0'..=b'9' => {
                        let place = self.place();
                        self.number()?;
                        let digits = self.since(&place)?;
                        self.add(Node::Text(digits))
                    }
                    _ => {
                        self.accepted("_");
                        self.expression()?
                    }
                };
                self.wanted("_")?;
                let element = self.type_()?;
                Node::Vector { element, length }
            }
            b'B' | b'U' => {
                let is_signed = self.starts_with("DB");
                self.taken(2)?;
                let bits = match self.peek() {
                    b'0'..=b'9' => {
                        let place = self.place();
                        self.number()?;
                        let digits = self.since(&place)?;
                        self.add(Node::Text(digits))
                    }
                    _ => self.expression()?,
                };
                self.wanted("_")?;
                let name = if is_signed {
                    "_BitInt"
                } else {
                    "unsigned _BitInt"
                };
                let name = self.add(Node::Text(name));
                let arguments = self.tree.add_list(&[bits]);
                Node::VendorExpression { name, arguments }
            }
            b'o' | b'O' | b'w' | b'x' => {
                let exceptions = self.exceptions()?;
                Node::Function(self.function_type(exceptions)?)
            }
            _ => return None,
        };
        Some((self.add(node), true))
    }

    fn exceptions(&mut self) -> Option<Exceptions> {
        if self.accepted("Do") {
            return Some(Exceptions::None);
        }
        if self.accepted("DO") {
            let condition = self.expression()?;
            self.wanted("E")?;
            return Some(Exceptions::NoneIf(condition));
        }
        if self.accepted("Dw") {
            return Some(Exceptions::Throws(self.until_end(Parser::type_)?));
        }
        Some(Exceptions::Unsaid)
    }

    fn function_type(&mut self, exceptions: Exceptions) -> Option<Function> {
        self.accepted("Dx"); // transaction-safe; not shown
        self.wanted("F")?;
        self.accepted("Y"); // extern "C"; not shown
        let returns = self.type_()?;
        let parameters = self.parameters()?;
        let reference = self.reference_qualifier();
        self.wanted("E")?;
        Some(Function {
            returns,
            parameters,
            qualifiers: Qualifiers {
                reference,
                ..Qualifiers::default()
            },
            exceptions,
        })
    }

    /// The types up to the end of the function's type; a single `void` stands for none.
    pub fn parameters(&mut self) -> Option<List> {
        if self.peek() == b'v' && matches!(self.peek_after(1), 0 | b'E' | b'.' | b'R' | b'O' | b'Q')
        {
            self.taken(1)?;
            return Some(self.tree.add_list(&[]));
        }
        let mut types = Vec::new();
        loop {
            match self.peek() {
                0 | b'E' | b'.' | b'Q' => break,
                // The reference qualifier of a function type.
                b'R' | b'O' if self.peek_after(1) == b'E' => break,
                _ => types.push(self.type_()?),
            }
        }
        (!types.is_empty()).then(|| self.tree.add_list(&types))
    }

    pub fn decltype(&mut self) -> Option<NodeId> {
        self.taken(2)?;
        let expression = self.expression()?;
        self.wanted("E")?;
        Some(self.add(Node::Decltype(expression)))
    }

    pub fn template_parameter(&mut self) -> Option<NodeId> {
        self.wanted("T")?;
        if self.accepted("L") {
            // Of a template within another; the level is not needed where both are known.
            self.sequence_number()?;
        }
        let number = self.sequence_number()?;
        Some(self.add(Node::TemplateParameter(number)))
    }

    fn parameter_as_type(&mut self) -> Option<(NodeId, bool)> {
        for (code, word) in [("Ts", "struct "), ("Tu", "union "), ("Te", "enum ")] {
            if self.accepted(code) {
                let name = self.name()?.id;
                return Some((self.add(Node::Elaborated { word, name }), true));
            }
        }
        let parameter = self.template_parameter()?;
        if self.peek() != b'I' {
            return Some((parameter, true));
        }
        let place = self.place();
        self.remember(parameter);
        let arguments = self.template_arguments();
        // Behind the type of a conversion operator, arguments may be the operator's own: then no others follow.
        match arguments {
            Some(arguments) if !self.in_conversion || self.peek() == b'I' => {
                let name = parameter;
                Some((self.add(Node::Template { name, arguments }), true))
            }
            _ if self.in_conversion => {
                self.back_to(&place);
                Some((parameter, true))
            }
            _ => None,
        }
    }

    pub fn template_arguments(&mut self) -> Option<List> {
        self.deeper(|parser| {
            parser.wanted("I")?;
            let was_in = std::mem::replace(&mut parser.in_conversion, false);
            let mut found = Vec::new();
            while !parser.accepted("E") {
                if parser.accepted("Q") {
                    // What the template requires; not shown.
                    parser.expression()?;
                    continue;
                }
                found.push(parser.template_argument()?);
            }
            parser.in_conversion = was_in;
            Some(parser.tree.add_list(&found))
        })
    }

    pub fn template_argument(&mut self) -> Option<NodeId> {
        self.deeper(|parser| match parser.peek() {
            b'L' => parser.literal(),
            b'X' => {
                parser.taken(1)?;
                let expression = parser.expression()?;
                parser.wanted("E")?;
                Some(expression)
            }
            b'I' | b'J' => {
                parser.taken(1)?;
                let arguments = parser.until_end(Parser::template_argument)?;
                Some(parser.add(Node::ArgumentPack(arguments)))
            }
            b'T' if matches!(parser.peek_after(1), b'y' | b'n' | b't' | b'p') => {
                parser.template_parameter_declaration()?;
                parser.template_argument()
            }
            _ => parser.type_(),
        })
    }

    pub fn literal(&mut self) -> Option<NodeId> {
        self.wanted("L")?;
        if self.starts_with("_Z") || self.starts_with("Z") {
            self.accepted("_");
            self.taken(1)?;
            let encoding = self.encoding()?;
            self.wanted("E")?;
            return Some(encoding);
        }
        let of = self.type_()?;
        let is_negative = self.accepted("n");
        let digits = self.taken_until('E')?;
        Some(self.add(Node::Literal {
            of,
            digits,
            is_negative,
        }))
    }
}

impl Reference {
    pub fn sign(self) -> &'static str {
        match self {
            Reference::LValue => "&",
            Reference::RValue => "&&",
        }
    }
}
