-- The lines that say what an impression is: those with documents, if it has any. `first_line` is the one that was shown first.
select
  line.*,
  min(line.line_no) over (partition by line.impression_id) as first_line
from (
  select
    given.*,
    max(case when given.documents > 0 then 1 else 0 end) over (partition by given.impression_id) as has_documents,
    count(*) over (partition by given.impression_id) as copies
  from {{ ref('int_lines') }} as given
  where given.is_malformed = 0
) as line
where line.documents > 0 or line.has_documents = 0
