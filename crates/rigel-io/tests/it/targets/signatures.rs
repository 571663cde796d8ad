//! What libblkid and the table of our own find. The images are made by the real tools where they are likely to be there,
//! and by hand from the formats' documentation where not.

use super::support::{
    MIB, Partition, assert_verdict, dir, ext4_image, look, loop_on, poke, signatures, sparse, tool,
};
use rigel_core::guard::safety::{Evidence, Verdict};
use rigel_testdev::{MissingNeed, needs};
use std::path::{Path, PathBuf};

fn blkid_is_here() -> Result<(), MissingNeed> {
    let unknown = |e: &Evidence| matches!(e, Evidence::SignaturesUnknown { .. });
    let dir = dir();
    let image = sparse(&dir, "image", 4 * MIB);
    poke(&image, 0, b"x");
    if look(&image).iter().any(unknown) { Err(MissingNeed::new("no libblkid")) } else { Ok(()) }
}

/// Makes an image with bytes at places and says what is found in it.
fn found_in(name: &str, size: u64, pieces: &[(u64, &[u8])]) -> Vec<(String, String)> {
    let dir = dir();
    let image: PathBuf = sparse(&dir, name, size);
    for (at, bytes) in pieces {
        poke(&image, *at, bytes);
    }
    assert_verdict(&image, Verdict::NeedsConsent);
    let found = look(&image);
    signatures(&found).into_iter().map(|(usage, kind)| (usage.to_owned(), kind.to_owned())).collect()
}

/// Which checksums libblkid looks at depends on its version.
fn without_checksum(usage: &str) -> &str {
    usage.trim_end_matches(" (wrong checksum)")
}

