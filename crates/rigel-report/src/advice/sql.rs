//! What a DBA can do with the figures in Oracle Database, as an SQL script.
//!
//! Must not fill an Oracle table automatically.

use super::Advisory;
use super::commented::{CommentedFile, value};
use rigel_uses::advice::{Advice, Product};

/// The columns of the row, in the order of the table behind the view.
const ROW: [&str; 5] = ["MAX_IOPS", "MAX_MBPS", "MAX_PMBPS", "LATENCY", "NUM_PHYSICAL_DISKS"];
/// Leaves the parameter to Oracle from the next start on; an unset one is not an error.
const RESET: &str = "\
BEGIN
  EXECUTE IMMEDIATE 'ALTER SYSTEM RESET db_file_multiblock_read_count SCOPE = SPFILE';
EXCEPTION
  WHEN OTHERS THEN
    -- ORA-32010: it was not set.
    IF SQLCODE != -32010 THEN RAISE; END IF;
END;
/
";

pub(super) fn script(advisory: &Advisory<'_>, advice: &[&Advice]) -> String {
    let mut file = CommentedFile::new(advisory, Product::Oracle, "--");
    file.page.blank();
    file.comment("What DBMS_RESOURCE_MANAGER.CALIBRATE_IO would have left in DBA_RSRC_IO_CALIBRATE:");
    let (row, others): (Vec<&Advice>, Vec<&Advice>) =
        advice.iter().partition(|advice| ROW.contains(&advice.setting));
    for advice in row {
        if let Ok(given) = &advice.outcome {
            file.comment_out(&format!("  {} = {}", advice.setting, given.value.text));
            file.explanation(advice, given);
        }
    }
    insert(&mut file, advice);
    for advice in others {
        if let Ok(given) = &advice.outcome {
            file.page.blank();
            file.comment_out(&format!("{}: {}", advice.setting, given.value.text));
            file.explanation(advice, given);
            if given.rough.is_none() {
                file.page.push(RESET);
            }
        }
    }
    file.refusals(advice);
    // SQL*Plus asks for a value wherever there is an ampersand, in comments as well.
    format!("SET DEFINE OFF\n{}", file.page.into_string())
}

/// The only supported way to fill the row is CALIBRATE_IO itself; this one is a common workaround, and stays a comment.
fn insert(file: &mut CommentedFile, advice: &[&Advice]) {
    let values: Option<Vec<&str>> = ROW.iter().map(|column| value(advice, column)).collect();
    let Some(values) = values else { return };
    file.page.blank();
    file.comment(
        "Optional, and not supported by Oracle, whose only way to fill that row is CALIBRATE_IO itself: the \
         usual workaround, as SYS, before a restart of the instance. Remove the comment marks to use it.",
    );
    file.comment_out("DELETE FROM sys.resource_io_calibrate$;");
    file.comment_out("INSERT INTO sys.resource_io_calibrate$");
    file.comment_out(&format!("  VALUES (CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, {});", values.join(", ")));
    file.comment_out("COMMIT;");
}
