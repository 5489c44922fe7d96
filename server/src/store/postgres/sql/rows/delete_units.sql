DELETE FROM units USING unnest($1::integer[], $2::bytea[]) AS old (experiment, hash)
WHERE units.experiment = old.experiment AND units.hash = old.hash
