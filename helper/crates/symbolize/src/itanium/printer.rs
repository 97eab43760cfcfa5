//! A tree as text: names, and what is common to types and expressions.
//!
//! Template parameters stand for the arguments of the function around them: which that is, is known only while writing
//! (`Scope`), since one part of a symbol can be referred to from several functions.

use super::limits::{DEPTH_MAX, STEPS_MAX};
use super::tree::{Encoding, List, Node, NodeId, Qualifiers, Tree};

/// How much of a name is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// No parameters of functions, no template arguments.
    Simplified,
    /// No parameters of functions.
    Templates,
    Full,
}

/// The arguments that template parameters stand for, and those of the function around that one.
#[derive(Clone, Copy)]
pub struct Scope {
    arguments: List,
    around: Option<usize>,
}

pub struct Printer<'t, 'a> {
    pub tree: &'t Tree<'a>,
    pub shown: Shown,
    bytes_max: usize,
    text: String,
    /// The last character written, even when it was taken back: what follows a name depends on it.
    last: char,
    scopes: Vec<Scope>,
    scope: Option<usize>,
    /// Which argument of a pack is being written.
    pub pack_index: usize,
    /// In the parameters of a lambda, where template parameters stand for `auto`.
    pub in_lambda: bool,
    depth: usize,
    steps: usize,
}

/// Something that stops the writing: a limit, or a parameter that stands for nothing.
pub struct Stopped;
pub type Result<T = ()> = std::result::Result<T, Stopped>;

impl<'t, 'a> Printer<'t, 'a> {
    pub fn new(tree: &'t Tree<'a>, shown: Shown, bytes_max: usize) -> Printer<'t, 'a> {
        Printer {
            tree,
            shown,
            bytes_max,
            text: String::new(),
            last: '\0',
            scopes: Vec::new(),
            scope: None,
            pack_index: 0,
            in_lambda: false,
            depth: 0,
            steps: 0,
        }
    }

    pub fn print(mut self, root: NodeId) -> Option<String> {
        self.write(root).ok()?;
        Some(self.text)
    }

    pub fn put(&mut self, text: &str) -> Result {
        if self.text.len() + text.len() > self.bytes_max {
            return Err(Stopped);
        }
        self.text.push_str(text);
        self.last = text.chars().next_back().unwrap_or(self.last);
        Ok(())
    }

    pub fn last(&self) -> char {
        self.last
    }

