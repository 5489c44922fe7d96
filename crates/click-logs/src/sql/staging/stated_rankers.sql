-- The rankers in the order of results, if they were named; the others follow by name.
select seat, ranker
from (
  select 0 as seat, 'none' as ranker<<stated>>
) as named
where seat > 0
