//! A page in the browser: what a reader does to it, and what it then shows.
//!
//! Must not know what a report looks like.

use crate::chromium::Session;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rigel_testdev::MissingNeed;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Polls until something is so: as long as the slowest machine takes.
const TRIES: u32 = 4800;
const BETWEEN: Duration = Duration::from_millis(25);

/// By how much the page is wider than the screen.
pub const TOO_WIDE: &str = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/// Names the folder where pictures are kept for people to look at.
const PICTURES: &str = "RIGEL_SCREENSHOTS";

/// Keeps a picture, when somebody wants to look at it.
pub fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os(PICTURES) {
        std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
    }
}

/// Whether the script of a page is done, `yes`; of a page without one, too.
pub const READY: &str = "(document.scripts.length === 0 ? 'yes' : document.documentElement.dataset.ready)";

/// One tab.
pub struct Tab {
    session: Session,
    url: String,
}

impl Tab {
    /// Opens a file from disk, and waits until its script is done, where it has one.
    pub fn open(file: &Path) -> Result<Self, MissingNeed> {
        let url = format!("file://{}", file.display());
        let mut tab = Self { session: Session::open()?, url: url.clone() };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.order(&format!("{domain}.enable"), json!({}));
        }
        // Each page takes itself for the one in front, whatever other tests have open.
        tab.order("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        tab.size(1280, 900, false);
        tab.order("Page.navigate", json!({ "url": url }));
        let is_loaded = "location.protocol === 'file:' && document.readyState === 'complete'";
        tab.wait(&format!("{is_loaded} && {READY} !== undefined"));
        Ok(tab)
    }

    fn order(&mut self, method: &str, parameters: Value) -> Value {
        self.session.order(method, &parameters)
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        let answer = self.order(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is text.
    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("no text: {expression}")).to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        for _ in 0..TRIES {
            if self.value(expression) == true {
                return;
            }
            std::thread::sleep(BETWEEN);
        }
        panic!("never true: {expression}");
    }

    /// Width and height of what is seen, as on a phone or not.
    pub fn size(&mut self, width: u32, height: u32, phone: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone});
        self.order("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Opens the page on a phone. One that was wider before may keep that width in the browser's mind, without anything in it that is wide.
    pub fn open_on_phone(&mut self) {
        self.size(390, 844, true);
        self.order("Page.navigate", json!({"url": "about:blank"}));
        let url = self.url.clone();
        self.order("Page.navigate", json!({ "url": url }));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
    }

    /// As on a phone, where neither the page nor the drawing of this chart is wider than the screen.
    pub fn phone(&mut self, chart: &str) {
        self.size(390, 844, true);
        self.wait(&format!("{TOO_WIDE} <= 0 && document.querySelector('#{chart} svg').clientWidth <= 390"));
    }

    /// Light or dark, as the system of the reader asks.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.order("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Lays the page out as on paper from here on.
    pub fn on_paper(&mut self) {
        self.order("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    }

    /// Moves the pointer.
    pub fn point_at(&mut self, (x, y): (f64, f64)) {
        // From elsewhere: a pointer that does not move shows nothing.
        for x in [x - 3.0, x] {
            self.order("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
        }
    }

    /// Clicks there.
    pub fn click(&mut self, (x, y): (f64, f64)) {
        self.point_at((x, y));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.order("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "code": key});
            if kind == "keyDown" && key.chars().count() == 1 {
                event["text"] = json!(key);
            }
            self.order("Input.dispatchKeyEvent", event);
        }
    }

    /// The page as it would be printed on A4 or letter, whose sizes are in inches.
    pub fn printed(&mut self, (width, height): (f64, f64)) -> Vec<u8> {
        let how = json!({"printBackground": true, "paperWidth": width, "paperHeight": height});
        let answer = self.order("Page.printToPDF", how);
        STANDARD.decode(answer["data"].as_str().unwrap()).unwrap()
    }

    /// Keeps a picture of the whole page, when somebody wants to look at it.
    pub fn picture(&mut self, name: &str) {
        if std::env::var_os(PICTURES).is_none() {
            return;
        }
        let size = self.order("Page.getLayoutMetrics", json!({}))["cssContentSize"].clone();
        let clip = json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        let answer =
            self.order("Page.captureScreenshot", json!({"captureBeyondViewport": true, "clip": clip}));
        keep(&format!("{name}.png"), &STANDARD.decode(answer["data"].as_str().unwrap()).unwrap());
    }

    /// Everything that the browser complained about, policies included.
    pub fn complaints(&mut self) -> Vec<String> {
        // An order that is answered comes after everything that happened before it.
        self.value("1");
        let is_one = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning", "assert"].iter().any(|kind| event["params"]["type"] == *kind)
            }
            Some("Log.entryAdded") => event["params"]["entry"]["level"] != "verbose",
            _ => false,
        };
        self.session.events.iter().filter(is_one).map(ToString::to_string).collect()
    }

    /// Every address that the page asked for beside its own.
    pub fn requests(&mut self) -> Vec<String> {
        self.value("1");
        let sent = self.session.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls =
            sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned());
        urls.filter(|url| *url != self.url).collect()
    }
}
