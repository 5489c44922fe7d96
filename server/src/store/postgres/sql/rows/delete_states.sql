-- Of the states of these units, those that no start needs: all before the last one up to the snapshot `base`.
DELETE FROM states USING unnest($1::integer[], $2::bigint[], $3::bigint[]) AS new (experiment, number, base)
WHERE states.experiment = new.experiment AND states.number = new.number AND states.n < (
    SELECT max(needed.n) FROM states AS needed
    WHERE needed.experiment = new.experiment AND needed.number = new.number AND needed.n <= new.base
)
