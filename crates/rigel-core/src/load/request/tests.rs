use super::*;
use crate::load::matrix::MatrixShape;
use crate::load::pace::{Adaptive, Pace};

fn refused(change: impl FnOnce(&mut Request)) -> String {
    let mut request = Request::new(RunLevel::Advanced);
    change(&mut request);
    request.check().expect_err("should be refused").to_string()
}

#[test]
fn orions_defaults_pass() {
    for level in RunLevel::ORION {
        Request::new(level).check().unwrap();
    }
}

#[test]
fn every_refusal_names_the_value() {
    assert!(refused(|r| r.set_size(Class::SMALL, 1000)).contains("1000 bytes"));
    assert!(refused(|r| r.set_size(Class::LARGE, 0)).contains("0 bytes"));
    assert!(refused(|r| r.set_size(Class::LARGE, 1 << 30)).contains("1 GiB"));
    assert!(refused(|r| r.num_disks = Some(0)).contains("disks"));
    assert!(refused(|r| r.workers = Some(0)).contains("workers"));
    assert!(refused(|r| r.set_pace(Pace::Fixed(Nanos(5)))).contains("too short"));
    assert!(refused(|r| r.set_pace(Pace::Fixed(Nanos::from_secs(99_999_999)))).contains("too long"));
    let limited = |max_duration| Pace::Adaptive(Adaptive { max_duration, ..Adaptive::default() });
    assert!(refused(|r| r.set_pace(limited(Some(Nanos::from_millis(900))))).contains("too short"));
    assert!(refused(|r| r.task = Task::searched(r.level(), limited(None))).contains("searched"));
    assert!(
        refused(|r| r.task = Task::advanced(MatrixShape::Point { small: 0, large: 0 }))
            .contains("nothing to measure")
    );
    assert!(refused(|r| r.set_large(Pattern::Streams { ios_per_stream: 0 })).contains("stream"));
    let cut = refused(|r| {
        r.set_large(Pattern::Streams { ios_per_stream: 4 });
        r.layout = Layout::Raid0 { stripe_bytes: 512 << 10 };
    });
    assert!(cut.contains("512 KiB") && cut.contains("1 MiB"), "{cut}");
}

#[test]
fn a_label_is_short_and_can_be_read() {
    let labelled = |label: &str| {
        let label = Some(label.to_owned());
        move |request: &mut Request| request.label = label
    };
    assert!(refused(labelled(" ")).contains("empty"));
    assert!(refused(labelled(&"x".repeat(MOST_LABEL_LETTERS + 1))).contains("61 letters"));
    assert!(refused(labelled("old\u{202e}san")).contains("invisible"));
    let mut request = Request::new(RunLevel::Simple);
    labelled("old SAN, größer")(&mut request);
    request.check().unwrap();
    let json = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&json).unwrap(), request);
    request.label = None;
    assert!(
        !serde_json::to_string(&request).unwrap().contains("label"),
        "records without one stay as they are"
    );
}

#[test]
fn random_io_does_not_care_for_the_stripe() {
    let mut request = Request::new(RunLevel::Advanced);
    request.layout = Layout::Raid0 { stripe_bytes: 64 << 10 };
    request.check().unwrap();
}

#[test]
fn orions_levels_need_orions_pair() {
    let only = |name| move |request: &mut Request| request.classes.retain(|class| class.name == name);
    assert!(refused(only(Class::SMALL)).contains("'large'"));
    assert!(refused(only(Class::LARGE)).contains("'small'"));
}

#[test]
fn different_shares_of_writes_are_told_for_each_class() {
    let mut request = Request::new(RunLevel::Advanced);
    request.set_writes(WritePercent::new(20).unwrap());
    assert_eq!(request.write_share(), "20 %");
    request.classes[1].write_percent = WritePercent::new(100).unwrap();
    assert_eq!(request.write_share(), "20 % of small, 100 % of large");
}
