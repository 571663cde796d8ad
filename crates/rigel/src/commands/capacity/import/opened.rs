//! The text of a file: gzip is unpacked, and UTF-16 becomes UTF-8, both while reading.
//!
//! Must not understand the text.

use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

/// Files that unpack to more than this are packed by at most [`MOST_RATIO`]: logs of an idle host have less than half of that.
const FREE_BYTES: u64 = 64 << 20;
const MOST_RATIO: u64 = 100;
/// UTF-16 that is decoded in one step.
const UTF16_BYTES: usize = 64 << 10;

/// A file that is open.
pub struct OpenedFile {
    text: Box<dyn Read>,
    /// The bytes of the file that were read, packed or not.
    on_disk: Rc<Cell<u64>>,
    is_packed: bool,
    /// Whether it ended within a packed block.
    pub is_cut: bool,
    has_rest: Rc<Cell<bool>>,
}

impl OpenedFile {
    /// Opens a file, and finds out from its first bytes how its text is stored.
    pub fn open(path: &Path) -> io::Result<Self> {
        let on_disk = Rc::default();
        let mut file: Box<dyn Read> = Box::new(ByteCounter(File::open(path)?, Rc::clone(&on_disk)));
        let magic = first(&mut file, 2)?;
        let is_packed = magic == [0x1f, 0x8b];
        file = Box::new(io::Cursor::new(magic).chain(file));
        let has_rest: Rc<Cell<bool>> = Rc::default();
        if is_packed {
            let bytes = MultiGzDecoder::new(BufReader::new(file));
            file = Box::new(GzipReader {
                bytes,
                has_rest: Rc::clone(&has_rest),
                on_disk: Rc::clone(&on_disk),
                unpacked: 0,
            });
        }
        let mut opened = Self { text: file, on_disk, is_packed, is_cut: false, has_rest };
        let begin = opened.first(4)?;
        let (little, big) =
            (u16::from_le_bytes as fn([u8; 2]) -> u16, u16::from_be_bytes as fn([u8; 2]) -> u16);
        let (order, mark) = match begin.as_slice() {
            [0xff, 0xfe, ..] => (Some(little), 2),
            [0xfe, 0xff, ..] => (Some(big), 2),
            // Without a mark, by the zeros of signs of ASCII.
            [1..0x80, 0, 1..0x80, 0] => (Some(little), 0),
            [0, 1..0x80, 0, 1..0x80] => (Some(big), 0),
            _ => (None, 0),
        };
        let text =
            Box::new(io::Cursor::new(begin.get(mark..).unwrap_or_default().to_vec()).chain(opened.text));
        opened.text = match order {
            Some(word) => Box::new(Utf16 { text, word, odd: None, high: None, ready: Vec::new(), at: 0 }),
            None => text,
        };
        Ok(opened)
    }

    /// How much of the file has been read, in bytes on the disk.
    pub fn bytes_on_disk(&self) -> u64 {
        self.on_disk.get()
    }

    /// Whether the packed text is followed by something that is not gzip and was ignored, as gzip does.
    pub fn has_rest(&self) -> bool {
        self.has_rest.get()
    }

    fn first(&mut self, count: usize) -> io::Result<Vec<u8>> {
        first(self, count)
    }
}

/// The first bytes; fewer of a shorter file.
fn first(file: &mut impl Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(u64::try_from(count).unwrap_or_default()).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Read for OpenedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.text.read(buffer) {
            // A packed file that is cut off has all that was whole before.
            Err(error) if self.is_packed && error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_cut = true;
                Ok(0)
            }
            read => read,
        }
    }
}

/// Bytes of gzip, with a limit on how much they become.
struct GzipReader {
    bytes: MultiGzDecoder<BufReader<Box<dyn Read>>>,
    has_rest: Rc<Cell<bool>>,
    on_disk: Rc<Cell<u64>>,
    unpacked: u64,
}

/// Counts what is read through it.
struct ByteCounter(File, Rc<Cell<u64>>);

impl Read for ByteCounter {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.set(self.1.get() + u64::try_from(read).unwrap_or_default());
        Ok(read)
    }
}

impl Read for GzipReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.bytes.read(buffer) {
            Err(error) if self.unpacked > 0 && error.kind() == io::ErrorKind::InvalidInput => {
                self.has_rest.set(true);
                return Ok(0);
            }
            read => read?,
        };
        self.unpacked += u64::try_from(read).unwrap_or_default();
        if self.unpacked > FREE_BYTES + self.on_disk.get().saturating_mul(MOST_RATIO) {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it unpacks to more than {MOST_RATIO} times its size, which no log does"),
            ));
        }
        Ok(read)
    }
}

/// UTF-16 as UTF-8, which spreadsheets and Windows write.
struct Utf16 {
    text: Box<dyn Read>,
    word: fn([u8; 2]) -> u16,
    /// Half of a word.
    odd: Option<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    ready: Vec<u8>,
    at: usize,
}

impl Utf16 {
    /// Decodes the next bytes; `false` at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = vec![0; UTF16_BYTES];
        let read = self.text.read(&mut bytes)?;
        if read == 0 {
            return Ok(false);
        }
        let all: Vec<u8> = self.odd.take().into_iter().chain(bytes[..read].iter().copied()).collect();
        let (pairs, odd) = all.as_chunks::<2>();
        self.odd = odd.first().copied();
        let mut words: Vec<u16> =
            self.high.take().into_iter().chain(pairs.iter().map(|pair| (self.word)(*pair))).collect();
        // Its second word is in the next bytes.
        self.high = words.pop_if(|word| (0xd800..0xdc00).contains(word));
        let signs = char::decode_utf16(words).map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER));
        (self.ready, self.at) = (signs.collect::<String>().into_bytes(), 0);
        Ok(true)
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn text_of(bytes: &[u8]) -> (io::Result<Vec<u8>>, bool) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut opened = OpenedFile::open(file.path()).unwrap();
        let mut text = Vec::new();
        let read = opened.read_to_end(&mut text).map(|_| text);
        (read, opened.is_cut)
    }

    #[test]
    fn every_way_to_keep_a_text_gives_the_text() {
        let text = "a line with ä, 月 and 😀\n".repeat(9_000);
        let little: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        let two = [packed(&text.as_bytes()[..1000]), packed(&text.as_bytes()[1000..])].concat();
        for kept in [
            text.clone().into_bytes(),
            little[2..].to_vec(),
            big[2..].to_vec(),
            little.clone(),
            big,
            packed(text.as_bytes()),
            packed(&little),
            two,
        ] {
            let (read, is_cut) = text_of(&kept);
            assert!(read.unwrap() == text.as_bytes() && !is_cut);
        }
        // Zeros of a tape, as gzip ignores them.
        let (read, is_cut) = text_of(&[packed(text.as_bytes()), vec![0; 512]].concat());
        assert!(read.unwrap() == text.as_bytes() && !is_cut);
        for short in [&b""[..], b"a", b"\xff\xfe"] {
            assert!(text_of(short).0.unwrap().len() <= 1);
        }
    }

    #[test]
    fn what_is_cut_or_unpacks_without_end_is_told() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
        let half = packed(&text);
        let (read, is_cut) = text_of(&half[..half.len() / 2]);
        let read = read.unwrap();
        assert!(is_cut && read.len() > 1000 && text.starts_with(&read));
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&vec![0; 96 << 20]).unwrap();
        let (read, _) = text_of(&bomb.finish().unwrap());
        let problem = read.map(|text| text.len()).unwrap_err().to_string();
        assert!(problem.contains("100 times"), "{problem}");
    }
}
