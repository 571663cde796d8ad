//! Options that take the load of a job from elsewhere, or bring it elsewhere than to storage: without them it would be another load.
//!
//! Must not read a size or a rate.

use super::job::Page;
use super::lines::Line;
use super::wrong;
use crate::error::Problem;
use crate::path_text::printable;

/// Engines that do not read and write storage.
pub const NO_STORAGE: [&str; 9] =
    ["null", "cpuio", "net", "netsplice", "rdma", "exec", "filecreate", "filestat", "filedelete"];
/// Engines that reach storage by a library, without a device or a file on this host.
const REMOTE: [&str; 10] =
    ["rbd", "rados", "http", "libhdfs", "gfapi", "gfapi_async", "libiscsi", "nbd", "nfs", "dfs"];

/// Refuses such a line.
///
/// # Errors
/// With its cause, and what to do.
pub fn check(line: Line<'_>, page: &Page<'_>) -> Result<(), Problem> {
    let value = line.value.unwrap_or_default();
    let typed = || printable(&format!("{}={value}", line.option)).into_owned();
    let refused = |what: &str| wrong(page.name, line.number, format!("'{}' {what}", typed()));
    match line.option {
        "read_iolog" => Err(refused("takes the I/Os of the job from a log")
            .because("a load has rates and sizes, not single I/Os; rw and bs of such a job have no meaning")
            .next("describe the job by rw, bs and rate_iops, or make a load of what iostat or sysstat recorded: `rigel capacity replay`")),
        "profile" => Err(refused("replaces the job with one that is built into fio")
            .because("Rigel does not know what is in it")
            .next("write the jobs of the profile into the file")),
        "ioengine" if NO_STORAGE.contains(&value) => Err(refused("does not read or write storage")
            .because("it is for tests of fio, of the network, of names of files or of the processor")
            .next("remove the job, or give it an engine for storage, such as libaio")),
        "ioengine" if REMOTE.contains(&value) => Err(refused("reaches its storage by a library of its own")
            .because("Rigel measures devices and files of this host")
            .next("map or mount that storage, give the job ioengine=libaio, and name the device or file as the target")),
        _ => Ok(()),
    }
}
