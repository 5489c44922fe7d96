//! The interface conforms to openapi.json: every path and method, every status, every field that is required.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Server, click, two_lists};

fn openapi() -> Value {
    serde_json::from_str(include_str!("../../openapi.json")).expect("JSON")
}

/// The target of `$ref`.
fn resolved<'a>(openapi: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(path) => openapi.pointer(path.trim_start_matches('#')).unwrap_or_else(|| panic!("{path}")),
        None => value,
    }
}

#[test]
fn the_file_is_served() {
    let server = Server::start();
    let answer = server.client().get("/openapi.json");
    assert_eq!((answer.json(), answer.headers["content-type"].as_str()), (openapi(), "application/json"));
}

#[test]
fn every_path_is_routed_and_other_methods_are_refused() {
    let server = Server::start();
    server.experiment("e", json!({}));
    for (path, item) in openapi()["paths"].as_object().unwrap() {
        let known: BTreeSet<String> =
            item.as_object().unwrap().keys().filter(|key| *key != "parameters").map(|key| key.to_uppercase()).collect();
        let real = path.replace("{experiment}", "e").replace("{id}", "x");
        // A stream has no end; its own tests read it.
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        for method in methods.into_iter().filter(|method| !(path.ends_with("/stream") && *method == "GET")) {
            let answer = server.client().send(method, &real, (method != "GET").then_some("{}"));
            if known.contains(method) {
                assert_ne!(answer.status, 405, "{method} {path}");
                assert!(answer.status != 404 || path.contains("{id}"), "{method} {path}");
                let statuses = &item[method.to_lowercase()]["responses"];
                assert!(statuses[answer.status.to_string()].is_object(), "{method} {path}: {}", answer.status);
            } else {
                answer.problem(405);
                let allowed: BTreeSet<String> = answer.headers["allow"]
                    .split(',')
                    .map(|method| method.trim().to_owned())
                    .filter(|method| method != "HEAD")
                    .collect();
                assert_eq!(allowed, known, "{path}");
            }
        }
    }
    server.client().get("/v1").problem(404);
}

