use super::*;
use crate::facts::{Identity, TargetKind};
use crate::load::class::{Class, Pattern};
use crate::load::matrix::{MatrixShape, RunLevel};
use crate::load::workload::Layout;
use proptest::prelude::*;

fn target(size_bytes: u64) -> TargetFacts {
    TargetFacts {
        path: "/data/lun1".into(),
        real_path: "/data/lun1".into(),
        kind: TargetKind::File,
        size_bytes,
        identity: Identity { device: (8, 0), inode: 1 },
        physical_block_bytes: Some(4096),
        direct_io: Some(true),
        filesystem: Some("ext4".into()),
        mount_point: Some("/".into()),
        allocated_bytes: Some(size_bytes),
        ..TargetFacts::simulated(size_bytes)
    }
}

fn host() -> HostFacts {
    HostFacts { cpus: 2, memory_bytes: Some(8 << 30), ..HostFacts::default() }
}

fn plan(request: &Request, targets: usize) -> Plan {
    Plan::new(request, &host(), &vec![target(1 << 30); targets]).unwrap()
}

/// Buffers of 200 MiB.
#[test]
fn buffers_stay_within_what_is_left_of_the_memory() {
    let request = Request::of(Task::advanced(MatrixShape::Point { small: 0, large: 200 }));
    let told = |host: HostFacts| Plan::new(&request, &host, &[target(1 << 30)]).unwrap_err().to_string();
    let with = |room: u64| {
        let mut host = host();
        (host.cgroup.memory_max_bytes, host.cgroup.memory_room_bytes) = (Some(512 << 20), Some(room));
        host
    };
    Plan::new(&request, &with(400 << 20), &[target(1 << 30)]).unwrap();
    let refused = told(with(399 << 20));
    assert!(
        refused
            .contains("the control group of this process is limited to 512 MiB, of which 399 MiB are left")
    );
    let mut host = with(1 << 30);
    host.limits.address_room_bytes = Some(300 << 20);
    assert!(told(host).contains("(ulimit -v)"));
    assert!(
        told(HostFacts { memory_bytes: Some(300 << 20), ..self::host() }).contains("the host has 300 MiB")
    );
}

/// Below 48 MiB the half would leave too little for counts and outputs.
#[test]
fn little_memory_is_kept_for_rigel_itself() {
    let request = Request::of(Task::advanced(MatrixShape::Point { small: 1, large: 0 }));
    let with = |room: u64| {
        let mut host = host();
        (host.cgroup.memory_max_bytes, host.cgroup.memory_room_bytes) = (Some(64 << 20), Some(room));
        host
    };
    assert_eq!(with(100 << 20).buffer_room_bytes(), Some(50 << 20));
    assert_eq!(with(30 << 20).buffer_room_bytes(), Some(6 << 20));
    assert_eq!(with(20 << 20).buffer_room_bytes(), Some(0));
    let told = Plan::new(&request, &with(20 << 20), &[target(1 << 30)]).unwrap_err().to_string();
    assert!(told.contains("of which 20 MiB are left, and Rigel itself needs 24 MiB"), "{told}");
}

/// Published estimates in minutes at 60 s a point (E1, E2, E6, E7, E9, E10, E12, E13).
#[test]
fn published_estimates() {
    for (case, level, targets, minutes) in [
        ("E1", RunLevel::Normal, 1, 19),
        ("E2", RunLevel::Simple, 1, 9),
        ("E6", RunLevel::Simple, 2, 16),
        ("E7", RunLevel::Simple, 6, 44),
        ("E9", RunLevel::Oltp, 1, 22),
        ("E10", RunLevel::Oltp, 3, 24),
    ] {
        assert_eq!(plan(&Request::new(level), targets).estimate_minutes, minutes, "{case}");
    }
    let mut e13 = Request::of(Task::advanced(MatrixShape::Max { small: 4, large: 4 }));
    e13.set_size(Class::LARGE, 512 << 10);
    assert_eq!(plan(&e13, 1).estimate_minutes, 26, "E13");
}

#[test]
fn estimates_of_other_durations_round_up_and_add_warm_up() {
    let mut request = Request::new(RunLevel::Simple);
    request.set_pace(Pace::Fixed(Nanos::from_secs(1)));
    assert_eq!(plan(&request, 1).estimate_minutes, 2);
    let mut seq = Request::of(Task::advanced(MatrixShape::Col { small: 0 }));
    seq.set_large(Pattern::Streams { ios_per_stream: 4 });
    // 3 points counted, 2 of them warmed up for 2 minutes each.
    assert_eq!(plan(&seq, 1).estimate_minutes, 3 + 4 + 1);
    seq.cache = CacheWarmUp::Off;
    assert_eq!(plan(&seq, 1).estimate_minutes, 3 + 1);
}

