use super::*;

/// The whole way is tried on simulated devices (`rigel_run::trial::tests`).
#[test]
fn few_rounds_tell_no_ratio() {
    assert_eq!(few(0), Some(Doubt::NoInterval));
    for rounds in 1..4 {
        assert_eq!(few(rounds), Some(Doubt::FewRounds), "{rounds}");
    }
    assert_eq!((few(4), few(24)), (None, None));
}
