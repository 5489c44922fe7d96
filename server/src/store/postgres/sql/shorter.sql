-- Experiments with a log that does not end at its head.
SELECT experiments.name, heads.n, coalesce(last.n, 0)
FROM experiments LEFT JOIN heads ON heads.experiment = experiments.id
LEFT JOIN LATERAL (SELECT max(events.n) AS n FROM events WHERE events.experiment = experiments.id) AS last ON true
WHERE heads.n IS DISTINCT FROM coalesce(last.n, 0)
ORDER BY experiments.id
