//! Dates as locales write them: `11/24/26`, `24.11.2026`, halves of a day; the order of day and month is shown by the file or asked for.
//!
//! Must not guess an order.

use super::seen::{DateOrder, shown, wrong};
use crate::when;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use rigel_core::error::Problem;

/// How iostat writes dates that cannot be misread, with everything else that is read of it.
pub const ISO_IOSTAT: &str = "S_TIME_FORMAT=ISO iostat -x -t -o JSON 60";

/// The dates of one run of a tool.
#[derive(Clone, Debug, Default)]
pub struct Dates {
    /// The day on which it began, if the file says so unambiguously.
    day: Option<Date>,
    /// The order of its dates, once one of them has shown it.
    order: Option<DateOrder>,
    /// Whether a two-digit year may also come first, as databases can be configured to write it.
    may_begin_with_year: bool,
}

/// No language of sysstat begins with a year of two digits; yet a year before this one is more likely a day.
const OLDEST_YEAR: i16 = 2_015;

/// Both orders of the first two numbers of a date.
const ORDERS: [DateOrder; 2] = [DateOrder::MonthDay, DateOrder::DayMonth];

impl Dates {
    /// For a run that began on a day, if the file says so.
    pub fn begun(day: Option<&str>) -> Self {
        Self { day: day.and_then(unmistakable), ..Self::default() }
    }

    /// For a tool that may write a two-digit year anywhere.
    pub fn of_database() -> Self {
        Self { may_begin_with_year: true, ..Self::default() }
    }

    /// The day in the first line of a document: `2026-11-24`, `11/24/26`, `24.11.2026`.
    ///
    /// # Errors
    /// When it is not a day, or its order is unknown.
    pub fn day(text: &str, asked: Option<DateOrder>, line: u64) -> Result<Date, Problem> {
        let none = || {
            wrong(line, format!("'{}' is not a date", shown(text)))
                .because("sysstat writes dates in the locale's format, but only numeric ones are read")
                .next("write ISO 8601 dates from now on: S_TIME_FORMAT=ISO")
        };
        let plain = plain(text);
        let parts = plain.split(' ').next().and_then(parts).ok_or_else(none)?;
        let parts = Self::default().in_order(parts, text, asked, line)?;
        when::of_parts(parts, "0:0:0").map(DateTime::date).ok_or_else(none)
    }

    /// `11/24/26 18:10:23`, `24.11.2026 18:10:23`, `11/24/2026 06:10:23 PM`. AM and PM say nothing about the order: India writes the day first.
    ///
    /// # Errors
    /// When it is not a time, or its order is unknown.
    pub fn moment(&mut self, text: &str, asked: Option<DateOrder>, line: u64) -> Result<DateTime, Problem> {
        let none = || {
            wrong(line, format!("'{}' is not a date and time", shown(text)))
                .because("iostat writes dates in the locale's format, but only numeric ones are read")
                .next(format!("write ISO 8601 dates from now on: {ISO_IOSTAT}"))
        };
        let plain = plain(text);
        let (date, time) = plain.split_once(' ').ok_or_else(none)?;
        let parts = parts(date).ok_or_else(none)?;
        let words: Vec<&str> = time.split_ascii_whitespace().collect();
        let words = behind_weekday(&words);
        let (time, count) = time_of_day(words).ok_or_else(none)?;
        // Behind it a zone may stand, or the half of a day in a language that is not known here.
        if !words[count..].iter().all(|word| is_zone(word)) {
            return Err(none());
        }
        let of_day = self.in_order(parts, date, asked, line)?;
        let not_so = || {
            let is_date = ORDERS.into_iter().any(|order| date_of(parts, order).is_some());
            asked.filter(|_| is_date).map_or_else(none, |_| {
                wrong(line, format!("'{}' cannot be read in the order that --dates gives", shown(date)))
                    .because("one of its numbers would be a month after the 12th")
                    .next("give another order with --dates, or leave it out")
            })
        };
        let day = when::of_parts(of_day, "0:0:0").ok_or_else(not_so)?.date();
        Ok(day.to_datetime(time))
    }

