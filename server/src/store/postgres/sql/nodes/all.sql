-- All nodes, and a leader that has no lease at all: name, address, whether its lease holds, whether it leads.
SELECT coalesce(nodes.node, leader.node), coalesce(nodes.address, ''), coalesce(nodes.until > clock_timestamp(), false),
    leader.node IS NOT NULL
FROM nodes FULL JOIN leader ON leader.node = nodes.node
WHERE coalesce(nodes.node, leader.node) IS NOT NULL
ORDER BY nodes.started, 1
