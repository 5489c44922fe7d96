//! Cuts a line into dashes that continue across its points.

/// The dashes of the line through `points`. `pattern` holds the lengths of a dash, a gap, a dash and so on, and repeats.
/// An empty pattern gives the whole line.
pub(crate) fn dashes(points: &[(f64, f64)], pattern: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let whole: f64 = pattern.iter().sum();
    let usable = whole > 0.0 && pattern.iter().all(|&length| length > 0.0);
    if !usable || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut piece = vec![points[0]];
    let (mut turn, mut left) = (0, pattern[0]);
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let at = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length);
            if turn % 2 == 0 {
                piece.push(at);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            turn = (turn + 1) % even_length(pattern.len());
            left = pattern[turn % pattern.len()];
        }
        left -= length - done;
        if turn % 2 == 0 {
            piece.push((x1, y1));
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// A pattern of odd length repeats after two rounds, because dashes and gaps swap after the first.
fn even_length(length: usize) -> usize {
    if length.is_multiple_of(2) { length } else { 2 * length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_continue_across_points() {
        let line: Vec<_> = (0..=20).map(|x| (f64::from(x), 0.0)).collect();
        let pieces = dashes(&line, &[4.0, 2.5]);
        let ends: Vec<_> = pieces.iter().map(|piece| (piece[0].0, piece[piece.len() - 1].0)).collect();
        assert_eq!(ends, [(0.0, 4.0), (6.5, 10.5), (13.0, 17.0), (19.5, 20.0)]);
        assert!(pieces[0].len() >= 4, "corners within a dash are kept");
    }

    #[test]
    fn one_segment_and_an_odd_pattern() {
        let pieces = dashes(&[(0.0, 0.0), (0.0, 9.0)], &[1.0, 2.0, 3.0]);
        let ends: Vec<_> = pieces.iter().map(|piece| (piece[0].1, piece[1].1)).collect();
        assert_eq!(ends, [(0.0, 1.0), (3.0, 6.0), (7.0, 9.0)]);
    }

    #[test]
    fn without_a_pattern_the_line_is_whole() {
        let line = [(0.0, 0.0), (5.0, 5.0)];
        assert_eq!(dashes(&line, &[]), [line.to_vec()]);
        assert_eq!(dashes(&line, &[0.0, 0.0]), [line.to_vec()]);
        assert_eq!(dashes(&line[..1], &[2.0, 2.0]), [line[..1].to_vec()]);
    }
}
