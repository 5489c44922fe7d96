//! The shapes of LETOR 3.0's NP2004 and LETOR 4.0's MQ2008: text features of five streams and a few of
//! links and addresses, scaled to 0..1.

use super::noise::{Noise, decimal};
use super::text::{Collection, Field, STREAMS, TextDocument, TextQuery, signal, signals};

/// Features of NP2004 and of MQ2008.
pub(crate) const NP2004_FEATURES: usize = 64;
/// Features of MQ2008.
pub(crate) const MQ2008_FEATURES: usize = 46;

/// Named-page search in .gov: one page is meant, and titles, anchors and addresses name it.
pub(crate) const NP2004: Collection = Collection {
    terms: &[0.02, 0.20, 0.30, 0.26, 0.12, 0.06, 0.04],
    unmatched: 0.0,
    idf: [4.5, 1.6],
    about: &[0.0, 3.2],
    authority: &[0.0, 0.6],
    per_term: 0.35,
    rare_tells: 0.2,
    query_spread: 0.15,
    fields: [
        Field { present: 0.999, length: [6.2, 1.2], thin: 0.0, shortest: 5.0, length_about: 0.0, length_authority: 0.0, copied: 0.02, mention: 0.2, term_spread: 1.6, mention_about: 1.2, mention_length: 0.5, more: 0.2, more_about: 0.45, more_length: 0.55, own: [0.3, 0.7], rarer: 0.0 },
        Field { present: 0.90, length: [2.0, 1.0], thin: 0.0, shortest: 1.0, length_about: 0.12, length_authority: 0.3, copied: 0.0, mention: -3.6, term_spread: 1.3, mention_about: 1.5, mention_length: 0.8, more: -0.7, more_about: 0.2, more_length: 0.7, own: [0.5, 0.5], rarer: 1.0 },
        Field { present: 0.975, length: [1.8, 0.5], thin: 0.0, shortest: 1.0, length_about: 0.0, length_authority: 0.0, copied: 0.15, mention: -3.4, term_spread: 1.5, mention_about: 1.8, mention_length: 0.6, more: -2.5, more_about: 0.1, more_length: 0.5, own: [0.5, 0.0], rarer: 1.5 },
        Field { present: 1.0, length: [2.1, 0.35], thin: 0.0, shortest: 3.0, length_about: -0.1, length_authority: -0.1, copied: 0.1, mention: -4.0, term_spread: 1.8, mention_about: 0.8, mention_length: 0.6, more: -3.0, more_about: 0.1, more_length: 0.5, own: [1.2, 0.0], rarer: 1.8 },
    ],
};

/// Million-query track on .gov2: few judged documents, most of which mention the query.
pub(crate) const MQ2008: Collection = Collection {
    terms: &[0.10, 0.28, 0.28, 0.18, 0.10, 0.04, 0.02],
    unmatched: 0.0,
    idf: [5.0, 1.8],
    about: &[-0.25, 0.75, 1.05],
    authority: &[0.0, 0.1, 0.2],
    per_term: 0.3,
    rare_tells: 0.2,
    query_spread: 0.4,
    fields: [
        Field { present: 1.0, length: [6.6, 1.3], thin: 0.0, shortest: 10.0, length_about: 0.25, length_authority: 0.0, copied: 0.01, mention: 3.0, term_spread: 1.2, mention_about: 1.2, mention_length: 0.4, more: 1.6, more_about: 0.75, more_length: 0.35, own: [0.4, 0.8], rarer: 0.0 },
        Field { present: 0.88, length: [2.2, 1.2], thin: 0.0, shortest: 1.0, length_about: 0.1, length_authority: 0.3, copied: 0.0, mention: -3.4, term_spread: 1.8, mention_about: 0.9, mention_length: 1.0, more: -0.6, more_about: 0.2, more_length: 0.7, own: [0.5, 0.5], rarer: 1.5 },
        Field { present: 0.93, length: [1.8, 0.6], thin: 0.0, shortest: 1.0, length_about: 0.0, length_authority: 0.0, copied: 0.08, mention: -2.3, term_spread: 2.0, mention_about: 0.8, mention_length: 0.6, more: -2.5, more_about: 0.1, more_length: 0.5, own: [0.6, 0.0], rarer: 1.5 },
        Field { present: 1.0, length: [2.1, 0.4], thin: 0.0, shortest: 3.0, length_about: -0.05, length_authority: -0.05, copied: 0.0, mention: -3.6, term_spread: 2.0, mention_about: 0.4, mention_length: 0.6, more: -3.0, more_about: 0.1, more_length: 0.5, own: [1.0, 0.0], rarer: 2.0 },
    ],
};

const MEAN_LENGTH: [f64; STREAMS] = [900.0, 12.0, 7.0, 8.0, 930.0];

/// The text signals of LETOR in the order of its first 40 features, five streams each.
const SIGNALS: [usize; 8] = [
    signal::TF,
    signal::IDF,
    signal::TF_IDF,
    signal::LENGTH,
    signal::BM25,
    signal::ABS,
    signal::DIRICHLET,
    signal::JELINEK_MERCER,
];

/// A count squeezed into 0..1, in the same order.
fn squeezed(count: f64, half: f64) -> f64 {
    decimal(count / (count + half))
}

