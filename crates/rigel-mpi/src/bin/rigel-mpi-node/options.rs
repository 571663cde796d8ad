//! The options before the arguments of `rigel`: what the user says about the nodes.
//!
//! Must not read the arguments after them.

use rigel::Rules;
use std::ffi::OsString;

/// What was asked for.
pub enum NodeCommand {
    /// A run, with its arguments, the program's name first.
    Run(Rules, Vec<OsString>),
    /// How to use this program.
    Help,
}

/// The help.
pub const HELP: &str = "Rigel on many nodes: one process per host, the same command line on all of \
them

Usage: mpirun --map-by ppr:1:node rigel-mpi [OPTIONS] COMMAND ...

COMMAND and its options are those of `rigel`: run, orion, calibrate, slo, versus, soak and sql \
(with --dsn)
are done by all nodes together, everything else by the first one alone. See `rigel help COMMAND`.

Options, before the command:
      --oversubscribe     \
allow several nodes on one host
      --own-targets       targets are local to each host, not shared by \
all
      --coordinator-only  the first node leads and loads nothing
  -h, --help              print \
this

Examples:
  mpirun --hostfile hosts --map-by ppr:1:node rigel-mpi run normal /dev/mapper/data
      \
the disks that all hosts share, from all of them at once; nothing is written
  mpirun --hostfile hosts \
--map-by ppr:1:node rigel-mpi --own-targets calibrate /dev/nvme1n1
      each host its own disk
  mpirun --hostfile hosts --map-by ppr:1:node rigel-mpi sql simple --dsn \
'host=db1 dbname=shop sslmode=disable'
      sessions of each host on one database server
  srun \
--mpi=pmix --ntasks-per-node=1 rigel-mpi soak --for 8h /dev/mapper/data
      under Slurm

Exit codes, of \
mpirun: those of rigel, and
  1    after Ctrl-C or SIGTERM as well, which is mpirun's own
  101  a bug in \
Rigel on some node
  137  a node was killed
  70   a node got no answer from another one
";

/// Reads what stands before the command. An option that is not known is told to the user.
pub fn read(argv: &[OsString]) -> Result<NodeCommand, String> {
    let mut rules = Rules::default();
    let mut rest = argv.iter().skip(1).peekable();
    while let Some(word) = rest.peek().and_then(|word| word.to_str()).filter(|word| word.starts_with('-')) {
        match word {
            "--oversubscribe" => rules.oversubscribe = true,
            "--own-targets" => rules.own_targets = true,
            "--coordinator-only" => rules.coordinator_only = true,
            "-h" | "--help" => return Ok(NodeCommand::Help),
            // Of `rigel`.
            "-V" | "--version" => break,
            other => {
                return Err(format!(
                    "error: rigel-mpi has no option {}\n  next step: options of the nodes come before the \
                     command, all others after it; see `rigel-mpi --help`\n",
                    other.escape_default()
                ));
            }
        }
        rest.next();
    }
    let words: Vec<OsString> = std::iter::once("rigel".into()).chain(rest.cloned()).collect();
    Ok(if words.len() == 1 { NodeCommand::Help } else { NodeCommand::Run(rules, words) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn options_of_the_nodes_stand_before_the_command() {
        let read_all = |text| match read(&words(text)) {
            Ok(NodeCommand::Run(rules, argv)) => Some((rules, argv)),
            _ => None,
        };
        let (rules, argv) = read_all("rigel-mpi --oversubscribe --own-targets run simple --seed 1").unwrap();
        assert!(rules.oversubscribe && rules.own_targets && !rules.coordinator_only);
        assert_eq!(argv, words("rigel run simple --seed 1"));
        assert_eq!(read_all("rigel-mpi --version").unwrap().1, words("rigel --version"));
        assert!(matches!(read(&words("rigel-mpi --help")), Ok(NodeCommand::Help)));
        assert!(matches!(read(&words("rigel-mpi")), Ok(NodeCommand::Help)));
        assert!(read(&words("rigel-mpi --seed 1 run")).is_err_and(|text| text.contains("--seed")));
    }
}
