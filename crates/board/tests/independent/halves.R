# The fit of BradleyTerry2 with ties as half a win of each side, as test data for the crate.
#
#   Rscript halves.R            # prints it; needs BradleyTerry2, in Debian r-cran-bradleyterry2
#   Rscript halves.R --write    # writes halves.json beside this file
#   Rscript halves.R --check    # compares with halves.json
#
# The table is that of fits.py with ties. The advantage of being shown first is a covariate of the contestants.

suppressPackageStartupMessages(library(BradleyTerry2))

# Park and Miller's minimal generator; doubles hold every product exactly.
state <- 11
draw <- function() {
  state <<- (state * 48271) %% 2147483647
  state
}

competitors <- 6
rows <- 900
strengths <- 0.3 * (competitors:1)
names <- paste0("c", 0:(competitors - 1))
first <- second <- integer(rows)
share <- numeric(rows)
for (row in seq_len(rows)) {
  first[row] <- draw() %% competitors
  second[row] <- (first[row] + 1 + draw() %% (competitors - 1)) %% competitors
  item <- draw() %% 40
  liked <- item %% competitors
  d <- strengths[first[row] + 1] - strengths[second[row] + 1] + 0.25 + 0.8 * ((first[row] == liked) - (second[row] == liked))
  win <- exp(d / 2)
  loss <- exp(-d / 2)
  at <- draw() / 2147483647 * (win + loss + 0.6)
  share[row] <- if (at < win) 1 else if (at < win + loss) 0 else 0.5
}

data <- data.frame(wins = share, losses = 1 - share)
data$one <- data.frame(team = factor(names[first + 1], levels = names), shown.first = 1)
data$other <- data.frame(team = factor(names[second + 1], levels = names), shown.first = 0)
# Halves are no counts, which the binomial family remarks on.
fit <- function(formula) {
  suppressWarnings(BTm(
    cbind(wins, losses), one, other, formula, id = "team", refcat = "c0", data = data,
    epsilon = 1e-14, maxit = 100
  ))
}
alone <- fit(~team)
placed <- fit(~ team + shown.first)

errors <- function(model) sqrt(diag(vcov(model)))
found <- list(
  differences = unname(coef(alone)), errors = unname(errors(alone)),
  placed_differences = unname(coef(placed)[1:(competitors - 1)]),
  placed_errors = unname(errors(placed)[1:(competitors - 1)]),
  position = unname(coef(placed)["shown.first"]), position_error = unname(errors(placed)["shown.first"])
)

line <- function(key) {
  values <- paste(sprintf("%.15g", found[[key]]), collapse = ", ")
  if (length(found[[key]]) > 1) values <- paste0("[", values, "]")
  sprintf("  \"%s\": %s", key, values)
}
version <- sprintf(
  "  \"source\": \"halves.R with R %s, BradleyTerry2 %s\"",
  getRversion(), packageVersion("BradleyTerry2")
)
text <- paste0("{\n", paste(c(version, vapply(names(found), line, "")), collapse = ",\n"), "\n}\n")

arguments <- commandArgs(trailingOnly = FALSE)
path <- file.path(dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE))), "halves.json")
if ("--check" %in% arguments) {
  numbers <- function(text) {
    lines <- grep("\"source\"", strsplit(text, "\n")[[1]], value = TRUE, invert = TRUE)
    values <- sub("^[^:]*:", "", lines)
    as.numeric(unlist(regmatches(values, gregexpr("-?[0-9][0-9.e-]*", values))))
  }
  kept <- numbers(paste(readLines(path), collapse = "\n"))
  ours <- numbers(text)
  stopifnot(length(kept) == length(ours), max(abs(kept - ours)) < 1e-8)
  cat("halves.json: as this machine computes it\n")
} else {
  if ("--write" %in% arguments) cat(text, file = path)
  cat(text)
}