fn assert_found(name: &str, size: u64, pieces: &[(u64, &[u8])], expected: &[(&str, &str)]) {
    let found = found_in(name, size, pieces);
    let found: Vec<(&str, &str)> =
        found.iter().map(|(usage, kind)| (without_checksum(usage), kind.as_str())).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn an_ext4_with_its_label_and_place() {
    let dir = dir();
    let Some(image) = needs("an_ext4_with_its_label_and_place", ext4_image(&dir, "image")) else { return };
    let Some(()) = needs("an_ext4_with_its_label_and_place", blkid_is_here()) else { return };
    let found = look(&image);
    let expected = Evidence::Signature {
        usage: "filesystem".into(),
        kind: "ext4".into(),
        label: Some("precious".into()),
        offset: Some(1080),
    };
    assert!(found.contains(&expected), "{found:?}");
    assert!(matches!(found[..], [_, Evidence::HoldsData { .. }]), "{found:?}");
    assert_verdict(&image, Verdict::NeedsConsent);
}

#[test]
fn all_of_several_signatures_are_shown() {
    let name = "all_of_several_signatures_are_shown";
    let dir = dir();
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    let Some(()) = needs(name, blkid_is_here()) else { return };
    poke(&image, 0, &mbr());
    poke(&image, 32, b"ORCLDISKVOL1");
    let found = look(&image);
    let expected = [("filesystem", "ext4"), ("volume manager", "oracleasm"), ("partition table", "dos")];
    assert_eq!(signatures(&found), expected);
}

#[test]
fn a_swap_area() {
    let dir = dir();
    let image = sparse(&dir, "swap", 4 * MIB);
    let Some(_) = needs("a_swap_area", tool("mkswap", &[image.as_ref()])) else { return };
    let Some(()) = needs("a_swap_area", blkid_is_here()) else { return };
    assert_eq!(signatures(&look(&image)), [("swap area", "swap")]);
}

/// One Linux partition from sector 2048 on.
fn mbr() -> [u8; 512] {
    let mut sector = [0; 512];
    sector[446..462].copy_from_slice(&[0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0]);
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// A GPT header (UEFI specification, 5.3.2) for a disk of so many sectors, with an empty table after it.
fn gpt(sectors: u64) -> [u8; 512] {
    let mut header = [0; 512];
    header[..16].copy_from_slice(b"EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00");
    for (at, value) in [(24, 1), (32, sectors - 1), (40, 34), (48, sectors - 34), (72, 2)] {
        header[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
    }
    header[56..72].copy_from_slice(&[7; 16]);
    for (at, value) in [(80, 128), (84, 128), (88, crc32(&[0; 128 * 128]))] {
        header[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
    }
    let crc = crc32(&header[..92]);
    header[16..20].copy_from_slice(&crc.to_le_bytes());
    header
}

#[test]
fn partition_tables() {
    let Some(()) = needs("partition_tables", blkid_is_here()) else { return };
    assert_found("mbr", 4 * MIB, &[(0, &mbr())], &[("partition table", "dos")]);
    let mut protective = mbr();
    protective[450] = 0xee;
    let header = gpt(4 * MIB / 512);
    assert_found("gpt", 4 * MIB, &[(0, &protective), (512, &header)], &[("partition table", "gpt")]);
    // As after a careless dd over the first sector.
    assert_found("gpt alone", 4 * MIB, &[(512, &header)], &[("partition table", "gpt")]);
}

/// md superblock 1.x (linux/raid/md_p.h) with a wrong checksum, as a damaged one has.
fn md(super_sector: u64) -> Vec<u8> {
    let mut block = vec![0; 256];
    block[..8].copy_from_slice(b"\xfc\x4e\x2b\xa9\x01\x00\x00\x00");
    block[16..32].copy_from_slice(&[9; 16]);
    block[144..152].copy_from_slice(&super_sector.to_le_bytes());
    block
}

#[test]
fn members_of_arrays_and_volume_groups() {
    let Some(()) = needs("members_of_arrays_and_volume_groups", blkid_is_here()) else { return };
    let size = 16 * MIB;
    let lvm = [b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001".as_slice(), &[b'a'; 32]].concat();
    assert_found("lvm", size, &[(512, &lvm)], &[("volume manager", "LVM2_member")]);

    let mut luks = [0; 592];
    luks[..8].copy_from_slice(b"LUKS\xba\xbe\x00\x01");
    luks[168..204].copy_from_slice(b"01234567-89ab-cdef-0123-456789abcdef");
    assert_found("luks", size, &[(0, &luks)], &[("crypto", "crypto_LUKS")]);

    let expected = [("raid", "linux_raid_member")];
    assert_found("md 1.2", size, &[(4096, &md(8))], &expected);
    // Version 1.0 has it 8 KiB before the end: looking at the beginning alone would not see it.
    let sector = (size / 512 - 16) & !7;
    assert_found("md 1.0", size, &[(sector * 512, &md(sector))], &expected);
}

#[test]
fn disks_of_oracle_asm() {
    // With ASMLib the name of the disk follows, without it nothing does.
    for header in [&b"ORCLDISKDATA01"[..], b"ORCLDISK"] {
        assert_found("asm", 4 * MIB, &[(32, header)], &[("volume manager", "oracleasm")]);
    }
    // Too small for libblkid to look at.
    assert_found("tiny", 64, &[(32, b"ORCLDISK")], &[("volume manager", "oracleasm")]);
}

#[test]
fn database_files() {
    assert_found("db", 4 * MIB, &[(0, b"SQLite format 3\0\x10\0")], &[("database file", "sqlite3")]);
}

#[test]
fn what_is_in_a_partition() {
    let name = "what_is_in_a_partition";
    let dir = dir();
    let inner = needs(name, ext4_image(&dir, "inner"));
    let (Some(inner), Some(())) = (inner, needs(name, blkid_is_here())) else { return };
    let outer = sparse(&dir, "outer", 20 * MIB);
    poke(&outer, 0, &mbr());
    poke(&outer, MIB, &std::fs::read(&inner).unwrap());
    let Some(device) = needs(name, loop_on(&outer)) else { return };
    let Some(partition) = needs(name, Partition::add(device.path(), 17)) else { return };
    let part_name = partition.path.file_name().unwrap().to_str().unwrap();
    let found = look(device.path());
    let expected = Evidence::Signature {
        usage: format!("filesystem in {part_name}"),
        kind: "ext4".into(),
        label: Some("precious".into()),
        offset: Some(MIB + 1080),
    };
    assert!(found.contains(&expected), "{found:?}");
    assert!(found.contains(&Evidence::Partitions { names: vec![part_name.to_owned()] }), "{found:?}");
    assert_eq!(signatures(&look(&partition.path)), [("filesystem", "ext4")]);
    assert_verdict(Path::new(&partition.path), Verdict::NeedsConsent);
}
