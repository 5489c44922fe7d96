DELETE FROM marks USING unnest($1::integer[], $2::bigint[]) AS old (experiment, impression)
WHERE marks.experiment = old.experiment AND marks.impression = old.impression