    /// Year, month and day from three numbers; the year is the last unless it comes first and has four digits.
    ///
    /// # Errors
    /// When neither the file nor the user says which is the day.
    pub fn in_order<'a>(
        &mut self,
        parts: [&'a str; 3],
        date: &str,
        asked: Option<DateOrder>,
        line: u64,
    ) -> Result<[&'a str; 3], Problem> {
        if parts[0].trim().len() == 4 {
            return Ok(parts);
        }
        // The day of the document is that of the first report, or the one before it.
        let is_near = |order: &DateOrder| {
            let read = date_of(parts, *order);
            self.day
                .zip(read)
                .is_some_and(|(day, read)| read == day || day.tomorrow().is_ok_and(|next| next == read))
        };
        let of_day: Vec<DateOrder> = ORDERS.into_iter().filter(is_near).collect();
        // No year has a month 13.
        let possible: Vec<DateOrder> =
            ORDERS.into_iter().filter(|order| date_of(parts, *order).is_some()).collect();
        if asked.is_none() && self.is_year_first(parts, &possible) {
            return Err(wrong(line, format!("'{}' may begin or end with the year", shown(date)))
                .because("its year has two digits")
                .next("specify --dates year-month, --dates month-day or --dates day-month"));
        }
        let order = match (asked.or(self.order), of_day.as_slice(), possible.as_slice()) {
            (Some(order), ..) => order,
            (None, &[order], _) | (None, _, &[order]) => *self.order.insert(order),
            // The day of the month is its number.
            (None, _, &[order, _]) if parts[0] == parts[1] => order,
            _ => {
                return Err(wrong(
                    line,
                    format!("'{}' does not show which is the day and which the month", shown(date)),
                )
                .because("the date format is a locale's or a session's; with S_TIME_FORMAT=ISO, sysstat writes ISO 8601")
                .next("specify --dates month-day or --dates day-month"));
            }
        };
        Ok(ordered(parts, order))
    }

    /// Whether the year may come first in a date that has these orders with the year last.
    fn is_year_first(&self, parts: [&str; 3], possible: &[DateOrder]) -> bool {
        let has_two_digits = parts[0].trim().len() == 2 && parts[2].trim().len() == 2;
        let Some(first) = date_of(parts, DateOrder::YearMonth).filter(|_| has_two_digits) else {
            return false;
        };
        let last = possible.first().and_then(|order| date_of(parts, *order)).map(Date::year);
        self.may_begin_with_year || last.is_none_or(|year| year < OLDEST_YEAR && year < first.year())
    }
}

