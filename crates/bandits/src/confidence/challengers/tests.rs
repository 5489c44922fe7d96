//! The challengers beside the highest of all bounds, evaluated exactly.

use rand::SeedableRng as _;

use super::*;

#[test]
fn nothing_that_is_highest_is_overlooked() {
    for (arms, unseen) in [(1, 2.0), (16, 0.5), (17, 2.0), (40, 0.5), (70, 1.0), (256, 2.0), (300, 2.0)] {
        let mut generator = Generator::seed_from_u64(arms as u64);
        let mut opponents = Challengers::new(arms, unseen, 0.0);
        let mut plain = vec![(unseen, 0.0); arms * arms];
        for arm in 0..arms {
            plain[arm * arms + arm] = (0.5, 0.0);
        }
        for step in 1..4_000_u64 {
            let scale = (0.51 * libm::log(step as f64)).sqrt();
            let champion = below(&mut generator, arms);
            let row = &plain[champion * arms..(champion + 1) * arms];
            assert!(opponents.of(champion).eq(row.iter().copied()));
            let bound = |&(mean, width): &(f64, f64)| mean + scale * width;
            let top = row.iter().map(bound).fold(f64::NEG_INFINITY, f64::max);
            let all: Vec<usize> = (0..arms).filter(|&j| bound(&row[j]) == top).collect();
            let chosen = opponents.challenger(champion, false, scale, &mut generator);
            let places = if opponents.leaders.is_empty() {
                let row = champion * opponents.stride..(champion + 1) * opponents.stride;
                let (places, _) = rounded::nearly_highest(&opponents.rounded[row.clone()], scale as f32);
                highest(&opponents.groups[row], places, scale).to_vec()
            } else {
                opponents.tied.iter().map(|&(tied, _)| tied).collect()
            };
            let found: Vec<usize> = (0..arms).filter(|j| places[j / BLOCK_ARMS] >> (j % BLOCK_ARMS) & 1 == 1).collect();
            assert!(all.contains(&chosen));
            assert_eq!(found, all, "step {step}");
            let chosen = opponents.challenger(champion, true, scale, &mut generator);
            assert!(all.contains(&chosen) && (chosen != champion || all.len() == 1));
            // Among every third arm and the champion.
            let admits = |arm: usize| arm % 3 == step as usize % 3 || arm == champion;
            let bits =
                |group: usize| (0..LANES).fold(0, |bits, lane| bits | u32::from(admits(group * LANES + lane)) << lane);
            let some = || (0..arms).filter(|&arm| admits(arm));
            let top = some().map(|arm| bound(&row[arm])).fold(f64::NEG_INFINITY, f64::max);
            let all: Vec<usize> = some().filter(|&arm| bound(&row[arm]) == top).collect();
            let chosen = opponents.challenger_among(champion, bits, scale, &mut generator);
            assert!(all.contains(&chosen) && (chosen != champion || all.len() == 1), "step {step}");
            // Few values, so that there are ties.
            let other = below(&mut generator, arms);
            let mean = below(&mut generator, 5) as f64 / 4.0;
            let width = 1.0 / (1 + below(&mut generator, 3)) as f64;
            opponents.set(champion, other, mean, width);
            plain[champion * arms + other] = (mean, width);
        }
    }
}

