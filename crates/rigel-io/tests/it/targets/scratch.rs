//! Scratch files: filled, recognised, reused, removed, and never taken for someone else's file.

use super::support::{
    MIB, MountGuard, assert_verdict, bytes_of, check_block, dir, ext4_image, look, loop_on, poke,
};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::guard::safety::{Evidence, Verdict};
use rigel_core::guard::scratch::{BLOCK_BYTES, FILE_NAME, Header, State, TRAILER_BYTES};
use rigel_io::targets::OpenTargets;
use rigel_io::targets::guard::permit;
use rigel_io::targets::inspect::target_facts;
use rigel_io::targets::open::Access;
use rigel_io::targets::scratch::{ScratchFile, ScratchRequest, free_bytes, left_there};
use rigel_testdev::needs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

fn create(place: &Path, size: u64, seed: u64) -> Result<ScratchFile, Problem> {
    made(place, &wish(size, seed))
}

fn kept(place: &Path, size: u64, seed: u64) -> Result<ScratchFile, Problem> {
    made(place, &ScratchRequest { keep: true, ..wish(size, seed) })
}

fn made(place: &Path, wish: &ScratchRequest) -> Result<ScratchFile, Problem> {
    ScratchFile::create(place, wish, &mut |_, _| {}, &AtomicBool::new(false))
}

const fn wish(data_bytes: u64, seed: u64) -> ScratchRequest {
    ScratchRequest { data_bytes, seed, keep: false, direct: false, resume: false, size_option: "--size" }
}

