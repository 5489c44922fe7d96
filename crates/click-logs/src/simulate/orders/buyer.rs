//! One user's orders, returns and additions to the cart.

use interleave::Generator;
use interleave::keyed::RunKey;
use rand::RngExt;
use times::DAY;

use super::super::query_pool::normal;
use super::super::{Lines, SimulationSettings};
use super::attribution::{ConversionTally, SimulatedFate, Unit, UnitConversions, units};
use super::lines::{Action, Buyer, ConversionLine};
use super::order::{Order, ViewedPage};
use super::settings::OrderSettings;

const MINUTE: i64 = 60_000;
/// Documents from this number on are in no list.
const NEVER_SHOWN: u16 = 500;
/// The number of these per query.
const UNSHOWN_PER_QUERY: u16 = 100;
/// The number of returns of orders from before the log, per return of an order in it.
const RETURNS_OF_EARLIER_ORDERS: f64 = 0.1;
/// The smallest and the largest part of a document's amount in a partial return.
const PARTIAL_RETURN: (f64, f64) = (0.1, 0.9);

/// Chance of one user's orders, and where its lines go.
struct Till<'a> {
    simulation: &'a SimulationSettings,
    orders: &'a OrderSettings,
    user: u64,
    is_bot: bool,
    /// The user's spending, relative to the average.
    spends: f64,
    chance: Generator,
    lines: &'a mut Lines,
    tally: &'a mut ConversionTally,
}

/// Plays the orders of a user who saw these impressions and logs them; returns the truth about the user.
pub(in super::super) fn play(
    simulation: &SimulationSettings,
    orders: &OrderSettings,
    (user, is_bot): (u64, bool),
    pages: &[ViewedPage],
    lines: &mut Lines,
    tally: &mut ConversionTally,
) -> Vec<UnitConversions> {
    let key = RunKey::new(simulation.seed, 4).impression(user);
    let mut kind = key.users();
    let [readiness, spends] = [(); 2].map(|()| factor(orders.spread, &mut kind));
    let mut till = Till { simulation, orders, user, is_bot, spends, chance: key.coins(), lines, tally };
    let mut units = if is_bot { Vec::new() } else { units(pages) };
    // The last touch is never a tie: a user who saw two impressions in one moment orders nothing.
    let mut times: Vec<i64> = pages.iter().map(|pages| pages.time).collect();
    times.sort_unstable();
    if times.windows(2).all(|pair| pair[0] != pair[1]) {
        for impression in pages {
            for order in till.basket(impression, pages, (orders.share * readiness).min(1.0)) {
                till.settle(&order, &mut units);
            }
        }
    }
    units.into_iter().map(|unit| unit.conversions).collect()
}

/// A lognormal draw with mean 1.
fn factor(sigma: f64, generator: &mut Generator) -> f64 {
    libm::exp(sigma * normal(generator) - sigma * sigma / 2.0)
}

