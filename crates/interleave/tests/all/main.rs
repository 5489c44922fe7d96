//! All integration tests of the crate in one binary: one file per subject, linked once.

mod by_id;
mod enumeration;
mod kept_receipts;
mod keyed;
mod lists;
mod methods;
mod missing_documents;
mod optimized;
mod oracle;
mod outside;
mod pages;
mod probabilistic;
mod probabilistic_multileave;
mod promises;
mod receipts;
mod reference_forms;
mod shared_pairs;
mod sosm;
