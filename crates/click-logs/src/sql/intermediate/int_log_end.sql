-- Until when the log is complete, and the last day on which all impressions are closed: one row.
-- The end is the last impression, unless a few come after a long gap: a device with a wrong clock would close all windows of today.
with
days as (
  select
    cast((shown_ms - mod(shown_ms, 86400000)) / 86400000 as bigint) as day_no,
    min(shown_ms) as first_ms,
    max(shown_ms) as last_ms,
    count(*) as impressions
  from {{ ref('int_lines') }}
  where is_malformed = 0
  group by cast((shown_ms - mod(shown_ms, 86400000)) / 86400000 as bigint)
),
gaps as (
  select
    last_ms,
    lead(first_ms) over (order by day_no) - last_ms as gap_ms,
    sum(impressions) over () as total,
    sum(impressions) over () - sum(impressions) over (order by day_no rows between unbounded preceding and current row) as later
  from days
),
ends as (
  select
    max(gaps.last_ms) as last_ms,
    min(
      case
        when gaps.later * 1000 < gaps.total and gaps.gap_ms > 86400000 and gaps.gap_ms > 2 * rules.window_ms then gaps.last_ms
        when gaps.later * 20 < gaps.total and gaps.gap_ms > 8640000000 then gaps.last_ms
      end
    ) as before_gap_ms
  from gaps
  cross join {{ ref('rules') }} as rules
),
complete as (
  select
    coalesce(rules.until_ms, ends.before_gap_ms, ends.last_ms, 0) as until_ms,
    coalesce(rules.until_ms, ends.before_gap_ms, ends.last_ms, 0) - rules.window_ms + rules.zone_ms as closed_ms
  from ends
  cross join {{ ref('rules') }} as rules
)
select until_ms, cast((closed_ms - mod(closed_ms, 86400000)) / 86400000 as bigint) - 1 as last_day
from complete
