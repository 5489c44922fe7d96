//! Settings: each that is wrong is refused by its name.

use judges::{Answer, Config, Goal, Session, SessionError};

use crate::config;

#[test]
fn each_wrong_setting_is_named() {
    let of = |names: &[&str]| Config::of(names.iter().copied());
    let usual = config(3, 1);
    let wrong = [
        (of(&["a"]), "names", "expected 2 to 2000 competitors, found 1"),
        (of(&["a", " "]), "names", "name 2 is empty"),
        (of(&["a", "b", "a"]), "names", "names 1 and 3 are both `a`"),
        (of(&["a", "b\n"]), "names", "name 2 contains the control character \\u{a}"),
        (of(&["a", "b\u{202e}"]), "names", "name 2 contains the control character \\u{202e}"),
        (of(&["a", "b "]), "names", "name 2 begins or ends with a space"),
        (of(&["a", "Tie"]), "names", "name 2 is `Tie`, which is a verdict"),
        (of(&["both bad", "a"]), "names", "name 1 is `both bad`, which is a verdict"),
        (
            Config { items: vec!["x".into(), "y".into(), "x".into()], ..usual.clone() },
            "items",
            "items 1 and 3 are the same",
        ),
        (Config { items: vec!["x".into(), "\t".into()], ..usual.clone() }, "items", "item 2 is empty"),
        (Config { policy: "rubc".into(), ..usual.clone() }, "policy", "did you mean `rucb`?"),
        (Config { policy: "rucb:alpha=-1".into(), ..usual.clone() }, "policy", "alpha"),
        (Config { policy: "mdb".into(), ..usual.clone() }, "policy", "chooses sets"),
        (Config { policy: "self-sparring:m=3".into(), ..usual.clone() }, "policy", "chooses sets"),
        (Config { goal: Goal::Order, policy: "rucb".into(), ..usual.clone() }, "policy", "goal `order` needs none"),
        (Config { policy: "if1".into(), ..usual.clone() }, "horizon", "must know how many judgements"),
        (Config { policy: "rucb".into(), horizon: 9, ..usual.clone() }, "horizon", "`rucb` has none"),
        (Config { horizon: 9, ..usual.clone() }, "horizon", "`top-two` has none"),
        (Config { goal: Goal::Uniform, horizon: 9, ..usual.clone() }, "horizon", "goal `uniform` has none"),
        (Config { repeat: 0.6, ..usual.clone() }, "repeat", "expected a share from 0 to 0.5, found 0.6"),
        (Config { repeat: f64::NAN, ..usual.clone() }, "repeat", "found NaN"),
        (Config { repeat: -0.1, ..usual.clone() }, "repeat", "found -0.1"),
    ];
    for (config, field, message) in wrong {
        let Err(SessionError::Config(error)) = Session::new(config) else { panic!("{field}: {message}: accepted") };
        assert!(error.field == field && error.message.contains(message), "{error}, expected {field}: {message}");
    }
    for policy in ["auto", "top-two", "rucb:alpha=0.6", "winner-stays", "random"] {
        Session::new(Config { policy: policy.into(), ..usual.clone() }).expect(policy);
    }
}

#[test]
fn a_policy_has_one_name_however_it_is_written() {
    let config = Config { policy: "rucb".into(), ..config(3, 1) };
    assert!(config.has_policy("rucb:alpha=0.51") && !config.has_policy("rucb:alpha=0.6") && !config.has_policy("auto"));
    let auto = crate::config(3, 1);
    assert!(auto.has_policy("auto") && auto.has_policy(judges::AUTO) && !auto.has_policy("rucb"));
}

#[test]
fn tickets_come_back_once_to_the_session_that_gave_them_out() {
    let mut live = Session::new(config(4, 1)).expect("settings");
    let mut other = Session::new(config(4, 2)).expect("settings");
    let pair = live.ask(Some("ann")).expect("a pair");
    let strange = other.ask(None).expect("a pair");
    live.take_events();
    let refused = |live: &mut Session, ticket, expected: &str| {
        for verdict in [Some(Answer::First), None] {
            let before = live.counts();
            let called = match verdict {
                Some(verdict) => live.tell(ticket, verdict, None),
                None => live.forget(ticket),
            };
            let message = called.expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
            assert_eq!(live.counts(), before);
            assert!(live.take_events().is_empty(), "{expected}");
        }
    };
    refused(&mut live, strange.ticket, "is of another session");
    refused(
        &mut live,
        "7-00000000".parse().expect("a ticket"),
        "was never given out here, where there were 1 questions",
    );
    refused(&mut live, "0-00000000".parse().expect("a ticket"), "was never given out");
    let message = live.tell(pair.ticket, Answer::First, Some("bob")).expect_err("ann was asked").to_string();
    assert!(message.contains("was given to judge `ann`, found an answer of `bob`"), "{message}");
    assert_eq!(live.tell(pair.ticket, Answer::Score(0.7), None), Err(SessionError::Score));
    assert!(live.take_events().is_empty());
    live.tell(pair.ticket, Answer::Tie, Some("ann")).expect("she was");
    live.take_events();
    refused(&mut live, pair.ticket, "was already answered `tie`");
    let pair = live.ask(None).expect("a pair");
    live.forget(pair.ticket).expect("open");
    live.take_events();
    refused(&mut live, pair.ticket, "was forgotten");
    for text in ["", "1", "1-", "01-00000000", "1-0000000G", "1-0", "x-00000000", "1-00000000 "] {
        let error = text.parse::<judges::Ticket>().expect_err(text).to_string();
        assert!(error.contains("expected a ticket"), "{error}");
    }
    assert!(live.ask(Some(" ann")).is_err() && live.ask(Some("a\tb")).is_err() && live.ask(Some("")).is_err());
}
