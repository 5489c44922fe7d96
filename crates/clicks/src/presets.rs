//! The published click models, by number of grades.

use ranktypes::spec::hint;

use crate::error::{ClickError, ClickErrorKind};

/// One row: P(click | grade) and P(stop | grade, clicked).
pub(crate) type Row<const GRADES: usize> = ([f64; GRADES], [f64; GRADES]);

/// A named model for 2, 3 and 5 grades.
#[derive(Clone, Copy)]
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    pub(crate) two: Row<2>,
    pub(crate) three: Row<3>,
    pub(crate) five: Row<5>,
}

/// Sources: the crate's front page.
pub(crate) const PRESETS: [Preset; 5] = [
    Preset {
        name: "perfect",
        two: ([0.0, 1.0], [0.0; 2]),
        three: ([0.0, 0.5, 1.0], [0.0; 3]),
        five: ([0.0, 0.2, 0.4, 0.8, 1.0], [0.0; 5]),
    },
    Preset {
        name: "navigational",
        two: ([0.05, 0.95], [0.2, 0.9]),
        three: ([0.05, 0.5, 0.95], [0.2, 0.5, 0.9]),
        five: ([0.05, 0.3, 0.5, 0.7, 0.95], [0.2, 0.3, 0.5, 0.7, 0.9]),
    },
    Preset {
        name: "informational",
        two: ([0.4, 0.9], [0.1, 0.5]),
        three: ([0.4, 0.7, 0.9], [0.1, 0.3, 0.5]),
        five: ([0.4, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5]),
    },
    Preset {
        name: "almost-random",
        two: ([0.4, 0.6], [0.5; 2]),
        three: ([0.4, 0.5, 0.6], [0.5; 3]),
        five: ([0.4, 0.45, 0.5, 0.55, 0.6], [0.5; 5]),
    },
    Preset { name: "random", two: ([0.5; 2], [0.0; 2]), three: ([0.5; 3], [0.0; 3]), five: ([0.5; 5], [0.0; 5]) },
];

/// The names of all presets.
pub(crate) fn names() -> [&'static str; 5] {
    PRESETS.map(|preset| preset.name)
}

/// The preset `name`.
pub(crate) fn find(name: &str) -> Result<&'static Preset, ClickError> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let preset_names = names();
        let list = preset_names.join(", ");
        let hint = hint(name, &preset_names);
        ClickError::new(
            ClickErrorKind::UnknownModel,
            format!(
                "unknown click model {name:?}; known are {list}, or give P(click) by grade as `0:0.0,1:0.5,...`, or a \
                 named model as `pbm:navigational`{hint}"
            ),
        )
    })
}
