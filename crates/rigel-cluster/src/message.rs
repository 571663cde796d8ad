//! What nodes say to each other: JSON after a line that names the version of the program.
//!
//! What another node says is foreign: it is read with its types here, and checked by who asked for it.

use crate::meet::{Brief, Call, Hello};
use rigel_core::error::Problem;
use rigel_core::facts::drive::Drive;
use rigel_core::path_text::printable;
use rigel_run::bench::{Order, Progress, RunPast, Site, VisitResult};
use rigel_run::job::Part;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The first node may read all of its targets before it may write.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// It asks its own drives, and in virtual time it listens to nobody while it works.
const MINUTES: Duration = Duration::from_secs(600);
/// A longer message does not come from a node of ours.
const MOST_BYTES: usize = 1 << 30;

/// From the first node to another one, or back.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// A run begins: who is there?
    Call(Box<Call>),
    /// What the node is and has, or why it cannot take part.
    Hello(Box<Result<Hello, Problem>>),
    /// What the node does in the run.
    Brief(Box<Brief>),
    /// The bench of the node is ready, or why not; a node without a part of the load has none. Nothing was written yet.
    Ready(Box<Result<Option<Site>, Problem>>),
    /// What does your clock show?
    Ping,
    /// That.
    Pong(u64),
    /// Do this; times are those of the node's clock.
    Do(Order),
    /// How far it is.
    Tick(Progress),
    /// An interval is over.
    Part(Box<Part>),
    /// What came of it.
    Came(Box<Result<VisitResult, Problem>>),
    /// End it at this time of the node's clock.
    EndAt(u64),
    /// The first node is there and has nothing to be done; it may be silent for this many nanoseconds, and as long as usual.
    Wait(u64),
    /// An earlier process did that.
    Pass(u64, RunPast),
    /// Whether it is behind the node now.
    Passed(bool),
    /// Ask the drives.
    AskDrives,
    /// What they said.
    Drives(Option<Vec<Drive>>),
    /// The run is over.
    End,
}

impl Message {
    /// What it is, in a word for messages about messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Call(_) => "call",
            Self::Hello(_) => "hello",
            Self::Brief(_) => "brief",
            Self::Ready(_) => "ready",
            Self::Ping => "ping",
            Self::Pong(_) => "pong",
            Self::Do(_) => "do",
            Self::Tick(_) => "tick",
            Self::Part(_) => "part",
            Self::Came(_) => "came",
            Self::EndAt(_) => "end at",
            Self::Wait(_) => "wait",
            Self::Pass(..) => "pass",
            Self::Passed(_) => "passed",
            Self::AskDrives => "ask drives",
            Self::Drives(_) => "drives",
            Self::End => "end",
        }
    }

    /// How long the other node may be busy before it takes this; `None` if it has nothing else to do.
    pub const fn patience(&self) -> Option<Duration> {
        match self {
            Self::Hello(_) | Self::Ready(_) => Some(WEEK),
            Self::Came(_) | Self::Passed(_) | Self::Drives(_) => Some(MINUTES),
            _ => None,
        }
    }

    /// Whether there is a record when this is said.
    pub(crate) const fn has_record(&self) -> bool {
        match self {
            Self::Call(call) => call.again.is_some(),
            Self::Do(_) => true,
            _ => false,
        }
    }

    /// As it travels. `from` is the printable name of the sender, `number` how many messages it sent to the same node before.
    ///
    /// # Errors
    /// Never for these messages; JSON could fail on a map with keys that are no text.
    pub fn encode(&self, version: &str, from: &str, number: u64) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = format!("rigel {version} {from}\n").into_bytes();
        serde_json::to_writer(&mut bytes, &(number, self))?;
        Ok(bytes)
    }

    /// What was sent, with the name of the sender and its number. `version` is that of this program, `own` names its node.
    ///
    /// # Errors
    /// When it is not a message of this version.
    pub fn decode(
        bytes: &[u8],
        version: &str,
        rank: usize,
        own: &str,
    ) -> Result<(Self, String, u64), Problem> {
        let strange = |reason: String| {
            Problem::refused(format!("node {rank} sent a message that this program does not understand"))
                .because(reason)
                .next("start the same version of Rigel on all nodes")
        };
        let line = bytes.iter().take(512).position(|&byte| byte == b'\n');
        let (first, rest) = match line {
            Some(at) if bytes.len() <= MOST_BYTES => bytes.split_at(at),
            _ => return Err(strange("it does not start like a Rigel message".to_owned())),
        };
        let first = printable(str::from_utf8(first).unwrap_or("?")).into_owned();
        let mut words = first.splitn(3, ' ');
        let (Some("rigel"), Some(theirs), Some(name)) = (words.next(), words.next(), words.next()) else {
            return Err(strange("it does not start like a Rigel message".to_owned()));
        };
        if theirs != version {
            return Err(Problem::refused(format!(
                "node {rank} ({name}) has Rigel {theirs}, but {own} has {version}"
            ))
            .because("versions may choose points and places differently")
            .next("install the same version on all nodes"));
        }
        let (number, message) = serde_json::from_slice(rest).map_err(|error| strange(error.to_string()))?;
        Ok((message, name.to_owned(), number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_arrives_as_it_was_sent() {
        let bytes = Message::Pong(u64::MAX).encode("1.2.3", "db 1", 7).unwrap();
        let (message, name, number) = Message::decode(&bytes, "1.2.3", 4, "").unwrap();
        assert!(matches!(message, Message::Pong(u64::MAX)));
        assert_eq!((&*name, number), ("db 1", 7));
    }

    #[test]
    fn another_version_and_rubbish_are_refused() {
        let bytes = Message::End.encode("1.2.3", "db1", 0).unwrap();
        let problem = Message::decode(&bytes, "1.2.4", 4, "node 0 (db0)").unwrap_err();
        assert_eq!(problem.what, "node 4 (db1) has Rigel 1.2.3, but node 0 (db0) has 1.2.4");
        for bytes in [&b""[..], b"rigel", b"rigel 1.2.4 db1\n{", b"rigel 1.2.4\n\"End\"", &[0xff; 600]] {
            let problem = Message::decode(bytes, "1.2.4", 4, "").unwrap_err();
            assert_eq!(
                problem.what, "node 4 sent a message that this program does not understand",
                "{bytes:?}"
            );
        }
    }
}
