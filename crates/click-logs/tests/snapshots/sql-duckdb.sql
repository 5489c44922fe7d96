-- What `click-logs credit` counts of logs of team draft, as SQL for DuckDB, written by click-logs 0.1.0.
--
-- The same numbers, from files with the same lines and columns:
--   click-logs credit --impressions impressions.jsonl --clicks clicks.jsonl --unit user --unit-days 1 --window 30m --skew 5s --timezone UTC
-- with --malformed set-aside: a line that `credit` cannot read is `malformed` here. Run both on a sample of your log before you rely on this.
--
-- Input, impressions: one row per line of the log, doubles included.
--   impression_id  text; what clicks name it by
--   shown_at       timestamptz, or timestamp in UTC; when it was shown
--   user_id        text; null if unknown
--   documents      varchar[]; what the page displayed, top down, each document once
--   teams          varchar[]; the ranker that owns each document (null where none does); no list if it was not mixed
-- Input, clicks: one row per click, and no other event.
--   impression_id  text
--   document       text; as in documents
--   clicked_at     timestamptz, or timestamp in UTC
-- If yours have other names, change them in stg_impressions and stg_clicks; no other model reads the inputs.
--
-- Output, in the schema click_credit, every table of which is written again as a whole:
--   credited_impressions  per impression and pair of rankers: who won (net 1, -1 or 0), its fate, whether it counts for its unit
--   unit_outcomes         per unit and pair: the day on which it closes, wins minus losses, its fate
--   daily_pairs           the table of outcomes: `click-logs decide` reads it as CSV, JSON Lines or Parquet
--   fates                 what became of every line
--
-- Not here: receipts, and so every method but team draft; named time zones; logs that grow file by file; checks of coins, ids and pages,
-- which `credit` makes before a verdict. `decide` cannot make them of this table either, and says who won without them.
-- Where pairs are steered, and two impressions of a unit are of the same millisecond, the one with the smaller id is the first; `credit`
-- chooses by a hash of ids.

create schema if not exists click_credit;

-- The rules, in one place. Times are in milliseconds; a limit that is null does not apply.
drop table if exists click_credit.rules;
create table click_credit.rules as
select
  cast(1800000 as bigint) as window_ms,
  cast(5000 as bigint) as skew_ms,
  cast(1 as bigint) as unit_days,
  -- How far the clocks that days go by are ahead of UTC.
  cast(0 as bigint) as zone_ms,
  -- The log is complete until then, in milliseconds since 1970; null: until its last impression.
  cast(null as bigint) as until_ms,
  -- How pairs were chosen: 0 by chance, 1 kept, 2 steered; null: as the log says.
  cast(null as bigint) as stated_choice,
  cast(null as bigint) as max_impressions_per_day,
  cast(null as bigint) as max_clicks_per_day,
  cast(null as bigint) as max_clicks_per_impression,
  -- Clicks after which the user stayed so long count; null: all.
  cast(null as bigint) as dwell_ms;

-- The rankers in the order of results, if they were named; the others follow by name.
drop table if exists click_credit.stated_rankers;
create table click_credit.stated_rankers as
select seat, ranker
from (
  select 0 as seat, 'none' as ranker
) as named
where seat > 0;

-- One row per line of the log, in the forms of the other models: change columns here if yours have other names.
-- `line_no` numbers the lines of an impression, the first one first.
drop table if exists click_credit.stg_impressions;
create table click_credit.stg_impressions as
select
  given.*,
  row_number() over (partition by impression_id order by shown_ms) as line_no
from (
  select
    cast(impression_id as varchar) as impression_id,
    epoch_ms(shown_at) as shown_ms,
    case
      when trim(cast(user_id as varchar)) in ('', '-', 'undefined', 'nan', 'NaN', 'NAN', 'None', 'null', 'NULL', '<NA>', 'NA', 'NaT') then null
      when trim(cast(user_id as varchar)) = concat(chr(92), 'N') then null
      else cast(user_id as varchar)
    end as unit,
    cast(null as bigint) as declared,
    cast('' as varchar) as version,
    documents,
    teams,
    case when teams is not null then 1 else 0 end as is_mixed
  from impressions
) as given;