#[test]
fn warm_up_comes_before_large_sequential_points_only() {
    let mut request = Request::new(RunLevel::Advanced);
    request.cache = CacheWarmUp::Bytes(500 << 20);
    assert!(plan(&request, 1).steps.iter().all(|step| step.warm_up.is_none()), "random needs none");
    request.set_large(Pattern::Streams { ios_per_stream: 4 });
    for step in plan(&request, 1).steps {
        assert_eq!(step.warm_up.is_some(), step.point.large() > 0, "{step:?}");
    }
}

#[test]
fn num_disks_is_the_number_of_targets_unless_given() {
    let mut request = Request::new(RunLevel::Simple);
    assert_eq!(plan(&request, 4).num_disks, 4);
    request.num_disks = Some(24);
    assert_eq!(plan(&request, 4).grid.most().small(), 120);
}

#[test]
fn streams_hold_several_ios() {
    let mut request = Request::new(RunLevel::Advanced);
    request.set_large(Pattern::Streams { ios_per_stream: 4 });
    let plan = plan(&request, 2);
    assert_eq!(plan.max_outstanding[&Class::LARGE], 16);
    assert_eq!(plan.buffer_bytes, 10 * (8 << 10) + 16 * (1 << 20));
}

#[test]
fn what_does_not_fit_is_refused_with_the_target() {
    let request = Request::new(RunLevel::Simple);
    let small = Plan::new(&request, &host(), &[target(1000)]).unwrap_err();
    assert!(small.to_string().contains("smaller than one small I/O"), "{small}");
    let mut blocks = target(1 << 30);
    blocks.logical_block_bytes = 4096;
    let mut odd = Request::new(RunLevel::Simple);
    odd.set_size(Class::SMALL, 512);
    let refused = Plan::new(&odd, &host(), &[blocks]).unwrap_err();
    assert_eq!(refused.kind.code(), 2);
    assert!(refused.to_string().contains("logical block size of 4 KiB"), "{refused}");
    assert!(Plan::new(&request, &host(), &[]).is_err());
}

#[test]
fn buffers_must_fit_into_memory() {
    let mut request = Request::new(RunLevel::Advanced);
    request.task = Task::advanced(MatrixShape::Point { small: 0, large: 60_000 });
    let refused = Plan::new(&request, &host(), &[target(1 << 30)]).unwrap_err();
    assert!(refused.to_string().contains("of memory"), "{refused}");
    request.task = Task::advanced(MatrixShape::Point { small: 70_000, large: 0 });
    let refused = Plan::new(&request, &host(), &[target(1 << 30)]).unwrap_err();
    assert!(refused.to_string().contains("70000 outstanding"), "{refused}");
}

fn sync(task: Task) -> Request {
    Request { engine: EngineRequest::Only(EngineKind::Sync), ..Request::of(task) }
}

/// Ten small I/Os and four large ones: alone, and in every pair.
#[test]
fn classes_that_never_run_together_share_their_workers() {
    let workers = |level: RunLevel| {
        let request = sync(Task::of_level(level));
        let plan = plan(&request, 2);
        (plan.workers_of(&request, EngineKind::Sync), plan.buffer_bytes)
    };
    let (small, large) = ((8 << 10) + (128 << 10), (1 << 20) + (128 << 10));
    assert_eq!(workers(RunLevel::Simple), (10, 4 * large + 6 * small));
    assert_eq!(workers(RunLevel::Normal), (14, 4 * large + 10 * small));
    let of_ring = plan(&Request::new(RunLevel::Simple), 2);
    assert_eq!(of_ring.buffer_bytes, 4 * (1 << 20) + 10 * (8 << 10));
    assert_eq!(of_ring.workers_of(&Request::new(RunLevel::Simple), EngineKind::IoUring), of_ring.workers);
}

/// Before anything was searched it is known which classes meet.
#[test]
fn a_search_knows_which_classes_meet() {
    let workers = |level| {
        let request = sync(Task::searched(level, Pace::Adaptive(Adaptive::default())));
        let plan = plan(&request, 1);
        let most = plan.search.as_ref().unwrap().most.clone();
        (plan.workers_of(&request, EngineKind::Sync), most[&Class::SMALL], most[&Class::LARGE])
    };
    let (alone, small, large) = workers(RunLevel::Simple);
    assert_eq!(alone, small.max(large));
    let (together, small, large) = workers(RunLevel::Normal);
    assert_eq!(together, small + large);
}

#[test]
fn a_search_goes_as_far_as_workers_fit_into_the_memory() {
    let mut host = host();
    (host.cgroup.memory_max_bytes, host.cgroup.memory_room_bytes) = (Some(256 << 20), Some(200 << 20));
    let request = sync(Task::searched(RunLevel::Simple, Pace::Adaptive(Adaptive::default())));
    let plan = Plan::new(&request, &host, &[target(1 << 30)]).unwrap();
    assert!(plan.buffer_bytes <= 100 << 20, "{}", plan.buffer_bytes);
    // Where none of them has a worker it goes further.
    let of_ring = Request { engine: EngineRequest::Auto, ..request };
    let of_ring = Plan::new(&of_ring, &host, &[target(1 << 30)]).unwrap();
    assert!(of_ring.max_outstanding[&Class::SMALL] > plan.max_outstanding[&Class::SMALL]);
}

