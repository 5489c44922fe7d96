//! Waiting for several futures in a given order.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Waits for all, and polls them in this order; so the work of their first polls is done in this order.
pub(crate) async fn in_order<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut results: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, results) in running.iter_mut().zip(&mut results).filter(|(_, results)| results.is_none()) {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                *results = Some(output);
            }
        }
        if results.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}
