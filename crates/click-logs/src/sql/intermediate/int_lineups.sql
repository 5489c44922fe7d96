-- The rankers that took part in each line, in their order: those that it names, else those that were stated, else the owners of its documents.
select line.impression_id, line.line_no, line.version, line.declared, ranker.place as seat, ranker.item as ranker --[rankers]
from {{ ref('int_lines') }} as line --[rankers]
join {{ ref('stg_rankers') }} as ranker --[rankers]
  on ranker.impression_id = line.impression_id and ranker.line_no = line.line_no --[rankers]
where line.is_malformed = 0 and line.says_who = 1 --[rankers]
union all --[rankers]
select line.impression_id, line.line_no, line.version, line.declared, named.seat, named.ranker
from {{ ref('int_lines') }} as line
cross join {{ ref('stated_rankers') }} as named
left join ( --[rankers]
  select distinct impression_id, line_no from {{ ref('stg_rankers') }} --[rankers]
) as given on given.impression_id = line.impression_id and given.line_no = line.line_no --[rankers]
where line.is_malformed = 0 and line.says_who = 1
  and given.impression_id is null --[rankers]
union all
select
  owner.impression_id,
  owner.line_no,
  owner.version,
  owner.declared,
  row_number() over (partition by owner.impression_id, owner.line_no order by <<bytes owner.team>>) as seat,
  owner.team as ranker
from (
  select distinct line.impression_id, line.line_no, line.version, line.declared, place.team
  from {{ ref('int_lines') }} as line
  join {{ ref('stg_places') }} as place
    on place.impression_id = line.impression_id and place.line_no = line.line_no and place.team is not null
  cross join (select count(*) as stated from {{ ref('stated_rankers') }}) as known
  left join ( --[rankers]
    select distinct impression_id, line_no from {{ ref('stg_rankers') }} --[rankers]
  ) as given on given.impression_id = line.impression_id and given.line_no = line.line_no --[rankers]
  where line.is_malformed = 0 and line.says_who = 1 and known.stated = 0
    and given.impression_id is null --[rankers]
) as owner
