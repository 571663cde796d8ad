//! Scratch files: filled, recognised, reused, removed, and never taken for someone else's file.

use super::support::{MIB, Mounted, assert_verdict, bytes_of, dir, ext4_image, look, loop_on, poke, sparse};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::safety::{Evidence, Verdict};
use rigel_core::scratch::{BLOCK_BYTES, FILE_NAME, Header, check_block};
use rigel_io::targets::scratch::{ScratchFile, free_bytes, remove};
use rigel_testdev::needs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

fn create(place: &Path, size: u64, seed: u64) -> Result<ScratchFile, Problem> {
    ScratchFile::create(place, size, seed, &mut |_, _| {}, &AtomicBool::new(false))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_block_is_what_the_seed_says() {
    let dir = dir();
    let size = 9 * MIB + 4096;
    let mut told = Vec::new();
    let mut progress = |done, total| told.push((done, total));
    let scratch = ScratchFile::create(dir.path(), size, 42, &mut progress, &AtomicBool::new(false)).unwrap();
    assert_eq!(scratch.path(), dir.path().join(FILE_NAME));
    assert_eq!((scratch.size_bytes(), scratch.seed(), scratch.reused()), (size, 42, false));
    assert!(told.is_sorted() && told.last() == Some(&(size, size)), "{told:?}");
    let bytes = bytes_of(scratch.path());
    assert_eq!(bytes.len() as u64, size);
    assert_eq!(Header::decode(&bytes), Ok(Header { size_bytes: size, seed: 42 }));
    for (index, block) in bytes.chunks_exact(BLOCK_BYTES).enumerate().skip(1) {
        assert_eq!(check_block(42, (index * BLOCK_BYTES) as u64, block), Ok(()), "block {index}");
    }
    assert_eq!(look(scratch.path())[..], [Evidence::OurScratchFile]);
    assert_verdict(scratch.path(), Verdict::MayWrite);
    scratch.remove().unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_whole_one_is_reused_and_another_size_is_filled_anew() {
    let dir = dir();
    create(dir.path(), MIB, 1).unwrap();
    let mut fills = 0;
    let again =
        ScratchFile::create(dir.path(), MIB, 2, &mut |_, _| fills += 1, &AtomicBool::new(false)).unwrap();
    assert_eq!((again.reused(), again.seed(), fills), (true, 1, 0));
    let other = create(dir.path(), 2 * MIB, 3).unwrap();
    assert_eq!((other.reused(), other.seed(), other.size_bytes()), (false, 3, 2 * MIB));
    assert_eq!(std::fs::metadata(other.path()).unwrap().len(), 2 * MIB);
}

#[test]
fn someone_elses_file_is_not_touched() {
    let dir = dir();
    let path = dir.path().join(FILE_NAME);
    // Their data; a header cut short; a header for another size; a whole one that was damaged.
    let header = Header { size_bytes: 2 * MIB, seed: 1 }.encode();
    let mut damaged = header;
    damaged[20] ^= 1;
    let full = |head: &[u8]| [head, &vec![7; 2 << 20][head.len()..]].concat();
    for theirs in
        [b"precious".to_vec(), header[..39].to_vec(), header.to_vec(), full(&damaged), vec![0; 1 << 20]]
    {
        std::fs::write(&path, &theirs).unwrap();
        for problem in [create(dir.path(), 2 * MIB, 1).map(|_| ()).unwrap_err(), remove(&path).unwrap_err()] {
            assert_eq!(problem.kind, ExitKind::Refused);
            assert!(problem.what.contains("not touched"), "{problem}");
        }
        assert!(bytes_of(&path) == theirs, "the file changed");
        assert!(!look(&path).contains(&Evidence::OurScratchFile));
    }
}

#[test]
fn links_and_directories_by_the_name_are_refused() {
    let dir = dir();
    let real = create(dir.path(), MIB, 1).unwrap();
    let sub = dir.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    std::os::unix::fs::symlink(real.path(), sub.join(FILE_NAME)).unwrap();
    assert_eq!(create(&sub, MIB, 1).map(|_| ()).unwrap_err().kind, ExitKind::Refused);
    remove(&sub.join(FILE_NAME)).unwrap_err();
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
    let problem = remove(&copy).unwrap_err();
    assert!(problem.what.contains("not touched") && copy.exists(), "{problem}");
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
    let problem = ScratchFile::create(dir.path(), 64 * MIB, 1, &mut progress, &stop).map(|_| ()).unwrap_err();
    assert_eq!(problem.kind, ExitKind::CutShort);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_killed_fill_is_known_as_ours() {
    let dir = dir();
    let scratch = create(dir.path(), MIB, 5).unwrap();
    // What is there before the header is.
    poke(scratch.path(), 0, &[0; BLOCK_BYTES]);
    assert!(!look(scratch.path()).contains(&Evidence::OurScratchFile));
    remove(scratch.path()).unwrap_err();
    let again = create(dir.path(), MIB, 6).unwrap();
    assert_eq!((again.reused(), again.seed()), (false, 6));
    // One byte more in its place, and it is not ours.
    poke(again.path(), 0, &[0; BLOCK_BYTES]);
    poke(again.path(), 5000, b"x");
    assert_eq!(create(dir.path(), MIB, 6).map(|_| ()).unwrap_err().kind, ExitKind::Refused);
}

#[test]
fn a_run_may_overwrite_the_header() {
    let dir = dir();
    let scratch = create(dir.path(), MIB, 1).unwrap();
    poke(scratch.path(), 0, &[0xaa; 8192]);
    remove(scratch.path()).unwrap_err();
    scratch.renew_header().unwrap();
    assert_eq!(look(scratch.path())[..], [Evidence::OurScratchFile]);
    poke(scratch.path(), 0, &[0xaa; 8192]);
    scratch.remove().unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn only_the_file_itself_is_removed() {
    let dir = dir();
    let scratch = create(dir.path(), MIB, 1).unwrap();
    let path = scratch.path().to_owned();
    std::fs::rename(&path, dir.path().join("away")).unwrap();
    std::fs::write(&path, b"precious").unwrap();
    assert_eq!(scratch.remove().unwrap_err().kind, ExitKind::Refused);
    assert_eq!(bytes_of(&path), b"precious");
}

#[test]
fn sizes_and_names_that_cannot_be() {
    let dir = dir();
    for size in [0, 4096, MIB + 1] {
        assert_eq!(create(dir.path(), size, 1).map(|_| ()).unwrap_err().kind, ExitKind::Usage);
    }
    let named = create(&dir.path().join("scratch.dat"), MIB, 1).map(|_| ()).unwrap_err();
    assert_eq!(named.kind, ExitKind::Usage);
    create(&dir.path().join("rigel-scratch-a.dat"), MIB, 1).unwrap();
    assert_eq!(names(dir.path()), ["rigel-scratch-a.dat"]);
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
    let Some(_mounted) = needs(name, Mounted::mount(device.path(), &point, "rw")) else { return };
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
    let sparse_file = sparse(&dir, "rigel-scratch-x.dat", MIB);
    std::fs::remove_file(sparse_file).unwrap();
    let mut second = None;
    let mut progress = |_, _| {
        second.get_or_insert_with(|| create(dir.path(), 8 * MIB, 2).map(|_| ()).unwrap_err());
    };
    let first = ScratchFile::create(dir.path(), 8 * MIB, 1, &mut progress, &AtomicBool::new(false)).unwrap();
    assert_eq!(first.seed(), 1);
    let second = second.unwrap();
    assert_eq!(second.kind, ExitKind::Refused);
    assert!(second.what.contains("locked"), "{second}");
    assert_eq!(check_block(1, 4096, &bytes_of(first.path())[4096..8192]), Ok(()));
}
