//! The papers of the algorithms: tables, citations and BibTeX entries are made of these.

use std::fmt::Write as _;

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paper {
    /// Its key in BibTeX files, e.g. `zoghi2014relative`.
    pub key: &'static str,
    /// Authors, venue and year, as short as tables need, e.g. `Zoghi et al., ICML 2014`.
    pub citation: &'static str,
    /// The authors with their initials, in the order of the paper.
    pub authors: &'static [&'static str],
    /// The title.
    pub title: &'static str,
    /// Where it appeared.
    pub venue: Venue,
    /// The year.
    pub year: u16,
    /// Its DOI as a URL, or its page in the proceedings.
    pub url: &'static str,
}

/// Where a paper appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Venue {
    /// In the proceedings of this conference.
    Proceedings(&'static str),
    /// In this journal.
    Journal(&'static str),
}

impl Paper {
    /// The DOI, if it has one.
    #[must_use]
    pub fn doi(&self) -> Option<&'static str> {
        self.url.strip_prefix("https://doi.org/")
    }

    /// Authors, title, venue, year and URL in one line.
    #[must_use]
    pub fn reference(&self) -> String {
        let (Venue::Proceedings(venue) | Venue::Journal(venue)) = self.venue;
        format!("{}, \"{}\", {venue} {}, {}", self.authors.join(", "), self.title, self.year, self.url)
    }

    /// The entry for a BibTeX file.
    #[must_use]
    pub fn bibtex(&self) -> String {
        let (kind, field, venue) = match self.venue {
            Venue::Proceedings(venue) => ("inproceedings", "booktitle", venue),
            Venue::Journal(venue) => ("article", "journal", venue),
        };
        let mut text = format!("@{kind}{{{},\n", self.key);
        let year = self.year.to_string();
        let authors = self.authors.join(" and ");
        // Braces keep the capitals of titles.
        let title = format!("{{{}}}", self.title);
        let fields =
            [("author", authors.as_str()), ("title", &title), (field, venue), ("year", &year), ("url", self.url)];
        for (field, value) in fields.into_iter().chain(self.doi().map(|doi| ("doi", doi))) {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "  {field} = {{{value}}},");
        }
        text + "}\n"
    }
}

pub(crate) const YUE_JCSS_2012: Paper = Paper {
    key: "yue2012karmed",
    citation: "Yue et al., JCSS 2012",
    authors: &["Y. Yue", "J. Broder", "R. Kleinberg", "T. Joachims"],
    title: "The K-armed Dueling Bandits Problem",
    venue: Venue::Journal("Journal of Computer and System Sciences"),
    year: 2012,
    url: "https://doi.org/10.1016/j.jcss.2011.12.028",
};

pub(crate) const YUE_ICML_2011: Paper = Paper {
    key: "yue2011beat",
    citation: "Yue and Joachims, ICML 2011",
    authors: &["Y. Yue", "T. Joachims"],
    title: "Beat the Mean Bandit",
    venue: Venue::Proceedings("ICML"),
    year: 2011,
    url: "https://icml.cc/Conferences/2011/papers/165_icmlpaper.pdf",
};

pub(crate) const URVOY_ICML_2013: Paper = Paper {
    key: "urvoy2013generic",
    citation: "Urvoy et al., ICML 2013",
    authors: &["T. Urvoy", "F. Clerot", "R. Feraud", "S. Naamane"],
    title: "Generic Exploration and K-armed Voting Bandits",
    venue: Venue::Proceedings("ICML"),
    year: 2013,
    url: "https://proceedings.mlr.press/v28/urvoy13.html",
};

pub(crate) const ZOGHI_ICML_2014: Paper = Paper {
    key: "zoghi2014relative",
    citation: "Zoghi et al., ICML 2014",
    authors: &["M. Zoghi", "S. Whiteson", "R. Munos", "M. de Rijke"],
    title: "Relative Upper Confidence Bound for the K-Armed Dueling Bandit Problem",
    venue: Venue::Proceedings("ICML"),
    year: 2014,
    url: "https://proceedings.mlr.press/v32/zoghi14.html",
};

pub(crate) const ZOGHI_WSDM_2014: Paper = Paper {
    key: "zoghi2014sampling",
    citation: "Zoghi et al., WSDM 2014",
    authors: &["M. Zoghi", "S. Whiteson", "M. de Rijke", "R. Munos"],
    title: "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation",
    venue: Venue::Proceedings("WSDM"),
    year: 2014,
    url: "https://doi.org/10.1145/2556195.2556256",
};

