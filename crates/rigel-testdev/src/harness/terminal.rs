//! A real terminal for a test: a shell in tmux, with keys and pictures.
//!
//! The server is the test's own, with its own socket and without the user's settings, and ends with the value. Must not
//! know what runs in it.

use super::needs::MissingNeed;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No status line: the shell has all of the terminal. A key is sent when it is pressed, not when an escape is over.
const SETTINGS: &str = "set -g status off\nset -g escape-time 0\nset -g default-terminal tmux-256color\n";
/// Longest wait for an output of the terminal, for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal of a given size with a shell in it.
#[derive(Debug)]
pub struct TestTerminal {
    home: TempDir,
}

impl TestTerminal {
    /// Opens one in a directory, with variables on top of the environment.
    ///
    /// # Errors
    /// Without tmux.
    pub fn open(
        directory: &Path,
        (columns, lines): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Result<Self, MissingNeed> {
        let home = TempDir::new().map_err(MissingNeed::new)?;
        fs::write(home.path().join("settings"), SETTINGS).map_err(MissingNeed::new)?;
        let terminal = Self { home };
        let mut command = terminal.command();
        command.args(["new-session", "-d", "-x", &columns.to_string(), "-y", &lines.to_string()]).arg("-c");
        command.arg(directory);
        for (name, value) in variables {
            command.arg("-e").arg(format!("{name}={value}"));
        }
        let output = command.args(["-e", "PS1=$ ", "sh"]).output();
        let output = output.map_err(|error| MissingNeed::new(format!("tmux: {error}")))?;
        if output.status.success() {
            Ok(terminal)
        } else {
            Err(MissingNeed::new(format!("tmux: {}", String::from_utf8_lossy(&output.stderr))))
        }
    }

    /// Types a line and Enter.
    pub fn type_line(&self, line: &str) {
        self.tmux(["send-keys", "-l", line]);
        self.press("Enter");
    }

    /// Presses a key by tmux's name for it: `q`, `Tab`, `C-c`.
    pub fn press(&self, key: &str) {
        self.tmux(["send-keys", key]);
    }

    /// What is on the screen now.
    #[must_use]
    pub fn screen(&self) -> String {
        self.tmux(["capture-pane", "-p"])
    }

    /// The same with the escape codes of its colours.
    #[must_use]
    pub fn coloured_screen(&self) -> String {
        self.tmux(["capture-pane", "-p", "-e"])
    }

    /// What a format of tmux says about the terminal: `#{alternate_on}`.
    #[must_use]
    pub fn state(&self, format: &str) -> String {
        self.tmux(["display-message", "-p", format]).trim_end().to_owned()
    }

    /// Changes its size.
    pub fn resize(&self, (columns, lines): (u16, u16)) {
        self.tmux(["resize-window", "-x", &columns.to_string(), "-y", &lines.to_string()]);
    }

    /// Waits until the screen is as wanted, and gives it.
    ///
    /// # Panics
    /// When it is not after two minutes, with the last screen.
    #[must_use]
    pub fn wait_until(&self, wanted: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "not seen in {} s:\n{screen}", PATIENCE.as_secs());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the screen holds a sign, and gives it.
    ///
    /// # Panics
    /// As [`wait_until`](Self::wait_until).
    #[must_use]
    pub fn wait_for(&self, sign: &str) -> String {
        self.wait_until(|screen| screen.contains(sign))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        // Within a tmux of the user's, that one would be asked.
        command.env_remove("TMUX").arg("-u");
        command
            .arg("-S")
            .arg(self.home.path().join("socket"))
            .arg("-f")
            .arg(self.home.path().join("settings"));
        command
    }

    /// What a command of tmux prints. A server that is gone prints nothing, and what waits for it then says so.
    fn tmux<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let output: Option<Output> = self.command().args(arguments).output().ok();
        output.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for TestTerminal {
    fn drop(&mut self) {
        self.tmux(["kill-server"]);
    }
}
