//! What every page contains, whatever the record says: library, scripts, style, and the policy that allows these and
//! nothing else. `build.rs` prepares them.
//!
//! Must not hold anything of a record.

use base64::display::Base64Display;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD};

/// The charting library, gzip-compressed in the program: base64 would be a third larger.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.gz"));
/// Its version.
pub(super) const LIBRARY_VERSION: &str = env!("RIGEL_LIBRARY_VERSION");
/// The style of every page.
pub(super) const STYLE: &str = include_str!("page/style.css");

/// The script of a kind of page: the kit, and its own part.
pub(crate) struct Script {
    pub(super) text: &'static str,
    digest: &'static str,
}

/// The script of the report. Another kind of page has its parts in `build.rs` and its script here.
pub(crate) const REPORT: Script = Script {
    text: include_str!(concat!(env!("OUT_DIR"), "/report.js")),
    digest: env!("RIGEL_REPORT_DIGEST"),
};

/// The script of a comparison.
pub(crate) const COMPARE: Script = Script {
    text: include_str!(concat!(env!("OUT_DIR"), "/compare.js")),
    digest: env!("RIGEL_COMPARE_DIGEST"),
};

/// The script of proven settings.
pub(crate) const PROOF: Script =
    Script { text: include_str!(concat!(env!("OUT_DIR"), "/proof.js")), digest: env!("RIGEL_PROOF_DIGEST") };

/// The script of a soak.
pub(crate) const SOAK: Script =
    Script { text: include_str!(concat!(env!("OUT_DIR"), "/soak.js")), digest: env!("RIGEL_SOAK_DIGEST") };

/// The script of dates and headroom.
pub(crate) const CAPACITY: Script = Script {
    text: include_str!(concat!(env!("OUT_DIR"), "/capacity.js")),
    digest: env!("RIGEL_CAPACITY_DIGEST"),
};

/// The charting library, gzip in base64.
pub(super) fn library() -> Base64Display<'static, 'static, GeneralPurpose> {
    Base64Display::new(LIBRARY, &STANDARD)
}

/// Scripts and style sheets only by their digests, nothing from anywhere else. The library places its tooltips and texts by
/// `style` attributes; those are allowed, as they can load nothing while everything else is refused.
pub(super) fn content_security_policy(script: Option<&Script>) -> String {
    let Some(script) = script else {
        return format!(
            "default-src 'none'; style-src-elem '{}'; base-uri 'none'; form-action 'none'",
            env!("RIGEL_STYLE_DIGEST")
        );
    };
    format!(
        "default-src 'none'; script-src '{}' '{}'; style-src-elem '{}'; style-src-attr 'unsafe-inline'; base-uri 'none'; \
         form-action 'none'",
        env!("RIGEL_LIBRARY_DIGEST"),
        script.digest,
        env!("RIGEL_STYLE_DIGEST")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An inline script or style ends where its closing tag is first met, and the digests are of what stands before it.
    #[test]
    fn nothing_in_the_assets_ends_them() {
        let has = |text: &str, tag: &str| text.to_ascii_lowercase().contains(tag);
        for script in [&REPORT, &COMPARE, &PROOF, &SOAK, &CAPACITY] {
            assert!(
                !has(script.text, "</script") && !has(script.text, "<!--") && !script.text.contains('\r')
            );
        }
        assert!(!has(STYLE, "</style"));
        assert!(!STYLE.contains('\r'), "a browser would change it before it takes the digest");
        let library = library().to_string();
        assert!(library.len() > 1000, "{}", library.len());
        assert!(library.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
    }

    #[test]
    fn the_policy_names_three_digests() {
        assert_eq!(content_security_policy(Some(&REPORT)).matches("'sha256-").count(), 3);
    }
}
