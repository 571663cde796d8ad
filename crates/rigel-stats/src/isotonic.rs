//! A rising curve through values with weights: neighbours that fall are put together (pool adjacent violators; Ayer et al. 1955).
//!
//! Must not know what the values are.

/// The rising curve that is nearest to the values, each with its weight, by squares.
pub fn rising(values: &[(f64, f64)]) -> Vec<f64> {
    // Sum of weight times value, weight, how many.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(value, weight) in values {
        pools.push((value * weight, weight, 1));
        while let [.., before, last] = pools.as_slice() {
            if before.0 * last.1 <= last.0 * before.1 {
                break;
            }
            let together = (before.0 + last.0, before.1 + last.1, before.2 + last.2);
            pools.truncate(pools.len() - 2);
            pools.push(together);
        }
    }
    pools.into_iter().flat_map(|(sum, weight, many)| std::iter::repeat_n(sum / weight, many)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_fall_become_their_mean() {
        assert_eq!(rising(&[(1.0, 1.0), (3.0, 1.0), (2.0, 1.0), (4.0, 1.0)]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(rising(&[(3.0, 1.0), (2.0, 1.0), (1.0, 2.0)]), [1.75, 1.75, 1.75]);
        assert_eq!(rising(&[(1.0, 1.0), (1.0, 5.0)]), [1.0, 1.0]);
        assert_eq!(rising(&[]), Vec::<f64>::new());
    }
}
