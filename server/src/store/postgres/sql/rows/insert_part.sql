INSERT INTO snapshots (experiment, n, part, body, sum) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (experiment, n, part) DO UPDATE SET body = excluded.body, sum = excluded.sum
