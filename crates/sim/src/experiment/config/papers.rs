//! The papers that experiments belong to.

/// A paper, or another group of experiments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paper {
    /// The value of `paper = ` in a file.
    pub key: &'static str,
    /// A short name, for titles.
    pub name: &'static str,
    /// The full reference.
    pub reference: &'static str,
}

impl Paper {
    /// The paper with this key.
    #[must_use]
    pub(crate) fn find(key: &str) -> Option<&'static Self> {
        PAPERS.iter().find(|paper| paper.key == key)
    }
}

/// Whether `key` is a paper's, not our own.
pub(crate) fn is_published(key: &str) -> bool {
    PAPERS.iter().take_while(|paper| paper.key != "beyond").any(|paper| paper.key == key)
}

/// All papers, in the order in which reports list them.
pub(crate) const PAPERS: [Paper; 10] = [
    Paper {
        key: "mergerucb",
        name: "mergeRUCB",
        reference: "M. Zoghi, S. Whiteson, M. de Rijke, MergeRUCB: A Method for Large-Scale Online Ranker Evaluation, \
                    WSDM 2015, https://doi.org/10.1145/2684822.2685290",
    },
    Paper {
        key: "rucb",
        name: "RUCB",
        reference: "M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, Relative Upper Confidence Bound for the K-Armed \
                    Dueling Bandit Problem, ICML 2014, https://proceedings.mlr.press/v32/zoghi14.html",
    },
    Paper {
        key: "rcs",
        name: "RCS",
        reference: "M. Zoghi, S. Whiteson, M. de Rijke, R. Munos, Relative Confidence Sampling for Efficient On-Line \
                    Ranker Evaluation, WSDM 2014, https://doi.org/10.1145/2556195.2556256",
    },
    Paper {
        key: "mdb",
        name: "Multi-dueling bandits",
        reference: "B. Brost, Y. Seldin, I. J. Cox, C. Lioma, Multi-Dueling Bandits and Their Application to Online \
                    Ranker Evaluation, CIKM 2016, https://doi.org/10.1145/2983323.2983659",
    },
    Paper {
        key: "parwis",
        name: "PARWiS",
        reference: "D. Y. Sheth, A. Rajkumar, PARWiS: Winner determination from Active Pairwise Comparisons under a \
                    Shoestring Budget, ICDM 2021, \
                    https://rbcdsai.iitm.ac.in/publications/parwis-winner-determination-from-active-pairwise-comparisons/",
    },
    Paper {
        key: "logopt",
        name: "LogOpt",
        reference: "H. Oosterhuis, M. de Rijke, Taking the Counterfactual Online: Efficient and Unbiased Online Evaluation for \
                    Ranking, ICTIR 2020, https://doi.org/10.1145/3409256.3409820",
    },
    Paper {
        key: "efficiency",
        name: "Efficiency of interleaving",
        reference: "K. Iizuka, H. Morita, M. P. Kato, Theoretical Analysis on the Efficiency of Interleaved Comparisons, \
                    ECIR 2023, https://doi.org/10.48550/arXiv.2306.10023",
    },
    Paper {
        key: "airbnb",
        name: "Interleaving at Airbnb",
        reference: "Q. Zhang, M. Du, R. Andersen, L. He, Beyond A/B Test: Speeding up Airbnb Search Ranking \
                    Experimentation through Interleaving, 2022, https://medium.com/airbnb-engineering/\
                    beyond-a-b-test-speeding-up-airbnb-search-ranking-experimentation-through-interleaving-7087afa09c8e",
    },
    Paper { key: "beyond", name: "Beyond the papers", reference: "Every algorithm of this project" },
    Paper { key: "own", name: "Your own experiments", reference: "Experiments that belong to no paper" },
];
