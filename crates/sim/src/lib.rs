//! Online ranker evaluation, simulated.
//!
//! A [`site::Site`] is a data set with rankers and users who click. In a [`live::LiveArena`] every
//! comparison is an impression of it; [`study`] plays dueling bandits there, several runs each on all
//! cores; [`truth`] says what their regret is measured against, [`proxy`] what all rankers'
//! preferences are, [`exploration`] asks at horizons who is named, [`compare`] how far bandits fare
//! the same on a proxy, and [`results`] writes what came of it. [`experiment`] runs the figures and
//! tables of the papers from files, and [`html_report`] makes one page of all. The command line is in
//! [`cli`].

pub mod arm_names;
pub mod cli;
pub mod compare;
pub mod count;
pub mod distortion;
pub mod experiment;
pub mod exploration;
pub mod figure;
pub mod html_report;
pub mod live;
pub mod lock;
pub mod machine;
pub mod output;
pub mod pairs;
pub mod progress;
pub mod proxy;
pub mod results;
pub mod seed;
pub mod sensitivity;
pub mod site;
pub mod study;
pub mod truth;
pub mod usage;

pub use bandits::Generator;
