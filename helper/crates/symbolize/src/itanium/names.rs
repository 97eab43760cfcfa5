//! Encodings and names (sections 5.1.2 to 5.1.4 of the ABI).

use super::operators::operator_of;
use super::parser::Parser;
use super::tree::{Abbreviation, Encoding, Node, NodeId, Qualifiers, Reference};

/// A name, and what its member function's type has after the parameters.
#[derive(Clone, Copy)]
pub struct Named {
    pub id: NodeId,
    pub qualifiers: Qualifiers,
}

impl From<NodeId> for Named {
    fn from(id: NodeId) -> Named {
        Named {
            id,
            qualifiers: Qualifiers::default(),
        }
    }
}

static ALLOCATOR: Abbreviation = Abbreviation {
    full: "std::allocator",
    short: "std::allocator",
    constructor: "allocator",
};
static BASIC_STRING: Abbreviation = Abbreviation {
    full: "std::basic_string",
    short: "std::basic_string",
    constructor: "basic_string",
};
static STRING: Abbreviation = Abbreviation {
    full: "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
    short: "std::string",
    constructor: "basic_string",
};
static ISTREAM: Abbreviation = Abbreviation {
    full: "std::basic_istream<char, std::char_traits<char> >",
    short: "std::istream",
    constructor: "basic_istream",
};
static OSTREAM: Abbreviation = Abbreviation {
    full: "std::basic_ostream<char, std::char_traits<char> >",
    short: "std::ostream",
    constructor: "basic_ostream",
};
static IOSTREAM: Abbreviation = Abbreviation {
    full: "std::basic_iostream<char, std::char_traits<char> >",
    short: "std::iostream",
    constructor: "basic_iostream",
};

impl<'a> Parser<'a> {
    /// A function with its type, a variable, or something that the compiler made.
    pub fn encoding(&mut self) -> Option<NodeId> {
        self.deeper(|parser| {
            if matches!(parser.peek(), b'G' | b'T') {
                return parser.special_name();
            }
            let name = parser.name()?;
            let mut encoding = Encoding {
                name: name.id,
                returns: None,
                parameters: None,
                qualifiers: name.qualifiers,
            };
            if !matches!(parser.peek(), 0 | b'E' | b'.') {
                if parser.returns_are_mangled(name.id) {
                    encoding.returns = Some(parser.type_()?);
                }
                encoding.parameters = Some(parser.parameters()?);
            }
            Some(parser.add(Node::Encoding(encoding)))
        })
    }

    /// Only functions made from templates have their return type in the symbol, and those that have none never.
    fn returns_are_mangled(&self, name: NodeId) -> bool {
        match self.tree.node(name) {
            Node::Local { entity, .. } | Node::DefaultArgument { entity, .. } => {
                self.returns_are_mangled(entity)
            }
            Node::Template { name, .. } => !self.has_no_return_type(name),
            _ => false,
        }
    }

    fn has_no_return_type(&self, name: NodeId) -> bool {
        match self.tree.node(name) {
            Node::Nested { name, .. } | Node::Tagged { name, .. } => self.has_no_return_type(name),
            Node::Local { entity, .. } => self.has_no_return_type(entity),
            node => matches!(
                node,
                Node::Constructor(_) | Node::Destructor(_) | Node::Conversion(_)
            ),
        }
    }

    pub fn name(&mut self) -> Option<Named> {
        self.deeper(|parser| match parser.peek() {
            b'N' => parser.nested_name(),
            b'Z' => parser.local_name(),
            b'S' if parser.peek_after(1) != b't' => {
                let id = parser.abbreviation_or_substitution()?;
                parser.with_arguments_if_any(id).map(Named::from)
            }
            _ => {
                let id = parser.unscoped_name()?;
                if parser.peek() == b'I' {
                    parser.remember(id);
                }
                parser.with_arguments_if_any(id).map(Named::from)
            }
        })
    }

    fn with_arguments_if_any(&mut self, name: NodeId) -> Option<NodeId> {
        if self.peek() != b'I' {
            return Some(name);
        }
        let arguments = self.template_arguments()?;
        Some(self.add(Node::Template { name, arguments }))
    }

