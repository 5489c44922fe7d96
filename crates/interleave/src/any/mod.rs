//! Methods chosen by name at run time: one enum per kind with static dispatch, made from one list each, and
//! receipts that name their method. Not here: the methods, and how each reads its settings.

mod interleaving;
mod multileaving;
mod outcome;

pub use interleaving::{AnyInterleaving, AnyInterleavingReceipt, AnyInterleavingScratch, InterleavingReceipt};
pub use multileaving::{AnyMultileaving, AnyMultileavingReceipt, AnyMultileavingScratch, MultileavingReceipt};
pub use outcome::AnyOutcome;

use crate::CreditError;

/// A receipt together with the full name of the method that issued it, settings included.
///
/// A plain value that serialises, readably or [compactly](crate::receipt). Only the same method with
/// the same settings credits it; parse [`method`](Self::method) to make that one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedReceipt<R> {
    method: String,
    receipt: R,
}

impl<R> NamedReceipt<R> {
    pub(crate) fn new(method: String, receipt: R) -> Self {
        Self { method, receipt }
    }

    /// The method's name, with its settings.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The method's own receipt.
    #[must_use]
    pub fn receipt(&self) -> &R {
        &self.receipt
    }

    /// The receipt, if it is from this method.
    fn open(&self, method: &impl std::fmt::Display) -> Result<&R, CreditError> {
        /// Strips written text from the beginning, and fails at the first difference.
        struct PrefixMatcher<'a>(&'a str);

        impl std::fmt::Write for PrefixMatcher<'_> {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0 = self.0.strip_prefix(text).ok_or(std::fmt::Error)?;
                Ok(())
            }
        }

        let mut rest = PrefixMatcher(&self.method);
        let is_same = std::fmt::write(&mut rest, format_args!("{method}")).is_ok() && rest.0.is_empty();
        if is_same { Ok(&self.receipt) } else { Err(self.foreign_error(method)) }
    }

    fn foreign_error(&self, method: &impl std::fmt::Display) -> CreditError {
        CreditError::Foreign { receipt: self.method.clone(), method: method.to_string() }
    }
}

/// The receipts of all methods of a kind: how long their lists are, and how they are packed.
macro_rules! any_receipt {
    ($receipt:ident: $($variant:ident($method:ty),)+) => {
        /// Compact receipts number the methods.
        enum Number {
            $($variant,)+
        }

        impl $receipt {
            /// How many documents the list shows.
            #[must_use]
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$variant(receipt) => receipt.len(),)+
                }
            }

            /// Whether the list is empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The ranker that owns each document, none if `None`; `None` for methods without owners.
            #[must_use]
            pub fn owners(&self) -> Option<Vec<Option<usize>>> {
                match self {
                    $(Self::$variant(receipt) => Pack::owners(receipt),)+
                }
            }

            /// Who answers for the documents of lists of its method.
            #[must_use]
            pub fn ownership(&self) -> Ownership {
                match self {
                    $(Self::$variant(_) => <$method as NamedMethod>::OWNERSHIP,)+
                }
            }

            /// The number of its method among the receipts of its kind.
            pub(crate) fn number(&self) -> u8 {
                match self {
                    $(Self::$variant(_) => Number::$variant as u8,)+
                }
            }

            pub(crate) fn pack(&self, writer: &mut Writer) {
                match self {
                    $(Self::$variant(receipt) => receipt.pack(writer),)+
                }
            }

            pub(crate) fn unpack(number: u8, reader: &mut Reader<'_>) -> Option<Self> {
                $(
                    if number == Number::$variant as u8 {
                        return Pack::unpack(reader).map(Self::$variant);
                    }
                )+
                None
            }
        }
    };
}
use any_receipt;

/// What interleaving and multileaving have in common: the enum, its names, its scratch.
macro_rules! any_method {
    (
        $(#[$docs:meta])*
        $any:ident, $scratch:ident, $kind:literal, $trait:ident, [$($variant:ident($method:ty),)+]
    ) => {
        $(#[$docs])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum $any {
            $($variant($method),)+
        }

        const COUNT: usize = 0 $(+ <$method as NamedMethod>::NAMES.len())+;

        impl $any {
            /// Every method and variant, by name.
            pub const NAMES: [&'static str; COUNT] = {
                let mut all = [""; COUNT];
                let mut next = 0;
                $({
                    let names = <$method as NamedMethod>::NAMES;
                    let mut i = 0;
                    while i < names.len() {
                        all[next] = names[i];
                        next += 1;
                        i += 1;
                    }
                })+
                assert!(next == COUNT);
                all
            };

            /// Who answers for the documents of its lists.
            #[must_use]
            pub fn ownership(&self) -> Ownership {
                match self {
                    $(Self::$variant(_) => <$method as NamedMethod>::OWNERSHIP,)+
                }
            }

            /// Every method's name, settings and paper, for tables.
            #[must_use]
            pub fn rows() -> Vec<MethodRow> {
                vec![$(<$method as NamedMethod>::row()),+]
            }
        }

        impl FromStr for $any {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let mut name = Name::new(text);
                for by_variant in [true, false] {
                    $(if let Some(method) = name.method::<$method>(by_variant) {
                        return method.map(Self::$variant);
                    })+
                }
                Err(name.unknown_method_error($kind, &Self::NAMES))
            }
        }

        impl fmt::Display for $any {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(method) => method.write(f),)+
                }
            }
        }

        /// Buffers of any method: one set for each method used.
        #[derive(Debug, Default)]
        #[expect(non_snake_case, reason = "a field has the name of its method, so that the method is named once")]
        pub struct $scratch {
            $($variant: <$method as $trait>::Scratch,)+
        }
    };
}
use any_method;
