UPDATE keys SET used = new.used FROM unnest($1::bigint[], $2::bigint[]) AS new (id, used) WHERE keys.id = new.id
