-- What each impression that is closed says of each pair of its rankers: more places clicked win. `net` is 1 if the first won, -1 if the
-- second did. `stands` is 1 for one pair of each impression, which stands for the impression.
with
sides as (
  select impression_id, team, count(*) as clicks
  from {{ ref('int_clicks') }}
  where fate = 'clicked' and team is not null
  group by impression_id, team
),
pairs as (
  select
    shown.impression_id,
    one.ranker as one,
    other.ranker as other,
    one_ranker.seat as one_seat,
    other_ranker.seat as other_seat,
    case when one.seat = 1 and other.seat = 2 then 1 else 0 end as stands
  from {{ ref('int_impressions') }} as shown
  join {{ ref('int_lineups') }} as one
    on one.impression_id = shown.impression_id and one.line_no = shown.line_no
  join {{ ref('int_lineups') }} as other
    on other.impression_id = shown.impression_id and other.line_no = shown.line_no and other.seat > one.seat
  join {{ ref('int_rankers') }} as one_ranker
    on one_ranker.version = shown.version and one_ranker.ranker = one.ranker
  join {{ ref('int_rankers') }} as other_ranker
    on other_ranker.version = shown.version and other_ranker.ranker = other.ranker
  where shown.fate = 'credited'
  union all
  -- A short list of one team does not name the other ranker. Of two there is only one other, unless outcomes chose who was shown.
  select shown.impression_id, one_ranker.ranker, other_ranker.ranker, one_ranker.seat, other_ranker.seat, 1
  from {{ ref('int_impressions') }} as shown
  join {{ ref('int_versions') }} as version
    on version.version = shown.version and version.rankers = 2 and version.choice < 2
  join {{ ref('int_rankers') }} as one_ranker on one_ranker.version = shown.version and one_ranker.seat = 1
  join {{ ref('int_rankers') }} as other_ranker on other_ranker.version = shown.version and other_ranker.seat = 2
  where shown.fate = 'credited' and shown.rankers < 2 and shown.alone < 2
)
select
  shown.version,
  shown.unit,
  shown.impression_id,
  shown.shown_ms,
  shown.day_no,
  case when pairs.one_seat < pairs.other_seat then pairs.one else pairs.other end as first_ranker,
  case when pairs.one_seat < pairs.other_seat then pairs.other else pairs.one end as second_ranker,
  case when pairs.one_seat < pairs.other_seat then coalesce(one_side.clicks, 0) else coalesce(other_side.clicks, 0) end as first_clicks,
  case when pairs.one_seat < pairs.other_seat then coalesce(other_side.clicks, 0) else coalesce(one_side.clicks, 0) end as second_clicks,
  cast(
    case when pairs.one_seat < pairs.other_seat then 1 else -1 end
      * sign(coalesce(one_side.clicks, 0) - coalesce(other_side.clicks, 0))
    as bigint
  ) as net,
  pairs.stands
from pairs
join {{ ref('int_impressions') }} as shown on shown.impression_id = pairs.impression_id
left join sides as one_side on one_side.impression_id = pairs.impression_id and one_side.team = pairs.one
left join sides as other_side on other_side.impression_id = pairs.impression_id and other_side.team = pairs.other
