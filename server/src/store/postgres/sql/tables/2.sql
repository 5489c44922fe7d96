-- The tables of version 2: what lies beside a store in a file, or in the memory of its only server.

-- Who is signed in to the pages: the hash of a sign-in's name, the number of its key, and when it ends, in milliseconds since 1970.
CREATE TABLE sign_ins (hash bytea PRIMARY KEY, key bigint NOT NULL, until bigint NOT NULL);

-- Messages about experiments (--notify). One row: since when there are any, in milliseconds since 1970.
CREATE TABLE messages_since (one boolean PRIMARY KEY DEFAULT true CHECK (one), time bigint NOT NULL);
-- What was said of each experiment: made when, and as the server wrote it (JSON).
CREATE TABLE messages_known (experiment text PRIMARY KEY, created bigint NOT NULL, known text NOT NULL);
CREATE TABLE messages (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, experiment text NOT NULL, time bigint NOT NULL, kind text NOT NULL,
    body text NOT NULL, failures bigint NOT NULL DEFAULT 0, next bigint NOT NULL, delivered bigint, why text NOT NULL DEFAULT ''
);
CREATE INDEX messages_of ON messages (experiment, id);
CREATE INDEX messages_waiting ON messages (experiment, id) WHERE delivered IS NULL;
