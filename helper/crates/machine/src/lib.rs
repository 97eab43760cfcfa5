//! What this machine lets this user record: its kernel and host, a container around it, the rights of this process, and
//! where the sampler is that belongs to this engine.

pub mod container;
pub mod host;
pub mod installation;
pub mod kernel_support;
pub mod rights;
pub mod sampler_file;
