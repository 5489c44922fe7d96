//! Standard normal draws by the ziggurat: the density is covered by layers of equal area, and all
//! but one draw in a hundred fall where their layer lies wholly below it.
//!
//! ## References
//!
//! G. Marsaglia, W. W. Tsang, "The Ziggurat Method for Generating Random Variables", Journal of
//! Statistical Software 5(8), 2000, <https://doi.org/10.18637/jss.v005.i08>; with a layer and a
//! place of independent bits, as J. A. Doornik demands in "An Improved Ziggurat Method to Generate
//! Normal Random Samples", University of Oxford, 2005.

use std::sync::LazyLock;

use rand::Rng as _;

use super::{positive_unit, unit};
use crate::Generator;

const LAYERS: usize = 256;
/// Where the tail begins, and the area of a layer, for 256 layers.
const TAIL_START: f64 = 3.654_152_885_361_009;
const LAYER_AREA: f64 = 0.004_928_673_233_992_336;

#[derive(Debug)]
struct Layers {
    /// Where each layer ends, from the tail's inwards to 0.
    edge: [f64; LAYERS + 1],
    /// The part of each layer that lies below the density for sure.
    inner: [f64; LAYERS],
}

static LAYER_TABLE: LazyLock<Layers> = LazyLock::new(|| {
    let density = |x: f64| libm::exp(-0.5 * x * x);
    let mut edge = [0.0; LAYERS + 1];
    edge[0] = LAYER_AREA / density(TAIL_START);
    edge[1] = TAIL_START;
    for layer in 2..LAYERS {
        let top = LAYER_AREA / edge[layer - 1] + density(edge[layer - 1]);
        edge[layer] = libm::sqrt(-2.0 * libm::log(top));
    }
    let mut inner = [0.0; LAYERS];
    for layer in 0..LAYERS {
        inner[layer] = edge[layer + 1] / edge[layer];
    }
    Layers { edge, inner }
});

/// Draws from N(0, 1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Normals(&'static Layers);

impl Normals {
    pub(crate) fn new() -> Self {
        Self(&LAYER_TABLE)
    }

    /// One draw.
    #[inline]
    pub(crate) fn draw(self, generator: &mut Generator) -> f64 {
        let bits = generator.next_u64();
        let layer = (bits & 0xff) as usize;
        // 53 further bits, as a number in [-1, 1).
        let place = (bits >> 11) as f64 * (1.0 / (1_u64 << 52) as f64) - 1.0;
        if place.abs() < self.0.inner[layer] {
            return place * self.0.edge[layer];
        }
        self.edge_of(layer, place, generator)
    }

    #[cold]
    fn edge_of(self, layer: usize, place: f64, generator: &mut Generator) -> f64 {
        if layer == 0 {
            return draw_tail(place < 0.0, generator);
        }
        let x = place * self.0.edge[layer];
        let over = |edge: f64| libm::exp(-0.5 * (edge * edge - x * x));
        let (low, high) = (over(self.0.edge[layer]), over(self.0.edge[layer + 1]));
        if low + unit(generator) * (high - low) < 1.0 { x } else { self.draw(generator) }
    }
}

fn draw_tail(negative: bool, generator: &mut Generator) -> f64 {
    loop {
        let past = -libm::log(positive_unit(generator)) / TAIL_START;
        let height = -libm::log(positive_unit(generator));
        if 2.0 * height >= past * past {
            let x = TAIL_START + past;
            return if negative { -x } else { x };
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let normals = Normals::new();
        let drawn: Vec<String> = (0..6).map(|_| format!("{:.12}", normals.draw(&mut generator))).collect();
        assert_eq!(
            drawn,
            [
                "0.843998613622",
                "0.715560712730",
                "-1.915871443619",
                "0.452496470384",
                "-0.815791206711",
                "0.358325137167"
            ]
        );
    }

    #[test]
    fn layers_have_equal_areas() {
        let layers = &LAYER_TABLE;
        let density = |x: f64| libm::exp(-0.5 * x * x);
        for layer in 1..LAYERS {
            let (outer, inner) = (layers.edge[layer], layers.edge[layer + 1]);
            let area = outer * (density(inner) - density(outer));
            assert!((area - LAYER_AREA).abs() < 1e-11, "layer {layer}: {area}");
        }
    }

    #[test]
    fn draws_follow_the_normal_distribution() {
        let mut generator = Generator::seed_from_u64(2);
        let normals = Normals::new();
        let draws = 400_000_u32;
        // Beyond the edge of the tail, too, which has a separate layer.
        let edges = [-4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 1.5, 2.5, 3.654, 4.2];
        let mut below = [0_u32; 12];
        for _ in 0..draws {
            let x = normals.draw(&mut generator);
            for (count, edge) in below.iter_mut().zip(edges) {
                *count += u32::from(x < edge);
            }
        }
        for (count, edge) in below.into_iter().zip(edges) {
            let p = 0.5 * libm::erfc(-edge / 2_f64.sqrt());
            let n = f64::from(draws);
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
            let off = f64::from(count) - n * p;
            assert!(off.abs() < bound, "below {edge}: {count}, expected {}", n * p);
        }
    }
}
