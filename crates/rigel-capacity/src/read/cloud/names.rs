//! The names of cloud metrics, and what they are about.
//!
//! Must not read an answer.

use crate::Metric;

/// The meaning of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meant {
    /// A sum over the period.
    Sum(Metric),
    /// The same for all volumes of an instance together.
    SumOfVolumes(Metric),
    /// The same for the disks within the machine of an instance.
    SumOfStore(Metric),
    /// Seconds without I/O, as a sum.
    Idle,
    /// A mean rate of a database.
    Mean(Metric),
    /// A mean rate of a disk.
    Rate(Metric),
}

/// The disk of a metric of Azure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Data,
    System,
    ManagedDisk,
    All,
}

/// As labels name them, if the query asks for that.
pub const STATISTICS: [&str; 5] = ["Sum", "Average", "Minimum", "Maximum", "SampleCount"];

/// Volumes of EBS, instances of EC2, and databases of RDS.
const CLOUD_WATCH: [(&str, Meant); 19] = [
    ("VolumeReadOps", Meant::Sum(Metric::ReadOps)),
    ("VolumeWriteOps", Meant::Sum(Metric::WriteOps)),
    ("VolumeReadBytes", Meant::Sum(Metric::ReadBytes)),
    ("VolumeWriteBytes", Meant::Sum(Metric::WriteBytes)),
    ("VolumeTotalReadTime", Meant::Sum(Metric::ReadTime)),
    ("VolumeTotalWriteTime", Meant::Sum(Metric::WriteTime)),
    ("VolumeIdleTime", Meant::Idle),
    ("EBSReadOps", Meant::SumOfVolumes(Metric::ReadOps)),
    ("EBSWriteOps", Meant::SumOfVolumes(Metric::WriteOps)),
    ("EBSReadBytes", Meant::SumOfVolumes(Metric::ReadBytes)),
    ("EBSWriteBytes", Meant::SumOfVolumes(Metric::WriteBytes)),
    ("DiskReadOps", Meant::SumOfStore(Metric::ReadOps)),
    ("DiskWriteOps", Meant::SumOfStore(Metric::WriteOps)),
    ("DiskReadBytes", Meant::SumOfStore(Metric::ReadBytes)),
    ("DiskWriteBytes", Meant::SumOfStore(Metric::WriteBytes)),
    ("ReadIOPS", Meant::Mean(Metric::ReadOps)),
    ("WriteIOPS", Meant::Mean(Metric::WriteOps)),
    ("ReadThroughput", Meant::Mean(Metric::ReadBytes)),
    ("WriteThroughput", Meant::Mean(Metric::WriteBytes)),
];

/// The meaning of a metric of CloudWatch.
pub fn of_cloud_watch(name: &str) -> Option<Meant> {
    CLOUD_WATCH.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant)
}

/// The meaning of a metric of Azure: of virtual machines and of managed disks.
pub fn of_azure(name: &str) -> Option<(Of, Meant)> {
    let name = name.to_ascii_lowercase();
    let kinds = [
        ("data disk ", Of::Data),
        ("os disk ", Of::System),
        ("composite disk ", Of::ManagedDisk),
        ("disk ", Of::All),
    ];
    let (of, rest) = kinds.iter().find_map(|(kind, of)| Some((*of, name.strip_prefix(kind)?)))?;
    let meant = match (of, rest) {
        (_, "read operations/sec") => Meant::Rate(Metric::ReadOps),
        (_, "write operations/sec") => Meant::Rate(Metric::WriteOps),
        (_, "read bytes/sec") => Meant::Rate(Metric::ReadBytes),
        (_, "write bytes/sec") => Meant::Rate(Metric::WriteBytes),
        (Of::All, "read bytes") => Meant::Sum(Metric::ReadBytes),
        (Of::All, "write bytes") => Meant::Sum(Metric::WriteBytes),
        _ => return None,
    };
    Some((of, meant))
}

/// The volume of a label such as `vol-0abc VolumeReadOps Sum 300`, otherwise that in the name of the file.
pub fn volume(label: &[&str], metric: &str, file: Option<&str>) -> Option<String> {
    let of_label = label.iter().find(|word| word.starts_with("vol-"));
    let is_other = |word: &&&str| {
        **word != metric && !STATISTICS.contains(word) && !word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let of_label = of_label.or_else(|| label.iter().find(is_other)).map(ToString::to_string);
    of_label.or_else(|| {
        let behind = file?.split_once("vol-")?.1;
        let end = behind.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(behind.len());
        (end > 0).then(|| format!("vol-{}", &behind[..end]))
    })
}

/// The instance of a label such as `i-0abc EBSReadOps`, otherwise that in the name of the file.
pub fn instance(label: &[&str], file: Option<&str>) -> Option<String> {
    let is_instance = |word: &&&str| word.strip_prefix("i-").is_some_and(is_hexadecimal);
    let of_label = label.iter().find(is_instance).map(ToString::to_string);
    let of_file = || {
        file?.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-').find_map(|word| {
            let at = word.find("i-").filter(|at| *at == 0 || word[..*at].ends_with('-'))?;
            let number = word[at + 2..].split('-').next().filter(|number| is_hexadecimal(number))?;
            Some(format!("i-{number}"))
        })
    };
    of_label.or_else(of_file)
}

/// The part that distinguishes an instance or a volume.
fn is_hexadecimal(text: &str) -> bool {
    text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name after a kind in the path of a resource, `../virtualMachines/db1/providers/..`.
pub fn resource(path: &str, kind: &str) -> Option<String> {
    let mut parts = path.split('/');
    parts.find(|part| part.eq_ignore_ascii_case(kind))?;
    parts.next().filter(|name| !name.is_empty()).map(str::to_owned)
}
