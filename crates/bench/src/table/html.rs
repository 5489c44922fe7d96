//! All tables and figures as one page that needs no other file and no network.

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{caption, figure, rows, units};
use crate::score::{Scores, TrackScores};

const STYLE: &str = include_str!("page.css");

/// The page.
pub(super) fn page(scores: &Scores) -> Result<String> {
    let tracks = scores.tracks.iter().map(|track| section(scores, track)).collect::<Result<Vec<_>>>()?;
    let title = format!("{}: dueling bandits and interleaving, measured", scores.bench);
    Ok(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p {
                    "Problems are frozen; definition " code { (short_checksum(&scores.definition)) } ", key " code { (short_checksum(&scores.key_sha256)) }
                    ", played by rankduel " (scores.programs.join(", ")) "."
                }
                nav { ul { @for track in &scores.tracks { li { a href={ "#" (track.track.letter()) } { (track.track) } } } } }
                @for track in &tracks { (track) }
                h2 { "Entries" }
                div.scroll { table {
                    thead { tr { th scope="col" { "entry" } th scope="col" { "kind" } th scope="col" { "what" } th scope="col" { "SHA-256 of its files" } } }
                    tbody { @for entry in &scores.entries { tr {
                        th scope="row" { (entry.name) } td { (entry.kind) } td { (entry.what) }
                        td { @if let Some(sum) = &entry.checksum { code { (short_checksum(sum)) } } }
                    } } }
                } }
                h2 { "Problems" }
                div.scroll { table {
                    thead { tr { th scope="col" { "problem" } th scope="col" { "arms" } th scope="col" { "Condorcet winner" } th scope="col" { "SHA-256" } } }
                    tbody { @for problem in &scores.problems { tr {
                        th scope="row" { (problem.name) } td.number { (problem.arms) }
                        td { @if problem.condorcet_winner { "yes" } @else { "no" } }
                        td { code { (short_checksum(&problem.sha256)) } }
                    } } }
                } }
            }
        }
    }
    .into_string())
}

fn short_checksum(sum: &str) -> &str {
    sum.get(..16).unwrap_or(sum)
}

fn section(scores: &Scores, track: &TrackScores) -> Result<Markup> {
    let (header, rows) = rows(track);
    let svg = if track.ranked.is_empty() { None } else { Some(figure::ranks(scores, track)?.svg) };
    Ok(html! {
        section id=(track.track.letter()) {
            h2 { (track.track) }
            p { (caption(track)) "." }
            @if let Some(svg) = svg { figure { (PreEscaped(svg)) } }
            ul { @for unit in units(track) { li { (unit) } } }
            div.scroll { table {
                thead { tr { @for cell in &header { th scope="col" { (cell) } } } }
                tbody { @for row in &rows { tr {
                    @for (column, cell) in row.iter().enumerate() {
                        @if column == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                    }
                } } }
            } }
            @if !track.unranked.is_empty() {
                h3 { "Without a rank" }
                ul { @for (name, why) in &track.unranked { li { strong { (name) } ": " (why) } } }
            }
        }
    })
}
