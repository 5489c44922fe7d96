//! `rankduel draw`: the figure of finished results, drawn again for a paper.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use letor_io::NameList;
use output::numbers::parse_above_zero;
use output::usage::usage;
use ranktypes::text::escaped;
use studies::results::{DENSITY, Format, LegendChoice, Length, LetterSize, PrintChoices};
use studies::runner::announce_missing;

use crate::cli::args::LabelOverride;
use crate::drawing::{Drawing, Request, draw};
use crate::experiment::config::{Bands, Scale};
use desk::{eprintln, println};
use studies::request::AxesChoice;

/// Draw the figure of finished results again, for a paper: without running anything.
///
/// Reads a folder that a live run, `rankduel bandit`, `compare`, `experiment`, `board`, `inspect` of runs or `click-logs decide --out`
/// has written. The figure is as wide as a column, 3.33 in, in letters of 8 points, as PDF with embedded fonts; an algorithm
/// has the same colour and dashes in every figure. Prints a caption, which says what bands show.
///
/// In experiments, the section [draw] has the same keys: spread, width, height, font, format, legend, relabel and title;
/// and x and y, each linear or log, for --axes. Flags win.
#[derive(Debug, Args)]
pub(super) struct Draw {
    /// The results folder
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// The file to write; its ending chooses the format [default: draw.pdf in the results folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The formats: pdf, svg or png, or several with commas [default: that of --out, or pdf]
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',')]
    format: Vec<Format>,

    /// Replace the file even if another program made it
    #[arg(long)]
    replace: bool,

    /// The width, e.g. 3.33in, 85mm or 240pt [default: 3.33in]
    #[arg(long, value_name = "LENGTH")]
    width: Option<Length>,

    /// The height [default: as the plots need]
    #[arg(long, value_name = "LENGTH")]
    height: Option<Length>,

    /// The size of letters; those at axes are one eighth smaller [default: 8pt]
    #[arg(long, value_name = "SIZE")]
    font: Option<LetterSize>,

    /// Pixels per inch of a PNG [default: 300]
    #[arg(long, value_name = "N", value_parser = density)]
    dpi: Option<f64>,

    /// For web pages: an SVG that is dark where its reader's theme is
    #[arg(long, conflicts_with = "heat_map")]
    adaptive: bool,

    /// The axes [default: as in the figure of the results]
    #[arg(long, value_name = "AXES", value_enum)]
    axes: Option<AxesChoice>,

    /// The spread over runs that bands show; quantile, from the 10th to the 90th percentile, needs runs with --keep-curves [default: as in the
    /// figure of the results]
    #[arg(long = "spread", value_name = "SPREAD", value_enum)]
    bands: Option<Bands>,

    /// Where the names of curves are: inside the plot, outside below it, or direct at the ends of curves [default: where
    /// there is room]
    #[arg(long, value_name = "PLACE", value_enum)]
    legend: Option<LegendChoice>,

    /// Another name for a curve, which keeps its colour, e.g. rucb=RUCB; several with commas (one with a comma in quotation marks)
    #[arg(long, value_name = "NAME=NEW,...")]
    relabel: Vec<LabelOverride>,

    /// Draw these curves alone: names as in the legend, or algorithms
    #[arg(long, value_name = "NAME,...")]
    only: Vec<NameList>,

    /// Another headline
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    title: Option<String>,

    /// No headline and no line below it: a paper has them in the caption
    #[arg(long)]
    no_title: bool,

    /// Another label of the x axis
    #[arg(long, value_name = "TEXT")]
    x_label: Option<String>,

    /// Another label of the y axis
    #[arg(long, value_name = "TEXT")]
    y_label: Option<String>,

    /// A heat map instead of curves: algorithms that differ in one or two parameters as a grid
    #[arg(long, conflicts_with_all = ["axes", "bands", "legend", "relabel"])]
    heat_map: bool,

    /// The step, or the number of rankers, that the heat map shows [default: the last step; of experiments on several
    /// sizes, the mean over all relative to the lowest]
    #[arg(long, value_name = "N", requires = "heat_map", value_parser = parse_above_zero)]
    at: Option<f64>,
}

