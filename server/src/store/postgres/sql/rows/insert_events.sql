INSERT INTO events (experiment, n, kind, impression, body, sum)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::bigint[], $5::bytea[], $6::bigint[])
