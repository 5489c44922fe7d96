//! Charts as SVG inside HTML. A chart is as wide as its place, while its letters keep their size: positions across are percentages,
//! positions down are pixels, and curves are drawn in a box of their own that is stretched.

mod bars;
mod difference;
mod interval;
mod rate;
mod traffic;

pub(crate) use bars::{bar, buckets};
pub(crate) use difference::{difference, plot as difference_in};
pub(crate) use interval::{common_reach, interval};
pub(crate) use rate::{ABOUT, CUT, HEIGHTS, is_cut, plot, rate};
pub(crate) use traffic::{grouped_rankers, traffic};

use crate::text::{number, short_date};

/// Pixels between two labels below an axis, at least, on the narrowest page.
const LABELS: usize = 4;

/// A position across, from 0 to 1, as SVG writes it.
fn x_position(fraction: f64) -> String {
    format!("{}%", number(100.0 * fraction))
}

/// A few of `count` places to be labelled: the first and the last, and some between at equal distances.
fn labelled(count: usize) -> Vec<usize> {
    if count <= LABELS {
        return (0..count).collect();
    }
    // As many equal gaps as divide the whole, or else only the ends.
    let gaps = (2..LABELS).rev().find(|gaps| (count - 1).is_multiple_of(*gaps)).unwrap_or(1);
    (0..=gaps).map(|at| at * (count - 1) / gaps).collect()
}

/// Labels of dates, each with its place.
fn dates<'a>(dated_points: &'a [(f64, &'a str)]) -> impl Iterator<Item = (f64, String)> + 'a {
    labelled(dated_points.len()).into_iter().map(|at| (dated_points[at].0, short_date(dated_points[at].1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_include_both_ends_at_equal_distances() {
        assert_eq!(labelled(0), [0_usize; 0]);
        assert_eq!(labelled(3), [0, 1, 2]);
        for count in 5..200 {
            let places = labelled(count);
            assert_eq!((places[0], places[places.len() - 1]), (0, count - 1));
            let gaps: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(gaps.iter().all(|gap| *gap == gaps[0]) && places.len() <= LABELS, "{places:?}");
        }
    }
}
