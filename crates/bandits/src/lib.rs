//! Dueling bandits: which of K arms is best, when arms can only be compared in pairs and every comparison of arms
//! other than the best has a cost.
//!
//! A [`Policy`] chooses which arms to compare, an [`Arena`] returns the outcome, and [`play`] runs the loop in front of
//! an [`Observer`], such as a [`Recorder`] of regret; a [`Run`] can be interrupted and resumed. The crate is independent
//! of documents, rankers and users: an arena may be a matrix of probabilities, as here, or a search engine.
//!
//! ```
//! use bandits::{Generators, MatrixArena, Policy, Recorder, one_two_five, play, problems};
//! use bandits::{Arm, PolicyConfig, policies::rucb};
//!
//! // Eight arms, each 0.05 better than the next.
//! let mut arena = MatrixArena::new(problems::arithmetic(8)?)?;
//! let mut policy = rucb::RucbConfig { alpha: 0.6, ..Default::default() }.policy(8, Some(20_000))?;
//! let mut recorder = Recorder::new(one_two_five(20_000));
//! let mut generators = Generators::from_seed(1);
//! play(&mut policy, &mut arena, 20_000, &mut generators, &mut recorder);
//!
//! assert_eq!(policy.recommend(&mut generators.policy), Some(Arm(0)));
//! let curve = recorder.curve();
//! let (half, all) = (curve[curve.len() - 2].average, curve[curve.len() - 1].average);
//! assert!(all - half < 0.2 * all, "little of the regret comes from the second half of the run");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Algorithms
//!
//! By the names that [`registry::Spec`] reads, with parameters as in `rucb:variant=icml:alpha=0.6`. Each has a file of
//! its own in [`policies`], with its rule, its paper and every deviation from it.
//!
//! <!-- algorithm-pages: written by cargo xtask tidy --fix -->
//! | name | chooses | horizon | variants | paper |
//! |---|---|---|---|---|
//! | [`if1`](policies::interleaved_filter) | duels | needed |  | [Yue et al., JCSS 2012](https://doi.org/10.1016/j.jcss.2011.12.028) |
//! | [`if2`](policies::interleaved_filter) | duels | needed |  | [Yue et al., JCSS 2012](https://doi.org/10.1016/j.jcss.2011.12.028) |
//! | [`btm`](policies::btm) | duels | needed, not with `setting=pac` | `variant=lerot` (other bounds if gamma > 1), `variant=tight` (as in Komiyama's code), `setting=pac` (an arm that is nearly the best) | [Yue and Joachims, ICML 2011](https://icml.cc/Conferences/2011/papers/165_icmlpaper.pdf) |
//! | [`savage`](policies::savage) | duels | needed | `variant=lerot` (pseudo-counts; ends with the arm that beats the most others) | [Urvoy et al., ICML 2013](https://proceedings.mlr.press/v28/urvoy13.html) |
//! | [`rucb`](policies::rucb) | duels | not needed | `variant=icml` (with the favourite B), `variant=lerot` (pseudo-counts) | [Zoghi et al., ICML 2014](https://proceedings.mlr.press/v32/zoghi14.html) |
//! | [`mergerucb`](policies::merge_rucb) | duels | not needed | `variant=paper` (as printed) | [Zoghi et al., WSDM 2015](https://doi.org/10.1145/2684822.2685290) |
//! | [`mergerucb-squared`](policies::merge_rucb::squared_horizons) | duels | not needed | `variant=paper` (as printed) | [Zoghi et al., WSDM 2015](https://doi.org/10.1145/2684822.2685290) |
//! | [`mergerucb-parallel`](policies::merge_rucb::parallel) | duels | not needed | `variant=paper` (as printed) | [Zoghi et al., WSDM 2015](https://doi.org/10.1145/2684822.2685290) |
//! | [`mergedts`](policies::merge_dts) | duels | not needed | `variant=paper` (as printed) | [Li et al., TOIS 2020](https://doi.org/10.1145/3411753) |
//! | [`rcs`](policies::rcs) | duels | not needed | `variant=lerot` (counts fewer champions, and duels of an arm with itself) | [Zoghi et al., WSDM 2014](https://doi.org/10.1145/2556195.2556256) |
//! | [`rts`](policies::rts) | duels | not needed |  | [Schuth et al., LivingLab 2013](https://doi.org/10.1145/2513150.2513162) |
//! | [`dts`](policies::dts) | duels | not needed | `variant=mergedts` (pseudo-counts) | [Wu and Liu, NIPS 2016](https://doi.org/10.48550/arXiv.1604.07101) |
//! | [`dts-plus`](policies::dts) | duels | not needed | `variant=mergedts` (pseudo-counts) | [Wu and Liu, NIPS 2016](https://doi.org/10.48550/arXiv.1604.07101) |
//! | [`rmed1`](policies::rmed1) | duels | not needed |  | [Komiyama et al., COLT 2015](https://proceedings.mlr.press/v40/Komiyama15.html) |
//! | [`rmed2`](policies::rmed2) | duels | not needed | `variant=komiyama` (as in duelingbanditlib: another opponent, pairs checked at each step) | [Komiyama et al., COLT 2015](https://proceedings.mlr.press/v40/Komiyama15.html) |
//! | [`rmed2fh`](policies::rmed2) | duels | needed | `variant=komiyama` (as in duelingbanditlib: another opponent, pairs checked at each step) | [Komiyama et al., COLT 2015](https://proceedings.mlr.press/v40/Komiyama15.html) |
//! | [`mdb`](policies::mdb) | sets | not needed |  | [Brost et al., CIKM 2016](https://doi.org/10.1145/2983323.2983659) |
//! | [`multirucb`](policies::multi_rucb) | sets | not needed | `m=2` (sets of two) | [Du et al., AAMAS 2020](https://doi.org/10.48550/arXiv.2211.10293) |
//! | [`sparring`](policies::sparring) | duels | not needed | `variant=mergedts` (as in the experiments with MergeDTS) | [Ailon et al., ICML 2014](https://proceedings.mlr.press/v32/ailon14.html) |
//! | [`sparring-ts`](policies::sparring_ts) | duels | not needed |  | [Ailon et al., ICML 2014](https://proceedings.mlr.press/v32/ailon14.html) |
//! | [`sparring-exp3`](policies::sparring_exp3) | duels | needed, not with `variant=mergedts` | `variant=mergedts` (decreasing gamma) | [Ailon et al., ICML 2014](https://proceedings.mlr.press/v32/ailon14.html) |
//! | [`versatile-db`](policies::versatile) | duels | not needed | `estimator=importance` (importance weighting) | [Saha and Gaillard, ICML 2022](https://doi.org/10.48550/arXiv.2202.06694) |
//! | [`dexp3`](policies::borda::dexp3) | duels | needed |  | [Saha et al., ICML 2021](https://doi.org/10.48550/arXiv.2010.14563) |
//! | [`borda-elimination`](policies::borda::elimination) | duels | not needed |  | [Jamieson et al., AISTATS 2015](https://proceedings.mlr.press/v38/jamieson15.html) |
//! | [`knockout`](policies::identification::knockout) | duels | not needed |  | [Falahatgar et al., ICML 2017](https://proceedings.mlr.press/v70/falahatgar17a.html) |
//! | [`nts`](policies::identification::nts) | duels | not needed | `h=0.2` (preferences far from 1/2) | [Haddenhorst et al., UAI 2021](https://proceedings.mlr.press/v161/haddenhorst21a.html) |
//! | [`dkwt`](policies::identification::dkwt) | duels | not needed |  | [Haddenhorst et al., NeurIPS 2021](https://proceedings.neurips.cc/paper/2021/hash/d9de6a144a3cc26cb4b3c47b206a121a-Abstract.html) |
//! | [`pocowista`](policies::identification::pocowista) | duels | not needed |  | [Bengs et al., AISTATS 2024](https://proceedings.mlr.press/v238/bengs24a.html) |
//! | [`sequential-elimination`](policies::identification::sequential_elimination) | duels | not needed |  | [Falahatgar et al., NeurIPS 2017](https://proceedings.neurips.cc/paper/2017/hash/db98dc0dbafde48e8f74c0de001d35e4-Abstract.html) |
//! | [`mallows-mpi`](policies::identification::mallows_mpi) | duels | not needed |  | [Busa-Fekete et al., ICML 2014](https://proceedings.mlr.press/v32/busa-fekete14.html) |
//! | [`pl-pac`](policies::identification::pl_pac) | duels | not needed |  | [Szörényi et al., NeurIPS 2015](https://proceedings.neurips.cc/paper/2015/hash/7eacb532570ff6858afd2723755ff790-Abstract.html) |
//! | [`verification`](policies::identification::verification) | duels | not needed |  | [Karnin, NeurIPS 2016](https://proceedings.neurips.cc/paper/2016/hash/65b9eea6e1cc6bb9f0cd2a47751a186f-Abstract.html) |
//! | [`parwis`](policies::identification::parwis) | duels | not needed |  | [Sheth and Rajkumar, ICDM 2021](https://rbcdsai.iitm.ac.in/publications/parwis-winner-determination-from-active-pairwise-comparisons/) |
//! | [`doubler`](policies::doubler) | duels | not needed |  | [Ailon et al., ICML 2014](https://proceedings.mlr.press/v32/ailon14.html) |
//! | [`multisbm`](policies::multi_sbm) | duels | not needed |  | [Ailon et al., ICML 2014](https://proceedings.mlr.press/v32/ailon14.html) |
//! | [`self-sparring`](policies::self_sparring) | duels, sets with `m=4` | not needed | `m=4` (four picks at a time, which meet as a set) | [Sui et al., UAI 2017](https://doi.org/10.48550/arXiv.1705.00253) |
//! | [`sliding-rucb`](policies::changing::rucb) | duels | not needed |  | [Garivier and Moulines, ALT 2011](https://doi.org/10.1007/978-3-642-24412-4_16) |
//! | [`discounted-rucb`](policies::changing::rucb) | duels | not needed |  | [Garivier and Moulines, ALT 2011](https://doi.org/10.1007/978-3-642-24412-4_16) |
//! | [`sliding-dts`](policies::changing::dts) | duels | not needed |  | [Trovò et al., JAIR 2020](https://doi.org/10.1613/jair.1.11407) |
//! | [`discounted-dts`](policies::changing::dts) | duels | not needed |  | [Raj and Kalyani, arXiv 2017](https://doi.org/10.48550/arXiv.1707.09727) |
//! | [`sparring-exp3s`](policies::changing::sparring_exp3s) | duels | needed | `changes=10` (ten changes expected) | [Auer et al., SICOMP 2002](https://doi.org/10.1137/S0097539701398375) |
//! | [`bradley-terry`](policies::bradley_terry) | duels | not needed |  | [this project, on Bradley and Terry, Biometrika 1952](https://doi.org/10.2307/2334029) |
//! | [`bradley-terry-pairs`](policies::bradley_terry_pairs) | duels | not needed |  | [this project, on Bradley and Terry, Biometrika 1952](https://doi.org/10.2307/2334029) |
//! | [`rex3`](policies::rex3) | duels | needed, not with `variant=mergedts` | `variant=mergedts` (decreasing gamma, psi = 1) | [Gajane et al., ICML 2015](https://proceedings.mlr.press/v37/gajane15.html) |
//! | [`winner-stays`](policies::winner_stays) | duels | not needed |  | [Chen and Frazier, ICML 2017](https://proceedings.mlr.press/v70/chen17c.html) |
//! | [`winner-stays-strong`](policies::winner_stays) | duels | not needed | `after=duel` (as in duelpy) | [Chen and Frazier, ICML 2017](https://proceedings.mlr.press/v70/chen17c.html) |
//! | [`ccb`](policies::ccb) | duels | not needed |  | [Zoghi et al., NIPS 2015](https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html) |
//! | [`ecw-rmed`](policies::ecw_rmed) | duels | not needed |  | [Komiyama et al., ICML 2016](https://doi.org/10.48550/arXiv.1605.01677) |
//! | [`scb`](policies::scb) | duels | not needed | `variant=wu` (as in DuelingBandits) | [Zoghi et al., NIPS 2015](https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html) |
//! | [`random`](policies::random) | duels | not needed |  | baseline |
//! | [`random-set`](policies::random) | sets | not needed |  | baseline |
//! <!-- end -->
//!
//! # When to prefer which
//!
//! What was measured or, where nothing was, is proven: regret among 136 rankers of MSLR-WEB30K with navigational clicks,
//! mean of 20 runs (of 2 to 4 for those that forget and `dexp3`), and the share of runs that recommend the best arm after
//! 10^7 steps. Then regret and that share after 10^6 steps of 20 runs, on one problem of each other kind: utilities on the scale of
//! judges (`normal:k=60:sd=1:seed=1`), a Condorcet winner but no order (`cyclic:k=30:lead=0.53:circle=0.7`), no Condorcet winner
//! (`tournament:k=20:winner=no:seed=5`, Copeland regret). The last column shows whether an algorithm takes [late answers](open) itself or gets them through queues.
//!
//! <!-- when-to-prefer-pages: written by cargo xtask tidy --fix -->
//! | name | prefer it | regret at 10^5 | at 10^7 | right | judge-like scale | no order | no winner | late answers |
//! |---|---|---|---|---|---|---|---|---|
//! | [`if1`](policies::interleaved_filter) | to compare with the first dueling bandit; `rucb` needs no horizon, costs less and is right more often | 9,770 | 330,000 | 75% | 15,600, 100% | 13,000, 100% | 213,000, 5% | queues |
//! | [`if2`](policies::interleaved_filter) | as `if1`: less regret at 10^7 steps, but wrong in half of the runs | 10,700 | 274,000 | 50% | 14,300, 100% | 4,500, 100% | 85,100, 35% | queues |
//! | [`btm`](policies::btm) | with `setting=pac`, if an arm that is nearly the best will do; otherwise to compare with | 10,400 | 680,000 | 85% | 97,500, 100% | 29,000, 100% | 253,000, 35% | queues |
//! | [`savage`](policies::savage) | to compare with; `rcs` and `rucb` are as sure of the best arm sooner, at a fraction of the cost | 10,400 | 670,000 | 70% | 60,400, 100% | 3,680, 100% | 52,700, 90% | queues |
//! | [`rucb`](policies::rucb) | if its proof counts and there are at most about 70 arms; hardly notices answers that come late | 9,510 | 227,000 | 100% | 10,500, 100% | 4,010, 100% | 253,000, 80% | itself |
//! | [`mergerucb`](policies::merge_rucb) | from about 85 arms up to millions: memory grows with the arms, not their pairs, and a step costs the least time | 7,890 | 142,000 | 100% | 7,450, 100% | 632, 100% | 199,000, 35% | itself |
//! | [`mergerucb-squared`](policies::merge_rucb::squared_horizons) | to compare with: needs no delta, but costs more than `mergerucb` and is sure later | 8,880 | 300,000 | 40% | 31,800, 100% | 2,490, 100% | 156,000, 20% | itself |
//! | [`mergerucb-parallel`](policies::merge_rucb::parallel) | as `mergerucb`, if a round of duels is sent out at a time; the same regret within its error | 7,850 | 141,000 | 100% | 9,150, 100% | 629, 100% | 121,000, 50% | itself |
//! | [`mergedts`](policies::merge_dts) | as `mergerucb`, with less regret; with `alpha=0.262144:p=16:c=4e5` the least of those that merge | 8,130 | 109,000 | 100% | 4,600, 100% | 612, 100% | 159,000, 30% | itself |
//! | [`rcs`](policies::rcs) | up to about 20 arms, as `rucb`: about a fifth less regret | 9,510 | 372,000 | 100% | 2,240, 100% | 21,300, 100% | 253,000, 75% | itself |
//! | [`rts`](policies::rts) | to compare with; as good as `dts` early, but wrong in most runs after 10^7 steps | 2,820 | 121,000 | 10% | 36,900, 75% | 1,410, 100% | 85,100, 30% | itself |
//! | [`dts`](policies::dts) | if the best arm may not win most on average, or none may beat all others: little regret, at microseconds per step among 136 arms | 3,000 | 22,700 | 100% | 499, 100% | 1,430, 100% | 9,280, 100% | itself |
//! | [`dts-plus`](policies::dts) | as `dts`: the same regret within its error | 3,190 | 21,600 | 100% | 538, 100% | 1,410, 100% | 9,150, 100% | itself |
//! | [`rmed1`](policies::rmed1) | if its proof counts: a fifth of the regret of `rucb` at 10^7 steps, in less time per step | 5,980 | 41,900 | 100% | 1,170, 100% | 866, 100% | 238,000, 10% | itself |
//! | [`rmed2`](policies::rmed2) | if its proof counts, whose constant is the best possible; `rmed1` has less regret up to 10^8 steps | 9,110 | 50,300 | 100% | 6,690, 100% | 184, 100% | 259,000, 0% | itself |
//! | [`rmed2fh`](policies::rmed2) | as `rmed2`, with a known horizon | 9,460 | 50,100 | 100% | 6,760, 100% | 260, 100% | 241,000, 15% | itself |
//! | [`mdb`](policies::mdb) | first choice when many lists can be multileaved without distortion (`rankduel distortion`): the least regret of all | 1,480 | 2,890 | 100% | 38.6, 100% | 7.33, 100% | 67,800, 70% | itself |
//! | [`multirucb`](policies::multi_rucb) | instead of `mdb`, if few lists can be mixed into one | 8,740 | 45,000 | 100% | 2,050, 100% | 3,140, 100% | 205,000, 20% | itself |
//! | [`sparring`](policies::sparring) | if steps must be cheap and the best arm also wins most on average; not if answers come late | 6,390 | 130,000 | 100% | 6,380, 100% | 20,300, 100% | 174,000, 100% | queues |
//! | [`sparring-ts`](policies::sparring_ts) | as `self-sparring`, which has less regret | 3,850 | 20,700 | 100% | 951, 100% | 4,000, 100% | 153,000, 100% | itself |
//! | [`sparring-exp3`](policies::sparring_exp3) | to compare with where preferences change; `rex3` has less regret | 8,960 | 118,000 | 100% | 25,900, 100% | 14,700, 100% | 160,000, 90% | queues |
//! | [`versatile-db`](policies::versatile) | if preferences may change or be tampered with; where they do not, only `mdb`, `bradley-terry`, `bradley-terry-pairs` and `self-sparring` have less regret | 3,240 | 12,700 | 100% | 1,380, 100% | 3,490, 100% | 154,000, 80% | queues |
//! | [`dexp3`](policies::borda::dexp3) | if preferences may change or be tampered with, and the arm that wins most on average is wanted; needs many steps | 9,960 | 348,000 | 50% | 130,000, 100% | 27,000, 100% | 123,000, 0% | queues |
//! | [`borda-elimination`](policies::borda::elimination) | if the arm that wins most on average must be right with a stated probability, at whatever cost | 9,710 | 609,000 | 100% | 14,600, 100% | 29,000, 100% | 91,900, 0% | itself |
//! | [`knockout`](policies::identification::knockout) | if an arm that is nearly the best will do, with a stated probability, and utilities explain the duels | 7,010 | 78,800 | 100% | 55,000, 100% | 816, 100% | 108,000, 35% | queues |
//! | [`nts`](policies::identification::nts) | to learn whether any arm beats all others, if pairs closer than h do not matter | 4,930 | 57,300 | 20% | 4,730, 100% | 255, 60% | 82,100, 0% | queues |
//! | [`dkwt`](policies::identification::dkwt) | if the arm that beats all others must be right with a stated probability, in a number of pairs that grows with the arms | 5,860 | 318,000 | 30% | 120,000, 90% | 11,200, 100% | 258,000, 10% | queues |
//! | [`pocowista`](policies::identification::pocowista) | if the arm that beats most others must be right with a stated probability, whether or not one beats all | 4,480 | 374,000 | 0% | 223,000, 60% | 3,280, 100% | 19,000, 100% | queues |
//! | [`sequential-elimination`](policies::identification::sequential_elimination) | if an arm that is nearly the best will do, with a stated probability, and preferences are only ordered | 3,940 | 130,000 | 20% | 5,750, 100% | 5,260, 85% | 283,000, 0% | queues |
//! | [`mallows-mpi`](policies::identification::mallows_mpi) | if every arm beats all below it, no two nearly tie, and the best one is wanted with a stated probability | 5,370 | 254,000 | 25% | 92,700, 80% | 3,300, 100% | 202,000, 20% | queues |
//! | [`pl-pac`](policies::identification::pl_pac) | if utilities explain all duels and an arm that is nearly the best will do, with a stated probability | 8,280 | 76,800 | 50% | 2,380, 100% | 4,260, 100% | 24,300, 90% | queues |
//! | [`verification`](policies::identification::verification) | if the best arm must be right with a probability very close to 1 | 10,400 | 1,030,000 | 75% | 455,000, 100% | 29,000, 100% | 167,000, 0% | queues |
//! | [`parwis`](policies::identification::parwis) | if only two to five duels per arm can be asked for and one winner must be named, without a probability of error | – | – | – | – | – | – | queues |
//! | [`doubler`](policies::doubler) | to compare with: the first reduction to a bandit of single arms, with its proof | 7,950 | 299,000 | 100% | 33,300, 100% | 29,200, 5% | 185,000, 20% | queues |
//! | [`multisbm`](policies::multi_sbm) | to compare with; only after 10^7 steps among 136 arms is its regret clearly below that of random choice | 9,740 | 654,000 | 95% | 36,300, 100% | 29,700, 0% | 245,000, 0% | queues |
//! | [`self-sparring`](policies::self_sparring) | if two arms meet at a time and the best also wins most on average: only `bradley-terry` and `bradley-terry-pairs` have less regret of duels at 10^7 steps | 3,030 | 12,400 | 100% | 538, 100% | 2,590, 100% | 153,000, 100% | itself |
//! | [`sliding-rucb`](policies::changing::rucb) | if preferences jump, arms are few and `window` is much longer than their pairs: as `discounted-rucb` | 9,450 | 943,000 | 0% | 41,100, 100% | 17,400, 100% | 263,000, 60% | itself |
//! | [`discounted-rucb`](policies::changing::rucb) | if preferences change, arms are few and one winner is worth its price: regret grows without end where nothing changes | 9,680 | 954,000 | 0% | 33,100, 100% | 21,400, 100% | 265,000, 70% | itself |
//! | [`sliding-dts`](policies::changing::dts) | if preferences change: a fifth of the regret of `sliding-rucb`, but it grows without end where nothing changes | 3,440 | 176,000 | 75% | 2,350, 100% | 6,040, 100% | 69,500, 100% | itself |
//! | [`discounted-dts`](policies::changing::dts) | as `sliding-dts`, if outcomes should fade gradually | – | – | – | 3,990, 100% | 9,160, 100% | 135,000, 100% | itself |
//! | [`sparring-exp3s`](policies::changing::sparring_exp3s) | if preferences change a known number of times and nothing else is known of them; `sliding-dts` and `discounted-dts` have less regret | 7,310 | 101,000 | 100% | 28,000, 100% | 12,300, 100% | 159,000, 75% | queues |
//! | [`bradley-terry`](policies::bradley_terry) | first, if two arms meet at a time: here the least regret of duels from 10^6 steps on, and right also where arms differ far more or no order explains preferences | 1,880 | 4,880 | 100% | 261, 100% | 844, 100% | 8,330, 100% | itself |
//! | [`bradley-terry-pairs`](policies::bradley_terry_pairs) | as `bradley-terry`, if 10^8 steps or more are simulated: they take seconds, at a little more regret | 1,930 | 5,330 | 100% | 352, 100% | 1,260, 100% | 7,400, 100% | itself |
//! | [`rex3`](policies::rex3) | if preferences may change over time; where they do not, others have less regret | 7,530 | 50,800 | 100% | 15,000, 100% | 5,680, 100% | 155,000, 60% | queues |
//! | [`winner-stays`](policies::winner_stays) | if only the better of the two arms counts (weak regret); little regret up to 10^5 steps | 1,840 | 248,000 | 100% | 228,000, 100% | 15,700, 100% | 248,000, 15% | queues |
//! | [`winner-stays-strong`](policies::winner_stays) | for short tests: the least regret of duels up to 10^6 steps among 136 arms, but wrong in a third of the runs after 10^7 | 1,130 | 42,800 | 70% | 368, 100% | 5,090, 90% | 224,000, 10% | queues |
//! | [`ccb`](policies::ccb) | if no arm may beat all others (Copeland winners) and its proof counts; otherwise as `rucb` | 9,520 | 223,000 | 100% | 8,600, 100% | 3,740, 100% | 13,600, 100% | itself |
//! | [`ecw-rmed`](policies::ecw_rmed) | if no arm may beat all others (Copeland winners), arms are few and no two nearly tie; otherwise `ccb` or `dts` | – | – | – | 9,950, 100% | 3,030, 100% | 9,010, 80% | queues |
//! | [`scb`](policies::scb) | to compare with: Copeland winners among many arms in theory; among 136 no better than random choice | 13,100 | 1,160,000 | 5% | 480,000, 10% | 17,800, 100% | 205,000, 100% | queues |
//! | [`random`](policies::random) | the baseline; and to learn all pairs alike | 10,400 | 1,040,000 | 95% | 457,000, 100% | 29,000, 100% | 289,000, 0% | itself |
//! | [`random-set`](policies::random) | the baseline of `mdb` | 10,400 | 1,040,000 | 100% | 457,000, 100% | 29,000, 100% | 289,000, 0% | itself |
//! <!-- end -->
//!
//! # Problems
//!
//! A [`PreferenceMatrix`] from a file or a formula makes a [`MatrixArena`], in which pairs are independent; utilities
//! make a [`UtilityArena`], in which every arm shows one noisy value per step, for up to millions of arms.
//! [`problems::Problem`] reads both by name: `arithmetic:k=20`, `btl:k=50:ratio=0.95`, `1good50poor`,
//! `normal:k=1e6:sd=3:seed=1`.
//!
//! # Two settings
//!
//! *Ongoing regret* is the curve of a [`Recorder`]. *Explore, then exploit* measures at several horizons whether the arm
//! recommended there is the best: [`explore_then_exploit`] does so for all horizons from one run if the algorithm is
//! anytime, and from one run per horizon otherwise.
//!
//! What regret measures is a [`RegretKind`]: [`regret`] defines each, and when a kind measures nothing.
//!
//! # Matrices
//!
//! [`PreferenceMatrix`] is validated when it is built; [`winners`] finds its winners, [`structure`] its cycles, orders
//! and bounds, and [`agreement`] compares two matrices.
//!
//! # Guarantees
//!
//! * **Same seed, same run**, on every platform: logarithms are `libm`'s, draws are pinned by tests, and policy, arena
//!   and coins have [generators of their own](Generators).
//! * **Ties are broken once**, by fair coins in [`play`], between arena and policy.
//! * **An arm alone costs nothing to simulate.** A policy that would repeat a choice from which it learns nothing
//!   returns [the last step of the stretch](Choice::Alone), and regret is interpolated.
//! * **Fast forms are exact.** Candidate sets, challengers and divergences are updated incrementally, and tests
//!   compare each policy with its reference form, choice by choice for the same draws. Where preferences are sampled
//!   (RCS, RTS, D-TS, MergeDTS) the distribution of choices is that of the reference form, except that probabilities
//!   below 1e-25 count as 0.
//! * **Duels are counted in 32 bits.** In a run of 2^32 steps (4.29e9) or more, no arm may take part in that many
//!   duels, or a policy that keeps exploring would count wrongly. Stretches alone are not counted.
//!
//! # Real users
//!
//! The run loop is for simulations. An [`OpenPolicy`] serves users, thousands at a time: it gives out tickets, takes answers
//! in any order, and is restored from a log or a snapshot. If each answer is known before the next user comes, the policy
//! itself will do:
//!
//! ```
//! use bandits::registry::{PolicyVisitor, Spec};
//! use bandits::{Arm, Choice, Feedback, Generator, PairWins, Policy};
//! use rand::{Rng, SeedableRng};
//!
//! /// Shows lists of four rankers to a number of users.
//! struct Serve {
//!     users: u64,
//! }
//!
//! impl PolicyVisitor for Serve {
//!     type Output = Option<Arm>;
//!
//!     fn visit<P: Policy>(self, mut policy: P) -> Option<Arm> {
//!         let mut chance = Generator::seed_from_u64(1);
//!         // A separate stream, so that what users do never shifts what the policy draws.
//!         let mut coins = Generator::seed_from_u64(2);
//!         let mut wins = PairWins::default();
//!         let mut step = 1;
//!         while step <= self.users {
//!             let served = match policy.choose(step, &mut chance) {
//!                 Choice::Duel(first, second) => {
//!                     // None: neither list got more of the clicks.
//!                     let winner = interleave_and_wait(first, second);
//!                     let first_won = winner.map_or_else(|| coins.next_u64() < 1 << 63, |arm| arm == first);
//!                     policy.learn(step, Feedback::of_duel(first, second, first_won));
//!                     step
//!                 }
//!                 Choice::Set(arms) => {
//!                     wins.set_scores(&multileave_and_wait(arms));
//!                     wins.resolve_ties(&mut coins);
//!                     policy.learn(step, Feedback::Set { wins: &wins });
//!                     step
//!                 }
//!                 // This ranker's own list for all users up to that one; there is nothing to learn from them.
//!                 Choice::Alone { until, .. } => until,
//!             };
//!             step = served.saturating_add(1);
//!         }
//!         policy.recommend(&mut chance)
//!     }
//! }
//!
//! // Stand-ins for a search engine with users who like low numbers.
//! fn interleave_and_wait(first: Arm, second: Arm) -> Option<Arm> {
//!     (first != second).then(|| first.min(second))
//! }
//! fn multileave_and_wait(arms: &[Arm]) -> Vec<u64> {
//!     arms.iter().map(|arm| u64::from(10 - arm.0)).collect()
//! }
//!
//! for name in ["rucb", "mdb"] {
//!     let spec: Spec = name.parse()?;
//!     assert_eq!(spec.visit(4, None, Serve { users: 2_000 })?, Some(Arm(0)));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How to add an algorithm
//!
//! An algorithm of your own is a type that names the pair that meets in each step and learns the winner: it implements
//! [`DuelPolicy`] (or [`SetPolicy`], for sets of arms). Nothing in this crate has to change. Save this example as
//! `crates/bandits/examples/own.rs` and call `cargo run --release -p bandits --example own`:
//!
//! ```
//! //! An algorithm of my own.
//!
//! use bandits::counts::PairCounts;
//! use bandits::registry::Spec;
//! use bandits::{Arm, DuelPolicy, Generator, Generators, MatrixArena, Policy, Recorder, play, problems};
//!
//! /// Plays all pairs in turn for some rounds, then the arm that beat the most others.
//! #[derive(Clone)]
//! struct ExploreFirst {
//!     rounds: usize,
//!     pairs: Vec<(Arm, Arm)>,
//!     wins: PairCounts,
//! }
//!
//! impl ExploreFirst {
//!     fn new(arms: usize, rounds: usize) -> Self {
//!         let pairs = (1..arms).flat_map(|i| (0..i).map(move |j| (Arm::at(i), Arm::at(j)))).collect();
//!         Self { rounds, pairs, wins: PairCounts::new(arms, 0) }
//!     }
//! }
//!
//! impl DuelPolicy for ExploreFirst {
//!     fn arm_count(&self) -> usize {
//!         self.wins.arms()
//!     }
//!
//!     fn pair(&mut self, step: u64, generator: &mut Generator) -> (Arm, Arm) {
//!         let turn = (step - 1) as usize; // Steps count from 1.
//!         if turn / self.pairs.len() < self.rounds {
//!             return self.pairs[turn % self.pairs.len()];
//!         }
//!         let best = self.best(generator).unwrap_or(Arm(0));
//!         (best, best) // An arm twice plays alone ...
//!     }
//!
//!     fn alone_until(&self, _step: u64) -> u64 {
//!         u64::MAX // ... here for ever; without this method, `pair` is asked again at each step.
//!     }
//!
//!     fn outcome(&mut self, winner: Arm, loser: Arm) {
//!         self.wins.record(winner.index(), loser.index());
//!     }
//!
//!     fn best(&self, generator: &mut Generator) -> Option<Arm> {
//!         self.wins.copeland_best(generator)
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Ten arms, each 0.05 better than the next. `PreferenceMatrix::from_bytes` reads the bytes of a file.
//!     let arena = MatrixArena::new(problems::arithmetic(10)?)?;
//!     let (steps, runs) = (20_000, 10);
//! #   let mut printed = Vec::new();
//!     let own = Spec::own("explore-first", |arms| ExploreFirst::new(arms, 50));
//!     for spec in [own, "rucb".parse()?, "random".parse()?] {
//!         let (mut regret, mut right) = (0.0, 0);
//!         for seed in 0..runs {
//!             let mut policy = spec.policy(10, Some(steps))?;
//!             let mut recorder = Recorder::new(vec![steps]);
//!             let mut generators = Generators::from_seed(seed);
//!             play(&mut policy, &mut arena.clone(), steps, &mut generators, &mut recorder);
//!             regret += recorder.total().average / runs as f64;
//!             right += u32::from(policy.recommend(&mut generators.policy) == Some(Arm(0)));
//!         }
//!         println!("{}: regret {regret:.0}, right in {right} of {runs} runs", spec.entry().name);
//! #       printed.push((regret.round(), right));
//!     }
//! #   assert_eq!(printed, [(684.0, 8), (367.0, 10), (4503.0, 10)]);
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! explore-first: regret 684, right in 8 of 10 runs
//! rucb: regret 367, right in 10 of 10 runs
//! random: regret 4503, right in 10 of 10 runs
//! ```
//!
//! * [`counts::PairCounts`] keeps the wins of every pair; [`random`] draws arms, coins and shuffles, and picks the best of
//!   scores with ties at random.
//! * [`play`] also takes the type itself, `&mut ExploreFirst::new(10, 50)`. [`Spec::own`](registry::Spec::own) gives it a name,
//!   under which loops and [`explore_then_exploit`] take it like a registered algorithm.
//! * Where answers come late, [`LatePolicy::queued`] takes it as it is. One that can learn from outcomes in any order, like
//!   this one, also has `impl DelayedFeedback for ExploreFirst {}` and uses [`LatePolicy::native`]. [`OpenPolicy::new`] serves users
//!   with either.
//! * One that learns from duels of an arm with itself, or needs more of a step than its winner, implements [`Policy`].
//! * Parameters with defaults, ranges and warnings are a [`config!`]; [`state!`] and [`stored!`] let snapshots keep it.
//!
//! A **registered** algorithm has a name that commands, experiments and Python understand. It is a file in `src/policies/`, a
//! line `pub mod` in `src/policies/mod.rs`, a line in the list of `src/registry/mod.rs`, and a row in each of four tables on
//! algorithms. [How to register an algorithm](policies#how-to-register-an-algorithm) has a whole file to copy, and the
//! requirements of tests; `cargo xtask pin` writes everything else.
//!
//! # How to add an arena
//!
//! Implement [`Arena`]: [`duel`](Arena::duel) for two arms, [`multi_duel`](Arena::multi_duel) for many (scores for
//! [`PairWins::set_scores`], or pairs for [`PairWins::decide`]), with ties as ties, and the [`gaps`](Arena::gaps) from
//! which regret is computed.
//!
//! ```
//! use bandits::{Arena, Arm, Preference, Generator, Generators, PairWins, Recorder, play};
//! use bandits::{PolicyConfig as _, policies::rucb};
//! use rand::Rng as _;
//!
//! /// One duel in four is a tie; of the others the lower arm wins two in three.
//! struct Ladder {
//!     gaps: [f64; 5],
//! }
//!
//! impl Arena for Ladder {
//!     fn arms(&self) -> usize {
//!         self.gaps.len()
//!     }
//!
//!     fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
//!         match generator.next_u64() % 4 {
//!             0 => Preference::Tie,
//!             1 => if first < second { Preference::Second } else { Preference::First },
//!             _ => if first < second { Preference::First } else { Preference::Second },
//!         }
//!     }
//!
//!     fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
//!         wins.reset(arms.len());
//!         for i in 0..arms.len() {
//!             for j in i + 1..arms.len() {
//!                 wins.set(i, j, self.duel(arms[i], arms[j], generator));
//!             }
//!         }
//!     }
//!
//!     fn gaps(&self) -> &[f64] {
//!         &self.gaps
//!     }
//! }
//!
//! // Arm 0 beats every other with probability 2/4 + 1/8, a tie being half a win.
//! let mut arena = Ladder { gaps: [0.0, 0.125, 0.125, 0.125, 0.125] };
//! let mut policy = rucb::RucbConfig::default().policy(5, Some(10_000))?;
//! let mut recorder = Recorder::new(vec![1_000, 10_000]);
//! play(&mut policy, &mut arena, 10_000, &mut Generators::from_seed(1), &mut recorder);
//! let [early, late] = [0, 1].map(|at| recorder.curve()[at].average);
//! assert!(late < 5.0 * early);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::self_named_module_files)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod algorithm;
mod arena;
mod confidence;
pub mod counts;
mod late;
pub mod matrix;
pub mod open;
pub mod policies;
mod policy;
pub mod problems;
pub mod random;
#[cfg(feature = "reference")]
#[expect(clippy::disallowed_methods, reason = "reference forms, which no result depends on")]
pub mod reference;
pub mod registry;
pub mod regret;
mod run;
pub mod singleton;
mod state;
pub mod structure;
mod thompson;

