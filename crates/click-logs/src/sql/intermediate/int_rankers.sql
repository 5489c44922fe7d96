-- The rankers of each version of the experiment, in the order of results.
select
  met.version,
  met.ranker,
  row_number() over (partition by met.version order by coalesce(named.seat, 1000000), <<bytes met.ranker>>) as seat
from (
  select version, ranker from {{ ref('int_lineups') }}
  union distinct --[bigquery]
  union --[!bigquery]
  select lines.version, named.ranker
  from (select distinct version from {{ ref('int_lines') }} where is_malformed = 0 and says_who = 1) as lines
  cross join {{ ref('stated_rankers') }} as named
) as met
left join {{ ref('stated_rankers') }} as named on named.ranker = met.ranker
