//! What the collecting thread hands on.

use perf_events::map_event::MapEvent;
use stack_copies::StackCopy;

/// What was collected, in the order of time.
pub enum Copies {
    Happened(MapEvent),
    Sample(StackCopy),
}
