//! The servers with the store open: `GET /v1/nodes`, their sentence on pages, and the requests forwarded to the one that leads.

mod forward;

use axum::Json as Answer;
use axum::extract::State;
use serde::Serialize;

use super::App;
use super::auth::ReadCaller;
use crate::store::NodeRole;
pub(super) use forward::{Forwarder, client_of_node, forward};

/// The servers of a store.
#[derive(Debug, Serialize)]
pub(super) struct Nodes {
    /// The role of this node.
    role: &'static str,
    /// The epoch in which it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<i64>,
    nodes: Vec<Node>,
}

/// A server.
#[derive(Debug, Serialize)]
struct Node {
    node: String,
    address: String,
    /// Whether its lease holds.
    alive: bool,
    leads: bool,
    /// Whether it is the one that answers.
    here: bool,
}

/// The name of a node's role.
fn role_name(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Leads(_) => "leads",
        NodeRole::Follows => "follows",
        NodeRole::Waits => "waits",
        NodeRole::Unconnected => "unconnected",
    }
}

/// `GET /v1/nodes`. A store in a file has one server, which leads and is not listed.
pub(super) async fn nodes(State(app): State<App>, _: ReadCaller) -> Answer<Nodes> {
    let Some(node) = app.node() else { return Answer(Nodes { role: "leads", epoch: None, nodes: vec![] }) };
    let nodes = node.nodes().into_iter().map(|one| Node {
        here: one.node == node.name(),
        node: one.node,
        address: one.address,
        alive: one.is_alive,
        leads: one.leads,
    });
    Answer(Nodes { role: role_name(node.role()), epoch: node.epoch(), nodes: nodes.collect() })
}

/// The sentence on pages about the servers of a store in a database.
pub(super) fn sentence(app: &App) -> Option<String> {
    let node = app.node()?;
    let nodes = node.nodes();
    let others = nodes.iter().filter(|one| one.is_alive && one.node != node.name()).count();
    Some(match (node.role(), others) {
        (NodeRole::Leads(_), 0) => {
            "This server leads, and no other server has the store: if it ends, none takes over.".to_owned()
        }
        (NodeRole::Leads(_), 1) => "This server leads; another one takes over if it ends.".to_owned(),
        (NodeRole::Leads(_), _) => format!("This server leads; one of {others} others takes over if it ends."),
        (NodeRole::Follows, _) => "Another server leads.".to_owned(),
        (NodeRole::Waits, _) => "No server leads at present: everybody gets the champion's list.".to_owned(),
        (NodeRole::Unconnected, _) => "The database cannot be reached: everybody gets the champion's list.".to_owned(),
    })
}
