//! `lineheat report --alloc`: which lines allocate how much memory.

use analysis::{AllocationSite, Amount, MemoryKind, allocation_sites};

use crate::memory_figures::{interval, shown_kinds, title};
use crate::row_texts::{rest, short_path};
use crate::selected_run::SelectedRun;
use crate::terminal::{Style, Terminal};
use crate::terminal_numbers::{heat_style, share, value};
use crate::terminal_table::{Align, Flexible, Table};
use crate::terminal_text::visible;

/// Most of the measure first, if that is one of memory, else most bytes allocated.
///
/// # Errors
/// A sentence where the file has no memory.
pub fn sites(run: &SelectedRun) -> Result<Vec<AllocationSite>, String> {
    let analyzed = &run.analyzed;
    if kinds(run).is_empty() {
        return Err(
            "This run has no allocated memory. Record it with `lineheat record --alloc`."
                .to_owned(),
        );
    }
    let space = MemoryKind::Allocated.measures(analyzed)[0];
    if analyzed.is_part_of_time() && !space.is_some_and(|of| analyzed.has_memory_times(of)) {
        return Err(
            "This run does not say when its memory was allocated, so --time cannot select among it. Leave out --time, or record the run again."
                .to_owned(),
        );
    }
    let mut sites = allocation_sites(analyzed);
    let chosen = (MemoryKind::ALL.iter().enumerate()).find_map(|(kind, of)| {
        let measures = of.measures(analyzed);
        let what = measures.iter().position(|of| *of == Some(run.measure))?;
        Some((kind, what))
    });
    if let Some((kind, what)) = chosen {
        sites.sort_by_key(|site| std::cmp::Reverse(site.amounts[kind][what].value));
    }
    Ok(sites)
}

/// Those that the file has, by their place in [`MemoryKind::ALL`], with the sum of its bytes.
fn kinds(run: &SelectedRun) -> Vec<(usize, MemoryKind, Amount)> {
    let kinds = MemoryKind::ALL.into_iter().enumerate();
    let is_shown = |kind: &MemoryKind| shown_kinds(run).any(|of| of == *kind);
    let with_sum = |(at, kind): (usize, MemoryKind)| {
        let measure = kind.measures(&run.analyzed)[0]?;
        Some((at, kind, run.analyzed.total(measure)))
    };
    kinds
        .filter(|(_, kind)| is_shown(kind))
        .filter_map(with_sum)
        .collect()
}

pub fn allocation_table(
    terminal: &Terminal,
    run: &SelectedRun,
    sites: &[AllocationSite],
    limit: usize,
) -> String {
    let analyzed = &run.analyzed;
    let kinds = kinds(run);
    let titles: Vec<String> = kinds
        .iter()
        .map(|of| format!("{}  ", title(of.1)))
        .collect();
    let mut columns: Vec<(&str, Align)> = Vec::new();
    for title in &titles {
        columns.extend([(title.as_str(), Align::Right), ("", Align::Right)]);
    }
    columns.extend([("line", Align::Path), ("function", Align::Left)]);
    let mut table = Table::new(&columns);
    for site in sites.iter().take(limit) {
        let mut cells = Vec::with_capacity(columns.len());
        for (at, kind, all) in &kinds {
            let [bytes, _] = site.amounts[*at];
            let by_chance = kind.measures(analyzed)[0]
                .and_then(|measure| analyzed.chance_samples(measure, bytes))
                .filter(|_| !is_exact(run));
            let style = heat_style(bytes.value, all.value, by_chance);
            cells.push((share(bytes.value, all.value, by_chance), style));
            let text = match bytes.value {
                0 => String::new(),
                bytes => value(bytes, "bytes"),
            };
            cells.push((text, Style::Faint));
        }
        let (place, name) = names(run, site);
        cells.push((visible(&place).into_owned(), Style::Plain));
        cells.push((visible(&name).into_owned(), Style::Faint));
        table.row(cells);
    }
    let line = 2 * kinds.len();
    let flexible = [(line + 1, 14), (line, 24), (line + 1, 8)];
    table.render(
        terminal,
        &flexible.map(|(column, least)| Flexible { column, least }),
    ) + &rest(terminal, sites.len(), limit, "lines")
}

/// Each byte was sampled.
fn is_exact(run: &SelectedRun) -> bool {
    interval(run) == Some(1)
}

/// "src/ledger.hpp:31" and "book"; without a line, the module.
fn names(run: &SelectedRun, site: &AllocationSite) -> (String, String) {
    let analyzed = &run.analyzed;
    let function = site.function.map(|id| analyzed.function(id));
    let name = function.map_or("[unknown]", |function| analyzed.text(function.name));
    let place = match (site.place, function) {
        (Some(place), _) => {
            let place = analyzed.places()[place as usize];
            format!("{}:{}", short_path(analyzed, place.file), place.line)
        }
        (None, Some(function)) => analyzed.text(function.module).to_owned(),
        (None, None) => String::new(),
    };
    (place, name.to_owned())
}
