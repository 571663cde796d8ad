//! Three hosts made of namespaces: each has its own network, name and monotonic clock, a thousand seconds apart. mpirun starts the ranks through an agent in the
//! place of ssh. A host has a CPU of its own, as far as there are any. Needs root and a kernel with time namespaces.

use crate::support::{Place, mpirun};
use rigel_testdev::MissingNeed;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const HOSTS: usize = 3;
/// Whoever has it has the namespaces, whose names are the same for all.
static ONE: Mutex<()> = Mutex::new(());

/// Stands in for ssh: enters the network of the host, with its name and its clock.
const AGENT: &str = r#"#!/bin/bash
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
number=${host//[!0-9]/}
ahead=$(( number * 1000 ))
pin="taskset -c $(( number % $(nproc --all) ))"
$pin true || pin=
exec $pin nsenter --net="/run/netns/$host" unshare --uts --time --monotonic "$ahead" --boottime "$ahead" \
    bash -c 'hostname "$0"; exec bash -c "$*"' "$host" "$@"
"#;

/// The hosts; gone when dropped.
pub struct Hosts {
    mpirun: PathBuf,
    _one: MutexGuard<'static, ()>,
}

/// Whether `ip` did it.
pub fn ip(words: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(words.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Hosts {
    pub fn up() -> Result<Self, MissingNeed> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mpirun = mpirun()?;
        let mut trial = Command::new("unshare");
        trial.args(["--net", "--uts", "--time", "--monotonic", "5", "true"]).stderr(Stdio::null());
        if !trial.status().is_ok_and(|status| status.success()) {
            return Err(MissingNeed::new(
                "namespaces of network and time cannot be made here (root, Linux 5.6)",
            ));
        }
        down();
        let hosts = Self { mpirun, _one: one };
        let mut made = ip("link add rglbr0 type bridge")
            && ip("addr add 10.77.20.254/24 dev rglbr0")
            && ip("link set rglbr0 up");
        for host in 1..=HOSTS {
            made = made
                && ip(&format!("netns add rgl{host}"))
                && ip(&format!("link add vrgl{host} type veth peer name eth0 netns rgl{host}"))
                && ip(&format!("link set vrgl{host} master rglbr0 up"))
                && ip(&format!("-n rgl{host} addr add 10.77.20.{host}/24 dev eth0"))
                && ip(&format!("-n rgl{host} link set eth0 up"))
                && ip(&format!("-n rgl{host} link set lo up"));
        }
        if made {
            Ok(hosts)
        } else {
            Err(MissingNeed::new("networks between namespaces cannot be made here (iproute2, veth, bridge)"))
        }
    }

    /// mpirun on the first host, as a script that takes the words.
    pub fn script(&self, place: &Place) -> PathBuf {
        let (agent, script) = (place.path().join("agent.sh"), place.path().join("mpirun.sh"));
        write_program(&agent, AGENT);
        let hosts: Vec<String> = (1..=HOSTS).map(|host| format!("rgl{host}:1")).collect();
        let text = format!(
            "#!/bin/bash\npin=\"taskset -c $(( 1 % $(nproc --all) ))\"\n$pin true || pin=\nexec $pin nsenter --net=/run/netns/rgl1 unshare --uts bash -c 'hostname rgl1; exec \"$@\"' x {} --allow-run-as-root \
             --host {} --map-by ppr:1:node -n {HOSTS} --bind-to none --mca plm_rsh_agent {} --mca btl tcp,self --mca btl_tcp_if_include eth0 \
             --mca oob_tcp_if_include eth0 --mca oob_tcp_keepalive_time 3 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 \
             \"${{@:11}}\"\n",
            self.mpirun.display(),
            hosts.join(","),
            agent.display()
        );
        write_program(&script, &text);
        script
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        down();
    }
}

fn down() {
    for host in 1..=HOSTS {
        let _ = ip(&format!("netns del rgl{host}"));
        let _ = ip(&format!("link del vrgl{host}"));
    }
    let _ = ip("link del rglbr0");
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
