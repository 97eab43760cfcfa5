//! A view as it is sent, kept for [`super::locate`]; and the tables that it is built from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use analysis::{Measure, NamedFunction};
use profile::MeasureInfo;
use wire::{Message, view_request::Kind};

use super::effects::columns;
use super::locked::locked;

/// Leaves room in a frame for what goes around a view.
pub const CONTENT_BYTES_MAX: usize = 15 << 20;

/// A view as it is sent, and where its rows are in the source.
pub struct BuiltView {
    pub content: Vec<u8>,
    pub rows: Rows,
}

/// Nodes of a flame graph or rows of a table, as indices into a frame table.
pub struct Rows {
    pub frames: wire::FrameTable,
    /// By row; empty: row = frame.
    pub frame_of_row: Vec<u32>,
    /// By row, a line better than the frame's own; empty: there is none.
    pub line_of_row: Vec<u32>,
}

impl Rows {
    /// Each row is the frame of the same number.
    pub fn of_frames(frames: wire::FrameTable) -> Rows {
        Rows {
            frames,
            frame_of_row: Vec::new(),
            line_of_row: Vec::new(),
        }
    }

    /// Of a row, as an index into the frame table; `None`: there is no such row.
    pub fn frame(&self, row: usize) -> Option<usize> {
        if self.frame_of_row.is_empty() {
            return (row < self.frames.name.len()).then_some(row);
        }
        self.frame_of_row.get(row).map(|&frame| frame as usize)
    }
}

/// Views by kind, value and what they hide. Of views that hide something the last is kept for each kind: a large graph takes
/// megabytes, and each choice of the user makes another.
#[derive(Default)]
pub struct ViewCache {
    built: Mutex<HashMap<ViewKey, BuiltOnce>>,
}

/// What it shows and, last, what it hides.
type ViewKey = (Kind, Measure, Vec<NamedFunction>);
type BuiltOnce = Arc<OnceLock<Arc<BuiltView>>>;

impl ViewCache {
    pub fn get(
        &self,
        kind: Kind,
        measure: Measure,
        hidden: &[NamedFunction],
        build: impl FnOnce() -> BuiltView,
    ) -> Arc<BuiltView> {
        let key = (kind, measure, hidden.to_vec());
        let slot = {
            let mut built = locked(&self.built);
            if !hidden.is_empty() && !built.contains_key(&key) {
                built.retain(|(other, _, hides), _| *other != kind || hides.is_empty());
            }
            Arc::clone(built.entry(key).or_default())
        };
        // Built without the lock: a large view must not hold up a small one. Who asks for the same one waits for it.
        Arc::clone(slot.get_or_init(|| Arc::new(build())))
    }
}

/// How a comparison speaks of its values and sides; of a run it is empty.
#[derive(Default)]
pub struct ComparedWords {
    pub per: String,
    pub part_names: Vec<String>,
}

/// Moves the columns into a message.
pub fn flame_graph_view(
    mut graph: analysis::FlameGraph,
    of: &MeasureInfo,
    words: ComparedWords,
) -> BuiltView {
    if !of.is_counted() {
        graph.forget_samples();
    }
    let compared = graph.compared.map(|new| wire::FlameGraph {
        total_effects: Some(columns(&new.total_effects)),
        new_self_value: new.self_value,
        new_self_samples: new.self_samples,
        new_total_value: new.totals.value,
        new_total_samples: new.totals.samples,
        churn: new.churn,
        ..wire::FlameGraph::default()
    });
    let message = wire::FlameGraph {
        frames: Some(frame_table(graph.frames)),
        r#type: of.name.clone(),
        unit: of.unit.clone(),
        per: words.per,
        part_names: words.part_names,
        samples_unknown: !of.is_counted(),
        complete: of.is_complete,
        parent_distance: graph.parent_distance,
        frame: graph.frame,
        line: graph.line,
        self_value: graph.self_value,
        self_samples: graph.self_samples,
        total_value: graph.totals.value,
        total_samples: graph.totals.samples,
        pruned_nodes: graph.pruned_nodes,
        largest_modules: graph.largest_modules,
        ..compared.unwrap_or_default()
    };
    BuiltView {
        content: message.encode_to_vec(),
        rows: Rows {
            frames: message.frames.unwrap_or_default(),
            frame_of_row: message.frame,
            line_of_row: message.line,
        },
    }
}

pub fn frame_table(frames: analysis::FrameTable) -> wire::FrameTable {
    wire::FrameTable {
        strings: frames.strings,
        name: frames.name,
        module: frames.module,
        file: frames.file,
        line: frames.line,
        kind: frames.kind,
        collapsed: frames.collapsed,
    }
}

/// Frames with each text once; string 0 is empty.
pub struct FrameTableBuilder {
    pub table: wire::FrameTable,
    ids: HashMap<String, u32>,
}

impl Default for FrameTableBuilder {
    fn default() -> FrameTableBuilder {
        FrameTableBuilder {
            table: wire::FrameTable {
                strings: vec![String::new()],
                ..wire::FrameTable::default()
            },
            ids: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl FrameTableBuilder {
    /// `[name, module, file]`.
    pub fn push(&mut self, texts: [&str; 3], line: u32, kind: u32) {
        let [name, module, file] = texts.map(|text| self.id(text));
        self.table.name.push(name);
        self.table.module.push(module);
        self.table.file.push(file);
        self.table.line.push(line);
        self.table.kind.push(kind);
    }

    /// The row that was pushed last stands for what it calls, too.
    pub fn mark_collapsed(&mut self) {
        (self.table.collapsed).extend((self.table.name.len() as u32).checked_sub(1));
    }

    /// Of any text in the table's strings.
    pub fn id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.table.strings.len() as u32;
        self.table.strings.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }
}

/// The rows of one, then those of the other: by these numbers they are located.
pub fn frames_of_both(first: &wire::FrameTable, second: &wire::FrameTable) -> wire::FrameTable {
    let mut all = FrameTableBuilder::default();
    for table in [first, second] {
        for row in 0..table.name.len() {
            let text = |column: &[u32]| table.strings[column[row] as usize].as_str();
            let texts = [&table.name, &table.module, &table.file].map(|column| text(column));
            all.push(texts, table.line[row], table.kind[row]);
        }
    }
    all.table
}
