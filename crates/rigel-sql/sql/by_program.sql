-- Measured by the program rigel, which the server starts. `rigel sql install` sets its path.
CREATE TABLE rigel.io_calibration_program (path text NOT NULL);
INSERT INTO rigel.io_calibration_program VALUES (:'program');
-- Holds the output of the program, and is otherwise empty. A table of a user would not do: its triggers would run with the rights of the owner.
CREATE UNLOGGED TABLE rigel.io_calibration_output (n bigint GENERATED ALWAYS AS IDENTITY, line text);

-- The answers are those of rigel.calibration/1, as JSON.
CREATE FUNCTION rigel.io_calibration_measure(files text[], num_physical_disks integer, max_latency integer, budget integer)
RETURNS text STRICT VOLATILE PARALLEL UNSAFE LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $measure$
DECLARE
    program text;
    ended bigint;
    code integer;
    answers text;
    said text;
BEGIN
    -- Only file names that the server itself chooses: apart from them, only numbers of a caller reach the shell.
    IF EXISTS (SELECT FROM unnest(files) AS f WHERE f IS NULL OR f LIKE '%..%' OR f !~ '^(base|global|pg_tblspc)/[A-Za-z0-9_./]+$') THEN
        RAISE invalid_parameter_value USING MESSAGE = 'this is not a file of a relation';
    END IF;
    SELECT chr(39) || replace(p.path, chr(39), chr(39) || chr(92) || chr(39) || chr(39)) || chr(39) INTO STRICT program
    FROM rigel.io_calibration_program AS p;
    -- Signals of the server for this session also reach the program, and it leaves no file behind.
    EXECUTE format('COPY rigel.io_calibration_output (line) FROM PROGRAM %L WITH (FORMAT csv, DELIMITER %L, QUOTE %L, ENCODING %L)',
        'd=$(mktemp -d) || exit; trap ''rm -rf "$d"'' EXIT; trap ''exit 0'' HUP INT QUIT TERM; ' || program
        || ' calibrate --json --quiet --no-html --no-history --no-commits --out "$d"'
        || format(' --num-disks %s --max-latency %sms --budget %ss ', num_physical_disks, max_latency, budget)
        || array_to_string(files, ' ') || ' 2>"$d/said"; code=$?; echo; echo "exit $code"; cat "$d/said"; exit 0',
        chr(1), chr(2), 'UTF8');
    SELECT o.n, substr(o.line, 6)::integer INTO ended, code FROM rigel.io_calibration_output AS o WHERE o.line ~ '^exit [0-9]+$'
    ORDER BY o.n LIMIT 1;
    SELECT string_agg(o.line, chr(10) ORDER BY o.n) FILTER (WHERE o.n < ended),
           string_agg(o.line, chr(10) ORDER BY o.n) FILTER (WHERE o.n > ended)
    INTO answers, said FROM rigel.io_calibration_output AS o;
    DELETE FROM rigel.io_calibration_output;
    IF code IS NULL THEN
        RAISE query_canceled USING MESSAGE = 'the calibration was stopped';
    ELSIF code NOT IN (0, 1) OR answers IS NULL THEN
        RAISE external_routine_exception USING MESSAGE = format('rigel calibrate ended with exit code %s', code),
            DETAIL = coalesce(said, 'It printed nothing.'), HINT = 'The path of the program is in rigel.io_calibration_program.';
    END IF;
    RETURN answers;
END
$measure$;

