-- calibrate_io(): what the storage below this database can do. Everything except the measuring function,
-- rigel.io_calibration_measure, which comes first: by_extension.sql measures in the session, by_program.sql with the program rigel.
-- PostgreSQL 13 and later.

CREATE TABLE rigel.io_calibration (
    start_time timestamptz NOT NULL,
    end_time timestamptz NOT NULL,
    max_iops integer,
    max_mbps integer,
    max_pmbps integer,
    latency numeric,
    num_physical_disks integer NOT NULL,
    max_latency integer NOT NULL,
    files integer NOT NULL,
    bytes bigint NOT NULL,
    additional_info jsonb NOT NULL
);
COMMENT ON TABLE rigel.io_calibration IS 'The last calibration. Latency and max_latency in ms, rates per second, one MB is 2^20 bytes; additional_info has the intervals and the doubts about the figures';

CREATE VIEW rigel.io_calibration_status AS
SELECT CASE
           WHEN EXISTS (
               SELECT FROM pg_catalog.pg_locks AS l
               WHERE l.locktype = 'advisory' AND l.classid = 1919510373 AND l.objid = 26991 AND l.objsubid = 2 AND l.granted
                   AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
           ) THEN 'IN PROGRESS'
           WHEN EXISTS (SELECT FROM rigel.io_calibration) THEN 'READY'
           ELSE 'NOT AVAILABLE'
       END AS status,
       (SELECT pg_catalog.max(c.end_time) FROM rigel.io_calibration AS c) AS calibration_time;
COMMENT ON VIEW rigel.io_calibration_status IS 'NOT AVAILABLE, IN PROGRESS or READY, and the end of the last calibration';

-- The files to read: segments of relations with room for large I/O. If there are many, a choice that is spread over all of them.
CREATE FUNCTION rigel.io_calibration_files(relation regclass, tablespace oid, OUT path text, OUT bytes bigint)
RETURNS SETOF record LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $files$
    SELECT s.path, s.bytes
    FROM (
        SELECT r.path || CASE n WHEN 0 THEN '' ELSE '.' || n END AS path, least(r.bytes - n * r.segment, r.segment) AS bytes
        FROM (
            SELECT pg_relation_filepath(c.oid) AS path, pg_relation_size(c.oid) AS bytes,
                   pg_size_bytes(current_setting('segment_size')) AS segment
            FROM pg_class AS c
            WHERE c.relkind IN ('r', 'm', 'i', 't') AND c.relpersistence <> 't'
                AND CASE WHEN $1 IS NOT NULL THEN c.oid = $1 OR c.oid IN (SELECT p.relid FROM pg_partition_tree($1) AS p)
                         WHEN $2 IS NOT NULL THEN $2 = coalesce(nullif(c.reltablespace, 0),
                             (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()))
                         ELSE true END
        ) AS r, generate_series(0, (r.bytes - 1) / r.segment) AS n
        WHERE r.path IS NOT NULL
    ) AS s
    WHERE s.bytes >= 1048576
    ORDER BY s.bytes >= 1073741824 DESC, md5(s.path)
    LIMIT 128
$files$;

CREATE FUNCTION rigel.calibrate_io(
    num_physical_disks integer DEFAULT 1, max_latency integer DEFAULT 20,
    OUT max_iops integer, OUT max_mbps integer, OUT actual_latency numeric,
    relation regclass DEFAULT NULL, tablespace name DEFAULT NULL, budget integer DEFAULT 60
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $calibrate$
DECLARE
    began timestamptz := clock_timestamp();
    space oid;
    paths text[];
    total bigint;
    answers jsonb;
    flag jsonb;
BEGIN
    IF num_physical_disks IS NULL OR num_physical_disks NOT BETWEEN 1 AND 1000 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('num_physical_disks is %s', coalesce(num_physical_disks::text, 'null')),
            HINT = 'Give 1 to 1000: about the number of disks below the database.';
    ELSIF max_latency IS NULL OR max_latency NOT BETWEEN 1 AND 10000 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('max_latency is %s', coalesce(max_latency::text, 'null')),
            HINT = 'Give 1 to 10000 ms.';
    ELSIF budget IS NULL OR budget NOT BETWEEN 20 AND 3600 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('budget is %s', coalesce(budget::text, 'null')),
            HINT = 'Give 20 to 3600 s; 60 is usual.';
    ELSIF relation IS NOT NULL AND tablespace IS NOT NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'relation and tablespace cannot be combined', HINT = 'Give one of them.';
    END IF;
    IF tablespace IS NOT NULL THEN
        SELECT t.oid INTO space FROM pg_tablespace AS t WHERE t.spcname = calibrate_io.tablespace;
        IF space IS NULL THEN
            RAISE undefined_object USING MESSAGE = format('tablespace "%s" does not exist', tablespace);
        END IF;
    END IF;
    -- Until the end of the transaction, in which the result becomes visible.
    IF NOT pg_try_advisory_xact_lock(1919510373, 26991) THEN
        RAISE lock_not_available USING MESSAGE = 'a calibration is in progress',
            DETAIL = 'Two at once would disturb each other.', HINT = 'Wait until rigel.io_calibration_status says READY.';
    END IF;
    SELECT array_agg(f.path), sum(f.bytes) INTO paths, total FROM rigel.io_calibration_files(relation, space) AS f;
    IF paths IS NULL THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = 'there is no relation of 1 MiB or more to read from',
            HINT = 'Fill a table first, several times as large as the caches of the storage.';
    END IF;
    -- Done now, so a session that may not write learns that before the measurement, not after it. Others see the old row until the end.
    DELETE FROM rigel.io_calibration;
    answers := rigel.io_calibration_measure(paths, num_physical_disks, max_latency, budget)::jsonb;
    max_iops := round((answers #>> '{max_iops,value}')::numeric);
    max_mbps := round((answers #>> '{max_mbps,value}')::numeric);
    actual_latency := round((answers #>> '{actual_latency_ms,value}')::numeric, 3);
    INSERT INTO rigel.io_calibration VALUES (began, clock_timestamp(), max_iops, max_mbps,
        round((answers #>> '{max_pmbps,value}')::numeric), actual_latency, num_physical_disks, max_latency,
        cardinality(paths), total, answers);
    IF max_iops IS NULL THEN
        RAISE WARNING 'no max_iops: %', answers ->> 'reason';
    END IF;
    FOR flag IN SELECT f FROM jsonb_array_elements(answers -> 'flags') AS f LOOP
        IF (flag ->> 'invalid')::boolean THEN
            RAISE WARNING '%: %', flag ->> 'code', flag ->> 'text';
        ELSE
            RAISE NOTICE '%: %', flag ->> 'code', flag ->> 'text';
        END IF;
    END LOOP;
END
$calibrate$;
COMMENT ON FUNCTION rigel.calibrate_io IS 'Measures what the storage below this database can do; reads its files for budget seconds';

REVOKE ALL ON FUNCTION rigel.calibrate_io, rigel.io_calibration_files, rigel.io_calibration_measure FROM PUBLIC;