-- One row per entry of `documents`.
drop table if exists click_credit.stg_shown;
create table click_credit.stg_shown as
select
  line.impression_id,
  line.line_no,
  entry.place as place,
  nullif(cast(entry.item as varchar), '') as item
from click_credit.stg_impressions as line
cross join lateral (
  select unnest(line.documents) as item, generate_subscripts(line.documents, 1) as place
) as entry;

-- One row per entry of `teams`.
drop table if exists click_credit.stg_teams;
create table click_credit.stg_teams as
select
  line.impression_id,
  line.line_no,
  entry.place as place,
  nullif(cast(entry.item as varchar), '') as item
from click_credit.stg_impressions as line
cross join lateral (
  select unnest(line.teams) as item, generate_subscripts(line.teams, 1) as place
) as entry;

-- One row per place of each line: which document was shown there, and the ranker that owns it.
drop table if exists click_credit.stg_places;
create table click_credit.stg_places as
select
  shown.impression_id,
  shown.line_no,
  shown.place,
  shown.item as document,
  team.item as team
from click_credit.stg_shown as shown
left join click_credit.stg_teams as team
  on team.impression_id = shown.impression_id and team.line_no = shown.line_no and team.place = shown.place;

-- One row per line of clicks: leave other events out here.
drop table if exists click_credit.stg_clicks;
create table click_credit.stg_clicks as
select
  cast(impression_id as varchar) as impression_id,
  cast(document as varchar) as document,
  epoch_ms(clicked_at) as clicked_ms,
  1 as is_satisfied
from clicks;

-- One row per line of impressions: how long its lists are, and whether it can be read.
drop table if exists click_credit.int_lines;
create table click_credit.int_lines as
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
  from click_credit.stg_places
  group by impression_id, line_no
),
teams as (
  select impression_id, line_no, count(*) as teams
  from click_credit.stg_teams
  group by impression_id, line_no
),
strange as (
  select distinct team.impression_id, team.line_no
  from click_credit.stg_teams as team
  cross join (select count(*) as stated from click_credit.stated_rankers) as known
  left join click_credit.stated_rankers as named on named.ranker = team.item
  where team.item is not null
    and known.stated > 0 and named.ranker is null
)
select
  line.impression_id,
  line.line_no,
  line.shown_ms,
  line.unit,
  case when line.unit is not null and (1 = 0) then 1 else 0 end as is_bot,
  line.declared,
  line.version,
  line.is_mixed,
  -- Who took part is of interest only where a list was mixed, and a unit saw it.
  case when line.is_mixed = 1 and line.unit is not null then 1 else 0 end as says_who,
  coalesce(shown.documents, 0) as documents,
  case
    when known.stated > 0 then known.stated
    else coalesce(shown.owners, 0)
  end as rankers,
  -- Whether the list may be of one ranker alone: 0 no, 1 perhaps, 2 yes.
  case
    when shown.owned > 1 and shown.owners = 1 then 1
    else 0
  end as alone,
  case
    when line.impression_id is null or line.impression_id = '' then 1
    when line.shown_ms is null or line.shown_ms < 946684800000 or line.shown_ms >= 4102444800000 then 1
    when shown.different_documents < shown.documents or shown.blank_documents > 0 then 1
    when line.is_mixed = 1 and coalesce(teams.teams, 0) <> coalesce(shown.documents, 0) then 1
    when line.is_mixed = 1 and strange.impression_id is not null then 1
    when line.declared = -1 then 1
    else 0
  end as is_malformed
