//! The kind of host that runs this kernel, as far as it leaves a sign, and what is known of it. docs/wsl.md and
//! docs/containers.md have the same for people.

use std::fs;

/// A host whose kernel is not a distribution's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Wsl1,
    Wsl2,
    DockerDesktop,
    LinuxKit,
    OrbStack,
    Codespaces,
}

/// None: an ordinary machine, or one that leaves no sign.
pub fn host(release: &str) -> Option<Host> {
    let version = fs::read_to_string("/proc/version").unwrap_or_default();
    let signs = Signs {
        release,
        version: &version,
        is_codespace: std::env::var_os("CODESPACES").is_some(),
        has_type_information: has_type_information(),
    };
    signs.host()
}

/// Whether the kernel carries the type information without which no BPF program of ours loads.
pub fn has_type_information() -> bool {
    fs::exists("/sys/kernel/btf/vmlinux").unwrap_or(false)
}

struct Signs<'a> {
    /// As `uname -r`.
    release: &'a str,
    /// /proc/version: with who built it.
    version: &'a str,
    is_codespace: bool,
    has_type_information: bool,
}

impl Signs<'_> {
    fn host(&self) -> Option<Host> {
        let release = self.release.to_lowercase();
        match () {
            () if self.is_codespace => Some(Host::Codespaces),
            () if release.contains("orbstack") => Some(Host::OrbStack),
            // Both name their kernel so; of the two, only Docker Desktop builds it with type information.
            () if release.contains("linuxkit") && self.has_type_information => {
                Some(Host::DockerDesktop)
            }
            () if release.contains("linuxkit") => Some(Host::LinuxKit),
            () if release.contains("microsoft-standard") => Some(Host::Wsl2),
            // It has no kernel of its own: the name is all of Linux that there is.
            () if self.version.contains("Microsoft") => Some(Host::Wsl1),
            () => None,
        }
    }
}

impl Host {
    /// As its maker writes it.
    pub fn name(self) -> &'static str {
        match self {
            Host::Wsl1 => "WSL 1",
            Host::Wsl2 => "WSL 2",
            Host::DockerDesktop => "Docker Desktop",
            Host::LinuxKit => "LinuxKit",
            Host::OrbStack => "OrbStack",
            Host::Codespaces => "GitHub Codespaces",
        }
    }

    /// How one gets another kernel there, as a sentence.
    pub fn newer_kernel(self) -> &'static str {
        match self {
            Host::Wsl1 => {
                "WSL 1 has no Linux kernel: convert the distribution, in PowerShell: wsl --set-version DISTRIBUTION 2"
            }
            Host::Wsl2 => {
                "Update the kernel of WSL 2, in PowerShell: wsl --update, then wsl --shutdown"
            }
            Host::DockerDesktop => "Update Docker Desktop, which brings its own kernel",
            Host::LinuxKit => {
                "If this is Docker Desktop, update it: its kernel is suitable since mid-2024. Other kernels of LinuxKit are built without BTF: record on another host"
            }
            Host::OrbStack => "Update OrbStack, which brings its own kernel",
            Host::Codespaces => {
                "The host of a codespace cannot be changed: record on a machine of your own"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_of(release: &str, version: &str) -> Option<Host> {
        let signs = Signs {
            release,
            version,
            is_codespace: false,
            has_type_information: false,
        };
        signs.host()
    }

    #[test]
    fn a_host_is_known_by_the_name_of_its_kernel() {
        for (release, host) in [
            ("6.6.87.2-microsoft-standard-WSL2", Some(Host::Wsl2)),
            ("6.12.54-linuxkit", Some(Host::LinuxKit)),
            ("6.15.11-orbstack-00539-g9885ebd8e3f4", Some(Host::OrbStack)),
            ("6.12.57+deb13-amd64", None),
        ] {
            assert_eq!(host_of(release, "Linux version"), host, "{release}");
        }
        let of_windows = "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)";
        assert_eq!(
            host_of("4.4.0-19041-Microsoft", of_windows),
            Some(Host::Wsl1)
        );
    }

    #[test]
    fn signs_beside_the_kernel_tell_more() {
        let signs = Signs {
            release: "6.12.54-linuxkit",
            version: "",
            is_codespace: false,
            has_type_information: true,
        };
        assert_eq!(signs.host(), Some(Host::DockerDesktop));
        let codespace = Signs {
            release: "6.8.0-1030-azure",
            is_codespace: true,
            ..signs
        };
        assert_eq!(codespace.host(), Some(Host::Codespaces));
    }
}
