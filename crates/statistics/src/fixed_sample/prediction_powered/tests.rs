use super::*;

/// Units; people labelled the first `labelled` wholly.
fn wholly(labelled: usize, all: usize, rate: f64) -> Vec<PartlyLabelled> {
    let unit = |at: usize| {
        let predicted = (7 * at % 11) as f64 / 10.0;
        let people = rate * predicted + (5 * at % 13) as f64 / 12.0 - 0.4;
        PartlyLabelled { predicted, sample: (at < labelled).then(|| LabelledSample::of_whole_unit(people, predicted)) }
    };
    (0..all).map(unit).collect()
}

#[test]
fn whole_units_are_those_of_ppi_python() {
    // ppi-python 0.2.3: ppi_mean_pointestimate(Y, Yhat, Yhat_unlabeled, lam), and the half-width of ppi_mean_ci in standard errors. Its λ is
    // λ (M - m) / M, None tunes it, and its variances divide by the number of values.
    for (labelled, all, rate, theirs, point, error) in [
        (12, 42, 0.5, None, 0.335_788_442_771_665_1, 0.096_081_757_575_761_22),
        (12, 42, 0.5, Some(0.0), 0.315_277_777_777_777_77, 0.105_435_939_779_182_23),
        (12, 42, 0.5, Some(0.5), 0.341_111_111_111_111_1, 0.096_884_678_595_235_36),
        (40, 240, 1.0, None, 0.585_546_232_310_274_3, 0.054_956_194_993_277_516),
        (40, 240, 1.0, Some(0.0), 0.5925, 0.077_106_865_777_309_37),
        (40, 240, 1.0, Some(0.5), 0.589, 0.060_924_776_022_020_25),
    ] {
        let lambda = theirs.map(|lambda: f64| lambda * all as f64 / (all - labelled) as f64);
        let found = PredictionPoweredMeans::new(&[wholly(labelled, all, rate)], lambda).unwrap();
        let mean = found.mean(0);
        let freed = libm::sqrt(labelled as f64 / (labelled - 1) as f64);
        let ratio = mean.standard_error / error / freed;
        if lambda.is_some() {
            assert!((mean.value - point).abs() < 1e-12, "{mean:?}, expected {point}");
            assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
        } else {
            // λ is estimated from few units: the jackknife counts that.
            assert!((mean.value - point).abs() < 0.1 * error && (0.99..1.12).contains(&ratio), "{mean:?} {ratio}");
        }
    }
}

#[test]
fn without_a_model_it_is_the_ratio_estimator() {
    // Three units of two documents each, one labelled, and a sample without weight.
    let unit = |people: f64, weight: f64| PartlyLabelled {
        predicted: 0.0,
        sample: Some(LabelledSample { people, predicted: 0.0, weight, whole_weight: 1.0 }),
    };
    let units = vec![unit(1.5, 1.5), unit(0.5, 0.5), unit(0.0, 1.0), unit(0.0, 0.0)];
    let found = PredictionPoweredMeans::new(&[units], None).unwrap();
    assert_eq!(found.lambda(), 0.0, "a model that says nothing");
    assert!((found.mean(0).value - 2.0 / 3.0).abs() < 1e-12);
    // Without each unit: .5 / 1.5, 1.5 / 2.5, 2 / 2 and 2 / 3.
    let without = [1.0 / 3.0, 0.6, 1.0, 2.0 / 3.0];
    let mean = without.iter().sum::<f64>() / 4.0;
    let expected = libm::sqrt(0.75 * without.map(|value| (value - mean) * (value - mean)).iter().sum::<f64>());
    assert!((found.mean(0).standard_error - expected).abs() < 1e-12);
    assert_eq!(found.mean(0), found.estimate_by_people(0));
}

#[test]
fn differences_are_those_of_the_means() {
    let (one, other) = (wholly(12, 42, 0.5), wholly(12, 42, 1.0));
    let found = PredictionPoweredMeans::new(&[one, other], None).unwrap();
    let [first, second] = [0, 1].map(|mean| found.mean(mean).value);
    assert!((found.difference(0, 1).value - (first - second)).abs() < 1e-12);
    assert_eq!(found.difference(0, 0).p_value(), 1.0);
    assert!((found.favour(0).value + found.favour(1).value).abs() < 1e-12);
    assert!((found.value_by_model(0) - found.value_by_model(1)).abs() < 1e-12);
    assert!((found.excess(0).value - found.excess(1).value - 2.0 * found.favour(0).value).abs() < 1e-12);
}

#[test]
fn bad_input_is_refused() {
    let of = |units: Vec<PartlyLabelled>, lambda| PredictionPoweredMeans::new(&[units], lambda).unwrap_err();
    assert!(matches!(of(wholly(1, 9, 1.0), None), StatisticsError::TooFew { found: 1, needed: 2, .. }));
    assert!(matches!(of(wholly(3, 9, f64::NAN), None), StatisticsError::OutOfRange { .. }));
    assert!(matches!(of(wholly(3, 9, 1.0), Some(1.5)), StatisticsError::OutOfRange { .. }));
    let mut weightless = wholly(3, 9, 1.0);
    for unit in &mut weightless[1..] {
        unit.sample.iter_mut().for_each(|sample| sample.weight = 0.0);
    }
    assert!(matches!(of(weightless, None), StatisticsError::TooFew { found: 1, needed: 2, .. }));
    assert!(PredictionPoweredMeans::new(&[], None).is_err());
    assert!(PredictionPoweredMeans::new(&[wholly(3, 9, 1.0), wholly(3, 8, 1.0)], None).is_err());
}
