-- A text that changes with keys, secrets and sign-ins.
SELECT concat(
    (SELECT count(*) || '-' || count(revoked) || '-' || coalesce(max(id), 0) FROM keys), '-',
    (SELECT md5(string_agg(name || encode(value, 'hex'), ',' ORDER BY name)) FROM meta WHERE name NOT IN ('alive', 'tables')), '-',
    (SELECT md5(string_agg(hash, ''::bytea ORDER BY hash)) FROM sign_ins)
)
