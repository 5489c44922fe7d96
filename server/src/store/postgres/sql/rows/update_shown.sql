UPDATE shown SET ids = new.ids, displayed = new.displayed, request = new.request, sum = new.sum
FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
    AS new (experiment, impression, ids, displayed, request, sum)
WHERE shown.experiment = new.experiment AND shown.impression = new.impression
