//! Figures of finished results, drawn again from their files without running anything.
//!
//! | in | is |
//! |---|---|
//! | this file | the results in a folder, and their figure |
//! | `study` | folders of live runs, `rankduel bandit` and `rankduel compare` |
//! | `intervals` | folders of `rankduel board` and `rankduel inspect` |
//! | `win_rates` | folders of `click-logs decide` |
//! | `table` | tables of results, row by row |
//! | `grid` | a grid of parameters as a heat map |

mod grid;
mod intervals;
mod study;
mod table;
mod win_rates;

use std::path::Path;

use anyhow::{Result, bail, ensure};
use figures::Panels;
use figures::print::Sheet;
use output::usage::usage;
use ranktypes::text::escaped;

use self::study::Study;
use self::win_rates::WinRates;
use crate::experiment::config::{Bands, Draw, Scale};
use crate::experiment::redraw::FinishedExperiment;
use crate::experiment::report::folder::for_print;
use studies::results::PrintChoices;

/// The request, apart from print options.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Request {
    /// The scale of the x axis.
    pub x: Option<Scale>,
    /// The scale of the y axis.
    pub y: Option<Scale>,
    /// The meaning of bands and bars.
    pub bands: Option<Bands>,
    /// Curves to draw: names, or the algorithms they begin with. All if there are none.
    pub curves_only: Vec<String>,
    /// A heat map of a grid of parameters instead of curves.
    pub heat_map: bool,
    /// The step or number of rankers that the heat map shows.
    pub grid_step: Option<f64>,
    /// Other labels for both axes.
    pub labels: [Option<String>; 2],
    /// Another headline.
    pub title: Option<String>,
    /// The print options.
    pub chosen: PrintChoices,
}

/// A figure and its caption.
pub(crate) struct Drawing {
    /// The figure.
    pub sheet: Sheet,
    /// The caption: the headline, and the meaning of bands.
    pub caption: String,
    /// The choices of `request` and of the results.
    pub chosen: PrintChoices,
}

/// Draws the results in `folder`.
///
/// # Errors
/// One line if it holds no finished results, or they cannot be drawn in this way.
pub(crate) fn draw(folder: &Path, request: &Request) -> Result<Drawing> {
    if let Some(forest) = intervals::read(folder) {
        return intervals::draw(forest, request);
    }
    let results = Results::read(folder)?;
    let chosen = request.chosen.clone().or(results.chosen());
    let titled = chosen.title != Some(false);
    let (sheet, caption) = if request.heat_map {
        let mut grid = results.grid(request)?;
        let caption = caption([Some(&grid.title), grid.subtitle.as_ref(), Some(&grid.value_label)]);
        if !titled {
            grid.title.clear();
            grid.subtitle = None;
        }
        (chosen.print().grid(&grid), caption)
    } else {
        let mut figure = results.figure(request)?;
        keep_only(&mut figure, &request.curves_only)?;
        check_names(&figure, &chosen)?;
        for panel in &mut figure.panels {
            let [x, y] = &request.labels;
            panel.x_label = x.clone().unwrap_or_else(|| panel.x_label.clone());
            panel.y_label = y.clone().unwrap_or_else(|| panel.y_label.clone());
        }
        figure.title = request.title.clone().unwrap_or(figure.title);
        let caption = caption([Some(&figure.title), figure.subtitle.as_ref(), None]);
        (chosen.print().panels(&for_print(figure, titled)), caption)
    };
    // Sizes and letters that do not fit together were asked for.
    Ok(Drawing { sheet: sheet.map_err(|error| usage(format!("{error:#}")))?, caption, chosen })
}

fn caption<'a>(sentences: impl IntoIterator<Item = Option<&'a String>>) -> String {
    let sentences: Vec<&str> =
        sentences.into_iter().flatten().map(String::as_str).filter(|sentence| !sentence.is_empty()).collect();
    sentences.join("; ")
}

/// Finished results.
enum Results {
    Experiment(Box<FinishedExperiment>),
    Study(Box<Study>),
    WinRates(WinRates),
}

impl Results {
    fn read(folder: &Path) -> Result<Self> {
        let name = folder.display();
        ensure!(folder.is_dir(), usage(format!("{name} is not a folder; give the folder of finished results")));
        let has = |file: &str| folder.join(file).is_file();
        if has("experiment.toml") && has("summary.json") {
            return Ok(Self::Experiment(Box::new(FinishedExperiment::read(folder)?)));
        }
        if has("config.json") && has(win_rates::WIN_RATE_FILE) {
            return Ok(Self::WinRates(WinRates::read(folder)?));
        }
        if has("config.json") && has("summary.json") {
            return Ok(Self::Study(Box::new(Study::read(folder)?)));
        }
        if has(".unfinished.json") {
            bail!("the results in {name} are not finished; the command that began them continues");
        }
        if has("config.json") && has("findings.json") {
            bail!(usage(format!(
                "{name} holds finished results of a command that `{program} draw` has no figure of yet; it draws regret and rates of wins, and their own \
                 figures are beside them, as .svg and .png",
                program = output::program::name()
            )));
        }
        bail!(usage(format!(
            "{name} holds no results with a figure for a paper; expected a folder that a live run, `{program} bandit`, \
             `{program} compare`, `{program} experiment`, `{program} board`, `{program} inspect` of runs or `click-logs decide --out` \
             has written",
            program = output::program::name()
        )))
    }

    fn chosen(&self) -> PrintChoices {
        match self {
            Self::Experiment(finished) => finished.draw.chosen(),
            Self::Study(_) | Self::WinRates(_) => PrintChoices::default(),
        }
    }

    fn figure(&self, request: &Request) -> Result<Panels> {
        match self {
            Self::Experiment(finished) => {
                let default_draw = finished.draw.clone();
                let (x, y) = (request.x.or(default_draw.x), request.y.or(default_draw.y));
                finished.figure(Draw { x, y, bands: request.bands.unwrap_or(default_draw.bands), ..default_draw })
            }
            Self::Study(study) => study.figure(request),
            Self::WinRates(rates) => rates.figure(request),
        }
    }

    fn grid(&self, request: &Request) -> Result<figures::print::Grid> {
        match self {
            Self::Experiment(finished) => grid::of_experiment(finished, request),
            Self::Study(study) => grid::of_study(study, request),
            Self::WinRates(_) => bail!(usage("win rates have no grid of parameters; leave out --heat-map".to_owned())),
        }
    }
}

/// Keeps the curves with these names, or of these algorithms.
fn keep_only(figure: &mut Panels, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let known_names = curve_names(figure);
    let is = |curve: &str, name: &str| curve == name || curve.split([' ', ',']).next() == Some(name);
    for name in names {
        ensure!(
            known_names.iter().any(|curve| is(curve, name)),
            usage(format!("--only {}: there is no such curve, only {}", escaped(name), known_names.join("; ")))
        );
    }
    for panel in &mut figure.panels {
        panel.curves.retain(|curve| names.iter().any(|name| is(&curve.name, name)));
    }
    figure.panels.retain(|panel| !panel.curves.is_empty());
    Ok(())
}

/// Checks that there are curves to relabel.
fn check_names(figure: &Panels, chosen: &PrintChoices) -> Result<()> {
    let known_names = curve_names(figure);
    for name in chosen.relabel.keys() {
        ensure!(
            known_names.contains(name),
            usage(format!("relabel {}: there is no such curve, only {}", escaped(name), known_names.join("; ")))
        );
    }
    Ok(())
}

fn curve_names(figure: &Panels) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
        if !names.contains(&curve.name) {
            names.push(curve.name.clone());
        }
    }
    names
}
