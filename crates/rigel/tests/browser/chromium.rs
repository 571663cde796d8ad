//! Chromium without a window, and where it is found.
//!
//! It is spoken to through two pipes (`--remote-debugging-pipe`), which needs neither a port nor a driver beside it.
//! Must not know what is asked of it.

use rigel_testdev::Unavailable;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];
/// Chromium reads its orders from descriptor 3 and answers on 4; the shell puts its own 0 and 1 there.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
/// Longer than the slowest machine takes for an answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// One browser at a time: each takes a processor for itself, and memory.
static TURN: Mutex<()> = Mutex::new(());

/// A running browser; it ends with its pipes.
pub struct Chromium {
    child: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<Value>,
    last_id: u64,
    /// What happened since, of all sessions.
    pub events: Vec<Value>,
    _profile: TempDir,
    _turn: MutexGuard<'static, ()>,
}

fn find() -> Result<PathBuf, Unavailable> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = NAMES.iter().flat_map(|name| all.iter().map(move |folder| folder.join(name)));
    let missing = || {
        Unavailable::new("no Chromium: none of chromium, chromium-browser, google-chrome, chrome is in PATH")
    };
    found.into_iter().find(|path| path.is_file()).ok_or_else(missing)
}

impl Chromium {
    /// Starts one.
    pub fn start() -> Result<Self, Unavailable> {
        let program = find()?;
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut child = Command::new("sh")
            .args(["-c", WITH_PIPES])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let orders = child.stdin.take();
        let mut stream = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while matches!(stream.read_until(0, &mut message), Ok(1..)) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                if serde_json::from_slice(text).is_ok_and(|message| sender.send(message).is_err()) {
                    break;
                }
                message.clear();
            }
        });
        Ok(Self { child, orders, answers, last_id: 0, events: Vec::new(), _profile: profile, _turn: turn })
    }

    /// Gives an order and waits for its answer.
    pub fn order(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let orders = self.orders.as_mut().unwrap();
        orders.write_all(&[message.to_string().as_bytes(), &[0]].concat()).unwrap();
        orders.flush().unwrap();
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(answer) if answer["id"] == self.last_id => {
                    assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                    return answer["result"].clone();
                }
                Ok(event) => self.events.push(event),
                Err(RecvTimeoutError::Timeout) => panic!("Chromium does not answer {method}"),
                Err(RecvTimeoutError::Disconnected) => panic!("Chromium ended before it answered {method}"),
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It ends when nobody can give it orders any more; one that does not is ended.
        drop(self.orders.take());
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
