//! A walk over anything: random registers, stacks, mappings, pages, rows and rules never make it read outside of what
//! it was given, never keep it from ending, and give at most the frames that there is room for.

use records::layout::USER_FRAMES_MAX;
use records::{PAGE_SHIFT, Rule, StackEnd};
use walk::{
    Machine, Mapping, MappingTable, Piece, Registers, Stack, Tables, Walker, aarch64, x86_64,
};

/// xorshift64*: the same walks on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

const CODE: u64 = 0x40_0000;
const STACK: u64 = 0x7fff_0000_0000;

/// Mostly what leads somewhere, sometimes nonsense.
fn word(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => random.next(),
        1 => 0,
        2 | 3 => STACK + random.below(0x400) * 8,
        _ => CODE + random.below(0x6000),
    }
}

/// What a machine's tame rules are made of.
struct Numbers {
    sp: usize,
    fp: u8,
    /// saved_slots of a return address on the stack
    returns_by_stack: u8,
    /// and its distance from the CFA
    extra: i32,
    /// the bits of a stack word that are no address
    signature: u64,
}

fn rule(random: &mut Random, numbers: &Numbers) -> [u8; Rule::BYTES] {
    let mut bytes = [0; Rule::BYTES];
    bytes[0] = random.below(11) as u8; // one more than there are
    bytes[1] = if random.below(2) == 0 {
        numbers.sp as u8
    } else {
        random.below(32) as u8 // for x86-64, too many
    };
    bytes[2] = random.below(5) as u8;
    bytes[3] = random.next() as u8;
    for at in [4, 8, 12] {
        let small = random.below(512) as i32 - 64;
        let offset = if random.below(16) == 0 {
            random.next() as i32
        } else {
            small & !7
        };
        bytes[at..at + 4].copy_from_slice(&offset.to_le_bytes());
    }
    bytes
}

/// CFA = sp + 8 … 32, or *(sp), or fp + 16 on any stack.
fn tame_rule(random: &mut Random, numbers: &Numbers) -> [u8; Rule::BYTES] {
    let mut bytes = [0; Rule::BYTES];
    let (sp, fp) = (numbers.sp as u8, numbers.fp);
    (bytes[0], bytes[1], bytes[2]) = [(2, sp, 0), (2, sp, 0), (3, sp, 0), (9, fp, 1)]
        [random.below(16).saturating_sub(12) as usize];
    bytes[3] = numbers.returns_by_stack;
    let offset = if bytes[0] == 3 {
        0
    } else {
        8 + 8 * random.below(4) as i32
    };
    bytes[4..8].copy_from_slice(&offset.to_le_bytes());
    bytes[8..12].copy_from_slice(&(-16i32).to_le_bytes());
    let extra = if bytes[0] == 3 { 0 } else { numbers.extra };
    bytes[12..].copy_from_slice(&extra.to_le_bytes());
    bytes
}

#[test]
fn random_tables_registers_and_stacks_always_end_in_bounds() {
    walk_randomly::<{ x86_64::REGISTERS }>(&Numbers {
        sp: x86_64::SP,
        fp: 6,
        returns_by_stack: 0,
        extra: 0,
        signature: 0,
    });
}

#[test]
fn random_aarch64_tables_registers_and_stacks_always_end_in_bounds() {
    walk_randomly::<{ aarch64::REGISTERS }>(&Numbers {
        sp: aarch64::SP,
        fp: aarch64::FP as u8,
        returns_by_stack: unwind::aarch64::RETURN_AT_CFA,
        extra: -8,
        signature: 0xffff << 48,
    });
}

