//! What an execution of the command is started with.

use target::{LaunchOptions, Output};

use super::options::{RecordOptions, Target};
use super::preload;
use super::work::Work;

/// Of an execution, numbered from 0.
pub fn launch_options_of(options: &RecordOptions, execution: usize) -> LaunchOptions {
    let mut launch = launch_options(options);
    launch
        .env
        .extend(options.layouts.map(|layouts| layouts.variable(execution)));
    launch
}

pub fn launch_options(options: &RecordOptions) -> LaunchOptions {
    let mut launch = launch_options_without_preload(options);
    let preload = preload::variable(options, &launch.env);
    launch.env.extend(preload);
    launch
}

fn launch_options_without_preload(options: &RecordOptions) -> LaunchOptions {
    match &options.target {
        Target::Launch {
            program,
            args,
            cwd,
            env,
            terminal,
        } => LaunchOptions {
            program: program.clone(),
            called_as: (options.build.earlier())
                .map(|earlier| earlier.build.program.clone().into_os_string()),
            args: args.clone(),
            cwd: cwd.clone(),
            env: env.clone(),
            terminal: *terminal,
            output: match options.work {
                Work::FromOutput(_) => Output::Copied,
                Work::Unknown | Work::Each(_) => Output::Shared,
            },
        },
        Target::Attach(_) => unreachable!("only launched targets have launch options"),
    }
}
