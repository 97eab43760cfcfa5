//! Programs with mutated bytes, read in this very process: names or a sentence.

#[path = "../../../fuzz/entries/module.rs"]
mod entry;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

#[test]
fn any_module_has_names_or_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::support::compiled(folder.path(), "gcc", "sums.c", &["-O2", "-g"]);
    let seeds = [std::fs::read(path).unwrap()];
    short_run::short_run(&seeds, 1_000, entry::read);
}
