//! Walks over given registers, stacks and rows.
//! One program: to link one for each file takes longer than to run it.

#[path = "support/one_page.rs"]
mod one_page;

mod aarch64_walks;
mod go_stack_tables;
mod random_walks;
mod x86_64_walks;
