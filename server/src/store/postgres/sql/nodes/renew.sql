-- Renews the lease of a node by the clock of the database, and forgets nodes that are long gone. Parameters: name, address, seconds.
WITH gone AS (
    DELETE FROM nodes WHERE until < clock_timestamp() - interval '1 day'
)
INSERT INTO nodes (node, address, started, until) VALUES ($1, $2, clock_timestamp(), clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (node) DO UPDATE SET address = excluded.address, until = excluded.until