pub(crate) const ZOGHI_WSDM_2015: Paper = Paper {
    key: "zoghi2015mergerucb",
    citation: "Zoghi et al., WSDM 2015",
    authors: &["M. Zoghi", "S. Whiteson", "M. de Rijke"],
    title: "MergeRUCB: A Method for Large-Scale Online Ranker Evaluation",
    venue: Venue::Proceedings("WSDM"),
    year: 2015,
    url: "https://doi.org/10.1145/2684822.2685290",
};

pub(crate) const ZOGHI_NIPS_2015: Paper = Paper {
    key: "zoghi2015copeland",
    citation: "Zoghi et al., NIPS 2015",
    authors: &["M. Zoghi", "Z. Karnin", "S. Whiteson", "M. de Rijke"],
    title: "Copeland Dueling Bandits",
    venue: Venue::Proceedings("NIPS"),
    year: 2015,
    url: "https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html",
};

pub(crate) const LI_TOIS_2020: Paper = Paper {
    key: "li2020mergedts",
    citation: "Li et al., TOIS 2020",
    authors: &["C. Li", "I. Markov", "M. de Rijke", "M. Zoghi"],
    title: "MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation",
    venue: Venue::Journal("ACM TOIS"),
    year: 2020,
    url: "https://doi.org/10.1145/3411753",
};

pub(crate) const SCHUTH_LIVINGLAB_2013: Paper = Paper {
    key: "schuth2013lerot",
    citation: "Schuth et al., LivingLab 2013",
    authors: &["A. Schuth", "K. Hofmann", "S. Whiteson", "M. de Rijke"],
    title: "Lerot: an Online Learning to Rank Framework",
    venue: Venue::Proceedings("LivingLab"),
    year: 2013,
    url: "https://doi.org/10.1145/2513150.2513162",
};

pub(crate) const WU_NIPS_2016: Paper = Paper {
    key: "wu2016double",
    citation: "Wu and Liu, NIPS 2016",
    authors: &["H. Wu", "X. Liu"],
    title: "Double Thompson Sampling for Dueling Bandits",
    venue: Venue::Proceedings("NIPS"),
    year: 2016,
    url: "https://doi.org/10.48550/arXiv.1604.07101",
};

pub(crate) const KOMIYAMA_COLT_2015: Paper = Paper {
    key: "komiyama2015regret",
    citation: "Komiyama et al., COLT 2015",
    authors: &["J. Komiyama", "J. Honda", "H. Kashima", "H. Nakagawa"],
    title: "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
    venue: Venue::Proceedings("COLT"),
    year: 2015,
    url: "https://proceedings.mlr.press/v40/Komiyama15.html",
};

pub(crate) const KOMIYAMA_ICML_2016: Paper = Paper {
    key: "komiyama2016copeland",
    citation: "Komiyama et al., ICML 2016",
    authors: &["J. Komiyama", "J. Honda", "H. Nakagawa"],
    title: "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and Computationally Efficient Algorithm",
    venue: Venue::Proceedings("ICML"),
    year: 2016,
    url: "https://doi.org/10.48550/arXiv.1605.01677",
};

pub(crate) const FALAHATGAR_ICML_2017: Paper = Paper {
    key: "falahatgar2017maximum",
    citation: "Falahatgar et al., ICML 2017",
    authors: &["M. Falahatgar", "A. Orlitsky", "V. Pichapati", "A. T. Suresh"],
    title: "Maximum Selection and Ranking under Noisy Comparisons",
    venue: Venue::Proceedings("ICML"),
    year: 2017,
    url: "https://proceedings.mlr.press/v70/falahatgar17a.html",
};

pub(crate) const FALAHATGAR_NEURIPS_2017: Paper = Paper {
    key: "falahatgar2017maxing",
    citation: "Falahatgar et al., NeurIPS 2017",
    authors: &["M. Falahatgar", "Y. Hao", "A. Orlitsky", "V. Pichapati", "V. Ravindrakumar"],
    title: "Maxing and Ranking with Few Assumptions",
    venue: Venue::Proceedings("NeurIPS"),
    year: 2017,
    url: "https://proceedings.neurips.cc/paper/2017/hash/db98dc0dbafde48e8f74c0de001d35e4-Abstract.html",
};

pub(crate) const HADDENHORST_UAI_2021: Paper = Paper {
    key: "haddenhorst2021testification",
    citation: "Haddenhorst et al., UAI 2021",
    authors: &["B. Haddenhorst", "V. Bengs", "J. Brandt", "E. Hüllermeier"],
    title: "Testification of Condorcet Winners in Dueling Bandits",
    venue: Venue::Proceedings("UAI"),
    year: 2021,
    url: "https://proceedings.mlr.press/v161/haddenhorst21a.html",
};

