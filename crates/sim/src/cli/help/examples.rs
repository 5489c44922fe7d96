//! Examples of every command; a test parses them all.

/// The examples of the command with this name, under a heading.
pub(super) fn of(command: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(name, _)| *name == command).map(|(_, examples)| *examples)
}

/// Command lines, and what they do.
const EXAMPLES: [(&str, &str); 24] = [
    (
        "sim",
        "\
Examples:
  sim                                              the default: a look-alike of MSLR-WEB30K
  sim --dataset ylr1 --click navigational          a registered data set (`sim datasets` lists them)
  sim --dataset MQ2008/ --click perfect            a folder of LETOR files (or the files, comma-separated)
  sim --runs bm25.run,ltr.run --qrels qrels.txt    rankers of yours: TREC runs
  sim --algorithms rucb:alpha=0.51,mergerucb --steps 1e7 --runs 20
  sim --stop-when 0.95 --margin 0.01               runs end once it is proven which ranker is the best
  sim bandit --matrix P.txt --steps 1e7            the same loop on a preference matrix
  sim proxy --dataset MQ2008/ --out P.npy          a preference matrix from a data set
  sim analyse --matrix P.npy                       its winners, cycles, gaps and bounds, with figures",
    ),
    (
        "algorithms",
        "\
Examples:
  sim algorithms                                   all algorithms with their parameters
  sim algorithms rucb                              one of them: parameters, ranges, paper
  sim algorithms rucb mdb --json                   the same for a program",
    ),
    (
        "analyse",
        "\
Examples:
  sim analyse --matrix P.npy                       winners, cycles, gaps, bounds
  sim analyse --matrix P.txt --comparisons 4000    what 4,000 comparisons per pair establish
  sim analyse --matrix P.npy --arms 0,5,109 --json
  sim analyse --matrix P.npy --against Q.npy       and how far two matrices agree",
    ),
    (
        "bandit",
        "\
Examples:
  sim bandit --matrix P.txt --steps 1e7            the default algorithms on a matrix of yours
  sim bandit --problem 1good5poor --algorithms rucb,mdb --runs 20
  sim bandit --problem btl:k=20:ratio=0.9 --steps 1e5 --json
  sim bandit --problem btl --change 5e5:reversed --algorithms rucb,discounted-rucb,versatile-db
  sim bandit --problem btl:k=10 --evidence 0.95    and what the outcomes prove
  sim bandit --matrix P.npy --arms 10 --condorcet  ten random arms with a Condorcet winner
  sim bandit --problem arith51 --setting explore-then-exploit --horizons 1e3,1e4,1e5",
    ),
    (
        "cache",
        "\
Examples:
  sim cache                                        the binary caches of data sets, and how large they are
  sim cache clear                                  remove those that are of no use any more
  sim cache clear MQ2008/                          remove those of a data set",
    ),
    (
        "cite",
        "\
Examples:
  sim cite rucb,mdb                                BibTeX of the papers of two algorithms
  sim cite                                         of all algorithms",
    ),
    (
        "compare",
        "\
Examples:
  sim compare --rankers 10 --steps 1e5             live, and on a matrix estimated for it
  sim compare --dataset MQ2008/ --matrix P.npy     with a matrix that is there already
  sim compare --rankers 10 --algorithms rucb,rmed1 --interleavings 40000",
    ),
    (
        "completions",
        "\
Examples:
  sim completions bash > ~/.local/share/bash-completion/completions/sim
  sim completions zsh > ~/.zfunc/_sim              with ~/.zfunc in fpath
  sim completions fish > ~/.config/fish/completions/sim.fish",
    ),
    (
        "datasets",
        "\
Examples:
  sim datasets                                     what is known by name, and what is installed
  sim datasets --json                              the same for a program
  sim datasets fetch mslr-web10k                   download one, or print where to get it",
    ),
    (
        "fetch",
        "\
Examples:
  sim datasets fetch mslr-web10k                   download, check and register
  sim datasets fetch ylr1 --from ltrc_yahoo.tgz    an archive, a file or a folder of your own
  sim datasets fetch ylr1 --info                   what it is, its terms, and where to get it",
    ),
    (
        "export",
        "\
Examples:
  sim export MQ2008/ --rankers 1,5,40              three features as TREC runs, and the labels as qrels
  sim export test.txt --scores model=pred.txt --scores-only
  sim export mq2008-lookalike --depth 100 --out runs",
    ),
    (
        "inspect",
        "\
Examples:
  sim inspect mslr-lookalike:0.1                   a look-alike: sizes, labels, ties, its best rankers
  sim inspect MQ2008/ --json                       a folder of files",
    ),
    (
        "distortion",
        "\
Examples:
  sim distortion --rankers 20 --sizes 3,10         sets of three and of ten of twenty rankers
  sim distortion --multileave team-draft --click perfect --sets 100 --out distortion.json",
    ),
    (
        "draw",
        "\
Examples:
  sim draw results/first-run --no-title            draw.pdf beside the results, for a column of a paper
  sim draw results/first-run --y log --relabel rucb=RUCB,mdb=MDB --out figures/regret.pdf
  sim draw results/first-run --width 7in --font 9pt --format svg,png --bands sd
  sim draw results/mergerucb-fig6 --heat-map       a grid of parameters",
    ),
    (
        "experiment",
        "\
Examples:
  sim experiment experiments/rucb-fig3.toml        one figure of a paper, at full length
  sim experiment --all --scale 0.01                all of experiments/, at a hundredth of the steps
  sim experiment --all --dry-run                   how long they would take
  sim experiment mine.toml --data-dir data/        an experiment of yours",
    ),
    (
        "power",
        "\
Examples:
  sim power --margin 0.02                          a ranker that wins with probability 0.52
  sim power --margin 0.01,0.02,0.05 --tied 0.6 --per-day 20000
  sim power --margin 0.02 --simulate 1000          predicted, and observed in 1,000 simulated tests
  sim power                                        the best and the second of the default rankers
  sim power --dataset MQ2008/ --first 40 --second 15 --interleave team-draft --click informational",
    ),
    (
        "sensitivity",
        "\
Examples:
  sim sensitivity --dataset MQ2008/                all methods, five rankers at a time
  sim sensitivity --methods sosm,team-draft --compared 10",
    ),
    (
        "significance",
        "\
Examples:
  sim significance results/first-run               which algorithms differ, and by how much
  sim significance results/first-run --baseline rucb --format markdown
  sim significance results/mdb-fig4 --correction bh --format latex",
    ),
    (
        "report",
        "\
Examples:
  sim report                                       results/report.html from everything in results/
  sim report results/scale-0.01                    from another folder",
    ),
    (
        "proxy",
        "\
Examples:
  sim proxy --dataset MQ2008/ --out P.npy          4,000 impressions per pair
  sim proxy --dataset MQ2008/ --out P.npy --resume after an interruption
  sim proxy --rankers 20 --out P.npy --interleavings 1e5 --until-se 0.001
  sim proxy --rankers 20 --out P.npy --more 1e5    add to a finished matrix",
    ),
    (
        "merge",
        "\
Examples:
  sim merge results/x                              the parts in results/x.shards, united
  sim merge results/P.npy --replace                instead of another matrix of that name",
    ),
    (
        "status",
        "\
Examples:
  sim status results/x                             which shards are finished, begun, missing
  sim status results/x --json                      the same for a program",
    ),
    (
        "submit",
        "\
Examples:
  sim submit local --shards 8 -- bandit --problem btl:k=20 --out results/x
  sim submit slurm --shards 64 --cpus 4 --time 4:00:00 -- proxy --dataset ylr1 --out P.npy
  sim submit slurm --shards 64 --missing --go -- proxy --dataset ylr1 --out P.npy
  sim submit kubernetes --shards 64 --mem 8Gi -- proxy --dataset ylr1 --out P.npy",
    ),
    (
        "man",
        "\
Examples:
  sim man man/                                     sim.1 and a page per command, for `man -l man/sim.1`",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_accepted() {
        let mut count = 0;
        for line in EXAMPLES.iter().flat_map(|(_, text)| text.lines()).filter(|line| line.starts_with("  sim")) {
            // The explanation stands apart.
            let command = line.trim().split("  ").next().unwrap_or_default();
            let command = command.split(" > ").next().unwrap_or_default();
            let words: Vec<&str> = command.split_whitespace().skip(1).take_while(|word| *word != "after").collect();
            // What is checked when the flag is read is in the folder of the project.
            if !words.contains(&"--data-dir") {
                crate::cli::check(words.iter().copied()).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
            count += 1;
        }
        assert!(count > 40, "{count}");
    }
}
