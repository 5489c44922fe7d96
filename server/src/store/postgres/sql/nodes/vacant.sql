-- Locks the leader's row: the epoch, and whether no node but this one ($1) has a lease to lead. Read again once the lock is there.
SELECT epoch, NOT EXISTS (
    SELECT 1 FROM nodes WHERE nodes.node = leader.node AND nodes.node <> $1 AND nodes.until > clock_timestamp()
) FROM leader FOR UPDATE OF leader
