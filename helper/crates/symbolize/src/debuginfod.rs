//! Debug files from the servers that DEBUGINFOD_URLS names, by elfutils' own client. Only on request: asking tells the
//! servers which programs run here.

use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CLIENT: &str = "debuginfod-find";
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A path is shorter.
const OUTPUT_BYTES_MAX: u64 = 4096;

/// Where the client has put the debug file of a build-id.
///
/// # Errors
/// Why there is none, as the part of a sentence.
pub(crate) fn fetch(build_id: &str, time_limit: Duration) -> Result<PathBuf, String> {
    if build_id.is_empty() {
        return Err("debuginfod identifies files by build-id, and this file has none".to_owned());
    }
    if std::env::var_os("DEBUGINFOD_URLS").is_none_or(|urls| urls.is_empty()) {
        return Err("cannot use debuginfod: DEBUGINFOD_URLS names no server".to_owned());
    }
    let mut client = Command::new(CLIENT)
        .args(["debuginfo", build_id])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| {
            format!("cannot use debuginfod: cannot start {CLIENT} ({e}); install the package debuginfod (Debian, Ubuntu)")
        })?;
    if !ended_well(&mut client, time_limit)? {
        return Err("no debuginfod server has its debug information".to_owned());
    }
    let mut path = Vec::new();
    let output = client.stdout.take().into_iter();
    for stream in output {
        let _ = stream.take(OUTPUT_BYTES_MAX).read_to_end(&mut path);
    }
    path.truncate(path.trim_ascii_end().len());
    Ok(PathBuf::from(std::ffi::OsString::from_vec(path)))
}

fn ended_well(client: &mut Child, time_limit: Duration) -> Result<bool, String> {
    let deadline = Instant::now() + time_limit;
    loop {
        match client.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_EVERY),
            Ok(None) | Err(_) => {
                let _ = client.kill();
                let _ = client.wait();
                return Err(format!(
                    "debuginfod took longer than {} s",
                    time_limit.as_secs()
                ));
            }
        }
    }
}
