//! The timer and its service: judged by systemd's own tool, and started once in a root that systemd boots, beside a node exporter that
//! has to tell the figures.
//!
//! Must not touch the systemd of this host.

use super::super::{Release, stage};
use super::{
    INSTALL, newer,
    room::{Room, output},
};
use anyhow::Context as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a root needs to boot, and the program that reads the figures.
pub const PACKAGES: [&str; 4] = ["dbus", "prometheus-node-exporter", "systemd", "systemd-sysv"];

const UNITS: [&str; 3] = ["rigel-calibrate.service", "rigel-calibrate.timer", "rigel-capacity.service"];

/// `systemd-analyze verify`.
pub fn judged(release: &Release) -> anyhow::Result<bool> {
    let usr = stage::usr(release);
    let place = tempfile::tempdir_in(&release.work)?;
    for unit in UNITS {
        // The script is not installed on this host.
        let text = fs::read_to_string(usr.join("lib/systemd/system").join(unit))?;
        fs::write(place.path().join(unit), text.replace("/usr/", &format!("{}/", usr.display())))?;
    }
    let mut verify = Command::new("systemd-analyze");
    let told = verify.current_dir(place.path()).args(["verify", "--man=no"]);
    let told = told.args(UNITS.map(|unit| format!("./{unit}")));
    let told = told.output().context("cannot start systemd-analyze")?;
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    anyhow::ensure!(told.status.success() && !said.contains("rigel-"), "systemd-analyze verify: {said}");
    Ok(true)
}

/// Boots, and does as an administrator would.
pub fn booted(release: &Release, room: &Room, target: &Path) -> anyhow::Result<bool> {
    let package = release.deb("rigel");
    room.take_in(&release.out, &package)?;
    room.run(&format!("{INSTALL} /parts/{package}"))?;
    let newer = newer(release, target, "deb")?;
    room.take_in(&release.work.join("newer"), &newer)?;
    let units = room.path().join("etc/systemd/system");
    fs::write(room.path().join("parts/trial"), TRIAL.replace("NEWER", &newer))?;
    fs::write(units.join("trial.service"), UNIT)?;
    fs::create_dir_all(units.join("multi-user.target.wants"))?;
    std::os::unix::fs::symlink("../trial.service", units.join("multi-user.target.wants/trial.service"))?;
    let mut nspawn = Command::new("systemd-nspawn");
    // Without the systemd of the host, which need not run.
    nspawn.args(["--quiet", "--register=no", "--keep-unit", "--private-network", "--boot", "--directory"]);
    output(nspawn.arg(room.path()).stdin(std::process::Stdio::null()))?;
    let told = fs::read_to_string(room.path().join("parts/told")).context("the trial did not run")?;
    let has = |what: &str| told.lines().any(|line| line.starts_with(what));
    let told_by_exporter = has("rigel_iops{") && has("node_textfile_scrape_error 0");
    anyhow::ensure!(
        has("at first disabled") && has("waiting rigel-calibrate.timer") && has("ended success"),
        "the service: {told}"
    );
    anyhow::ensure!(told_by_exporter, "the node exporter does not tell the figures: {told}");
    anyhow::ensure!(has("recorder disabled") && has("recorded rows"), "the recorder: {told}");
    anyhow::ensure!(has("no stamp") && has("stamp made"), "whether a missed week is made up: {told}");
    anyhow::ensure!(
        has("upgraded active active Record"),
        "an upgrade stops the timer or the recorder: {told}"
    );
    anyhow::ensure!(has("restarted"), "after an upgrade the recorder is that of before: {told}");
    anyhow::ensure!(has("at last inactive inactive"), "the timer or the recorder is still there: {told}");
    anyhow::ensure!(has("figures gone"), "the node exporter goes on with old figures: {told}");
    anyhow::ensure!(has("stamp gone"), "what the timer noted is still there: {told}");
    Ok(true)
}

const UNIT: &str = "\
[Unit]
After=prometheus-node-exporter.service
[Service]
Type=oneshot
ExecStart=/bin/bash /parts/trial
ExecStopPost=/bin/systemctl poweroff --no-block
";

const TRIAL: &str = r#"
    exec >/parts/told 2>&1
    unit=rigel-calibrate
    echo "at first $(systemctl is-enabled $unit.timer)"
    stamp=/var/lib/systemd/timers/stamp-$unit.timer
    systemctl enable --now $unit.timer
    [ -e $stamp ] || echo "no stamp"
    # What an administrator may want; systemd then notes when it ran.
    mkdir /etc/systemd/system/$unit.timer.d
    printf '[Timer]\nPersistent=true\n' >/etc/systemd/system/$unit.timer.d/override.conf
    systemctl daemon-reload
    systemctl restart $unit.timer
    [ ! -e $stamp ] || echo "stamp made"
    echo "waiting $(systemctl list-timers --no-legend | grep -o "$unit.timer")"
    mkdir /etc/systemd/system/$unit.service.d
    printf '[Service]\nEnvironment="RIGEL_ARGUMENTS=--budget 20s --scratch-size 256M"\n' >/etc/systemd/system/$unit.service.d/override.conf
    systemctl daemon-reload
    systemctl start $unit.service || journalctl --no-pager --unit $unit.service
    echo "ended $(systemctl show --property Result --value $unit.service)"
    # Without another program: bash speaks to the port itself.
    exec 3<>/dev/tcp/127.0.0.1/9100
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
    grep -E '^rigel_|textfile_scrape' <&3
    echo "recorder $(systemctl is-enabled rigel-capacity)"
    systemctl start rigel-capacity
    sleep 5
    systemctl stop rigel-capacity
    rigel capacity list --store /var/lib/rigel-capacity/capacity.sqlite
    [ $(rigel capacity list --store /var/lib/rigel-capacity/capacity.sqlite | wc -l) -lt 2 ] || echo "recorded rows"
    # As if the version of before had said something else of itself.
    sed -i 's/^Description=.*/Description=before/' /usr/lib/systemd/system/rigel-capacity.service
    systemctl daemon-reload
    systemctl start rigel-capacity
    old=$(systemctl show --property MainPID --value rigel-capacity)
    dpkg --install /parts/NEWER
    # Words of the unit as systemd knows it.
    state="$(systemctl is-active $unit.timer) $(systemctl is-active rigel-capacity)"
    echo "upgraded $state $(systemctl show --property Description --value rigel-capacity)"
    [ $(systemctl show --property MainPID --value rigel-capacity) = $old ] || echo "restarted"
    apt-get purge --yes rigel
    echo "at last $(systemctl is-active $unit.timer) $(systemctl is-active rigel-capacity)"
    [ -e $stamp ] || echo "stamp gone"
    [ -e /var/lib/prometheus/node-exporter/rigel.prom ] || echo "figures gone"
"#;
