-- Forgets the delivered messages of an experiment, but for a given number of the last.
DELETE FROM messages WHERE experiment = $1 AND delivered IS NOT NULL AND id <= (
    SELECT id FROM messages WHERE experiment = $1 AND delivered IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET $2
)
