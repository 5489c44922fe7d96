-- How the rankers of each version were chosen (0 by chance, 1 kept, 2 steered), and how many there are.
with
said as (
  select
    version,
    max(declared) as declared,
    min(case when declared is null then rankers end) as fewest,
    max(case when declared is null then alone else 0 end) as alone
  from {{ ref('int_lines') }}
  where is_malformed = 0 and says_who = 1
  group by version
),
undeclared as (
  select version, count(distinct ranker) as rankers
  from {{ ref('int_lineups') }}
  where declared is null
  group by version
),
met as (
  select version, count(*) as rankers
  from {{ ref('int_rankers') }}
  group by version
),
-- What follows from the rankers that met in lines that do not say it: chance, if always the same did.
inferred as (
  select
    said.version,
    said.declared,
    case
      when said.alone > 0 then 2
      when coalesce(undeclared.rankers, 0) <= 2 or said.fewest = undeclared.rankers then 0
      else 2
    end as choice
  from said
  left join undeclared on undeclared.version = said.version
)
select
  inferred.version,
  coalesce(met.rankers, 0) as rankers,
  case
    when rules.stated_choice is not null then rules.stated_choice
    when inferred.declared > inferred.choice then inferred.declared
    else inferred.choice
  end as choice
from inferred
left join met on met.version = inferred.version
cross join {{ ref('rules') }} as rules
