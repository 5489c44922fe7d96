//! Examples of every command; a test parses them all.

/// The examples of the command with this name, under a heading.
pub(super) fn examples_of(command: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(name, _)| *name == command).map(|(_, examples)| *examples)
}

/// Command lines with explanations.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "rankduel",
        "\
Examples:
  rankduel                                              the default: a look-alike of MSLR-WEB30K
  rankduel --dataset ylr1 --click navigational          a registered data set (`rankduel datasets` lists them)
  rankduel --dataset MQ2008/ --click perfect            a folder of LETOR files (or the files, comma-separated)
  rankduel --rankings bm25.run,ltr.run --qrels qrels.txt    rankers of yours: TREC runs
  rankduel --algorithms rucb:alpha=0.51,mergerucb --steps 1e7 --runs 20
  rankduel --stop-when 0.95 --tolerance 0.01               runs end once it is proven which ranker is the best
  rankduel bandit --matrix P.txt --steps 1e7            the same loop on a preference matrix
  rankduel proxy --dataset MQ2008/ --out P.npy          a preference matrix from a data set
  rankduel analyse --matrix P.npy                       its winners, cycles, gaps and bounds, with figures",
    ),
    (
        "algorithms",
        "\
Examples:
  rankduel algorithms                                   all algorithms with their parameters
  rankduel algorithms rucb                              one of them: parameters, ranges, paper
  rankduel algorithms rucb mdb --json                   the same for a program",
    ),
    (
        "analyse",
        "\
Examples:
  rankduel analyse --matrix P.npy                       winners, cycles, gaps, bounds
  rankduel analyse --matrix P.txt --comparisons 4000    what 4,000 comparisons per pair establish
  rankduel analyse --matrix P.npy --arms 0,5,109 --json
  rankduel analyse --matrix P.npy --against Q.npy       and how far two matrices agree",
    ),
    (
        "bandit",
        "\
Examples:
  rankduel bandit --matrix P.txt --steps 1e7            the default algorithms on a matrix of yours
  rankduel bandit --problem 1good5poor --algorithms rucb,mdb --runs 20
  rankduel bandit --problem btl:k=20:ratio=0.9 --steps 1e5 --json
  rankduel bandit --problem btl --change 5e5:reversed --algorithms rucb,discounted-rucb,versatile-db
  rankduel bandit --problem btl:k=10 --evidence 0.95    and what the outcomes prove
  rankduel bandit --matrix P.npy --arms 10 --condorcet  ten random arms with a Condorcet winner
  rankduel bandit --problem arith51 --setting explore-then-exploit --horizons 1e3,1e4,1e5",
    ),
    (
        "board",
        "\
Examples:
  rankduel board votes.csv                              who is best, how sure that is, what would mislead
  rankduel board votes.csv --out results/board          and all tables and the figure in a folder
  rankduel board arena.jsonl --format markdown
  rankduel board table.csv --columns first=base,second=new,winner=preferred,item=prompt
  rankduel board wins.csv --order-unknown --json        a matrix of wins",
    ),
    (
        "cache",
        "\
Examples:
  rankduel cache                                        the binary caches of data sets, and how large they are
  rankduel cache clear                                  remove those that are of no use any more
  rankduel cache clear MQ2008/                          remove those of a data set",
    ),
    (
        "cite",
        "\
Examples:
  rankduel cite rucb,mdb                                BibTeX of the papers of two algorithms
  rankduel cite                                         of all algorithms",
    ),
    (
        "compare",
        "\
Examples:
  rankduel compare --rankers 10 --steps 1e5             live, and on a matrix estimated for it
  rankduel compare --dataset MQ2008/ --matrix P.npy     with a matrix that is there already
  rankduel compare --rankers 10 --algorithms rucb,rmed1 --impressions-per-pair 40000",
    ),
    (
        "completions",
        "\
Examples:
  rankduel completions bash > ~/.local/share/bash-completion/completions/rankduel
  rankduel completions zsh > ~/.zfunc/_rankduel           with ~/.zfunc in fpath
  rankduel completions fish > ~/.config/fish/completions/rankduel.fish",
    ),
    (
        "datasets",
        "\
Examples:
  rankduel datasets                                     what is known by name, and what is installed
  rankduel datasets --json                              the same for a program
  rankduel datasets fetch mslr-web10k                   download one, or print where to get it",
    ),
    (
        "demo",
        "\
Examples:
  rankduel demo                                         a live server with simulated users; Ctrl-C removes everything
  rankduel demo --store demo.db                         the same, and keep the store",
    ),
    (
        "fetch",
        "\
Examples:
  rankduel datasets fetch mslr-web10k                   download, check and register
  rankduel datasets fetch ylr1 --from ltrc_yahoo.tgz    an archive, a file or a folder of your own
  rankduel datasets fetch ylr1 --info                   what it is, its terms, and where to get it",
    ),
    (
        "export",
        "\
Examples:
  rankduel export MQ2008/ --rankers 1,5,40              three features as TREC runs, and the labels as qrels
  rankduel export test.txt --scores model=pred.txt --scores-only
  rankduel export mq2008-lookalike --depth 100 --out runs",
    ),
    (
        "inspect",
        "\
Examples:
  rankduel inspect mslr-lookalike:0.1                   a look-alike: sizes, labels, ties, its best rankers
  rankduel inspect MQ2008/ --json                       a folder of files",
    ),
    (
        "judge",
        "\
Examples:
  rankduel judge --state judge.jsonl --answers answers.csv                     a page with the texts of a table
  rankduel judge --state judge.jsonl --answers answers.csv --judges anna,ben   a link for each judge",
    ),
    (
        "live",
        "\
Examples:
  rankduel live                                    the default: a look-alike of MSLR-WEB30K
  rankduel live --dataset ylr1 --rankers 1-20,110  some features of a registered data set
  rankduel live --rankings bm25.run,ltr.run --qrels qrels.txt
  rankduel live --algorithms rucb:alpha=0.51,mergerucb --steps 1e7 --runs 20",
    ),
    (
        "draw",
        "\
Examples:
  rankduel draw results/first-run --no-title            draw.pdf beside the results, for a column of a paper
  rankduel draw results/first-run --axes log --relabel rucb=RUCB,mdb=MDB --out figures/regret.pdf
  rankduel draw results/first-run --width 7in --font 9pt --format svg,png --spread sd
  rankduel draw results/mergerucb-fig6 --heat-map       a grid of parameters",
    ),
    (
        "experiment",
        "\
Examples:
  rankduel experiment experiments/rucb-fig3.toml        one figure of a paper, at full length
  rankduel experiment --all --scale 0.01                all of experiments/, at a hundredth of the steps
  rankduel experiment --all --dry-run                   how long they would take
  rankduel experiment mine.toml --data-dir data/        an experiment of yours",
    ),
    (
        "next",
        "\
Examples:
  rankduel next --state judge.jsonl --competitors a,b,c          begin, and print the first pair
  rankduel next --state judge.jsonl --answer 1-0a1b2c3d=first    record its answer, and print the next
  rankduel next --state judge.jsonl --competitors-from models.txt --items prompts.txt --both
  rankduel next --state judge.jsonl --batch 50 --judge alice     fifty pairs at once
  rankduel next --state judge.jsonl --interactive                judge at the terminal
  rankduel next --state judge.jsonl --batch 50 --texts answers.csv --sheet sheet.csv   to be filled in elsewhere
  rankduel next --state judge.jsonl --filled sheet.csv           its answers
  rankduel next --state judge.jsonl --status                     how far it is, and who leads
  rankduel next --state judge.jsonl --export votes.csv           all answers as a table",
    ),
    (
        "power",
        "\
Examples:
  rankduel power --margin 0.02                          a ranker that wins with probability 0.52
  rankduel power --margin 0.01,0.02,0.05 --tied 0.6 --impressions-per-day 20000
  rankduel power --margin 0.02 --simulate 1000          predicted, and observed in 1,000 simulated tests
  rankduel power                                        the best and the second of the default rankers
  rankduel power --dataset MQ2008/ --first 40 --second 15 --interleave team-draft --click informational",
    ),
    (
        "serve",
        "\
Examples:
  rankduel serve --create --no-keys --store rankduel.db    for this machine alone
  rankduel serve --store rankduel.db --print-config        all settings, and where they come from",
    ),
    (
        "significance",
        "\
Examples:
  rankduel significance results/first-run               which algorithms differ, and by how much
  rankduel significance results/first-run --baseline rucb --format markdown
  rankduel significance results/mdb-fig4 --correction bh --format latex",
    ),
    (
        "report",
        "\
Examples:
  rankduel report                                       results/report.html from everything in results/
  rankduel report results/scale-0.01                    from another folder",
    ),
    (
        "proxy",
        "\
Examples:
  rankduel proxy --dataset MQ2008/ --out P.npy          4,000 impressions per pair; again after an interruption: goes on
  rankduel proxy --rankers 20 --out P.npy --impressions-per-pair 1e5 --until-se 0.001
  rankduel proxy --rankers 20 --out P.npy --more 1e5    add to a finished matrix",
    ),
    (
        "merge",
        "\
Examples:
  rankduel merge results/x                              the parts in results/x.shards, united
  rankduel merge results/P.npy --replace                instead of another matrix of that name",
    ),
    (
        "status",
        "\
Examples:
  rankduel status results/x                             which shards are finished, begun, missing
  rankduel status results/x --json                      the same for a program",
    ),
    (
        "submit",
        "\
Examples:
  rankduel submit local --shards 8 -- bandit --problem btl:k=20 --out results/x
  rankduel submit slurm --shards 64 --cpus 4 --time 4:00:00 -- proxy --dataset ylr1 --out P.npy
  rankduel submit slurm --shards 64 --missing --go -- proxy --dataset ylr1 --out P.npy
  rankduel submit kubernetes --shards 64 --mem 8Gi -- proxy --dataset ylr1 --out P.npy",
    ),
    (
        "man",
        "\
Examples:
  rankduel man man/                                     rankduel.1 and a page per command, for `man -l man/rankduel.1`",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_accepted() {
        let mut count = 0;
        for line in EXAMPLES.iter().flat_map(|(_, text)| text.lines()).filter(|line| line.starts_with("  rankduel")) {
            // The explanation stands apart.
            let command = line.trim().split("  ").next().unwrap_or_default();
            let command = command.split(" > ").next().unwrap_or_default();
            let words: Vec<&str> = command.split_whitespace().skip(1).take_while(|word| *word != "after").collect();
            // Its value is checked at parsing, in the folder of the project.
            if !words.contains(&"--data-dir") {
                crate::cli::check(words.iter().copied()).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
            count += 1;
        }
        assert!(count > 40, "{count}");
    }
}
