//! Which answer a request gets.

use std::sync::Arc;

use wire::reply::Body;
use wire::{Done, request};

use super::failure::{Failure, FailureKind};
use super::locked::locked;
use super::open_comparison::OpenComparison;
use super::open_run::OpenRun;
use super::session::Session;
use super::{
    callers, compare_builds, executables, explain, file_heat, line_detail, locate, machine,
    matched_names, matches, named_run, processes, selections, sweep, timeline, views,
};

impl Session {
    /// The one reply to `body`.
    pub fn answer(&self, body: request::Body) -> Result<Body, Failure> {
        match body {
            request::Body::Hello(_) => Err(Failure::protocol("Hello was already sent.")),
            request::Body::Doctor(_) => Ok(Body::Doctor(machine::report())),
            request::Body::ListRuns(request) => self.saved.list(&request).map(Body::Runs),
            request::Body::RenameRun(request) => {
                profile::rename_run(request.path.as_ref(), &request.name)?;
                Ok(Body::Done(Done {}))
            }
            request::Body::OpenRun(request) => {
                let named = request.run.as_ref();
                let shared = named_run::profile_of(named, request.demangle(), self)?;
                let run = OpenRun::open(&request, shared);
                let mut opened = run.opened();
                opened.run = self.add(&self.runs, Arc::new(run), "runs")?;
                Ok(Body::RunOpened(opened))
            }
            request::Body::Close(request) => {
                locked(&self.runs).remove(&request.run);
                locked(&self.comparisons).remove(&request.comparison);
                Ok(Body::Done(Done {}))
            }
            request::Body::FileHeat(request) => {
                let run = self.run(request.run)?;
                Ok(Body::FileHeat(file_heat::of(&run, &request)?))
            }
            request::Body::LineDetail(request) => {
                let run = self.run(request.run)?;
                Ok(Body::LineDetail(line_detail::of(&run, &request)?))
            }
            request::Body::View(request) => {
                let view = views::view(self, &request)?;
                Ok(Body::View(wire::View {
                    content: view.content.clone(),
                }))
            }
            request::Body::OpenComparison(request) => {
                let run = |handle| Ok::<_, Failure>(self.run(handle)?.named(request.demangle()));
                let (base, new) = (run(request.base_run)?, run(request.new_run)?);
                let comparison = OpenComparison::of(base, new, &request)?;
                let mut opened = comparison.opened();
                opened.comparison =
                    self.add(&self.comparisons, Arc::new(comparison), "comparisons")?;
                Ok(Body::ComparisonOpened(opened))
            }
            request::Body::FileDifference(request) => {
                let comparison = self.comparison(request.comparison)?;
                Ok(Body::FileDifference(comparison.file_difference(&request)))
            }
            request::Body::Locate(request) => locate::locate(self, &request).map(Body::Location),
            request::Body::Source(request) => {
                let run = self.run(request.run)?;
                Ok(Body::Source(run.source(&request.recorded_path)))
            }
            request::Body::ListProcesses(_) => Ok(Body::Processes(processes::list())),
            request::Body::FindExecutables(request) => {
                Ok(Body::Executables(executables::find(&request)))
            }
            request::Body::Callers(request) => callers::callers(self, &request).map(Body::Callers),
            request::Body::Match(request) => matches::matches(self, &request).map(Body::Match),
            request::Body::SweepTable(request) => sweep::table(&request).map(Body::SweepTable),
            request::Body::Explain(request) => {
                let comparison = self.comparison(request.comparison)?;
                Ok(Body::Explanation(explain::explain(&comparison, &request)))
            }
            request::Body::EarlierBuild(request) => {
                compare_builds::earlier(&request).map(Body::EarlierBuild)
            }
            request::Body::Select(request) => {
                let (run, mut selected) = selections::select(&*self.run(request.run)?, &request)?;
                selected.run = self.add(&self.runs, Arc::new(run), "runs")?;
                Ok(Body::Selected(selected))
            }
            request::Body::MatchNames(request) => {
                let run = self.run(request.run)?;
                Ok(Body::MatchedNames(matched_names::of(&run, &request)?))
            }
            request::Body::SaveRun(request) => {
                selections::save(&*self.run(request.run)?, &request)?;
                Ok(Body::Done(Done {}))
            }
            request::Body::Timeline(request) => {
                let run = self.run(request.run)?;
                let content = timeline::timeline(&run, &request)?;
                Ok(Body::Timeline(wire::View { content }))
            }
            request::Body::HottestStack(request) => {
                let run = self.run(request.run)?;
                Ok(Body::HottestStack(timeline::hottest_stack(&run, &request)?))
            }
            request::Body::Record(_)
            | request::Body::CompareBuilds(_)
            | request::Body::Sweep(_)
            | request::Body::Stop(_)
            | request::Body::TerminalInput(_)
            | request::Body::TerminalSize(_)
            | request::Body::WatchRuns(_)
            | request::Body::WatchRecording(_)
            | request::Body::Seen(_)
            | request::Body::Unwatch(_) => Err(Failure::new(
                FailureKind::Internal,
                "A worker cannot handle a request with several replies.",
            )),
        }
    }
}
