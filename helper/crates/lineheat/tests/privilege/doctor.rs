//! The doctor in environments that are really so: each cause by its name.

use std::fs;
use std::process::{Command, Output};

use crate::installed::{BASE, Installed, OTHER, USER, told};

pub fn report(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", told(output)))
}

pub fn check<'a>(report: &'a serde_json::Value, id: &str) -> &'a serde_json::Value {
    let checks = report["checks"].as_array().unwrap();
    checks
        .iter()
        .find(|c| c["id"] == id)
        .unwrap_or_else(|| panic!("no {id}"))
}

/// State and detail of a check.
pub fn found(report: &serde_json::Value, id: &str) -> (String, String) {
    let check = check(report, id);
    let text = |key: &str| check[key].as_str().unwrap().to_owned();
    (text("state"), text("detail"))
}

#[test]
fn before_and_after_the_installation() {
    let Some(installed) = Installed::not_yet() else {
        return;
    };
    let doctor = |user| {
        report(
            &installed
                .lineheat(user, &["doctor", "--json"])
                .output()
                .unwrap(),
        )
    };
    let before = doctor(USER);
    let missing = check(&before, "installed-sampler");
    assert_eq!(missing["state"], "missing");
    assert!(
        missing["command"]
            .as_str()
            .unwrap()
            .ends_with("lineheat doctor --install")
    );
    assert_eq!(check(&before, "recording")["state"], "missing");
    assert!(installed.install().status.success());
    let after = doctor(USER);
    for id in [
        "installed-sampler",
        "group",
        "nosuid",
        "no-new-privs",
        "recording",
    ] {
        assert_eq!(check(&after, id)["state"], "ok", "{id}");
    }
    assert_eq!(after["canRecord"], true);
    let other = doctor(OTHER);
    assert_eq!(found(&other, "group").0, "missing");
    assert!(
        found(&other, "group")
            .1
            .contains("you are not in the group")
    );
}

#[test]
fn what_takes_the_rights_away_silently_is_named() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let lineheat = installed.path("lineheat").display().to_string();
    let as_user = format!("setpriv --reuid {USER} --regid {USER} --init-groups");
    let run = |script: String| Command::new("sh").args(["-c", &script]).output().unwrap();

    let locked = report(&run(format!(
        "{as_user} --no-new-privs {lineheat} doctor --json"
    )));
    assert_eq!(found(&locked, "no-new-privs").0, "warning");
    assert!(
        found(&locked, "installed-sampler").1.contains("NoNewPrivs"),
        "{locked:#}"
    );

    let namespace = run(format!("{as_user} unshare --user {lineheat} doctor --json"));
    let namespace = report(&namespace);
    assert_eq!(found(&namespace, "container").0, "warning");
    assert!(
        found(&namespace, "installed-sampler")
            .1
            .contains("user namespace"),
        "{namespace:#}"
    );

    let copy = installed.path("copy").display().to_string();
    let nosuid = run(format!(
        "unshare --mount sh -ec 'cp --archive {BASE} {copy}; mount -t tmpfs -o nosuid,mode=0755 none {BASE}; cp --archive {copy}/. {BASE}/; {as_user} {lineheat} doctor --json || true'"
    ));
    let nosuid = report(&nosuid);
    assert_eq!(found(&nosuid, "nosuid").0, "warning");
    assert!(
        found(&nosuid, "installed-sampler").1.contains("nosuid"),
        "{nosuid:#}"
    );
    let _ = fs::remove_dir_all(copy);

    let file = installed.sampler();
    let removed = Command::new("setcap")
        .arg("-r")
        .arg(&file)
        .status()
        .unwrap();
    assert!(removed.success());
    let bare = report(&run(format!("{as_user} {lineheat} doctor --json")));
    assert!(
        found(&bare, "installed-sampler").1.contains("lacks rights"),
        "{bare:#}"
    );
}
