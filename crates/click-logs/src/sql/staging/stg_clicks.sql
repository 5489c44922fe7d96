-- One row per line of clicks: leave other events out here.
select
  cast(impression_id as <<text>>) as impression_id,
  cast(document as <<text>>) as document,
  <<epoch clicked_at>> as clicked_ms,
  case when rules.dwell_ms is null or floor(dwell * 1000) >= rules.dwell_ms then 1 else 0 end as is_satisfied --[dwell]
  1 as is_satisfied --[!dwell]
from <<source clicks>>
cross join {{ ref('rules') }} as rules --[dwell]
