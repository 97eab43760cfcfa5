//! Bytes that are read one after another and all live as long as the first: what split debug information is read
//! into while references to earlier parts are in use.

use std::cell::OnceCell;

pub(crate) struct Arena {
    first: OnceCell<Box<Node>>,
}

struct Node {
    bytes: Vec<u8>,
    next: OnceCell<Box<Node>>,
}

impl Arena {
    pub(crate) fn new() -> Arena {
        Arena {
            first: OnceCell::new(),
        }
    }

    pub(crate) fn push(&self, bytes: Vec<u8>) -> &[u8] {
        let mut end = &self.first;
        while let Some(node) = end.get() {
            end = &node.next;
        }
        let node = Box::new(Node {
            bytes,
            next: OnceCell::new(),
        });
        &end.get_or_init(|| node).bytes
    }
}

impl Drop for Arena {
    // Node by node: dropping a long chain at once would recurse as deep as it is long.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut node) = next {
            next = node.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn what_was_pushed_stays_where_it_is() {
        let arena = Arena::new();
        let kept: Vec<&[u8]> = (0..1000u16)
            .map(|number| arena.push(number.to_le_bytes().to_vec()))
            .collect();
        for (number, bytes) in (0..1000u16).zip(kept) {
            assert_eq!(bytes, number.to_le_bytes());
        }
    }
}
