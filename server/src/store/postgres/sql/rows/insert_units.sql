INSERT INTO units (experiment, hash, number, sum)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[], $4::bigint[])
