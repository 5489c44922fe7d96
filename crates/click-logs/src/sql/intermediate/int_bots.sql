-- The first day on which a unit broke a rule for bots: it is one from that day on. Clicks outside the window make no bot.
with
busy as (
  select
    shown.unit,
    shown.day_no,
    shown.impression_id,
    shown.is_bot,
    coalesce(sum(case when click.fate in ('clicked', 'unsatisfied', 'not-shown') then click.clicks else 0 end), 0) as clicks
  from {{ ref('int_impressions') }} as shown
  left join {{ ref('int_clicks') }} as click on click.impression_id = shown.impression_id
  where shown.fate = 'credited'
  group by shown.unit, shown.day_no, shown.impression_id, shown.is_bot
),
days as (
  select
    unit,
    day_no,
    max(is_bot) as is_bot,
    count(*) as impressions,
    sum(clicks) as clicks,
    max(clicks) as most_clicks
  from busy
  group by unit, day_no
)
select days.unit, min(days.day_no) as bot_from
from days
cross join {{ ref('rules') }} as rules
where days.is_bot = 1
  or days.impressions > rules.max_impressions_per_day
  or days.clicks > rules.max_clicks_per_day
  or days.most_clicks > rules.max_clicks_per_impression
group by days.unit
