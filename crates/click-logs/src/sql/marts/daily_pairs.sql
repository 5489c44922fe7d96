-- Outcomes by day and pair, as `click-logs decide` reads them: units on the day on which they closed, impressions on the day on which they
-- were shown. A unit's difference in clicks counts up to five; `cut` is what exceeds that.
with
sides as (
  select
    counted.version,
    counted.closing_day_no as day_no,
    counted.first,
    counted.second,
    counted.outcome,
    counted.impressions,
    counted.first_clicks as first_all,
    counted.second_clicks as second_all,
    case when counted.first_clicks > counted.second_clicks + 5 then counted.second_clicks + 5 else counted.first_clicks end as first_clicks,
    case when counted.second_clicks > counted.first_clicks + 5 then counted.first_clicks + 5 else counted.second_clicks end as second_clicks,
    counted.first_clicked as first_all_clicked,
    counted.second_clicked as second_all_clicked,
    case when counted.first_clicked > counted.second_clicked + 5 then counted.second_clicked + 5 else counted.first_clicked end as first_clicked,
    case when counted.second_clicked > counted.first_clicked + 5 then counted.first_clicked + 5 else counted.second_clicked end as second_clicked
  from {{ ref('unit_outcomes') }} as counted
  where counted.fate = 'counted'
),
counts as (
  select
    version,
    day_no,
    first,
    second,
    case when outcome > 0 then 1 else 0 end as unit_wins,
    case when outcome < 0 then 1 else 0 end as unit_losses,
    case when outcome = 0 then 1 else 0 end as unit_ties,
    0 as impression_wins,
    0 as impression_losses,
    0 as impression_ties,
    1 as amount_units,
    impressions as amount_impressions,
    impressions * impressions as amount_impression_squares,
    first_clicks,
    second_clicks,
    first_all - first_clicks + second_all - second_clicks as cut_clicks,
    (first_clicks - second_clicks) * (first_clicks - second_clicks) as click_squares,
    (first_clicks - second_clicks) * impressions as click_products,
    first_clicked,
    second_clicked,
    first_all_clicked - first_clicked + second_all_clicked - second_clicked as cut_clicked,
    (first_clicked - second_clicked) * (first_clicked - second_clicked) as clicked_squares,
    (first_clicked - second_clicked) * impressions as clicked_products
  from sides
  union all
  select
    version,
    day_no,
    first,
    second,
    0,
    0,
    0,
    case when net > 0 then 1 else 0 end,
    case when net < 0 then 1 else 0 end,
    case when net = 0 then 1 else 0 end,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0
  from {{ ref('credited_impressions') }}
  where fate = 'credited'
)
select
  counts.version, --[version]
  <<date counts.day_no>> as day,
  counts.first,
  counts.second,
  cast(sum(counts.unit_wins) as bigint) as unit_wins,
  cast(sum(counts.unit_losses) as bigint) as unit_losses,
  cast(sum(counts.unit_ties) as bigint) as unit_ties,
  cast(sum(counts.impression_wins) as bigint) as impression_wins,
  cast(sum(counts.impression_losses) as bigint) as impression_losses,
  cast(sum(counts.impression_ties) as bigint) as impression_ties,
  cast(sum(counts.amount_units) as bigint) as amount_units,
  cast(sum(counts.amount_impressions) as bigint) as amount_impressions,
  cast(sum(counts.amount_impression_squares) as bigint) as amount_impression_squares,
  cast(sum(counts.first_clicks) as bigint) as first_clicks,
  cast(sum(counts.second_clicks) as bigint) as second_clicks,
  cast(sum(counts.cut_clicks) as bigint) as cut_clicks,
  cast(sum(counts.click_squares) as bigint) as click_squares,
  cast(sum(counts.click_products) as bigint) as click_products,
  cast(sum(counts.first_clicked) as bigint) as first_clicked,
  cast(sum(counts.second_clicked) as bigint) as second_clicked,
  cast(sum(counts.cut_clicked) as bigint) as cut_clicked,
  cast(sum(counts.clicked_squares) as bigint) as clicked_squares,
  cast(sum(counts.clicked_products) as bigint) as clicked_products
from counts
group by counts.version, counts.day_no, counts.first, counts.second
