-- One row per impression. Its lines are one impression, shown at the time of the first, if they say the same apart from their times.
with
same_places as (
  select line.impression_id, line.line_no, count(*) as places
  from {{ ref('int_saying') }} as line
  join {{ ref('stg_places') }} as one
    on one.impression_id = line.impression_id and one.line_no = line.line_no
  join {{ ref('stg_places') }} as other
    on other.impression_id = line.impression_id and other.line_no = line.first_line and other.place = one.place
  where line.line_no > line.first_line
    and one.document = other.document
    and (line.says_who = 0 or coalesce(one.team, '') = coalesce(other.team, ''))
  group by line.impression_id, line.line_no
),
same_seats as (
  select line.impression_id, line.line_no, count(*) as seats
  from {{ ref('int_saying') }} as line
  join {{ ref('int_lineups') }} as one
    on one.impression_id = line.impression_id and one.line_no = line.line_no
  join {{ ref('int_lineups') }} as other
    on other.impression_id = line.impression_id and other.line_no = line.first_line and other.seat = one.seat
  where line.line_no > line.first_line and one.ranker = other.ranker
  group by line.impression_id, line.line_no
),
conflicts as (
  select distinct line.impression_id
  from {{ ref('int_saying') }} as line
  join {{ ref('int_saying') }} as held
    on held.impression_id = line.impression_id and held.line_no = line.first_line
  left join same_places on same_places.impression_id = line.impression_id and same_places.line_no = line.line_no
  left join same_seats on same_seats.impression_id = line.impression_id and same_seats.line_no = line.line_no
  where line.line_no > line.first_line
    and (
      coalesce(line.unit, '') <> coalesce(held.unit, '')
      or line.is_bot <> held.is_bot
      or line.is_mixed <> held.is_mixed
      or line.documents <> held.documents
      or coalesce(same_places.places, 0) <> line.documents
      or (
        line.says_who = 1
        and (
          line.version <> held.version
          or coalesce(line.declared, -1) <> coalesce(held.declared, -1)
          or line.alone <> held.alone
          or line.rankers <> held.rankers
          or coalesce(same_seats.seats, 0) <> line.rankers
        )
      )
    )
)
select
  line.impression_id,
  line.line_no,
  line.copies,
  line.shown_ms,
  cast((line.shown_ms + rules.zone_ms - mod(line.shown_ms + rules.zone_ms, 86400000)) / 86400000 as bigint) as day_no,
  line.unit,
  line.is_bot,
  line.version,
  line.rankers,
  line.alone,
  case
    when conflicts.impression_id is not null then 'conflict'
    when line.is_mixed = 0 then 'not-mixed'
    when line.unit is null then 'no-unit'
    when line.shown_ms + rules.window_ms > log_end.until_ms then 'open'
    else 'credited'
  end as fate
from {{ ref('int_saying') }} as line
left join conflicts on conflicts.impression_id = line.impression_id
cross join {{ ref('rules') }} as rules
cross join {{ ref('int_log_end') }} as log_end
where line.line_no = line.first_line
