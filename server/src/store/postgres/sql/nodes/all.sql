-- All nodes, and a leader that has no lease at all: name, address, whether its lease holds, whether it leads, and the epoch.
SELECT coalesce(nodes.node, leader.node), coalesce(nodes.address, ''), coalesce(nodes.until > clock_timestamp(), false),
    leader.node IS NOT NULL, (SELECT epoch FROM leader)
FROM nodes FULL JOIN leader ON leader.node = nodes.node
WHERE coalesce(nodes.node, leader.node) IS NOT NULL
ORDER BY nodes.started, 1