impl Draw {
    pub(super) fn run(&self) -> Result<()> {
        let files = self.output_files()?;
        // Before anything is read, so that a mistake is found immediately.
        self.check(&files)?;
        let Drawing { sheet, caption, chosen } = draw(&self.results, &self.request())?;
        let files = if files.is_empty() { self.default_files(&chosen) } else { files };
        let sheet = if self.adaptive { sheet.adaptive() } else { sheet };
        self.check(&files)?;
        for (path, format) in &files {
            let bytes = format.file(&sheet, self.dpi.unwrap_or(DENSITY))?;
            path.parent().into_iter().for_each(|parent| announce_missing(parent, false));
            output::create_folder_of(path)?;
            output::remove_leftovers(path);
            output::write_atomic(path, &bytes)?;
        }
        println!("{}", escaped(&caption));
        let [width, height] = sheet.size().map(|points| points / 72.0);
        let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        eprintln!("{}: {width:.2} x {height:.2} in", paths.join(", "));
        Ok(())
    }

    /// The files that flags ask for; none if they leave it open.
    fn output_files(&self) -> Result<Vec<(PathBuf, Format)>> {
        let Some(out) = &self.out else {
            return Ok(self.format.iter().map(|format| (self.figure_path(*format), *format)).collect());
        };
        let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let format_of_ending: Option<Format> = ending.parse().ok();
        match (format_of_ending, self.format.as_slice()) {
            (Some(format), []) => Ok(vec![(out.clone(), format)]),
            (Some(format), [given]) if format == *given => Ok(vec![(out.clone(), format)]),
            (None, [given]) => Ok(vec![(out.clone(), *given)]),
            (_, [given]) => Err(usage(format!(
                "--out {} is a .{ending}, but --format {} is asked for; leave one of them out",
                escaped(&out.display().to_string()),
                given.ending()
            ))),
            (None, []) => Err(usage(format!(
                "--out {}: expected a name that ends in .pdf, .svg or .png, or --format",
                escaped(&out.display().to_string())
            ))),
            (_, _) => Err(usage("--out names one file, but several --format are asked for; leave one of them out")),
        }
    }

    fn default_files(&self, chosen: &PrintChoices) -> Vec<(PathBuf, Format)> {
        let formats = if chosen.formats.is_empty() { vec![Format::Pdf] } else { chosen.formats.clone() };
        formats.into_iter().map(|format| (self.figure_path(format), format)).collect()
    }

    fn figure_path(&self, format: Format) -> PathBuf {
        self.results.join(format!("draw.{}", format.ending()))
    }

    /// Checks that nothing but drawings of this command would be replaced without being asked.
    fn check(&self, files: &[(PathBuf, Format)]) -> Result<()> {
        let foreign = files.iter().find(|(path, format)| path.exists() && !format.is_made_here(path));
        if let Some((path, _)) = foreign.filter(|_| !self.replace) {
            let path = escaped(&path.display().to_string()).into_owned();
            return Err(usage(format!(
                "{path} is there, and not a drawing of this command; add --replace to replace it, or give another name with --out"
            )));
        }
        let no_svg = !files.is_empty() && files.iter().all(|(_, format)| *format != Format::Svg);
        ensure!(!self.adaptive || !no_svg, usage("--adaptive is for SVG; add --format svg"));
        for (at, (path, _)) in files.iter().enumerate() {
            ensure!(
                !files[..at].iter().any(|(other, _)| other == path),
                usage("--format names a format twice; give each once")
            );
        }
        Ok(())
    }

    fn request(&self) -> Request {
        let [x, y] = match self.axes {
            None => [None, None],
            Some(AxesChoice::Linear) => [Some(Scale::Linear), Some(Scale::Linear)],
            Some(AxesChoice::LogX) => [Some(Scale::Log), Some(Scale::Linear)],
            Some(AxesChoice::Log) => [Some(Scale::Log), Some(Scale::Log)],
        };
        let chosen = PrintChoices {
            width: self.width.clone(),
            height: self.height.clone(),
            font: self.font.clone(),
            legend: self.legend,
            relabel: self.relabel.iter().flat_map(|LabelOverride(names)| names).cloned().collect(),
            title: if self.no_title { Some(false) } else { self.title.as_ref().map(|_| true) },
            formats: self.format.clone(),
        };
        Request {
            x,
            y,
            bands: self.bands,
            curves_only: NameList::concat(&self.only),
            heat_map: self.heat_map,
            grid_step: self.at,
            labels: [self.x_label.clone(), self.y_label.clone()],
            title: self.title.clone(),
            chosen,
        }
    }
}

fn density(text: &str) -> Result<f64, String> {
    let number = parse_above_zero(text).ok().filter(|number| (20.0..=2400.0).contains(number));
    number.ok_or_else(|| format!("expected pixels per inch from 20 to 2400, found `{}`", escaped(text)))
}
