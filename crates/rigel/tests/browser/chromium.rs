//! Chromium without a window, one for all tests of the process, and where it is found.
//!
//! It is spoken to through two pipes (`--remote-debugging-pipe`), which need neither a port nor a driver beside it. They close with the process,
//! however that ends, and Chromium ends with them. Must not know what is asked of it.

use rigel_testdev::MissingNeed;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Without the flags of the middle a page that is not in front is painted seldom or never, and several are open at once.
const FLAGS: [&str; 14] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];
/// Chromium reads its orders from descriptor 3 and answers on 4; the shell puts its own 0 and 1 there. It outlives Chromium, also when somebody ends both from
/// the keyboard, and removes the profile.
const WITH_PIPES: &str = r#"trap : INT TERM HUP
profile=$1; shift
"$0" --user-data-dir="$profile" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf "$profile""#;
/// Longer than the slowest machine takes for an answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// That of this process, or why there is none.
static CHROMIUM: OnceLock<Result<Chromium, String>> = OnceLock::new();

/// A running browser.
struct Chromium {
    orders: Mutex<ChildStdin>,
    last_id: AtomicU64,
    routes: Arc<Routes>,
}

/// Who waits for which messages; nobody any more once Chromium has ended.
struct Routes(Mutex<Option<Listeners>>);

#[derive(Default)]
struct Listeners {
    /// Of answers to orders that concern no page, by their number.
    answers: HashMap<u64, Sender<Value>>,
    /// Of everything else, by the page.
    sessions: HashMap<String, Sender<Value>>,
}

/// A page apart from those of other tests: nothing that is kept or done in one reaches another one.
pub struct Session {
    chromium: &'static Chromium,
    context: Value,
    id: String,
    messages: Receiver<Value>,
    /// What happened since it was opened.
    pub events: Vec<Value>,
}

/// Where a program is.
fn find() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut found = NAMES.iter().flat_map(|name| all.iter().map(move |folder| folder.join(name)));
    let missing = || format!("no Chromium: none of {} is in PATH", NAMES.join(", "));
    found.find(|path| path.is_file()).ok_or_else(missing)
}

/// A test that failed leaves nothing half done there.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What Chromium answered to an order.
fn result(method: &str, answer: &Value) -> Value {
    assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
    answer["result"].clone()
}

fn receive(messages: &Receiver<Value>, method: &str) -> Value {
    match messages.recv_timeout(PATIENCE) {
        Ok(message) => message,
        Err(RecvTimeoutError::Timeout) => {
            panic!("Chromium does not answer {method} within {} s", PATIENCE.as_secs())
        }
        Err(RecvTimeoutError::Disconnected) => panic!("Chromium ended before it answered {method}"),
    }
}

impl Routes {
    /// Changes who listens. Once Chromium has ended, nobody can.
    fn change(&self, change: impl FnOnce(&mut Listeners)) {
        if let Some(listeners) = lock(&self.0).as_mut() {
            change(listeners);
        }
    }

    /// Hands over every message until there are no more.
    fn serve(&self, stream: impl Read) {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        while matches!(stream.read_until(0, &mut bytes), Ok(1..)) {
            if let Ok(message) = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap_or(&bytes)) {
                self.deliver(message);
            }
            bytes.clear();
        }
        *lock(&self.0) = None;
    }

    fn deliver(&self, message: Value) {
        let mut listeners = lock(&self.0);
        let Some(listeners) = listeners.as_mut() else { return };
        let listener = match message["sessionId"].as_str() {
            Some(session) => listeners.sessions.get(session).cloned(),
            None => message["id"].as_u64().and_then(|id| listeners.answers.remove(&id)),
        };
        // Nobody waits for the end of a page, and what a page says after its test is over is lost.
        if let Some(listener) = listener {
            let _ = listener.send(message);
        }
    }
}

impl Chromium {
    /// That of this process, which the first test starts.
    fn of_process() -> Result<&'static Self, MissingNeed> {
        CHROMIUM.get_or_init(Self::start).as_ref().map_err(MissingNeed::new)
    }

    fn start() -> Result<Self, String> {
        let program = find()?;
        let profile = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
        let mut child = Command::new("sh")
            .args(["-c", WITH_PIPES])
            .arg(program)
            .arg(profile)
            .args(FLAGS)
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (orders, stream) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let routes = Arc::new(Routes(Mutex::new(Some(Listeners::default()))));
        let served = Arc::clone(&routes);
        std::thread::spawn(move || {
            served.serve(stream);
            let _ = child.wait();
        });
        Ok(Self { orders: Mutex::new(orders), last_id: AtomicU64::new(0), routes })
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn send(&self, message: &Value) -> io::Result<()> {
        let mut orders = lock(&self.orders);
        orders.write_all(&[message.to_string().as_bytes(), &[0]].concat())?;
        orders.flush()
    }

    /// Gives an order that concerns no page, and waits for its answer.
    fn order(&self, method: &str, parameters: &Value) -> Value {
        let id = self.next_id();
        let (sender, answer) = channel();
        self.routes.change(|listeners| drop(listeners.answers.insert(id, sender)));
        self.send(&json!({"id": id, "method": method, "params": parameters})).unwrap();
        result(method, &receive(&answer, method))
    }
}

impl Session {
    /// Opens an empty page.
    pub fn open() -> Result<Self, MissingNeed> {
        let chromium = Chromium::of_process()?;
        let context = chromium.order("Target.createBrowserContext", &json!({}))["browserContextId"].clone();
        let blank = json!({"url": "about:blank", "browserContextId": context});
        let target = chromium.order("Target.createTarget", &blank)["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        let attached = chromium.order("Target.attachToTarget", &attach);
        let id = attached["sessionId"].as_str().unwrap().to_owned();
        let (sender, messages) = channel();
        chromium.routes.change(|listeners| drop(listeners.sessions.insert(id.clone(), sender)));
        Ok(Self { chromium, context, id, messages, events: Vec::new() })
    }

    /// Gives an order and waits for its answer.
    pub fn order(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.chromium.next_id();
        let order = json!({"id": id, "method": method, "params": parameters, "sessionId": self.id});
        self.chromium.send(&order).unwrap();
        loop {
            let message = receive(&self.messages, method);
            if message["id"] == id {
                return result(method, &message);
            }
            self.events.push(message);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.chromium.routes.change(|listeners| drop(listeners.sessions.remove(&self.id)));
        let context = json!({"browserContextId": self.context});
        let close = json!({"id": self.chromium.next_id(), "method": "Target.disposeBrowserContext", "params": context});
        // The page goes at the latest with Chromium.
        let _ = self.chromium.send(&close);
    }
}
