#!/bin/busybox sh
# The first process of the emulated machine: runs every case of /cases/order and writes what came out to the drive for
# results. Must not judge.
#
# /cases/NAME/steps lists steps with their time limits in seconds; each is a script beside it. `setup` comes before
# them and `teardown` after them, whatever happened.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/ TMPDIR=/tmp

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /cg /dev/shm /out /tmp
for place in /dev/shm /out /tmp; do mount -t tmpfs tmpfs "$place"; done
mount -t cgroup2 cgroup2 /cg
echo +io >/cg/cgroup.subtree_control

# A line for the host; a message of the kernel may have left the cursor in the middle of one.
say() { printf '\nrigel-vm: %s\n' "$*" >/dev/console; }

uptime_s() {
    read -r up _ </proc/uptime
    echo "${up%.*}"
}

# Runs a script of the case and leaves NAME.out, NAME.err and NAME.code. A process that not even SIGKILL ends is left
# behind, so that one case cannot hold up all others.
attempt() {
    (
        timeout -s KILL "$2" sh -e "/cases/$case/$1" >"$1.out" 2>"$1.err" </dev/null
        echo $? >"$1.part"
        mv "$1.part" "$1.code"
    ) &
    stuck=$(($(uptime_s) + $2 + 15))
    until [ -e "$1.code" ]; do
        if [ "$(uptime_s)" -gt "$stuck" ]; then
            for thread in /proc/[0-9]*/task/[0-9]*; do
                grep -q '^State:.D' "$thread/status" 2>/dev/null || continue
                { echo "$(cat "$thread/comm") waits in"; head -n 6 "$thread/stack"; } >>"$1.stuck"
            done
            echo "nothing ended it after $2 s" >>"$1.stuck"
            return 1
        fi
        usleep 50000
    done
    return "$(cat "$1.code")"
}

modprobe -a virtio_pci virtio_blk
say "up $(uptime_s)"
while read -r case; do
    mkdir "/out/$case"
    cd "/out/$case" || continue
    say "begin $case"
    if attempt setup 60; then
        while read -r step limit; do
            attempt "$step" "$limit"
            [ ! -e "$step.stuck" ] || break
        done <"/cases/$case/steps"
    fi
    attempt teardown 60
done </cases/order
dmesg >/out/dmesg

cd /
results=
for drive in /sys/block/vd*; do
    [ "$(cat "$drive/serial")" = results ] && results=/dev/${drive##*/}
done
if [ -z "$results" ]; then
    say "failed: no drive for the results"
# Only that drive: a device that hangs would hold up a plain sync.
elif tar -c -C /out . | dd of="$results" bs=1M conv=fsync 2>/dev/null; then
    say "end $(uptime_s)"
else
    say "failed: the results do not fit on their drive: $(du -sk /out | cut -f1) KiB"
fi
poweroff -n -f
