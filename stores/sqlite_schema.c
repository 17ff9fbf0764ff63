/*
 * sqlite_schema.c - the tables of a trail, and the triggers that keep it append-only.
 *
 * `text` is the record, byte for byte as it was hashed. The columns that are asked for
 * are computed from it and only their indexes are stored, so no column can say
 * something else than the record does. `anchor` is where the chain begins: zeros, or
 * the last record that retention dropped. It moves forward only, and only to a record
 * that is there; what lies behind it may be deleted, nothing else ever.
 *
 * verify compares these statements with those of the file, letter by letter.
 */
#include "sqlite_impl.h"

#define COLUMN(name)                                                                               \
    ", " name " TEXT GENERATED ALWAYS AS (json_extract(text, '$." name "')) VIRTUAL"
#define REFUSE "BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END"

const struct schema_row sqlite_schema[] = {
    {"table", "record", "record",
     "CREATE TABLE record (n INTEGER PRIMARY KEY, text TEXT NOT NULL, hash BLOB NOT NULL" COLUMN(
         "time") COLUMN("kind") COLUMN("session") COLUMN("target") COLUMN("previous")
         COLUMN("verdict") ") STRICT"},
    {"table", "anchor", "anchor",
     "CREATE TABLE anchor (one INTEGER PRIMARY KEY, n INTEGER NOT NULL, hash BLOB NOT NULL) "
     "STRICT"},
    {"index", "record_time", "record", "CREATE INDEX record_time ON record (time)"},
    {"index", "record_session", "record",
     "CREATE INDEX record_session ON record (session) WHERE session IS NOT NULL"},
    {"index", "record_verdict", "record",
     "CREATE INDEX record_verdict ON record (verdict) WHERE verdict IS NOT NULL"},
    {"trigger", "record_append", "record",
     "CREATE TRIGGER record_append BEFORE INSERT ON record WHEN NEW.n <> 1 + max((SELECT n FROM "
     "anchor), "
     "coalesce((SELECT max(n) FROM record), 0)) " REFUSE},
    {"trigger", "record_update", "record",
     "CREATE TRIGGER record_update BEFORE UPDATE ON record " REFUSE},
    {"trigger", "record_delete", "record",
     "CREATE TRIGGER record_delete BEFORE DELETE ON record WHEN OLD.n > (SELECT n FROM "
     "anchor) " REFUSE},
    {"trigger", "anchor_insert", "anchor",
     "CREATE TRIGGER anchor_insert BEFORE INSERT ON anchor WHEN NEW.one <> 1 OR (SELECT count(*) "
     "FROM anchor) > 0 " REFUSE},
    {"trigger", "anchor_delete", "anchor",
     "CREATE TRIGGER anchor_delete BEFORE DELETE ON anchor " REFUSE},
    {"trigger", "anchor_update", "anchor",
     "CREATE TRIGGER anchor_update BEFORE UPDATE ON anchor WHEN NEW.one <> 1 OR NEW.n <= OLD.n OR "
     "NOT EXISTS "
     "(SELECT 1 FROM record WHERE n = NEW.n AND hash = NEW.hash) " REFUSE},
};
const size_t sqlite_n_schema = sizeof sqlite_schema / sizeof *sqlite_schema;