/// A date and a time in ASCII digits and separators, with one blank between words: `2026年 11月 24日 15時26分02秒`,
/// `29. 11. 2026 15.26.02` and `29.11.2026. 15:26:02` are dates too. Digits of other scripts stay, because their years
/// come first and have two digits.
pub fn plain(text: &str) -> String {
    let joined = ["年 ", "년 ", "月 ", "월 "]
        .iter()
        .fold(text.trim().to_owned(), |text, sign| text.replace(sign, sign.trim_end()));
    let joined = ["时 ", "時 ", "시 ", "分 ", "분 "].iter().fold(joined, |text, sign| {
        if has_numbers_behind(&text, sign, 1) { text.replace(sign, sign.trim_end()) } else { text }
    });
    let joined = if has_numbers_behind(&joined, ". ", 2) { joined.replacen(". ", ".", 2) } else { joined };
    let words = joined.split_whitespace().map(|word| {
        let word = word.replace(['年', '月', '년', '월'], "-").replace(['时', '時', '分', '시', '분'], ":");
        let word = word.trim_end_matches(['日', '일', '秒', '초']);
        // `06:10:23 a.m.` keeps its point.
        if has_digit(word) { word.trim_end_matches('.').to_owned() } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn has_digit(word: &str) -> bool {
    word.starts_with(|sign: char| sign.is_ascii_digit())
}

/// The text after a date, without the day of the week: `星期日 下午 03:26:02`.
pub fn behind_weekday<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    match words {
        [weekday, rest @ ..] if time_of_day(words).is_none() && !weekday.contains(char::is_numeric) => rest,
        _ => words,
    }
}

/// Whether a separator occurs this often, each time followed by a number.
fn has_numbers_behind(text: &str, sign: &str, least: usize) -> bool {
    text.matches(sign).count() >= least && text.split(sign).skip(1).all(has_digit)
}

/// `15.26.02`, as Finns write a time.
fn is_pointed_time(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A zone as it follows a time: `UTC`, `CEST`, `+0530`.
pub fn is_zone(word: &str) -> bool {
    when::offset(word).is_some()
        || (word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase()) && half(word).is_none())
}

/// Words for the halves of a day: before noon, and after it. In English, Greek, Hindi, Bengali, Turkish, Chinese, Japanese and Korean.
const HALVES: [(&str, bool); 16] = [
    ("AM", false),
    ("PM", true),
    ("\u{3a0}\u{39c}", false),
    ("\u{39c}\u{39c}", true),
    ("पूर्वाह्न", false),
    ("अपराह्न", true),
    ("পূর্বাহ্ণ", false),
    ("অপরাহ্ণ", true),
    ("ÖÖ", false),
    ("ÖS", true),
    ("上午", false),
    ("下午", true),
    ("午前", false),
    ("午後", true),
    ("오전", false),
    ("오후", true),
];

/// The first of those that precede the time.
const FIRST_BEFORE: usize = 10;

/// Whether a word means the afternoon; `None` if it means neither half of a day.
fn half(word: &str) -> Option<bool> {
    let word = word.replace('.', "").to_uppercase();
    HALVES.iter().find(|(known, _)| *known == word).map(|(_, is_after)| *is_after)
}

/// The three numbers of a date.
fn parts(date: &str) -> Option<[&str; 3]> {
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = date.split(['/', '.', '-']).filter(is_number).collect();
    if date.matches(['/', '.', '-']).count() != 2 {
        return None;
    }
    <[&str; 3]>::try_from(parts).ok()
}

/// The day in the first line of a sysstat tool, after the host: `\t29. 11. 2026 \t_x86_64_\t(2 CPU)`.
pub fn head_day(rest: &str) -> &str {
    let by_tabs = rest.split('\t').map(str::trim).find(|part| !part.is_empty() && rest.contains('\t'));
    by_tabs.or_else(|| rest.split_whitespace().next()).unwrap_or_default()
}

/// Beginnings of month names in English, German, French, Spanish, Italian, Portuguese, Romanian, Dutch, Polish,
/// Czech, Hungarian, Russian, Turkish, Finnish and the other Nordic languages. The longest one counts: `marras` is
/// not March.
const MONTHS: [(u8, &[&str]); 12] = [
    (1, &["jan", "ene", "gen", "sty", "led", "ian", "янв", "oca", "tammi"]),
    (2, &["feb", "fév", "fev", "lut", "úno", "фев", "şub", "helmi"]),
    (3, &["mar", "mär", "mae", "mrz", "mrt", "maa", "bře", "már", "мар"]),
    (4, &["apr", "avr", "abr", "kwi", "dub", "ápr", "апр", "nis", "ni\u{307}s", "huhti"]),
    (5, &["may", "mai", "mei", "maj", "mag", "kvě", "máj", "май", "мая", "touko"]),
    (6, &["jun", "juin", "giu", "cze", "čvn", "červen", "jún", "iun", "июн", "haz", "kesä"]),
    (7, &["jul", "juil", "lug", "lip", "čvc", "červenec", "júl", "iul", "июл", "tem", "heinä"]),
    (8, &["aug", "aoû", "aou", "ago", "sie", "srp", "авг", "ağu", "elo"]),
    (9, &["sep", "set", "wrz", "zář", "szept", "сен", "eyl", "syys"]),
    (10, &["oct", "okt", "ott", "out", "paź", "říj", "окт", "eki", "loka"]),
    (11, &["nov", "lis", "noi", "ноя", "kas", "marras"]),
    (12, &["dec", "déc", "dez", "dic", "des", "gru", "pro", "дек", "ara", "joulu"]),
];

/// The number of a month: a word, or `11月`. A letter that another character set made unreadable may be any of those beyond ASCII.
pub fn month(word: &str) -> Option<String> {
    let word = word.trim().trim_end_matches('.').to_lowercase();
    let is_lost = |sign: char| sign == char::REPLACEMENT_CHARACTER;
    if let Some(number) = word.strip_suffix(['月', '월']) {
        return Some(number.to_owned());
    }
    let number = word.trim_end_matches(is_lost);
    if number.len() < word.len() && number.parse().is_ok_and(|number: u8| (1..=12).contains(&number)) {
        return Some(number.to_owned());
    }
    let begins = |name: &str| {
        let mut signs = word.chars();
        name.chars().all(|wanted| {
            signs.next().is_some_and(|sign| sign == wanted || (is_lost(sign) && !wanted.is_ascii()))
        })
    };
    let longest = |names: &[&str]| names.iter().filter(|name| begins(name)).map(|name| name.len()).max();
    let found = || MONTHS.iter().filter_map(|(number, names)| Some((longest(names)?, number)));
    if word.chars().any(is_lost) && found().nth(1).is_some() {
        return None;
    }
    let (_, number) = found().max()?;
    word.chars()
        .all(|sign| sign.is_alphabetic() || sign == '\u{307}' || is_lost(sign))
        .then(|| number.to_string())
}

/// Ascending times of day below a date: after midnight they belong to the next day.
#[derive(Clone, Copy, Debug)]
pub struct DayClock {
    day: Date,
    last: Time,
}

/// Clocks are set back by less, so more is another day.
const MOST_BACK_S: i32 = 3 * 3_600;

impl DayClock {
    /// For the day on which they begin.
    pub const fn begun(day: Date) -> Self {
        Self { day, last: Time::midnight() }
    }

    /// The next one.
    pub fn moment(&mut self, time: Time) -> DateTime {
        let second = |time: Time| {
            i32::from(time.hour()) * 3_600 + i32::from(time.minute()) * 60 + i32::from(time.second())
        };
        if second(self.last) - second(time) > MOST_BACK_S {
            self.day = self.day.tomorrow().unwrap_or(self.day);
        }
        self.last = time;
        self.day.to_datetime(time)
    }
}

/// A time of day at the start of a line, `18:10:23` or `06:10:23 PM`, and its number of words.
pub fn time_of_day(words: &[&str]) -> Option<(Time, usize)> {
    // As Chinese and Japanese have it, before or without a blank: 下午 06时10分23秒.
    let (first, rest) = words.split_first()?;
    let is_before = |(name, is_after): &(&str, bool)| Some((*is_after, first.strip_prefix(name)?));
    let (before, glued) = HALVES[FIRST_BEFORE..].iter().find_map(is_before).unzip();
    let (first, rest, count) = match glued {
        Some("") => (*rest.first()?, rest.get(1..)?, 2),
        Some(time) => (time, rest, 1),
        None => (*first, rest, 1),
    };
    // Koreans have blanks in it: 15시 26분 02초.
    let is_parted = |word: &str, signs: &[char]| has_digit(word) && word.ends_with(signs);
    let (first, rest, count) = match rest {
        [minute, second, rest @ ..]
            if is_parted(first, &['시', '时', '時'])
                && is_parted(minute, &['분', '分'])
                && has_digit(second) =>
        {
            (format!("{first}{minute}{second}"), rest, count + 2)
        }
        _ => (first.to_owned(), rest, count),
    };
    let first = if is_pointed_time(&first) { first.replace('.', ":") } else { plain(&first) };
    let local = when::of_parts(["2000", "1", "1"], &first)?;
    let behind = rest.first().and_then(|word| half(word)).filter(|_| before.is_none());
    let count = count + usize::from(behind.is_some());
    Some((before.or(behind).map_or(Some(local), |is_after| in_half(local, is_after))?.time(), count))
}

/// The output of `date`: `Thu Aug 24 15:44:41 CST 2017`, `So 29. Nov 11:21:58 UTC 2026`,
/// `Sun Nov 29 11:21:58 AM +0530 2026`, `2026年 11月 29日 星期日 11:21:58 UTC`; with its zone if that is unambiguous.
pub fn of_date(text: &str) -> Option<(DateTime, Option<TimeZone>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains(':'))?;
    let (time, count) = time_of_day(&words[at..])?;
    // A day of the week may be called as a month: `mar. 3 nov.`
    let month = words[..at].iter().filter_map(|word| month(word)).next_back()?;
    let number = |word: &&str| {
        let digits = word.trim_end_matches(['年', '日', '.', ',']);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
    };
    let numbers: Vec<String> = words[..at].iter().chain(&words[at + count..]).filter_map(number).collect();
    let year = numbers.iter().find(|number| number.len() == 4)?;
    let day = numbers.iter().find(|number| number.len() < 3)?;
    let date = when::of_parts([year, &month, day], "0:0:0")?.date();
    let zone = words[at + count..].iter().find_map(|word| match when::is_utc(word) {
        true => Some(TimeZone::UTC),
        false => when::offset(word).map(Offset::to_time_zone),
    });
    Some((date.to_datetime(time), zone))
}

/// The host's abbreviation of its zone in the output of `date`; `None` if there is none.
pub fn zone_word(text: &str) -> &str {
    let mut behind = text.split_whitespace().skip_while(|word| !word.contains(':')).skip(1);
    behind.find(|word| is_zone(word)).unwrap_or_default()
}

/// The time of day in its half; nothing for an hour that no half has.
fn in_half(local: DateTime, is_after: bool) -> Option<DateTime> {
    let hour = (is_after || local.hour() <= 12).then_some(local.hour() % 12)?;
    local.with().hour(if is_after { hour + 12 } else { hour }).build().ok()
}

/// The day of a document, if it is unambiguous.
fn unmistakable(text: &str) -> Option<Date> {
    let text = plain(text);
    let parts = parts(&text)?;
    if parts[0].len() == 4 {
        return date_of(parts, DateOrder::YearMonth);
    }
    match ORDERS.map(|order| date_of(parts, order)) {
        [Some(date), None] | [None, Some(date)] => Some(date),
        [one, other] => one.filter(|_| one == other),
    }
}

const fn ordered([first, second, year]: [&str; 3], order: DateOrder) -> [&str; 3] {
    match order {
        DateOrder::MonthDay => [year, first, second],
        DateOrder::DayMonth => [year, second, first],
        DateOrder::YearMonth => [first, second, year],
    }
}

fn date_of(parts: [&str; 3], order: DateOrder) -> Option<Date> {
    when::of_parts(ordered(parts, order), "0:0:0").map(DateTime::date)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `date` of coreutils 9.1 printed them in these languages.
    #[test]
    fn what_date_prints_is_read_in_many_languages() {
        for text in [
            "Sun Nov 29 11:21:58 UTC 2026",
            "Sun Nov 29 11:21:58 AM UTC 2026",
            "So 29. Nov 11:21:58 UTC 2026",
            "dim. 29 nov. 2026 11:21:58 UTC",
            "2026年 11月 29日 星期日 11:21:58 UTC",
            "mar. 29 nov. 11:21:58 UTC 2026",
        ] {
            let (local, zone) = of_date(text).unwrap();
            assert_eq!(
                (local.to_string().as_str(), zone),
                ("2026-11-29T11:21:58", Some(TimeZone::UTC)),
                "{text}"
            );
        }
        let (local, zone) = of_date("Thu Aug 24 03:44:41 PM CST 2017").unwrap();
        assert_eq!(
            (local.to_string().as_str(), zone),
            ("2017-08-24T15:44:41", None),
            "China, Cuba or Chicago"
        );
        assert!(of_date("Thu Aug 24 15:44:41 -03 2017").unwrap().1.is_some());
        assert_eq!(zone_word("Thu Aug 24 03:44:41 PM CST 2017"), "CST");
        assert_eq!(zone_word("Thu Aug 24 15:44:41 2017"), "");
        for none in
            ["", "Thu Aug 24", "15:44:41", "Thu Foo 24 15:44:41 CST 2017", "Thu Aug 99 15:44:41 CST 2017"]
        {
            assert!(of_date(none).is_none(), "{none}");
        }
    }
}
