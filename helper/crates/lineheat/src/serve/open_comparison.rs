//! Two open runs beside each other.

use std::sync::Arc;

use analysis::{Amounts, ComparedRow, Comparison, Side, compared_files};
use wire::view_request::Kind;
use wire::{
    ComparedTable, ComparisonOpened, FileDifference, FileDifferenceRequest, Message, SourceFile,
};

use super::amounts::Columns;
use super::failure::Failure;
use super::open_run::OpenRun;
use super::views::{
    BuiltView, CONTENT_BYTES_MAX, FrameTableBuilder, Rows, ViewCache, flame_graph_view,
};

/// Colder files are not listed; their difference is found all the same.
const FILES_LISTED_MAX: usize = 5000;

pub struct OpenComparison {
    base: Arc<OpenRun>,
    new: Arc<OpenRun>,
    comparison: Comparison,
    views: ViewCache,
}

impl OpenComparison {
    /// # Errors
    /// When the runs hold different kinds of values.
    pub fn of(base: Arc<OpenRun>, new: Arc<OpenRun>) -> Result<OpenComparison, Failure> {
        let side = |run: &OpenRun| Side {
            analyzed: Arc::clone(&run.analyzed),
            runs: 1,
        };
        let comparison = Comparison::new(side(&base), side(&new)).map_err(|message| Failure {
            kind: "bad-profile",
            message,
            advice: "Compare runs of the same kind.".to_owned(),
        })?;
        Ok(OpenComparison {
            base,
            new,
            comparison,
            views: ViewCache::default(),
        })
    }

    /// What the editor is told of it; the handle is the session's to fill in.
    pub fn opened(&self) -> ComparisonOpened {
        let files = compared_files(&self.comparison);
        ComparisonOpened {
            comparison: 0,
            base: Some(self.base.summary.clone()),
            new: Some(self.new.summary.clone()),
            base_total: self.comparison.base_total().value,
            new_total: self.comparison.new_total().value,
            matched_share: self.comparison.matched_share(),
            warnings: self.comparison.warnings(),
            files: files
                .iter()
                .take(FILES_LISTED_MAX)
                .filter_map(|file| {
                    let (run, id) = match (file.base, file.new) {
                        (_, Some(id)) => (&self.new, id),
                        (Some(id), None) => (&self.base, id),
                        (None, None) => return None,
                    };
                    let both = |samples: fn(&Amounts) -> u64| {
                        samples(&file.base_amounts).saturating_add(samples(&file.new_amounts))
                    };
                    Some(SourceFile {
                        recorded_path: run.analyzed.file_path(id).to_owned(),
                        path: run.path_of(id),
                        self_samples: both(|amounts| amounts.self_.samples),
                        total_samples: both(|amounts| amounts.total.samples),
                    })
                })
                .collect(),
            ..ComparisonOpened::default()
        }
    }

    /// The difference beside the lines of one file; a file without samples on either side has no lines.
    pub fn file_difference(&self, request: &FileDifferenceRequest) -> FileDifference {
        let recorded = [&self.new, &self.base].into_iter().find_map(|run| {
            Some(
                run.analyzed
                    .file_path(run.file_at(&request.path)?)
                    .to_owned(),
            )
        });
        let text_now = request.has_text.then_some(request.text.as_str());
        let found = recorded
            .and_then(|path| analysis::file_difference(&self.comparison, &path, text_now))
            .unwrap_or_default();
        let (mut base, mut new) = (Columns::default(), Columns::default());
        let mut difference = FileDifference {
            base_total: self.comparison.base_total().value,
            new_total: self.comparison.new_total().value,
            notice: found.notice,
            ..FileDifference::default()
        };
        for line in &found.lines {
            difference.line.push(line.line);
            difference.verdict.push(verdict(line.verdict).into());
            difference.changed.push(line.changed);
            base.push(&line.base);
            new.push(&line.new);
        }
        difference.base_self = base.self_value;
        difference.new_self = new.self_value;
        difference.base_total_of_line = base.total_value;
        difference.new_total_of_line = new.total_value;
        difference.base_samples = base.total_samples;
        difference.new_samples = new.total_samples;
        difference
    }

    /// `kind` is one of the compared views.
    pub fn view(&self, kind: Kind) -> Arc<BuiltView> {
        self.views.get(kind, 0, || match kind {
            Kind::ComparedFunctions => self.table(analysis::compared_functions(&self.comparison)),
            Kind::ComparedLines => self.table(analysis::compared_lines(&self.comparison)),
            _ => {
                let kind = self.new.analyzed.value_name(self.new.measure);
                let graph = analysis::compared_flame_graph(&self.comparison);
                flame_graph_view(graph, kind, self.comparison.unit())
            }
        })
    }

    /// Where a file of either run is now; empty: not found.
    pub fn path_of_recorded(&self, recorded_path: &str) -> String {
        match self.new.path_of_recorded(recorded_path) {
            unknown if unknown.is_empty() => self.base.path_of_recorded(recorded_path),
            path => path,
        }
    }

    fn table(&self, mut rows: Vec<ComparedRow>) -> BuiltView {
        loop {
            let view = self.table_of(&rows);
            if view.content.len() <= CONTENT_BYTES_MAX || rows.is_empty() {
                return view;
            }
            // The smallest changes go.
            rows.truncate(rows.len() / 4 * 3);
        }
    }

    fn table_of(&self, rows: &[ComparedRow]) -> BuiltView {
        let (mut base, mut new) = (Columns::default(), Columns::default());
        let mut frames = FrameTableBuilder::default();
        for row in rows {
            frames.push(
                [&row.name, &row.module, &row.file],
                row.line,
                row.kind as u32,
            );
            base.push(&row.base);
            new.push(&row.new);
        }
        let message = ComparedTable {
            frames: Some(frames.table),
            unit: self.comparison.unit().to_owned(),
            per: "run".to_owned(),
            base_total: self.comparison.base_total().value,
            new_total: self.comparison.new_total().value,
            base_total_samples: self.comparison.base_total().samples,
            new_total_samples: self.comparison.new_total().samples,
            base_self: base.self_value,
            new_self: new.self_value,
            base_total_of_row: base.total_value,
            new_total_of_row: new.total_value,
            base_self_samples: base.self_samples,
            new_self_samples: new.self_samples,
            base_total_samples_of_row: base.total_samples,
            new_total_samples_of_row: new.total_samples,
            verdict: rows.iter().map(|row| verdict(row.verdict).into()).collect(),
            base_line: rows.iter().map(|row| row.base_line).collect(),
            ..ComparedTable::default()
        };
        BuiltView {
            content: message.encode_to_vec(),
            rows: Rows::of_frames(message.frames.unwrap_or_default()),
        }
    }
}

fn verdict(verdict: analysis::Verdict) -> wire::Verdict {
    match verdict {
        analysis::Verdict::Noise => wire::Verdict::Noise,
        analysis::Verdict::Slower => wire::Verdict::Slower,
        analysis::Verdict::Faster => wire::Verdict::Faster,
        analysis::Verdict::New => wire::Verdict::New,
        analysis::Verdict::Gone => wire::Verdict::Gone,
        analysis::Verdict::Moved => wire::Verdict::Moved,
        analysis::Verdict::TooFew => wire::Verdict::TooFew,
    }
}