    /// A name in no scope, or in `std`.
    fn unscoped_name(&mut self) -> Option<NodeId> {
        let in_std = self.accepted("St");
        let name = self.unqualified_name(None)?;
        if !in_std {
            return Some(name);
        }
        let scope = self.add(Node::Text("std"));
        Some(self.add(Node::Nested { scope, name }))
    }

    /// An abbreviation with a tag may be referred to from now on.
    pub fn abbreviation_or_substitution(&mut self) -> Option<NodeId> {
        self.wanted("S")?;
        let abbreviation = match self.peek() {
            b'a' => &ALLOCATOR,
            b'b' => &BASIC_STRING,
            b's' => &STRING,
            b'i' => &ISTREAM,
            b'o' => &OSTREAM,
            b'd' => &IOSTREAM,
            _ => return self.substitution(),
        };
        self.taken(1)?;
        let plain = self.add(Node::Abbreviated(abbreviation));
        let tagged = self.tags(plain)?;
        if tagged != plain {
            self.remember(tagged);
        }
        Some(tagged)
    }

    fn nested_name(&mut self) -> Option<Named> {
        self.wanted("N")?;
        // `H` says that a function takes its object as its first parameter (C++23).
        self.accepted("H");
        let mut qualifiers = self.cv_qualifiers();
        qualifiers.reference = self.reference_qualifier();
        let mut scope: Option<NodeId> = None;
        loop {
            if self.accepted("E") {
                return scope.map(|id| Named { id, qualifiers });
            }
            // The scope of a lambda in a data member's initializer was said just before.
            if self.accepted("M") {
                continue;
            }
            let (id, is_new) = self.nested_part(scope)?;
            // The whole name is no candidate, only what leads to it.
            if is_new && self.peek() != b'E' {
                self.remember(id);
            }
            scope = Some(id);
        }
    }

    pub fn reference_qualifier(&mut self) -> Option<Reference> {
        if self.accepted("R") {
            Some(Reference::LValue)
        } else if self.accepted("O") {
            Some(Reference::RValue)
        } else {
            None
        }
    }

    /// One more part of a nested name, and whether it may be referred to.
    fn nested_part(&mut self, scope: Option<NodeId>) -> Option<(NodeId, bool)> {
        match (self.peek(), scope) {
            (b'S', None) if self.accepted("St") => Some((self.add(Node::Text("std")), false)),
            (b'S', None) => Some((self.abbreviation_or_substitution()?, false)),
            (b'T', None) => Some((self.template_parameter()?, true)),
            (b'D', None) if matches!(self.peek_after(1), b't' | b'T') => {
                Some((self.decltype()?, true))
            }
            (b'I', Some(name)) => {
                let arguments = self.template_arguments()?;
                Some((self.add(Node::Template { name, arguments }), true))
            }
            (_, scope) => {
                let name = self.unqualified_name(scope)?;
                let id = match scope {
                    Some(scope) => self.add(Node::Nested { scope, name }),
                    None => name,
                };
                Some((id, true))
            }
        }
    }

    /// Something within a function.
    fn local_name(&mut self) -> Option<Named> {
        self.wanted("Z")?;
        let function = self.encoding()?;
        self.wanted("E")?;
        let function = self.without_returns(function);
        if self.accepted("s") {
            self.discriminator()?;
            let entity = self.add(Node::Text("string literal"));
            return Some(self.add(Node::Local { function, entity }).into());
        }
        let default_argument = match self.accepted("d") {
            true => Some(self.sequence_number()?),
            false => None,
        };
        let named = self.name()?;
        let entity = match default_argument {
            None => named.id,
            Some(number) => {
                let entity = named.id;
                self.add(Node::DefaultArgument { number, entity })
            }
        };
        self.discriminator()?;
        Some(Named {
            id: self.add(Node::Local { function, entity }),
            qualifiers: named.qualifiers,
        })
    }

    /// The function around a local name is shown without what it returns.
    fn without_returns(&mut self, function: NodeId) -> NodeId {
        match self.tree.node(function) {
            Node::Encoding(encoding) if encoding.returns.is_some() => {
                self.add(Node::Encoding(Encoding {
                    returns: None,
                    ..encoding
                }))
            }
            _ => function,
        }
    }

