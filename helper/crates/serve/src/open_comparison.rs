//! Two open runs beside each other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::{
    Amount, Amounts, ComparedRow, Comparison, EarlierRuns, Effect, Execution, NamedFunction, Side,
    compared_files, recording_identity, side_facts,
};
use runs::earlier_runs;
use wire::view_request::Kind;
use wire::{
    ComparedTable, ComparisonOpened, FileDifference, FileDifferenceRequest, FunctionDifference,
    Message, Normalisation, OpenComparisonRequest, SideFact, SourceFile,
};

use super::amounts::Columns;
use super::built_views::{
    BuiltView, CONTENT_BYTES_MAX, ComparedWords, FrameTableBuilder, Rows, ViewCache,
    flame_graph_view,
};
use super::effects::{EffectColumns, columns, single, verdict};
use super::failure::{Failure, FailureKind};
use super::open_run::OpenRun;
use super::value_types;
use crate::commits_between::commits_between;

/// Colder files are not listed; their difference is found all the same.
const FILES_LISTED_MAX: usize = 5000;

pub struct OpenComparison {
    base: Arc<OpenRun>,
    new: Arc<OpenRun>,
    pub comparison: Comparison,
    views: ViewCache,
}

impl OpenComparison {
    /// # Errors
    /// When the runs hold different kinds of values, or do not know what they are to be normalised by.
    pub fn of(
        base: Arc<OpenRun>,
        new: Arc<OpenRun>,
        request: &OpenComparisonRequest,
    ) -> Result<OpenComparison, Failure> {
        let [base_identity, new_identity] =
            [&base, &new].map(|run| recording_identity(run.analyzed.profile()));
        let are_parts = base.analyzed.is_part_beside(&new.analyzed);
        if base_identity.is_some() && base_identity == new_identity && !are_parts {
            return Err(Failure {
                kind: FailureKind::BadProfile,
                message: "Both sides hold the same recording.".to_owned(),
                advice: "Choose another run to compare with.".to_owned(),
            });
        }
        let side = |run: &OpenRun| {
            let side = Side::of_run(Arc::clone(&run.analyzed));
            match &request.value {
                Some(of) => side.about(&format!("{}/{}", of.r#type, of.unit)),
                None => Ok(side),
            }
        };
        let sides = [
            side(&base).map_err(Failure::not_found)?,
            side(&new).map_err(Failure::not_found)?,
        ];
        let [base_file, new_file] = [&base, &new].map(|run| [PathBuf::from(&run.summary.path)]);
        let earlier = match are_parts {
            true => EarlierRuns::default(),
            false => earlier_runs(&sides, [&base_file, &new_file], None),
        };
        let [base_side, new_side] = sides;
        let comparison = Comparison::knowing(
            earlier,
            base_side,
            new_side,
            of_wire(request.normalisation()),
        )
        .map_err(|message| Failure {
            kind: FailureKind::BadProfile,
            message,
            advice: match are_parts {
                true => "Select other parts of the run.",
                false => "Compare runs of the same kind, or choose another unit.",
            }
            .to_owned(),
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
        let whole = self.comparison.whole();
        let [base_executions, new_executions] = self.comparison.executions().map(executions);
        let commit = |run: &OpenRun| run.summary.git_commit.clone();
        let folders = self.new.workspace_folders.iter().map(Path::new);
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
            sentence: whole.sentence.clone(),
            verdict: verdict(whole.verdict).into(),
            change: whole.change,
            low: whole.low,
            high: whole.high,
            per: self.comparison.per().to_owned(),
            smallest_detectable: whole.smallest_detectable,
            method: whole.method.clone(),
            base_spread: spread(&base_executions),
            new_spread: spread(&new_executions),
            base_executions,
            new_executions,
            normalisation: on_wire(self.comparison.normalisation()).into(),
            normalisations: (self.comparison.normalisations().iter())
                .map(|normalisation| on_wire(*normalisation).into())
                .collect(),
            facts: (side_facts(&self.comparison).into_iter())
                .map(|fact| SideFact {
                    differs: fact.differs(),
                    what: fact.what.to_owned(),
                    base: fact.base,
                    new: fact.new,
                })
                .collect(),
            value: Some(value_types::on_wire(&self.comparison.measure_info())),
            part_names: self.part_names(),
            commits_between: commits_between(folders, &commit(&self.base), &commit(&self.new)),
        }
    }

    fn part_names(&self) -> Vec<String> {
        match self.comparison.names() {
            names if names.are_parts() => names.words().map(str::to_owned).to_vec(),
            _ => Vec::new(),
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
            functions: found.functions.into_iter().map(function).collect(),
            samples_unknown: !self.comparison.is_counted(),
            unit: self.comparison.unit().to_owned(),
            self_effects: Some(columns(found.lines.iter().map(|line| &line.effects.self_))),
            total_effects: Some(columns(found.lines.iter().map(|line| &line.effects.total))),
            ..FileDifference::default()
        };
        for line in &found.lines {
            difference.line.push(line.line);
            let (of_line, _) = line.effects.verdict();
            difference.verdict.push(verdict(of_line).into());
            difference.changed.push(line.changed);
            base.push(&self.known(&line.base));
            new.push(&self.known(&line.new));
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
    pub fn view(&self, kind: Kind, hidden: &[NamedFunction]) -> Arc<BuiltView> {
        self.views.get(kind, 0, hidden, || match kind {
            Kind::ComparedFunctions => self.table(analysis::compared_functions(&self.comparison)),
            Kind::ComparedLines => self.table(analysis::compared_lines(&self.comparison)),
            _ => {
                let graph = analysis::compared_flame_graph_without(&self.comparison, hidden);
                let words = ComparedWords {
                    per: self.comparison.per().to_owned(),
                    part_names: self.part_names(),
                };
                flame_graph_view(graph, &self.comparison.measure_info(), words)
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

    /// 0: not known.
    fn samples(&self, amount: Amount) -> u64 {
        self.comparison.known_samples(amount).unwrap_or(0)
    }

    fn known(&self, amounts: &Amounts) -> Amounts {
        let known = |amount: Amount| Amount {
            samples: self.samples(amount),
            ..amount
        };
        Amounts {
            self_: known(amounts.self_),
            total: known(amounts.total),
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
        let mut notes = Vec::with_capacity(rows.len());
        let (mut self_effects, mut total_effects) =
            (EffectColumns::default(), EffectColumns::default());
        for row in rows {
            frames.push(
                [&row.name, &row.module, &row.file],
                row.line,
                row.kind as u32,
            );
            notes.push(frames.id(&row.note));
            base.push(&self.known(&row.base));
            new.push(&self.known(&row.new));
            self_effects.push(&row.effects.self_);
            total_effects.push(&row.effects.total);
        }
        let message = ComparedTable {
            frames: Some(frames.table),
            unit: self.comparison.unit().to_owned(),
            per: self.comparison.per().to_owned(),
            part_names: self.part_names(),
            base_total: self.comparison.base_total().value,
            new_total: self.comparison.new_total().value,
            base_total_samples: self.samples(self.comparison.base_total()),
            new_total_samples: self.samples(self.comparison.new_total()),
            samples_unknown: !self.comparison.is_counted(),
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
            self_effects: Some(self_effects.finish()),
            total_effects: Some(total_effects.finish()),
            note: notes,
            contribution: rows.iter().map(|row| row.contribution).collect(),
        };
        BuiltView {
            content: message.encode_to_vec(),
            rows: Rows::of_frames(message.frames.unwrap_or_default()),
        }
    }
}

fn function(function: analysis::FunctionDifference) -> FunctionDifference {
    let effect = |effect: &Effect| Some(single(effect));
    FunctionDifference {
        name: function.name,
        line: function.line,
        base_self: function.base.self_.value,
        new_self: function.new.self_.value,
        base_total: function.base.total.value,
        new_total: function.new.total.value,
        self_effect: effect(&function.effects.self_),
        total_effect: effect(&function.effects.total),
        note: function.note,
    }
}

fn executions(executions: Vec<(Execution, f64)>) -> Vec<wire::Execution> {
    let values: Vec<f64> = (executions.iter())
        .filter(|(one, _)| !one.warm_up)
        .map(|(_, value)| *value)
        .collect();
    let mut outliers = statistics::outliers(&values).into_iter();
    (executions.into_iter())
        .map(|(one, value)| wire::Execution {
            wall_ns: one.wall_ns,
            user_ns: one.user_ns,
            system_ns: one.system_ns,
            work: one.work,
            samples: one.samples,
            warm_up: one.warm_up,
            outlier: !one.warm_up && outliers.next().unwrap_or(false),
            value,
        })
        .collect()
}

/// `None` where no execution counts.
fn spread(executions: &[wire::Execution]) -> Option<wire::Spread> {
    let counted = executions.iter().filter(|one| !one.warm_up);
    let values: Vec<f64> = counted.map(|one| one.value).collect();
    let summary = statistics::summary(&values)?;
    Some(wire::Spread {
        median: summary.median,
        least: summary.least,
        greatest: summary.greatest,
    })
}

fn of_wire(normalisation: Normalisation) -> Option<analysis::Normalisation> {
    match normalisation {
        Normalisation::Best => None,
        Normalisation::Work => Some(analysis::Normalisation::Work),
        Normalisation::Run => Some(analysis::Normalisation::Run),
        Normalisation::Wall => Some(analysis::Normalisation::Wall),
        Normalisation::Share => Some(analysis::Normalisation::Share),
    }
}

fn on_wire(normalisation: analysis::Normalisation) -> Normalisation {
    match normalisation {
        analysis::Normalisation::Work => Normalisation::Work,
        analysis::Normalisation::Run => Normalisation::Run,
        analysis::Normalisation::Wall => Normalisation::Wall,
        analysis::Normalisation::Share => Normalisation::Share,
    }
}
