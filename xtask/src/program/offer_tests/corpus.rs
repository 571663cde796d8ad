//! The commands in every document of the golden corpus.

use super::super::golden::{cases, documents_of, tests::RECORDS};
use super::*;
use cases::CaseSource;

#[test]
fn every_command_of_an_output_is_accepted() {
    let mut refused = RefusedOffers::default();
    for (name, record) in RECORDS.iter() {
        for document in documents_of(record).unwrap() {
            refused.check(&format!("{name}/{}", document.name), offers(&document.bytes));
        }
    }
    for case in cases::all().iter().filter(|case| matches!(case.made, CaseSource::Otherwise(_))) {
        for (path, bytes) in case.documents().unwrap() {
            refused.check(&path, offers(&bytes));
        }
    }
    refused.conclude(1000);
}
