//! A dueling bandit in use: which pair is next, and what came back.
