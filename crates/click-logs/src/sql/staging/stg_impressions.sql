-- One row per line of the log, in the forms of the other models: change columns here if yours have other names.
-- `line_no` numbers the lines of an impression, the first one first.
select
  given.*,
  row_number() over (partition by impression_id order by shown_ms) as line_no
from (
  select
    cast(impression_id as <<text>>) as impression_id,
    <<epoch shown_at>> as shown_ms,
    case
      when trim(cast(<<unit>> as <<text>>)) in ('', '-', 'undefined', 'nan', 'NaN', 'NAN', 'None', 'null', 'NULL', '<NA>', 'NA', 'NaT') then null
      when trim(cast(<<unit>> as <<text>>)) = concat(chr(92), 'N') then null
      else cast(<<unit>> as <<text>>)
    end as unit,
    cast(agent as <<text>>) as agent, --[agent]
    case --[pairs]
      when pairs is null or pairs = '' then null --[pairs]
      when pairs = 'chance' then 0 --[pairs]
      when pairs = 'kept' then 1 --[pairs]
      when pairs = 'steered' then 2 --[pairs]
      else -1 --[pairs]
    end as declared, --[pairs]
    cast(null as bigint) as declared, --[!pairs]
    coalesce(cast(version as <<text>>), '') as version, --[version]
    cast('' as <<text>>) as version, --[!version]
    documents,
    teams,
    rankers, --[rankers]
    mixed, --[mixed]
    case when <<present mixed>> then 1 else 0 end as has_mixed, --[mixed]
    pinned, --[pinned]
    case when <<present teams>> then 1 else 0 end as is_mixed
  from <<source impressions>>
) as given
