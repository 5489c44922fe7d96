//! What published click models mean for four grades.

use clicks::DependentClickModel;
use output::numbers::significant;
use simulation::description::SiteDescription;

/// A note for presets on labels up to 3: the published ones are for 2, 3 and 5 grades.
pub(super) fn grades_note(max_label: f32, description: &SiteDescription) -> Option<String> {
    let click = &description.click;
    let preset =
        DependentClickModel::PRESETS.iter().any(|name| click.model.split([':', ',', ' ']).any(|word| word == *name));
    if !preset || click.click.len() != 5 || max_label <= 2.0 || max_label > 3.0 {
        return None;
    }
    // The published probabilities, spread over grades 0 to 3.
    let spread = |five: &[f64]| -> String {
        let at = |grade: usize| {
            let place = grade as f64 * 4.0 / 3.0;
            let (low, share) = (place as usize, place.fract());
            five[low] + share * (five[(low + 1).min(4)] - five[low])
        };
        (0..4).map(|grade| format!("{grade}:{}", significant(at(grade)))).collect::<Vec<_>>().join(",")
    };
    let stop = if click.stop.iter().any(|stop| *stop > 0.0) && click.stop.len() == 5 {
        format!(" --stop {}", spread(&click.stop))
    } else {
        String::new()
    };
    Some(format!(
        "note: labels go up to {max_label}, but {} clicks are published for 2, 3 and 5 grades; those for 5 are used, so that \
         P(click) of the highest label is {}; to use the full range: --click {}{stop}",
        click.model,
        click.click[3],
        spread(&click.click)
    ))
}
