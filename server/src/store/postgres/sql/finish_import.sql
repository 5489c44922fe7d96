-- After rows were moved here: where each log ends, and the numbers that were given out.
INSERT INTO heads (experiment, n, epoch)
SELECT experiments.id, coalesce((SELECT max(events.n) FROM events WHERE events.experiment = experiments.id), 0), leader.epoch
FROM experiments CROSS JOIN leader;
SELECT setval(pg_get_serial_sequence('keys', 'id'), coalesce((SELECT max(id) FROM keys), 0) + 1, false);
SELECT setval(pg_get_serial_sequence('audit', 'id'), coalesce((SELECT max(id) FROM audit), 0) + 1, false);
