//! Sums over the lines and functions of one source file: what its heat is made from.

use std::collections::HashMap;

use profile::SeededHash;

use crate::amounts::Amounts;
use crate::analyzed::Analyzed;
use crate::frames::{FileId, FunctionId, Measure, NO_PLACE};
use crate::tally::{Groups, tally_groups};

pub(crate) struct FileSums {
    /// By place of the file, in their order.
    pub places: Vec<Amounts>,
    /// Those with samples that are defined in the file, in their order.
    pub functions: Vec<FunctionSums>,
}

pub(crate) struct FunctionSums {
    pub function: FunctionId,
    pub own: Amounts,
    /// Of all functions with its definition, such as the instances of a template.
    pub definition: Amounts,
}

impl FileSums {
    /// From the sums over everything where they have been made. Else only call paths that lead through the file are summed: a selection that
    /// is being drawn has no others made, and they take three times as long.
    pub fn of(analyzed: &Analyzed, measure: Measure, file: FileId) -> FileSums {
        FileSums::of_everything(analyzed, measure, file)
            .unwrap_or_else(|| FileSums::of_paths(analyzed, measure, file))
    }

    fn of_everything(analyzed: &Analyzed, measure: Measure, file: FileId) -> Option<FileSums> {
        let (tally, of_files) = analyzed.tallies_made(measure)?;
        let places = analyzed.places_of(file);
        Some(FileSums {
            places: tally.places[places.start as usize..places.end as usize].to_vec(),
            functions: (functions_in(analyzed, file).into_iter())
                .map(|function| FunctionSums {
                    function,
                    own: tally.functions[function as usize],
                    definition: of_files.definitions[function as usize],
                })
                .filter(FunctionSums::has_samples)
                .collect(),
        })
    }

    fn of_paths(analyzed: &Analyzed, measure: Measure, file: FileId) -> FileSums {
        let functions = functions_in(analyzed, file);
        let own = Numbering::of(&functions, analyzed.functions().len());
        let definition_of = definitions(analyzed, &functions);
        let definitions = Numbering {
            count: own.count,
            of_id: (own.of_id.iter())
                .map(|&at| definition_of.get(at as usize).copied().unwrap_or(at))
                .collect(),
        };
        let in_file: Vec<u32> = analyzed.places_of(file).collect();
        let places = Numbering::of(&in_file, analyzed.places().len());
        let is_through_file = chains_through(analyzed, &own, &places);

        let amounts = analyzed.stacks().amounts(analyzed, measure);
        let [mut own_sums, mut definition_sums, mut place_sums] =
            [&own, &definitions, &places].map(|of| Groups::new(&of.of_id, of.count + 1));
        let is_wanted = |chain: u32| is_through_file[chain as usize];
        tally_groups(
            analyzed,
            &amounts,
            is_wanted,
            &mut own_sums,
            Some(&mut place_sums),
        );
        tally_groups(analyzed, &amounts, is_wanted, &mut definition_sums, None);
        place_sums.sums.truncate(places.count);
        FileSums {
            places: place_sums.sums,
            functions: (functions.into_iter().enumerate())
                .map(|(at, function)| FunctionSums {
                    function,
                    own: own_sums.sums[at],
                    definition: definition_sums.sums[definition_of[at] as usize],
                })
                .filter(FunctionSums::has_samples)
                .collect(),
        }
    }
}

impl FunctionSums {
    fn has_samples(&self) -> bool {
        self.own.total.samples > 0 || self.own.total.value > 0
    }
}

fn functions_in(analyzed: &Analyzed, file: FileId) -> Vec<FunctionId> {
    let path = analyzed.file_id(file);
    (0u32..)
        .zip(analyzed.functions())
        .filter(|(_, function)| function.file == path)
        .map(|(id, _)| id)
        .collect()
}

/// By function of the file, the first that has its definition.
fn definitions(analyzed: &Analyzed, functions: &[FunctionId]) -> Vec<u32> {
    let mut first: HashMap<u32, u32, SeededHash> = HashMap::default();
    (0u32..)
        .zip(functions)
        .map(|(at, &function)| match analyzed.function(function).line {
            0 => at,
            line => *first.entry(line).or_insert(at),
        })
        .collect()
}

/// Ids of interest by their place in a list; all others have the number `count`.
struct Numbering {
    count: usize,
    of_id: Vec<u32>,
}

impl Numbering {
    fn of(wanted: &[u32], ids: usize) -> Numbering {
        let mut of_id = vec![wanted.len() as u32; ids];
        for (at, &id) in (0u32..).zip(wanted) {
            of_id[id as usize] = at;
        }
        Numbering {
            count: wanted.len(),
            of_id,
        }
    }

    fn has(&self, id: u32) -> bool {
        (self.of_id[id as usize] as usize) < self.count
    }
}

/// By chain, whether one of its frames is in the file.
fn chains_through(analyzed: &Analyzed, functions: &Numbering, places: &Numbering) -> Vec<bool> {
    (0..analyzed.chain_count())
        .map(|chain| {
            analyzed.chain(chain).iter().any(|frame| {
                functions.has(frame.function)
                    || (frame.place != NO_PLACE && places.has(frame.place))
            })
        })
        .collect()
}
