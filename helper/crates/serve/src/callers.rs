//! Who calls the function of a node or row, for a list that the page opens.

use analysis::NamedFunction;
use wire::{Caller, Callers, CallersRequest};

use super::failure::Failure;
use super::measured::Measured;
use super::session::Session;
use super::views;

/// More than anyone reads; the rest is lighter than these.
const CALLERS_MAX: usize = 500;

pub fn callers(session: &Session, request: &CallersRequest) -> Result<Callers, Failure> {
    let Some(view) = &request.view else {
        return Err(Failure::protocol("The request for callers names no view."));
    };
    let function = named(session, view, request.index as usize)?;
    let is_run = views::is_of_run(view.kind);
    let mut answer = if is_run {
        let run = session.run(view.run)?;
        let of = Measured::of(&run, Some(view.value))?;
        Callers {
            unit: run.analyzed.unit(of.measure).to_owned(),
            total_value: of.total().value,
            samples_unknown: !of.is_counted(),
            callers: on_wire(
                analysis::callers(&run.analyzed, of.measure, &function),
                of.is_counted(),
            ),
            ..Callers::default()
        }
    } else {
        let opened = session.comparison(view.comparison)?;
        let comparison = &opened.comparison;
        Callers {
            unit: comparison.unit().to_owned(),
            total_value: comparison.base_total().value,
            new_total_value: comparison.new_total().value,
            samples_unknown: !comparison.is_counted(),
            callers: on_wire(
                analysis::compared_callers(comparison, &function),
                comparison.is_counted(),
            ),
            ..Callers::default()
        }
    };
    answer.function = function.name;
    Ok(answer)
}

fn named(
    session: &Session,
    view: &wire::ViewRequest,
    row: usize,
) -> Result<NamedFunction, Failure> {
    let built = views::view(session, view)?;
    let absent = || Failure::not_found(format!("The view has no row {row}."));
    let frames = &built.rows.frames;
    let frame = built.rows.frame(row).ok_or_else(absent)?;
    let text = |column: &[u32]| {
        let id = *column.get(frame)?;
        frames.strings.get(id as usize).map(String::as_str)
    };
    let (name, module) = (text(&frames.name), text(&frames.module));
    Ok(NamedFunction::new(
        name.ok_or_else(absent)?,
        module.ok_or_else(absent)?,
    ))
}

fn on_wire(callers: Vec<analysis::Caller>, are_counted: bool) -> Vec<Caller> {
    let known = |samples| if are_counted { samples } else { 0 };
    (callers.into_iter().take(CALLERS_MAX))
        .map(|caller| Caller {
            name: caller.name,
            module: caller.module,
            value: caller.amount.value,
            samples: known(caller.amount.samples),
            new_value: caller.new_amount.value,
            new_samples: known(caller.new_amount.samples),
        })
        .collect()
}