/// A run that was killed: its lock is gone, its file is not.
fn killed(file: ScratchFile) -> PathBuf {
    file.path().to_owned()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_block_is_what_the_seed_says() {
    let dir = dir();
    let size = 9 * MIB + 4096;
    let mut steps = Vec::new();
    let mut progress = |done, total| steps.push((done, total));
    let never = AtomicBool::new(false);
    let scratch = ScratchFile::create(dir.path(), &wish(size, 42), &mut progress, &never).unwrap();
    assert_eq!(scratch.path(), dir.path().join(FILE_NAME));
    assert_eq!((scratch.header.data_bytes, scratch.header.seed, scratch.reused), (size, 42, false));
    assert!(steps.is_sorted() && steps.last() == Some(&(size, size)), "{steps:?}");
    let bytes = bytes_of(scratch.path());
    assert_eq!(bytes.len() as u64, size + TRAILER_BYTES);
    let (data, trailer) = bytes.split_at(usize::try_from(size).unwrap());
    assert_eq!(Header::decode(trailer), Ok(Header { data_bytes: size, seed: 42, state: State::Temporary }));
    assert!(trailer[BLOCK_BYTES..].iter().all(|&byte| byte == 0));
    for (index, block) in data.chunks_exact(BLOCK_BYTES).enumerate() {
        assert_eq!(check_block(42, (index * BLOCK_BYTES) as u64, block), Ok(()), "block {index}");
    }
    assert_eq!(look(scratch.path())[..], [Evidence::OurScratchFile]);
    assert_eq!(target_facts(scratch.path()).unwrap().size_bytes, size, "what a run may use");
    assert_verdict(scratch.path(), Verdict::MayWrite);
    scratch.put_away().unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_whole_one_is_reused_and_another_size_is_filled_anew() {
    let dir = dir();
    drop(kept(dir.path(), MIB, 1).unwrap());
    let mut fills = 0;
    let again =
        ScratchFile::create(dir.path(), &wish(MIB, 2), &mut |_, _| fills += 1, &AtomicBool::new(false));
    let again = again.unwrap();
    assert_eq!((again.reused, again.header.is_kept(), again.header.seed, fills), (true, true, 1, 0));
    again.put_away().unwrap();
    let other = create(dir.path(), 2 * MIB, 3).unwrap();
    assert_eq!((other.reused, other.header.seed, other.header.data_bytes), (false, 3, 2 * MIB));
    assert_eq!(std::fs::metadata(other.path()).unwrap().len(), 2 * MIB + TRAILER_BYTES);
}

#[test]
fn a_leftover_of_a_killed_run_is_used_and_removed() {
    let dir = dir();
    let path = killed(create(dir.path(), MIB, 1).unwrap());
    // The run had overwritten all of its data, stamped as runs do it.
    let mut written = vec![0xaa; 1 << 20];
    rigel_core::guard::scratch::write_stamps(7, 0, &mut written);
    poke(&path, 0, &written);
    assert_eq!(look(&path)[..], [Evidence::OurScratchFile]);
    assert_eq!(left_there(dir.path(), None).map(|(_, header)| header.data_bytes), Some(MIB));
    assert_eq!(left_there(dir.path(), Some(2 * MIB)), None);
    let again = create(dir.path(), MIB, 2).unwrap();
    assert_eq!((again.reused, again.header.is_kept()), (true, false));
    again.put_away().unwrap();
    assert!(names(dir.path()).is_empty());
    // Asked to keep it, a run does so for good.
    killed(create(dir.path(), MIB, 3).unwrap());
    kept(dir.path(), MIB, 4).unwrap().put_away().unwrap();
    assert!(create(dir.path(), MIB, 5).unwrap().header.is_kept());
}

#[test]
fn two_runs_in_one_directory_have_a_file_each() {
    let dir = dir();
    let first = create(dir.path(), MIB, 1).unwrap();
    let second = create(dir.path(), MIB, 2).unwrap();
    assert_eq!(second.path(), dir.path().join("rigel-scratch-2.dat"));
    // Another size is no reason to remove what is in use.
    let third = create(dir.path(), 2 * MIB, 3).unwrap();
    assert_eq!(third.path(), dir.path().join("rigel-scratch-3.dat"));
    assert_eq!(left_there(dir.path(), None), None, "what is in use is not left over");
    assert_eq!(check_block(1, 0, &bytes_of(first.path())[..BLOCK_BYTES]), Ok(()));
    first.put_away().unwrap();
    third.put_away().unwrap();
    // Killed behind a name that is free by now, it is found all the same.
    killed(second);
    let again = create(dir.path(), MIB, 4).unwrap();
    assert_eq!((again.reused, again.header.seed), (true, 2));
    again.put_away().unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_file_in_use_is_not_written_by_a_run_that_names_it() {
    let dir = dir();
    let mine = create(dir.path(), MIB, 1).unwrap();
    let facts = target_facts(mine.path()).unwrap();
    let request = [facts.clone()];
    let open = |permit| OpenTargets::open(&request, Access::Permits(&[Some(permit)]), false);
    let evidence = look(mine.path());
    let problem = open(permit(&facts, &evidence, true).unwrap()).map(|_| ()).unwrap_err();
    assert!(problem.what.contains("locked"), "{problem}");
    // The run itself has the lock, and hands it over; it lasts as long as the permit.
    let own = permit(&facts, &evidence, false).unwrap().with_hold(mine.hold());
    let targets = OpenTargets::open(&request, Access::Permits(&[Some(own)]), false).unwrap();
    assert_eq!((targets[0].writable(), targets[0].size_bytes()), (true, MIB));
    // The lock of one file opens no other.
    let other = create(dir.path(), MIB, 2).unwrap();
    let wrong = permit(&facts, &evidence, false).unwrap().with_hold(other.hold());
    assert!(open(wrong).map(|_| ()).unwrap_err().what.contains("locked"));
}

#[test]
fn someone_elses_file_is_not_touched() {
    let dir = dir();
    let path = dir.path().join(FILE_NAME);
    // Their data; a header cut short, in the wrong place, for another size, damaged.
    let header = Header { data_bytes: MIB, seed: 1, state: State::Temporary }.encode();
    let mut damaged = header;
    damaged[20] ^= 1;
    let at_the_end =
        |head: &[u8], data: usize| [&vec![7; data][..], head, &vec![0; (1 << 20) - head.len()]].concat();
    for theirs in [
        b"precious".to_vec(),
        header.to_vec(),
        at_the_end(&header[..39], 1 << 20),
        at_the_end(&header, 2 << 20),
        at_the_end(&damaged, 1 << 20),
        vec![0; 2 << 20],
    ] {
        std::fs::write(&path, &theirs).unwrap();
        let problem = create(dir.path(), MIB, 1).map(|_| ()).unwrap_err();
        assert_eq!(problem.kind, ExitKind::Refused);
        assert!(problem.what.contains("not touched"), "{problem}");
        assert!(bytes_of(&path) == theirs, "the file changed");
        assert!(!look(&path).contains(&Evidence::OurScratchFile));
    }
    // An empty one may be another run's that is just being made: it is left to that run.
    std::fs::write(&path, b"").unwrap();
    assert_eq!(create(dir.path(), MIB, 1).unwrap().path(), dir.path().join("rigel-scratch-2.dat"));
    assert!(bytes_of(&path).is_empty());
}

#[test]
fn links_and_directories_by_the_name_are_refused() {
    let dir = dir();
    let real = create(dir.path(), MIB, 1).unwrap();
    let sub = dir.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    std::os::unix::fs::symlink(real.path(), sub.join(FILE_NAME)).unwrap();
    assert_eq!(create(&sub, MIB, 1).map(|_| ()).unwrap_err().kind, ExitKind::Refused);
    assert!(real.path().exists());
    let taken = dir.path().join("taken");
    std::fs::create_dir_all(taken.join(FILE_NAME)).unwrap();
    assert_eq!(create(&taken, MIB, 1).map(|_| ()).unwrap_err().kind, ExitKind::Refused);
    assert_eq!(create(&dir.path().join("none"), MIB, 1).map(|_| ()).unwrap_err().kind, ExitKind::Usage);
    let missing = dir.path().join("none").join(FILE_NAME);
    assert_eq!(create(&missing, MIB, 1).map(|_| ()).unwrap_err().kind, ExitKind::Refused);
}

#[test]
fn it_takes_the_name_and_the_header() {
    let dir = dir();
    let scratch = create(dir.path(), MIB, 1).unwrap();
    let copy = dir.path().join("data.dbf");
    std::fs::copy(scratch.path(), &copy).unwrap();
    assert!(!look(&copy).contains(&Evidence::OurScratchFile));
    assert_verdict(&copy, Verdict::NeedsConsent);
    // Under a name of ours it is one, whatever link leads to it.
    let numbered = dir.path().join("rigel-scratch-2.dat");
    std::fs::rename(&copy, &numbered).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&numbered, &link).unwrap();
    assert_eq!(look(&link)[..], [Evidence::OurScratchFile]);
    // And the name of a link makes nothing ours.
    let named = dir.path().join("rigel-scratch-3.dat");
    std::fs::rename(&numbered, &copy).unwrap();
    std::os::unix::fs::symlink(&copy, &named).unwrap();
    assert!(!look(&named).contains(&Evidence::OurScratchFile));
}

#[test]
fn a_stopped_fill_leaves_nothing() {
    let dir = dir();
    let stop = AtomicBool::new(false);
    let mut progress = |_, _| stop.store(true, Ordering::Relaxed);
    let made = ScratchFile::create(dir.path(), &wish(64 * MIB, 1), &mut progress, &stop);
    let problem = made.map(|_| ()).unwrap_err();
    assert_eq!(problem.kind, ExitKind::CutShort);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_killed_fill_is_known_as_ours() {
    let dir = dir();
    let path = killed(create(dir.path(), MIB, 5).unwrap());
    // What is there while it is being filled.
    let filling = Header { data_bytes: MIB, seed: 5, state: State::Filling };
    poke(&path, MIB, &filling.encode());
    poke(&path, 0, &vec![0; 1 << 20]);
    assert!(!look(&path).contains(&Evidence::OurScratchFile));
    assert_eq!(left_there(dir.path(), None), None);
    let again = create(dir.path(), MIB, 6).unwrap();
    assert_eq!((again.reused, again.header.seed, again.path()), (false, 6, path.as_path()));
}

#[test]
fn direct_io_is_tried_before_the_fill() {
    let name = "direct_io_is_tried_before_the_fill";
    let dir = dir();
    let Some((_mounted, ram)) = needs(name, MountGuard::ramfs(&dir)) else { return };
    let mut fills = 0;
    let direct = ScratchRequest { direct: true, ..wish(MIB, 1) };
    let made = ScratchFile::create(&ram, &direct, &mut |_, _| fills += 1, &AtomicBool::new(false));
    let problem = made.unwrap_err();
    assert!(problem.to_string().contains("O_DIRECT") && fills == 0, "{problem}");
    assert!(problem.to_string().contains("--buffered"), "{problem}");
    assert!(names(&ram).is_empty());
}

#[test]
fn only_the_file_itself_is_removed() {
    let dir = dir();
    let scratch = create(dir.path(), MIB, 1).unwrap();
    let path = scratch.path().to_owned();
    std::fs::rename(&path, dir.path().join("away")).unwrap();
    std::fs::write(&path, b"precious").unwrap();
    assert_eq!(scratch.put_away().unwrap_err().kind, ExitKind::Refused);
    assert_eq!(bytes_of(&path), b"precious");
}

#[test]
fn sizes_and_names_that_cannot_be() {
    let dir = dir();
    for size in [0, 4095, MIB + 1] {
        assert_eq!(create(dir.path(), size, 1).map(|_| ()).unwrap_err().kind, ExitKind::Usage);
    }
    let named = create(&dir.path().join("scratch.dat"), MIB, 1).map(|_| ()).unwrap_err();
    assert_eq!(named.kind, ExitKind::Usage);
    let named = dir.path().join("rigel-scratch-a.dat");
    let file = create(&named, MIB, 1).unwrap();
    assert_eq!(names(dir.path()), ["rigel-scratch-a.dat"]);
    // A name that was chosen is not exchanged for another one.
    assert!(create(&named, MIB, 1).map(|_| ()).unwrap_err().what.contains("locked"));
    drop(file);
}

#[test]
fn a_full_filesystem() {
    let dir = dir();
    let room = free_bytes(dir.path()).unwrap();
    let problem = create(dir.path(), (room / MIB + 1024) * MIB, 1).map(|_| ()).unwrap_err();
    assert!(problem.cause.clone().unwrap().contains("are free"), "{problem}");
    assert!(names(dir.path()).is_empty());

    let name = "a_full_filesystem";
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    let Some(device) = needs(name, loop_on(&image)) else { return };
    let point = dir.path().join("m");
    let Some(_mounted) = needs(name, MountGuard::mount(device.path(), &point, "rw")) else { return };
    let room = free_bytes(&point).unwrap() / 4096 * 4096;
    let problem = create(&point, room + 4096, 1).map(|_| ()).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Refused);
    assert!(problem.cause.clone().unwrap().contains("are needed"), "{problem}");
    assert_eq!(names(&point), ["lost+found"]);
    create(&point, 2 * MIB, 1).unwrap();
}

#[test]
fn a_fill_in_progress_is_left_alone() {
    let dir = dir();
    let mut second = None;
    let mut progress = |_, _| {
        second.get_or_insert_with(|| create(dir.path(), 8 * MIB, 2).unwrap());
    };
    let never = AtomicBool::new(false);
    let first = ScratchFile::create(dir.path(), &wish(8 * MIB, 1), &mut progress, &never).unwrap();
    assert_eq!(first.header.seed, 1);
    assert_eq!(second.unwrap().path(), dir.path().join("rigel-scratch-2.dat"));
    assert_eq!(check_block(1, 4096, &bytes_of(first.path())[4096..8192]), Ok(()));
}
