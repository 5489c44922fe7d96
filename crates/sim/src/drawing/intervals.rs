//! Folders of `rankduel board` and of `rankduel inspect`: estimates with their intervals, read from their figure.

use std::path::Path;

use anyhow::{Result, ensure};
use figures::Forest;
use output::input;
use output::usage::usage;
use ranktypes::text::escaped;

use super::{Drawing, Request, caption};

/// The figure of the results in `folder`; `None` if it is another, or there is none.
pub(super) fn read(folder: &Path) -> Option<Forest> {
    let read_text = |name: &str| input::read_file_text(&folder.join(name), input::MAX_RESULT_BYTES).ok();
    ["board.svg", "rankers.svg"].into_iter().find_map(|name| Forest::from_svg(&read_text(name)?))
}

/// Draws `forest` as `request` asks for it.
///
/// # Errors
/// If it asks for what only curves have, for rows that are not there, or for a sheet on which they have no room.
pub(super) fn draw(mut forest: Forest, request: &Request) -> Result<Drawing> {
    let [x_label, y_label] = &request.labels;
    ensure!(
        [request.x, request.y].iter().all(Option::is_none)
            && request.bands.is_none()
            && y_label.is_none()
            && !request.heat_map,
        usage("these are intervals, a row each: leave out --axes, --bands, --y-label and --heat-map".to_owned())
    );
    let known_names: Vec<&str> = forest.rows.iter().map(|row| row.name.as_str()).collect();
    let relabelled = request.chosen.relabel.keys().map(|name| ("relabel", name));
    for (flag, name) in request.curves_only.iter().map(|name| ("--only", name)).chain(relabelled) {
        let name = name.as_str();
        ensure!(
            known_names.contains(&name),
            usage(format!("{flag} {}: there is no such row, only {}", escaped(name), known_names.join("; ")))
        );
    }
    forest.rows.retain(|row| request.curves_only.is_empty() || request.curves_only.contains(&row.name));
    forest.x_label = x_label.clone().unwrap_or(forest.x_label);
    forest.title = request.title.clone().unwrap_or(forest.title);
    let caption = caption([Some(&forest.title), forest.subtitle.as_ref(), None]);
    let chosen = request.chosen.clone();
    if chosen.title == Some(false) {
        forest.title.clear();
        forest.subtitle = None;
    }
    // Sizes and letters that do not fit together were asked for.
    let sheet = chosen.print().forest(&forest).map_err(|error| usage(format!("{error:#}")))?;
    Ok(Drawing { sheet, caption, chosen })
}
