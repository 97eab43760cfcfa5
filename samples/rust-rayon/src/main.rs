//! word-count [--keys owned|borrowed] [--documents N] [--piece N]

mod corpus;
mod count;

use std::process::ExitCode;

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let mut keys = "owned";
    let mut documents = 16_000;
    let mut piece = usize::MAX;
    for pair in options.chunks(2) {
        match pair {
            [name, value] if name == "--keys" => keys = value,
            [name, value] if name == "--documents" => {
                documents = value.parse().unwrap_or(documents)
            }
            [name, value] if name == "--piece" => piece = value.parse().unwrap_or(piece),
            _ => {
                eprintln!(
                    "word-count: known options are --keys owned|borrowed, --documents N and --piece N."
                );
                return ExitCode::from(2);
            }
        }
    }
    let count_words = if keys == "borrowed" {
        count::with_borrowed_keys
    } else {
        count::with_owned_keys
    };
    let counts = count::in_parallel(&corpus::documents(documents), piece, count_words);
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (word, count) in ranked.iter().take(5) {
        println!("{count:>9}  {word}");
    }
    ExitCode::SUCCESS
}
