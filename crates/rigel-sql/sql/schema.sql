-- The schema of calibrate_io(). The schema of a table of `rigel sql` is used if it belongs to the same user: the table stays in it.
DO $schema$
DECLARE
    is_ours boolean;
BEGIN
    SELECT r.rolname = current_user AND pg_catalog.obj_description(n.oid, 'pg_namespace')
        IS NOT DISTINCT FROM 'made by Rigel to measure; rigel sql drop removes it'
    INTO is_ours
    FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner WHERE n.nspname = 'rigel';
    IF is_ours IS NULL THEN
        CREATE SCHEMA rigel;
    ELSIF NOT is_ours THEN
        RAISE duplicate_schema USING MESSAGE = 'schema "rigel" already exists',
            DETAIL = 'It already has calibrate_io(), belongs to another user, or is not Rigel''s.',
            HINT = 'Check what is in it; DROP EXTENSION rigel or DROP SCHEMA rigel CASCADE removes calibrate_io().';
    END IF;
END
$schema$;
COMMENT ON SCHEMA rigel IS 'calibrate_io() of Rigel';

