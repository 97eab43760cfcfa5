//! Files that are written for the user who asked: with that user's rights when sudo started us, and never through a link
//! that somebody else could have planted.

pub mod accounts;
mod acting;
mod folder;
mod invoker;
mod kept_files;
mod walk;

pub use acting::as_invoker;
pub use folder::{Folder, FolderLock, folder_of, write_file};
pub use invoker::{Invoker, invoker};
pub use kept_files::KeptFiles;