pub(crate) const HADDENHORST_NEURIPS_2021: Paper = Paper {
    key: "haddenhorst2021identification",
    citation: "Haddenhorst et al., NeurIPS 2021",
    authors: &["B. Haddenhorst", "V. Bengs", "E. Hüllermeier"],
    title: "Identification of the Generalized Condorcet Winner in Multi-dueling Bandits",
    venue: Venue::Proceedings("NeurIPS"),
    year: 2021,
    url: "https://proceedings.neurips.cc/paper/2021/hash/d9de6a144a3cc26cb4b3c47b206a121a-Abstract.html",
};

pub(crate) const DU_AAMAS_2020: Paper = Paper {
    key: "du2020dueling",
    citation: "Du et al., AAMAS 2020",
    authors: &["Y. Du", "S. Wang", "L. Huang"],
    title: "Dueling Bandits: From Two-dueling to Multi-dueling",
    venue: Venue::Proceedings("AAMAS"),
    year: 2020,
    url: "https://doi.org/10.48550/arXiv.2211.10293",
};

pub(crate) const BENGS_AISTATS_2024: Paper = Paper {
    key: "bengs2024identifying",
    citation: "Bengs et al., AISTATS 2024",
    authors: &["V. Bengs", "B. Haddenhorst", "E. Hüllermeier"],
    title: "Identifying Copeland Winners in Dueling Bandits with Indifferences",
    venue: Venue::Proceedings("AISTATS"),
    year: 2024,
    url: "https://proceedings.mlr.press/v238/bengs24a.html",
};

pub(crate) const BROST_CIKM_2016: Paper = Paper {
    key: "brost2016multi",
    citation: "Brost et al., CIKM 2016",
    authors: &["B. Brost", "Y. Seldin", "I. J. Cox", "C. Lioma"],
    title: "Multi-Dueling Bandits and Their Application to Online Ranker Evaluation",
    venue: Venue::Proceedings("CIKM"),
    year: 2016,
    url: "https://doi.org/10.1145/2983323.2983659",
};

pub(crate) const AILON_ICML_2014: Paper = Paper {
    key: "ailon2014reducing",
    citation: "Ailon et al., ICML 2014",
    authors: &["N. Ailon", "Z. Karnin", "T. Joachims"],
    title: "Reducing Dueling Bandits to Cardinal Bandits",
    venue: Venue::Proceedings("ICML"),
    year: 2014,
    url: "https://proceedings.mlr.press/v32/ailon14.html",
};

pub(crate) const GAJANE_ICML_2015: Paper = Paper {
    key: "gajane2015relative",
    citation: "Gajane et al., ICML 2015",
    authors: &["P. Gajane", "T. Urvoy", "F. Clérot"],
    title: "A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling Bandits",
    venue: Venue::Proceedings("ICML"),
    year: 2015,
    url: "https://proceedings.mlr.press/v37/gajane15.html",
};

pub(crate) const SUI_UAI_2017: Paper = Paper {
    key: "sui2017multi",
    citation: "Sui et al., UAI 2017",
    authors: &["Y. Sui", "V. Zhuang", "J. W. Burdick", "Y. Yue"],
    title: "Multi-dueling Bandits with Dependent Arms",
    venue: Venue::Proceedings("UAI"),
    year: 2017,
    url: "https://doi.org/10.48550/arXiv.1705.00253",
};

pub(crate) const CHEN_ICML_2017: Paper = Paper {
    key: "chen2017weak",
    citation: "Chen and Frazier, ICML 2017",
    authors: &["B. Chen", "P. I. Frazier"],
    title: "Dueling Bandits with Weak Regret",
    venue: Venue::Proceedings("ICML"),
    year: 2017,
    url: "https://proceedings.mlr.press/v70/chen17c.html",
};

pub(crate) const GARIVIER_ALT_2011: Paper = Paper {
    key: "garivier2011switching",
    citation: "Garivier and Moulines, ALT 2011",
    authors: &["A. Garivier", "E. Moulines"],
    title: "On Upper-Confidence Bound Policies for Switching Bandit Problems",
    venue: Venue::Proceedings("ALT"),
    year: 2011,
    url: "https://doi.org/10.1007/978-3-642-24412-4_16",
};

pub(crate) const TROVO_JAIR_2020: Paper = Paper {
    key: "trovo2020sliding",
    citation: "Trovò et al., JAIR 2020",
    authors: &["F. Trovò", "S. Paladino", "M. Restelli", "N. Gatti"],
    title: "Sliding-Window Thompson Sampling for Non-Stationary Settings",
    venue: Venue::Journal("Journal of Artificial Intelligence Research"),
    year: 2020,
    url: "https://doi.org/10.1613/jair.1.11407",
};

