//! The service law and the gauge, by the device's own counts.

use rigel_testdev::{DeviceSpec, Gauge, LoopDevice, TestDevice, needs};

use crate::support::{BLOCK_BYTES, join, spec, start_readers, wait_for_in_flight, wait_until};

/// What `busy` stations were given to do, in the time of one station.
fn service_needed_us(gauge: &Gauge, busy: u64, service_us: u64) -> u64 {
    gauge.completed() * service_us / busy
}

/// However fast the machine, the stations cannot have done more than this in the span.
fn assert_not_faster_than_the_law(gauge: &Gauge, busy: u64, service_us: u64) {
    let needed_us = service_needed_us(gauge, busy, service_us);
    assert!(needed_us <= gauge.span_us, "{needed_us} us of service in less time: {gauge}");
}

#[test]
fn past_saturation_all_stations_are_busy() {
    let device = TestDevice::mount(spec(4, 5000));
    let Some(device) = needs("past_saturation_all_stations_are_busy", device) else { return };
    // A busy machine may keep the readers from reading; one run in a quiet moment is enough.
    wait_until("the rate is half of the law", || {
        device.reset().unwrap();
        join(start_readers(&device.disk(), 16, 25));
        let gauge = device.gauge().unwrap();
        assert_eq!((gauge.reads, gauge.bytes_read), (400, 400 * BLOCK_BYTES as u64));
        assert_not_faster_than_the_law(&gauge, 4, 5000);
        service_needed_us(&gauge, 4, 5000) >= gauge.span_us / 2
    });
}

#[test]
fn below_saturation_every_request_takes_its_service_time_and_what_the_timer_was_late() {
    let name = "below_saturation_every_request_takes_its_service_time_and_what_the_timer_was_late";
    let Some(device) = needs(name, TestDevice::mount(spec(4, 5000))) else { return };
    for threads in [1, 4] {
        device.reset().unwrap();
        join(start_readers(&device.raw(), threads, 30));
        let gauge = device.gauge().unwrap();
        assert_eq!(gauge.reads, threads * 30);
        assert_not_faster_than_the_law(&gauge, threads, 5000);
        // Nobody waited for a station, so on any machine this is exact but for the rounding of two sums.
        let expected_us = gauge.reads * 5000 + gauge.late_us;
        assert!(gauge.response_us.abs_diff(expected_us) <= 1, "{expected_us} us expected: {gauge}");
    }
}

#[test]
fn the_transfer_takes_its_time_at_a_station() {
    let spec = DeviceSpec { mbps: Some(2), ..spec(2, 1000) };
    let Some(device) = needs("the_transfer_takes_its_time_at_a_station", TestDevice::mount(spec)) else {
        return;
    };
    join(start_readers(&device.disk(), 4, 20));
    assert_not_faster_than_the_law(&device.gauge().unwrap(), 2, 1000 + BLOCK_BYTES as u64 / 2);
}

#[test]
fn the_law_can_be_changed_while_it_runs() {
    let device = TestDevice::mount(spec(1, 0));
    let Some(device) = needs("the_law_can_be_changed_while_it_runs", device) else { return };
    device.command("servers 2\nservice_us 4000\nmbps 0\nexp 0\nreset").unwrap();
    join(start_readers(&device.disk(), 4, 25));
    assert_not_faster_than_the_law(&device.gauge().unwrap(), 2, 4000);
}

#[test]
fn exponential_service_answers_everything_too() {
    let spec = DeviceSpec { exponential: true, ..spec(4, 500) };
    let Some(device) = needs("exponential_service_answers_everything_too", TestDevice::mount(spec)) else {
        return;
    };
    join(start_readers(&device.disk(), 8, 50));
    let gauge = device.gauge().unwrap();
    assert_eq!((gauge.reads, gauge.in_flight), (400, 0));
}

#[test]
fn the_gauge_shows_as_many_in_flight_as_there_are_threads() {
    let device = TestDevice::mount(spec(4, 1000));
    let Some(device) = needs("the_gauge_shows_as_many_in_flight_as_there_are_threads", device) else {
        return;
    };
    for path in [device.disk(), device.raw()] {
        for threads in [1, 5, 40] {
            // Held requests wait for each other, however slowly the threads start.
            device.command(&format!("hang 0 {}\nreset", u64::MAX)).unwrap();
            let readers = start_readers(&path, threads, 1);
            let gauge = wait_for_in_flight(&device, threads);
            assert_eq!((gauge.max_in_flight, gauge.reads), (threads, 0));
            device.command("release").unwrap();
            join(readers);
            let gauge = device.gauge().unwrap();
            assert_eq!((gauge.max_in_flight, gauge.in_flight, gauge.reads), (threads, 0, threads));
            assert!(gauge.mean_in_flight() <= threads as f64);
        }
    }
}

#[test]
fn the_law_and_the_gauge_hold_through_a_loop_device() {
    let name = "the_law_and_the_gauge_hold_through_a_loop_device";
    let Some(device) = needs(name, TestDevice::mount(spec(4, 5000))) else { return };
    let Some(disk) = needs(name, LoopDevice::attach(device.disk(), true)) else { return };
    // Whoever looks at new block devices reads them too; let that pass.
    wait_until("nobody reads the new device", || {
        device.reset().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(200));
        device.gauge().unwrap().completed() == 0
    });
    device.reset().unwrap();
    join(start_readers(disk.path(), 16, 25));
    let gauge = device.gauge().unwrap();
    assert_eq!(gauge.bytes_read, 400 * BLOCK_BYTES as u64);
    assert!(gauge.max_in_flight <= 16);
    assert_not_faster_than_the_law(&gauge, 4, 5000);
}