#[test]
fn workers_that_do_not_fit_name_the_engines_that_would() {
    let mut host = host();
    (host.cgroup.memory_max_bytes, host.cgroup.memory_room_bytes) = (Some(256 << 20), Some(250 << 20));
    let point = |small| Task::advanced(MatrixShape::Point { small, large: 0 });
    let told = |request: &Request| Plan::new(request, &host, &[target(1 << 30)]).map_err(|p| p.to_string());
    let refused = told(&sync(point(10_000))).unwrap_err();
    assert!(refused.contains("the buffers and workers (engine sync) of 10000 outstanding"), "{refused}");
    assert!(refused.contains("use --engine io_uring or libaio, which need 78.1"), "{refused}");
    told(&Request::of(point(10_000))).unwrap();
    // Where no engine would do, none is named.
    let refused = told(&sync(point(60_000))).unwrap_err();
    assert!(!refused.contains("io_uring"), "{refused}");
}

proptest! {
    /// Whatever is asked for: a plan or a problem, never a panic, and twice the same.
    #[test]
    fn a_plan_is_a_pure_function(
        small in any::<u32>(), large in any::<u32>(), disks in any::<Option<u32>>(),
        small_bytes in any::<u64>(), large_bytes in any::<u64>(), size in any::<u64>(), ios in any::<u32>(),
        sequential: bool, shape in 0..6,
    ) {
        let mut request = Request::of(Task::advanced(match shape {
            0 => MatrixShape::Basic,
            1 => MatrixShape::Detailed,
            2 => MatrixShape::Point { small, large },
            3 => MatrixShape::Col { small },
            4 => MatrixShape::Row { large },
            _ => MatrixShape::Max { small, large },
        }));
        request.num_disks = disks.map(|d| d % 20_000);
        request.set_size(Class::SMALL, small_bytes);
        request.set_size(Class::LARGE, large_bytes);
        if sequential {
            request.set_large(Pattern::Streams { ios_per_stream: ios });
        }
        let targets = [target(size)];
        prop_assert_eq!(Plan::new(&request, &host(), &targets), Plan::new(&request, &host(), &targets));
    }
}

/// Numbers at both ends and in between.
fn wide() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u64..3).prop_map(|below| u64::MAX - below),
        (0u32..64).prop_map(|power| 1 << power),
        0u64..3
    ]
}

proptest! {
    /// Targets of any size, times and depths of any length: a plan whose figures and volumes can be had, or a problem.
    #[test]
    fn no_size_and_no_time_is_too_large(
        level in 0usize..5, sizes in proptest::collection::vec(wide(), 1..4), times in proptest::array::uniform4(wide()),
        small_bytes in prop_oneof![wide(), Just(512), Just(8192)], stripe_bytes in wide(), memory in wide(),
        (adaptive, raid0, simulated, auto, workers) in any::<(bool, bool, bool, bool, Option<u32>)>(),
    ) {
        let level = [RunLevel::Simple, RunLevel::Normal, RunLevel::Oltp, RunLevel::Dss, RunLevel::Advanced][level];
        let [pace, timeout, warm_up, spent] = times;
        let mut request = Request::new(level);
        request.set_size(Class::SMALL, small_bytes);
        request.workers = workers;
        request.set_large(Pattern::Streams { ios_per_stream: 4 });
        request.cache = CacheWarmUp::Bytes(warm_up);
        request.io_timeout = Nanos(timeout);
        if raid0 {
            request.layout = Layout::Raid0 { stripe_bytes };
        }
        if simulated {
            request.engine = EngineRequest::Sim(crate::sim::SimLaw::default());
        }
        if auto {
            request.task = Task::searched(request.level(), Pace::Adaptive(Adaptive::default()));
        }
        request.set_pace(match adaptive {
            true => Pace::Adaptive(Adaptive { max_duration: Some(Nanos(pace)), ..Adaptive::default() }),
            false => Pace::Fixed(Nanos(pace)),
        });
        let targets: Vec<TargetFacts> = sizes.into_iter().map(target).collect();
        let host = HostFacts { memory_bytes: Some(memory), ..host() };
        let Ok(plan) = Plan::new(&request, &host, &targets) else { return Ok(()) };
        prop_assert!(plan.estimate_minutes > 0 && plan.workers > 0);
        prop_assert!(plan.known_time() <= Nanos(u64::MAX));
        let searched = search::searched(Some(u32::MAX), Some(1), Some(u32::MAX));
        let _ = plan.with_levels(&request, &searched, Nanos(spent));
        if let Ok(volumes) = volumes(&request, &targets, &Team::default()) {
            let both = |of: Volumes| [of.random, of.streams];
            for volume in volumes.into_iter().flat_map(both).flatten() {
                let place = volume.place(volume.chunks() - 1);
                prop_assert!(place.offset < targets[usize::from(place.target)].size_bytes);
            }
        }
    }
}