fn walk_randomly<const N: usize>(numbers: &Numbers)
where
    Registers<N>: Machine,
{
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut walker = Walker::<N>::default();
    let (mut deepest, mut went_on) = (0, 0);
    for generation in 1..20_000 {
        let mut tables = Tables::default();
        let is_tame = random.below(2) == 0; // code that mostly leads on: long walks, and circles
        let mut rules: Vec<_> = (0..1 + random.below(8))
            .map(|_| rule(&mut random, numbers))
            .collect();
        if is_tame {
            rules = (0..9).map(|_| tame_rule(&mut random, numbers)).collect();
        }
        tables.put_rules(0, &rules);
        let rows: Vec<u32> = (0..random.below(64))
            .map(|_| random.below(1 << PAGE_SHIFT) as u32 | (random.below(9) as u32) << 16)
            .collect();
        tables.put_rows(random.below(3) as u32, &rows);
        let pages: Vec<u64> = (0..8)
            .map(|_| match random.below(8) {
                0 if !is_tame => random.next(),
                _ => random.below(64) | random.below(64) << 32,
            })
            .collect();
        tables.put_pages(0, &pages);
        let mut mappings: Vec<Mapping> = (0..random.below(6))
            .map(|at| Mapping {
                start: CODE + at * 0x1000,
                end: CODE + at * 0x1000 + random.below(0x1800),
                bias: if random.below(8) == 0 {
                    random.next()
                } else {
                    CODE
                },
                first_page: if random.below(8) == 0 {
                    random.next() as u32
                } else {
                    0
                },
                page_count: random.below(8) as u32,
            })
            .collect();
        if is_tame {
            mappings = vec![Mapping {
                start: CODE,
                end: CODE + 0x6000,
                bias: CODE,
                first_page: 0,
                page_count: 6,
            }];
        } else if random.below(4) > 0 {
            mappings.sort_by_key(|m| m.start);
        }
        // Exactly as long as its allocation: a read past it is seen by a sanitizer, and a frame from it is wrong.
        let length = random.below(0x2000) as usize;
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() + 8 <= length {
            let word = if is_tame && random.below(64) > 0 {
                CODE + 1 + random.below(0x5000)
            } else {
                word(&mut random)
            };
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut general = [0; N];
        for register in &mut general {
            *register = word(&mut random);
        }
        if random.below(4) > 0 {
            general[numbers.sp] = STACK + random.below(0x100) * 8;
        }
        let registers = Registers {
            general,
            ip: word(&mut random),
            is_exact: random.below(2) == 0,
        };
        let stack = Piece {
            start: if random.below(16) == 0 {
                random.next()
            } else {
                STACK
            },
            bytes: &bytes,
        };
        let table = MappingTable::new(generation, &mappings);
        let pieces = [stack];
        let stack = Stack::of(&pieces);
        let walked = walker.walk(&registers, stack, &table, &tables);
        assert!((1..=USER_FRAMES_MAX).contains(&walked.frames.len()));
        let leaf = if registers.is_exact {
            registers.ip
        } else {
            registers.ip.wrapping_sub(1)
        };
        assert_eq!(walked.frames[0], leaf);
        let leads_to = |word: u64, frame: u64| {
            let address = word & !numbers.signature;
            [word, address].contains(&frame) || [word, address].contains(&frame.wrapping_add(1))
        };
        // Every caller is a word of the stack, or of a register for the second frame.
        for frame in &walked.frames[1..] {
            let found = bytes.windows(8).any(|w| {
                let word = u64::from_le_bytes(w.try_into().unwrap());
                leads_to(word, *frame)
            });
            let in_register = general.iter().any(|r| leads_to(*r, *frame));
            assert!(found || in_register, "{frame:#x}");
        }
        deepest = deepest.max(walked.frames.len());
        let first: Vec<u64> = walked.frames.to_vec();
        let end = walked.end;
        let again = walker.walk(&registers, stack, &table, &tables);
        assert_eq!(
            (again.frames, again.end),
            (&first[..], end),
            "what was remembered changes nothing"
        );
        let length = random.below(2 * USER_FRAMES_MAX as u64);
        let mut chain: Vec<u64> = (0..length).map(|_| word(&mut random)).collect();
        let place = random.below(8) as usize;
        if let (Some(entry), Some(last)) = (chain.get_mut(place), first.last()) {
            *entry = last.wrapping_add(1);
        }
        let pieces = stack.pieces;
        let chain = &chain[..];
        let longer = walker.walk(&registers, Stack { pieces, chain }, &table, &tables);
        assert_eq!(longer.frames[..first.len()], first, "no frame is replaced");
        let is_longer = longer.frames.len() > first.len();
        assert!(!is_longer || end == StackEnd::Unreadable);
        assert!([end, StackEnd::Root].contains(&longer.end));
        went_on += u32::from(is_longer);
        if mappings.is_sorted_by(|a, b| a.end <= b.start) {
            let find = |address| {
                let mut all = mappings.iter();
                all.find(|m| m.start <= address && address < m.end).copied()
            };
            let found = walker.walk_finding(&registers, stack, find, &tables);
            assert_eq!(
                (found.frames, found.end),
                (&first[..], end),
                "without a table"
            );
        }
    }
    assert!(deepest > 100, "some walks are long: {deepest}");
    assert!(went_on > 10, "some go on by the chain: {went_on}");
}