from click_credit.stg_impressions as line
left join shown on shown.impression_id = line.impression_id and shown.line_no = line.line_no
left join teams on teams.impression_id = line.impression_id and teams.line_no = line.line_no
left join strange on strange.impression_id = line.impression_id and strange.line_no = line.line_no
cross join (select count(*) as stated from click_credit.stated_rankers) as known;

-- The rankers that took part in each line, in their order: those that it names, else those that were stated, else the owners of its documents.
drop table if exists click_credit.int_lineups;
create table click_credit.int_lineups as
select line.impression_id, line.line_no, line.version, line.declared, named.seat, named.ranker
from click_credit.int_lines as line
cross join click_credit.stated_rankers as named
where line.is_malformed = 0 and line.says_who = 1
union all
select
  owner.impression_id,
  owner.line_no,
  owner.version,
  owner.declared,
  row_number() over (partition by owner.impression_id, owner.line_no order by owner.team) as seat,
  owner.team as ranker
from (
  select distinct line.impression_id, line.line_no, line.version, line.declared, place.team
  from click_credit.int_lines as line
  join click_credit.stg_places as place
    on place.impression_id = line.impression_id and place.line_no = line.line_no and place.team is not null
  cross join (select count(*) as stated from click_credit.stated_rankers) as known
  where line.is_malformed = 0 and line.says_who = 1 and known.stated = 0
) as owner;

-- The rankers of each version of the experiment, in the order of results.
drop table if exists click_credit.int_rankers;
create table click_credit.int_rankers as
select
  met.version,
  met.ranker,
  row_number() over (partition by met.version order by coalesce(named.seat, 1000000), met.ranker) as seat
from (
  select version, ranker from click_credit.int_lineups
  union
  select lines.version, named.ranker
  from (select distinct version from click_credit.int_lines where is_malformed = 0 and says_who = 1) as lines
  cross join click_credit.stated_rankers as named
) as met
left join click_credit.stated_rankers as named on named.ranker = met.ranker;

