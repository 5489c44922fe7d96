-- Whether all that is answered without an event is still of this epoch.
SELECT (SELECT count(*) FROM leader WHERE epoch = $1),
       (SELECT count(*) FROM heads WHERE epoch = $1 AND experiment = ANY ($2::integer[]))
