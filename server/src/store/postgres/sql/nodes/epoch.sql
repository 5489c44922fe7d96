-- Whether the epoch still holds for answers without an event.
SELECT (SELECT count(*) FROM leader WHERE epoch = $1),
       (SELECT count(*) FROM heads WHERE epoch = $1 AND experiment = ANY ($2::integer[]))
