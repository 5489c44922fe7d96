-- One row per place of each line: which document was shown there, and the ranker that owns it.
select
  shown.impression_id,
  shown.line_no,
  shown.place,
  shown.item as document,
  case --[pages]
    when pinned.item is not null then null --[pinned]
    when line.has_mixed = 1 then owner.item --[mixed]
    else team.item --[pages]
  end as team --[pages]
  team.item as team --[!pages]
from {{ ref('stg_shown') }} as shown
left join {{ ref('stg_teams') }} as team
  on team.impression_id = shown.impression_id and team.line_no = shown.line_no and team.place = shown.place
join {{ ref('stg_impressions') }} as line --[mixed]
  on line.impression_id = shown.impression_id and line.line_no = shown.line_no --[mixed]
-- What was drawn, where the page displayed something else. --[mixed]
left join {{ ref('stg_mixed') }} as drawn --[mixed]
  on drawn.impression_id = shown.impression_id and drawn.line_no = shown.line_no and drawn.item = shown.item --[mixed]
left join {{ ref('stg_teams') }} as owner --[mixed]
  on owner.impression_id = drawn.impression_id and owner.line_no = drawn.line_no and owner.place = drawn.place --[mixed]
-- What others placed on the page. --[pinned]
left join (select distinct impression_id, line_no, item from {{ ref('stg_pinned') }}) as pinned --[pinned]
  on pinned.impression_id = shown.impression_id and pinned.line_no = shown.line_no and pinned.item = shown.item --[pinned]
