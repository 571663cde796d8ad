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

complete -c rigel -n "__fish_rigel_needs_command" -s h -l help -d 'Print this summary'
complete -c rigel -n "__fish_rigel_needs_command" -s V -l version -d 'Print version'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "run" -d 'Measure a load matrix: small and large I/O at rising load'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "calibrate" -d 'What CALIBRATE_IO gave, and how sure: most IOPS within a latency, MBPS, latency, in about a minute'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "slo" -d 'How much load storage can take within a bound on the latency: the highest rate, with its bracket'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "sql" -d 'Queries and commits through PostgreSQL: how much of the storage reaches SQL, and what limits it'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "orion" -d 'ORION\'s own command line and files: rigel orion -run simple'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "report" -d 'Make the outputs again from the record of a run'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "compare" -d 'Compare runs: what got better or worse, judged by intervals'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "versus" -d 'Two storages in turns in one run: by how much B is faster than A, and how sure that is'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "advise" -d 'Settings for databases and cgroups out of what was measured, each with how it came about'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "targets" -d 'Block devices and files: what they are, what is on them, what Rigel may do with them'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "fill" -d 'Write random data over targets, so that reads measure the storage and not what was never written'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "doctor" -d 'Settings that bend a result or a database: what is set, why it matters, how to change it'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "soak" -d 'Load disks for hours to weeks, and tell wrong data, failures and slow disks: are they fit for production?'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "durability" -d 'Which acknowledged writes does a power cut lose? A run, a witness on another host, and a check afterwards'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "scrub" -d 'Are both legs of a mirror alike? Compare copies of data, read-only, and tell which one is right'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "capacity" -d 'What production does to its storage: import what other tools kept, or record it'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "selftest" -d 'Show on simulated devices with a known answer that the intervals hold it'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "completions" -d 'Print the script by which a shell completes the command line'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "man" -d 'Print a man page, or write all of them'
complete -c rigel -n "__fish_rigel_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l scratch-size -d 'Size of the scratch file [default: chosen from memory and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l load -d 'Measure a load file, or postgresql, mysql, oracle' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l compress -d 'Make the phases of --load so many times shorter, at the same rates: 24 makes an hour of a day' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l resume -d 'Go on with an interrupted run' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-disks -d 'Disks behind the targets [default: number of targets]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l write -d 'Share of writes in per cent, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l duration -d 'Measure each point once, for a time such as 60s [default: see --precision]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l cache-size -d 'Bytes of warm-up before each large sequential data point, 0 for none [default: 2 minutes of it]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l span -d 'The part of every target that is used, in per cent such as 0-33% [default: 0-100%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l matrix -d 'Pairs of small and large load: basic, detailed, point, col, row or max [default: basic]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-small -d 'Outstanding small I/Os, for the matrices point, col and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l num-large -d 'Outstanding large I/Os (streams with --type seq), for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l type -d 'Large I/O at random places or in sequential streams [default: rand]' -r -f -a "rand\t''
seq\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l stream-ios -d 'Outstanding I/Os of each sequential stream, with --type seq [default: 4]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l simulate -d 'How the targets form the volume that streams walk [default: concat]' -r -f -a "concat\t''
raid0\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l stripe -d 'Stripe depth, with --simulate raid0 [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l sync -d 'How a write becomes durable: dsync, fdatasync or none [default: both ways]' -r -f -a "dsync\t''
fdatasync\t''
none\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l writers -d 'How many write at the same time, each one commit after the other [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l commit-size -d 'Bytes that a commit writes [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l beside-reads -d 'Measure the commits beside so many outstanding random reads of 8 KiB as well' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l rate -d 'For \'open\': small I/Os that arrive per second, such as 1000,5000' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l arrivals -d 'How the times between arrivals spread: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l max-outstanding -d 'Most I/Os outstanding at once; what arrives beyond that waits, and its latency counts [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l places -d 'For \'zones\': into how many places every target is cut [default: 16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l readers -d 'For \'streams\': how many read at the same time, each with one I/O outstanding [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l precision -d 'How narrow every 95 % interval has to get [default of rigel run: 5%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l max-duration -d 'Begin no visit after that time, such as 10m' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l levels -d 'By the number of disks (orion), or searched (auto)' -r -f -a "orion\t''
auto\t''"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l engine -d 'How I/O reaches the kernel, or sim for a simulated device' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l io-timeout -d 'An I/O that takes longer is hung: the run ends, with what was measured [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l seed -d 'Seed of every offset, of reads and writes and of what is written [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand run" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l orion-version -d 'Layout of the ORION files: 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l name -d 'Name of the run; every output begins with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand run" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand run" -l keep-scratch -d 'Leave the scratch file there, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l as-load -d 'Print the load as a file for --load, with --dry-run'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l fast -d 'Visits that measure 1 s instead of 2 s: faster, and less sure on devices that start slowly'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l poll -d 'Look for completions on the device instead of waiting for interrupts; takes a whole CPU per worker'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l buffered -d 'Measure through the page cache: memory rather than storage; every result says so'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l allow-memory -d 'Measure memory on purpose: allow a scratch file in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l json -d 'Write the results as JSON to standard output'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l quiet -d 'No progress, no remarks; problems only'
complete -c rigel -n "__fish_rigel_using_subcommand run" -s v -l verbose -d 'Tell more while measuring'
complete -c rigel -n "__fish_rigel_using_subcommand run" -l tui -d 'Watch the run in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand run" -s h -l help -d 'Print a summary; `rigel help run` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l scratch-size -d 'Size of the scratch file [default: chosen from memory and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l max-latency -d 'Latency that small I/O may have at the rate that is reported as max_iops, such as 2ms' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l percentile -d 'Which latency that is' -r -f -a "mean\t''
p99\t''"
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l num-disks -d 'Number of disks behind the targets' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l write -d 'Share of writes in per cent, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l budget -d 'Time for everything but filling a scratch file: no visit begins after it' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l engine -d 'How I/O reaches the kernel, as with rigel run' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l seed -d 'Seed of every offset [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l keep-scratch -d 'Leave the scratch file there, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-commits -d 'Do not measure what a commit costs'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l allow-memory -d 'Measure memory on purpose: allow a scratch file in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l json -d 'The answers as JSON on standard output'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l quiet -d 'No progress, no remarks; the answers only'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l tui -d 'Watch it: rates, latency, intervals, flags and time left, instead of a progress bar; q ends it, ? helps'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l last -d 'Show the last calibration of the targets, or of any, and measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l history -d 'Show all calibrations of the targets, or of any, the newest first, and measure nothing'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -l no-history -d 'Do not keep the answers in the history'
complete -c rigel -n "__fish_rigel_using_subcommand calibrate" -s h -l help -d 'Print a summary; `rigel help calibrate` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l scratch-size -d 'Size of the scratch file [default: chosen from memory and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p50 -d 'At most half of the I/Os may take longer than TIME, such as 300us' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p95 -d 'At most 5 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p99 -d 'At most 1 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l p999 -d 'At most 0.1 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l mean -d 'The mean latency may be at most TIME' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l bound -d 'A bound of any percentile, such as \'p99.95 < 5ms\'; may be given several times' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l require -d 'Fail unless a rate keeps a bound, such as \'p99 < 2ms @ 12000\'; may be given several times' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l write -d 'Share of writes in per cent, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l size -d 'Size of an I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l load -d 'Measure the load in FILE, or of postgresql, mysql or oracle; the rates of its classes are scaled together' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l arrivals -d 'How the times between arrivals spread: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l max-outstanding -d 'Most I/Os outstanding at once; what arrives beyond that waits, and its latency counts [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l max-rate -d 'The highest rate that is tried [default: 250000]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l duration -d 'Time for everything but filling a scratch file: no visit begins after it [default: 5m or more]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l engine -d 'How I/O reaches the kernel, as with rigel run' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l workers -d 'Worker threads [default: as many as the highest rate needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l seed -d 'Seed of every offset and every arrival [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l keep-scratch -d 'Leave the scratch file there, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l allow-memory -d 'Measure memory on purpose: allow a scratch file in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l json -d 'The result as JSON on standard output'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l quiet -d 'No progress, no remarks; the result only'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -l tui -d 'Watch it in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand slo" -s h -l help -d 'Print a summary; `rigel help slo` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l dsn -d 'Measure a server that is there, such as \'host=/run/postgresql dbname=shop\'' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l create-in -d 'Allow to make the schema rigel with its table in this database' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l programs -d 'Directory of initdb and postgres for a private server [default: the newest that is found]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l rigel-path -d 'Of install: where the server finds this program [default: where it is now]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l size -d 'Size of the table [default: four times the caches below it, 1G or more; of prove 256M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l sessions -d 'Sessions that look rows up at the same time, such as 1,4,16 [default: by level; simple 1 to 5]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l num-disks -d 'Disks behind the table, which set the numbers of sessions as ORION\'s levels [default: 1]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l probe -d 'How rows are looked up: batch, single or index [default: batch; of users single]' -r -f -a "batch\t''
single\t''
index\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l report-sessions -d 'Of normal and dss: sessions with reports at the same time, such as 1,2 [default: normal 1 and 2, dss 1 to 15]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l report-by -d 'How a report reads: range or join [default: range]' -r -f -a "range\t''
join\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l report-size -d 'What a report reads, a multiple of 16K from 64K to 1G [default: 8M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l report-share -d 'Of the sessions of users, so many in per cent make reports, and the others look rows up [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l matrix -d 'Pairs of both kinds with normal: detailed, basic, point, col, row or max, as of `rigel run` [default: detailed]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l num-small -d 'Sessions with look-ups, for the matrices point, col and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l num-large -d 'Sessions with reports, for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l precision -d 'Half of the width that every 95 % interval has to reach: that of SQL over raw I/O, or else that of each rate [default: 5%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l max-duration -d 'Begin no further measurement after that time, such as 10m' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l duration -d 'Measure each point once, for a time such as 60s' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l io-timeout -d 'A statement that takes longer is ended, and the run with it [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l seed -d 'Seed of the table and of the order of look-ups [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l record -d 'Measure nothing: show what the record of such a run holds' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l resume -d 'Go on with an interrupted run, but not of commit or prove' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l name -d 'Name of the run; every output begins with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l out -d 'Directory of the outputs [default: the current one; with --record that of the record]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l drop -d 'Remove the schema rigel when the run is over, or at once without LEVEL'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l sql-only -d 'Of simple and commit: measure SQL only, and leave out the raw I/O that takes turns with it'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l allow-memory -d 'Measure memory on purpose: allow a private server in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l html -d 'With --record: write the page with charts, beside the record or into --out'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l json -d 'Write the results as JSON to standard output'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l quiet -d 'No progress, no remarks; problems only'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -l tui -d 'Watch the run in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand sql" -s h -l help -d 'Print a summary; `rigel help sql` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand report" -l format -d 'What to make: ORION\'s files, one JSON document, one table, one page with charts, or what other tools read [default: text]' -r -f -a "orion\t''
json\t''
csv\t''
html\t''
fio\t''
hlog\t''
openmetrics\t''
parquet\t''
markdown\t''
text\t''"
complete -c rigel -n "__fish_rigel_using_subcommand report" -l out -d 'Directory of the outputs [default: beside the record (orion, html, parquet), else standard output]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand report" -l orion-version -d 'Layout of the ORION files: 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand report" -l html -d 'The same as --format html: one file that opens in any browser, without a network'
complete -c rigel -n "__fish_rigel_using_subcommand report" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand report" -s h -l help -d 'Print a summary; `rigel help report` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l base -d 'A run of the base; may be repeated' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l format -d 'What to make: the table, one JSON document, a JUnit report, or one page with charts' -r -f -a "text\t''
json\t''
junit\t''
html\t''"
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l junit -d 'Write a JUnit report to this file as well' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l out -d 'Directory of the output [default: beside the new record (html), standard output (text, json, junit)]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l fail-if -d 'Exit with 1 when a change is beyond a bound, as \'small_iops < -5%\', or the new side, as \'small_p99 > 2ms\'; may be repeated' -r
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l json -d 'The same as --format json'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l html -d 'The same as --format html: one file with overlaid curves, named by both sides'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l fail-undecided -d 'Exit with 1 also when a gate is undecided; `rigel help compare` tells when it is'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l allow-differences -d 'Compare runs of different sizes, write shares, engines or flags all the same'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l no-history -d 'Do not look into the history of calibrations for how much sessions differ'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand compare" -s h -l help -d 'Print a summary; `rigel help compare` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and -d 'Files or block devices of side B' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and-engine -d 'Engine of side B [default: that of A]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l record -d 'Measure nothing: show what the record of such a run holds' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l resume -d 'Go on with an interrupted run' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fail-if -d 'Exit with 1 when B differs from A by more, as \'small_iops < -5%\', or breaks a bound, as \'open_p99 > 2ms\'; may be repeated' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l require -d 'Exit with 1 unless B surely keeps a bound at a rate, such as \'p99 < 2ms @ 8000\'; may be repeated' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l load -d 'Put the load in FILE, or of postgresql, mysql or oracle, on both sides instead of a level' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-disks -d 'Disks behind the targets of a side [default: the targets of the side that has more]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l write -d 'Share of writes in per cent, 0 to 100 [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l duration -d 'Measure each point once, for a time such as 60s [default: see --precision]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l cache-size -d 'Bytes of warm-up before each large sequential data point, 0 for none [default: 2 minutes of it]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l span -d 'The part of every target that is used, in per cent such as 0-33% [default: 0-100%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l matrix -d 'Pairs of small and large load: basic, detailed, point, col, row or max [default: basic]' -r -f -a "basic\t''
detailed\t''
point\t''
col\t''
row\t''
max\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-small -d 'Outstanding small I/Os, for the matrices point, col and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l num-large -d 'Outstanding large I/Os (streams with --type seq), for the matrices point, row and max' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l size-small -d 'Size of a small I/O [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l size-large -d 'Size of a large I/O [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l type -d 'Large I/O at random places or in sequential streams [default: rand]' -r -f -a "rand\t''
seq\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l stream-ios -d 'Outstanding I/Os of each sequential stream, with --type seq [default: 4]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l simulate -d 'How the targets form the volume that streams walk [default: concat]' -r -f -a "concat\t''
raid0\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l stripe -d 'Stripe depth, with --simulate raid0 [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l sync -d 'How a write becomes durable: dsync, fdatasync or none [default: both ways]' -r -f -a "dsync\t''
fdatasync\t''
none\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l writers -d 'How many write at the same time, each one commit after the other [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l commit-size -d 'Bytes that a commit writes [default: 8K]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l beside-reads -d 'Measure the commits beside so many outstanding random reads of 8 KiB as well' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l rate -d 'For \'open\': small I/Os that arrive per second, such as 1000,5000' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l arrivals -d 'How the times between arrivals spread: even, poisson or bursty:N [default: poisson]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l max-outstanding -d 'Most I/Os outstanding at once; what arrives beyond that waits, and its latency counts [default: 1024]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l places -d 'For \'zones\': into how many places every target is cut [default: 16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l readers -d 'For \'streams\': how many read at the same time, each with one I/O outstanding [default: 1,2,4,8,16]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l precision -d 'How narrow the 95 % interval of every ratio of B to A has to get [default: 2%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l max-duration -d 'Begin no visit after that time, such as 10m' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l levels -d 'By the number of disks (orion), or searched (auto)' -r -f -a "orion\t''
auto\t''"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l engine -d 'How I/O reaches the kernel on both sides, or on A beside --and-engine; sim simulates a device' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l io-timeout -d 'An I/O that takes longer is hung: the run ends, with what was measured [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l cpus -d 'CPUs of the workers: auto, any, or a list such as 2,4-7 [default: auto]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l seed -d 'Seed of every offset, of reads and writes and of what is written [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l label -d 'What you call this comparison, such as old-and-new-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l orion-version -d 'Layout of the ORION files: 11.1, 11.2 or 19 [default: RIGEL_ORION_VERSION, else 19]' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l name -d 'Name of the run; every output begins with it' -r
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l out -d 'Directory of the outputs [default: the current one; with --record that of the record]' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l and-buffered -d 'Side B goes through the page cache'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l same -d 'Allow that both sides are the same: no difference is then the right answer'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l html -d 'With --record: write the page with charts, beside the record or into --out'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fail-undecided -d 'Exit with 1 also when a gate is undecided, because an interval holds its bound or there is none'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l no-history -d 'Do not look into the history of calibrations for how much sessions differ'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l fast -d 'Visits that measure 1 s instead of 2 s: faster, and less sure on devices that start slowly'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l poll -d 'Look for completions on the device instead of waiting for interrupts; takes a whole CPU per worker'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l buffered -d 'Measure both sides through the page cache: memory rather than storage'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l allow-memory -d 'Measure memory on purpose: end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l force -d 'Replace existing output files'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l json -d 'Write the results as JSON to standard output'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l no-html -d 'Do not write the page with charts, NAME_versus.html'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l quiet -d 'No progress, no remarks; problems only'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -s v -l verbose -d 'Tell more while measuring'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -l tui -d 'Watch the run in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand versus" -s h -l help -d 'Print a summary; `rigel help versus` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l for -d 'Only the file that PRODUCT reads, on standard output [default: a page about all]' -r -f -a "postgresql\t''
mysql\t''
oracle\t''
cgroup\t''
cgroup-max\t''
seastar\t''"
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l hit-rate -d 'Share of random reads that caches will answer, such as 95%: what random_page_cost depends on [default: an assumed 90%]' -r
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l server-version -d 'Major version of PostgreSQL, 13 to 18: settings that came later are comments in its file [default: 13]' -r
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l last -d 'The record of the last calibration on this host'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l explain -d 'Also the formula, the figures and the source of every value, and what withheld ones would have been'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -l json -d 'All values with the figures behind them as JSON'
complete -c rigel -n "__fish_rigel_using_subcommand advise" -s h -l help -d 'Print a summary; `rigel help advise` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -l json -d 'As JSON'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -l quiet -d 'No progress'
complete -c rigel -n "__fish_rigel_using_subcommand targets" -s h -l help -d 'Print a summary; `rigel help targets` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l size -d 'Size of each file; a device is filled whole, and so is a file that is there' -r
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l destroy-data -d 'Allow to overwrite everything on TARGET' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l dry-run -d 'Show what would be written, and write nothing'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -l quiet -d 'No progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand fill" -s h -l help -d 'Print a summary; `rigel help fill` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -l all -d 'Why each finding matters and the command that changes it; also the settings that need no change'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -l json -d 'As JSON; it has all of them'
complete -c rigel -n "__fish_rigel_using_subcommand doctor" -s h -l help -d 'Print a summary; `rigel help doctor` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l scratch-size -d 'Size of the scratch file [default: chosen from memory and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l for -d 'How long the load lasts, such as 12h, 7d or 2w' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l write -d 'Share of writes in per cent [default: 30 on a scratch file and with --destroy-data, else 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l load -d 'The load in FILE, or of postgresql, mysql or oracle, instead of the usual one; its phases come round again and again' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l beside-production -d 'Storage that others use: take at most PERCENT of the time of each target [default: 5], and less while they have it hard' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l every -d 'Time between two lines of figures in the record [default: 1m, less for a short soak]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l engine -d 'How I/O reaches the kernel, as with rigel run' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l workers -d 'Worker threads [default: as many as the load needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l io-timeout -d 'An I/O that takes longer is hung, and the soak ends [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l seed -d 'Seed of every place and of what is written [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l resume -d 'Go on with an interrupted soak: its NAME_record.jsonl' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l keep-scratch -d 'Leave the scratch file there, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l allow-memory -d 'Measure memory on purpose: allow a scratch file in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l json -d 'The result as JSON on standard output'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l quiet -d 'No progress, no remarks; the result only'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -l tui -d 'Watch it in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand soak" -s h -l help -d 'Print a summary; `rigel help soak` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -s h -l help -d 'Print a summary; `rigel help durability` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "run" -d 'Write until the power is cut, and tell each acknowledgement to standard output'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "witness" -d 'Keep the acknowledgements of a run, from standard input, on a host that keeps its power'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and not __fish_seen_subcommand_from run witness check" -f -a "check" -d 'After the cut: which acknowledged writes are still there'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l for -d 'Write for so long, unless the power goes before' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l writers -d 'How many write, each one write after the other' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l sync -d 'How a write becomes durable: dsync or fdatasync' -r -f -a "dsync\t''
fdatasync\t''"
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l block -d 'Bytes of a write: a power of two from 4K to 1M' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l size -d 'How much of the target to write, again and again, from its start on [default: 64M, or all of a smaller one]' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l engine -d 'io_uring, libaio or threads [default: the best that works here]' -r
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l destroy-data -d 'Allow to overwrite everything on TARGET' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -l quiet -d 'No progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from run" -s h -l help -d 'Print a summary; `rigel help durability run` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -l force -d 'Replace an existing file'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -l quiet -d 'No notes'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from witness" -s h -l help -d 'Print a summary; `rigel help durability witness` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -l json -d 'As JSON'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -l quiet -d 'No progress'
complete -c rigel -n "__fish_rigel_using_subcommand durability; and __fish_seen_subcommand_from check" -s h -l help -d 'Print a summary; `rigel help durability check` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l offset-a -d 'Where the copy in A begins [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l offset-b -d 'Where the copy in B begins [default: 0]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l length -d 'How much to compare [default: all that both have]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l md -d 'The legs of an array of the kernel\'s RAID driver, of level 1' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l lvm -d 'The legs of a mirrored logical volume (raid1, mirror)' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l extents -d 'The copies that a list of extents names, as Oracle ASM keeps them' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l au-size -d 'Bytes of an allocation unit of these extents [default: 1M]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l max-mbps -d 'Read no more than so many MB (2^20 bytes) in a second from each copy' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l io-timeout -d 'When no read comes back for that time, a disk hangs, and the scrub ends [default: 60s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l state -d 'Keep in this file how far it is and what was found, every ten seconds' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l resume -d 'Go on with a scrub that was cut short; --max-mbps may be another' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l json -d 'As JSON'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -l quiet -d 'No progress'
complete -c rigel -n "__fish_rigel_using_subcommand scrub" -s h -l help -d 'Print a summary; `rigel help scrub` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -s h -l help -d 'Print a summary; `rigel help capacity` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "import" -d 'Read what other tools kept of production into the store'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "record" -d 'Keep what this host\'s disks do from now on'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "list" -d 'What the store holds: hosts, disks, metrics, times'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "show" -d 'Mean, busy hours, most and course of what the store holds'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "forecast" -d 'When this storage will be full or slow: production\'s forecast against what was measured'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "replay" -d 'A load file of what production did in a time, to run on other storage'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and not __fish_seen_subcommand_from import record list show forecast replay fit" -f -a "fit" -d 'How many times such a load a storage carries within bounds on the latency'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l host -d 'The name of the host, whatever the files call it' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l zone -d 'The time zone of times without an offset: Europe/Berlin, UTC, or local' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l dates -d 'The order of dates such as 11/12/26 in files of iostat: month-day or day-month' -r -f -a "month-day\t''
day-month\t''"
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l rename -d 'A disk under another name than in the files, OLD=NEW' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l keep-first -d 'Where a sample is there already with another value, keep that one'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -l quiet -d 'No progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from import" -s h -l help -d 'Print a summary; `rigel help capacity import` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l every -d 'Time from one reading to the next' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l for -d 'Stop after so long [default: at Ctrl-C or SIGTERM]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l per-hour -d 'Keep within so many bytes an hour, by means over longer intervals where needed' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l dsn -d 'A PostgreSQL server to ask as well; a password comes from PGPASSWORD' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l host -d 'The name of this host in the store [default: its own]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -l quiet -d 'No progress and no notes'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from record" -s h -l help -d 'Print a summary; `rigel help capacity record` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from list" -s h -l help -d 'Print a summary; `rigel help capacity list` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l host -d 'Only of this host' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l from -d 'From this moment on: 2026-11, 2026-11-01, or 2026-11-01T08:00:00+01:00; months and days begin in UTC' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l to -d 'Up to this moment, or to the beginning of this month or day' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from show" -s h -l help -d 'Print a summary; `rigel help capacity show` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l on -d 'Also another storage, by its record; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l host -d 'History of this host [default: the only one in the store, else this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l disk -d 'Only the load of these disks, and the space of these filesystems [default: all]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l space -d 'Bytes of the storage [default: what the history says of the filesystem]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l grow -d 'Growth in a year instead of the history\'s: 30%/y, -10%/y' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l add -d 'What comes at a date: 200GB@2027-04, 500IOPS@2027-04-15, 80MBPS@2027-04, 20%@2027-04; may be given several times' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l years -d 'Years to look ahead; no more than twice the history is told' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l fail-before -d 'Fail (1) when something most likely ends before this month or day, or when that is not known' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l html -d 'Also write the page with the year\'s charts, into this directory' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l fail-undecided -d 'Fail (1) as well when the early end of an interval is before the date'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l allow-other-disk -d 'The record was made on another disk than those of the history'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l json -d 'As JSON, rigel.capacity/1'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -l force -d 'Replace a page that is there'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from forecast" -s h -l help -d 'Print a summary; `rigel help capacity forecast` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l from -d 'From this moment on: 2026-11, 2026-11-02, or 2026-11-02T08:00:00+01:00; months and days begin in UTC [default: 7 days before the end]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l to -d 'Up to this moment, or to the beginning of this month or day [default: the end of the history]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l host -d 'History of this host [default: the only one in the store, else this host]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l disk -d 'Only these disks, by name or by what stays of them; several are one load [default: all disks of the host, else its databases]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l source -d 'Only what this tool told: recorder, prometheus, iostat, sadf, awr, statspack, pg_stat_io' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l scale -d 'So many times the rates' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l phases -d 'At most so many phases, or all: one for each interval' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l every -d 'Length of the intervals that phases are made of [default: 2000 of them in the time, or the source\'s]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l out -d 'Write the file there [default: standard output]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l store -d 'The store [default: capacity.sqlite in $XDG_STATE_HOME/rigel, else in ~/.local/state/rigel]' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l force -d 'Replace a file that is there'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -l quiet -d 'No progress and no remarks'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from replay" -s h -l help -d 'Print a summary; `rigel help capacity replay` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l lun -d 'Read the targets from FILE, one path per line' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l scratch-size -d 'Size of the scratch file [default: chosen from memory and free space]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p50 -d 'At most half of the I/Os may take longer than TIME, such as 300us' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p95 -d 'At most 5 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p99 -d 'At most 1 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l p999 -d 'At most 0.1 % may' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l mean -d 'The mean latency may be at most TIME' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l bound -d 'A bound of any percentile, such as \'p99.95 < 5ms\'; may be given several times' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l require -d 'Fail unless so many times the load keep all bounds, such as 1.5' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l load -d 'The load that is scaled; `rigel capacity replay` makes one of what production did' -r -F -a 'postgresql mysql oracle'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l max-rate -d 'The highest rate that is tried, in the phase with the most I/Os per second [default: 250000]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l duration -d 'Time for everything but filling a scratch file: no visit begins after it [default: 5m or more for each phase that decides]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l engine -d 'How I/O reaches the kernel, as with rigel run' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l workers -d 'Worker threads [default: as many as the highest rate needs]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l seed -d 'Seed of every offset and every arrival [default: drawn, and printed]' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l destroy-data -d 'Allow to overwrite everything on TARGET; may be given several times' -r -F
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l name -d 'Name of the record and of the page' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l label -d 'What you call this storage, such as old-san' -r
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l out -d 'Directory of the outputs' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l keep-scratch -d 'Leave the scratch file there, so that the next run need not fill it'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l allow-memory -d 'Measure memory on purpose: allow a scratch file in memory, and end such a run with 0'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l share -d 'Measure even while another run of Rigel reads the same target'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l dry-run -d 'Show what would be done and do nothing'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l json -d 'The result as JSON on standard output'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l no-html -d 'Do not write the page with charts, NAME_report.html'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l quiet -d 'No progress, no remarks; the result only'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -l tui -d 'Watch it in a live view, ? helps and q ends it'
complete -c rigel -n "__fish_rigel_using_subcommand capacity; and __fish_seen_subcommand_from fit" -s h -l help -d 'Print a summary; `rigel help capacity fit` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l trials -d 'Trials of each case' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l only -d 'Only the cases whose name holds TEXT' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l seed -d 'Seed of the first trial; the others follow' -r
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l thorough -d 'Also aim at ±2 %, and use shorter visits'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l markdown -d 'Print Markdown tables with every device, so that each trial can be repeated'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -l quiet -d 'No progress'
complete -c rigel -n "__fish_rigel_using_subcommand selftest" -s h -l help -d 'Print a summary; `rigel help selftest` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand completions" -s h -l help -d 'Print a summary; `rigel help completions` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand man" -l out -d 'Write the pages of all commands into DIR instead' -r -f -a "(__fish_complete_directories)"
complete -c rigel -n "__fish_rigel_using_subcommand man" -l force -d 'Replace existing files'
complete -c rigel -n "__fish_rigel_using_subcommand man" -s h -l help -d 'Print a summary; `rigel help man` tells more'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "run" -d 'Measure a load matrix: small and large I/O at rising load'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "calibrate" -d 'What CALIBRATE_IO gave, and how sure: most IOPS within a latency, MBPS, latency, in about a minute'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "slo" -d 'How much load storage can take within a bound on the latency: the highest rate, with its bracket'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "sql" -d 'Queries and commits through PostgreSQL: how much of the storage reaches SQL, and what limits it'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "orion" -d 'ORION\'s own command line and files: rigel orion -run simple'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "report" -d 'Make the outputs again from the record of a run'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "compare" -d 'Compare runs: what got better or worse, judged by intervals'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "versus" -d 'Two storages in turns in one run: by how much B is faster than A, and how sure that is'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "advise" -d 'Settings for databases and cgroups out of what was measured, each with how it came about'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "targets" -d 'Block devices and files: what they are, what is on them, what Rigel may do with them'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "fill" -d 'Write random data over targets, so that reads measure the storage and not what was never written'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "doctor" -d 'Settings that bend a result or a database: what is set, why it matters, how to change it'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "soak" -d 'Load disks for hours to weeks, and tell wrong data, failures and slow disks: are they fit for production?'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "durability" -d 'Which acknowledged writes does a power cut lose? A run, a witness on another host, and a check afterwards'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "scrub" -d 'Are both legs of a mirror alike? Compare copies of data, read-only, and tell which one is right'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "capacity" -d 'What production does to its storage: import what other tools kept, or record it'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "selftest" -d 'Show on simulated devices with a known answer that the intervals hold it'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "completions" -d 'Print the script by which a shell completes the command line'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "man" -d 'Print a man page, or write all of them'
complete -c rigel -n "__fish_rigel_using_subcommand help; and not __fish_seen_subcommand_from run calibrate slo sql orion report compare versus advise targets fill doctor soak durability scrub capacity selftest completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "run" -d 'Write until the power is cut, and tell each acknowledgement to standard output'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "witness" -d 'Keep the acknowledgements of a run, from standard input, on a host that keeps its power'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from durability" -f -a "check" -d 'After the cut: which acknowledged writes are still there'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "import" -d 'Read what other tools kept of production into the store'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "record" -d 'Keep what this host\'s disks do from now on'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "list" -d 'What the store holds: hosts, disks, metrics, times'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "show" -d 'Mean, busy hours, most and course of what the store holds'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "forecast" -d 'When this storage will be full or slow: production\'s forecast against what was measured'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "replay" -d 'A load file of what production did in a time, to run on other storage'
complete -c rigel -n "__fish_rigel_using_subcommand help; and __fish_seen_subcommand_from capacity" -f -a "fit" -d 'How many times such a load a storage carries within bounds on the latency'
