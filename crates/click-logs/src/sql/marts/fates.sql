-- What became of every line: of what, its fate, how many lines.
with
impressions as (
  select impression_id, max(fate) as fate
  from {{ ref('credited_impressions') }}
  where stands = 1
  group by impression_id
),
clicked as (
  select click.clicks, shown.fate
  from {{ ref('int_clicks') }} as click
  join impressions as shown on shown.impression_id = click.impression_id
  where click.fate = 'clicked'
),
found as (
  select 'impression' as what, 'malformed' as fate, count(*) as lines
  from {{ ref('int_lines') }}
  where is_malformed = 1
  union all
  select 'impression', 'duplicate', coalesce(sum(copies - 1), 0)
  from {{ ref('int_impressions') }}
  where fate <> 'conflict'
  union all
  select 'impression', 'conflict', coalesce(sum(copies), 0)
  from {{ ref('int_impressions') }}
  where fate = 'conflict'
  union all
  select 'impression', fate, count(*)
  from impressions
  where fate <> 'conflict'
  group by fate
  union all
  select 'impression', 'after-closing', count(*)
  from {{ ref('credited_impressions') }}
  where fate = 'credited' and stands = 1 and in_unit = 0
  union all
  select 'click', fate, sum(clicks)
  from {{ ref('int_clicks') }}
  where fate <> 'clicked'
  group by fate
  union all
  select 'click', 'repeated', coalesce(sum(clicks - 1), 0)
  from clicked
  union all
  select 'click', case when fate = 'one-team' then 'of-set-aside' else fate end, count(*)
  from clicked
  group by fate
  union all
  select 'unit', fate, count(*)
  from {{ ref('unit_outcomes') }}
  group by fate
),
known as (<<fates>>
)
select known.what, known.fate, cast(coalesce(sum(found.lines), 0) as bigint) as lines
from known
left join found on found.what = known.what and found.fate = known.fate
group by known.what, known.fate
