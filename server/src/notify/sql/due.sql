-- The oldest message of each experiment that waits, if its time has come.
SELECT id, experiment, kind, body, failures, next FROM messages
WHERE id IN (SELECT min(id) FROM messages WHERE delivered IS NULL GROUP BY experiment) AND next <= $1
ORDER BY id