pub use algorithm::{
    ActionKind, MAX_ARMS_WITH_ALL_PAIRS, Paper, Parameter, ParameterError, ParameterValue, PolicyConfig, Venue, rules,
};
pub use arena::{Arena, MatrixArena, ShuffledArena, UtilityArena, UtilityError};
pub use late::{DelayedFeedback, LatePolicy};
pub use matrix::{
    ComparisonCounts, MatrixError, MatrixInFile, PreferenceMatrix, SquareTable, WinTable, agreement, winners,
};
pub use open::OpenPolicy;
pub use policy::{Choice, DuelPolicy, Feedback, OwnedPolicy, PackedWins, PairWins, Policy, SetPolicy, Sets};
// The words that all crates share; `Generator` is the one generator of the project.
pub use ranktypes::{Arm, Generator, Preference, SeedableRng};
pub use registry::Memory;
pub use regret::{RegretKind, RegretReference, RegretReferenceError, every_arm_is_optimal};
pub use run::{Exploration, explore, explore_then_exploit};
pub use run::{Generators, Observer, Run, RunState, play, play_in_step};
pub use run::{Recorder, Regret, log_spaced, one_two_five};
#[doc(hidden)]
pub use state::tag as state_tag;
pub use state::{Plain, State, StateError, StateReader, StateWriter};