/// Whether a value has the shape of a schema, as far as this file uses schemas; the place of the first difference if not.
fn check(openapi: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let schema = resolved(openapi, schema);
    for many in ["oneOf", "anyOf"] {
        if let Some(all) = schema[many].as_array() {
            let fits = all.iter().any(|one| check(openapi, one, value, place).is_ok());
            return if fits { Ok(()) } else { Err(format!("{place}: {value}")) };
        }
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    let fits = match &schema["type"] {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
        _ => true,
    };
    if !fits {
        return Err(format!("{place}: expected {}, found {value}", schema["type"]));
    }
    if let Some(known) = schema["enum"].as_array()
        && !known.contains(value)
    {
        return Err(format!("{place}: {value}"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
            return Err(format!("{place}: no {name}"));
        }
    }
    let properties = schema["properties"].as_object();
    for (name, one) in value.as_object().into_iter().flatten() {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => check(openapi, schema, one, &format!("{place}.{name}"))?,
            None if schema["additionalProperties"] == json!(false) => {
                return Err(format!("{place}: {name} is not described"));
            }
            None if schema["additionalProperties"].is_object() => {
                check(openapi, &schema["additionalProperties"], one, &format!("{place}.{name}"))?;
            }
            None => {}
        }
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        check(openapi, &schema["items"], item, &format!("{place}[{at}]"))?;
    }
    Ok(())
}

#[test]
fn answers_have_the_shapes_that_are_described() {
    let server = Server::start();
    let openapi = openapi();
    let checked = |method: &str, path: &str, real: &str, body: Option<Value>| -> Value {
        let operation = &openapi["paths"][path][method];
        assert!(operation.is_object(), "{method} {path}");
        if let Some(body) = &body {
            let request = resolved(&openapi, &operation["requestBody"]);
            let shape = check(&openapi, &request["content"]["application/json"]["schema"], body, "request");
            assert_eq!(shape, Ok(()), "{method} {path}");
        }
        let answer = server.client().send(&method.to_uppercase(), real, body.map(|body| body.to_string()).as_deref());
        let response = resolved(&openapi, &operation["responses"][answer.status.to_string()]);
        assert!(response.is_object(), "{method} {path}: {} {}", answer.status, answer.body);
        let kind = answer.headers["content-type"].split(';').next().unwrap().to_owned();
        let schema = &response["content"][&kind]["schema"];
        assert!(schema.is_object(), "{method} {path}: {kind}");
        if kind.ends_with("json") && kind != "application/x-ndjson" {
            assert_eq!(check(&openapi, schema, &answer.json(), "answer"), Ok(()), "{method} {path}: {}", answer.body);
        }
        answer.json()
    };
    let settings = json!({"name": "e", "rankers": ["a", {"name": "b", "version": "2"}, "c"], "policy": "rucb", "shown": 2, "depth": 4});
    checked("post", "/v1/experiments", "/v1/experiments", Some(settings.clone()));
    checked("post", "/v1/experiments", "/v1/experiments", Some(settings));
    checked(
        "post",
        "/v1/experiments",
        "/v1/experiments",
        Some(json!({"name": "d", "rankers": ["a", "b"], "ask": "duels"})),
    );
    let lane = json!({"of": "search", "from": 0.0, "to": 0.5});
    let few = json!({"name": "s", "rankers": ["a", "b"], "ramp": [[5, "1d"], [100]], "lane": lane});
    checked("post", "/v1/experiments", "/v1/experiments", Some(few));
    for share in [0.5, 0.1] {
        let share = json!({"share": share, "why": "no harm"});
        checked("post", "/v1/experiments/{experiment}/share", "/v1/experiments/s/share", Some(share));
    }
    checked("get", "/v1/experiments/{experiment}", "/v1/experiments/s", None);
    checked("get", "/v1/experiments", "/v1/experiments", None);
    let lists = json!({"a": ["x", "y"], "b": ["z"], "c": [{"id": "x", "score": 2}, {"id": "z", "score": 1.5}]});
    let path = "/v1/experiments/{experiment}/impressions";
    let told = checked(
        "post",
        path,
        "/v1/experiments/e/impressions",
        Some(json!({"unit": "u", "query": "q", "agent": "a", "key": "k", "lists": lists})),
    );
    checked("post", path, "/v1/experiments/e/impressions", Some(json!({"unit": "other", "key": "k", "lists": lists})));
    checked("post", path, "/v1/experiments/x/impressions", Some(json!({"unit": "u", "lists": lists})));
    let path = "/v1/experiments/{experiment}/choose";
    let chosen = checked("post", path, "/v1/experiments/e/choose", Some(json!({"unit": "v"})));
    let of = |id: &Value, what: &str| format!("/v1/impressions/{}/{what}", id.as_str().unwrap());
    checked(
        "put",
        "/v1/impressions/{id}/lists",
        &of(&chosen["id"], "lists"),
        Some(json!({"lists": lists, "documents": ["x", "y", "z"]})),
    );
    checked("post", "/v1/impressions/{id}/next", &of(&told["id"], "next"), Some(json!({"seen": 2})));
    let page = json!({"documents": [told["shown"][0], "advert"], "pinned": ["advert"]});
    checked("put", "/v1/impressions/{id}/shown", &of(&told["id"], "shown"), Some(page));
    checked(
        "post",
        "/v1/events",
        "/v1/events",
        Some(json!([click(&told["id"], told["shown"][0].as_str().unwrap()), click(&json!("x"), "y")])),
    );
    let selling = json!({
        "name": "o", "rankers": ["a", "b"], "outcomes": {"order": "value"}, "currency": "EUR", "cap": 900, "primary": "value"
    });
    checked("post", "/v1/experiments", "/v1/experiments", Some(selling));
    let bought = json!({"unit": "u", "lists": {"a": ["x"], "b": ["y"]}});
    checked("post", "/v1/experiments/{experiment}/impressions", "/v1/experiments/o/impressions", Some(bought));
    server.pass(1_000);
    let event = json!({
        "action_name": "order", "unit": "u", "value": 50, "currency": "EUR", "order_id": 7,
        "event_attributes": {"object": {"object_id": "x"}}
    });
    checked("post", "/v1/events", "/v1/events", Some(json!([event, event])));
    checked("post", "/v1/impressions/{id}/close", &of(&told["id"], "close"), None);
    checked("post", "/v1/impressions/{id}/next", &of(&told["id"], "next"), Some(json!({})));
    let duel =
        checked("post", "/v1/experiments/{experiment}/duels", "/v1/experiments/d/duels", Some(json!({"unit": "j"})));
    checked(
        "post",
        "/v1/duels/{id}",
        &format!("/v1/duels/{}", duel["id"].as_str().unwrap()),
        Some(json!({"winner": "tie"})),
    );
    server.pass(3 * crate::support::DAY);
    for name in ["e", "d", "o"] {
        checked("get", "/v1/experiments/{experiment}", &format!("/v1/experiments/{name}"), None);
    }
    for what in ["pause", "resume", "kill", "end", "resume"] {
        let path = format!("/v1/experiments/{{experiment}}/{what}");
        checked("post", &path, &format!("/v1/experiments/e/{what}"), Some(json!({"why": "a test"})));
    }
    let path = "/v1/experiments/{experiment}/ship";
    for ranker in ["b", "b", "nobody"] {
        checked("post", path, "/v1/experiments/e/ship", Some(json!({"ranker": ranker, "why": "a test"})));
    }
    checked("get", "/v1/experiments/{experiment}", "/v1/experiments/e", None);
    checked(
        "post",
        "/v1/experiments/{experiment}/impressions",
        "/v1/experiments/e/impressions",
        Some(json!({"unit": "u", "lists": lists})),
    );
    checked("get", "/v1/experiments/{experiment}/export", "/v1/experiments/e/export?what=log", None);
    checked("get", "/v1/experiments/{experiment}/export", "/v1/experiments/e/export?what=x", None);
    checked("post", "/v1/units/delete", "/v1/units/delete", Some(json!({"unit": "u"})));
    for path in ["/health", "/ready", "/metrics", "/openapi.json"] {
        checked("get", path, path, None);
    }
    let two = two_lists(1);
    assert!(two.is_object());
}

#[test]
fn defaults_are_those_of_the_document() {
    let document = openapi();
    let settings = serde_json::to_value(traffic::Config::of("e", ["old", "new"])).unwrap();
    for (schema, values) in [("Settings", &settings), ("Guardrails", &settings["guardrails"])] {
        let properties = document["components"]["schemas"][schema]["properties"].as_object().unwrap();
        // A property without a single value is an object of its own, or must be given.
        for (name, property) in
            properties.iter().filter(|(name, _)| !["name", "rankers", "bots", "guardrails"].contains(&name.as_str()))
        {
            let stated = property.get("default").unwrap_or_else(|| panic!("{schema}.{name} has no default"));
            assert_eq!(&values[name], stated, "{schema}.{name}");
        }
    }
}
