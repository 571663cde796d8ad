//! The device without FUSE: answers, faults and counts.

use std::sync::mpsc::{Receiver, channel};

use super::*;

fn device() -> Device {
    Device::new(1 << 20, InitialContents::Zeros, Law::default(), 1)
}

fn told(device: &Device, text: &str) {
    device.control(&crate::control::parse(text).unwrap());
}

fn read(device: &Device, offset_bytes: u64, length_bytes: usize) -> Receiver<Result<Vec<u8>, Errno>> {
    let (sender, receiver) = channel();
    let answer: Answer = Box::new(move |outcome| {
        let told = match outcome {
            Outcome::Data(bytes) => Ok(bytes.to_vec()),
            Outcome::Refused(errno) => Err(errno),
            Outcome::Written(_) => panic!("a read was answered as a write"),
        };
        sender.send(told).unwrap();
    });
    device.read(offset_bytes, length_bytes, answer);
    receiver
}

fn write(device: &Device, offset_bytes: u64, data: &[u8]) -> Result<usize, Errno> {
    let (answer, receiver) = written();
    device.write(offset_bytes, data, false, answer);
    receiver.recv().unwrap()
}

fn written() -> (Answer, Receiver<Result<usize, Errno>>) {
    let (sender, receiver) = channel();
    let answer: Answer = Box::new(move |outcome| {
        let told = match outcome {
            Outcome::Written(bytes) => Ok(bytes),
            Outcome::Refused(errno) => Err(errno),
            Outcome::Data(_) => panic!("a write was answered as a read"),
        };
        sender.send(told).unwrap();
    });
    (answer, receiver)
}

/// How long it takes to be answered, in whole milliseconds.
fn ms(ask: impl FnOnce(Answer)) -> u128 {
    let (answer, receiver) = written();
    let began = Instant::now();
    ask(answer);
    receiver.recv().unwrap().unwrap();
    began.elapsed().as_millis()
}

#[test]
fn only_what_is_not_durable_yet_takes_a_flush() {
    let device = std::sync::Arc::new(device());
    let answers = std::sync::Arc::clone(&device);
    std::thread::spawn(move || answers.run_answers());
    told(&device, "flush_us 200000");
    assert!(ms(|answer| device.sync(answer)) < 200, "nothing was written");
    assert!(ms(|answer| device.write(0, b"abcd", true, answer)) >= 200);
    assert!(ms(|answer| device.sync(answer)) < 200, "it is durable already");
    assert!(ms(|answer| device.write(0, b"abcd", false, answer)) < 200);
    assert!(ms(|answer| device.sync(answer)) >= 200);
    assert!(ms(|answer| device.sync(answer)) < 200, "it is durable by now");
    let gauge = device.gauge();
    assert_eq!((gauge.writes, gauge.durable_writes, gauge.syncs, gauge.max_in_flight), (2, 1, 4, 1));
}

#[test]
fn without_service_time_the_answer_is_immediate() {
    let device = device();
    assert_eq!(write(&device, 512, b"abcd"), Ok(4));
    assert_eq!(read(&device, 512, 4).recv().unwrap(), Ok(b"abcd".to_vec()));
    let gauge = device.gauge();
    assert_eq!((gauge.reads, gauge.writes, gauge.max_in_flight, gauge.in_flight), (1, 1, 1, 0));
}

#[test]
fn the_end_of_the_device() {
    let device = device();
    assert_eq!(write(&device, (1 << 20) - 2, b"abcd"), Err(Errno::NOSPC));
    assert_eq!(read(&device, (1 << 20) - 2, 4).recv().unwrap(), Ok(vec![0, 0]));
}

#[test]
fn faults_change_the_answer_and_refused_writes_store_nothing() {
    let device = device();
    assert_eq!(write(&device, 0, b"abcd"), Ok(4));
    told(&device, "eio 0 1");
    assert_eq!(write(&device, 0, b"EFGH"), Err(Errno::IO));
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Err(Errno::IO));
    told(&device, "clear\nenospc 0 1");
    assert_eq!(write(&device, 0, b"EFGH"), Err(Errno::NOSPC));
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Ok(b"abcd".to_vec()));
    told(&device, "clear\ncorrupt 2 1");
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Ok(b"absd".to_vec()));
    told(&device, "clear\nshort 0 1");
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Ok(b"ab".to_vec()));
    assert_eq!(write(&device, 0, b"WXYZ"), Ok(2));
    told(&device, "clear");
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Ok(b"WXcd".to_vec()));
    assert_eq!(device.gauge().errors_injected, 6);
}

#[test]
fn a_hang_is_in_flight_until_it_is_released() {
    let device = std::sync::Arc::new(device());
    let answers = std::sync::Arc::clone(&device);
    std::thread::spawn(move || answers.run_answers());
    told(&device, "hang 0 4096\neio 8192 1");
    let held = read(&device, 0, 512);
    assert_eq!(read(&device, 4096, 512).recv().unwrap().unwrap().len(), 512);
    assert!(held.try_recv().is_err());
    assert_eq!(device.gauge().in_flight, 1);
    told(&device, "release");
    assert_eq!(held.recv().unwrap().unwrap().len(), 512);
    assert_eq!(read(&device, 0, 512).recv().unwrap().unwrap().len(), 512);
    assert_eq!(read(&device, 8192, 512).recv().unwrap(), Err(Errno::IO));
    assert_eq!(device.gauge().in_flight, 0);
}

#[test]
fn a_power_cut_fails_what_is_in_flight_and_drops_what_was_not_flushed() {
    let device = std::sync::Arc::new(device());
    let answers = std::sync::Arc::clone(&device);
    std::thread::spawn(move || answers.run_answers());
    told(&device, "cache 1");
    assert_eq!(write(&device, 0, b"kept"), Ok(4));
    let (answer, receiver) = written();
    device.sync(answer);
    assert_eq!(receiver.recv().unwrap(), Ok(0));
    assert_eq!(write(&device, 0, b"gone"), Ok(4));
    told(&device, "service_us 3600000000\nhang 4096 1");
    let (answer, in_flight) = written();
    device.write(8192, b"lost", true, answer);
    let held = read(&device, 4096, 4);
    assert_eq!(device.gauge().in_flight, 2);
    told(&device, "power-cut");
    assert_eq!((in_flight.recv().unwrap(), held.recv().unwrap()), (Err(Errno::IO), Err(Errno::IO)));
    told(&device, "clear\nservers 2\nservice_us 0");
    assert_eq!(read(&device, 0, 4).recv().unwrap(), Ok(b"kept".to_vec()));
    assert_eq!(write(&device, 0, b"next"), Ok(4));
    assert_eq!((device.gauge().dropped_sectors, device.gauge().in_flight), (1, 0));
}

#[test]
fn traps_are_counted_as_faults() {
    let device = device();
    told(&device, "lost nth 2\nzero at 512 1");
    assert_eq!(device.gauge().armed, 2);
    assert_eq!((write(&device, 0, b"abcd"), write(&device, 4, b"efgh")), (Ok(4), Ok(4)));
    assert_eq!(read(&device, 0, 8).recv().unwrap(), Ok(b"abcd\0\0\0\0".to_vec()));
    let gauge = device.gauge();
    assert_eq!((gauge.armed, gauge.errors_injected, gauge.injected.get("lost")), (1, 1, Some(&1)));
    told(&device, "reset\nclear");
    let gauge = device.gauge();
    assert_eq!((gauge.armed, gauge.errors_injected, gauge.injected.len()), (0, 0, 0));
}
