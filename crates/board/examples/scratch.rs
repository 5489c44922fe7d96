//! scratch
#[path = "../tests/all/world.rs"]
mod world;
use board::*;
use std::time::Instant;
fn main() {
    let arg: Vec<String> = std::env::args().collect();
    if arg.get(1).is_some_and(|a| a == "llmfao") {
        let text = std::fs::read_to_string("/work/shared/data/llmfao/crowd-comparisons.csv").unwrap();
        let mut t = Table { names: vec![], items: vec![], judges: vec![], judgements: vec![], order: Order::Shown };
        fn id(all: &mut Vec<String>, s: &str) -> u32 {
            if let Some(p) = all.iter().position(|x| x == s) {
                p as u32
            } else {
                all.push(s.into());
                all.len() as u32 - 1
            }
        }
        for (n, line) in text.lines().skip(1).enumerate() {
            let f: Vec<&str> = line.split(',').collect();
            let (l, r) = (f[f.len() - 2], f[f.len() - 1]);
            let v = match f[5] {
                "left" => Verdict::First,
                "right" => Verdict::Second,
                "tie" => Verdict::Tie,
                x => panic!("{x}"),
            };
            let (a, b) = (id(&mut t.names, l), id(&mut t.names, r));
            let (i, j) = (id(&mut t.items, f[1]), id(&mut t.judges, f[4]));
            t.judgements.push(Judgement {
                first: a,
                second: b,
                verdict: v,
                item: Some(i),
                judge: Some(j),
                weight: 1.0,
                row: n as u64 + 2,
            });
        }
        for s in [
            Settings { checks: false, advice: false, every_look: false, ..Settings::default() },
            Settings { checks: false, advice: false, ..Settings::default() },
            Settings::default(),
        ] {
            let now = Instant::now();
            let b = Board::new(&t, &s).unwrap();
            println!("{:?} {}", now.elapsed(), b.sentence);
            if s.advice {
                for c in b.competitors.iter().take(8) {
                    println!("{c:?}");
                }
                println!(
                    "{:?}\n{:?}\n{:?}\n{:#?} {:?}",
                    b.groups[0],
                    b.tally,
                    b.both_orders,
                    b.findings.iter().map(|f| &f.sentence).collect::<Vec<_>>(),
                    b.advice
                );
            }
        }
        return;
    }
    let (k, n): (usize, usize) = (arg[1].parse().unwrap(), arg[2].parse().unwrap());
    let w = world::World::normal(k, 0.8, 0.5, 1).shared(500, 10);
    let t = w.table(n, 2);
    for s in [
        Settings { checks: false, advice: false, every_look: false, ..Settings::default() },
        Settings { checks: false, advice: false, ..Settings::default() },
        Settings::default(),
    ] {
        let now = Instant::now();
        let b = Board::new(&t, &s).unwrap();
        println!("{:?} {}", now.elapsed(), b.sentence);
        if s.advice {
            let m = |f: &dyn Fn(&Competitor) -> f64| b.competitors.iter().map(f).sum::<f64>() / k as f64;
            println!(
                "once {} always {} known {}",
                m(&|c| (c.once.worst - c.once.best) as f64),
                m(&|c| c.always.map_or(0.0, |a| (a.worst - a.best) as f64)),
                m(&|c| (c.known.worst - c.known.best) as f64)
            );
            println!(
                "{:?}\n{:#?} {:?}",
                b.groups[0],
                b.findings.iter().map(|f| &f.sentence).collect::<Vec<_>>(),
                b.advice
            );
        }
    }
}
