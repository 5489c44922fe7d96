-- Locks who leads, if it leads in this epoch.
WITH mine AS (SELECT epoch FROM leader WHERE epoch = $1 FOR SHARE) SELECT count(*) FROM mine