    pub fn step(&mut self) -> Result {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(Stopped);
        }
        Ok(())
    }

    pub fn deeper<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.step()?;
        if self.depth >= DEPTH_MAX {
            return Err(Stopped);
        }
        self.depth += 1;
        let result = write(self);
        self.depth -= 1;
        result
    }

    pub fn write(&mut self, id: NodeId) -> Result {
        self.write_left(id)?;
        self.write_right(id)
    }

    /// With commas between those that write something: empty packs do not.
    pub fn write_list(&mut self, list: List) -> Result {
        let tree = self.tree;
        let mut is_first = true;
        for id in tree.list(list) {
            let before = self.text.len();
            if !is_first {
                self.put(", ")?;
            }
            let start = self.text.len();
            self.write(*id)?;
            if self.text.len() == start {
                self.text.truncate(before);
            } else {
                is_first = false;
            }
        }
        Ok(())
    }

    /// What stands before a declarator: for names, all of it.
    pub fn write_left(&mut self, id: NodeId) -> Result {
        self.deeper(|printer| match printer.tree.node(id) {
            Node::Text(text) => printer.put(text),
            Node::Abbreviated(abbreviation) => printer.put(match printer.shown {
                Shown::Simplified => abbreviation.short,
                _ => abbreviation.full,
            }),
            Node::Nested { scope, name } => {
                printer.write(scope)?;
                printer.put("::")?;
                printer.write(name)
            }
            Node::Local { function, entity } => {
                printer.write(function)?;
                printer.put("::")?;
                printer.write(entity)
            }
            Node::DefaultArgument { number, entity } => {
                printer.put(&format!("{{default arg#{}}}::", number + 1))?;
                printer.write(entity)
            }
            Node::Template { name, arguments } => printer.template(name, arguments),
            Node::Constructor(class) => printer.class_name(class),
            Node::Destructor(class) => {
                printer.put("~")?;
                printer.class_name(class)
            }
            Node::OperatorName(operator) => {
                printer.put("operator")?;
                let text = operator.text.trim_end();
                if text.starts_with(|first: char| first.is_ascii_lowercase()) {
                    printer.put(" ")?;
                }
                printer.put(text)
            }
            Node::Conversion(to) => {
                printer.put("operator ")?;
                printer.write(to)
            }
            Node::LiteralOperator(suffix) => {
                printer.put("operator\"\" ")?;
                printer.write(suffix)
            }
            Node::Tagged { name, tag } => {
                printer.write(name)?;
                printer.put(&format!("[abi:{tag}]"))
            }
            Node::Lambda { parameters, number } => {
                printer.put("{lambda(")?;
                let was_in = std::mem::replace(&mut printer.in_lambda, true);
                printer.write_list(parameters)?;
                printer.in_lambda = was_in;
                printer.put(&format!(")#{}}}", number + 1))
            }
            Node::Unnamed(number) => printer.put(&format!("{{unnamed type#{}}}", number + 1)),
            Node::Bindings(names) => {
                printer.put("[")?;
                printer.write_list(names)?;
                printer.put("]")
            }
            Node::Global(name) => {
                printer.put("::")?;
                printer.write(name)
            }
            Node::Encoding(encoding) => printer.encoding(&encoding),
            Node::Special { before, of } => {
                printer.put(before)?;
                printer.write(of)
            }
            Node::ConstructionVtable { of, within } => {
                printer.put("construction vtable for ")?;
                printer.write(of)?;
                printer.put("-in-")?;
                printer.write(within)
            }
            Node::ReferenceTemporary { of, number } => {
                printer.put(&format!("reference temporary #{number} for "))?;
                printer.write(of)
            }
            _ => printer.type_left(id),
        })
    }

    fn template(&mut self, name: NodeId, arguments: List) -> Result {
        self.write(name)?;
        if self.shown == Shown::Simplified {
            return Ok(());
        }
        if self.last == '<' {
            self.put(" ")?;
        }
        self.put("<")?;
        self.write_list(arguments)?;
        if self.last == '>' {
            self.put(" ")?;
        }
        self.put(">")
    }

    /// The last part of a class's name, without template arguments.
    fn class_name(&mut self, class: NodeId) -> Result {
        self.deeper(|printer| match printer.tree.node(class) {
            Node::Nested { name, .. } => printer.class_name(name),
            Node::Local { entity, .. } | Node::DefaultArgument { entity, .. } => {
                printer.class_name(entity)
            }
            Node::Template { name, .. } => printer.class_name(name),
            Node::Tagged { name, .. } => printer.class_name(name),
            Node::Abbreviated(abbreviation) => printer.put(abbreviation.constructor),
            _ => printer.write(class),
        })
    }

    fn encoding(&mut self, encoding: &Encoding) -> Result {
        let scope_before = self.scope;
        if let Some(arguments) = self.arguments_of(encoding.name)? {
            self.scopes.push(Scope {
                arguments,
                around: scope_before,
            });
            self.scope = Some(self.scopes.len() - 1);
        }
        let was_in_lambda = std::mem::replace(&mut self.in_lambda, false);
        let result = self.encoding_in_scope(encoding);
        self.in_lambda = was_in_lambda;
        self.scope = scope_before;
        result
    }

    fn encoding_in_scope(&mut self, encoding: &Encoding) -> Result {
        let is_full = self.shown == Shown::Full;
        let returns = encoding.returns.filter(|_| is_full);
        if let Some(returns) = returns {
            self.write_left(returns)?;
            if !self.ends_within_declarator(returns)? {
                self.put(" ")?;
            }
        }
        self.write(encoding.name)?;
        if let (Some(parameters), true) = (encoding.parameters, is_full) {
            self.put("(")?;
            self.write_list(parameters)?;
            self.put(")")?;
        }
        if is_full {
            self.qualifiers(encoding.qualifiers)?;
        }
        match returns {
            Some(returns) => self.write_right(returns),
            None => Ok(()),
        }
    }

    /// The template arguments that the parameters of a function refer to.
    fn arguments_of(&mut self, name: NodeId) -> Result<Option<List>> {
        self.deeper(|printer| match printer.tree.node(name) {
            Node::Template { arguments, .. } => Ok(Some(arguments)),
            Node::Local { entity, .. } | Node::DefaultArgument { entity, .. } => {
                printer.arguments_of(entity)
            }
            _ => Ok(None),
        })
    }

    pub fn qualifiers(&mut self, qualifiers: Qualifiers) -> Result {
        for (is_there, word) in [
            (qualifiers.is_const, " const"),
            (qualifiers.is_volatile, " volatile"),
            (qualifiers.is_restrict, " __restrict"),
        ] {
            if is_there {
                self.put(word)?;
            }
        }
        match qualifiers.reference {
            Some(reference) => {
                self.put(" ")?;
                self.put(reference.sign())
            }
            None => Ok(()),
        }
    }

    /// What template parameter `number` stands for, of a pack the argument that is being written.
    pub fn argument(&self, number: usize) -> Result<NodeId> {
        let scope = &self.scopes[self.scope.ok_or(Stopped)?];
        let arguments = self.tree.list(scope.arguments);
        let id = *arguments.get(number).ok_or(Stopped)?;
        match self.tree.node(id) {
            Node::ArgumentPack(pack) => {
                let pack = self.tree.list(pack);
                pack.get(self.pack_index).copied().ok_or(Stopped)
            }
            _ => Ok(id),
        }
    }

    /// The pack that template parameter `number` stands for, if it does.
    pub fn pack(&self, number: usize) -> Option<List> {
        let arguments = self.scopes[self.scope?].arguments;
        let id = *self.tree.list(arguments).get(number)?;
        match self.tree.node(id) {
            Node::ArgumentPack(pack) => Some(pack),
            _ => None,
        }
    }

    /// Does `work` where the argument of a parameter was written: in the scope around.
    pub fn around<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.further_out(1, work)
    }

    /// Does `work` as many scopes further out.
    pub fn further_out<T>(
        &mut self,
        scopes: usize,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let (scope, was_in_lambda) = (self.scope, self.in_lambda);
        for _ in 0..scopes {
            self.in_lambda = false;
            self.scope = self.scope.and_then(|scope| self.scopes[scope].around);
        }
        let result = work(self);
        (self.scope, self.in_lambda) = (scope, was_in_lambda);
        result
    }
}
