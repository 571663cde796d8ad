//! Files that are what a real program made of them, or have its layout where the program cannot be had: a table.

use crate::making::{Image, TargetMaker};

const MIB: u64 = 1 << 20;

const fn tool(name: &'static str, mib: u64, commands: &'static [&'static str]) -> Image {
    Image { name, bytes: mib * MIB, by: TargetMaker::Tool(commands) }
}

/// Bytes at offsets; a negative offset counts from the end.
const fn bytes(name: &'static str, mib: u64, pieces: &'static [(i64, &'static [u8])]) -> Image {
    Image { name, bytes: mib * MIB, by: TargetMaker::Layout(pieces) }
}

/// `$F` is the file, which has its size already; each line goes to `sh -e`.
pub const IMAGES: &[Image] = &[
    tool("ext2", 8, &["mkfs.ext2 -q -F $F"]),
    tool("ext3", 16, &["mkfs.ext3 -q -F $F"]),
    tool("ext4", 16, &["mkfs.ext4 -q -F $F"]),
    tool("ext4 with a label", 16, &["mkfs.ext4 -q -F -L pgdata $F"]),
    tool(
        "ext4 with a damaged superblock",
        16,
        &["mkfs.ext4 -q -F $F", "printf x | dd of=$F bs=1 seek=1100 conv=notrunc"],
    ),
    tool("journal of ext4", 16, &["mkfs.ext4 -q -F -O journal_dev $F"]),
    tool("xfs", 64, &["mkfs.xfs -q -f --unsupported $F"]),
    tool("btrfs", 32, &["mkfs.btrfs -q -f --mixed $F"]),
    tool("vfat of 12 bits", 4, &["mkfs.vfat -F 12 $F"]),
    tool("vfat of 16 bits", 16, &["mkfs.vfat -F 16 $F"]),
    tool("vfat of 32 bits", 48, &["mkfs.vfat -F 32 $F"]),
    tool("exfat", 8, &["mkfs.exfat $F"]),
    tool("ntfs", 8, &["mkfs.ntfs -q -Q -F $F"]),
    tool("f2fs", 64, &["mkfs.f2fs -q -f $F"]),
    tool("nilfs2", 160, &["mkfs.nilfs2 -q $F"]),
    tool("jfs", 16, &["mkfs.jfs -q $F"]),
    tool("udf", 8, &["mkudffs $F"]),
    tool("reiserfs", 64, &["mkreiserfs -q -f -f $F"]),
    tool("squashfs", 1, &["mksquashfs /etc/ssl $F -noappend -quiet"]),
    tool("erofs", 1, &["mkfs.erofs $F /etc/ssl"]),
    tool("iso9660", 1, &["xorriso -as mkisofs -quiet -o $F /etc/ssl"]),
    tool("swap area", 4, &["mkswap $F"]),
    tool(
        "LUKS 1",
        8,
        &["printf x | cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 $F -"],
    ),
    tool(
        "LUKS 2",
        32,
        &[
            "printf x | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $F -",
        ],
    ),
    tool(
        "LUKS 2 that lost its first header",
        32,
        &[
            "printf x | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $F -",
            "dd if=/dev/zero of=$F bs=4096 count=1 conv=notrunc",
        ],
    ),
    tool("dm-verity", 4, &["veritysetup format /bin/sh $F"]),
    tool("bcache backing device", 16, &["make-bcache -B $F"]),
    tool("bcache cache", 128, &["make-bcache -C $F"]),
    tool("gpt", 8, &["printf 'label: gpt\\n,2M\\n,2M\\n' | sfdisk -q $F"]),
    tool("gpt without partitions", 8, &["printf 'label: gpt\\n' | sfdisk -q $F"]),
    tool(
        "gpt that lost its first copy",
        8,
        &["printf 'label: gpt\\n,2M\\n' | sfdisk -q $F", "dd if=/dev/zero of=$F bs=1M count=1 conv=notrunc"],
    ),
    tool("mbr", 8, &["printf 'label: dos\\n,2M\\n' | sfdisk -q $F"]),
    tool("hybrid of gpt and mbr", 8, &["sgdisk -n 1:2048:+2M $F", "sgdisk -h 1:EE $F"]),
    tool("sun label", 8, &["printf 'label: sun\\n' | sfdisk -q $F"]),
    tool("sgi label", 8, &["printf 'label: sgi\\n' | sfdisk -q $F"]),
    tool("bsd label", 8, &["parted -s $F mklabel bsd"]),
    tool("mac label", 8, &["parted -s $F mklabel mac"]),
    tool("qcow2", 0, &["rm $F", "qemu-img create -q -f qcow2 -o preallocation=metadata $F 64M"]),
    tool("vmdk", 0, &["rm $F", "qemu-img create -q -f vmdk $F 64M"]),
    tool("vhdx", 0, &["rm $F", "qemu-img create -q -f vhdx $F 64M"]),
    tool("tar archive", 0, &["head -c 3M /dev/urandom > $F.part", "tar cf $F $F.part", "rm $F.part"]),
    tool("gzip archive", 0, &["head -c 3M /dev/urandom | gzip > $F"]),
    tool("xz archive", 0, &["head -c 3M /dev/urandom | xz -0 > $F"]),
    tool("zstd archive", 0, &["head -c 3M /dev/urandom | zstd -q -c > $F"]),
    tool(
        "SQLite database",
        0,
        &["rm $F", "sqlite3 $F 'create table t(x); insert into t values(zeroblob(3000000));'"],
    ),
    // The real files of a server are in `standing`.
    bytes("md member 0.90", 8, &[(-65536, b"\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0")]),
    bytes("md member 1.0", 8, &[(-8192, b"\xfc\x4e\x2b\xa9\x01\0\0\0")]),
    bytes("md member 1.1", 8, &[(0, b"\xfc\x4e\x2b\xa9\x01\0\0\0")]),
    bytes("md member 1.2", 8, &[(4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0")]),
    // The uberblock of each of the four labels of 256 KiB.
    bytes(
        "zfs labels",
        8,
        &[
            (0x20000, b"\x0c\xb1\xba\0\0\0\0\0\x88\x13"),
            (0x60000, b"\x0c\xb1\xba\0\0\0\0\0\x88\x13"),
            (-0x60000, b"\x0c\xb1\xba\0\0\0\0\0\x88\x13"),
            (-0x20000, b"\x0c\xb1\xba\0\0\0\0\0\x88\x13"),
        ],
    ),
    bytes("zfs label at the end only", 8, &[(-0x20000, b"\x0c\xb1\xba\0\0\0\0\0\x88\x13")]),
    bytes("Oracle ASM disk", 8, &[(0, b"\x01\x82\x01\x01"), (32, b"ORCLDISK"), (40, b"VOL1")]),
    bytes("Oracle ASM disk without a name", 8, &[(0, b"\x01\x82\x01\x01"), (32, b"ORCLDISK")]),
    bytes(
        "Oracle data file",
        8,
        &[(0, b"\0\xa2\0\0\0\0\xc0\xff"), (8192, b"\x0b\xa2\0\0\x01\0\0\0"), (-8192, b"\x06\xa2\0\0")],
    ),
    bytes("Oracle redo log", 8, &[(0, b"\0\x22\0\0\0\0\xc0\xff"), (512, b"\x01\x22\0\0")]),
    bytes("InnoDB system tablespace", 12, &[(26, b"\0\x08"), (16384 + 24, b"\0\x05"), (-16384, b"\x7f")]),
    bytes("InnoDB tablespace, first page zero", 12, &[(16384 + 24, b"\0\x05\x45\xbf")]),
    bytes("one byte in the last block", 24, &[(-1, b"\x01")]),
    bytes("one byte in the middle", 24, &[(12 * 1_048_576 + 2049, b"\x01")]),
    bytes("one byte at the start", 24, &[(0, b"\x01")]),
    bytes("one byte behind the first four MiB", 24, &[(4 * 1_048_576, b"\x80")]),
    tool("random data", 4, &["head -c 4M /dev/urandom > $F"]),
    tool("a size that is no whole block", 0, &["head -c 4194305 /dev/urandom > $F"]),
    tool("one byte behind the last whole block", 0, &["truncate -s 4M $F", "printf x >> $F"]),
    tool("the name of a scratch file", 4, &["head -c 4M /dev/urandom > $F"]),
];
