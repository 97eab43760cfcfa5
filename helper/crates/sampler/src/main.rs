//! The program; all of it is in the library, so that its tests are linked apart and the map of the link is the program's.

fn main() -> std::process::ExitCode {
    lineheat_sampler::run()
}
