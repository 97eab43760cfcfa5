//! What a mangled name says, as a tree: nodes refer to nodes before them by number, so it can be shared and never cyclic.

use super::operators::Operator;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(u32);

/// Nodes in a row, kept apart from the nodes themselves.
#[derive(Clone, Copy, Debug)]
pub struct List {
    start: u32,
    len: u32,
}

/// `const`, `volatile`, `restrict`, and the reference qualifier of a member function.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub reference: Option<Reference>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    LValue,
    RValue,
}

/// Where a part of the standard library has an abbreviation of its own (`Ss` for `std::string`).
#[derive(Clone, Copy, Debug)]
pub struct Abbreviation {
    pub full: &'static str,
    /// Without template arguments.
    pub short: &'static str,
    /// The name of its constructors.
    pub constructor: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// Part of a name, or a type that is one word.
    Text(&'a str),
    Builtin(&'static Builtin),
    Abbreviated(&'static Abbreviation),

    // Names
    Nested {
        scope: NodeId,
        name: NodeId,
    },
    Local {
        function: NodeId,
        entity: NodeId,
    },
    /// Something in the default argument of a parameter, counted from the last one.
    DefaultArgument {
        number: usize,
        entity: NodeId,
    },
    Template {
        name: NodeId,
        arguments: List,
    },
    Constructor(NodeId),
    Destructor(NodeId),
    OperatorName(&'static Operator),
    Conversion(NodeId),
    LiteralOperator(NodeId),
    Tagged {
        name: NodeId,
        tag: &'a str,
    },
    Lambda {
        parameters: List,
        number: usize,
    },
    Unnamed(usize),
    Bindings(List),
    /// `::` before a name.
    Global(NodeId),
    Encoding(Encoding),
    Special {
        before: &'static str,
        of: NodeId,
    },
    ConstructionVtable {
        of: NodeId,
        within: NodeId,
    },
    ReferenceTemporary {
        of: NodeId,
        number: usize,
    },

    // Types
    Qualified {
        inner: NodeId,
        qualifiers: Qualifiers,
    },
    Vendor {
        inner: NodeId,
        qualifier: NodeId,
    },
    Pointer(NodeId),
    Referenced {
        inner: NodeId,
        kind: Reference,
    },
    WithWord {
        inner: NodeId,
        word: &'static str,
    },
    MemberPointer {
        class: NodeId,
        member: NodeId,
    },
    Array {
        element: NodeId,
        length: Option<NodeId>,
    },
    Vector {
        element: NodeId,
        length: NodeId,
    },
    Function(Function),
    Decltype(NodeId),
    TemplateParameter(usize),
    /// The arguments of a template parameter pack.
    ArgumentPack(List),
    Expansion(NodeId),
    /// `struct`, `union` or `enum` before a name.
    Elaborated {
        word: &'static str,
        name: NodeId,
    },

    // Expressions
    Literal {
        of: NodeId,
        digits: &'a str,
        is_negative: bool,
    },
    FunctionParameter(usize),
    Unary {
        operator: &'static Operator,
        operand: NodeId,
    },
    Postfix {
        operator: &'static Operator,
        operand: NodeId,
    },
    Binary {
        operator: &'static Operator,
        left: NodeId,
        right: NodeId,
    },
    Conditional {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Call {
        function: NodeId,
        arguments: List,
    },
    Cast {
        to: NodeId,
        value: NodeId,
    },
    NamedCast {
        operator: &'static Operator,
        to: NodeId,
        value: NodeId,
    },
    /// Values in parentheses or braces.
    Values {
        values: List,
        in_braces: bool,
    },
    BracedOf {
        of: NodeId,
        values: List,
    },
    New {
        operator: &'static Operator,
        place: List,
        of: NodeId,
        values: Option<List>,
    },
    PackLength(NodeId),
    Fold {
        operator: &'static Operator,
        form: FoldForm,
    },
    VendorExpression {
        name: NodeId,
        arguments: List,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum FoldForm {
    /// `(... op pack)`
    UnaryLeft(NodeId),
    /// `(pack op ...)`
    UnaryRight(NodeId),
    /// `(left op ... op right)`, whichever of both is the pack.
    Binary(NodeId, NodeId),
}

/// A function, or a variable when it has no type.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    pub name: NodeId,
    pub returns: Option<NodeId>,
    /// None: a variable.
    pub parameters: Option<List>,
    pub qualifiers: Qualifiers,
}

#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub returns: NodeId,
    pub parameters: List,
    pub qualifiers: Qualifiers,
    pub exceptions: Exceptions,
}

#[derive(Clone, Copy, Debug)]
pub enum Exceptions {
    Unsaid,
    None,
    NoneIf(NodeId),
    Throws(List),
}

/// How a literal of a built-in type is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralForm {
    /// The digits and this suffix.
    Suffix(&'static str),
    Bool,
    /// Bytes of a floating-point number.
    Float,
    /// The type in parentheses before the digits.
    Typed,
}

#[derive(Debug)]
pub struct Builtin {
    pub name: &'static str,
    pub literal: LiteralForm,
}

#[derive(Default)]
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    listed: Vec<NodeId>,
}

impl<'a> Tree<'a> {
    pub fn add(&mut self, node: Node<'a>) -> NodeId {
        // Every node takes at least one of the parser's steps, of which there are fewer than 2^32.
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn add_list(&mut self, nodes: &[NodeId]) -> List {
        let start = self.listed.len() as u32;
        self.listed.extend_from_slice(nodes);
        List {
            start,
            len: nodes.len() as u32,
        }
    }

    pub fn node(&self, id: NodeId) -> Node<'a> {
        self.nodes[id.0 as usize]
    }

    pub fn list(&self, list: List) -> &[NodeId] {
        &self.listed[list.start as usize..][..list.len as usize]
    }
}
