# Random pairs in R, without packages: the line of JSON that is needed is short enough to be read by a pattern.
input <- file("stdin", open = "r")
start <- readLines(input, n = 1)
number <- function(name) as.numeric(sub(paste0('.*"', name, '": *([0-9]+).*'), "\\1", start))
arms <- number("arms")
set.seed(number("seed") %% 2147483647)
wins <- rep(0, arms)
say <- function(text) { cat(text, "\n", sep = ""); flush(stdout()) }
ask <- function() { pair <- sample(arms, 2); say(sprintf('{"pair": [%d, %d]}', pair[1] - 1, pair[2] - 1)); pair }
pair <- ask()
repeat {
  news <- readLines(input, n = 1)
  if (length(news) == 0) break
  if (grepl('"outcome":"first"', news)) wins[pair[1]] <- wins[pair[1]] + 1
  if (grepl('"outcome":"second"', news)) wins[pair[2]] <- wins[pair[2]] + 1
  if (grepl('"done":true', news)) { say(sprintf('{"best": %d}', which.max(wins) - 1)); break }
  pair <- ask()
}