/// Bounds of counts, which rounding confuses more often the more duels there are.
#[test]
fn rounding_decides_nothing() {
    let cases = [(9, 1..=3, false), (30, 1..=40, false), (100, 9..=400, true), (256, 2_990_000..=3_000_000, false)];
    for (arms, duels, mixed) in cases {
        let mut generator = Generator::seed_from_u64(arms as u64);
        let mut opponents = Challengers::new(arms, 2.0, 0.0);
        if mixed {
            opponents.mix();
        }
        let mut confused = 0;
        for step in 1..3_000_u64 {
            for _ in 0..8 {
                let met = duels.start() + below(&mut generator, duels.clone().count()) as u32;
                let won = met / 2 + below(&mut generator, 2 + met as usize / 20_000) as u32;
                let estimate = PairEstimate::of(won.into(), (met - won.min(met)).into(), 0).expect("duels");
                opponents.set(0, below(&mut generator, arms), estimate.mean, estimate.width);
            }
            // Now and then one of more than counts, next to a line of counts.
            let (mean, width) = opponents.of(0).last().expect("an arm");
            if mixed && step % 3 == 0 {
                opponents.set(0, 0, mean * (1.0 + f64::EPSILON), width);
            }
            let scale = (0.51 * libm::log(step as f64)).sqrt();
            let bounds: Vec<f64> = opponents.of(0).map(|(mean, width)| mean + scale * width).collect();
            let top = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let tied: Vec<usize> = (0..arms).filter(|&arm| bounds[arm] == top).collect();
            let expected = tied[below(&mut generator.clone(), tied.len())];
            assert_eq!(opponents.challenger(0, false, scale, &mut generator), expected, "step {step}");
            confused += u32::from(bounds.iter().filter(|&bound| *bound >= top * (1.0 - 1e-7)).count() > tied.len());
        }
        assert!(arms < 256 || confused > 100, "{confused} of {arms} arms");
    }
}
/// Few and many arms, with and without the instructions of this processor, choice by choice and to the last bit.
#[cfg(target_arch = "x86_64")]
#[test]
#[expect(unsafe_code, reason = "as where it is used")]
fn vectors_change_nothing() {
    if !rounded::vectors::are_available() {
        return;
    }
    for arms in [5, 64, 136, 256, 257, 700] {
        let mut generator = Generator::seed_from_u64(arms as u64);
        let (mut one, mut other) = (Challengers::single(arms, 2.0, 0.0), Challengers::single(arms, 2.0, 0.0));
        let mut counts = vec![(0_u32, 0_u32); arms];
        for step in 1..6_000_u64 {
            let scale = (0.51 * libm::log(step as f64)).sqrt();
            let not_itself = step % 2 == 0;
            (one.scale, other.scale) = (scale, scale);
            let mut same = generator.clone();
            // SAFETY: this processor has the instructions.
            let (arm, again) = unsafe {
                if arms <= rounded::MAX_OPPONENTS {
                    let functions = (rounded::nearly_highest, rounded::of_width);
                    let plain = one.challenger_of_few(0, not_itself, scale, &mut generator, functions);
                    (plain, other.challenger_of_few_in_vectors(0, not_itself, scale, &mut same))
                } else {
                    let plain = one.challenger_of_many(0, not_itself, &mut generator);
                    (plain, other.challenger_of_many_in_vectors(0, not_itself, &mut same))
                }
            };
            assert_eq!((arm, &generator), (again, &same), "step {step} of {arms} arms");
            let (won, met) = &mut counts[arm];
            *met += 1;
            *won += u32::from(below(&mut generator, 2 * arms) < arms + arm % 9);
            let line = [f64::from(*won) / f64::from(*met), 1.0 / f64::from(*met).sqrt()];
            let (group, place) = (arm / LANES, arm % LANES);
            one.put(group, place, line);
            other.put(group, place, line);
            if arms > rounded::MAX_OPPONENTS {
                one.renew_leaders(group, place, line);
                // SAFETY: as above.
                unsafe { other.renew_leaders_in_vectors(group, place, line) };
                let block = group / LANES;
                let bits = |of: &Challengers| {
                    let (leaders, front) = (of.leaders[block], of.fronts[block]);
                    let lines = leaders.lines.pairs.map(|line| line.map(f64::to_bits));
                    let front = (front.line.map(f64::to_bits), front.until.to_bits(), front.tied);
                    (lines, leaders.until.map(f64::to_bits), leaders.at, front)
                };
                assert_eq!(bits(&one), bits(&other), "step {step} of {arms} arms");
            }
        }
    }
}
