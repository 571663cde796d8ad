//! A sheet of offers, TOML: the price and features of each storage in a ranking. One table per storage, named as in the ranking.
//!
//! Must not open a file, and must not judge an offer.

use rigel_core::error::Problem;
use rigel_core::load::file::reader::{Source, Table, Value};
use rigel_core::nearest::nearest;
use rigel_core::path_text::printable;
use rigel_core::units::{Bytes, to_f64};

/// A longer file is not a sheet.
pub const MOST_BYTES: u64 = 1 << 20;
/// Most disks of an offer.
const MOST_DISKS: u32 = 1_000_000;
/// Letters of a currency.
const LONGEST_CURRENCY: usize = 12;
const KEYS: [&str; 6] = ["price", "disks", "capacity", "raid", "notes", "labels"];
/// Other names of keys.
const SYNONYMS: [(&str, &str); 13] = [
    ("mirroring", "raid"),
    ("mirrored", "raid"),
    ("redundancy", "raid"),
    ("cost", "price"),
    ("usable", "capacity"),
    ("usable_capacity", "capacity"),
    ("size", "capacity"),
    ("drives", "disks"),
    ("num_disks", "disks"),
    ("note", "notes"),
    ("comment", "notes"),
    ("description", "notes"),
    ("tags", "labels"),
];
/// Signs of currencies.
const CURRENCIES: &str = "$€£¥₹₽₩₺₴₫฿₪₦";
const TIB: f64 = to_f64(1 << 40);
const PRICE: &str = "the number and the currency as text, such as price = \"48000 EUR\"";

/// What a storage costs and has; everything may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// Its price.
    pub price: Option<Price>,
    /// Its number of disks.
    pub disks: Option<u32>,
    /// Its capacity.
    pub capacity: Option<Bytes>,
    /// How its disks are mirrored or striped; foreign text.
    pub raid: String,
    /// Anything else; foreign text.
    pub notes: String,
    /// Short marks; foreign text.
    pub labels: Vec<String>,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The amount.
    pub amount: f64,
    /// Its currency, in capital letters; printable.
    pub currency: String,
}

/// The offers of a ranking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offers {
    /// One for each storage, in the order in which these were given; `None` if the sheet has none.
    pub all: Vec<Option<Offer>>,
}

impl Offer {
    /// Its capacity in TiB.
    pub fn tib(&self) -> Option<f64> {
        self.capacity.map(|bytes| to_f64(bytes.0) / TIB)
    }
}

impl Offers {
    /// The offer of a storage.
    pub fn of(&self, storage: usize) -> Option<&Offer> {
        self.all.get(storage)?.as_ref()
    }

    /// What a storage costs.
    pub fn price(&self, storage: usize) -> Option<&Price> {
        self.of(storage)?.price.as_ref()
    }