    /// Which of several local things of one name; not shown.
    fn discriminator(&mut self) -> Option<()> {
        if self.accepted("__") {
            self.number()?;
            return self.wanted("_");
        }
        if self.peek() == b'_' && self.peek_after(1).is_ascii_digit() {
            self.taken(1)?;
            self.number()?;
        }
        Some(())
    }

    /// `scope` names constructors and destructors.
    pub fn unqualified_name(&mut self, scope: Option<NodeId>) -> Option<NodeId> {
        let name = match self.peek() {
            b'0'..=b'9' => self.source_name()?,
            // Internal linkage; not shown.
            b'L' => {
                self.taken(1)?;
                let name = self.source_name()?;
                self.discriminator()?;
                name
            }
            // A friend that only its class names; not shown.
            b'F' => {
                self.taken(1)?;
                return self.deeper(|parser| parser.unqualified_name(scope));
            }
            b'C' | b'D' if self.starts_with("DC") => {
                self.taken(2)?;
                let names = self.until_end(Parser::source_name)?;
                self.add(Node::Bindings(names))
            }
            b'C' => {
                self.taken(1)?;
                let inherits = self.accepted("I");
                matches!(self.peek(), b'1'..=b'5').then_some(())?;
                self.taken(1)?;
                // An inherited constructor has the name of the base.
                let class = match inherits {
                    true => self.type_()?,
                    false => scope?,
                };
                self.add(Node::Constructor(class))
            }
            b'D' => {
                self.taken(1)?;
                matches!(self.peek(), b'0'..=b'5').then_some(())?;
                self.taken(1)?;
                self.add(Node::Destructor(scope?))
            }
            b'U' => self.unnamed()?,
            b'a'..=b'z' => self.operator_name()?,
            _ => return None,
        };
        self.tags(name)
    }

    pub fn source_name(&mut self) -> Option<NodeId> {
        let length = self.number().filter(|length| *length > 0)?;
        let name = self.taken(length)?;
        // `_GLOBAL__N_1`, with `.` or `$` for the underscores on other assemblers.
        let anonymous = name.strip_prefix("_GLOBAL_");
        let is_anonymous = anonymous
            .is_some_and(|rest| rest.starts_with(['_', '.', '$']) && rest[1..].starts_with('N'));
        Some(self.add(Node::Text(if is_anonymous {
            "(anonymous namespace)"
        } else {
            name
        })))
    }

    fn tags(&mut self, mut name: NodeId) -> Option<NodeId> {
        while self.accepted("B") {
            let length = self.number()?;
            let tag = self.taken(length)?;
            name = self.add(Node::Tagged { name, tag });
        }
        Some(name)
    }

    /// A lambda, or a class without a name.
    fn unnamed(&mut self) -> Option<NodeId> {
        if self.accepted("Ut") {
            let number = self.sequence_number()?;
            return Some(self.add(Node::Unnamed(number)));
        }
        self.wanted("Ul")?;
        // Explicit template parameters of the lambda are not shown.
        while matches!(self.peek(), b'T') && matches!(self.peek_after(1), b'y' | b'n' | b't' | b'p')
        {
            self.template_parameter_declaration()?;
        }
        let parameters = self.parameters()?;
        self.wanted("E")?;
        let number = self.sequence_number()?;
        Some(self.add(Node::Lambda { parameters, number }))
    }

    pub fn template_parameter_declaration(&mut self) -> Option<()> {
        self.deeper(|parser| {
            if parser.accepted("Ty") {
                return Some(());
            }
            if parser.accepted("Tn") {
                return parser.type_().map(drop);
            }
            if parser.accepted("Tp") {
                return parser.template_parameter_declaration();
            }
            parser.wanted("Tt")?;
            while !parser.accepted("E") {
                parser.template_parameter_declaration()?;
            }
            Some(())
        })
    }

    pub fn operator_name(&mut self) -> Option<NodeId> {
        if self.accepted("cv") {
            let was_in = std::mem::replace(&mut self.in_conversion, true);
            let to = self.type_();
            self.in_conversion = was_in;
            let to = to?;
            return Some(self.add(Node::Conversion(to)));
        }
        if self.accepted("li") {
            let suffix = self.source_name()?;
            return Some(self.add(Node::LiteralOperator(suffix)));
        }
        let operator = operator_of(self.taken(2)?)?;
        Some(self.add(Node::OperatorName(operator)))
    }
}
