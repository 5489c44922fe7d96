INSERT INTO shown (experiment, impression, ids, displayed, request, sum)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
