INSERT INTO marks (experiment, impression, time, query, key, request, sum)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
