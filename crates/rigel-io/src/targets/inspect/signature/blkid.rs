//! libblkid, loaded at run time, so Rigel runs where it is missing.
//!
//! Only symbols that every libblkid since util-linux 2.17 (2010) has are used. All results of a probe are taken, not only
//! the one that libblkid prefers: before a disk is overwritten, a doubtful signature counts too. Must not judge them.

use std::collections::HashMap;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// One result: its values by name (`TYPE`, `USAGE`, `PTTYPE` ...).
pub(crate) type Values = HashMap<String, Vec<u8>>;

/// Flags of blkid_probe_set_superblocks_flags: LABEL, UUID, TYPE, USAGE, MAGIC, BADCSUM (take damaged ones too).
const SUPERBLOCKS: c_int = 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 9 | 1 << 10;
/// Flags of blkid_probe_set_partitions_flags: FORCE_GPT (a GPT without its protective MBR), MAGIC.
const PARTITIONS: c_int = 1 << 1 | 1 << 3;
/// More results than there are formats: a library that finds more is broken.
const MOST_RESULTS: usize = 256;

type Probe = *mut c_void;

/// The functions of libblkid, as <blkid.h> declares them.
struct Blkid {
    new_probe: unsafe extern "C" fn() -> Probe,
    free_probe: unsafe extern "C" fn(Probe),
    set_device: unsafe extern "C" fn(Probe, c_int, i64, i64) -> c_int,
    enable_superblocks: unsafe extern "C" fn(Probe, c_int) -> c_int,
    set_superblocks_flags: unsafe extern "C" fn(Probe, c_int) -> c_int,
    enable_partitions: unsafe extern "C" fn(Probe, c_int) -> c_int,
    set_partitions_flags: unsafe extern "C" fn(Probe, c_int) -> c_int,
    do_probe: unsafe extern "C" fn(Probe) -> c_int,
    numof_values: unsafe extern "C" fn(Probe) -> c_int,
    get_value:
        unsafe extern "C" fn(Probe, c_int, *mut *const c_char, *mut *const c_char, *mut usize) -> c_int,
    /// The last field, so it is dropped last: the functions above are valid only while it is loaded.
    _library: libloading::Library,
}

/// Loaded once and never unloaded. One probe at a time, because libblkid does not promise to be thread-safe.
static LIBRARY: OnceLock<Result<Mutex<Blkid>, String>> = OnceLock::new();

/// All results of libblkid for `len` bytes at `offset`.
///
/// # Errors
/// The reason, when the library is missing or gave up. Earlier results of the probe are then lost.
pub(crate) fn probe(fd: BorrowedFd<'_>, offset: u64, len: u64) -> Result<Vec<Values>, String> {
    let library = LIBRARY.get_or_init(|| load().map(Mutex::new)).as_ref().map_err(Clone::clone)?;
    library.lock().unwrap_or_else(PoisonError::into_inner).probe(fd, offset, len)
}

fn load() -> Result<Blkid, String> {
    let missing = |error: libloading::Error| {
        let detail = error.source().map(|source| format!(" ({source})")).unwrap_or_default();
        format!("libblkid.so.1 cannot be loaded: {error}{detail}")
    };
    // SAFETY: a system library whose only initialisation reads environment variables.
    let library = unsafe { libloading::Library::new("libblkid.so.1") }.map_err(missing)?;
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the type in `Blkid` is that of <blkid.h> (blkid_loff_t is int64_t on every platform); the pointer
            // is kept beside the library and never used without it.
            *unsafe { library.get($name) }.map_err(missing)?
        };
    }
    Ok(Blkid {
        new_probe: function!(c"blkid_new_probe"),
        free_probe: function!(c"blkid_free_probe"),
        set_device: function!(c"blkid_probe_set_device"),
        enable_superblocks: function!(c"blkid_probe_enable_superblocks"),
        set_superblocks_flags: function!(c"blkid_probe_set_superblocks_flags"),
        enable_partitions: function!(c"blkid_probe_enable_partitions"),
        set_partitions_flags: function!(c"blkid_probe_set_partitions_flags"),
        do_probe: function!(c"blkid_do_probe"),
        numof_values: function!(c"blkid_probe_numof_values"),
        get_value: function!(c"blkid_probe_get_value"),
        _library: library,
    })
}

impl Blkid {
    fn probe(&self, fd: BorrowedFd<'_>, offset: u64, len: u64) -> Result<Vec<Values>, String> {
        let (Ok(offset), Ok(len)) = (i64::try_from(offset), i64::try_from(len)) else {
            return Err("the target is larger than libblkid can address".to_owned());
        };
        // SAFETY: takes nothing; the answer is checked before it is used and freed by `Freed`.
        let probe = ProbeGuard { library: self, probe: unsafe { (self.new_probe)() } };
        if probe.probe.is_null() {
            return Err("libblkid could not start a probe".to_owned());
        }
        // SAFETY: the probe is not null and the descriptor outlives it. The chains are set up before the device, as
        // libblkid's own tools do.
        let ready = unsafe {
            (self.enable_superblocks)(probe.probe, 1);
            (self.set_superblocks_flags)(probe.probe, SUPERBLOCKS);
            (self.enable_partitions)(probe.probe, 1);
            (self.set_partitions_flags)(probe.probe, PARTITIONS);
            (self.set_device)(probe.probe, fd.as_raw_fd(), offset, len)
        };
        if ready != 0 {
            return Err(format!("libblkid could not read it: {}", std::io::Error::last_os_error()));
        }
        self.results(&probe)
    }

    fn results(&self, probe: &ProbeGuard<'_>) -> Result<Vec<Values>, String> {
        let mut found = Vec::new();
        while found.len() < MOST_RESULTS {
            // SAFETY: a valid probe with a device.
            match unsafe { (self.do_probe)(probe.probe) } {
                0 => found.push(self.values(probe)),
                1 => return Ok(found),
                _ => return Err("libblkid gave up, perhaps because of a read error".to_owned()),
            }
        }
        Err(format!("libblkid found more than {MOST_RESULTS} signatures"))
    }

    fn values(&self, probe: &ProbeGuard<'_>) -> Values {
        // SAFETY: a valid probe.
        let count = unsafe { (self.numof_values)(probe.probe) };
        (0..count)
            .filter_map(|index| {
                let (mut name, mut data, mut len) = (ptr::null(), ptr::null(), 0);
                // SAFETY: a valid probe; the three places to write to are of the declared types.
                let rc = unsafe {
                    (self.get_value)(probe.probe, index, &raw mut name, &raw mut data, &raw mut len)
                };
                if rc != 0 || name.is_null() || data.is_null() {
                    return None;
                }
                // SAFETY: on success the name is a static string, and the data are `len` bytes that stay until the next
                // call of do_probe; both are copied here.
                let (name, data) =
                    unsafe { (CStr::from_ptr(name), std::slice::from_raw_parts(data.cast::<u8>(), len)) };
                let text = data.split(|&byte| byte == 0).next().unwrap_or_default();
                Some((name.to_string_lossy().into_owned(), text.to_vec()))
            })
            .collect()
    }
}

struct ProbeGuard<'a> {
    library: &'a Blkid,
    probe: Probe,
}

impl Drop for ProbeGuard<'_> {
    fn drop(&mut self) {
        // SAFETY: made by new_probe and freed once; null is allowed.
        unsafe { (self.library.free_probe)(self.probe) }
    }
}
