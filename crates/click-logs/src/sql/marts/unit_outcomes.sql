-- One row per unit and pair: `net` is wins minus losses over the days of the unit, which closes on `day`, and `outcome` its sign.
with
-- The sums of units, where no outcome chose the pairs.
sums as (
  select
    credited.version,
    credited.unit,
    credited.first,
    credited.second,
    max(credited.closing_day_no) as closing_day_no,
    sum(case when credited.in_unit = 1 then credited.net else 0 end) as net,
    sum(credited.in_unit) as impressions,
    sum(case when credited.in_unit = 1 then credited.first_clicks else 0 end) as first_clicks,
    sum(case when credited.in_unit = 1 then credited.second_clicks else 0 end) as second_clicks,
    sum(case when credited.in_unit = 1 and credited.first_clicks > 0 then 1 else 0 end) as first_clicked,
    sum(case when credited.in_unit = 1 and credited.second_clicks > 0 then 1 else 0 end) as second_clicked,
    0 as is_set_aside
  from {{ ref('credited_impressions') }} as credited
  join {{ ref('int_versions') }} as version on version.version = credited.version and version.choice < 2
  where credited.first is not null
  group by credited.version, credited.unit, credited.first, credited.second
  union all
  -- The very first impression of each unit, where outcomes did.
  select
    seen.version,
    seen.unit,
    credited.first,
    credited.second,
    seen.day_no,
    coalesce(credited.net, 0),
    1,
    coalesce(credited.first_clicks, 0),
    coalesce(credited.second_clicks, 0),
    case when credited.first_clicks > 0 then 1 else 0 end,
    case when credited.second_clicks > 0 then 1 else 0 end,
    case when seen.is_set_aside = 1 or credited.first is null then 1 else 0 end
  from {{ ref('int_firsts') }} as seen
  join {{ ref('int_versions') }} as version on version.version = seen.version and version.choice = 2
  left join {{ ref('credited_impressions') }} as credited
    on credited.impression_id = seen.impression_id and credited.first is not null
)
select
  sums.version,
  sums.unit,
  sums.first,
  sums.second,
  sums.closing_day_no,
  <<date sums.closing_day_no>> as day,
  sums.net,
  cast(sign(sums.net) as bigint) as outcome,
  sums.impressions,
  sums.first_clicks,
  sums.second_clicks,
  sums.first_clicked,
  sums.second_clicked,
  case
    when bot.bot_from <= sums.closing_day_no then 'bot'
    when sums.closing_day_no > log_end.last_day then 'open'
    when sums.is_set_aside = 1 then 'spent'
    else 'counted'
  end as fate
from sums
left join {{ ref('int_bots') }} as bot on bot.unit = sums.unit
cross join {{ ref('int_log_end') }} as log_end
