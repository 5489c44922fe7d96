-- Lines of clicks by impression, fate and, if they are on a place that counts (`clicked`), by that place: each place counts once.
select impression_id, fate, place, team, count(*) as clicks
from (
  select
    click.impression_id,
    case
      when shown.impression_id is null then 'unknown'
      when shown.fate <> 'credited' then 'of-set-aside'
      when click.clicked_ms - shown.shown_ms < -rules.skew_ms then 'early'
      when click.clicked_ms - shown.shown_ms > rules.window_ms then 'late'
      when place.place is null then 'not-shown'
      when click.is_satisfied = 0 then 'unsatisfied'
      else 'clicked'
    end as fate,
    case
      when shown.fate = 'credited' and click.is_satisfied = 1
        and click.clicked_ms - shown.shown_ms between -rules.skew_ms and rules.window_ms then place.place
    end as place,
    case
      when shown.fate = 'credited' and click.is_satisfied = 1
        and click.clicked_ms - shown.shown_ms between -rules.skew_ms and rules.window_ms then place.team
    end as team
  from {{ ref('stg_clicks') }} as click
  left join {{ ref('int_impressions') }} as shown on shown.impression_id = click.impression_id
  left join {{ ref('stg_places') }} as place
    on place.impression_id = shown.impression_id and place.line_no = shown.line_no and place.document = click.document
  cross join {{ ref('rules') }} as rules
) as joined
group by impression_id, fate, place, team
