-- One row per line of impressions: how long its lists are, and whether it can be read.
with
shown as (
  select
    impression_id,
    line_no,
    count(*) as documents,
    count(distinct document) as different_documents,
    sum(case when document is null or trim(document) = '' then 1 else 0 end) as blank_documents,
    count(team) as owned,
    count(distinct team) as owners
  from {{ ref('stg_places') }}
  group by impression_id, line_no
),
teams as (
  select impression_id, line_no, count(*) as teams
  from {{ ref('stg_teams') }}
  group by impression_id, line_no
),
mixed as ( --[mixed]
  select impression_id, line_no, count(*) as documents, count(distinct item) as different_documents --[mixed]
  from {{ ref('stg_mixed') }} --[mixed]
  group by impression_id, line_no --[mixed]
), --[mixed]
rankers as ( --[rankers]
  select impression_id, line_no, count(*) as rankers, count(distinct item) as different_rankers --[rankers]
  from {{ ref('stg_rankers') }} --[rankers]
  group by impression_id, line_no --[rankers]
), --[rankers]
strange as (
  select distinct team.impression_id, team.line_no
  from {{ ref('stg_teams') }} as team
  left join rankers on rankers.impression_id = team.impression_id and rankers.line_no = team.line_no --[rankers]
  left join {{ ref('stg_rankers') }} as ranker --[rankers]
    on ranker.impression_id = team.impression_id and ranker.line_no = team.line_no and ranker.item = team.item --[rankers]
  cross join (select count(*) as stated from {{ ref('stated_rankers') }}) as known
  left join {{ ref('stated_rankers') }} as named on named.ranker = team.item
  where team.item is not null
    and ( --[rankers]
      (coalesce(rankers.rankers, 0) > 0 and ranker.item is null) --[rankers]
      or (coalesce(rankers.rankers, 0) = 0 and known.stated > 0 and named.ranker is null) --[rankers]
    ) --[rankers]
    and known.stated > 0 and named.ranker is null --[!rankers]
)
select
  line.impression_id,
  line.line_no,
  line.shown_ms,
  line.unit,
  case when line.unit is not null and (<<is_bot>>) then 1 else 0 end as is_bot,
  line.declared,
  line.version,
  line.is_mixed,
  -- Who took part is of interest only where a list was mixed, and a unit saw it.
  case when line.is_mixed = 1 and line.unit is not null then 1 else 0 end as says_who,
  coalesce(shown.documents, 0) as documents,
  case
    when coalesce(rankers.rankers, 0) > 0 then rankers.rankers --[rankers]
    when known.stated > 0 then known.stated
    else coalesce(shown.owners, 0)
  end as rankers,
  -- Whether the list may be of one ranker alone: 0 no, 1 perhaps, 2 yes.
  case
    when rankers.rankers = 1 then 2 --[rankers]
    when rankers.rankers > 1 then 0 --[rankers]
    when shown.owned > 1 and shown.owners = 1 then 1
    else 0
  end as alone,
  case
    when line.impression_id is null or line.impression_id = '' then 1
    when line.shown_ms is null or line.shown_ms < 946684800000 or line.shown_ms >= 4102444800000 then 1
    when shown.different_documents < shown.documents or shown.blank_documents > 0 then 1
    when line.is_mixed = 1 and line.has_mixed = 0 and coalesce(teams.teams, 0) <> coalesce(shown.documents, 0) then 1 --[mixed]
    when line.is_mixed = 1 and line.has_mixed = 1 and coalesce(teams.teams, 0) <> coalesce(mixed.documents, 0) then 1 --[mixed]
    when line.is_mixed = 1 and coalesce(teams.teams, 0) <> coalesce(shown.documents, 0) then 1 --[!mixed]
    when mixed.different_documents < mixed.documents then 1 --[mixed]
    when rankers.different_rankers < rankers.rankers then 1 --[rankers]
    when line.is_mixed = 1 and strange.impression_id is not null then 1
    when line.declared = -1 then 1
    else 0
  end as is_malformed
from {{ ref('stg_impressions') }} as line
left join shown on shown.impression_id = line.impression_id and shown.line_no = line.line_no
left join teams on teams.impression_id = line.impression_id and teams.line_no = line.line_no
left join mixed on mixed.impression_id = line.impression_id and mixed.line_no = line.line_no --[mixed]
left join rankers on rankers.impression_id = line.impression_id and rankers.line_no = line.line_no --[rankers]
left join strange on strange.impression_id = line.impression_id and strange.line_no = line.line_no
cross join (select count(*) as stated from {{ ref('stated_rankers') }}) as known
