//! Packages of `rigel-mpi`, a program of its own because it needs MPI: the one that it was linked with, which is Open MPI here.
//!
//! Must not be made where MPI is not installed.

use super::{Release, binary, licences, linux_packages, parts, parts::Part, sbom, stage, tools::Tools};
use crate::mpi::{PACKAGE, can_be_built};
use linux_packages::{KINDS, Needs, Package};

/// Where a package has them. Enterprise Linux keeps the programs of each MPI in a directory, which
/// `module load mpi/openmpi-x86_64` adds to the search path together with that of the library.
const PLACES: [(&str, &str); 2] = [("deb", "usr/bin"), ("rpm", "usr/lib64/openmpi/bin")];
/// The first starts the second, which is next to it.
const PROGRAMS: [&str; 2] = [PACKAGE, "rigel-mpi-node"];

const DOCUMENTS: &str = "/usr/share/doc/rigel-mpi";

/// Builds and packs it.
pub fn make(release: &Release, tools: &Tools) -> anyhow::Result<()> {
    let name = release.architecture.name;
    if !release.architecture.is_native() {
        release
            .cannot(&format!("mpi: MPI for {name} is not linked on another processor: no package is made"));
        return Ok(());
    }
    if !can_be_built() {
        return release
            .leave_out("mpi: MPI is not installed here (libopenmpi-dev, libclang-dev): no package is made");
    }
    anyhow::ensure!(
        binary::make(release, tools, PACKAGE, &PROGRAMS)?,
        "{PACKAGE} is too large, or needs a newer C library"
    );
    let parts = parts::of(release, tools, &["--package", PACKAGE])?;
    sbom::write(release, PACKAGE, PACKAGE, &parts)?;
    let library = format!("libmpi.so.40()(64bit)(openmpi-{name})");
    for kind in KINDS {
        let package = package(release, &parts, kind, &library)?;
        linux_packages::write(release, tools, &package, kind, super::VERSION)?;
    }
    Ok(())
}

fn package<'a>(
    release: &Release,
    parts: &[Part],
    kind: &str,
    library: &'a str,
) -> anyhow::Result<Package<'a>> {
    let tree = release.work.join(format!("mpi-{kind}"));
    for (_, place) in PLACES.iter().filter(|(of, _)| *of == kind) {
        for program in PROGRAMS {
            stage::put(&binary::program(release, program), &tree.join(place).join(program), 0o755)?;
        }
    }
    let documents = tree.join(&DOCUMENTS[1..]);
    stage::documents(release, &documents)?;
    stage::put(&release.root.join("docs/guide/cluster.md"), &documents.join("cluster.md"), 0o644)?;
    licences::write(&documents, parts)?;
    stage::settle(release, &tree)?;
    Ok(Package {
        name: PACKAGE.to_owned(),
        summary: "one load on storage from many hosts at once",
        description: "Commands and options are those of rigel. MPI (Open MPI) starts it on every host:\n\
                      mpirun --hostfile hosts --map-by ppr:1:node rigel-mpi run oltp /dev/mapper/data",
        tree,
        directories: &[DOCUMENTS],
        shared: &[],
        needs: Needs {
            deb: vec!["libc6 (>= 2.17)", "openmpi-bin"],
            rpm: vec!["glibc >= 2.17", library],
            deb_recommends: vec!["libblkid1"],
        },
        scripts: &[],
    })
}
