//! A data set to text.

use std::io::{self, Write};

use crate::dataset::{Dataset, Query, exact_label};
use crate::decimal::{Decimal, digits};

/// How the text is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// Omit values that are 0, as most sets with many features do. The first row still contains the highest
    /// feature, so that the number of features is preserved.
    pub omit_zeros: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { omit_zeros: true }
    }
}

/// Writes rows of the form `label qid:id feature:value ...`, in order.
///
/// Reading them again gives the same data set, bit for bit. Each query is written to `out` in one call.
///
/// # Errors
///
/// Any error of `out`.
pub fn write(dataset: &Dataset, options: &WriteOptions, mut out: impl Write) -> io::Result<()> {
    let mut writer = RowWriter::default();
    for query in dataset.iter() {
        writer.query(&query, dataset.features(), options);
        out.write_all(&writer.text)?;
    }
    out.flush()
}

#[derive(Default)]
struct RowWriter {
    text: Vec<u8>,
    features: Vec<u32>,
    /// The values of all documents for the first feature present, then for the second, ...
    values: Vec<Decimal>,
}

impl RowWriter {
    fn query(&mut self, query: &Query<'_>, features: u32, options: &WriteOptions) {
        self.text.clear();
        self.features.clear();
        self.values.clear();
        query.for_each_column(|feature, values| {
            self.features.push(feature);
            self.values.extend_from_slice(values);
        });
        for (document, label) in query.labels().iter().enumerate() {
            self.text.extend_from_slice(exact_label(*label).to_string().as_bytes());
            self.text.extend_from_slice(b" qid:");
            self.text.extend_from_slice(query.id().as_bytes());
            let force_highest = query.index() == 0 && document == 0;
            let mut last = 0;
            for present in 0..self.features.len() {
                let feature = self.features[present];
                let value = self.values[present * query.documents() + document];
                if !options.omit_zeros {
                    (last + 1..feature).for_each(|absent| self.value(absent, Decimal::ZERO));
                }
                if value.mantissa != 0 || !options.omit_zeros || force_highest && feature == features {
                    self.value(feature, value);
                }
                last = feature;
            }
            if !options.omit_zeros {
                (last + 1..=features).for_each(|absent| self.value(absent, Decimal::ZERO));
            } else if force_highest && last < features {
                self.value(features, Decimal::ZERO);
            }
            self.text.push(b'\n');
        }
    }

    fn value(&mut self, feature: u32, value: Decimal) {
        self.text.push(b' ');
        self.text.extend_from_slice(digits(u64::from(feature), &mut [0; 20]));
        self.text.push(b':');
        value.write(&mut self.text);
    }
}
