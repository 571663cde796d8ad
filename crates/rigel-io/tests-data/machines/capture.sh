#!/bin/sh
# Prints what `rigel doctor` reads of a machine, so that its rules can be tried on it elsewhere:
#     sudo sh capture.sh > NAME.tree
# A line `F path` begins a file, whose lines follow behind a tab; `L path target` is a link, `D path` an empty directory.
# Changes nothing. Look at the result before you give it away: names of disks, volumes and mount points are in it.

file() {
    [ -f "$1" ] && [ -r "$1" ] || return 0
    # Texts of a device tree end in zero bytes.
    text=$(tr -d '\000' <"$1" 2>/dev/null) || return 0
    printf 'F %s\n' "$1"
    printf '%s\n' "$text" | sed 's/^/	/'
}

filtered() {
    printf 'F %s\n' "$1"
    grep -E "$2" "$1" | sed 's/^/	/'
}

# Links are told by where they lead in the end.
link() { printf 'L %s %s\n' "$1" "$(readlink -f "$1")"; }

block() {
    for name in dev size partition start alignment_offset dm/name dm/uuid md/level md/chunk_size md/raid_disks \
        md/degraded md/sync_action loop/dio loop/backing_file device/model device/state device/queue_depth; do
        file "$1/$name"
    done
    for name in rotational scheduler nr_requests max_sectors_kb max_hw_sectors_kb max_segments write_cache io_poll \
        logical_block_size physical_block_size minimum_io_size optimal_io_size read_ahead_kb nomerges rq_affinity \
        wbt_lat_usec; do
        file "$1/queue/$name"
    done
    for cache in "$1"/device/scsi_disk/*/cache_type; do file "$cache"; done
    for queue in "$1"/mq/*; do [ ! -d "$queue" ] || printf 'D %s\n' "$queue"; done
    for other in "$1"/holders/* "$1"/slaves/*; do [ ! -L "$other" ] || link "$other"; done
    up=$1
    while [ "$up" != /sys ] && [ "$up" != / ]; do
        file "$up/numa_node"
        up=${up%/*}
    done
}

for disk in /sys/block/*; do
    [ "$(cat "$disk/size")" != 0 ] || continue
    link "$disk"
    link "/sys/dev/block/$(cat "$disk/dev")"
    place=$(readlink -f "$disk")
    block "$place"
    for part in "$place"/*/partition; do
        [ -f "$part" ] || continue
        block "${part%/partition}"
        link "/sys/dev/block/$(cat "${part%/partition}/dev")"
    done
done
for name in first_burst_len max_burst_len initial_r2t recovery_tmo; do
    for session in /sys/class/iscsi_session/*; do file "$session/$name"; done
done
for connection in /sys/class/iscsi_connection/*; do file "$connection/max_recv_dlength"; done

for name in fs/aio-nr fs/aio-max-nr kernel/ostype kernel/osrelease kernel/arch kernel/io_uring_disabled vm/swappiness vm/min_free_kbytes \
    vm/dirty_ratio vm/dirty_bytes vm/dirty_background_ratio vm/dirty_background_bytes vm/zone_reclaim_mode \
    net/ipv4/tcp_rmem net/ipv4/tcp_wmem sunrpc/tcp_max_slot_table_entries; do
    file "/proc/sys/$name"
done
filtered /proc/meminfo '^(MemTotal|MemFree|MemAvailable|Buffers|Cached|Swap|Active|Inactive|Dirty|Writeback|AnonPages|Mapped|Slab|PageTables|NFS_Unstable|Bounce|WritebackTmp|CommitLimit|Committed_AS|Vmalloc|Huge)'
filtered /proc/cpuinfo '^(model name|flags|CPU implementer|CPU part)'
printf 'F /proc/self/smaps\n'
grep -m 1 '^KernelPageSize:' /proc/self/smaps | sed 's/^/	/'
filtered /proc/self/limits 'Max (processes|open files|locked memory)'
filtered /proc/self/status '^(Cpus_allowed_list|Seccomp):'
filtered /proc/self/mountinfo ' - ((xfs|ext[234]|btrfs|zfs|nfs4?|cifs|ceph|cgroup2?) |[^ ]+ /dev/)'
filtered /proc/self/cgroup .
for name in io.max cpu.max memory.max pids.max; do
    for group in $(cut -d: -f3- /proc/self/cgroup); do
        file "/sys/fs/cgroup$group/$name"
    done
done

for place in /sys/devices/system/cpu/cpufreq/policy*/scaling_governor /sys/devices/system/node/node*/cpulist \
    /sys/devices/system/cpu/cpu0/cpuidle/state*/name /sys/devices/system/cpu/cpu0/cpuidle/state*/latency \
    /sys/devices/system/cpu/cpu0/cpuidle/state*/disable /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name \
    /sys/firmware/devicetree/base/model \
    /sys/hypervisor/type /sys/firmware/devicetree/base/hypervisor/compatible /sys/module/nfs/parameters/max_session_slots /sys/kernel/mm/transparent_hugepage/enabled \
    /sys/devices/system/clocksource/clocksource0/current_clocksource; do
    file "$place"
done

# What the kernel tells root only, as text; the keys of encrypted volumes are left out by dmsetup.
for what in table status; do
    for name in /sys/block/dm-*/dm/name; do
        [ -f "$name" ] && command -v dmsetup >/dev/null || continue
        printf 'F /mapper/%s.%s\n' "$(cat "$name")" "$what"
        dmsetup "$what" "$(cat "$name")" | sed 's/^/	/'
    done
done
