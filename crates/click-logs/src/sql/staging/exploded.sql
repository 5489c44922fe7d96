-- One row per entry of `<<list>>`.
select
  line.impression_id,
  line.line_no,
  <<place>> as place,
  <<item>> as item
from {{ ref('stg_impressions') }} as line<<explode>>
