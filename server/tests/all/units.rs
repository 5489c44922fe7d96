//! A unit is deleted: its log stays, without any link to the unit.

use serde_json::json;

use crate::support::{Server, click, statuses, two_lists};

#[test]
fn deletion_touches_neither_log_nor_others() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    server.experiment("f", json!({}));
    let ask = |server: &Server, name: &str, unit: &str, key: &str| {
        let body = json!({"unit": unit, "key": key, "lists": two_lists(4)});
        server.client().post(&format!("/v1/experiments/{name}/impressions"), body)
    };
    let first = ask(&server, "e", "anna", "1").expect_status(200);
    ask(&server, "e", "anna", "2").expect_status(200);
    ask(&server, "f", "anna", "3").expect_status(200);
    let other = ask(&server, "e", "bert", "4").expect_status(200);
    let logs = [server.log("e"), server.log("f")];
    // Units by name, impressions with documents, and marks.
    let held = |server: &Server| {
        let store = rusqlite::Connection::open(server.store()).unwrap();
        let count = |sql: &str| {
            let of =
                |id: u32| store.query_row(&sql.replace('#', &id.to_string()), [], |row| row.get::<_, i64>(0)).unwrap();
            of(1) + of(2)
        };
        (
            count("SELECT count(*) FROM units_#"),
            count("SELECT count(ids) FROM shown_#"),
            count("SELECT count(*) FROM marks_#"),
        )
    };
    assert_eq!(held(&server), (3, 4, 4));
    let delete = |server: &Server, unit: &str| {
        server.client().post("/v1/units/delete", json!({"unit": unit})).expect_status(200)
    };
    assert_eq!(delete(&server, "nobody"), json!({"deleted": false, "impressions": 0, "erased": true}));
    assert_eq!(delete(&server, "anna"), json!({"deleted": true, "impressions": 3, "erased": true}));
    assert_eq!(delete(&server, "anna"), json!({"deleted": false, "impressions": 0, "erased": true}));
    assert_eq!(held(&server), (1, 1, 1));
    assert_eq!([server.log("e"), server.log("f")], logs);
    // Her impressions cannot be clicked again; others go on.
    let event = |told: &serde_json::Value| click(&told["id"], told["shown"][0].as_str().unwrap());
    let send = |server: &Server, event| statuses(&server.client().post("/v1/events", event).expect_status(200));
    assert_eq!(send(&server, event(&first)), ["late"]);
    assert_eq!(send(&server, event(&other)), ["taken"]);
    // A later user of that name is a new unit, even with the same request.
    let again = ask(&server, "e", "anna", "1").expect_status(200);
    assert!(again["credited"] == true && again["id"] != first["id"], "{again}");
    assert_eq!(held(&server), (2, 2, 2));
    server.restart();
    assert_eq!(ask(&server, "e", "anna", "1").expect_status(200), again);
    ask(&server, "e", "carl", "6").expect_status(200);
    assert_eq!(held(&server), (3, 3, 3));
    assert!(server.command(&["check"]).status.success());
}

/// After both secrets were replaced, ids and users from before count for a while.
#[test]
fn secrets_are_replaced_while_the_server_runs() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    let ask = |server: &Server, unit: &str, query: &str| {
        let body = json!({"unit": unit, "query": query, "lists": two_lists(4)});
        server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
    };
    let units = |server: &Server| {
        let store = rusqlite::Connection::open(server.store()).unwrap();
        let mut query = store.prepare("SELECT hash, number FROM units_1 ORDER BY number").unwrap();
        let rows = query.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?))).unwrap();
        rows.collect::<Result<Vec<_>, _>>().unwrap()
    };
    let (anna, _) = (ask(&server, "anna", "1"), ask(&server, "bert", "1"));
    let before = units(&server);
    // The clock of the server is the test's; the command's is the machine's.
    for secret in ["ids", "hashes"] {
        let output = server.command(&["keys", "rotate", secret, "--grace", "100000d"]);
        assert!(output.status.success(), "{output:?}");
    }
    // Known within a second.
    let told = (0..100)
        .find_map(|query| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let told = ask(&server, "anna", &format!("new {query}"));
            (units(&server)[0].0 != before[0].0).then_some(told)
        })
        .expect("another hash");
    let after = units(&server);
    assert_eq!((after.len(), after[0].1, &after[1]), (2, 1, &before[1]), "the same user, by another hash");
    for told in [&anna, &told] {
        let event = click(&told["id"], told["shown"][0].as_str().unwrap());
        assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["taken"]);
    }
    assert_ne!(anna["id"].as_str().unwrap()[..2], told["id"].as_str().unwrap()[..2], "the number of the secret");
    // A user who did not come back yet can be deleted all the same.
    let deleted = server.client().post("/v1/units/delete", json!({"unit": "bert"})).expect_status(200);
    assert_eq!(deleted["deleted"], true);
    assert_eq!(units(&server).len(), 1);
    server.restart();
    ask(&server, "anna", "again");
    assert_eq!(units(&server), after[..1]);
}
