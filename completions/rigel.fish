# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_rigel_global_optspecs
    string join \n h/help V/version
end

function __fish_rigel_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_rigel_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_rigel_using_subcommand
    set -l cmd (__fish_rigel_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c rigel -n "__fish_rigel_needs_command" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_needs_command" -s V -l version -d 'Print version'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "run" -d 'I/O at rising load, commits, or a load of your own'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "calibrate" -d 'One-minute benchmark: IOPS, MB/s, latency, commit cost'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "slo" -d 'Highest I/O rate that meets a latency limit'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "sql" -d 'Queries and commits in a database, and what limits them'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "load" -d 'Turn a fio job into a load file'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "orion" -d 'Command line and output files of Oracle\'s ORION'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "report" -d 'Make page, CSV, JSON and more from the record of a run'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "compare" -d 'Compare finished runs: what got better or worse'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "rank" -d 'Rank several storages: which is best, and for what price'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "versus" -d 'Compare two storages side by side: how much faster is B?'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "advise" -d 'Settings for databases and cgroups, from measured storage'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "targets" -d 'List block devices, what they hold, and who uses them'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "mark" -d 'Mark the moment in a run that holds a rate through failures'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "fill" -d 'Write random data, so that reads measure real storage'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "doctor" -d 'Find settings that distort results or slow a database'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "soak" -d 'Burn-in test: report corruption, errors and slow disks'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "durability" -d 'Find acknowledged writes that a power cut lost'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "scrub" -d 'Read every block of a device, or compare copies of data'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "capacity" -d 'Will storage be full or slow? Record, forecast, replay'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "selftest" -d 'Check on simulated devices that the intervals are right'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "completions" -d 'Print the completion script for a shell'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "man" -d 'Print a man page, or write all of them'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l scratch-size -d 'Size of the scratch file [default: by memory size and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l compress -d 'Make the phases of --load N times shorter at the same rates: 24 turns a day into an hour' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l resume -d 'Resume an interrupted run' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l load -d 'Use the load in FILE, or of postgresql, mysql or oracle' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-disks -d 'Disks behind the targets [default: number of targets]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l write -d 'Percentage of writes, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l duration -d 'Measure each data point once for TIME, such as 60s, as ORION does [default: see --precision]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l cache-size -d 'Bytes to warm up before each large sequential data point, 0 for none [default: 2 minutes]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l span -d 'Use only a part of each target, such as 0-33% [default: 0-100%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l matrix -d 'Combinations of small and large load: basic, detailed, point, col, row or max [default: basic]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-small -d 'Outstanding small I/Os, for the matrices point, col and max; --qd N alone measures that one data point' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-large -d 'Outstanding large I/Os (streams with --type seq), for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l type -d 'Large I/O at random offsets or in sequential streams [default: rand]' -r -f -a "rand\t''
seq\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l stream-ios -d 'Outstanding I/Os of each sequential stream, with --type seq [default: 4]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l simulate -d 'How the targets form the volume that streams read [default: concat]' -r -f -a "concat\t''
raid0\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l stripe -d 'Stripe depth, with --simulate raid0 [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l sync -d 'How a write becomes durable: dsync, fdatasync or none [default: both ways]' -r -f -a "dsync\t''
fdatasync\t''
none\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l writers -d 'Concurrent writers, each making one commit after the other [default: 1,2,4,8,16, or 1,16 for an answer in a minute]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l commit-size -d 'Size of a commit [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l beside-reads -d 'Also measure commits while N random reads of 8 KiB are outstanding' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l rate -d 'Rates of \'open\', in I/Os per second: 1000,5000; one rate of \'through\'' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l arrivals -d 'Distribution of the times between arrivals: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l max-outstanding -d 'Most I/Os outstanding at once; further ones wait, and the wait counts as latency [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l places -d 'Zones per target, for \'zones\' [default: 16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l readers -d 'Concurrent readers of \'streams\', each with one I/O outstanding [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l per-target -d 'Outstanding I/Os on each target of \'scaling\', \'burst\' and \'working-set\' [default: 16; burst, working-set: 32, or 8 with --large]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l sizes -d 'Sizes of \'working-set\', such as 64M,1G,8G [default: 64M, doubled up to all of the target]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l max-size -d 'Largest size of \'working-set\' [default: all of the target]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l precision -d 'Precision to reach, ±PERCENT [default of rigel run: 5%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l for -d 'Stop measuring after TIME, such as 10m [default: no limit]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l levels -d 'Load levels: by number of disks (orion), the lowest and highest of these (ends), or searched (auto)' -r -f -a "orion\t''
ends\t''
auto\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l engine -d 'How I/O is submitted; sim simulates a device' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l orion-version -d 'Format of the ORION files: 10.2, 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l require -d 'Fail \'through\' unless it meets LIMIT: \'standstill < 30s\', \'back < 60s\', \'errors = 0\', \'p99 < 10ms during\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l name -d 'Name of the run; all output files start with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l keep-scratch -d 'Keep the scratch file, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l as-load -d 'Print the load as a file for --load, with --dry-run'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l large -d 'Search for a limit on bytes with large random I/O, not for one on I/Os'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l fast -d 'Measure 1 s at a time instead of 2 s: faster, but less reliable on devices that start slowly'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l quiet -d 'Show no progress and no notes, only problems'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l poll -d 'Poll the device for completions instead of waiting for interrupts; uses a whole CPU per worker'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l buffered -d 'Measure through the page cache: memory rather than storage; every result is marked'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand run" -s v -l verbose -d 'Print more while measuring'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand run" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l scratch-size -d 'Size of the scratch file [default: by memory size and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l max-latency -d 'Latency limit for small I/O: max_iops is the highest rate within it, such as 2ms' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l percentile -d 'What the limit applies to' -r -f -a "mean\t''
p99\t''"
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l num-disks -d 'Number of disks behind the targets' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l write -d 'Share of writes in per cent, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l for -d 'Time for everything but filling a scratch file; no measurement begins after it' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l engine -d 'How I/O is submitted, as with `rigel run`' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l keep-scratch -d 'Keep the scratch file, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-commits -d 'Do not measure the cost of a commit'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l json -d 'Print the answers as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l quiet -d 'Show no progress and no notes, only the answers'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l tui -d 'Show a live view instead of a progress bar; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l last -d 'Show the last calibration of the targets, or of any target; measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l history -d 'Show all calibrations of the targets, or of any target, newest first; measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-history -d 'Do not store the answers in the history'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l scratch-size -d 'Size of the scratch file [default: by memory size and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p50 -d 'Limit on the median: at most half of the I/Os may take longer, such as 300us' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p95 -d 'At most 5 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p99 -d 'At most 1 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p999 -l p99.9 -d 'At most 0.1 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l mean -d 'Limit on the mean latency' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l bound -d 'Limit on any percentile or the mean, such as \'p99.95 < 5ms\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l require -d 'Exit with 1 unless a limit is met at a rate, such as \'p99 < 2ms @ 12000\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l write -d 'Percentage of writes, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l size -d 'Size of an I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l load -d 'Use the load in FILE, or of postgresql, mysql or oracle; the rates of its classes are scaled together' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l arrivals -d 'Distribution of the times between arrivals: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l max-outstanding -l qd -d 'Most I/Os outstanding at once; further ones wait, and the wait counts as latency [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l max-rate -d 'Highest rate to try [default: 250000]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l for -d 'Time for everything but filling a scratch file; no measurement begins after it [default: 5m or more; 60s with --require alone]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l engine -d 'How I/O is submitted, as with `rigel run`' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l keep-scratch -d 'Keep the scratch file, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l json -d 'Print the result as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l quiet -d 'Show no progress and no notes, only the result'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l dsn -d 'Measure an existing server, such as \'host=/run/postgresql dbname=shop\' or mysql://USER@HOST' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l create-in -d 'Allow Rigel to create the schema rigel and its table in this database' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l programs -d 'Directory of the programs of a private server, such as postgres or mariadbd [default: the newest installed]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l database -d 'Database product: postgresql or mysql (MySQL or MariaDB) [default: that of --dsn, else postgresql]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l size -d 'Size of the table [default: four times the caches, at least 1G]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l sessions -d 'Numbers of concurrent look-up sessions, such as 1,4,16 [default: by level; simple 1 to 5]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l num-disks -d 'Disks behind the table; sets the numbers of sessions, like ORION\'s levels [default: 1]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l probe -d 'How rows are looked up: batch, single or index [default: batch; users: single]' -r -f -a "batch\t''
single\t''
index\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l report-sessions -d 'Numbers of concurrent report sessions, such as 1,2 (normal, dss) [default: normal 1 and 2, dss 1 to 15]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l report-by -d 'How a report reads: range or join [default: range]' -r -f -a "range\t''
join\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l report-size -d 'Bytes that a report reads, a multiple of 16K from 64K to 1G [default: 8M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l report-share -d 'Percentage of the sessions of users that run reports; the others look up rows [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l matrix -d 'Combinations of both kinds for normal: detailed, basic, point, col, row or max, as in `rigel run` [default: detailed]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l num-small -d 'Sessions with look-ups, for the matrices point, col and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l num-large -d 'Sessions with reports, for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l precision -d 'Measure until every 95 % interval, of SQL to raw I/O or else of each rate, is at most ±PERCENT [default: 5%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l for -d 'Stop measuring after TIME, such as 10m; no measurement begins after it' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l duration -d 'Measure each data point once for TIME, such as 60s; --for limits the whole run' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l engine -d 'How I/O is submitted; sim simulates a device' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l io-timeout -d 'Cancel a statement that takes longer, and end the run [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l seed -d 'Seed of the table and of the order of look-ups [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l name -d 'Name of the run; all output files start with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l out -d 'Directory of the outputs [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l drop -d 'Remove the schema rigel after the run; `rigel sql drop` removes it now'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l sql-only -d 'Measure SQL only, without raw I/O in between (simple, commit)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l allow-memory -d 'Measure memory on purpose: allow a private server in memory, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l quiet -d 'Show no progress and no notes, only problems'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -a "prove" -d 'Find the right settings for queries by experiment'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -a "install" -d 'Create the function calibrate_io() in a database'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -a "drop" -d 'Remove the schema rigel; measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -a "resume" -d 'Resume an interrupted run, except commit and prove'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and not __fish_seen_subcommand_from prove install drop resume record" -a "record" -d 'Show the results of a finished run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l dsn -d 'Measure an existing server, such as \'host=/run/postgresql dbname=shop\' or mysql://USER@HOST' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l create-in -d 'Allow Rigel to create the schema rigel and its table in this database' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l programs -d 'Directory of the programs of a private server, such as postgres or mariadbd [default: the newest installed]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l database -d 'Database product: postgresql or mysql (MySQL or MariaDB) [default: that of --dsn, else postgresql]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l size -d 'Size of the table [default: 256M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l for -d 'Stop measuring after TIME, such as 10m; no measurement begins after it' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l engine -d 'How I/O is submitted; sim simulates a device' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l io-timeout -d 'Cancel a statement that takes longer, and end the run [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l seed -d 'Seed of the table [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l name -d 'Name of the run; all output files start with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l out -d 'Directory of the outputs [default: the current one]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l drop -d 'Remove the schema rigel after the run; `rigel sql drop` removes it now'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l allow-memory -d 'Measure memory on purpose: allow a private server in memory, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l quiet -d 'Show no progress and no notes, only problems'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from prove" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from install" -l dsn -d 'The database, such as \'host=/run/postgresql dbname=shop\'; a password comes from PGPASSWORD' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from install" -l rigel-path -d 'Path of this program on the server [default: its current path]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from install" -l dry-run -d 'Print the SQL and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from install" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from drop" -l dsn -d 'The database, such as \'host=/run/postgresql dbname=shop\' or mysql://USER@HOST; a password comes from PGPASSWORD or MYSQL_PWD' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l dsn -d 'Connection string of an existing server' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l programs -d 'Directory of the programs of a private server, such as postgres or mariadbd [default: the newest installed]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l drop -d 'Remove the schema rigel after the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l quiet -d 'Show no progress and no notes, only problems'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from record" -l out -d 'Directory of the page [default: that of the record]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from record" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from record" -l html -d 'Write the page with charts, next to the record or into --out'
complete -c rigel -n "__fish_rigel_using_subcommand sql; and __fish_seen_subcommand_from record" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand load; and not __fish_seen_subcommand_from from-fio" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand load; and not __fish_seen_subcommand_from from-fio" -f -a "from-fio" -d 'Print the load of a fio job file as a load file'
complete -c rigel -n "__fish_rigel_using_subcommand load; and __fish_seen_subcommand_from from-fio" -l quiet -d 'List nothing on standard error'
complete -c rigel -n "__fish_rigel_using_subcommand load; and __fish_seen_subcommand_from from-fio" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand report" -l format -d 'Output format [default: text]' -r -f -a "orion\t''
json\t''
csv\t''
html\t''
fio\t''
hlog\t''
openmetrics\t''
markdown\t''
text\t''"
complete -c rigel -n "__fish_rigel_using_subcommand report" -l size -d 'Show how long a scan, a backup and a restore of SIZE (10T) take' -r
complete -c rigel -n "__fish_rigel_using_subcommand report" -l out -d 'Directory of the outputs [default: next to the record (orion, html), otherwise standard output]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand report" -l orion-version -d 'Format of the ORION files: 10.2, 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand report" -l html -d 'Short for --format html: one file that opens in any browser, offline'
complete -c rigel -n "__fish_rigel_using_subcommand report" -l explain -d 'Show everything known about the run: warnings with figures, flags, charts'
complete -c rigel -n "__fish_rigel_using_subcommand report" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand report" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l base -d 'A base run; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l and -d 'The other side: a record or a directory; with several, all storages are ranked' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l format -d 'Output format' -r -f -a "text\t''
json\t''
junit\t''
markdown\t''
html\t''"
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l junit -d 'Also write a JUnit report to FILE' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l fail-if -d 'Exit with 1 if a change exceeds a limit, such as \'small_iops < -5%\', or the new side does, such as \'small_p99 > 2ms\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l out -d 'Directory of the output [default: next to a record (html), standard output (other formats)]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l json -d 'Short for --format json'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l html -d 'Short for --format html: a page with overlaid curves'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l fail-undecided -d 'Also exit with 1 if a gate is undecided; see `rigel help compare`'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l allow-differences -d 'Continue even if sizes, percentages of writes, engines or flags differ'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l no-history -d 'Ignore the history of calibrations, which shows how much repeated runs differ'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l by -d 'Rank by QUANTITY [default: the main result that all records have]' -r
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l offers -d 'Price, disks and capacity of each storage, in TOML' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l require -d 'Name the storages that certainly meet a requirement, such as \'max_small_iops >= 20000\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l format -d 'Output format' -r -f -a "text\t''
json\t''
markdown\t''
html\t''"
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l out -d 'Directory of the output [default: next to a record (html), standard output (other formats)]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l json -d 'Short for --format json'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l html -d 'Short for --format html: one page to print'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l allow-differences -d 'Continue even if sizes, percentages of writes, engines or flags differ'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l no-history -d 'Ignore the history of calibrations, which shows how much repeated runs differ'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand rank" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and -d 'Files, block devices or directories of side B' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and-engine -d 'Engine of side B [default: that of A]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l record -d 'Measure nothing; show the results in the record of such a run' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l resume -d 'Resume an interrupted run' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fail-if -d 'Exit with 1 if B differs from A by more, such as \'small_iops < -5%\', or breaks a limit, such as \'open_p99 > 2ms\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l require -d 'Exit with 1 unless B certainly meets a limit at a rate, such as \'p99 < 2ms @ 8000\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l load -d 'Use the load in FILE, or of postgresql, mysql or oracle, on both sides' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-disks -d 'Disks behind the targets of a side [default: number of targets of the larger side]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l write -d 'Percentage of writes, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l duration -d 'Measure each data point once for TIME, such as 60s, as ORION does [default: see --precision]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l cache-size -d 'Bytes to warm up before each large sequential data point, 0 for none [default: 2 minutes]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l span -d 'Use only a part of each target, such as 0-33% [default: 0-100%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l matrix -d 'Combinations of small and large load: basic, detailed, point, col, row or max [default: basic]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-small -d 'Outstanding small I/Os, for the matrices point, col and max; --qd N alone measures that one data point' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-large -d 'Outstanding large I/Os (streams with --type seq), for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l type -d 'Large I/O at random offsets or in sequential streams [default: rand]' -r -f -a "rand\t''
seq\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l stream-ios -d 'Outstanding I/Os of each sequential stream, with --type seq [default: 4]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l simulate -d 'How the targets form the volume that streams read [default: concat]' -r -f -a "concat\t''
raid0\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l stripe -d 'Stripe depth, with --simulate raid0 [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l sync -d 'How a write becomes durable: dsync, fdatasync or none [default: both ways]' -r -f -a "dsync\t''
fdatasync\t''
none\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l writers -d 'Concurrent writers, each making one commit after the other [default: 1,2,4,8,16, or 1,16 for an answer in a minute]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l commit-size -d 'Size of a commit [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l beside-reads -d 'Also measure commits while N random reads of 8 KiB are outstanding' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l rate -d 'Rates of \'open\', in I/Os per second: 1000,5000; one rate of \'through\'' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l arrivals -d 'Distribution of the times between arrivals: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l max-outstanding -d 'Most I/Os outstanding at once; further ones wait, and the wait counts as latency [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l places -d 'Zones per target, for \'zones\' [default: 16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l readers -d 'Concurrent readers of \'streams\', each with one I/O outstanding [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l per-target -d 'Outstanding I/Os on each target of \'scaling\', \'burst\' and \'working-set\' [default: 16; burst, working-set: 32, or 8 with --large]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l sizes -d 'Sizes of \'working-set\', such as 64M,1G,8G [default: 64M, doubled up to all of the target]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l max-size -d 'Largest size of \'working-set\' [default: all of the target]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l precision -d 'Measure until the 95 % interval of every ratio of B to A is at most ±PERCENT [default: 2%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l for -d 'Stop measuring after TIME, such as 10m [default: no limit]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l levels -d 'Load levels: by number of disks (orion), the lowest and highest of these (ends), or searched (auto)' -r -f -a "orion\t''
ends\t''
auto\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l engine -d 'How I/O is submitted on both sides, or on A with --and-engine; sim simulates a device' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l label -d 'Your name for this comparison, such as old-and-new-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l orion-version -d 'Format of the ORION files: 10.2, 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l name -d 'Name of the run; all output files start with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l out -d 'Directory of the outputs [default: the current one; with --record that of the record]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and-buffered -d 'Use the page cache on side B'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l same -d 'Allow both sides to be the same: "no difference" is then the right answer'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l html -d 'With --record: write the page with charts, next to the record or into --out'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fail-undecided -d 'Also exit with 1 if a gate is undecided: its interval contains the limit, or there is no interval'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l no-history -d 'Ignore the history of calibrations, which shows how much repeated runs differ'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l large -d 'Search for a limit on bytes with large random I/O, not for one on I/Os'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fast -d 'Measure 1 s at a time instead of 2 s: faster, but less reliable on devices that start slowly'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l json -d 'Print the results as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l no-html -d 'Do not write the page with charts (NAME_versus.html)'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l quiet -d 'Show no progress and no notes, only problems'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l poll -d 'Poll the device for completions instead of waiting for interrupts; uses a whole CPU per worker'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l buffered -d 'Measure both sides through the page cache: memory rather than storage'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -s v -l verbose -d 'Print more while measuring'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l database -d 'Print only the configuration of PRODUCT [default: a page about all]' -r -f -a "postgresql\t''
mysql\t''
oracle\t''
cgroup\t''
cgroup-max\t''
seastar\t''"
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l hit-rate -d 'Percentage of random reads that caches will answer, such as 95%; determines random_page_cost [default: 90%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l server-version -d 'Major version of PostgreSQL, 13 to 18; later settings become comments [default: 13]' -r
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l last -d 'Use the record of the last calibration on this host'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l explain -d 'Add formula, inputs and source of every value, and what withheld values would have been'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l json -d 'Print all values and their inputs as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -l json -d 'Print JSON'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -l quiet -d 'Show no progress'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand mark" -l run -d 'The run, by its name or the number of its process; needed if several are running' -r
complete -c rigel -n "__fish_rigel_using_subcommand mark" -l at -d 'Refused: a mark is made at the moment at which it is sent' -r
complete -c rigel -n "__fish_rigel_using_subcommand mark" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l size -d 'Size of each file [default: existing files and devices are filled completely]' -r
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l destroy-data -d 'Allow Rigel to overwrite all data on TARGET' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l dry-run -d 'Show what would be written; write nothing'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l quiet -d 'Show no progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -l all -d 'Explain each finding and its remedy; also list settings that are fine'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -l json -d 'Print JSON, with all details'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l scratch-size -d 'Size of the scratch file [default: by memory size and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l for -d 'Duration of the load, such as 12h, 7d or 2w' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l write -d 'Percentage of writes [default: 30 on a scratch file or with --destroy-data, else 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l load -d 'Use the load in FILE, or of postgresql, mysql or oracle; its phases repeat' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l beside-production -d 'Shared storage: use at most PERCENT [default: 5] of each disk\'s time, less when others wait' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l every -d 'Interval of the records in the log [default: 1m, less for a short soak]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l resume -d 'Resume an interrupted soak: its NAME_record.jsonl' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l engine -d 'How I/O is submitted, as with `rigel run`' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the soak [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l keep-scratch -d 'Keep the scratch file, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l json -d 'Print the result as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l quiet -d 'Show no progress and no notes, only the result'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "run" -d 'Write until the power is cut, and print each acknowledgement'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "witness" -d 'Store the acknowledgements of a run, read from standard input, on another host'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "check" -d 'After the power cut: find acknowledged writes that are lost'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l for -d 'Stop writing after TIME if the power has not been cut' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l writers -d 'Number of writers, each making one write after the other' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l sync -d 'How a write becomes durable: dsync or fdatasync' -r -f -a "dsync\t''
fdatasync\t''"
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l block -d 'Size of a write: a power of two from 4K to 1M' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l size -d 'Size of the region at the start of the target that is overwritten repeatedly [default: 64M or the whole target]' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l engine -d 'io_uring, libaio or threads [default: the fastest that works]' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l destroy-data -d 'Allow Rigel to overwrite all data on TARGET' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l quiet -d 'Show no progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -l force -d 'Replace an existing file'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -l quiet -d 'Show no notes'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -l json -d 'Print the result as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -l quiet -d 'Show no progress'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l offset-a -d 'Offset of the copy in A, or where to begin in a single device [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l offset-b -d 'Offset of the copy in B [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l length -d 'Bytes to read or to compare [default: up to the end, of the shorter one]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l md -d 'The legs of a Linux software RAID (md) of level 1' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l lvm -d 'The legs of a mirrored logical volume (raid1, mirror)' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l extents -d 'The copies in a list of extents, as Oracle ASM stores them' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l au-size -d 'Size of an allocation unit of these extents [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l max-mbps -d 'Read at most MBPS (2^20 bytes per second) from each copy [default: 100 for a single device, else no limit]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l io-timeout -d 'Treat a disk as hung if no read completes for TIME, and end the scrub [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l state -d 'Save progress and findings to FILE every ten seconds' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l resume -d 'Resume an interrupted scrub from its state file; --max-mbps may differ' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l json -d 'Print the result as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l quiet -d 'Show no progress'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "import" -d 'Import measurements of production from other tools'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "record" -d 'Record the load on this host\'s disks from now on'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "list" -d 'List the hosts, disks, metrics and times in the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "show" -d 'Show mean, busy hours, maximum and course of each disk'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "forecast" -d 'Forecast when this storage will be full or slow'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "replay" -d 'Turn recorded production load into a load file, to run on other storage'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "fit" -d 'Find how many times such a load a storage can take within latency limits'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l host -d 'Name of the host, instead of the name in the files' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l zone -d 'Time zone of times without a UTC offset: Europe/Berlin, UTC, or local' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l dates -d 'Order of dates such as 11/12/26: month-day, day-month, or year-month where the year is first' -r -f -a "month-day\t''
day-month\t''
year-month\t''"
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l rename -d 'Rename a disk, OLD=NEW' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l keep-first -d 'If a sample already exists with a different value, keep the existing one'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l quiet -d 'Show no progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l every -d 'Time between samples' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l for -d 'Stop after TIME [default: on Ctrl-C or SIGTERM]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l per-hour -d 'Store at most this many bytes per hour, averaging over longer intervals if needed' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l dsn -d 'Also record this PostgreSQL server; the password is taken from PGPASSWORD' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l host -d 'Name of this host in the store [default: its host name]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l quiet -d 'Show no progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -l host -d 'Use the history of this host, or the sum of several that share the storage: rac1,rac2 [default: the only one in the store, or this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -l database -d 'Sum all instances of this Oracle database, by its name or DBID; several DBIDs are one database that had them in succession' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -l all -d 'Sum all hosts in the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l host -d 'Use the history of this host, or the sum of several that share the storage: rac1,rac2 [default: the only one in the store, or this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l database -d 'Sum all instances of this Oracle database, by its name or DBID; several DBIDs are one database that had them in succession' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l from -d 'From this moment on: 2026-11, 2026-11-01, or 2026-11-01T08:00:00+01:00; months and days begin in UTC' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l to -d 'Up to this moment, or to the beginning of this month or day' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l all -d 'Sum all hosts in the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l on -d 'Also forecast for another storage, by its record; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l host -d 'Use the history of this host, or the sum of several that share the storage: rac1,rac2 [default: the only one in the store, or this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l database -d 'Sum all instances of this Oracle database, by its name or DBID; several DBIDs are one database that had them in succession' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l disk -d 'Only the load of these disks, and the space of these filesystems [default: all]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l space -d 'Size of the storage [default: size of the filesystem in the history]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l grow -d 'What if: growth per year instead of that in the history (30%/y, -10%/y), or all rates higher at once (30%); repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l add -d 'What if: the load in a file that `rigel capacity import` reads moves here (db7.csv), or load or data from a date on (200G@2027-04, 500IOPS@2027-04-15, 80MBPS@2027-04, 20%@2027-04); repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l without -d 'What if: this host is gone, and its load moves to the others' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l joined -d 'This host of the sum did not exist before its first measurement: count it as 0 until then, instead of leaving that time out' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l zone -d 'Time zone of times without a UTC offset in a file of --add: Europe/Berlin, UTC, or local' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l years -d 'Years to look ahead; forecasts reach at most twice the length of the history' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l fail-before -d 'Exit with 1 if the storage probably does not suffice until this month or day, or if that is unknown' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l html -d 'Also write a page with charts into DIR' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l all -d 'Sum all hosts in the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l fail-undecided -d 'Also exit with 1 if undecided'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l allow-other-disk -d 'Allow a record from a disk that is not in the history'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l json -d 'Print JSON, rigel.capacity/1'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l force -d 'Replace an existing page'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l from -d 'Start: 2026-11, 2026-11-02, or 2026-11-02T08:00:00+01:00; months and days begin in UTC [default: 7 days before the end]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l to -d 'End: a moment, or the beginning of a month or day [default: end of the history]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l host -d 'Use the history of this host, or the sum of several that share the storage: rac1,rac2 [default: the only one in the store, or this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l database -d 'Sum all instances of this Oracle database, by its name or DBID; several DBIDs are one database that had them in succession' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l disk -d 'Only these disks, by name or a permanent ID; several become one load [default: all disks of the host, or its databases]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l source -d 'Only data from this source: recorder, prometheus, iostat, sadf, oswatcher, nmon, collectl, cloudwatch, azure, awr, statspack, pg_stat_io' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l without -d 'What if: this host is gone, and its load moves to the others; the sum stays, and the shares of --nodes change' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l add -d 'What if: the load in a file that `rigel capacity import` reads moves here; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l grow -d 'What if: raise (30%) or lower (-10%) all rates' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l zone -d 'Time zone of times without a UTC offset in a file of --add: Europe/Berlin, UTC, or local' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l scale -d 'Multiply the rates by N' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l phases -d 'Most phases, or all: one for each interval' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l every -d 'Length of the intervals that are merged into phases [default: 2000 intervals in total, or that of the source]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l out -d 'Write the load file to FILE [default: standard output]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l store -d 'Store file [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l all -d 'Sum all hosts in the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l nodes -d 'Write each host\'s share of the load (node_share), for rigel-mpi with one node per host in this order'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l force -d 'Replace an existing file'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l quiet -d 'Show no progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l scratch-size -d 'Size of the scratch file [default: by memory size and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p50 -d 'Limit on the median: at most half of the I/Os may take longer, such as 300us' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p95 -d 'At most 5 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p99 -d 'At most 1 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p999 -l p99.9 -d 'At most 0.1 % of the I/Os may take longer' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l mean -d 'Limit on the mean latency' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l bound -d 'Limit on any percentile or the mean, such as \'p99.95 < 5ms\'; repeatable' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l require -d 'Exit with 1 unless N times the load meets all limits, such as 1.5' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l load -d 'The load to scale; `rigel capacity replay` makes one from recorded production' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l grow -d 'What if: raise (30%) or lower (-10%) all rates' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l max-rate -d 'Highest rate to try, in the phase with the most I/Os per second [default: 250000]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l for -d 'Time for everything but filling a scratch file; no measurement begins after it [default: 5m or more for each phase that decides]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l engine -d 'How I/O is submitted, as with `rigel run`' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l io-timeout -d 'Treat an I/O that takes longer as hung and end the run; results so far are kept [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l seed -d 'Seed of offsets, of the mix of reads and writes, and of written data [default: random, printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l destroy-data -d 'Allow Rigel to overwrite TARGET; repeatable' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l label -d 'Your name for this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l keep-scratch -d 'Keep the scratch file, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l no-trials -d 'Do not compare engines before the run'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l allow-memory -d 'Measure memory on purpose, and exit with 0'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l dry-run -d 'Show the plan and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l json -d 'Print the result as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l no-html -d 'Do not write the page with charts (NAME_report.html)'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l quiet -d 'Show no progress and no notes, only the result'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l tui -d 'Show a live view; ? shows help, q ends the run'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l trials -d 'Trials of each case' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l only -d 'Only cases whose name contains TEXT' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l seed -d 'Seed of the first trial; the others count up' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l thorough -d 'Also test a precision of ±2 %, and shorter measurements'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l markdown -d 'Print Markdown tables that list every simulated device'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l quiet -d 'Show no progress'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand completions" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand man" -l out -d 'Write the pages of all commands into DIR' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand man" -l force -d 'Replace existing files'
complete -c rigel -n "__fish_rigel_using_subcommand man" -s h -l help -d 'Print a summary (-h) or everything (--help)'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "run" -d 'I/O at rising load, commits, or a load of your own'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "calibrate" -d 'One-minute benchmark: IOPS, MB/s, latency, commit cost'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "slo" -d 'Highest I/O rate that meets a latency limit'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "sql" -d 'Queries and commits in a database, and what limits them'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "load" -d 'Turn a fio job into a load file'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "orion" -d 'Command line and output files of Oracle\'s ORION'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "report" -d 'Make page, CSV, JSON and more from the record of a run'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "compare" -d 'Compare finished runs: what got better or worse'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "rank" -d 'Rank several storages: which is best, and for what price'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "versus" -d 'Compare two storages side by side: how much faster is B?'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "advise" -d 'Settings for databases and cgroups, from measured storage'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "targets" -d 'List block devices, what they hold, and who uses them'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "mark" -d 'Mark the moment in a run that holds a rate through failures'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "fill" -d 'Write random data, so that reads measure real storage'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "doctor" -d 'Find settings that distort results or slow a database'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "soak" -d 'Burn-in test: report corruption, errors and slow disks'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "durability" -d 'Find acknowledged writes that a power cut lost'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "scrub" -d 'Read every block of a device, or compare copies of data'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "capacity" -d 'Will storage be full or slow? Record, forecast, replay'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "selftest" -d 'Check on simulated devices that the intervals are right'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "completions" -d 'Print the completion script for a shell'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "man" -d 'Print a man page, or write all of them'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql load orion report compare rank versus advise targets mark fill doctor soak durability scrub capacity selftest completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from sql" -f -a "prove" -d 'Find the right settings for queries by experiment'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from sql" -f -a "install" -d 'Create the function calibrate_io() in a database'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from sql" -f -a "drop" -d 'Remove the schema rigel; measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from sql" -f -a "resume" -d 'Resume an interrupted run, except commit and prove'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from sql" -f -a "record" -d 'Show the results of a finished run'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from load" -f -a "from-fio" -d 'Print the load of a fio job file as a load file'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "run" -d 'Write until the power is cut, and print each acknowledgement'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "witness" -d 'Store the acknowledgements of a run, read from standard input, on another host'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "check" -d 'After the power cut: find acknowledged writes that are lost'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "import" -d 'Import measurements of production from other tools'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "record" -d 'Record the load on this host\'s disks from now on'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "list" -d 'List the hosts, disks, metrics and times in the store'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "show" -d 'Show mean, busy hours, maximum and course of each disk'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "forecast" -d 'Forecast when this storage will be full or slow'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "replay" -d 'Turn recorded production load into a load file, to run on other storage'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "fit" -d 'Find how many times such a load a storage can take within latency limits'
