//! The page of judges: questions, answers, mistakes, links.

use std::path::{Path, PathBuf};

use judging::{Settings, Texts};
use rankduel_server::judge::{JudgeServer, Links, PublicAddress, Room};
use tempfile::TempDir;

use crate::support::{Answer, Client};

const HOSTILE: &str = "<script>window.hacked = 1</script> ![](https://example.org/pixel.png) [x](javascript:alert(1))";

/// A page that is served, with its files.
struct Judging {
    folder: TempDir,
    running: Option<JudgeServer>,
    links: Vec<(String, String)>,
    /// Where judges reach it.
    public: Option<PublicAddress>,
}

impl Judging {
    fn start(judges: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = "item,competitor,text,question\n".to_owned();
        for item in ["q1", "q2", "q3"] {
            for name in ["new prompt", "old prompt", "third prompt"] {
                texts += &format!("{item},{name},answer *{}* {HOSTILE},What of {item}?\n", name.len() * 7);
            }
        }
        std::fs::write(folder.path().join("answers.csv"), texts).expect("a file");
        let mut judging = Self { folder, running: None, links: Vec::new(), public: None };
        judging.run(judges);
        judging
    }

    fn session(&self) -> PathBuf {
        self.folder.path().join("session.jsonl")
    }

    fn run(&mut self, judges: &[&str]) {
        let session = self.session();
        let texts = Texts::read(&self.folder.path().join("answers.csv")).expect("texts");
        let mut file = Settings::default().open(&session, true, true, Some(&texts)).expect("a session");
        file.save().expect("a folder that can be written");
        let names: Vec<String> = judges.iter().map(|&name| name.to_owned()).collect();
        let links = Links::new(&session, &names).expect("links");
        self.links = links.keys().to_vec();
        let address = "127.0.0.1:0".parse().expect("an address");
        self.running = Some(
            JudgeServer::start(address, self.public.clone(), Room::new(file, texts, false), links).expect("a page"),
        );
    }

    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }

    fn client(&self) -> Client {
        let address = self.running.as_ref().expect("running").address();
        Client::at(address).with("Content-Type", "application/x-www-form-urlencoded")
    }

    fn path(&self, judge: &str) -> String {
        format!("/j/{}", self.links.iter().find(|(name, _)| name == judge).expect("a judge").1)
    }

    fn question(&self, judge: &str) -> String {
        let answer = self.client().get(&self.path(judge));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    fn send(&self, judge: &str, what: &str, form: &str) -> Answer {
        self.client().send("POST", &format!("{}/{what}", self.path(judge)), Some(form))
    }

    /// Answers the pair on the page, and returns the result.
    fn say(&self, judge: &str, page: &str, verdict: &str) -> String {
        let answer = self.send(judge, "say", &format!("ticket={}&verdict={verdict}&note=", ticket(page)));
        outcome(&answer)
    }

    fn undo(&self, judge: &str) -> String {
        outcome(&self.send(judge, "undo", ""))
    }

    fn answered(&self) -> Vec<(String, String)> {
        let log = std::fs::read(self.session()).expect("the session");
        let (session, _) = judges::Session::replay(&log).expect("a sound log");
        let word = |verdict| judges::verdict_word(verdict).expect("no score").to_owned();
        let judge = |row: &judges::JudgementRow| session.judges()[row.judge.expect("named") as usize].clone();
        session.judged().iter().map(|row| (judge(row), word(row.verdict))).collect()
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        self.stop();
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map(|(found, _)| found).expect("there")
}

fn ticket(page: &str) -> &str {
    between(page, "name=\"ticket\" value=\"", "\"")
}

fn outcome(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.headers["location"].split_once("?said=").map_or("taken", |(_, word)| word).to_owned()
}

#[test]
pub(crate) fn two_judges_answer_skip_and_undo() {
    let mut judging = Judging::start(&["anna", "ben"]);
    let [first, of_ben] = ["anna", "ben"].map(|judge| judging.question(judge));
    assert_ne!(ticket(&first), ticket(&of_ben));
    // A reload shows the same.
    assert_eq!(ticket(&judging.question("anna")), ticket(&first));
    assert_eq!(judging.say("anna", &first, "first"), "taken");
    assert_eq!(judging.say("anna", &first, "first"), "again");
    assert_eq!(judging.say("anna", &first, "second"), "refused");
    // Another judge's pair.
    assert_eq!(judging.say("anna", &of_ben, "first"), "refused");
    assert_eq!(judging.say("anna", &of_ben, "skip"), "refused");
    let second = judging.question("anna");
    assert!(second.contains("Question 2") && ticket(&second) != ticket(&first), "{second}");
    assert_eq!(judging.say("anna", &second, "skip"), "taken");
    assert_eq!(judging.say("anna", &second, "skip"), "again");
    // The skip, and then the answer before it, which is another one now.
    assert_eq!(
        (judging.undo("anna"), judging.undo("anna"), judging.undo("anna")),
        ("undone".into(), "undone".into(), "nothing".into())
    );
    assert_eq!(judging.undo("ben"), "nothing");
    let again = judging.question("anna");
    assert_eq!(ticket(&again), ticket(&first));
    assert_eq!(judging.say("anna", &again, "both+bad"), "taken");
    assert_eq!(ticket(&judging.question("anna")), ticket(&second), "what was skipped and taken back is next");
    assert_eq!(judging.say("ben", &of_ben, "tie"), "taken");
    assert_eq!(judging.answered(), [("anna".into(), "both bad".into()), ("ben".into(), "tie".into())]);
    // After a restart, links are the same, and nothing is lost.
    let before = judging.links.clone();
    judging.stop();
    judging.run(&["ben", "anna"]);
    assert!(judging.links.iter().all(|link| before.contains(link)));
    assert_eq!(ticket(&judging.question("anna")), ticket(&second));
    assert_eq!(judging.undo("ben"), "undone");
    assert_eq!(judging.answered().len(), 1);
}

#[test]
pub(crate) fn a_note_is_kept_with_its_answer() {
    let judging = Judging::start(&["anna"]);
    let page = judging.question("anna");
    let form = format!("ticket={}&verdict=second&note=+the+first+%22lies%22%0D%0Aonce+", ticket(&page));
    assert_eq!(outcome(&judging.send("anna", "say", &form)), "taken");
    let log = std::fs::read_to_string(judging.session()).expect("the session");
    assert!(log.contains(r#""note":"the first \"lies\"\nonce""#), "{log}");
    let long = format!("ticket={}&verdict=second&note={}", ticket(&judging.question("anna")), "x".repeat(3_000));
    assert_eq!(outcome(&judging.send("anna", "say", &long)), "long-note");
    assert_eq!(judging.send("anna", "say", &format!("{long}{}", "x".repeat(70_000))).status, 413);
}

#[test]
pub(crate) fn a_page_names_nobody_and_loads_nothing() {
    let judging = Judging::start(&["anna"]);
    let page = judging.question("anna");
    assert!(!page.contains("prompt") && page.contains("<em>") && page.contains("What of q"), "{page}");
    assert!(!page.contains("<script>") && !page.contains("<img") && !page.contains("href=\"javascript"), "{page}");
    let answer = judging.client().get(&judging.path("anna"));
    let policy = &answer.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(
        (answer.headers["referrer-policy"].as_str(), answer.headers["cache-control"].as_str()),
        ("no-referrer", "no-store")
    );
    for path in ["/judge.css", "/judge.js", "/icon.svg"] {
        assert_eq!(judging.client().get(path).status, 200);
    }
    // Unknown words in the address give no text of their own.
    let said = judging.client().get(&format!("{}?said=%3Cb%3Eplanted", judging.path("anna"))).body;
    assert!(!said.contains("planted"));
}

#[test]
pub(crate) fn strangers_and_strange_forms_change_nothing() {
    let judging = Judging::start(&["anna"]);
    let page = judging.question("anna");
    let log = std::fs::read(judging.session()).expect("the session");
    let client = judging.client();
    let form = format!("ticket={}&verdict=first", ticket(&page));
    for path in ["/", "/j/", "/j/AAAAAAAAAAAAAAAAAAAAAA", "/j/anna", "/j/%00"] {
        assert_eq!(client.get(path).status, 404, "{path}");
        assert!(!client.get(path).body.contains("What of"));
    }
    assert_eq!(client.send("POST", "/j/AAAAAAAAAAAAAAAAAAAAAA/say", Some(&form)).status, 404);
    assert_eq!(judging.send("anna", "say", "ticket=1&verdict=best").status, 422);
    assert_eq!(judging.send("anna", "say", "verdict=first").status, 422);
    assert_eq!(outcome(&judging.send("anna", "say", "ticket=1-00000000&verdict=first")), "refused");
    assert_eq!(outcome(&judging.send("anna", "say", "ticket=%3Cb%3E&verdict=skip")), "refused");
    assert_eq!(client.get(&format!("{}/say", judging.path("anna"))).status, 405);
    assert_eq!(std::fs::read(judging.session()).expect("the session"), log);
    // A judge of another name has another link.
    assert_eq!(judging.links.len(), 1);
    let other = Links::new(&judging.session(), &["ben".to_owned()]).expect("links");
    assert!(other.keys()[0].1 != judging.links[0].1 && other.judge(&judging.links[0].1).is_none());
}

/// The file is the one of `rankduel next`, which may be used meanwhile; and while it is away, nothing is acknowledged.
#[test]
pub(crate) fn other_programs_may_use_the_session() {
    let judging = Judging::start(&["anna"]);
    let page = judging.question("anna");
    let mut file = open(&judging.session());
    let pair = file.session.ask(Some("gpt")).expect("a pair");
    file.session.tell(pair.ticket, judges::Answer::Tie, None).expect("open");
    file.save().expect("written");
    drop(file);
    assert_eq!(judging.say("anna", &page, "first"), "taken");
    assert_eq!(judging.answered(), [("gpt".into(), "tie".into()), ("anna".into(), "first".into())]);
    let next = judging.question("anna");
    std::fs::rename(judging.session(), judging.folder.path().join("away")).expect("renamed");
    let failed = judging.send("anna", "say", &format!("ticket={}&verdict=first", ticket(&next)));
    assert!(failed.status == 503 && failed.body.contains("nothing changed"), "{}", failed.body);
    std::fs::rename(judging.folder.path().join("away"), judging.session()).expect("renamed");
    assert_eq!(judging.say("anna", &next, "first"), "taken");
}

fn open(path: &Path) -> judging::SessionFile {
    judging::SessionFile::open(path, true, |_| panic!("it is there")).expect("a session")
}

/// A proxy strips the path: links of the page have it, requests to the server do not.
#[test]
fn behind_a_proxy_all_that_a_page_names_is_below_its_path() {
    let mut judging = Judging::start(&["anna"]);
    judging.stop();
    judging.public = Some("https://example.org/prompts/".parse().expect("an address"));
    judging.run(&["anna"]);
    let key = judging.links[0].1.clone();
    let link = judging.running.as_ref().expect("running").link(&key);
    assert_eq!(link, format!("https://example.org/prompts/j/{key}"));
    let page = judging.question("anna");
    let named: Vec<&str> = [" href=\"", " src=\"", " action=\""]
        .iter()
        .flat_map(|before| page.split(before).skip(1).filter_map(|rest| rest.split('"').next()))
        .filter(|named| !named.starts_with('#'))
        .collect();
    assert!(named.len() >= 5, "{named:?}");
    for named in named {
        let own = named.strip_prefix("/prompts").expect(named);
        let method = if own.ends_with("/say") || own.ends_with("/undo") { "POST" } else { "GET" };
        assert_ne!(judging.client().send(method, own, Some("")).status, 404, "{named}");
    }
    let answer = judging.send("anna", "say", &format!("ticket={}&verdict=first&note=", ticket(&page)));
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, format!("/prompts/j/{key}").as_str()));
}