/// The features of one NP2004 document: text, propagated scores, links, address.
pub(crate) fn np2004(
    query: &TextQuery,
    grade: usize,
    earlier: &mut Vec<TextDocument>,
    noise: &mut Noise,
    out: &mut [f64],
) {
    let document = query.document(&NP2004, grade, earlier, noise);
    earlier.push(document);
    let mut whole = 0.0;
    for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
        let values = signals(query, &document, stream, *mean_length);
        for (place, &signal) in SIGNALS.iter().enumerate() {
            out[place * STREAMS + stream] = match signal {
                // Language models are logarithms, below 0.
                signal::ABS | signal::DIRICHLET | signal::JELINEK_MERCER => decimal(libm::exp(values[signal] / 40.0)),
                signal::TF => squeezed(values[signal], 200.0),
                signal::LENGTH => squeezed(values[signal], 20.0 * mean_length),
                _ => squeezed(values[signal], 50.0),
            };
        }
        whole = values[signal::BM25];
    }
    let authority = document.authority;
    // Terms and scores propagated over the site map hardly move the score of the whole document.
    out[40] = squeezed(whole * (1.0 + 0.01 * noise.normal()), 50.0);
    out[41] = squeezed(whole * (1.0 + 0.01 * noise.normal()), 50.0);
    // Propagation along links reaches a third of the pages.
    let linked = noise.chance(super::noise::logistic(-0.75 + 0.8 * authority + 2.0 * grade as f64));
    for (place, value) in out[42..50].iter_mut().enumerate() {
        let propagated = (0.06 * whole + 0.5 * authority + 0.5 * noise.normal()).max(0.0);
        // Scores are coarse for propagated scores, finer for propagated features.
        let step: f64 = if (3..6).contains(&place) { 100.0 } else { 12.0 };
        *value = if linked { squeezed(((propagated + 0.2) * step).ceil() / step, 20.0) } else { 0.0 };
    }
    // PageRank and host rank, topical ranks and hubs, links in and out.
    let coarse = |value: f64, step: f64| decimal((value * step).ceil() / step);
    let rank = super::noise::logistic(-4.0 + authority + 0.5 * noise.normal());
    out[50] = coarse(rank, 5_000.0);
    out[51] = coarse(super::noise::logistic(-1.2 + 0.5 * authority + 0.8 * noise.normal()), 400.0);
    let topical = [(-1.7, 30.0), (-0.8, 120.0), (-0.8, 90.0)];
    for (value, (odds, step)) in out[52..55].iter_mut().zip(topical) {
        let there = noise.chance(super::noise::logistic(odds + authority + 1.5 * grade as f64));
        *value = if there { coarse(super::noise::logistic(-3.0 + 0.8 * authority + noise.normal()), step * 10.0) } else { 0.0 };
    }
    out[55] = squeezed(noise.log_normal(1.2 + 0.8 * authority, 1.4).round(), 2_000.0);
    out[56] = squeezed(noise.log_normal(2.4 + 0.3 * authority, 1.0).round(), 300.0);
    // Slashes and length of the address, pages below it.
    let words = f64::from(document.length[3]);
    out[57] = squeezed((1.0 + 0.4 * words + 0.8 * noise.normal()).round().clamp(1.0, 12.0), 20.0);
    out[58] = squeezed((6.0 * words + 7.0 * noise.normal()).round().max(8.0), 600.0);
    out[59] = if noise.chance(0.075) { squeezed(noise.log_normal(1.0, 1.2).ceil(), 100.0) } else { 0.0 };
    // BM25 and language models on extracted titles: coarse, on most pages.
    let titled = noise.normal() + 0.8 * grade as f64;
    for (place, value) in out[60..64].iter_mut().enumerate() {
        let score = if titled < 0.6 { 0.2 } else { 0.3 + 0.1 * titled + 0.01 * noise.normal() };
        *value = decimal((score * 60.0).round() / 60.0 + 0.01 * place as f64);
    }
}

/// The features of one MQ2008 document before [`to_unit`].
pub(crate) fn mq2008(
    query: &TextQuery,
    grade: usize,
    earlier: &mut Vec<TextDocument>,
    noise: &mut Noise,
    out: &mut [f64],
) {
    let document = query.document(&MQ2008, grade, earlier, noise);
    earlier.push(document);
    for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
        let values = signals(query, &document, stream, *mean_length);
        for (place, &signal) in SIGNALS.iter().enumerate() {
            // Counts go signal by signal; from feature 21 on, the models go stream by stream.
            let feature = if place < 4 { place * STREAMS + stream } else { 20 + 4 * stream + (place - 4) };
            out[feature] = values[signal];
        }
    }
    let authority = document.authority;
    let words = f64::from(document.length[3]);
    out[40] = (1.0 + 0.4 * words + 0.8 * noise.normal()).round().clamp(1.0, 12.0);
    out[41] = (6.0 * words + 9.0 * noise.normal()).round().max(10.0);
    out[42] = 0.0;
    out[43] = (noise.log_normal(0.8 * authority, 1.2) * 1e3).round();
    out[44] = (noise.log_normal(1.2 + 0.9 * authority, 1.6) - 1.0).round().max(0.0);
    out[45] = (noise.log_normal(1.0 + 0.2 * authority, 1.6) - 2.0).round().max(0.0);
}

/// Scales each feature of one query to 0..1, lowest to highest; constants become 0. `columns` holds
/// the values feature by feature, `documents` each.
pub(crate) fn to_unit(columns: &mut [f64], documents: usize) {
    for column in columns.chunks_exact_mut(documents) {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for value in column {
            *value = if high > low { decimal((*value - low) / (high - low)) } else { 0.0 };
        }
    }
}
