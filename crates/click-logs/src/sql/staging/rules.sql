-- The rules, in one place. Times are in milliseconds; a limit that is null does not apply.
select
  cast(<<window>> as bigint) as window_ms,
  cast(<<skew>> as bigint) as skew_ms,
  cast(<<unit_days>> as bigint) as unit_days,
  -- How far the clocks that days go by are ahead of UTC.
  cast(<<zone>> as bigint) as zone_ms,
  -- The log is complete until then, in milliseconds since 1970; null: until its last impression.
  cast(<<until>> as bigint) as until_ms,
  -- How pairs were chosen: 0 by chance, 1 kept, 2 steered; null: as the log says.
  cast(<<choice>> as bigint) as stated_choice,
  cast(<<max_impressions_per_day>> as bigint) as max_impressions_per_day,
  cast(<<max_clicks_per_day>> as bigint) as max_clicks_per_day,
  cast(<<max_clicks_per_impression>> as bigint) as max_clicks_per_impression,
  -- Clicks after which the user stayed so long count; null: all.
  cast(<<dwell>> as bigint) as dwell_ms
