INSERT INTO messages_known (experiment, created, known) VALUES ($1, $2, $3)
ON CONFLICT (experiment) DO UPDATE SET created = excluded.created, known = excluded.known