pub(crate) const RAJ_ARXIV_2017: Paper = Paper {
    key: "raj2017taming",
    citation: "Raj and Kalyani, arXiv 2017",
    authors: &["V. Raj", "S. Kalyani"],
    title: "Taming Non-stationary Bandits: A Bayesian Approach",
    venue: Venue::Journal("arXiv"),
    year: 2017,
    url: "https://doi.org/10.48550/arXiv.1707.09727",
};

pub(crate) const SAHA_ICML_2021: Paper = Paper {
    key: "saha2021adversarial",
    citation: "Saha et al., ICML 2021",
    authors: &["A. Saha", "T. Koren", "Y. Mansour"],
    title: "Adversarial Dueling Bandits",
    venue: Venue::Proceedings("ICML"),
    year: 2021,
    url: "https://doi.org/10.48550/arXiv.2010.14563",
};

pub(crate) const JAMIESON_AISTATS_2015: Paper = Paper {
    key: "jamieson2015sparse",
    citation: "Jamieson et al., AISTATS 2015",
    authors: &["K. Jamieson", "S. Katariya", "A. Deshpande", "R. Nowak"],
    title: "Sparse Dueling Bandits",
    venue: Venue::Proceedings("AISTATS"),
    year: 2015,
    url: "https://proceedings.mlr.press/v38/jamieson15.html",
};

pub(crate) const AUER_SICOMP_2002: Paper = Paper {
    key: "auer2002nonstochastic",
    citation: "Auer et al., SICOMP 2002",
    authors: &["P. Auer", "N. Cesa-Bianchi", "Y. Freund", "R. E. Schapire"],
    title: "The Nonstochastic Multiarmed Bandit Problem",
    venue: Venue::Journal("SIAM Journal on Computing"),
    year: 2002,
    url: "https://doi.org/10.1137/S0097539701398375",
};

pub(crate) const BUSA_FEKETE_ICML_2014: Paper = Paper {
    key: "busafekete2014preference",
    citation: "Busa-Fekete et al., ICML 2014",
    authors: &["R. Busa-Fekete", "E. Hüllermeier", "B. Szörényi"],
    title: "Preference-Based Rank Elicitation using Statistical Models: The Case of Mallows",
    venue: Venue::Proceedings("ICML"),
    year: 2014,
    url: "https://proceedings.mlr.press/v32/busa-fekete14.html",
};

pub(crate) const SZORENYI_NEURIPS_2015: Paper = Paper {
    key: "szorenyi2015online",
    citation: "Szörényi et al., NeurIPS 2015",
    authors: &["B. Szörényi", "R. Busa-Fekete", "A. Paul", "E. Hüllermeier"],
    title: "Online Rank Elicitation for Plackett-Luce: A Dueling Bandits Approach",
    venue: Venue::Proceedings("NeurIPS"),
    year: 2015,
    url: "https://proceedings.neurips.cc/paper/2015/hash/7eacb532570ff6858afd2723755ff790-Abstract.html",
};

pub(crate) const KARNIN_NEURIPS_2016: Paper = Paper {
    key: "karnin2016verification",
    citation: "Karnin, NeurIPS 2016",
    authors: &["Z. S. Karnin"],
    title: "Verification Based Solution for Structured MAB Problems",
    venue: Venue::Proceedings("NeurIPS"),
    year: 2016,
    url: "https://proceedings.neurips.cc/paper/2016/hash/65b9eea6e1cc6bb9f0cd2a47751a186f-Abstract.html",
};

pub(crate) const SAHA_ICML_2022: Paper = Paper {
    key: "saha2022versatile",
    citation: "Saha and Gaillard, ICML 2022",
    authors: &["A. Saha", "P. Gaillard"],
    title: "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative Preferences",
    venue: Venue::Proceedings("ICML"),
    year: 2022,
    url: "https://doi.org/10.48550/arXiv.2202.06694",
};

pub(crate) const SHETH_ICDM_2021: Paper = Paper {
    key: "sheth2021parwis",
    citation: "Sheth and Rajkumar, ICDM 2021",
    authors: &["D. Y. Sheth", "A. Rajkumar"],
    title: "PARWiS: Winner determination from Active Pairwise Comparisons under a Shoestring Budget",
    venue: Venue::Proceedings("ICDM"),
    year: 2021,
    url: "https://rbcdsai.iitm.ac.in/publications/parwis-winner-determination-from-active-pairwise-comparisons/",
};

/// The model of an algorithm of this project.
pub(crate) const BRADLEY_TERRY_1952: Paper = Paper {
    key: "bradley1952rank",
    citation: "this project, on Bradley and Terry, Biometrika 1952",
    authors: &["R. A. Bradley", "M. E. Terry"],
    title: "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons",
    venue: Venue::Journal("Biometrika"),
    year: 1952,
    url: "https://doi.org/10.2307/2334029",
};