impl Till<'_> {
    fn happens(&mut self, share: f64) -> bool {
        self.chance.random::<f64>() < share
    }

    /// The user's orders after one impression, as one basket; also logs unrelated conversions of that time.
    fn basket(&mut self, impression: &ViewedPage, pages: &[ViewedPage], share: f64) -> Vec<Order> {
        let orders = self.orders;
        let clicked: Vec<(u16, i64)> =
            impression.clicked.iter().copied().filter(|_| self.chance.random::<f64>() < share).collect();
        let Some(last) = clicked.iter().map(|(_, time)| *time).max() else { return Vec::new() };
        let mut documents: Vec<(usize, u16)> =
            clicked.iter().map(|(document, _)| (impression.query, *document)).collect();
        let delay = -libm::log(1.0 - self.chance.random::<f64>()) * orders.delay as f64;
        let mut time = last.max(impression.time) + MINUTE + libm::floor(delay) as i64;
        if self.happens(orders.early) {
            let shows = |seen: &&ViewedPage| documents.iter().any(|document| seen.owner(*document).is_some());
            let first = pages.iter().filter(shows).map(|seen| seen.time).min().unwrap_or(time);
            time = first - self.chance.random_range(MINUTE..DAY);
        }
        if self.happens(orders.not_shown) {
            documents.push((impression.query, NEVER_SHOWN + self.chance.random_range(0..UNSHOWN_PER_QUERY)));
        }
        let is_domestic = !self.happens(orders.other_currency);
        // As those of impressions are: numbers that look like nothing.
        let id = super::super::users::id(impression.number ^ (1 << 62));
        if self.happens(orders.unknown) {
            let value = orders.amounts.draw(1.0, &mut self.chance);
            let line = ConversionLine {
                buyer: Buyer::Guest(id),
                document: (impression.query, impression.documents.first().map_or(0, |(document, _)| *document)),
                time,
                action: Action::Order,
                value,
                is_domestic: true,
                order: !id,
            };
            self.log(line, SimulatedFate::UnknownUser);
        }
        if self.happens(orders.returns * RETURNS_OF_EARLIER_ORDERS) {
            let value = -orders.amounts.draw(self.spends, &mut self.chance);
            let line =
                ConversionLine { order: id.rotate_left(32), ..self.line(documents[0], time, Action::Order, value) };
            self.log(line, SimulatedFate::Return);
        }
        documents.into_iter().map(|document| self.order(id, document, time, is_domestic)).collect()
    }

    fn order(&mut self, id: u64, document: (usize, u16), time: i64, is_domestic: bool) -> Order {
        let value = self.orders.amounts.draw(self.spends, &mut self.chance);
        let returned = self.happens(self.orders.returns).then(|| {
            let time = time + self.chance.random_range(DAY..10 * DAY);
            let part = self.chance.random_range(PARTIAL_RETURN.0..PARTIAL_RETURN.1);
            let is_part = self.happens(0.5) && value > 1;
            (time, if is_part { (libm::round(part * value as f64) as i64).clamp(1, value - 1) } else { value })
        });
        Order { id, document, time, value, is_domestic, returned }
    }

    /// Logs an order with all that belongs to it, and adds it to the units.
    fn settle(&mut self, order: &Order, units: &mut [Unit<'_>]) {
        let fate = if order.is_domestic {
            let fates = units.iter_mut().map(|unit| unit.record(order));
            // Counted for one of several pairs is counted.
            fates.max().unwrap_or(SimulatedFate::NotShown)
        } else {
            SimulatedFate::OtherCurrency
        };
        let Order { id, document, time, value, is_domestic, returned } = *order;
        let line = |till: &Self, time: i64, action: Action, value: i64| ConversionLine {
            is_domestic,
            order: id,
            ..till.line(document, time, action, value)
        };
        if self.happens(self.orders.carts) {
            let before = time - self.chance.random_range(1..MINUTE);
            self.log(line(self, before, Action::Cart, value), SimulatedFate::OtherAction);
        }
        self.log(line(self, time, Action::Order, value), fate);
        if let Some((time, value)) = returned {
            let fate = if is_domestic { SimulatedFate::Return } else { SimulatedFate::OtherCurrency };
            self.log(line(self, time, Action::Order, -value), fate);
        }
    }

    fn line(&self, document: (usize, u16), time: i64, action: Action, value: i64) -> ConversionLine {
        ConversionLine { buyer: Buyer::User(self.user), document, time, action, value, is_domestic: true, order: 0 }
    }

    /// Writes a line once or twice.
    fn log(&mut self, line: ConversionLine, fate: SimulatedFate) {
        let fate = match fate {
            SimulatedFate::OtherAction | SimulatedFate::OtherCurrency | SimulatedFate::UnknownUser => fate,
            _ if self.is_bot => SimulatedFate::Bot,
            _ => fate,
        };
        let is_double = self.happens(self.simulation.doubles);
        self.lines.conversion(self.simulation.dialect, &line);
        self.tally.add(fate, 1);
        if is_double {
            self.lines.conversion(self.simulation.dialect, &line);
            self.tally.add(fate.fate_of_copy(), 1);
        }
    }
}
