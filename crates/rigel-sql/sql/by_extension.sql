-- Measured by threads of the session. The answers are those of rigel.calibration/1, as JSON.
DO $member$
BEGIN
    -- It is removed with the extension, although it existed before.
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                   WHERE d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
                       AND d.objid = (SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'rigel') AND d.deptype = 'e') THEN
        ALTER EXTENSION rigel ADD SCHEMA rigel;
    END IF;
END
$member$;

CREATE FUNCTION rigel.io_calibration_measure(files text[], num_physical_disks integer, max_latency integer, budget integer)
RETURNS text STRICT VOLATILE PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', 'rigel_calibrate_wrapper';

