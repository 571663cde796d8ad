//! A limit is told from saturation: memory under a cap of the block cgroup. What is merely full: `limits`.

use crate::busy_host::of_a_few;
use crate::limits::throttled;
use crate::support::{Place, tell};
use rigel_testdev::{BlkioCap, CapLimits, ZramDevice, needs};

/// Two levels are enough where there are no others.
const LOAD: &str = "load = \"rigel.load/1\"\npoints = [{ reads = 1 }, { reads = 5 }]\n\
                    [[class]]\nname = \"reads\"\nsize = \"8K\"\n";

#[test]
fn a_cap_of_the_block_cgroup_is_a_limit() {
    let name = "a_cap_of_the_block_cgroup_is_a_limit";
    const SIZE: u64 = 64 << 20;
    let Some(zram) = needs(name, ZramDevice::create(SIZE)) else { return };
    zram.fill(SIZE).unwrap();
    let limits = CapLimits { read_iops: Some(777), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits)) else { return };
    of_a_few(name, 3, || {
        let place = Place::new();
        std::fs::write(place.path().join("two.toml"), LOAD).unwrap();
        let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
        let line = "run --load two.toml --duration 4s --allow-memory --name limits";
        command.current_dir(place.path()).args(line.split(' ')).arg(zram.path());
        let told = tell(&mut command).expect_measured();
        let texts = throttled(&place);
        // Once as what the control group says, once as what the rates say.
        let is_rule = |text: &&String| text.contains("riops=777") && text.contains("its limit was measured");
        let is_rate = |text: &&String| text.starts_with("reads: 7") && text.contains("rate limit");
        let holds = matches!(&texts[..], [rule, rate] if is_rule(&rule) && is_rate(&rate));
        (holds, format!("{texts:?}\n{}", told.stdout))
    });
}