-- How the rankers of each version were chosen (0 by chance, 1 kept, 2 steered), and how many there are.
drop table if exists click_credit.int_versions;
create table click_credit.int_versions as
with
said as (
  select
    version,
    max(declared) as declared,
    min(case when declared is null then rankers end) as fewest,
    max(case when declared is null then alone else 0 end) as alone
  from click_credit.int_lines
  where is_malformed = 0 and says_who = 1
  group by version
),
undeclared as (
  select version, count(distinct ranker) as rankers
  from click_credit.int_lineups
  where declared is null
  group by version
),
met as (
  select version, count(*) as rankers
  from click_credit.int_rankers
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
cross join click_credit.rules as rules;

-- Until when the log is complete, and the last day on which all impressions are closed: one row.
-- The end is the last impression, unless a few come after a long gap: a device with a wrong clock would close all windows of today.
drop table if exists click_credit.int_log_end;
create table click_credit.int_log_end as
with
days as (
  select
    cast((shown_ms - mod(shown_ms, 86400000)) / 86400000 as bigint) as day_no,
    min(shown_ms) as first_ms,
    max(shown_ms) as last_ms,
    count(*) as impressions
  from click_credit.int_lines
  where is_malformed = 0
  group by cast((shown_ms - mod(shown_ms, 86400000)) / 86400000 as bigint)
),
gaps as (
  select
    last_ms,
    lead(first_ms) over (order by day_no) - last_ms as gap_ms,
    sum(impressions) over () as total,
    sum(impressions) over () - sum(impressions) over (order by day_no rows between unbounded preceding and current row) as later
  from days
),
ends as (
  select
    max(gaps.last_ms) as last_ms,
    min(
      case
        when gaps.later * 1000 < gaps.total and gaps.gap_ms > 86400000 and gaps.gap_ms > 2 * rules.window_ms then gaps.last_ms
        when gaps.later * 20 < gaps.total and gaps.gap_ms > 8640000000 then gaps.last_ms
      end
    ) as before_gap_ms
  from gaps
  cross join click_credit.rules as rules
),
complete as (
  select
    coalesce(rules.until_ms, ends.before_gap_ms, ends.last_ms, 0) as until_ms,
    coalesce(rules.until_ms, ends.before_gap_ms, ends.last_ms, 0) - rules.window_ms + rules.zone_ms as closed_ms
  from ends
  cross join click_credit.rules as rules
)
select until_ms, cast((closed_ms - mod(closed_ms, 86400000)) / 86400000 as bigint) - 1 as last_day
from complete;

-- The lines that say what an impression is: those with documents, if it has any. `first_line` is the one that was shown first.
drop table if exists click_credit.int_saying;
create table click_credit.int_saying as
select
  line.*,
  min(line.line_no) over (partition by line.impression_id) as first_line
from (
  select
    given.*,
    max(case when given.documents > 0 then 1 else 0 end) over (partition by given.impression_id) as has_documents,
    count(*) over (partition by given.impression_id) as copies
  from click_credit.int_lines as given
  where given.is_malformed = 0
) as line
where line.documents > 0 or line.has_documents = 0;

-- One row per impression. Its lines are one impression, shown at the time of the first, if they say the same apart from their times.
drop table if exists click_credit.int_impressions;
create table click_credit.int_impressions as
with
same_places as (
  select line.impression_id, line.line_no, count(*) as places
  from click_credit.int_saying as line
  join click_credit.stg_places as one
    on one.impression_id = line.impression_id and one.line_no = line.line_no
  join click_credit.stg_places as other
    on other.impression_id = line.impression_id and other.line_no = line.first_line and other.place = one.place
  where line.line_no > line.first_line
    and one.document = other.document
    and (line.says_who = 0 or coalesce(one.team, '') = coalesce(other.team, ''))
  group by line.impression_id, line.line_no
),
same_seats as (
  select line.impression_id, line.line_no, count(*) as seats
  from click_credit.int_saying as line
  join click_credit.int_lineups as one
    on one.impression_id = line.impression_id and one.line_no = line.line_no
  join click_credit.int_lineups as other
    on other.impression_id = line.impression_id and other.line_no = line.first_line and other.seat = one.seat
  where line.line_no > line.first_line and one.ranker = other.ranker
  group by line.impression_id, line.line_no
),
conflicts as (
  select distinct line.impression_id
  from click_credit.int_saying as line
  join click_credit.int_saying as held
    on held.impression_id = line.impression_id and held.line_no = line.first_line
  left join same_places on same_places.impression_id = line.impression_id and same_places.line_no = line.line_no
  left join same_seats on same_seats.impression_id = line.impression_id and same_seats.line_no = line.line_no
  where line.line_no > line.first_line
    and (
      coalesce(line.unit, '') <> coalesce(held.unit, '')
      or line.is_bot <> held.is_bot
      or line.is_mixed <> held.is_mixed
      or line.documents <> held.documents
      or coalesce(same_places.places, 0) <> line.documents
      or (
        line.says_who = 1
        and (
          line.version <> held.version
          or coalesce(line.declared, -1) <> coalesce(held.declared, -1)
          or line.alone <> held.alone
          or line.rankers <> held.rankers
          or coalesce(same_seats.seats, 0) <> line.rankers
        )
      )
    )
)
select
  line.impression_id,
  line.line_no,
  line.copies,
  line.shown_ms,
  cast((line.shown_ms + rules.zone_ms - mod(line.shown_ms + rules.zone_ms, 86400000)) / 86400000 as bigint) as day_no,
  line.unit,
  line.is_bot,
  line.version,
  line.rankers,
  line.alone,
  case
    when conflicts.impression_id is not null then 'conflict'
    when line.is_mixed = 0 then 'not-mixed'
    when line.unit is null then 'no-unit'
    when line.shown_ms + rules.window_ms > log_end.until_ms then 'open'
    else 'credited'
  end as fate
from click_credit.int_saying as line
left join conflicts on conflicts.impression_id = line.impression_id
cross join click_credit.rules as rules
cross join click_credit.int_log_end as log_end
where line.line_no = line.first_line;

-- Lines of clicks by impression, fate and, if they are on a place that counts (`clicked`), by that place: each place counts once.
drop table if exists click_credit.int_clicks;
create table click_credit.int_clicks as
select impression_id, fate, place, team, count(*) as clicks
from (
  select
    click.impression_id,
    case
      when shown.impression_id is null then 'unknown'
      when shown.fate <> 'credited' then 'of-set-aside'
      when click.clicked_ms - shown.shown_ms < -rules.skew_ms then 'early'
      when click.clicked_ms - shown.shown_ms > rules.window_ms then 'late'
      when place.place is null then 'not-shown'
      when click.is_satisfied = 0 then 'unsatisfied'
      else 'clicked'
    end as fate,
    case
      when shown.fate = 'credited' and click.is_satisfied = 1
        and click.clicked_ms - shown.shown_ms between -rules.skew_ms and rules.window_ms then place.place
    end as place,
    case
      when shown.fate = 'credited' and click.is_satisfied = 1
        and click.clicked_ms - shown.shown_ms between -rules.skew_ms and rules.window_ms then place.team
    end as team
  from click_credit.stg_clicks as click
  left join click_credit.int_impressions as shown on shown.impression_id = click.impression_id
  left join click_credit.stg_places as place
    on place.impression_id = shown.impression_id and place.line_no = shown.line_no and place.document = click.document
  cross join click_credit.rules as rules
) as joined
group by impression_id, fate, place, team;

-- What each impression that is closed says of each pair of its rankers: more places clicked win. `net` is 1 if the first won, -1 if the
-- second did. `stands` is 1 for one pair of each impression, which stands for the impression.
drop table if exists click_credit.int_pairs;
create table click_credit.int_pairs as
with
sides as (
  select impression_id, team, count(*) as clicks
  from click_credit.int_clicks
  where fate = 'clicked' and team is not null
  group by impression_id, team
),
pairs as (
  select
    shown.impression_id,
    one.ranker as one,
    other.ranker as other,
    one_ranker.seat as one_seat,
    other_ranker.seat as other_seat,
    case when one.seat = 1 and other.seat = 2 then 1 else 0 end as stands
  from click_credit.int_impressions as shown
  join click_credit.int_lineups as one
    on one.impression_id = shown.impression_id and one.line_no = shown.line_no
  join click_credit.int_lineups as other
    on other.impression_id = shown.impression_id and other.line_no = shown.line_no and other.seat > one.seat
  join click_credit.int_rankers as one_ranker
    on one_ranker.version = shown.version and one_ranker.ranker = one.ranker
  join click_credit.int_rankers as other_ranker
    on other_ranker.version = shown.version and other_ranker.ranker = other.ranker
  where shown.fate = 'credited'
  union all
  -- A short list of one team does not name the other ranker. Of two there is only one other, unless outcomes chose who was shown.
  select shown.impression_id, one_ranker.ranker, other_ranker.ranker, one_ranker.seat, other_ranker.seat, 1
  from click_credit.int_impressions as shown
  join click_credit.int_versions as version
    on version.version = shown.version and version.rankers = 2 and version.choice < 2
  join click_credit.int_rankers as one_ranker on one_ranker.version = shown.version and one_ranker.seat = 1
  join click_credit.int_rankers as other_ranker on other_ranker.version = shown.version and other_ranker.seat = 2
  where shown.fate = 'credited' and shown.rankers < 2 and shown.alone < 2
)
select
  shown.version,
  shown.unit,
  shown.impression_id,
  shown.shown_ms,
  shown.day_no,
  case when pairs.one_seat < pairs.other_seat then pairs.one else pairs.other end as first_ranker,
  case when pairs.one_seat < pairs.other_seat then pairs.other else pairs.one end as second_ranker,
  case when pairs.one_seat < pairs.other_seat then coalesce(one_side.clicks, 0) else coalesce(other_side.clicks, 0) end as first_clicks,
  case when pairs.one_seat < pairs.other_seat then coalesce(other_side.clicks, 0) else coalesce(one_side.clicks, 0) end as second_clicks,
  cast(
    case when pairs.one_seat < pairs.other_seat then 1 else -1 end
      * sign(coalesce(one_side.clicks, 0) - coalesce(other_side.clicks, 0))
    as bigint
  ) as net,
  pairs.stands
from pairs
join click_credit.int_impressions as shown on shown.impression_id = pairs.impression_id
left join sides as one_side on one_side.impression_id = pairs.impression_id and one_side.team = pairs.one
left join sides as other_side on other_side.impression_id = pairs.impression_id and other_side.team = pairs.other;

-- The first day on which a unit broke a rule for bots: it is one from that day on. Clicks outside the window make no bot.
drop table if exists click_credit.int_bots;
create table click_credit.int_bots as
with
busy as (
  select
    shown.unit,
    shown.day_no,
    shown.impression_id,
    shown.is_bot,
    coalesce(sum(case when click.fate in ('clicked', 'unsatisfied', 'not-shown') then click.clicks else 0 end), 0) as clicks
  from click_credit.int_impressions as shown
  left join click_credit.int_clicks as click on click.impression_id = shown.impression_id
  where shown.fate = 'credited'
  group by shown.unit, shown.day_no, shown.impression_id, shown.is_bot
),
days as (
  select
    unit,
    day_no,
    max(is_bot) as is_bot,
    count(*) as impressions,
    sum(clicks) as clicks,
    max(clicks) as most_clicks
  from busy
  group by unit, day_no
)
select days.unit, min(days.day_no) as bot_from
from days
cross join click_credit.rules as rules
where days.is_bot = 1
  or days.impressions > rules.max_impressions_per_day
  or days.clicks > rules.max_clicks_per_day
  or days.most_clicks > rules.max_clicks_per_impression
group by days.unit;

-- The very first impression of each unit in a version, where outcomes chose the pairs: no other counts for the unit.
drop table if exists click_credit.int_firsts;
create table click_credit.int_firsts as
select version, unit, impression_id, day_no, is_set_aside
from (
  select
    seen.*,
    row_number() over (partition by version, unit order by shown_ms, impression_id, is_set_aside) as turn
  from (
    select version, unit, impression_id, shown_ms, day_no, 0 as is_set_aside
    from click_credit.int_impressions
    where fate = 'credited'
    union all
    -- Impressions in conflict say nothing, but their units have seen a list.
    select
      line.version,
      line.unit,
      line.impression_id,
      line.shown_ms,
      cast((line.shown_ms + rules.zone_ms - mod(line.shown_ms + rules.zone_ms, 86400000)) / 86400000 as bigint) as day_no,
      1 as is_set_aside
    from click_credit.int_saying as line
    join click_credit.int_impressions as shown on shown.impression_id = line.impression_id and shown.fate = 'conflict'
    cross join click_credit.rules as rules
    where line.says_who = 1
  ) as seen
) as turns
where turn = 1;

-- One row per impression and pair; impressions that say nothing of a pair have one row, with the reason as their fate.
-- `day` is that on which it was shown. `in_unit` is 1 if it counts for the outcome of its unit.
drop table if exists click_credit.credited_impressions;
create table click_credit.credited_impressions as
with
closing as (
  select pair.version, pair.unit, pair.first_ranker, pair.second_ranker, min(pair.day_no) + rules.unit_days - 1 as last_day
  from click_credit.int_pairs as pair
  cross join click_credit.rules as rules
  group by pair.version, pair.unit, pair.first_ranker, pair.second_ranker, rules.unit_days
),
said as (
  select distinct impression_id from click_credit.int_pairs
)
select
  pair.version,
  pair.impression_id,
  pair.unit,
  pair.day_no,
  date '1970-01-01' + cast(pair.day_no as integer) as day,
  pair.first_ranker as first,
  pair.second_ranker as second,
  pair.net,
  pair.first_clicks,
  pair.second_clicks,
  pair.stands,
  case when pair.day_no >= bot.bot_from then 'bot' else 'credited' end as fate,
  case when version.choice = 2 then first_seen.day_no else closing.last_day end as closing_day_no,
  case
    when pair.day_no >= bot.bot_from then 0
    when version.choice = 2 and first_seen.impression_id = pair.impression_id then 1
    when version.choice < 2 and pair.day_no <= closing.last_day then 1
    else 0
  end as in_unit
from click_credit.int_pairs as pair
join click_credit.int_versions as version on version.version = pair.version
join closing
  on closing.version = pair.version and closing.unit = pair.unit
  and closing.first_ranker = pair.first_ranker and closing.second_ranker = pair.second_ranker
left join click_credit.int_firsts as first_seen on first_seen.version = pair.version and first_seen.unit = pair.unit
left join click_credit.int_bots as bot on bot.unit = pair.unit
union all
select
  shown.version,
  shown.impression_id,
  shown.unit,
  shown.day_no,
  date '1970-01-01' + cast(shown.day_no as integer),
  cast(null as varchar),
  cast(null as varchar),
  0,
  0,
  0,
  1,
  case when shown.fate = 'credited' then 'one-team' else shown.fate end,
  cast(null as bigint),
  0
from click_credit.int_impressions as shown
left join said on said.impression_id = shown.impression_id
where said.impression_id is null;

-- One row per unit and pair: `net` is wins minus losses over the days of the unit, which closes on `day`, and `outcome` its sign.
drop table if exists click_credit.unit_outcomes;
create table click_credit.unit_outcomes as
with
-- The sums of units, where no outcome chose the pairs.
sums as (
  select
    credited.version,
    credited.unit,
    credited.first,
    credited.second,
    max(credited.closing_day_no) as closing_day_no,
    sum(case when credited.in_unit = 1 then credited.net else 0 end) as net,
    sum(credited.in_unit) as impressions,
    sum(case when credited.in_unit = 1 then credited.first_clicks else 0 end) as first_clicks,
    sum(case when credited.in_unit = 1 then credited.second_clicks else 0 end) as second_clicks,
    sum(case when credited.in_unit = 1 and credited.first_clicks > 0 then 1 else 0 end) as first_clicked,
    sum(case when credited.in_unit = 1 and credited.second_clicks > 0 then 1 else 0 end) as second_clicked,
    0 as is_set_aside
  from click_credit.credited_impressions as credited
  join click_credit.int_versions as version on version.version = credited.version and version.choice < 2
  where credited.first is not null
  group by credited.version, credited.unit, credited.first, credited.second
  union all
  -- The very first impression of each unit, where outcomes did.
  select
    seen.version,
    seen.unit,
    credited.first,
    credited.second,
    seen.day_no,
    coalesce(credited.net, 0),
    1,
    coalesce(credited.first_clicks, 0),
    coalesce(credited.second_clicks, 0),
    case when credited.first_clicks > 0 then 1 else 0 end,
    case when credited.second_clicks > 0 then 1 else 0 end,
    case when seen.is_set_aside = 1 or credited.first is null then 1 else 0 end
  from click_credit.int_firsts as seen
  join click_credit.int_versions as version on version.version = seen.version and version.choice = 2
  left join click_credit.credited_impressions as credited
    on credited.impression_id = seen.impression_id and credited.first is not null
)
select
  sums.version,
  sums.unit,
  sums.first,
  sums.second,
  sums.closing_day_no,
  date '1970-01-01' + cast(sums.closing_day_no as integer) as day,
  sums.net,
  cast(sign(sums.net) as bigint) as outcome,
  sums.impressions,
  sums.first_clicks,
  sums.second_clicks,
  sums.first_clicked,
  sums.second_clicked,
  case
    when bot.bot_from <= sums.closing_day_no then 'bot'
    when sums.closing_day_no > log_end.last_day then 'open'
    when sums.is_set_aside = 1 then 'spent'
    else 'counted'
  end as fate
from sums
left join click_credit.int_bots as bot on bot.unit = sums.unit
cross join click_credit.int_log_end as log_end;

-- Outcomes by day and pair, as `click-logs decide` reads them: units on the day on which they closed, impressions on the day on which they
-- were shown. A unit's difference in clicks counts up to five; `cut` is what exceeds that.
drop table if exists click_credit.daily_pairs;
create table click_credit.daily_pairs as
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
  from click_credit.unit_outcomes as counted
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
  from click_credit.credited_impressions
  where fate = 'credited'
)
select
  date '1970-01-01' + cast(counts.day_no as integer) as day,
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
group by counts.version, counts.day_no, counts.first, counts.second;

