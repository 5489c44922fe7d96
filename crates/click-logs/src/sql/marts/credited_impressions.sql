-- One row per impression and pair; impressions that say nothing of a pair have one row, with the reason as their fate.
-- `day` is that on which it was shown. `in_unit` is 1 if it counts for the outcome of its unit.
with
closing as (
  select pair.version, pair.unit, pair.first_ranker, pair.second_ranker, min(pair.day_no) + rules.unit_days - 1 as last_day
  from {{ ref('int_pairs') }} as pair
  cross join {{ ref('rules') }} as rules
  group by pair.version, pair.unit, pair.first_ranker, pair.second_ranker, rules.unit_days
),
said as (
  select distinct impression_id from {{ ref('int_pairs') }}
)
select
  pair.version,
  pair.impression_id,
  pair.unit,
  pair.day_no,
  <<date pair.day_no>> as day,
  pair.first_ranker as first,
  pair.second_ranker as second,
  pair.net,
  pair.first_clicks,
  pair.second_clicks,
  pair.stands,
  case when pair.day_no >= bot.bot_from then 'bot' else 'credited' end as fate,
  case when version.choice = 2 then first_seen.day_no else closing.last_day end as closing_day_no,
  case
    when pair.day_no >= bot.bot_from then 0
    when version.choice = 2 and first_seen.impression_id = pair.impression_id then 1
    when version.choice < 2 and pair.day_no <= closing.last_day then 1
    else 0
  end as in_unit
from {{ ref('int_pairs') }} as pair
join {{ ref('int_versions') }} as version on version.version = pair.version
join closing
  on closing.version = pair.version and closing.unit = pair.unit
  and closing.first_ranker = pair.first_ranker and closing.second_ranker = pair.second_ranker
left join {{ ref('int_firsts') }} as first_seen on first_seen.version = pair.version and first_seen.unit = pair.unit
left join {{ ref('int_bots') }} as bot on bot.unit = pair.unit
union all
select
  shown.version,
  shown.impression_id,
  shown.unit,
  shown.day_no,
  <<date shown.day_no>>,
  <<null_text>>,
  <<null_text>>,
  0,
  0,
  0,
  1,
  case when shown.fate = 'credited' then 'one-team' else shown.fate end,
  <<null_number>>,
  0
from {{ ref('int_impressions') }} as shown
left join said on said.impression_id = shown.impression_id
where said.impression_id is null
