INSERT INTO states (experiment, number, n, seen, body, sum)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::bytea[], $6::bigint[])
ON CONFLICT (experiment, number, n) DO UPDATE SET seen = excluded.seen, body = excluded.body, sum = excluded.sum
