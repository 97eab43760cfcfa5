//! What a part of a Callgrind or Cachegrind file adds up to, against what it says itself.

/// A line that says what the costs add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    key: &'static str,
    sums: Vec<i128>,
}

impl Claim {
    pub fn totals(sums: Vec<i128>) -> Claim {
        Claim {
            key: "totals:",
            sums,
        }
    }

    pub fn summary(sums: Vec<i128>) -> Claim {
        Claim {
            key: "summary:",
            sums,
        }
    }
}

#[derive(Debug, Default)]
pub struct Sums {
    costs: Vec<i128>,
    claim: Option<Claim>,
}

impl Sums {
    pub fn add(&mut self, costs: &[i64]) {
        if self.costs.len() < costs.len() {
            self.costs.resize(costs.len(), 0);
        }
        for (sum, cost) in self.costs.iter_mut().zip(costs) {
            *sum += i128::from(*cost);
        }
    }

    /// Callgrind's summary may count a few events more than its lines do, so its totals count.
    pub fn claim(&mut self, claim: Claim) {
        let has_totals = matches!(&self.claim, Some(known) if known.key == "totals:");
        if !has_totals || claim.key == "totals:" {
            self.claim = Some(claim);
        }
    }

    /// Of each event that adds up to something else than is said, a sentence; then it begins anew.
    pub fn finish(&mut self, tool: &str, events: &[&str]) -> Vec<String> {
        let sums = std::mem::take(self);
        let Some(claim) = sums.claim else {
            return Vec::new();
        };
        let of = |sums: &[i128], at: usize| sums.get(at).copied().unwrap_or(0);
        (events.iter().enumerate())
            .map(|(at, event)| (event, of(&sums.costs, at), of(&claim.sums, at)))
            .filter(|(_, counted, claimed)| counted != claimed)
            .map(|(event, counted, claimed)| {
                format!(
                    "The lines of the {tool} file add up to {counted} {event}, but its line \"{}\" says {claimed}: the file may be incomplete or changed.",
                    claim.key
                )
            })
            .collect()
    }
}