    /// The currencies of its prices, each once.
    pub fn currencies(&self) -> Vec<&str> {
        let prices = self.all.iter().flatten().filter_map(|offer| offer.price.as_ref());
        let mut all: Vec<&str> = prices.map(|price| price.currency.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The currency of all prices; `None` without a price, and if there are several.
    pub fn currency(&self) -> Option<&str> {
        match self.currencies().as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Reads a sheet about these storages; `file` is its printable name.
///
/// # Errors
/// A usage problem with line and column, and what is expected there; a name that no storage has, with those that there are.
pub fn read(file: &str, bytes: &[u8], storages: &[&str]) -> Result<Offers, Problem> {
    let text = str::from_utf8(bytes).map_err(|_| {
        Problem::usage("the sheet of offers is not UTF-8 text").at(file).next("save it as UTF-8 text")
    })?;
    let source = Source::new(file, text);
    let parsed = source.parse().map_err(|problem| {
        if problem.what.contains("duplicate") {
            return Problem {
                next: Some("write each storage, and each key, only once".to_owned()),
                ..problem
            };
        }
        problem.next("write a table per storage, such as [array-a] and below it price = \"48000 EUR\"")
    })?;
    let mut all: Vec<Option<Offer>> = vec![None; storages.len()];
    for value in Value::each(source, parsed.get_ref()) {
        let Some(place) = storages.iter().position(|name| *name == value.key) else {
            return Err(unknown(value, storages));
        };
        all[place] = Some(offer(value)?);
    }
    if all.iter().all(Option::is_none) {
        return Err(Problem::usage("the sheet holds no offer")
            .at(file)
            .because("it has no table")
            .next(format!("write a table per storage: [{}]", key(storages.first().unwrap_or(&"NAME")))));
    }
    Ok(Offers { all })
}

fn unknown(value: Value<'_>, storages: &[&str]) -> Problem {
    let name = printable(value.key);
    if KEYS.contains(&value.key) && value.as_text().is_some() {
        return value
            .wrong(format!("'{name}' belongs to no storage"))
            .next("write it below the table of its storage, such as [array-a]");
    }
    let problem = value
        .wrong(format!("the sheet has an offer for '{name}', but no storage has that name"))
        .because(format!("the storages are called {}", storages.join(", ")));
    match nearest(value.key, storages.iter().copied()) {
        Some(near) => problem.next(format!("did you mean [{}]?", key(near))),
        None => problem.next("give the storage that name on the command line: NAME=RECORD"),
    }
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { format!("\"{name}\"") }
}

fn offer(value: Value<'_>) -> Result<Offer, Problem> {
    let table =
        Table::within(value, "an offer", &KEYS, "a table with the keys of the offer").map_err(|problem| {
            let meant = SYNONYMS.iter().find(|(name, _)| problem.what.ends_with(&format!("no key '{name}'")));
            match meant {
                _ if problem.what.ends_with("no key 'currency'") => {
                    problem.next(format!("write it in the price: {PRICE}"))
                }
                Some((_, key)) => problem.next(format!("write it as '{key}'")),
                None => problem,
            }
        })?;
    let text = |key: &str| {
        let read = |value: Value<'_>| value.read(|text| Some(text.to_owned()), "text in quotes");
        table.get(key).map_or_else(|| Ok(String::new()), read)
    };
    let labels = |value: Value<'_>| {
        let expected = "a list of texts, such as [\"NVMe\", \"2 sites\"]";
        value.list(expected)?.map(|one| one.read(|text| Some(text.to_owned()), expected)).collect()
    };
    Ok(Offer {
        price: table.get("price").map(price).transpose()?,
        disks: table.get("disks").map(|disks| disks.number(1..=MOST_DISKS)).transpose()?,
        capacity: table.get("capacity").map(capacity).transpose()?,
        raid: text("raid")?,
        notes: text("notes")?,
        labels: table.get("labels").map_or_else(|| Ok(Vec::new()), labels)?,
    })
}

fn capacity(value: Value<'_>) -> Result<Bytes, Problem> {
    let expected = "the usable capacity as text with its unit, such as capacity = \"20T\" or \"19.2T\"";
    value.read(bytes, expected)
}

/// A capacity, which may have decimals: `19.2T`. Not `1.920T`, whose point may separate thousands.
fn bytes(text: &str) -> Option<Bytes> {
    let start = text.trim().find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, unit) = text.trim().split_at(start);
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "p" | "pb" | "pi" | "pib" => Bytes(1 << 50),
        unit => format!("1{unit}").parse().ok()?,
    };
    let number: f64 = digits.parse().ok().filter(|_| !is_grouped(digits))?;
    let bytes = number * to_f64(unit.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (bytes >= 1.0 && bytes < to_f64(1 << 62)).then(|| Bytes(bytes.round() as u64))
}

/// `1.000` and `12.500.000`: thousands, or a fraction.
fn is_grouped(digits: &str) -> bool {
    let mut groups = digits.split('.');
    let has_first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    let others: Vec<&str> = groups.collect();
    has_first && !others.is_empty() && others.iter().all(|group| group.len() == 3)
}

/// A currency as it is shown and compared, also one for a time: `EUR/month`.
fn of_time(currency: &str) -> String {
    let plain = currency.replace(" per ", "/");
    match plain.split_once('/') {
        Some((currency, time)) => {
            format!("{}/{}", currency.trim().to_uppercase(), time.trim().to_lowercase())
        }
        None => plain.to_uppercase(),
    }
}

fn price(value: Value<'_>) -> Result<Price, Problem> {
    let Some(text) = value.as_text() else {
        return Err(value.expected(PRICE).because("a price needs a currency"));
    };
    let is_of_amount = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | '-' | '\'');
    let text = text.trim();
    let start = text.find(is_of_amount).unwrap_or(text.len());
    let rest = &text[start..];
    let (digits, behind) = rest.split_at(rest.find(|c| !is_of_amount(c)).unwrap_or(rest.len()));
    let currency = of_time(&format!("{}{}", text[..start].trim(), behind.trim()));
    let is_word = |word: &str| {
        (1..=LONGEST_CURRENCY).contains(&word.chars().count())
            && word.chars().all(|c| c.is_alphabetic() || CURRENCIES.contains(c) || matches!(c, '/' | '.'))
    };
    if digits.contains(',') || digits.contains('\'') {
        return Err(value
            .expected(PRICE)
            .because("a comma may separate thousands or decimals; write neither, or a point for decimals"));
    }
    if is_grouped(digits) {
        return Err(value.expected(PRICE).because(
            "a point before three digits may separate thousands; write no separator, or two decimals",
        ));
    }
    let amount: Option<f64> = digits.replace('_', "").parse().ok().filter(|amount: &f64| amount.is_finite());
    match amount {
        Some(amount) if amount <= 0.0 => {
            Err(value.expected("a price above 0").because("nothing can be bought for that"))
        }
        Some(_) if currency.is_empty() => Err(value.expected(PRICE).because("a price needs a currency")),
        Some(amount) if is_word(&currency) => {
            Ok(Price { amount, currency: printable(&currency).into_owned() })
        }
        _ => Err(value.expected(PRICE).because(
            "only the currency may appear with the number, which must have no blanks and no k or m",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        read("offers.toml", text.as_bytes(), &["array-a", "cloud b"]).unwrap_err().to_string()
    }

    #[test]
    fn a_sheet_is_read_in_the_order_of_the_storages() {
        let text = "[\"cloud b\"]\nprice = \"1_200.50 usd\"\n[array-a]\nprice = \"$48000\"\ndisks = 24\ncapacity = \"20T\"\n\
                    raid = \"RAID 10\"\nlabels = [\"NVMe\"]\nnotes = \"5 years\"\n";
        let offers = read("offers.toml", text.as_bytes(), &["array-a", "cloud b"]).unwrap();
        let [a, b] = [0, 1].map(|storage| offers.of(storage).unwrap());
        assert_eq!((a.disks, a.tib(), a.raid.as_str()), (Some(24), Some(20.0), "RAID 10"));
        assert_eq!(a.price.as_ref().unwrap(), &Price { amount: 48000.0, currency: "$".to_owned() });
        assert_eq!(b.price.as_ref().unwrap(), &Price { amount: 1200.5, currency: "USD".to_owned() });
        assert_eq!((offers.currency(), offers.currencies()), (None, vec!["$", "USD"]));
    }

    #[test]
    fn a_price_may_be_one_for_a_month() {
        for text in ["480 EUR/month", "480 eur per Month", "480.00 EUR / month", "EUR/Month 480"] {
            let sheet = format!("[array-a]\nprice = \"{text}\"\n[\"cloud b\"]\nprice = \"9000 EUR\"\n");
            let offers = read("offers.toml", sheet.as_bytes(), &["array-a", "cloud b"]).unwrap();
            let price = offers.of(0).unwrap().price.clone().unwrap();
            assert_eq!(price, Price { amount: 480.0, currency: "EUR/month".to_owned() }, "{text}");
            assert_eq!(offers.currency(), None, "a fee is not compared with a price: {text}");
        }
    }

    #[test]
    fn capacities_may_have_decimals() {
        for (text, tib) in
            [("19.2T", 19.2), ("38.4 TiB", 38.4), ("1.5P", 1536.0), ("7.68tb", 7.68), ("20T", 20.0)]
        {
            let sheet = format!("[array-a]\ncapacity = \"{text}\"\n");
            let offers = read("offers.toml", sheet.as_bytes(), &["array-a"]).unwrap();
            let found = offers.of(0).unwrap().tib().unwrap();
            assert!((found - tib).abs() < 1e-9, "{text}: {found}");
        }
    }

    #[test]
    fn every_mistake_says_where_it_is() {
        for (text, expected) in [
            ("[array-b]\n", "did you mean [array-a]?"),
            ("[\"zzz\"]\n", "the storages are called array-a, cloud b"),
            ("[\"cloudb\"]\n", "did you mean [\"cloud b\"]?"),
            ("[array-a]\nprice = \"-5 EUR\"\n", "offers.toml:2:9"),
            ("[array-a]\nprice = \"0 EUR\"\n", "a price above 0"),
            ("[array-a]\nprice = 48000\n", "a price needs a currency"),
            ("[array-a]\nprice = \"48000\"\n", "a price needs a currency"),
            ("[array-a]\nprice = \"48,000 EUR\"\n", "a comma may separate"),
            ("[array-a]\nprice = \"1 EUR 2\"\n", "price = \"48000 EUR\""),
            ("[array-a]\nprice = \"nan EUR\"\n", "price = \"48000 EUR\""),
            ("[array-a]\nprice = \"1.000 EUR\"\n", "may separate thousands"),
            ("[array-a]\ndisks = -4\n", "a whole number from 1"),
            ("[array-a]\ndisks = 0\n", "a whole number from 1"),
            ("[array-a]\ncapacity = \"-20T\"\n", "capacity = \"20T\""),
            ("[array-a]\ncapacity = 20\n", "capacity = \"20T\""),
            ("[array-a]\ncosts = \"5 EUR\"\n", "an offer has no key 'costs'"),
            ("[array-a]\nmirroring = \"RAID 10\"\n", "write it as 'raid'"),
            ("[array-a]\nprice = \"~48000 EUR\"\n", "only the currency"),
            ("[array-a]\nprice = \"48k EUR\"\n", "no blanks and no k"),
            ("[array-a]\nprice = \"48 000 EUR\"\n", "no blanks and no k"),
            ("[array-a]\ncapacity = \"1.920T\"\n", "19.2T"),
            ("[array-a]\ncapacity = \"19,2T\"\n", "19.2T"),
            ("[array-a]\ndisks = 1\n[array-a]\ndisks = 2\n", "only once"),
            ("price = \"5 EUR\"\n", "belongs to no storage"),
            ("# nothing\n", "write a table per storage: [array-a]"),
            ("array-a = 5\n", "a table with the keys"),
            ("[array-a\n", "such as [array-a]"),
        ] {
            let found = told(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
