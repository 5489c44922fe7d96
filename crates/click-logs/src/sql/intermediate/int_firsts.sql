-- The very first impression of each unit in a version, where outcomes chose the pairs: no other counts for the unit.
select version, unit, impression_id, day_no, is_set_aside
from (
  select
    seen.*,
    row_number() over (partition by version, unit order by shown_ms, impression_id, is_set_aside) as turn
  from (
    select version, unit, impression_id, shown_ms, day_no, 0 as is_set_aside
    from {{ ref('int_impressions') }}
    where fate = 'credited'
    union all
    -- Impressions in conflict say nothing, but their units have seen a list.
    select
      line.version,
      line.unit,
      line.impression_id,
      line.shown_ms,
      cast((line.shown_ms + rules.zone_ms - mod(line.shown_ms + rules.zone_ms, 86400000)) / 86400000 as bigint) as day_no,
      1 as is_set_aside
    from {{ ref('int_saying') }} as line
    join {{ ref('int_impressions') }} as shown on shown.impression_id = line.impression_id and shown.fate = 'conflict'
    cross join {{ ref('rules') }} as rules
    where line.says_who = 1
  ) as seen
) as turns
where turn = 1
