//! The styles of curves: by position, or the same for a name in every figure.

use crate::drawing::curves::CurveStyle;

/// The styles that differ.
const STYLE_COUNT: usize = 49;
/// The most curves of one family that share a colour and differ by dashes.
const MAX_CURVES_PER_COLOR: usize = 4;

/// The styles of curves with these names, which differ. Names of one family begin with the same word.
///
/// A family in `palette` has the style of its position there, in every figure; up to four of its curves share its colour.
/// The others take what is free. Without a palette, curves have the styles of their own positions.
pub(super) fn styles(names: &[&str], palette: &[String]) -> Vec<CurveStyle> {
    if palette.is_empty() {
        return (0..names.len()).map(CurveStyle::of).collect();
    }
    let families: Vec<Option<usize>> = names.iter().map(|name| family_position(name, palette)).collect();
    let alike = |of: usize| families.iter().filter(|family| **family == Some(of)).count();
    let all_alike = names.len() > 1 && families.iter().all(|family| family.is_some() && *family == families[0]);
    let mut styles: Vec<Option<CurveStyle>> = vec![None; names.len()];
    let mut used: Vec<CurveStyle> = Vec::new();
    // First the families' own styles, for a curve of just that name if there is one; then their further curves, then all
    // others.
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| families[at].is_none_or(|family| palette[family] != names[at]));
    for at in order {
        let own = families[at].filter(|_| !all_alike).map(CurveStyle::of);
        if let Some(own) = own.filter(|own| !used.contains(own)) {
            styles[at] = Some(own);
            used.push(own);
        }
    }
    for (at, family) in families.iter().enumerate().filter(|_| !all_alike) {
        let Some(family) = family.filter(|family| styles[at].is_none() && alike(*family) <= MAX_CURVES_PER_COLOR)
        else {
            continue;
        };
        let color = CurveStyle::of(family).color;
        let free = (0..STYLE_COUNT).map(CurveStyle::of).find(|style| style.color == color && !used.contains(style));
        styles[at] = free;
        used.extend(free);
    }
    for style in styles.iter_mut().filter(|style| style.is_none()) {
        let mut free = (0..STYLE_COUNT).map(CurveStyle::of).filter(|style| !used.contains(style));
        let fresh = free.clone().find(|style| used.iter().all(|other| other.color != style.color));
        let found = fresh.or_else(|| free.next()).unwrap_or_else(|| CurveStyle::of(used.len()));
        *style = Some(found);
        used.push(found);
    }
    styles.into_iter().flatten().collect()
}

/// The position in `palette` of the family of the curve `name`.
fn family_position(name: &str, palette: &[String]) -> Option<usize> {
    let first = name.split([' ', ',', ':']).next()?;
    palette.iter().position(|known| known == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette() -> Vec<String> {
        (0..30).map(|at| format!("a{at}")).collect()
    }

    #[test]
    fn a_name_has_one_style_in_all_figures() {
        let one = styles(&["a3", "a7", "own"], &palette());
        let other = styles(&["own", "a7 p=2", "b", "a3, MSLR"], &palette());
        assert_eq!((one[0], one[1]), (other[3], other[1]));
        assert_eq!((one[0], one[1]), (CurveStyle::of(3), CurveStyle::of(7)));
    }

    #[test]
    fn all_curves_of_a_figure_differ() {
        let grid: Vec<String> = (0..40).map(|at| format!("a1 alpha={at}")).collect();
        let mixed: Vec<String> =
            (0..12).map(|at| format!("a{} p={at}", at % 5)).chain((0..20).map(|at| format!("b{at}"))).collect();
        for names in [grid, mixed] {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let found = styles(&names, &palette());
            for (at, style) in found.iter().enumerate() {
                assert!(!found[..at].contains(style), "{}", names[at]);
            }
        }
        let few = styles(&["a1", "a1 p=4", "a1 p=8", "a2"], &palette());
        assert!(few[0].color == few[1].color && few[1].color == few[2].color && few[2].color != few[3].color);
    }

    #[test]
    fn the_plain_name_has_the_own_style_of_its_family() {
        let found = styles(&["a1 variant=paper", "a1", "bound"], &palette());
        assert_eq!(found[1], CurveStyle::of(1));
        assert!(found[0].color == found[1].color && found[2].color != found[1].color);
    }

    #[test]
    fn without_a_palette_positions_count() {
        assert_eq!(styles(&["x", "a1"], &[]), [CurveStyle::of(0), CurveStyle::of(1)]);
    }
}
