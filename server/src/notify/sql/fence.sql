-- Locks the leader's row, if this node leads in this epoch.
WITH mine AS (SELECT epoch FROM leader WHERE epoch = $1 FOR SHARE) SELECT count(*) FROM mine
