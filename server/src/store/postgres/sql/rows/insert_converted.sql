INSERT INTO converted (experiment, unit, hash, number, sum)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[])
