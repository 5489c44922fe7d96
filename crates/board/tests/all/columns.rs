//! Columns of covariates, categories and ties.

use board::read::{CovariateColumns, Options, Reading, from_bytes};
use board::{Answer, Split};

fn asked(covariates: &[(&str, &[&str])], by: Option<&str>) -> Options {
    let covariate = |one: &(&str, &[&str])| CovariateColumns {
        name: one.0.to_owned(),
        columns: one.1.iter().map(|column| (*column).to_owned()).collect(),
    };
    let by = by.map(|column| Split { column: column.to_owned(), mix: Vec::new() });
    Options { covariates: covariates.iter().map(covariate).collect(), by, ..Options::default() }
}

fn differences(read: &Reading) -> Vec<&[f64]> {
    read.table.covariates.iter().map(|one| &one.differences[..]).collect()
}

#[test]
fn covariates_are_found_by_their_names() {
    let of_both = "model_a,model_b,winner,Length A,length_b,bold\nx,y,x,10,4,true\ny,x,tie,5,7.5,false\nx,y,,,,\n";
    let found = from_bytes(of_both.as_bytes(), &asked(&[("length", &[]), ("bold", &[])], None)).unwrap();
    // A row that was not judged needs no numbers.
    assert_eq!(differences(&found), [&[6.0, -2.5][..], &[1.0, 0.0]]);
    assert_eq!(found.table.covariates[0].name, "length");
    // Endings may be the headers of the competitors, and any columns may be named.
    let own = "first,second,base_line,winner,words_base,words_new,base,new\n,,,base,3,1,x,y\n";
    let mut options = asked(&[("words", &[]), ("w", &["words_new", "words_base"]), ("d", &["WORDS_base"])], None);
    options.columns.first = Some("base".to_owned());
    options.columns.second = Some("new".to_owned());
    let found = from_bytes(own.replace(",base,3", ",x,3").as_bytes(), &options).unwrap();
    assert_eq!(differences(&found), [&[2.0][..], &[-2.0], &[3.0]]);
}

#[test]
fn faults_have_their_line_and_column() {
    let text = "first,second,winner,length_first,length_second,length,kind,n\nx,y,x,1,2,3,a,5\nx,y,y,1,,3,,0.1e400\nx,y,y,1,2,3,b,\"1,5\"\n";
    let error = |options: Options| from_bytes(text.as_bytes(), &options).unwrap_err().to_string();
    assert_eq!(
        error(asked(&[("length", &[])], None)),
        "the covariate `length` may be `length`, or `length_first` and `length_second`; say which with --covariates length=DIFFERENCE or \
         length=FIRST:SECOND"
    );
    assert!(
        error(asked(&[("bold", &[])], None)).starts_with("found no column of the covariate `bold`: neither `bold`")
    );
    assert_eq!(
        error(asked(&[("length", &["length_first", "length_second"])], None)),
        "line 3: column `length_second`: found nothing, expected a number up to 1e11"
    );
    assert!(error(asked(&[("n", &[])], None)).starts_with("line 3: column `n`: found `0.1e400`, expected a number"));
    assert!(error(asked(&[("m", &["m"])], None)).starts_with("no column `m`; the table has"));
    assert!(error(asked(&[], Some("sort"))).starts_with("no column `sort`; the table has"));
    assert_eq!(error(asked(&[], Some("kind"))), "line 3: column `kind`: a category is empty; expected a name");
    let comma = "first,second,winner,n\nx,y,y,\"1,5\"\n";
    let said = from_bytes(comma.as_bytes(), &asked(&[("n", &[])], None)).unwrap_err().to_string();
    assert!(said.ends_with("write decimals with a point, as in 0.5"), "{said}");
}

#[test]
fn categories_are_those_of_judged_rows() {
    let text = "first,second,winner,Kind\nx,y,x,b\nx,y,,\ny,x,skip,c\nx,y,tie,a\nx,y,x,b\n";
    let found = from_bytes(text.as_bytes(), &asked(&[], Some("kind"))).unwrap().categories.unwrap();
    assert_eq!(
        (found.column.as_str(), found.names, found.of),
        ("Kind", vec!["b".to_owned(), "a".to_owned()], vec![0, 1, 0])
    );
}

#[test]
fn counts_have_neither() {
    for text in ["first,second,wins,losses\nx,y,3,2\n", ",x,y\nx,0,3\ny,2,0\n"] {
        for options in [asked(&[("length", &[])], None), asked(&[], Some("kind"))] {
            let said = from_bytes(text.as_bytes(), &options).unwrap_err().to_string();
            assert!(said.starts_with("the table counts judgements per pair"), "{said}");
        }
    }
}

/// Votes of ComparIA: the chosen answer, or that both were equal.
#[test]
fn a_tie_may_have_a_column_of_its_own() {
    let header = "timestamp,model_a_name,model_b_name,model_pair_name,chosen_model_name,both_equal";
    let read = |rows: &[&str]| {
        let text = format!("{header}\n{}\n", rows.join("\n"));
        from_bytes(text.as_bytes(), &Options::default()).map_err(|error| error.to_string())
    };
    let reading = read(&["t,a,b,\"{a, b}\",a,False", "t,b,a,\"{a, b}\",,True", "t,a,b,\"{a, b}\",,False"]).unwrap();
    let verdicts: Vec<Answer> = reading.table.judgements.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Answer::First, Answer::Tie]);
    assert!(reading.notes.iter().any(|note| note.contains("1 of 3 rows have no winner")), "{:?}", reading.notes);
    let said = read(&["t,a,b,x,a,True"]).unwrap_err();
    assert!(said.contains("line 2") && said.contains("found `a`, but the row is also said to be a tie"), "{said}");
    assert!(read(&["t,a,b,x,a,perhaps"]).unwrap_err().contains("tie: expected true or false"));
}

/// A sheet or a form asks in words.
#[test]
fn sheets_ask_in_words() {
    for column in ["Which is better?", "which one is better?", "Preferred", "Better"] {
        let text = format!("Question,Model A,Model B,{column},Rater\nq1,x,y,A,anna\nq1,y,x,Tie,ben\n");
        let reading = from_bytes(text.as_bytes(), &Options::default()).expect(column);
        let verdicts: Vec<Answer> = reading.table.judgements.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Answer::First, Answer::Tie], "{column}");
    }
}
