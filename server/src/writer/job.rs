//! A job: the work for a caller, and the channel of the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::sync::oneshot;

use super::{NoAnswer, Transaction, UndeliveredImpression};

type Answer<T> = Result<T, NoAnswer>;

/// Whether the caller gave an answer without the writer, because that took too long.
pub(super) type LateFlag = Arc<AtomicBool>;

/// Task for the writer.
pub(super) struct Job {
    deadline: Option<Instant>,
    late: LateFlag,
    work: Box<dyn Task>,
}

/// An answer that waits for the commit.
pub(super) struct Pending {
    reply: Box<dyn Reply>,
    /// The impression to close if the answer is not delivered.
    offer: Option<UndeliveredImpression>,
    late: LateFlag,
}

trait Task: Send {
    fn carry_out(self: Box<Self>, transaction: &mut Transaction<'_>) -> Box<dyn Reply>;
    fn refuse(self: Box<Self>, why: NoAnswer);
    fn is_abandoned(&self) -> bool;
}

trait Reply {
    /// Sends the answer; returns whether it was delivered.
    fn send(self: Box<Self>, failed: Option<NoAnswer>) -> bool;
}

struct Call<T, F> {
    make: F,
    reply: oneshot::Sender<Answer<T>>,
}

struct AnswerReply<T> {
    answer: T,
    reply: oneshot::Sender<Answer<T>>,
}

impl<T: Send + 'static, F: FnOnce(&mut Transaction<'_>) -> T + Send> Task for Call<T, F> {
    fn carry_out(self: Box<Self>, transaction: &mut Transaction<'_>) -> Box<dyn Reply> {
        let answer = (self.make)(transaction);
        Box::new(AnswerReply { answer, reply: self.reply })
    }

    fn refuse(self: Box<Self>, why: NoAnswer) {
        // A caller that no longer waits needs no refusal.
        let _ = self.reply.send(Err(why));
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}

impl<T: Send + 'static> Reply for AnswerReply<T> {
    fn send(self: Box<Self>, failed: Option<NoAnswer>) -> bool {
        self.reply.send(failed.map_or(Ok(self.answer), Err)).is_ok()
    }
}

impl Job {
    pub(super) fn new<T: Send + 'static>(
        deadline: Option<Instant>,
        late: LateFlag,
        make: impl FnOnce(&mut Transaction<'_>) -> T + Send + 'static,
        reply: oneshot::Sender<Answer<T>>,
    ) -> Self {
        Self { deadline, late, work: Box::new(Call { make, reply }) }
    }

    /// Whether the caller has stopped waiting, so that nothing is done.
    pub(super) fn is_late(&self) -> bool {
        self.work.is_abandoned() || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    pub(super) fn carry_out(self, transaction: &mut Transaction<'_>) -> Pending {
        let reply = self.work.carry_out(transaction);
        Pending { reply, offer: transaction.take_offer(), late: self.late }
    }

    pub(super) fn refuse(self, why: NoAnswer) {
        self.work.refuse(why);
    }
}

impl Pending {
    /// Sends the answer, and returns the offer to close if it was not delivered. A caller that went away, and can ask for the same
    /// impression again, finds it open.
    pub(super) fn send(self) -> Option<UndeliveredImpression> {
        if self.reply.send(None) {
            return None;
        }
        self.offer.filter(|offer| !offer.can_be_asked_again || self.late.load(Ordering::SeqCst))
    }

    pub(super) fn fail(self, why: NoAnswer) {
        self.reply.send(Some(why));
    }
}
