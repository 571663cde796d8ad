//! Which copy is right: pages of a real PostgreSQL server, and blocks that Rigel wrote.

use super::{flip, open, ranges};
use crate::support::Place;
use rigel_testdev::{DeviceSpec, MissingNeed, PostgresServer, TestDevice, needs};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

/// A table of some hundred pages with checksums, as the file that the server keeps it in; one for all tests.
fn table(test: &str) -> Option<&'static [u8]> {
    static TABLE: OnceLock<Result<Vec<u8>, MissingNeed>> = OnceLock::new();
    let made = TABLE.get_or_init(made).as_ref();
    needs(test, made.map(Vec::as_slice).map_err(MissingNeed::new))
}

fn made() -> Result<Vec<u8>, MissingNeed> {
    let mut server = PostgresServer::start("")?;
    server.enable_checksums()?;
    let sql = "CREATE TABLE t AS SELECT g, repeat(md5(g::text), 8) FROM generate_series(1, 12000) g";
    server.ask(sql).unwrap();
    server.ask("CHECKPOINT").unwrap();
    assert_eq!(server.ask("SHOW data_checksums").unwrap(), "on");
    let path = server.ask("SELECT pg_relation_filepath('t')").unwrap();
    server.stop();
    Ok(fs::read(server.data().join(path)).unwrap())
}

fn judged(document: &Value, range: usize) -> (Option<u64>, String, String) {
    let judged = &document["differences"][range]["judged"][0];
    let text = |field: &str| judged[field].as_str().unwrap().to_owned();
    (judged["right"].as_u64(), text("by"), text("certainty"))
}

/// As files, where the place tells the block's number, and inside of something else, where only the neighbours do.
#[test]
fn pages_of_a_server_name_the_right_leg() {
    let Some(table) = table("pages_of_a_server_name_the_right_leg") else { return };
    assert!(table.len() > 100 * 8192, "{}", table.len());
    let place = Place::new();
    for lead in [0_u64, 3 * 4096] {
        // What is before the table is alike, and no page.
        let bytes = [vec![0xa5; usize::try_from(lead).unwrap()], table.to_vec()].concat();
        for name in ["16384", "copy"] {
            fs::write(place.path().join(name), &bytes).unwrap();
        }
        // A flipped bit on A; on B a torn page, and one of another place.
        flip(&place, "16384", lead + 20 * 8192 + 5000);
        open(&place, "copy").write_all_at(&[0; 4096], lead + 50 * 8192 + 4096).unwrap();
        open(&place, "copy").write_all_at(&table[8192..2 * 8192], lead + 80 * 8192).unwrap();
        let kept = format!("from_{lead}.json");
        let told = place.line(&format!("scrub 16384 copy --json --quiet --state {kept}")).expect_code(1);
        let document = told.json();
        assert_eq!(ranges(&document).len(), 3, "{document}");
        // A whole page of another block may as well be what was written there later.
        for (range, right, certainty) in [(0, 1, "certain"), (1, 0, "certain"), (2, 0, "likely")] {
            let expected = (Some(right), "postgresql".to_owned(), certainty.to_owned());
            assert_eq!(judged(&document, range), expected, "lead {lead}: {document}");
        }
        let why = document["differences"][0]["judged"][0]["why"].as_str().unwrap();
        assert!(why.contains("block 20"), "{why}");
        let text = place.line(&format!("scrub --resume {kept} --quiet")).expect_code(1).stdout;
        assert!(text.contains("PostgreSQL page, 8192 bytes at") && text.contains("B is right"), "{text}");
    }
}

/// On a device only the pages beside it tell the number of a page, also where one leg cannot be read there.
#[test]
fn a_leg_that_cannot_be_read_is_judged_by_what_is_beside() {
    let test = "a_leg_that_cannot_be_read_is_judged_by_what_is_beside";
    let Some(table) = table(test) else { return };
    let spec = DeviceSpec { size_bytes: 16 << 20, ..DeviceSpec::default() };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    let (place, lead) = (Place::new(), 3 * 4096_u64);
    let disk = device.disk();
    fs::OpenOptions::new().write(true).open(&disk).unwrap().write_all_at(table, lead).unwrap();
    fs::copy(&disk, place.path().join("copy")).unwrap();
    device.command(&format!("eio {} 8192", lead + 20 * 8192)).unwrap();
    let told = place.rigel(["scrub", disk.to_str().unwrap(), "copy", "--json", "--quiet"]).expect_code(1);
    let document = told.json();
    assert_eq!(ranges(&document), [(lead + 20 * 8192, 8192)], "{document}");
    let expected = (Some(1), "postgresql".to_owned(), "certain".to_owned());
    assert_eq!(judged(&document, 0), expected, "{document}");
}

#[test]
fn blocks_of_a_scratch_file_name_the_right_leg() {
    let place = Place::new();
    let run = "run advanced --matrix point --num-small 1 --num-large 0 --scratch-size 16M --keep-scratch --duration 100ms";
    place.line(&format!("{run} --quiet --no-html")).expect_measured();
    let file = "rigel-scratch.dat";
    fs::copy(place.path().join(file), place.path().join("copy.dat")).unwrap();
    flip(&place, "copy.dat", (10 << 20) + 3000);
    let document = place.line(&format!("scrub {file} copy.dat --json --quiet")).expect_code(1).json();
    assert_eq!(judged(&document, 0), (Some(0), "rigel".to_owned(), "certain".to_owned()), "{document}");
}

/// A soak writes blocks that say what they are; nobody needs its record.
#[test]
fn blocks_of_a_soak_name_the_right_leg() {
    let place = Place::new();
    fs::write(place.path().join("data"), vec![0; 2 << 20]).unwrap();
    let load = "load = \"rigel.load/1\"\n[[class]]\nname = \"data\"\nsize = \"8K\"\nwrite = 50\nverify = true\narrival = { outstanding = 8 }\n";
    fs::write(place.path().join("load.toml"), load).unwrap();
    let soak = "soak --load load.toml data --destroy-data data --for 1s --every 1s --quiet --no-html";
    place.line(soak).expect_code(0);
    fs::copy(place.path().join("data"), place.path().join("copy")).unwrap();
    // A busy host may not have written all of it.
    let bytes = fs::read(place.path().join("copy")).unwrap();
    let at =
        bytes.chunks(4096).position(|block| block.starts_with(b"RigelVer")).expect("a block was written");
    flip(&place, "copy", at as u64 * 4096 + 3000);
    let document = place.line("scrub data copy --json --quiet").expect_code(1).json();
    assert_eq!(judged(&document, 0), (Some(0), "rigel".to_owned(), "certain".to_owned()), "{document}");
}
