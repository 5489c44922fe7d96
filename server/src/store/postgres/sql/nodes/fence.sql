-- Locks the leader's row and the heads of these experiments, in the order of their numbers, and moves the heads on: parameters are the
-- epoch, experiments, the last event of each (null: none is written), and how many are written. A head of another epoch, or at another
-- event, is left out. A statement that waits for a lock reads the epoch again once it has it.
WITH mine AS (
    SELECT epoch FROM leader WHERE epoch = $1 FOR SHARE
), asked AS (
    SELECT * FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS asked (experiment, last, written)
), locked AS (
    SELECT heads.experiment, asked.last FROM heads JOIN asked USING (experiment)
    WHERE heads.epoch = $1 AND (asked.last IS NULL OR heads.n = asked.last - asked.written)
    ORDER BY heads.experiment FOR UPDATE OF heads
), moved AS (
    UPDATE heads SET n = locked.last FROM locked WHERE heads.experiment = locked.experiment AND locked.last IS NOT NULL
)
SELECT (SELECT count(*) FROM mine), (SELECT count(*) FROM locked)
