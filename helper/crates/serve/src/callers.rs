//! Who calls the function of a node or row, for a list that the page opens.

use analysis::NamedFunction;
use wire::{Caller, Callers, CallersRequest, view_request::Kind};

use super::failure::Failure;
use super::session::Session;
use super::views;

/// More than anyone reads; the rest is lighter than these.
const CALLERS_MAX: usize = 500;

pub fn callers(session: &Session, request: &CallersRequest) -> Result<Callers, Failure> {
    let Some(view) = &request.view else {
        return Err(Failure::protocol("The request for callers names no view."));
    };
    let of = named(session, view, request.index as usize)?;
    let is_run = matches!(
        Kind::try_from(view.kind),
        Ok(Kind::FlameGraph | Kind::Functions)
    );
    let mut answer = if is_run {
        let run = session.run(view.run)?;
        let measure = views::measure(&run, view.value)?;
        Callers {
            unit: run.analyzed.unit(measure).to_owned(),
            total_value: run.analyzed.total(measure).value,
            callers: on_wire(analysis::callers(&run.analyzed, measure, &of)),
            ..Callers::default()
        }
    } else {
        let opened = session.comparison(view.comparison)?;
        let comparison = &opened.comparison;
        Callers {
            unit: comparison.unit().to_owned(),
            total_value: comparison.base_total().value,
            new_total_value: comparison.new_total().value,
            callers: on_wire(analysis::compared_callers(comparison, &of)),
            ..Callers::default()
        }
    };
    answer.function = of.name;
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

fn on_wire(callers: Vec<analysis::Caller>) -> Vec<Caller> {
    (callers.into_iter().take(CALLERS_MAX))
        .map(|caller| Caller {
            name: caller.name,
            module: caller.module,
            value: caller.amount.value,
            samples: caller.amount.samples,
            new_value: caller.new_amount.value,
            new_samples: caller.new_amount.samples,
        })
        .collect()
}