-- What became of every line: of what, its fate, how many lines.
drop table if exists click_credit.fates;
create table click_credit.fates as
with
impressions as (
  select impression_id, max(fate) as fate
  from click_credit.credited_impressions
  where stands = 1
  group by impression_id
),
clicked as (
  select click.clicks, shown.fate
  from click_credit.int_clicks as click
  join impressions as shown on shown.impression_id = click.impression_id
  where click.fate = 'clicked'
),
found as (
  select 'impression' as what, 'malformed' as fate, count(*) as lines
  from click_credit.int_lines
  where is_malformed = 1
  union all
  select 'impression', 'duplicate', coalesce(sum(copies - 1), 0)
  from click_credit.int_impressions
  where fate <> 'conflict'
  union all
  select 'impression', 'conflict', coalesce(sum(copies), 0)
  from click_credit.int_impressions
  where fate = 'conflict'
  union all
  select 'impression', fate, count(*)
  from impressions
  where fate <> 'conflict'
  group by fate
  union all
  select 'impression', 'after-closing', count(*)
  from click_credit.credited_impressions
  where fate = 'credited' and stands = 1 and in_unit = 0
  union all
  select 'click', fate, sum(clicks)
  from click_credit.int_clicks
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
  from click_credit.unit_outcomes
  group by fate
),
known as (
  select 'impression' as what, 'credited' as fate union all
  select 'impression' as what, 'duplicate' as fate union all
  select 'impression' as what, 'conflict' as fate union all
  select 'impression' as what, 'open' as fate union all
  select 'impression' as what, 'not-mixed' as fate union all
  select 'impression' as what, 'one-team' as fate union all
  select 'impression' as what, 'no-unit' as fate union all
  select 'impression' as what, 'bot' as fate union all
  select 'impression' as what, 'malformed' as fate union all
  select 'click' as what, 'credited' as fate union all
  select 'click' as what, 'repeated' as fate union all
  select 'click' as what, 'unsatisfied' as fate union all
  select 'click' as what, 'late' as fate union all
  select 'click' as what, 'early' as fate union all
  select 'click' as what, 'not-shown' as fate union all
  select 'click' as what, 'unknown' as fate union all
  select 'click' as what, 'of-set-aside' as fate union all
  select 'click' as what, 'bot' as fate union all
  select 'click' as what, 'other-action' as fate union all
  select 'click' as what, 'malformed' as fate union all
  select 'unit' as what, 'counted' as fate union all
  select 'unit' as what, 'open' as fate union all
  select 'unit' as what, 'bot' as fate union all
  select 'unit' as what, 'spent' as fate union all
  select 'impression' as what, 'after-closing' as fate

)
select known.what, known.fate, cast(coalesce(sum(found.lines), 0) as bigint) as lines
from known
left join found on found.what = known.what and found.fate = known.fate
group by known.what, known.fate;
